"""The closed words of English that the grammar of self-description stands on: auxiliaries, adverbs, contractions."""

from typing import Final, Literal

from sojourn.memory.extraction.rules.lexicon import words

Form = Literal["base", "past", "ing"]

MARKS: Final = frozenset(
    {",", ";", ":", "(", ")", "—", "–", "-", "--", "[", "]", "|", "•", "*", "/", "~", '"', "“", "”", "'", "\ufffc", "&"}
)
JOINS: Final = words("and but n an plus also & so though or then")

CONTRACTIONS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("i'm", "im", "iam", "i'am", "i`m", "ím"), ("i", "am")),
    **dict.fromkeys(("i've", "ive"), ("i", "have")),
    "i'd": ("i", "would"),
    "i'll": ("i", "will"),
    **dict.fromkeys(("we're",), ("we", "are")),
    "we've": ("we", "have"),
    "we'd": ("we", "would"),
    "we'll": ("we", "will"),
    **dict.fromkeys(("you're", "youre"), ("you", "are")),
    "you've": ("you", "have"),
    **dict.fromkeys(("don't", "dont"), ("do", "not")),
    **dict.fromkeys(("doesn't", "doesnt"), ("does", "not")),
    **dict.fromkeys(("didn't", "didnt"), ("did", "not")),
    **dict.fromkeys(("can't", "cant", "cannot"), ("can", "not")),
    **dict.fromkeys(("won't", "wont"), ("will", "not")),
    **dict.fromkeys(("isn't", "isnt"), ("is", "not")),
    **dict.fromkeys(("aren't", "arent"), ("are", "not")),
    **dict.fromkeys(("wasn't", "wasnt"), ("was", "not")),
    **dict.fromkeys(("weren't", "werent"), ("were", "not")),
    **dict.fromkeys(("hadn't", "hadnt"), ("had", "not")),
    **dict.fromkeys(("haven't", "havent"), ("have", "not")),
    **dict.fromkeys(("wouldn't", "wouldnt"), ("would", "not")),
    **dict.fromkeys(("couldn't", "couldnt"), ("could", "not")),
    **dict.fromkeys(("shouldn't", "shouldnt"), ("should", "not")),
    "ain't": ("am", "not"),
    "aint": ("am", "not"),
    "it's": ("it", "is"),
    **dict.fromkeys(("that's", "thats"), ("that", "is")),
    "name's": ("name", "is"),
    "he's": ("he", "is"),
    "she's": ("she", "is"),
    "they're": ("they", "are"),
    "where's": ("where", "is"),
    "here's": ("here", "is"),
    **dict.fromkeys(("what's", "whats"), ("what", "is")),
    "favorite's": ("favorite", "is"),
}
DETACHED: Final[dict[str, tuple[frozenset[str], str]]] = {
    "m": (words("i"), "am"),
    "ve": (words("i we you they"), "have"),
    "ll": (words("i we you he she they it"), "will"),
    "d": (words("i we you he she they"), "would"),
    "re": (words("we you they"), "are"),
    "s": (words("it that name what he she where"), "is"),
    "t": (words("don doesn didn can won isn aren wasn haven wouldn couldn shouldn ain"), "not"),
}
"""What an apostrophe that became a space leaves behind: the words it may follow, and what it stands for."""

ADVERBS: Final = words(
    "really just also actually currently still always usually often mostly mainly generally normally sometimes "
    "now absolutely definitely totally truly honestly personally simply certainly probably sure even only "
    "basically recently lately presently already ever especially particularly quite very pretty kinda sorta "
    "typically constantly occasionally frequently finally proudly happily secretly obviously officially originally "
    "too so well yes yeah yep oh hi hello hey ok okay lol haha actully realy rather sincerely genuinely primarily "
    "professionally temporarily legally seriously literally myself both all almost tend rlly def kinda forever"
)
MODALS: Final = words("can could might may must should will shall would would've")
WANTING: Final = words(
    "want wants wanted wanting need needed hope hoping hoped plan planning planned wish wishing going trying "
    "try tried have had got about ready dream aspire aspiring intend looking able supposed used excited "
    "learning learn decided decide start started starting studying"
)
"""Before "to": what follows is not done yet, or not said to be done."""


def _forms() -> dict[str, tuple[str, Form]]:
    table: dict[str, tuple[str, Form]] = {}
    regular = (
        "live work reside dwell stay move relocate love like enjoy adore prefer hate dislike play watch listen "
        "collect cook bake hike dance paint draw garden knit sew crochet study teach attend own manage volunteer "
        "use code program develop build create design drink travel exercise camp gamble shop climb grill record "
        "practice train raise graduate retire major earn serve call name turn settle farm waitress bartend "
        "babysit walk surf ski skate jog craft game photograph meditate bowl juggle commute rent despise loathe "
        "admire appreciate crave follow visit help learn maintain specialize fish hunt race box jump kayak golf "
        "snowboard cycle lift stream gather tutor nurse edit produce perform stock repair fix drop deliver clean "
        "tend coach handle happen believe consider identify describe switch joke die celebrate suffer struggle "
        "need want plan hope try wish speak"
    )
    for verb in regular.split():
        stem = verb.removesuffix("e") if not verb.endswith("ee") else verb
        if verb == "die":
            table.update({"die": (verb, "base"), "died": (verb, "past"), "dying": (verb, "ing")})
            continue
        double = verb + verb[-1] if verb in {"jog", "shop", "knit", "program", "plan", "babysit", "drop"} else None
        past = verb + "d" if verb.endswith("e") else (double or verb) + "ed"
        if verb.endswith("y") and verb[-2] not in "aeiou":
            past = verb[:-1] + "ied"
        table[verb] = (verb, "base")
        table[past] = (verb, "past")
        table[(double or stem) + "ing"] = (verb, "ing")
        table.setdefault((double or stem) + "in", (verb, "ing"))
    irregular = """
        go goes went gone going; read reads read read reading; write writes wrote written writing
        run runs ran run running; eat eats ate eaten eating; swim swims swam swum swimming
        sing sings sang sung singing; grow grows grew grown growing; have has had had having
        get gets got gotten getting; make makes made made making; sell sells sold sold selling
        drive drives drove driven driving; ride rides rode ridden riding; do does did done doing
        know knows knew known knowing; quit quits quit quit quitting; leave leaves left left leaving
        spend spends spent spent spending; come comes came come coming; teach teaches taught taught teaching
        build builds built built building; speak speaks spoke spoken speaking
        become becomes became become becoming; begin begins began begun beginning; lose loses lost lost losing
        buy buys bought bought buying; find finds found found finding; dig digs dug dug digging
        drink drinks drank drunk drinking; stand stands stood stood standing; swear swears swore sworn swearing
        draw draws drew drawn drawing; wear wears wore worn wearing; feel feels felt felt feeling
        say says said said saying; mean means meant meant meaning; fly flies flew flown flying
        keep keeps kept kept keeping; take takes took taken taking; hang hangs hung hung hanging
        see sees saw seen seeing; marry marries married married marrying; bear bears born born bearing
        think thinks thought thought thinking; tell tells told told telling
    """
    for part in irregular.replace("\n", ";").split(";"):
        forms = part.split()
        if forms:
            base, _, past, participle, ing = forms
            table.update({past: (base, "past"), participle: (base, "past"), base: (base, "base"), ing: (base, "ing")})
    return table


FORMS: Final = _forms()
"""Verb forms that the grammar knows, with the plain form of each."""


def kind_of(word: str) -> Form | None:
    """Return which form of a known verb *word* is; None if it is none."""
    known = FORMS.get(word)
    return known[1] if known is not None else None


STOPS: Final = words(
    "i we you u he she it they me us him her them who whom which what where when why how that this these those is "
    "are was were am be been being do does did have has had can could will would should must may might shall and "
    "but or nor so because cause cuz if though although while since until unless than as at in on by for with "
    "from to into onto about over under after before during through without within against between near around "
    "across like too also very really just actually now then there here lol haha hehe yes no not never my your "
    "his its their our mine yours myself yourself lately recently currently sometimes always often usually still "
    "yet already ever even only maybe though yeah oh hi hello hey well ok okay thanks thank please whats what's "
    "you're it's i'm i've that's im ive whats dont thats its a an the tho btw cant wont let lets let's everyday "
    "however anyway right today tonight tomorrow yesterday out up down off away back however despite whenever "
    "wherever once most both such except besides instead together alot am'"
)
"""Words that end a noun phrase."""
DETERMINERS: Final = words(
    "a an the my our some any all this that these those his her their its every most many lots both few"
)
TIMES: Final = words(
    "day days night nights week weeks weekend weekends month months year years morning mornings evening afternoon time "
    "today tonight tomorrow yesterday everyday moment hour hours minute minutes while lately once twice"
)
