"""Places that people say they live in: countries, states and large cities, and the kinds of place."""

from typing import Final

from sojourn.memory.extraction.rules.lexicon import phrases, words

PLACES: Final = phrases("""
afghanistan;albania;algeria;andorra;angola;argentina;armenia;australia;austria;azerbaijan;bahamas;the bahamas
bahrain;bangladesh;barbados;belarus;belgium;belize;benin;bhutan;bolivia;bosnia;botswana;brazil;brunei;bulgaria
burkina faso;burundi;cambodia;cameroon;canada;cape verde;chile;china;colombia;costa rica;croatia;cuba;cyprus
czech republic;the czech republic;czechia;denmark;djibouti;dominican republic;the dominican republic;ecuador;egypt
el salvador;england;eritrea;estonia;ethiopia;fiji;finland;france;gabon;gambia;georgia;germany;ghana;great britain
greece;grenada;guam;guatemala;guinea;guyana;haiti;holland;honduras;hong kong;hungary;iceland;india;indonesia;iran
iraq;ireland;northern ireland;israel;italy;ivory coast;jamaica;japan;jordan;kazakhstan;kenya;kosovo;kuwait
kyrgyzstan;laos;latvia;lebanon;lesotho;liberia;libya;liechtenstein;lithuania;luxembourg;macedonia;madagascar;malawi
malaysia;maldives;mali;malta;mauritius;mexico;moldova;monaco;mongolia;montenegro;morocco;mozambique;myanmar;namibia
nepal;netherlands;the netherlands;new zealand;nicaragua;niger;nigeria;north korea;norway;oman;pakistan;palestine
panama;papua new guinea;paraguay;peru;philippines;the philippines;poland;portugal;puerto rico;qatar;romania;russia
rwanda;samoa;saudi arabia;scotland;senegal;serbia;singapore;slovakia;slovenia;somalia;south africa;south korea;korea
south sudan;spain;sri lanka;sudan;suriname;sweden;switzerland;syria;taiwan;tajikistan;tanzania;thailand;togo;tonga
trinidad;trinidad and tobago;tunisia;turkey;turkmenistan;uganda;ukraine;united arab emirates;uae;the uae
united kingdom;uk;the uk;u.k;united states;the united states;usa;the usa;us;the us;the u.s;u.s;u.s.a;america
the states;uruguay;uzbekistan;venezuela;vietnam;wales;yemen;zambia;zimbabwe;alabama;alaska;arizona;arkansas
california;colorado;connecticut;delaware;florida;hawaii;idaho;illinois;indiana;iowa;kansas;kentucky;louisiana;maine
maryland;massachusetts;michigan;minnesota;mississippi;missouri;montana;nebraska;nevada;new hampshire;new jersey
new mexico;new york;north carolina;north dakota;ohio;oklahoma;oregon;pennsylvania;rhode island;south carolina
south dakota;tennessee;texas;utah;vermont;virginia;washington;west virginia;wisconsin;wyoming;washington dc
washington d.c;dc;d.c;ontario;quebec;british columbia;alberta;manitoba;saskatchewan;nova scotia;new brunswick
newfoundland;yukon;queensland;new south wales;victoria;tasmania;bavaria;saxony;catalonia;andalusia;tuscany;sicily
sardinia;lombardy;provence;normandy;brittany;punjab;kerala;gujarat;maharashtra;tamil nadu;karnataka;cornwall;devon
yorkshire;kent;essex;surrey;sussex;cumbria;new york city;nyc;los angeles;la;l.a;chicago;houston;phoenix;philadelphia
philly;san antonio;san diego;dallas;austin;san jose;fort worth;jacksonville;columbus;charlotte;indianapolis
san francisco;sf;seattle;denver;boston;el paso;nashville;detroit;oklahoma city;portland;las vegas;vegas;memphis
louisville;baltimore;milwaukee;albuquerque;tucson;fresno;sacramento;mesa;kansas city;atlanta;omaha;colorado springs
raleigh;miami;long beach;virginia beach;oakland;minneapolis;tulsa;tampa;arlington;new orleans;wichita;cleveland
bakersfield;aurora;anaheim;honolulu;santa ana;riverside;corpus christi;lexington;stockton;henderson;saint paul
st. louis;st louis;saint louis;cincinnati;pittsburgh;greensboro;anchorage;plano;lincoln;orlando;irvine;newark;toledo
durham;chula vista;fort wayne;jersey city;st. petersburg;st petersburg;laredo;madison;chandler;buffalo;lubbock
scottsdale;reno;glendale;gilbert;winston-salem;north las vegas;norfolk;chesapeake;garland;irving;hialeah;richmond
boise;spokane;baton rouge;des moines;tacoma;san bernardino;modesto;fontana;santa clarita;birmingham;oxnard
fayetteville;rochester;moreno valley;yonkers;huntington beach;salt lake city;grand rapids;amarillo;montgomery
little rock;akron;huntsville;augusta;mobile;shreveport;knoxville;worcester;providence;santa fe;savannah;charleston
ann arbor;boulder;berkeley;palo alto;brooklyn;queens;the bronx;bronx;manhattan;staten island;harlem;long island
silicon valley;the bay area;bay area;hollywood;sterling heights;cape cod;toronto;montreal;vancouver;calgary;edmonton
ottawa;winnipeg;quebec city;hamilton;halifax;victoria bc;saskatoon;regina;london;manchester;liverpool;leeds
sheffield;bristol;newcastle;nottingham;leicester;edinburgh;glasgow;aberdeen;cardiff;belfast;oxford;cambridge
brighton;york;bath;dublin;cork;galway;limerick;paris;marseille;lyon;toulouse;nice;nantes;strasbourg;bordeaux;lille
rennes;grenoble;montpellier;berlin;hamburg;munich;cologne;frankfurt;stuttgart;düsseldorf;dusseldorf;dortmund;leipzig
dresden;hanover;nuremberg;bremen;bonn;freiburg;heidelberg;karlsruhe;vienna;graz;salzburg;innsbruck;linz;zurich
zürich;geneva;basel;bern;lausanne;lugano;rome;milan;naples;turin;palermo;genoa;bologna;florence;venice;verona
trieste;madrid;barcelona;valencia;seville;bilbao;malaga;málaga;granada;zaragoza;lisbon;porto;braga;coimbra;faro
amsterdam;rotterdam;the hague;utrecht;eindhoven;brussels;antwerp;ghent;bruges;copenhagen;aarhus;odense;stockholm
gothenburg;malmö;malmo;uppsala;oslo;bergen;trondheim;stavanger;helsinki;tampere;turku;reykjavik;warsaw;krakow;kraków
gdansk;wroclaw;poznan;lodz;prague;brno;ostrava;bratislava;budapest;bucharest;cluj;timisoara;sofia;plovdiv;belgrade
novi sad;zagreb;split;ljubljana;maribor;sarajevo;skopje;tirana;athens;thessaloniki;patras;istanbul;ankara;izmir
antalya;kyiv;kiev;lviv;odessa;kharkiv;minsk;moscow;saint petersburg;kazan;novosibirsk;vilnius;kaunas;riga;tallinn
tartu;tbilisi;yerevan;baku;almaty;tashkent;tokyo;osaka;kyoto;yokohama;nagoya;sapporo;fukuoka;kobe;hiroshima;seoul
busan;incheon;beijing;shanghai;guangzhou;shenzhen;chengdu;wuhan;hangzhou;nanjing;taipei;bangkok;chiang mai;phuket
hanoi;ho chi minh city;saigon;da nang;manila;cebu;davao;jakarta;bandung;bali;surabaya;kuala lumpur;penang;phnom penh
yangon;mumbai;delhi;new delhi;bangalore;bengaluru;hyderabad;chennai;kolkata;pune;ahmedabad;jaipur;lucknow;kochi;goa
karachi;lahore;islamabad;dhaka;kathmandu;colombo;dubai;abu dhabi;doha;riyadh;jeddah;muscat;kuwait city;beirut;amman
damascus;baghdad;tehran;isfahan;jerusalem;tel aviv;haifa;cairo;alexandria;casablanca;rabat;marrakech;tunis;algiers
lagos;abuja;accra;nairobi;mombasa;kampala;kigali;addis ababa;dar es salaam;johannesburg;cape town;durban;pretoria
harare;lusaka;luanda;dakar;abidjan;sydney;melbourne;brisbane;perth;adelaide;canberra;hobart;darwin;gold coast
auckland;wellington;christchurch;dunedin;queenstown;mexico city;guadalajara;monterrey;puebla;tijuana;cancun;havana
kingston;san juan;santo domingo;panama city;bogota;bogotá;medellin;medellín;cali;cartagena;quito;guayaquil;lima
cusco;arequipa;la paz;santiago;valparaiso;buenos aires;cordoba;rosario;mendoza;montevideo;asuncion;sao paulo
são paulo;rio de janeiro;rio;brasilia;salvador;recife;fortaleza;belo horizonte;porto alegre;curitiba;caracas;europe
asia;africa;south america;north america;central america;latin america;scandinavia;the middle east;the caribbean
the midwest;the pacific northwest;new england;the south;the north;the east coast;the west coast;east coast
west coast;midwest;southern california;northern california;upstate new york;bora bora;siberia;the balkans
ny;nj;socal;norcal;beverly hills;malibu;santa monica;santa barbara;palm springs;pasadena;key west;fort lauderdale
ft lauderdale;west palm beach;pensacola;tallahassee;gainesville;daytona beach;myrtle beach;asheville;chattanooga;biloxi
lafayette;galveston;waco;flagstaff;provo;cheyenne;billings;fargo;sioux falls;duluth;green bay;lansing;dayton;scranton
harrisburg;hershey;allentown;syracuse;albany;ithaca;hartford;new haven;salem;portsmouth;burlington;bangor;annapolis
dover;wilmington;atlantic city;hoboken;princeton;the poconos;martha's vineyard;nantucket;the hamptons;the catskills
the ozarks;appalachia;the deep south;napa;napa valley;lake tahoe;eugene;olympia;juneau;fairbanks;maui;oahu;kauai;hilo
antarctica;the alps;transylvania;the outer banks;middle east;eastern europe;western europe;the big apple;tx;aspen;vail
fort collins;inverness;topeka;lawrence;springfield;peoria;champaign;bloomington;kalamazoo;saginaw;youngstown;canton
lancaster;charlottesville;roanoke;fredericksburg;alexandria;bethesda;frederick;rockville;macon;athens;augusta;marietta
sarasota;naples;clearwater;fort myers;ocala;santa cruz;san mateo;palo alto;mountain view;cupertino;sunnyvale;berkeley
fremont;hayward;burbank;compton;ventura;redding;chico;bend;medford;bellevue;everett;yakima;missoula;bozeman;helena
rapid city;bismarck;grand forks;cedar rapids;davenport;iowa city;sioux city;wausau;eau claire;appleton;kenosha;racine
windsor;london ontario;kitchener;guelph;kelowna;saskatoon;st. john's;fredericton;moncton;whistler;banff
the florida keys;the rockies;the great lakes;the bible belt;the rust belt;the gulf coast;the desert southwest
""")

MANY_MEANINGS: Final = words(
    "us la mobile nice reading split turkey chad jordan georgia bath mesa queens buffalo lincoln madison gilbert "
    "regina cork cali salvador rio bergen florence victoria charlotte austin sofia alexandria sydney savannah "
    "durham lima china guinea york linz bali goa sf dc mali niger aurora phoenix columbus faro kobe orlando perth "
    "darwin wellington hamilton richmond chandler irving lawrence bend windsor frederick marietta helena salem dover "
    "eugene everett lancaster"
)
"""Places that are more often something else: taken as places only where a place must follow."""
NEVER_ALONE: Final = words(
    "us la mobile nice reading split chad bath mesa queens cork sf dc regina bend niger mali salvador rio"
)
"""Those of them that are something else even after "in"."""

KINDS: Final = words(
    "city town village country countryside farm ranch apartment condo house home suburb suburbs island coast "
    "beach mountains mountain woods forest basement cabin trailer van boat houseboat dorm dorms flat studio loft "
    "mansion cottage attic penthouse hostel hotel shelter area neighborhood neighbourhood county state province "
    "region lake river ocean sea desert valley hills cave castle campus downtown uptown rv bungalow townhouse "
    "duplex shack mobile motorhome tent commune complex capital metropolis place building street block outskirts "
    "borough district ghetto car reservation community bush outback jungle north south east west midwest "
    "northeast northwest southeast southwest treehouse barn swamp igloo tipi"
)

DIRECTIONS: Final = words("in on at near by outside around inside within above across close beside along off next")
"""What stands between "I live" and the place."""
