"""Words for work: what people are, where they work, and what only sounds like an occupation."""

from typing import Final

from sojourn.memory.extraction.rules.lexicon import phrases, words

JOBS: Final = words("""
accountant accountants actor actress actuary administrator adjuster admin advisor adviser agent analyst
anesthesiologist animator anthropologist apprentice archaeologist architect archivist artist assistant associate
astronaut astronomer astrophysicist athlete attorney auctioneer auditor author babysitter baker ballerina banker
barber barista barkeeper bartender beautician biochemist biologist blacksmith blogger bodyguard boilermaker
bookkeeper bouncer boxer breeder brewer bricklayer broadcaster broker builder busser butcher butler buyer cab cabbie
cameraman captain cardiologist caregiver caretaker carpenter cartographer cartoonist cashier caterer cellist ceo cfo
cto chairman chairwoman chaplain chauffeur cheerleader chef chemist childminder chiropractor choreographer cleaner
clergyman clerk clown coach cobbler coder columnist comedian commander commentator composer concierge conductor
conservationist constable consultant contractor controller cook cop coordinator copywriter coroner correspondent
cosmetologist counselor counsellor courier cowboy craftsman criminologist critic curator custodian dancer dealer
dean decorator dentist dermatologist designer detective dev developer devops dietician dietitian diplomat director
dishwasher dispatcher diver dj doctor dogwalker doorman draftsman dressmaker driver drummer ecologist economist
editor educator electrician engineer entertainer entomologist entrepreneur epidemiologist escort estimator executive
exterminator fabricator farmer farmhand ferryman filmmaker financier firefighter fireman fisherman florist foreman
forester freelancer fundraiser gardener gastroenterologist geneticist geographer geologist geophysicist glassblower
golfer goldsmith governess grader groomer grocer groundskeeper guard guide guitarist gymnast gynecologist hacker
hairdresser hairstylist handyman harpist headmaster historian homemaker horticulturist host hostess housekeeper
housewife househusband humorist hygienist illustrator immunologist importer influencer inspector installer
instructor intern interpreter inventor investigator investor janitor jeweler jeweller jockey journalist judge
juggler keeper laborer labourer lab landlord landlady landscaper lawyer lecturer legislator librarian lifeguard
linguist lineman lobbyist locksmith logger logistician lumberjack machinist magician magistrate maid mailman maker
management manager manicurist marine marketer mason masseuse masseur mathematician mayor mechanic mediator medic
merchandiser merchant messenger meteorologist microbiologist midwife miner minister missionary model mortician
moderator mover musician nanny naturalist neurologist neuroscientist neurosurgeon newscaster notary novelist nun
nurse nurseryman nutritionist obstetrician officer oncologist operator ophthalmologist optician optometrist orderly
organist organizer orthodontist owner painter paleontologist paralegal paramedic parson partner pastor pathologist
pediatrician performer pharmacist philosopher photographer photojournalist physician physicist physiotherapist
pianist pilot planner plasterer player plumber podiatrist poet policeman policewoman politician porter postdoc
postman potter preacher president principal priest printer producer professor programmer projectionist proofreader
prosecutor psychiatrist psychic psychologist psychotherapist publicist publisher pundit rabbi radiographer
radiologist rancher ranger realtor receptionist recruiter referee registrar repairman reporter representative rep
researcher restaurateur retailer roofer rower sailor salesman salesperson saleswoman scientist screenwriter sculptor
seamstress secretary senator server sergeant servant sheriff shepherd shipper shoemaker shopkeeper singer skater
sociologist soldier solicitor songwriter specialist speechwriter sre sprinter statistician steward stewardess
stockbroker stocker storekeeper stripper stuntman stuntwoman student stylist superintendent supervisor surgeon
surveyor sysadmin tailor tattooist taxidermist teacher teller tester technician technologist telemarketer
temp tenor therapist tiler toolmaker trader trainee trainer translator treasurer trucker tuner tutor typist umpire
undertaker undergrad underwriter upholsterer usher valet vendor vet veterinarian vicar videographer violinist
volunteer vlogger waiter waitress warden watchmaker weaver webmaster weatherman welder winemaker worker wrestler
writer youtuber zookeeper zoologist pm qa hr ta phd postgrad postgraduate undergraduate freshman sophomore bellhop
docent emt rn cna lpn pharmacologist pensioner retiree veteran sahm homesteader handicapper docent chemist janitress
seller bailiff actuary barrister paperboy busboy deejay streamer stay-at-home aide assembler hairdresser attendant
cobbler oiler porter lead apprentice cadet recruit paratrooper gambler salesclerk salesrep manicurist tech distributor
linebacker quarterback goalie pitcher striker bassist vocalist rapper saxophonist trumpeter keyboardist acrobat stockboy
merchandizer phlebotomist sonographer ultrasonographer embalmer arborist astrologer aviator baggage-handler beekeeper
biotechnologist cinematographer cryptographer dogsitter fisher gamekeeper gaffer glazier hypnotist hypnotherapist
ironworker joiner lumberman marshal millwright navigator numerologist osteopath paperhanger parapsychologist
pipefitter quilter rigger roadie scaffolder sculptress sommelier steelworker stonemason sushi-chef
tanner technologist toolsmith trapper trooper turner urologist virologist volcanologist wrangler yardman cardsharp
bootmaker dog-walker headhunter housepainter mime mortgage-broker pawnbroker
pollster puppeteer ringmaster sharpshooter sheepherder signwriter snowplower spy stagehand tinker
""")
"""Heads of job titles: "head chef", "nurse at a hospital"."""

NOT_JOBS: Final = words("""
player owner captain partner associate lead model host guide maker runner lover cab lab management admin vet marine temp
""")
"""Titles that need another noun before them, or an employer after: "football player", "store owner"."""

STATUSES: Final = words("retired unemployed self-employed freelancing jobless homeschooled disabled freelance")

FIELDS: Final = phrases("""
sales;marketing;finance;it;real estate;retail;advertising;insurance;construction;healthcare;health care;education
accounting;banking;nursing;tech;consulting;hr;human resources;law enforcement;hospitality;customer service;logistics
manufacturing;engineering;research;academia;medicine;pr;public relations;law;fashion;the army;the us army
the us navy;the us military;the us marines;the navy;the marines;the military;the air force;the coast guard
the national guard;the reserves;army;navy;the marine corps;film;the film industry;security;management;theater
theatre;the theater;daycare;pharmaceuticals;fast food;the healthcare field;the healthcare industry;agriculture
politics;journalism;publishing;biotech;pharma;software;software development;web development;data science
cybersecurity;landscaping;plumbing;the medical field;the service industry;the restaurant industry;the food industry
construction work;property management;social work;child care;childcare;food service;the food service industry
the oil industry;the oil fields;the oil field;oil and gas;telemarketing;telecommunications;aviation;transportation
shipping;architecture;entertainment;the entertainment industry;the music industry;the fashion industry;radio;television
the music business;the restaurant business;the hotel industry;pest control;animal control;waste management;data entry
customer support;tech support;technical support;it support;public health;mental health;the public sector;government
forestry;mining;fishing;farming;cosmetics;electronics;robotics;aerospace;wealth management;investment banking
private equity;venture capital;graphic design;interior design;event planning;video production;special education
""")

WORKPLACES: Final = words("""
store shop restaurant bakery company business firm bank factory hospital school office warehouse diner cafe café bar
pub salon spa farm ranch studio agency startup clinic hotel museum library bookstore mall market supermarket gym
theater theatre circus university college daycare nursery nursing plant mill garage dealership lab laboratory
pharmacy boutique practice gallery brewery winery vineyard foundation charity nonprofit shelter zoo orchard magazine
newspaper station church daycare casino club motel inn barbershop nightclub kennel blog channel podcast bookshop
florist deli pizzeria kitchen truck industry center centre railroad railway shipyard dock docks quarry mine sawmill
airport airline hospice orphanage planetarium aquarium bistro pizzeria creamery distillery dairy
slaughterhouse cannery refinery foundry depot courthouse embassy consulate ministry prison jail stables sanctuary
workshop boatyard carwash laundromat drugstore tavern saloon resort lodge campground marina observatory facility
corporation restaurants stores schools hospitals shops offices farms
""")
EMPLOYERS: Final = phrases("""
mcdonalds;mcdonald's;mcdonald;burger king;wendys;wendy's;taco bell;kfc;subway;starbucks;dunkin donuts;dunkin;chipotle
pizza hut;dominos;domino's;papa johns;chick fil a;chick-fil-a;arbys;arby's;sonic;dairy queen;popeyes;panera;ihop;dennys
denny's;applebees;applebee's;olive garden;red lobster;outback steakhouse;hooters;waffle house;tim hortons;del taco
in n out;five guys;panda express;cracker barrel;walmart;wal-mart;wal mart;target;costco;kmart;k-mart;sears;macys;macy's
kohls;kohl's;jcpenney;nordstrom;best buy;home depot;the home depot;lowes;lowe's;ikea;walgreens;cvs;rite aid;kroger
publix;safeway;albertsons;aldi;lidl;tesco;sainsburys;asda;whole foods;trader joes;trader joe's;dollar tree
dollar general;gamestop;petsmart;pet smart;petco;toys r us;barnes and noble;bath and body works;victorias secret
victoria's secret;hollister;old navy;forever 21;h&m;zara;primark;nike;adidas;sephora;ulta;staples;office depot
michaels;hobby lobby;goodwill;amazon;google;facebook;meta;apple;microsoft;netflix;twitter;ibm;intel;oracle;cisco;nvidia
salesforce;uber;lyft;doordash;airbnb;tesla;spacex;nasa;ford;general motors;gm;toyota;honda;bmw;volkswagen;boeing;airbus
lockheed martin;ups;fedex;usps;dhl;the post office;post office;the us postal service;the postal service;at&t;verizon
t-mobile;tmobile;comcast;sprint;siemens;bosch;samsung;sony;disney;pixar;hbo;espn;discovery channel;cnn;bbc;fox news
the new york times;wells fargo;chase;bank of america;citibank;goldman sachs;jp morgan;deloitte;kpmg;pwc;accenture;geico
state farm;allstate;pfizer;bayer;novartis;peta;unicef;the red cross;red cross;greenpeace;the fbi;the cia;the irs
the state department;the navy;the army;the air force;the marines;the coast guard;the military;the government
""")
"""Employers that everybody knows, so that they need no capital to be one."""

NO_OCCUPATION: Final = words("""
fan lover person man woman guy girl boy lady kid child teen teenager adult human beginner newbie noob novice expert
pro master friend mother father mom mum dad brother sister son daughter wife husband parent grandmother grandfather
grandma grandpa aunt uncle cousin twin vegan vegetarian christian catholic muslim jew buddhist atheist democrat
republican liberal conservative believer reader smoker drinker eater walker talker listener sleeper bit little lot
few huge big mess liar loser winner nerd geek dork introvert extrovert redhead blonde brunette virgo leo gemini
taurus aries libra scorpio capricorn aquarius pisces cancer sagittarius wreck goner keeper sucker foodie gamer
bookworm homebody perfectionist procrastinator dreamer survivor thinker newcomer native citizen resident american
member follower supporter owl bird morning night hugger diabetic alcoholic widow widower bachelor virgin minor
senior baby monster ghost robot ai bot wizard pirate vampire alien unicorn batman superhero viking witch dragon
zombie
""")
