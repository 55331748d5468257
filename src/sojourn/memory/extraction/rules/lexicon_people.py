"""The people and animals around somebody, what may be wrong with one's health, what one drives and speaks."""

from typing import Final

from sojourn.memory.extraction.rules.lexicon import phrases, words

RELATIONS: Final[dict[str, str]] = {
    **dict.fromkeys(
        words(
            "wife husband spouse partner girlfriend boyfriend fiancé fiancée fiance fiancee mother father brother "
            "sister son daughter grandmother grandfather aunt uncle cousin niece nephew roommate boss manager "
            "colleague neighbor friend grandson granddaughter stepson stepdaughter twin flatmate mentor teacher "
            "landlord coworker co-founder cofounder stepmother stepfather ex-wife ex-husband baby"
        ),
        "",
    ),
    **dict.fromkeys(("mom", "mum", "mommy", "mama"), "mother"),
    **dict.fromkeys(("dad", "daddy", "papa"), "father"),
    **dict.fromkeys(("grandma", "granny", "nana"), "grandmother"),
    "grandpa": "grandfather",
    "bf": "boyfriend",
    "gf": "girlfriend",
    "bro": "brother",
    "sis": "sister",
    "hubby": "husband",
    "kid": "child",
    "child": "child",
    "neighbour": "neighbor",
}
"""How people call those around them, with the plain word where theirs is another."""

PETS: Final = words(
    "dog cat puppy kitten parrot hamster rabbit bunny horse pony turtle tortoise snake lizard iguana gecko fish "
    "goldfish bird canary budgie guinea pig ferret chinchilla rat mouse hedgehog poodle labrador beagle corgi "
    "retriever bulldog terrier husky collie dachshund chihuahua pug boxer spaniel shepherd siamese goat cow "
    "chicken duck donkey llama alpaca parakeet cockatiel"
)
PETS_MANY: Final = {
    **{f"{pet}s": pet for pet in PETS if pet not in {"mouse", "fish"}},
    "puppies": "puppy",
    "ponies": "pony",
    "bunnies": "bunny",
    "mice": "mouse",
    "fish": "fish",
    "huskies": "husky",
}
CHILDREN: Final = words(
    "kids children sons daughters kid child son daughter baby twins grandchildren grandkids grandson "
    "granddaughter boys girls toddler toddlers"
)
SIBLINGS: Final = words("brothers sisters siblings brother sister sibling")

DIETS: Final = phrases(
    "vegan;vegetarian;pescatarian;gluten free;gluten-free;lactose intolerant;keto;kosher;halal;paleo;dairy free;"
    "dairy-free;low carb;flexitarian;a vegan;a vegetarian;a pescatarian;celiac;coeliac;a meat eater;a carnivore;"
    "plant based;plant-based"
)
CONDITIONS: Final = phrases("""
diabetes;type 1 diabetes;type 2 diabetes;asthma;adhd;add;ocd;autism;epilepsy;arthritis;rheumatoid arthritis
fibromyalgia;anxiety;depression;ptsd;migraines;migraine;insomnia;dyslexia;hypertension;high blood pressure
low blood pressure;cancer;breast cancer;celiac disease;crohn's disease;crohns;ibs;lupus;ms;multiple sclerosis
parkinson's;parkinsons;bipolar disorder;tinnitus;eczema;psoriasis;glaucoma;scoliosis;a bad back;back pain
chronic pain;chronic fatigue;a heart condition;endometriosis;pcos;sleep apnea;vertigo;gout;hay fever;social anxiety
panic attacks;a pacemaker;hearing loss;color blindness;narcolepsy;anemia;hypothyroidism;asperger's;aspergers
tourette's;long covid;a disability
""")
STATES: Final = phrases(
    "diabetic;asthmatic;deaf;blind;color blind;colour blind;colorblind;autistic;dyslexic;epileptic;bipolar;"
    "pregnant;in a wheelchair;left handed;left-handed;anemic;hard of hearing;an alcoholic;"
    "a recovering alcoholic;disabled;legally blind;nearsighted"
)
MARITAL: Final = phrases(
    "married;single;divorced;engaged;widowed;separated;happily married;recently divorced;newly married;"
    "recently married;newly single;a widow;a widower;a bachelor"
)
FAITHS: Final = phrases(
    "catholic;christian;muslim;jewish;hindu;buddhist;atheist;agnostic;mormon;protestant;sikh;an atheist;"
    "a christian;a muslim;a catholic;a buddhist;a jew;orthodox;lutheran;baptist;methodist;a mormon"
)
NATIONS: Final = words(
    "american british english scottish welsh irish canadian australian german french italian spanish portuguese "
    "dutch belgian swiss austrian swedish norwegian danish finnish icelandic polish czech slovak hungarian "
    "romanian bulgarian serbian croatian bosnian slovenian albanian greek turkish russian ukrainian lithuanian "
    "latvian estonian georgian armenian israeli lebanese syrian iraqi iranian persian egyptian moroccan tunisian "
    "algerian nigerian ghanaian kenyan ethiopian indian pakistani bangladeshi nepali chinese taiwanese japanese "
    "korean vietnamese thai filipino indonesian malaysian singaporean mexican brazilian argentinian argentine "
    "chilean colombian peruvian venezuelan cuban jamaican haitian hawaiian kiwi dominican ecuadorian bolivian "
    "somali sudanese afghan kazakh"
)
TONGUES: Final = words(
    "english spanish french german italian portuguese dutch swedish norwegian danish finnish icelandic polish "
    "czech slovak hungarian romanian bulgarian serbian croatian slovenian albanian greek turkish russian "
    "ukrainian lithuanian latvian estonian georgian armenian hebrew arabic persian farsi hindi urdu bengali "
    "punjabi tamil telugu mandarin cantonese chinese japanese korean vietnamese thai tagalog indonesian malay "
    "swahili amharic yoruba igbo hausa zulu afrikaans catalan basque galician welsh irish gaelic latin esperanto "
    "nepali sinhala kurdish pashto kazakh uzbek mongolian hawaiian asl"
)
CARS: Final = words(
    "toyota honda ford chevy chevrolet nissan bmw mercedes audi volkswagen vw tesla subaru mazda kia hyundai jeep "
    "dodge chrysler volvo porsche ferrari lamborghini lexus acura infiniti cadillac buick pontiac gmc ram mini "
    "fiat renault peugeot citroen skoda seat opel jaguar bentley mustang corvette camaro civic accord corolla "
    "camry prius pickup truck minivan van suv sedan convertible hatchback coupe motorcycle motorbike harley moped "
    "scooter car jetta golf beetle wrangler impala tacoma focus fiesta rav4 outback altima yamaha kawasaki ducati "
    "vespa rivian polestar dacia suzuki mitsubishi lincoln saab"
)
BELONGINGS: Final = words(
    "macbook laptop iphone android ipad pc mac thinkpad playstation xbox switch piano guitar violin drums "
    "telescope camera house apartment condo cabin boat sailboat yacht rv camper farm garden motorhome bike "
    "bicycle kindle printer drone treadmill pool greenhouse tattoo tattoos kayak canoe typewriter desktop "
    "chromebook pixel"
)
ZONES: Final = words(
    "utc gmt cet cest est edt cst cdt mst mdt pst pdt bst ist jst aest aedt eet eest wet msk hst akst pacific "
    "eastern central mountain"
)
