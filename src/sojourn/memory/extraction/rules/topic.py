"""What an exchange is about: a short noun phrase in the user's words, or nothing if none is named.

Simple and stable: the first phrase that the user asks about, discusses or works on. "Why?", "go on" and thanks name no
topic, and then the one before stays.
"""

import re
from typing import Final

from sojourn.memory.extraction.rules.reading import Reading
from sojourn.memory.extraction.rules.technical_words import IMPERATIVES

MAX_WORDS: Final = 6
_READ: Final = 400

_LEAD: Final = re.compile(
    r"^(?:(?:hey|hi|hello|ok|okay|so|well|now|and|also|then|alright|great|thanks|yes|yeah|no|please|right"
    r"|quick question|but|sure|just|actually|sorry|hm+)\b[\s,:.!–-]*)+",
    re.IGNORECASE,
)
_POLITE: Final = re.compile(
    r"^(?:(?:can|could|would|will)\s+you\s+(?:please\s+|kindly\s+)?|i\s+(?:want|need"
    r"|would\s+like)\s+(?:you\s+)?to\s+|i['’]d\s+like\s+(?:you\s+)?to\s+|help\s+me\s+(?:to\s+|with\s+)?|let['’]?s\s+"
    r"|please\s+|i\s+need\s+help\s+with\s+"
    r"|do\s+you\s+know\s+(?=how|what|why|where|who|when)|i\s+wonder\s+)+",
    re.IGNORECASE,
)
_ABOUT: Final = re.compile(
    r"\b(?:(?<!think )(?<!thinking )about(?!\s+(?:\d|half|how|what|whether|it\b|that\b))"
    r"|help\s+(?:me\s+)?(?:out\s+)?with|regarding|concerning|on\s+the\s+(?:topic|subject)\s+of|(?:essay"
    r"|article|paper|report|post|poem|book|books|podcasts?|lecture|talk|presentation|blog\s+post|research|overview"
    r"|notes|speech|review)\s+(?:on|of))\s+(?P<topic>.+)",
    re.IGNORECASE,
)
_WANTED: Final = re.compile(
    r"\b(?:info|information|tips?|advice|examples?|recommendations?|ideas?|resources?|suggestions?|details|insights?)"
    r"\s+(?:on|for|about|of|regarding)\s+(?P<topic>.+)",
    re.IGNORECASE,
)
"""What is asked for is not the topic; what it is about is."""
_PAIRS: Final = (
    re.compile(
        r".*?\b(?:difference|differences|comparison|choose|choice|decide|choosing)\s+between\s+(?P<one>.+?)\s+(?:and"
        r"|or|vs\.?)\s+(?P<two>.+)",
        re.IGNORECASE,
    ),
    re.compile(r"compar(?:e|ing)\s+(?P<one>.+?)\s+(?:and|with|to|vs\.?|versus|against)\s+(?P<two>.+)", re.IGNORECASE),
    re.compile(r"(?P<one>[\w.+#-]+(?:\s\w+)?)\s+(?:vs\.?|versus)\s+(?P<two>.+)", re.IGNORECASE),
)
_AUX: Final = r"(?:is|are|was|were|does|do|did|can|could|will|would|should|has|have|isn['’]?t|doesn['’]?t|don['’]?t)"
_FORMS: Final = (
    re.compile(
        r"what(?:['’]s|\s+is|\s+are|\s+was|\s+were)\s+(?:new\s+in\s+|it\s+like\s+in\s+)?(?P<topic>.+)", re.IGNORECASE
    ),
    re.compile(r"who(?:['’]s|\s+is|\s+was|\s+are|\s+were)\s+(?P<topic>.+)", re.IGNORECASE),
    re.compile(
        r"(?:explain\s+)?how\s+(?:do|does|did)\s+(?!i\b|we\b|you\b|one\b)(?P<topic>.+?)\s+(?:work|works|function"
        r"|affect|help|compare|differ)\b.*",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:explain|show\s+me|tell\s+me|understand)\s+(?:to\s+me\s+)?how\s+(?P<topic>.+?)\s+(?:work|works|function"
        r"|functions|is|are)\b.*",
        re.IGNORECASE,
    ),
    re.compile(
        r"how\s+(?:do|can|could|should|would|to|did)\s*(?:i|we|you|one)?\s+(?:best\s+|properly\s+"
        r"|quickly\s+)?(?P<verb>\w+)\s+(?:up\s+|out\s+|with\s+|for\s+|on\s+)?(?P<topic>.+)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:why|when|where)\s+{_AUX}\s+(?!i\b|we\b|you\b|it\b|this\b|that\b|they\b)(?P<topic>.+)", re.IGNORECASE
    ),
    re.compile(
        r"(?:where|what|which)\s+(?:can|could|should|do|would)\s+(?:i|we|you)\s+(?:\w+)\s+(?P<topic>.+)", re.IGNORECASE
    ),
    re.compile(
        r"i\s+(?:have|am\s+having|had|['’]m\s+having)\s+(?:a\s+|some\s+)?(?:question|trouble|problem|problems|issue"
        r"|issues|difficulty)\s+(?:with|about|on)\s+(?P<topic>.+)",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:i['’]?m|i\s+am|we['’]?re|we\s+are)\s+(?:currently\s+)?(?:working\s+on|building|writing|developing"
        r"|making|learning|studying|planning|designing|debugging|preparing(?:\s+for)?)\s+(?P<topic>.+)",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:i['’]?m|i\s+am|we['’]?re|we\s+are)\s+(?:\w+\s+)?(?:planning|trying|hoping"
        r"|looking)\s+to\s+\w+\s+(?P<topic>.+)",
        re.IGNORECASE,
    ),
    re.compile(r"(?:are|is)\s+there\s+(?:any|some|a|an)?\s*(?P<topic>.+)", re.IGNORECASE),
    re.compile(r"do\s+you\s+(?:have|know)\s+(?:any|some|a|an|of)\s+(?P<topic>.+)", re.IGNORECASE),
    re.compile(r"(?:i['’]?m|i\s+am)\s+looking\s+for\s+(?P<topic>.+)", re.IGNORECASE),
    re.compile(r"i\s+need\s+(?P<topic>(?:a|an|the|some)\s+.+)", re.IGNORECASE),
    re.compile(r"(?:i\s+(?:want|need)\s+to|i['’]d\s+like\s+to)\s+(?:\w+)\s+(?P<topic>.+)", re.IGNORECASE),
    re.compile(
        r"(?:talk|discuss|speak|look\s+(?:into|up|at)|dig\s+into|work\s+on|find\s+out)\s+(?P<topic>.+)", re.IGNORECASE
    ),
    re.compile(r"(?:is|are|does|do|did|has|was|were)\s+(?P<topic>(?:the|my|our|a|an)\s+.+)", re.IGNORECASE),
)
_STATEMENT: Final = re.compile(
    r"(?P<topic>(?:the|my|our)\s+(?:[\w.+#/-]+\s+){0,3}?[\w.+#/-]+)\s+(?:is|are|was|keeps?|fails?|failed|crash(?:es"
    r"|ed)?|doesn['’]?t|don['’]?t|isn['’]?t|won['’]?t|returns?|takes?|throws?|stopped|needs?|has|have|shows?)\b.*",
    re.IGNORECASE,
)
_CUT: Final = re.compile(
    r"\s*(?:[,;:!?(]|\.(?:\s|$)|\n|\s[-–—]\s|\s(?:so|because|that|which|who|whose|when|where|if|while|but|using"
    r"|please|and\s+(?:\w+ing\b|i|we|it|then|how|what|why|also|write|tell|explain|print)|since|than|before|after"
    r"|until|via"
    r"|instead"
    r"|are\s|is\s|was\s|were\s|keeps?\s|should|would|could|will|can|do\s|does\s|i\s|we\s|you\s|he\s|they\s|failing"
    r"|crashing|so\s+that|to\s+(?!\w+$)(?!(?:the\s)?[A-Z]))\b).*$",
    re.IGNORECASE | re.DOTALL,
)
_PREPOSITION: Final = re.compile(r"\s(?:into|from|as|by|with|without|at|to|per|for|in|on)\s.*$", re.IGNORECASE)
_DETERMINER: Final = re.compile(
    r"^(?:(?:the|a|an|my|our|your|this|these|those|that|some|any|all|me|us|one|another|its|something|anything|more"
    r"|of|good|nice|it)\s+)+",
    re.IGNORECASE,
)
_NOTHING: Final = frozenset({
    "it", "this", "that", "these", "those", "them", "they", "one", "ones", "something", "anything", "nothing",
    "everything", "more", "again", "all", "else", "here", "there", "now", "then", "you", "me", "him", "her", "us",
    "i", "we", "he", "she", "thing", "things", "way", "ways", "stuff", "same", "other", "another", "what", "why",
    "how", "which", "who", "yes", "no", "ok", "up", "down", "on", "off", "out", "over", "first", "second", "third",
    "next", "last", "best", "worst", "better", "point", "matter", "problem", "question", "help", "today", "tomorrow",
    "day", "time", "wrong", "right", "good", "bad", "great", "fine", "true", "sure", "fun", "funny", "correct",
    "mind", "sense", "deal", "favor", "favour", "hand", "name", "idea", "ideas", "answer", "part", "mean", "meaning",
    "start", "begin", "stop", "go", "work", "shorter", "longer", "yourself", "myself", "different", "simpler",
    "clearer", "option", "options", "version", "reason", "ahead", "done", "going", "doing", "happening", "story",
    "step", "steps", "know", "once", "tips", "tip", "info", "information", "advice", "examples", "example",
    "recommendations", "experience", "thoughts", "suggestions", "similar", "list",
})  # fmt: skip
_PRONOUN: Final = frozenset(
    {"it", "them", "you", "you've", "you're", "i", "i'm", "i've", "me", "we", "they", "he", "she"}
)
_NO_START: Final = frozenset({"to", "similar", "specific", "where", "how", "what", "whether", "details", "halfway"})
_ASKED_FOR: Final = frozenset({
    "tips", "recommendations", "resources", "websites", "insights", "suggestions", "ideas", "details", "advice",
    "how",
})  # fmt: skip
_TRAILING: Final = frozenset({
    "for", "in", "on", "at", "of", "to", "with", "and", "or", "by", "the", "a", "an", "from", "as", "into", "fast",
    "quickly", "again", "please", "now", "today", "work", "works", "built", "made", "failing", "not", "is", "are",
})  # fmt: skip


def topic_of(reading: Reading) -> str | None:
    """Return what the message is about, in a few of its own words: what is asked before what is told."""
    said = []
    for sentence in reading.sentences[:6]:
        end = min(sentence.end, sentence.start + _READ)
        text = " ".join(reading.prose[sentence.start : end].replace("\ufffc", " ").split())
        said.append((_rank(text, sentence.mark), text))
    for _, text in sorted(said, key=lambda ranked: ranked[0]):
        if (topic := _of_sentence(text)) is not None:
            return topic
    return None


def _rank(text: str, mark: str) -> int:
    """Return 0 for a question, 1 for a request, 2 for what is told."""
    if "?" in mark:
        return 0
    plain = _LEAD.sub("", text)
    first = re.match(r"[A-Za-z]+", plain)
    return 1 if _POLITE.match(plain) or (first and first.group().lower() in IMPERATIVES) else 2


def _of_sentence(text: str) -> str | None:
    plain = _LEAD.sub("", text)
    bare = _POLITE.sub("", plain)
    if len(plain.split()) < 2:
        return None
    for pattern in _PAIRS:
        if (
            (pair := pattern.match(bare))
            and (one := _phrase(pair["one"]))
            and (two := _phrase(pair["two"], short=True))
        ):
            joined = f"{one} and {two}"
            return joined if len(joined.split()) <= MAX_WORDS + 1 else one
    if (about := _ABOUT.search(plain)) and (topic := _phrase(about["topic"])):
        return topic
    if (wanted := _WANTED.search(bare)) and (topic := _phrase(wanted["topic"])):
        return topic
    for pattern in _FORMS:
        if match := pattern.match(bare):
            return _phrase(match["topic"])
    first = re.match(r"[A-Za-z]+", bare)
    if first and first.group().lower() in IMPERATIVES:
        rest = re.sub(r"^(?:up|out|down|into|at|for|on)\s+", "", bare[first.end() :].strip(), flags=re.IGNORECASE)
        return _phrase(rest)
    statement = _STATEMENT.match(bare)
    return _phrase(statement["topic"]) if statement else None


def _phrase(text: str, *, short: bool = False) -> str | None:
    """Return *text* as a noun phrase: cut where another clause begins, without determiners, at most a few words."""
    cut = _CUT.sub("", text.strip())
    cut = _DETERMINER.sub("", cut).strip(" \"'“”.,:*#")
    words = cut.split()
    if len(words) > MAX_WORDS or short:
        words = _PREPOSITION.sub("", cut).split()[:MAX_WORDS]
    while words and words[-1].lower() in _TRAILING and not (len(words) > 1 and words[-2].endswith(("'", "’"))):
        words.pop()
    if (
        not words
        or all(word.lower().strip("'’") in _NOTHING for word in words)
        or words[0].lower()
        in _NOTHING
        - {
            "first",
            "second",
            "third",
            "best",
            "question",
            "name",
            "start",
            "step",
            "work",
            "time",
            "day",
            "better",
            "good",
            "bad",
            "right",
            "other",
            "same",
            "next",
            "last",
            "meaning",
            "story",
        }
    ):
        return None
    if _PRONOUN.intersection(word.lower() for word in words) or words[0].lower() in _NO_START:
        return None
    if words[-1].lower() in _ASKED_FOR or re.fullmatch(r"(?:\d+|two|three|four|five|six|ten)\s\w+", " ".join(words)):
        return None
    phrase = " ".join(words)
    return phrase if re.search(r"[^\W\d_]{2}", phrase) else None
