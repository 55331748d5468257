"""What people do for pleasure, and what is liked too vaguely to be an interest."""

from typing import Final

from sojourn.memory.extraction.rules.lexicon import words

ACTIVITIES: Final = words("""
sing dance paint draw sketch knit sew crochet garden hike run jog swim surf ski snowboard skate skateboard fish hunt
camp cook bake grill garden write read travel exercise bike cycle climb kayak canoe sail golf bowl box wrestle lift
meditate gamble shop craft quilt sculpt whittle carve collect juggle photograph game stream vlog blog scuba dive
snorkel volunteer scrapbook embroider weave woodwork birdwatch ride race fence skydive party walk act crossfit
sunbathe
film reenact roleplay doodle journal rap drum yodel rollerblade backpack forage geocache cheerlead cosplay tinker thrift
waterski parasail windsurf kitesurf wakeboard paddleboard powerlift bicycle motorbike sled spelunk snowshoe tailgate
daydream gossip recycle redecorate
""")
"""Verbs that state an interest when said of oneself in the present."""

GERUNDS: Final = words("""
singing dancing painting drawing sketching knitting sewing crocheting gardening hiking running jogging swimming
surfing skiing snowboarding skating skateboarding fishing hunting camping cooking baking grilling writing reading
traveling travelling exercising biking cycling climbing kayaking canoeing sailing golfing bowling boxing wrestling
weightlifting meditating gambling shopping crafting quilting sculpting whittling carving collecting juggling
photography gaming streaming vlogging blogging diving snorkeling volunteering scrapbooking horseback riding racing
fencing skydiving partying walking acting clubbing karaoke yoga pilates martial karate judo chess poker tennis
soccer football basketball baseball hockey rugby cricket volleyball badminton softball golf archery parkour rock
rollerblading sledding canning foraging birding stargazing tutoring flying geocaching pottery
calligraphy origami bodybuilding ziplining paintballing drumming beatboxing couponing thrifting homebrewing cosplay
reenacting meditation gymnastics ballet cheerleading lacrosse ping-pong frisbee volley crossword crosswords sudoku
astrology genealogy woodworking
filming tanning gossiping bingo reenactment reenactments skincare journaling podcasting redecorating roleplaying
doodling backpacking bicycling motocross snowshoeing sunbathing waterskiing wakeboarding paddleboarding windsurfing
kitesurfing parasailing rafting spelunking bouldering mountaineering powerlifting crossfit zumba aerobics kickboxing
taekwondo jiu-jitsu jiujitsu mma capoeira handball racquetball polo darts billiards snooker dominoes backgammon scrabble
beekeeping taxidermy metalworking blacksmithing glassblowing beading macrame needlepoint cross-stitch upcycling
winemaking brewing barbecuing tumbling acrobatics unicycling improv standup songwriting rapping deejaying yodeling
metal-detecting tailgating birdwatching hula dodgeball kickball
""")

VAGUE: Final = words("""
it that this these those them him her you me us one ones thing things stuff something anything everything nothing
lot lots kind kinds type types way ways people person someone anyone everyone everybody idea ideas part time life
world day days job work here there much more most same other others fact both all none each many some any bit little
while question answer suggestion suggestions option options advice help see hear know think be have do get go make
try keep start stop say tell ask give take find feel want need like love mom dad mother father parents wife husband
boyfriend girlfriend kids kid children son daughter sister brother brothers sisters family self friend sound look
idea point approach plan name names answer format style version first second last latter former message way how what
when where why who which it's its home place hell heck smell sight
""")
"""Objects of liking that name no interest by themselves."""

TASTE_CATEGORIES: Final = words("""
color colour food foods movie movies film show shows band bands singer artist song songs book books author drink
season sport sports team hobby hobbies animal animals game games genre music subject place thing things pastime
snack dish meal dessert cuisine fruit vegetable candy ice pizza flower holiday month car activity activities
activitys character series novel writer poet actor actress musician instrument restaurant store city country tv
television colors kind type part pet breed beer wine coffee tea brand fav exercise workout topic pasttime past shows
cartoon anime teams group comic comics sandwich
""")

FOODS: Final = words("""
pizza burger burgers hamburger hamburgers cheeseburger cheeseburgers taco tacos burrito burritos sushi pasta
spaghetti lasagna ramen noodles rice curry steak steaks chicken bacon pork beef meat meats ham sausage sausages
hotdog hotdogs fish salmon tuna shrimp lobster crab seafood salad salads soup stew chili sandwich sandwiches bread
toast bagel bagels cheese eggs egg omelet pancakes waffles cereal oatmeal granola yogurt fruit fruits apple apples
banana bananas orange oranges strawberries strawberry blueberries grapes mango papaya pineapple watermelon peaches
cherries avocado avocados vegetables veggies broccoli kale spinach carrots potatoes fries tomatoes cucumbers pumpkin
pumpkins beans tofu hummus falafel pita nuts almonds peanuts cookies cookie cake cakes cupcakes cupcake pie pies
donuts donut doughnuts brownies chocolate candy sweets pretzels chips popcorn crackers cheetos doritos nachos wings
ribs bbq barbecue meatloaf meatballs mac macaroni lettuce pickles mushrooms onions garlic pickle dessert desserts
cheesecake ice-cream gelato muffins muffin croissants honey peanut-butter nutella jello pudding dumplings pho
pierogi kebab gyros paella tapas
quesadilla quesadillas enchiladas fajitas tamales guacamole salsa tortillas ravioli gnocchi risotto pizzas calzone
pepperoni salami prosciutto brisket turkey venison lamb veal oysters clams mussels calamari squid octopus sashimi
tempura teriyaki kimchi dumpling wontons biryani naan samosas tikka masala couscous quinoa lentils chickpeas edamame
cauliflower asparagus zucchini eggplant cabbage celery radishes artichokes olives corn peas jalapenos beets lemons limes
raspberries blackberries cranberries pomegranate kiwi coconut cantaloupe pears plums apricots figs raisins walnuts
cashews pistachios pecans jerky marshmallows licorice lollipops skittles oreos twizzlers snickers caramel fudge truffles
pastries pastry tarts eclairs macarons biscotti biscuits scones crepes tiramisu custard sherbet sorbet popsicles
s'mores frosting syrup ketchup mustard mayo sriracha casserole casseroles gravy coleslaw poutine haggis escargot caviar
snails udon soba chowder gumbo jambalaya grits cornbread meatball bratwurst schnitzel sauerkraut pretzel nuggets
cheesesteak cheesesteaks panini
""")
DRINKS: Final = words("""
coffee espresso latte cappuccino tea beer beers wine wines whiskey whisky vodka rum tequila gin margaritas cocktails
cocktail champagne cider soda coke pepsi sprite lemonade juice milk water kombucha smoothies smoothie milkshakes
cocoa matcha
mocha frappuccino lattes macchiato chai bourbon scotch brandy cognac sake mead ale ales lager stout ipa ipas mimosas
martini martinis margarita mojito mojitos sangria gatorade redbull slushies milkshake eggnog
""")
COLORS: Final = words("""
red blue green yellow orange purple pink black white brown grey gray teal turquoise violet lavender maroon gold
silver magenta indigo cyan beige burgundy
""")
SEASONS: Final = words("winter spring summer fall autumn winters summers springs")
TOPICS: Final = words("""
anime manga netflix youtube comics music movies books novels documentaries comedies cartoons podcasts concerts
theater beach fashion politics history art poetry animals horses nature outdoors rugby nascar ufc jazz reggae opera
musicals astronomy philosophy
sports soccer baseball coding technology psychology mythology folklore plants flowers orchids roses succulents
trains planes airplanes motorcycles robots drones gadgets makeup sneakers jewelry vinyl antiques stamps coins dolls
barbies puppets superheroes dinosaurs vampires zombies dragons unicorns fairies mermaids ghosts aliens planets
thrillers mysteries westerns sitcoms rap techno blues bluegrass gospel disco funk ska edm architecture sculpture sunsets
museums kayaks sailboats tarot crystals fireworks candles
""")
"""What people talk about because they care for it."""
