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
surveyor swimmer? sysadmin tailor tattooist taxidermist teacher teller tester technician technologist telemarketer
temp tenor therapist tiler toolmaker trader trainee trainer translator treasurer trucker tuner tutor typist umpire
undertaker undergrad underwriter upholsterer usher valet vendor vet veterinarian vicar videographer violinist
volunteer vlogger waiter waitress warden watchmaker weaver webmaster weatherman welder winemaker worker wrestler
writer youtuber zookeeper zoologist pm qa hr ta phd postgrad postgraduate undergraduate freshman sophomore bellhop
docent emt rn cna lpn pharmacologist pensioner retiree veteran sahm homesteader handicapper docent chemist janitress
seller bailiff actuary barrister paperboy busboy deejay streamer stay-at-home aide assembler hairdresser attendant
cobbler oiler porter lead apprentice cadet recruit paratrooper gambler salesclerk salesrep manicurist
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
construction work;property management;social work;child care;childcare
""")

WORKPLACES: Final = words("""
store shop restaurant bakery company business firm bank factory hospital school office warehouse diner cafe café bar
pub salon spa farm ranch studio agency startup clinic hotel museum library bookstore mall market supermarket gym
theater theatre circus university college daycare nursery nursing plant mill garage dealership lab laboratory
pharmacy boutique practice gallery brewery winery vineyard foundation charity nonprofit shelter zoo orchard magazine
newspaper station church daycare casino club motel inn barbershop nightclub kennel blog channel podcast bookshop
florist deli pizzeria kitchen truck industry center centre
""")

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
