"""What people follow and go to: bands, shows, films, books, games, animals, and places of leisure, by name.

Well-known names, so that "saw Coldplay last night" tells something without a verb of liking. Names that are everyday
words as well ("up", "rush", "friends") are left out: they need such a verb.
"""

from typing import Final

from sojourn.memory.extraction.rules.lexicon import phrases, words

MUSICIANS: Final = phrases("""
the beatles;beatles;the rolling stones;rolling stones;led zeppelin;pink floyd;nirvana;metallica;ac/dc;acdc
guns n roses;aerosmith;the doors;the who;the clash;the smiths;the ramones;ramones;radiohead;coldplay;u2;muse
imagine dragons;maroon 5;one direction;green day;blink 182;linkin park;foo fighters;pearl jam;red hot chili peppers
the killers;arctic monkeys;the strokes;oasis;gorillaz;daft punk;depeche mode;new order;joy division;iron maiden
black sabbath;slayer;megadeth;slipknot;korn;system of a down;rammstein;my chemical romance;fall out boy
panic at the disco;paramore;twenty one pilots;evanescence;nickelback;creed;weezer;the offspring;beastie boys
the beastie boys;insane clown posse;wu tang;wu tang clan;nwa;tupac;2pac;biggie;eminem;jay z;jay-z;kanye west;kanye;drake
kendrick lamar;travis scott;lil wayne;nicki minaj;cardi b;snoop dogg;dr. dre;post malone;50 cent;childish gambino
taylor swift;katy perry;lady gaga;beyonce;rihanna;britney spears;madonna;michael jackson;whitney houston
mariah carey;celine dion;adele;ed sheeran;justin bieber;justin timberlake;bruno mars;ariana grande;selena gomez
miley cyrus;shakira;lana del rey;lorde;billie eilish;the weeknd;harry styles;shawn mendes;john legend
john mayer;johnny cash;willie nelson;dolly parton;garth brooks;kenny chesney;luke bryan;blake shelton;carrie underwood
tim mcgraw;george strait;elvis;elvis presley;frank sinatra;bob dylan;bob marley;david bowie;elton john;billy joel
bruce springsteen;stevie wonder;fleetwood mac;stevie nicks;abba;bon jovi;van halen;def leppard
the eagles;the beach boys;simon and garfunkel;jimi hendrix;janis joplin;louis armstrong;miles davis;mozart;beethoven
bach;chopin;spice girls;backstreet boys;nsync;jonas brothers;bts;blackpink;phish;grateful dead;the grateful dead
dave matthews band;mumford and sons;the lumineers;florence and the machine;tame impala;bon iver;ween
enya;yanni;skrillex;deadmau5;avicii;calvin harris;david guetta;tiesto;the chainsmokers
""")
SCREEN: Final = phrases("""
game of thrones;the walking dead;walking dead;breaking bad;better call saul;stranger things;parks and rec
parks and recreation;the big bang theory;big bang theory;how i met your mother;seinfeld;the simpsons;simpsons;south park
family guy;rick and morty;futurama;bobs burgers;bob's burgers;spongebob;adventure time;doctor who;dr who
downton abbey;the crown;black mirror;house of cards;orange is the new black;grey's anatomy;greys anatomy
the vampire diaries;vampire diaries;gilmore girls;gossip girl;sex and the city;law and order
criminal minds;ncis;csi;the x files;x files;x-files;star trek;battlestar galactica;firefly;westworld;twin peaks;the wire
the sopranos;mad men;dexter;true detective;peaky blinders;the witcher;the mandalorian;jersey shore
the bachelor;the voice;american idol;top chef;jeopardy;wheel of fortune;star wars;harry potter;lord of the rings
the lord of the rings;the hobbit;the matrix;jurassic park;titanic;the godfather;godfather;pulp fiction;fight club
forrest gump;the notebook;twilight;hunger games;the hunger games;toy story;finding nemo;the lion king
batman movies;the avengers;avengers;spiderman;spider-man;deadpool;wonder woman;black panther;james bond;indiana jones
back to the future;ghostbusters;the terminator;terminator;top gun;rocky movies;the princess bride;the wizard of oz
gone with the wind;casablanca;the shawshank redemption;inception;interstellar;mean girls;dirty dancing
breakfast at tiffany's;the breakfast club;16 candles;sixteen candles;home alone;my little pony;pokemon
dragon ball;dragonball z;naruto;one piece anime;sailor moon;attack on titan;studio ghibli;marvel movies;disney movies
horror movies;horror movie;horror films;scary movies;action movies;romantic comedies;war documentaries;reality tv
reality shows;soap operas;youtube videos;ted talks;game shows;crime shows;cooking shows;science fiction;sci fi;sci-fi
""")
BOOKS: Final = phrases("""
pride and prejudice;jane austen;stephen king;the great gatsby;to kill a mockingbird;the catcher in the rye;moby dick
war and peace;anna karenina;jane eyre;wuthering heights;little women;the bible;don quixote;the odyssey;the iliad
agatha christie;sherlock holmes;j.k. rowling;jk rowling;tolkien;george orwell;brave new world;dan brown
john grisham;james patterson;nicholas sparks;nora roberts;haruki murakami;neil gaiman;terry pratchett;isaac asimov
hemingway;ernest hemingway;shakespeare;dickens;charles dickens;mark twain;edgar allan poe;dostoevsky;tolstoy;dr seuss
dr. seuss;percy jackson;the chronicles of narnia;narnia;fifty shades of grey;mystery novels;romance novels;comic books
suspense novels;history books;fantasy novels;murder mysteries;graphic novels;self help books
""")
GAMES: Final = phrases("""
minecraft;fortnite;call of duty;world of warcraft;league of legends;overwatch;skyrim;grand theft auto;gta;the sims
zelda;mario kart;super mario;pokemon go;animal crossing;candy crush;halo;destiny 2;final fantasy;dark souls
dungeons and dragons;d&d;magic the gathering;settlers of catan;monopoly;scrabble;bingo;words with friends;second life
guitar hero;mortal kombat;street fighter;tetris;pac man;pacman;angry birds;farmville;counter strike;dota;apex legends
video game;video games;board games;card games;computer games;role playing games;escape rooms;laser tag;paintball
""")
LEISURE: Final = phrases("""
disney world;disneyland;disney land;walt disney world;universal studios;six flags;sea world;seaworld;legoland
theme parks;amusement parks;the appalachian trail;yellowstone;yosemite;the grand canyon;food trucks;farmers markets
flea markets;garage sales;yard sales;thrift stores;thrift shops;antiques;antique shops;vintage cars;classic cars
muscle cars;sports cars;fast cars;skin care;skincare;social media;fantasy football;stock market;live music;country music
classical music;rap music;rock music;pop music;punk music;heavy metal;hip hop;folk music;jazz music;electronic music
martial arts;civil war reenactments;reenactments;bird watching;ghost hunting;scuba diving;rock climbing;bike riding
horse racing;drag racing;ice skating;roller skating;line dancing;ballroom dancing;salsa dancing;belly dancing
role playing;web design;graphic design;interior design;watching sunsets;sunsets;candles;crystals;tarot
ice cream;ice creams;junk food;gummy bears;gummy worms;organic food;mexican food;italian food;chinese food
thai food;indian food;japanese food;comfort food;french fries;hot dogs;mac and cheese;grilled cheese;fried chicken
chicken nuggets;hot chocolate;iced tea;green tea;hot wings;peanut butter;apple pie;orange juice;diet coke;dr pepper
mountain dew;root beer;craft beer;red wine;white wine;orange chicken;sweet potatoes;potato chips;cotton candy
""")
"""Places and things of leisure, food, and pastimes of several words."""
NAMED: Final = MUSICIANS | SCREEN | BOOKS | GAMES | LEISURE
NAMED_LENGTHS: Final[dict[str, tuple[int, ...]]] = {
    first: tuple(sorted({len(name.split()) for name in NAMED if name.split()[0] == first}, reverse=True))
    for first in {name.split()[0] for name in NAMED}
}
"""How many words the names have that begin with a word, the longest first."""
ANIMALS: Final = words("""
dogs cats horses puppies kittens birds parrots pandas bears monkeys unicorns animals tigers lions elephants dolphins
penguins wolves chickens butterflies rabbits bunnies hamsters turtles snakes lizards reptiles ponies cows goats pigs
sheep sharks whales otters sloths koalas owls eagles foxes giraffes zebras dinosaurs ferrets frogs
""")
VENUES: Final = words("""
concerts concert gym beach movies museum museums library park parks zoo casino casinos festivals parties clubs bars bar
mall theater theatre opera aquarium raves garage auctions conventions races rodeo rodeos pub pubs lake mountains woods
galleries gallery arcade sauna spa
""")
"""Where people go for pleasure."""
