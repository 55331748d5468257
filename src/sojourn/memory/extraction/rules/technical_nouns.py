"""The parts of a technical statement: can this be what it is about, is that something worth remembering?"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sojourn.memory.extraction.rules.technical_words import NOT_SUBJECTS, STATES, THINGS, TOOLS, VAGUE


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What an assertion says: *subject* as it was said, with its determiner, *verb*, *value*, how sure its form is."""

    subject: str
    verb: str
    value: str
    sureness: float
    attribute: str = ""
    removes: bool = False


Form = tuple[re.Pattern[str], Callable[["re.Match[str]"], list[Said]]]
"""A way to state something, and what reads it."""

ADVERB: Final = r"(?:now|currently|already|also|still|just|actually|always|usually|only|mostly|officially|both|all)"
_NUMBER_WORDS: Final = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|fifty|hundred|half|dozen)"
)
NUMBER: Final = re.compile(rf"\d|\b{_NUMBER_WORDS}\b", re.IGNORECASE)
_DAY: Final = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?\s+\d|tomorrow|tonight|noon"
    r"|midnight|q[1-4]|end\s+of\s+(?:the\s+)?(?:week|month|year"
    r"|quarter))\b",
    re.IGNORECASE,
)
CODE: Final = re.compile(
    r"(?:^|[\s(])(?:~?/[\w.-]+(?:/[\w.-]*)*|\w+(?:/[\w.-]+)+|[A-Za-z]:\\\S+|@[\w-]+/[\w-]+|https?://\S+|[a-z]+_\w+|[a-z]+[A-Z]\w*"
    r"|[\w-]+\.[\w.-]*[a-z]{2,}|[a-z]+-[a-z]+-?\d+|[A-Z][A-Z0-9_]+|[a-z]+\d\w*|\([\w, ]+\))"
)
OPINION: Final = re.compile(
    r"(?:very|too|so|really|quite|pretty|not|never|no|great|slow|slower|fast|faster|good|bad|better|worse|best|worst"
    r"|broken"
    r"|down|being|going|trying|getting|supposed|like|that|what|why|how|because|to|important|hard|easy|more|less|much"
    r"|almost"
    r"|you|never|always|often|usually|typically|probably|maybe|likely|my|your|just|only\s+a|known|used|considered"
    r"|designed"
    r"|one\s+of|from\s|meant|tough|weird|confusing|complicated|expensive|cheap|essential|crucial|worth|ideal|perfect"
    r"|nice|awesome|horrible|terrible|amazing|the\s+(?:best|worst|same|most"
    r"|problem|issue|only|one|first|last|next|reason|right|wrong)|(?!running|listening|using)\w+ing)\b",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(
    r"\s*(?:,\s*(?:anything|everything|nothing|the|we|it|they|this|i|you|please|otherwise|except|ask|mostly|not|so"
    r"|because|which|that|but|if|since|as|and|though|unless|right|thanks|ok|lol)\b.*"
    r"|\s(?:because|so\s+that|so\s+(?=ask|please|don)|which|but|since\s+(?!\d|january|february|march|april|may|june"
    r"|july|august|"
    r"september|october|november|december|last|yesterday|monday)|btw|lol|now|atm|at\s+the\s+moment|right\s+now"
    r"|currently|"
    r"these\s+days|already|for\s+now|any\s?more|as\s+well|too|instead|not\s+\S+|by\s+the\s+way|FYI|for\s+(?:us|me)"
    r"|with\s+us|this\s+morning|yesterday|"
    r"last\s+(?:week|month|year|night))\b(?!\s+\w+\s+\w).*|\s+and\s+it\s.*|[\s,;:.!]+)$",
    re.IGNORECASE,
)
WORD: Final = re.compile(r"[\w'’.+#/@-]+")
DETERMINER: Final = re.compile(r"(?:the|our|my|your|this|that|these|those|a|an|all|both)\s+", re.IGNORECASE)
_AFTER_HEAD: Final = re.compile(
    r"\s(?:of|for|in|on|at|from|to|with|that|which|we|per|under|behind|between|by)\s", re.IGNORECASE
)
_EXACT: Final = re.compile(
    r"https?://|(?:^|\s)~?/\w+/|\b\d{1,3}(?:\.\d{1,3}){3}\b|\bv?\d+\.\d+\.\d+|\d\s?(?:[KMGT]i?B|ms|rps|Hz|vCPUs?)\b"
)
"""Values that only the work has: addresses, paths, versions, sizes."""
_RELATIVE: Final = re.compile(
    r"^(?P<subject>(?:the|our|my|your)\s[\w -]{2,50}?)\s+(?:that\s+|which\s+)?(?:we|i)(?:['’]ve"
    r"|['’]re)?\s+(?:\w+\s+){0,2}?[\w-]+"
    r"(?=\s+(?:is|are)\s)",
    re.IGNORECASE,
)
_PREPOSITIONS: Final = frozenset({"in", "on", "at", "for", "with", "of", "about", "after", "before", "without"})
MAX_SUBJECT: Final = 9
MAX_VALUE: Final = 16
_MAX_VALUE_LENGTH: Final = 300


def is_concrete(value: str) -> bool:
    """Tell whether *value* holds a number, a date, a name or something spelled like code: something to remember."""
    if NUMBER.search(value) or _DAY.search(value) or CODE.search(value):
        return True
    words = WORD.findall(value)
    if not words:
        return False
    if words[0].lower() in STATES and len(words) <= MAX_SUBJECT:
        return True
    return any(word[0].isupper() or word.lower().rstrip(".,") in TOOLS for word in words if word not in {"I", "I'm"})


def names_tool(value: str) -> bool:
    """Tell whether *value* names some known technology."""
    return any(word.lower() in TOOLS for word in WORD.findall(value))


def is_time(value: str) -> bool:
    """Tell whether *value* is a day or a time rather than a place."""
    return bool(
        _DAY.search(value)
        or re.search(
            r"\d:\d|\b(?:(?:every|each)\s+\w+|daily|weekly|monthly|nightly|hourly|minutes?|hours?|days?|weeks?|months?|years?)\b",
            value,
        )
    )


def head_of(subject: str) -> str:
    """Return the noun that *subject* is about, in one case: "limit" for "the rate limit of our API"."""
    bare = DETERMINER.sub("", subject, count=1)
    core = _AFTER_HEAD.split(bare, maxsplit=1)[0]
    words = [word.lower() for word in WORD.findall(core)]
    return words[-1] if words else ""


def is_subject(subject: str, value: str = "") -> bool:
    """Tell whether *subject* names something of the work that can be told from other things.

    What a *value* such as an address or a path is said of belongs to the work, whatever it is called.
    """
    words = [word.lower().replace("’", "'") for word in WORD.findall(subject)]
    if not words or len(words) > MAX_SUBJECT or re.search(r"[,;:?!]", subject):
        return False
    if words[0] in {"that", "this", "these", "those"} and len(words) > 1:
        words = words[1:]
    if words[0] in NOT_SUBJECTS or (NOT_SUBJECTS - {"use", "set", "run", "that"}).intersection(words):
        return False
    if words[0] in _PREPOSITIONS:
        return False
    head = head_of(subject)
    compound = head in THINGS and len(DETERMINER.sub("", subject, count=1).split()) > 1  # the key; the API key
    if (head in VAGUE and not compound) or (head.endswith("ing") and head not in THINGS):
        return False
    bare = DETERMINER.sub("", subject, count=1)
    if re.match(r"(?:a|an)\s", subject, re.IGNORECASE):
        return False
    nouns = {word.removesuffix("'s") for word in words}
    if nouns & THINGS or {noun.removesuffix("s") for noun in nouns} & THINGS:
        return True
    if bare != subject and _EXACT.search(value):
        return True
    if len(words) <= 3 and {word.lower() for word in WORD.findall(value)} & TOOLS and NUMBER.search(value):
        return True
    return bool(CODE.search(bare)) or words[-1] in TOOLS


def without_relative(statement: str) -> str:
    """Return *statement* without what tells that its subject is ours: "the model we use is X" is "the model is X"."""
    return _RELATIVE.sub(r"\g<subject>", statement)


def is_plural(subject: str) -> bool:
    """Tell whether *subject* is more than one: "the docs"."""
    head = head_of(subject)
    return head.endswith("s") and not head.endswith(("ss", "us", "is", "'s"))


def is_person(subject: str) -> bool:
    """Tell whether *subject* may be somebody's name."""
    words = subject.split()
    return (
        0 < len(words) <= 2
        and all(word[:1].isupper() and word.isalpha() for word in words)
        and (words[0].lower() not in NOT_SUBJECTS and words[-1].lower() not in TOOLS | THINGS)
    )


def trimmed(value: str) -> str:
    """Return *value* without what is said after it: reasons, "not 8080", "btw"."""
    value = value[:_MAX_VALUE_LENGTH]
    for _ in range(4):
        shorter = _TAIL.sub("", value).strip()
        if shorter == value or not shorter:
            break
        value = shorter
    return value.strip(" ,;:.!\"'")
