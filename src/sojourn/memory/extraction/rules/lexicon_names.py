"""Given names, so that "i am ana" is read as a name and "i am tired" is not, and what is said after "I am" instead."""

from typing import Final

from sojourn.memory.extraction.rules.lexicon import words

GIVEN_NAMES: Final = words("""
aaron abby abdul abdullah abel abigail abraham ada adam adele adeline adrian adriana agnes ahmed aidan aiden aisha
akira alan alana albert alberto alec alejandra alejandro alex alexa alexander alexandra alexis alfie alfred ali
alice alicia alina alisha alison alistair allan allen allison alma alvin alyssa amal amanda amara amber amelia amina
amir amit amy ana anastasia anders andre andrea andreas andrei andres andrew andy angel angela angelica angelina
angie anil anita anja ankit ann anna annabel anne annette annie anthony anton antonia antonio anya april archie aria
ariana arjun arlene arnold arthur arturo ashley astrid aubrey audrey august aurora austin ava avery axel barbara
barry beatrice beatriz becky belinda bella ben benedict benjamin bennett bernadette bernard bert bertha beth bethany
betsy betty beverly bianca bill billy bjorn blake bob bobby bonnie boris brad bradley brady brandi brandon brenda
brendan brent brett brian brianna bridget brittany brooke bruce bruno bryan bryce caitlin caleb calvin cameron
camila camille candace carina carl carla carlos carmen carol carolina caroline carolyn carrie carter casey cassandra
cassidy cassie catalina caterina catherine cathy cecilia cecile cedric celeste celia chad chandra charlene charles
charlie charlotte chelsea cheryl chester chloe chris christa christian christina christine christopher chuck cindy
claire clara clarence clarissa claude claudia clayton clemens clement cleo cliff clifford clint clinton clyde cody
colin colleen connie connor conrad cora corey cornelia cory courtney craig cristian cristina crystal curtis cynthia
daisy dale dalia damian damien damon dan dana dani daniel daniela danielle danny daphne darius darlene darrell
darren daryl dave david dawn dean deanna debbie deborah debra deepak delia della delores denis denise dennis derek
derrick desmond devin devon dexter diana diane diego dieter dimitri dina dirk dmitri dolores dominic dominik
dominique don donald donna dora doreen doris dorothy doug douglas drew duncan dustin dwayne dylan earl eddie edgar
edith edmund eduardo edward edwin eileen ekaterina elaine eleanor elena eli elias elijah elisa elisabeth elise eliza
elizabeth ella ellen ellie elliot elliott elmer eloise elsa elsie elvira emil emilia emilio emily emma emmanuel
enrico enrique eric erica erick erik erika erin ernest ernesto esmeralda esteban estelle esther ethan ethel eugene
eva evan eve evelyn ezra fabian fabio faith farah fatima federico felicia felix fernando fiona flora florence
florian fran frances francesca francesco francis francisco franco frank frankie franz fred freddie freddy frederick
frieda fritz gabriel gabriela gabrielle gail gareth gary gavin gene genevieve geoff geoffrey george georgia georgina
gerald geraldine gerard gilbert gina giorgio giovanna giovanni giulia gladys glen glenda glenn gloria gordon grace
graham grant greg gregory greta gretchen guido guillermo gunther gus gustavo guy gwen gwendolyn hailey hal hamza
hank hanna hannah hans harold harriet harris harry harvey hassan hazel heather hector heidi heinrich helen helena
helga henrik henry herbert herman hilary hilda holly homer howard hubert hugh hugo ian ibrahim ida igor ike ilse
imran ines ingrid ira irene iris irina irma irving isaac isabel isabella isaiah ismael ivan ivy jack jackie jackson
jacob jacqueline jade jaime jake james jamie jan jana jane janet janice jared jasmine jason javier jay jayden jayla
jean jeanette jeanne jeff jeffrey jen jenna jennifer jenny jens jeremiah jeremy jermaine jerome jerry jesse jessica
jessie jesus jill jillian jim jimmy jin jo joan joanna joanne jocelyn jodi jody joe joel joey johan johann johanna
john johnathan johnny jon jonah jonas jonathan jordan jorge jose josef joseph josephine josh joshua josie joy joyce
juan juana juanita judith judy julia julian juliana julie juliet juliette julio julius june justin justine kai
kaitlyn kara karen karim karin karina karl karla kasper kat kate katelyn katerina katherine kathleen kathryn kathy
katie katrina katy kay kayla keith kelley kelly kelsey kelvin ken kendra kenji kenneth kenny kent kerry kevin khalid
kim kimberly kirk kirsten klaus kofi krista kristen kristin kristina kristine kurt kyle kylie lana lance lara
larissa larry lars laszlo latoya laura lauren laurence laurie lea leah leandro lee leila leland lena leo leon leona
leonard leonardo leroy leslie lester leticia levi lewis liam lila lilian liliana lillian lily lina linda lindsay
lindsey linus lionel lisa liz liza lloyd logan lois lola lonnie lora lorena lorenzo loretta lori lorraine lou louie
louis louisa louise luca lucas lucia luciana lucille lucy luigi luis luisa luka lukas luke luna luther lydia lyle
lynette lynn lynne mabel mack madeleine madeline madison mae maggie magnus malcolm malik mandy manuel mara marc
marcel marcela marcia marcia marco marcos marcus margaret margarita margie margo maria mariah marian mariana marie
mariel marilyn marina mario marion marisa marisol marissa marjorie mark markus marla marlene marlon marsha marshall
marta martha martin martina marty marvin mary maryam mateo mathew mathias mathilde matt matteo matthew matthias
maureen maurice max maxine maxwell maya megan mehmet mei melanie melinda melissa melody melvin mercedes meredith mia
micah michael michaela micheal michele michelle miguel mika mike mikhail mila mildred miles milo mina mindy minh
miranda miriam mitch mitchell moe mohamed mohammed mohammad moira molly mona monica monika monique morgan morris
moses muhammad muriel myra myrtle nadia nadine nancy naomi nasser nat natalia natalie natasha nate nathan nathaniel
neal ned neha neil nell nellie nelson nicholas nick nicky nico nicola nicolas nicole nigel nikhil nikita nikki
nikolai nikos nils nina noah noel noelle nora norbert noreen norma norman octavia olga oliver olivia olaf ollie omar
opal ophelia orlando oscar otto owen pablo paige pam pamela paola pat patricia patrick patty paul paula paulina
pauline paulo pearl pedro peggy penelope penny percy pete peter petra phil philip philippa phillip phoebe phyllis
pierre piotr polly priscilla priya quentin quincy quinn rachael rachel rafael raffaella rahul raj rajesh ralph ramon
ramona randall randy raquel rashid raul ravi ray raymond rebecca reggie regina reginald reid rekha rene renee rex
rhonda ricardo rich richard rick ricky riley rita rob robert roberta roberto robin rochelle rodney rodrigo roger
roland roman romeo ron ronald ronnie rory rosa rosalie rosalind rosanna rose rosemary rosie ross roxanne roy ruby
rudolf rudy rufus rupert russ russell ruth ryan sabine sabrina sadie sal sally salma salvador sam samantha samir
sammy samuel sandeep sandra sandy sanjay santiago sara sarah sasha saul savannah scott sean sebastian selena selma
serena sergei sergio seth shane shannon shari sharon shaun shawn sheila shelby sheldon shelley shelly sherri sherry
shirley sid sidney siegfried sienna silvia simon simone sofia sofie sonia sonja sonya sophia sophie spencer stacey
stacy stan stanley stefan stefania stefano stella stephan stephanie stephen steve steven stuart sue sunita susan
susanna susanne susie suzanne svetlana sven sydney sylvia tabitha takeshi tamara tammy tanya tara tariq tasha
tatiana taylor ted teddy terence teresa terri terry tess tessa thea thelma theo theodore theresa thomas tiffany tim
timothy tina tobias toby todd tom tomas tommy toni tonya tony tracey traci tracy travis trent trevor tricia trina
trisha trudy tyler tyrone ulrich ulrike uma ursula val valentina valeria valerie vanessa vera verena vernon veronica
vicki vicky victor victoria vijay vikram vince vincent viola violet virgil virginia vivian vladimir wade wallace
walt walter wanda warren wayne wendell wendy werner wesley wilbur wilhelm will willa willard william willie wilma
winifred winston wolfgang wyatt xavier yasmin yolanda yosef yuki yumi yuri yusuf yves yvette yvonne zach zachary
zack zara zoe zoey jovan giovanni jojo rach lexi becca gabby manny mel meg kris steph val vic abe al ed hope sakura
haruto ren wei ming jing hiroshi kenta mehdi leyla layla zainab khadija kwame ama chidi ngozi amara adaeze
""")
"""Given names in common use, in lower case. Those that are also common words ("will", "mark", "may") count as names
only where nothing else is possible."""

AMBIGUOUS: Final = words(
    "will mark grace hope faith joy may june april august dawn rose ruby pearl violet ivy daisy jade amber "
    "crystal melody angel christian destiny chance chase frank rich drew pat bill rob jack don art gene guy jay "
    "ray max grant miles austin dallas jordan sydney florence georgia virginia carolina madison paris chelsea "
    "brooklyn savannah israel chad lance earl dean major rusty sandy sunny happy harmony lucky penny candy bella "
    "angel al val mel roman norman german victor hunter carter cooper taylor mason parker porter spencer tanner "
    "tyler walker sawyer archer noel opal robin jo ed so ali an ren wei ming cliff clay dale glen reed stone wade "
    "heath forest brook"
)

NOT_NAMES: Final = words("""
a an the so very not just really also too still now here there back home sure sorry fine good great ok okay well bad
better best happy sad tired hungry thirsty bored busy free ready done finished late early new old young single
married divorced engaged pregnant sick ill healthy alone lonely afraid scared nervous anxious excited glad proud
angry mad upset confused lost stuck broke rich poor fat thin tall short male female gay straight bi bisexual lesbian
trans american british english canadian german french italian spanish mexican chinese japanese indian irish scottish
russian polish dutch asian african european australian brazilian korean vietnamese catholic christian muslim jewish
vegan vegetarian deaf blind disabled retired unemployed employed self freelance freelancing in on at from to into
about of with for by under over out up down off between near around going trying looking working living doing having
getting thinking making taking using writing reading wondering hoping planning learning studying playing watching
feeling eating drinking sitting listening running building happy-go-lucky allergic interested curious serious
kidding joking aware able unable willing used supposed allowed born based located more less most least much many all
both half only even always never often usually sometimes currently actually basically literally totally pretty quite
rather kinda sorta kind sort like as if when while because batman superman spiderman god jesus satan santa nobody
somebody someone everyone anyone one two three four five six seven eight nine ten twenty thirty forty fifty me you
him her them us it that this these those my your his their our what who where why how which whatever dying obsessed
addicted passionate fond familiar guilty grateful thankful hopeful worried stressed exhausted depressed annoyed
frustrated impressed surprised shocked amazed blessed lucky jealous shy introverted extroverted outgoing quiet loud
funny weird strange crazy insane normal average awesome amazing wonderful fantastic terrible horrible awful certain
positive confident comfortable responsible independent strong weak smart dumb stupid clever lazy active creative
artistic athletic fluent native bilingual diabetic asthmatic sober drunk high clean dirty hot cold warm cool
freezing starving full awake asleep an' yes no yeah yep nope hi hello hey thanks thank please lol haha hmm oh wow ah
um uh er well anyway however though but and or nor left right wrong correct true false real fake human robot ai bot
open closed available online offline away present absent gone everything nothing something anything today tonight
tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday mom dad mum mother father son daughter
girl boy man woman guy lady kid child adult teen teenager student teacher nurse doctor vegetarian pescatarian
republican democrat liberal conservative gonna gotta wanna down-to-earth middle-aged senior junior expecting moving
leaving coming heading calling asking telling talking speaking saying planning considering choosing deciding
visiting getting staying starting stopping finishing enjoying loving liking hating needing wanting missing waiting
dating seeing sleeping driving walking cooking cleaning shopping hiking traveling travelling training teaching
coding programming developing designing debugging deploying located relocating recovering struggling suffering
dealing handling managing leading helping supporting volunteering serving unsure unable unaware unhappy unlucky
impatient patient kind nice mean friendly polite rude honest open-minded forgetful clumsy adopted widowed separated
blond blonde brunette bald hispanic latino latina black white brown mixed autistic dyslexic bipolar celiac
""")
"""What follows "I am" and is not a name, however it is written."""

TITLES: Final = words("mr mrs ms miss dr prof professor sir madam")
