"""Sentences about things: ports, limits, versions, deadlines, what is enabled, what a project uses."""

import re
from typing import Final

from sojourn.memory.facts.attributes import DEMONYM, DROPPED_MODIFIERS, EVENTS, HEADS, MODIFIERS, STATES, Kind
from sojourn.memory.facts.question import THE_WORK, USER, Reader, Slot, qualified, says, slot, subject_of, tokens
from sojourn.memory.facts.words import root

_QUALIFIER: Final = re.compile(
    r"(?P<value>.+?) (?P<qualifier>(?:for|in|on|with|during|under|within) .+)", re.IGNORECASE
)
_DATE: Final = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?"
    r"|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b|\b(?:tomorrow|tonight|today"
    r"|noon|midnight|next (?:week|month|year)|(?:spring|summer|autumn|fall|winter)|end of|q[1-4])\b|\d",
    re.IGNORECASE,
)
_TIME: Final = re.compile(r"(?:noon|midnight|\d{1,2}(?::\d\d)?\s?(?:am|pm|h)?)", re.IGNORECASE)
_NUMBER: Final = re.compile(
    r"\d|\b(?:unlimited|infinite|none|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty"
    r"|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million)\b",
    re.IGNORECASE,
)
_ANY: Final = frozenset({"one", "some", "every", "each", "any", "which", "other", "another", "same"})
_HELD_BY_PEOPLE: Final = frozenset({"owner", "lead", "manager", "ceo", "cto", "product owner"})
_NO_NOUNS: Final = frozenset(
    {USER, "has", "have", "had", "is", "are", "was", "were", "will", "can", "who", "that", "and"}
)
_ARTICLES: Final = frozenset({"the", "a", "an", "our", "my", "this", "all"})
_AMOUNT: Final = re.compile(
    r"(?:about |only )?(?:(?:\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|thirty|sixty|ninety)"
    r"[ -]?)?(?:ms|s|min|h|milliseconds?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|night|morning|evening"
    r"|requests?|attempts?|retries|failures?)",
    re.IGNORECASE,
)
_REST: Final = r"(?P<rest>(?: (?:in|on|for) .+)?)"
_CHANGED: Final = (
    r"(?:BE )?(?:set|changed|raised|increased|lowered|reduced|decreased|bumped|moved|pushed|postponed|extended|updated"
    r"|upgraded|switched|shifted|rescheduled|brought forward|cut|doubled|went up|went down|dropped|rose)"
    r"(?: (?:back|up|down))?(?: from .+?)? (?:to|at) "
)
_BECAME: Final = r"(?:upgraded|updated|migrated|moved|switched) (?:from .+? )?to"


def _split(phrase: str) -> tuple[str, str] | None:
    """Return subject and attribute of "the API's rate limit", "rate limit of the API" or "API rate limit"."""
    of = re.fullmatch(r"(?P<attribute>[^']+?) (?:of|for) (?P<subject>.+)", phrase)
    if of and (head := _head(tokens(of["attribute"]))):
        rest, attribute = head
        return (subject_of(of["subject"]), attribute) if not rest else None
    owner, possessive, owned = phrase.rpartition("'s ")
    head = _head(tokens(owned))
    if head is None:
        return None
    rest, attribute = head
    if possessive:
        return subject_of(owner), " ".join([*rest, attribute])
    if rest == [USER]:  # the user limit is how many users there may be, and nothing of the user's
        return THE_WORK, f"{USER} {attribute}"
    return " ".join(rest) or THE_WORK, attribute


def _head(words: list[str]) -> tuple[list[str], str] | None:
    """Return what stands before the attribute that *words* end with, and the attribute with its modifiers."""
    size = next((size for size in (3, 2, 1) if len(words) >= size and " ".join(words[-size:]) in HEADS), 0)
    if not size:
        return None
    start = len(words) - size
    while start and words[start - 1] in MODIFIERS:
        start -= 1
    return words[:start], " ".join(word for word in words[start:] if word not in DROPPED_MODIFIERS)


def _kind(attribute: str) -> Kind:
    words = attribute.split()
    return next(HEADS[key] for size in (3, 2, 1) if (key := " ".join(words[-size:])) in HEADS)


def _fits(attribute: str, value: str) -> bool:
    """Tell whether *value* looks like an answer: the port is 8080, and not open."""
    words = value.split()
    match _kind(attribute):
        case "number":
            return bool(_NUMBER.search(value)) and len(words) <= 8
        case "date":
            return bool(_DATE.search(value)) and len(words) <= 8
        case "name":
            return words[0].casefold() not in STATES and len(words) <= 6 and not re.match(r"(?:a|an|the) [a-z]", value)


def _said_of(match: re.Match[str]) -> Slot | None:
    """Read "X is VALUE", for an X that ends in something that can be asked for."""
    split = _split(match["subject"])
    if split is None or len(match["subject"].split()) > 10:
        return None
    subject, attribute = split
    if set(subject.split()) & _ANY or (attribute in _HELD_BY_PEOPLE and DEMONYM.search(match["value"])):
        return None
    value, qualifier = match["value"], ""
    if attribute == "occupation":
        value = re.sub(r"^an? ", "", value)
    if _kind(attribute) == "number" and (found := _QUALIFIER.fullmatch(value)):
        value, qualifier = found["value"], found["qualifier"]
    return qualified(slot(subject, attribute, value), qualifier) if _fits(attribute, value) else None


def _port(match: re.Match[str]) -> Slot | None:
    return qualified(slot(subject_of(match["subject"]), "port", match["value"]), match["rest"].strip())


def _version(match: re.Match[str]) -> Slot | None:
    """Read "The backend uses Python 3.11" as the backend's Python version; the project's is Python's own."""
    owner, thing = subject_of(match["subject"]), subject_of(match["thing"])
    subject, attribute = (thing, "version") if owner in {THE_WORK, "we", "team", USER} else (owner, f"{thing} version")
    return qualified(slot(subject, attribute, match["value"]), match["rest"].strip())


def _used(match: re.Match[str]) -> Slot | None:
    value = match["value"]
    if len(value.split()) > 4 or value[:1].islower() or len(match["subject"].split()) > 5:
        return None
    if re.search(r"\b(?:and|to|for|as|because|with)\b|,", value):
        return None
    return slot(subject_of(match["subject"]), "uses", value)


def _written(match: re.Match[str]) -> Slot | None:
    return slot(subject_of(match["subject"]), "written in", match["value"]) if match["value"][:1].isupper() else None


def _held(match: re.Match[str]) -> Slot | None:
    """Read when an event is: its day and its time are two questions."""
    words = tokens(match["subject"])
    event = tokens(re.split(r"\b(?:with|about|for|on)\b", match["subject"])[0])
    if not set(event[-1:]) & EVENTS or not _DATE.search(match["value"]) or len(match["value"].split()) > 8:
        return None
    if words[-1] == "deadline":
        return slot(" ".join(words[:-1]) or THE_WORK, "deadline", match["value"])
    timed = match["preposition"] == "at" or _TIME.fullmatch(match["value"])
    return slot(" ".join(words), "time" if timed else "date", match["value"])


def _switched(match: re.Match[str]) -> Slot | None:
    words = tokens(match["subject"])
    if not words or len(words) > 5 or words[-1] in {"user", "everything", "it"}:
        return None
    return slot(" ".join(words), "enabled", "enabled" if match["value"] in {"enabled", "on"} else "disabled")


def _regular(match: re.Match[str]) -> Slot | None:
    """Read "The token expires after 30 days": how often, how long or when something of the kind happens."""
    words = tokens(match["subject"])
    if not words or len(words) > 4 or set(words) & (_ANY | _NO_NOUNS) or not _AMOUNT.fullmatch(match["amount"]):
        return None
    first = match["subject"].split(maxsplit=1)[0].casefold()
    if first not in _ARTICLES and not (match["passive"] and len(words) == 1):
        return None  # Alice runs every day: people do many things, and logs are kept
    verb = root(match["verb"].casefold())
    return slot(" ".join(words), f"{verb} {match['preposition']}", f"{match['preposition']} {match['amount']}")


SURE: Final[tuple[Reader, ...]] = (
    says(r"BE (?:turned |switched )?", r"(?P<value>enabled|disabled|on|off)", _switched),
    says(
        r"(?:BE )?(?:runs?|running|listens?|listening|served|serves?|available|exposed|bound|binds?|starts?|uses?|using"
        r"|works?|reachable|moved|changed|switched)?\s*(?:on|at|to|over)?\s*port:? ",
        rf"(?P<value>\d{{2,5}}){_REST}",
        _port,
    ),
    says(
        rf"(?:BE )?(?:uses?|using|runs?(?: on)?|running(?: on)?|{_BECAME}|targets?|based on|built (?:on|with)|pinned to"
        r"|on) ",
        r"(?P<thing>[A-Z][A-Za-z.+#-]*(?: [A-Z][A-Za-z.+#-]*)?) (?:version )?v?(?P<value>\d+(?:\.\d+){0,3}[\w.-]*)"
        + _REST,
        _version,
    ),
)
"""What can be read in one way only; these come before what is said of people."""

READERS: Final[tuple[Reader, ...]] = (
    says(
        r"(?:BE )?(?:moved|pushed|postponed|rescheduled|shifted|brought forward)(?: back)?(?: from .+?)?"
        r" (?P<preposition>to|until) ",
        r"(?P<value>.+)",
        _held,
    ),
    says(
        r"(?:IS |takes place |starts |happens |will be )(?:scheduled |planned |set )?(?:for )?"
        r"(?P<preposition>on|at|in|by)?\s*",
        r"(?P<value>.+)",
        _held,
    ),
    says(r"IS (?:re)?written in ", r"(?P<value>.+)", _written),
    says(_CHANGED, r"(?P<value>.+)", _said_of),
    says(r"(?:IS |equals |= )", r"(?P<value>.+)", _said_of),
    Reader(r"(?P<subject>[^:]{1,80}): (?P<value>.+)", _said_of),
    says(r"(?:uses?|IS using) ", r"(?P<value>.+)", _used),
    says(
        r"(?P<passive>BE )?(?P<verb>[a-z]+(?:s|ed|en|pt)) (?P<preposition>every|after|for|within) ",
        r"(?P<amount>.+)",
        _regular,
    ),
)
"""What is said of things; the first reader that understands a sentence decides."""
