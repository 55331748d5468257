"""How people state technical facts: SUBJECT VERB VALUE, "we use X for Y", "I set X to Y", "X no longer applies".

A pattern reads one assertion, clean of markup and lead-in, and returns what it says as `Said`. It judges the words
alone; whether the speaker vouches for them, and whether they are about this work at all, is `technical`'s to judge.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sojourn.memory.extraction.rules.technical_words import (
    ATTRIBUTES,
    KIN,
    NOT_SUBJECTS,
    STATES,
    THINGS,
    TOOLS,
    VAGUE,
)
from sojourn.memory.facts.attributes import STATES as NO_ANSWERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What an assertion says: *subject* as it was said, with its determiner, *verb*, *value*, how sure its form is."""

    subject: str
    verb: str
    value: str
    sureness: float
    attribute: str = ""
    removes: bool = False


_ADVERB: Final = r"(?:now|currently|already|also|still|just|actually|always|usually|only|mostly|officially|both|all)"
_PLACED: Final = (
    r"(?:hosted|stored|kept|located|saved|deployed|installed|mounted|exposed|available|reachable|listening|running"
    r"|documented|defined|configured|set|found|placed|published|served)"
)
_BE: Final = (
    r"(?:is|are|was|were|has been|have been"
    r"|['’]s(?=\s+(?:in|on|at|set|called|named|hosted|stored|kept|running|deployed|owned|due|not|now|\d)\b))"
)
_STRONG: Final = (
    rf"{_BE}\s+(?:{_ADVERB}\s+)?(?:set\s+(?:to|at)|called|named|{_PLACED}\s+(?:in|at|on|under|to|with)|capped\s+at"
    r"|limited\s+to|pinned\s+to|(?:re)?written\s+in|built\s+(?:with|on|in|using)|based\s+on|powered\s+by|backed\s+by"
    r"|owned\s+by|maintained\s+by|managed\s+by|led\s+by|(?:scheduled|planned|set)\s+for|due(?:\s+(?:on|by|in|at))?"
    r"|running(?:\s+on)?|responsible\s+for|configured\s+(?:as|with|to)|mapped\s+to|bound\s+to|fixed\s+at|kept\s+for"
    r"|moved\s+to|switched\s+to|migrated\s+to|upgraded\s+to|rotated\s+every|stored\s+for)"
    r"|lives?\s+(?:in|at|under|on)|listens?\s+(?:on|at)|runs?\s+(?:on|at|in|every|under|behind|version|from)"
    r"|defaults?\s+to"
    r"|points\s+(?:to|at)|(?:expires?|starts|ends|opens|closes|leaves|begins|departs)\s+(?:on|at|in|after|every|from)"
    r"|(?:rotates?|refresh(?:es)?|syncs?|polls?|restarts?|happens|repeats|resets?)\s+(?:every|at|on|after)"
    r"|takes?\s+place"
    r"|goes?\s+(?:to|live)|writes?\s+to|logs?\s+to|depends?\s+on|sits?\s+(?:on|behind|in)|equals|stands\s+at"
)
_PLAIN: Final = (
    r"(?:uses?|requires?|needs|supports?|allows?|accepts?|returns|blocks|exposes?|contains?|takes|lasts|costs?"
    r"|runs?|has|have|ships?\s+with|owns|maintains|leads|manages|holds|serves|sends|expects|includes|drops|keeps)"
)
_VERB: Final = re.compile(
    rf"(?P<subject>\S.{{0,90}}?)(?:\s+{_ADVERB})?(?:\s+|(?=['’]s\s))(?P<verb>{_STRONG}|{_PLAIN}|{_BE})"
    rf"(?:\s+{_ADVERB})?\s+(?P<value>\S.*)",
    re.IGNORECASE,
)
_SHORT_BE: Final = re.compile(r"['’]s", re.IGNORECASE)
_NUMBER_WORDS: Final = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|fifty|hundred)"
_NUMBER: Final = re.compile(rf"\d|\b{_NUMBER_WORDS}\b", re.IGNORECASE)
_DAY: Final = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|tomorrow|tonight|noon|midnight|q[1-4]|end\s+of\s+(?:the\s+)?(?:week|month|year"
    r"|quarter))\b",
    re.IGNORECASE,
)
_CODE: Final = re.compile(
    r"(?:^|[\s(])(?:~?/[\w.-]+(?:/[\w.-]*)*|\w+(?:/[\w.-]+)+|[A-Za-z]:\\\S+|https?://\S+|[a-z]+_\w+|[a-z]+[A-Z]\w*"
    r"|[\w-]+\.[\w.-]*[a-z]{2,}|[a-z]+-[a-z]+-?\d+|[A-Z][A-Z0-9_]+|[a-z]+\d\w*|\([\w, ]+\))"
)
_CALLED: Final = re.compile(r"called|named", re.IGNORECASE)
_OPINION: Final = re.compile(
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
    r"\s*(?:,\s*(?:not|so|because|which|that|but|if|since|as|and|though|unless|right|thanks|ok|lol)\b.*"
    r"|\s(?:because|so\s+that|so\s+(?=ask|please|don)|which|but|since\s+(?!\d|january|february|march|april|may|june"
    r"|july|august|"
    r"september|october|november|december|last|yesterday|monday)|btw|lol|now|atm|at\s+the\s+moment|right\s+now"
    r"|currently|"
    r"these\s+days|already|for\s+now|any\s?more|as\s+well|too|instead|not\s+\S+|by\s+the\s+way|FYI|for\s+(?:us|me)"
    r"|with\s+us|this\s+morning|yesterday|"
    r"last\s+(?:week|month|year))\b(?!\s+\w+\s+\w).*|\s+and\s+it\s.*|[\s,;:.!]+)$",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[\w'’.+#/@-]+")
_DETERMINER: Final = re.compile(r"(?:the|our|my|your|this|that|these|those|a|an|all|both)\s+", re.IGNORECASE)
_AFTER_HEAD: Final = re.compile(
    r"\s(?:of|for|in|on|at|from|to|with|that|which|we|per|under|behind|between|by)\s", re.IGNORECASE
)
MAX_SUBJECT: Final = 9
MAX_VALUE: Final = 16


def read_statement(text: str) -> list[Said]:
    """Return what *text* says, one assertion: usually one fact or none, several for "Redis for X and SQS for Y"."""
    for pattern, reader in _FORMS:
        if match := pattern.match(text):
            return reader(match)
    return []


def is_concrete(value: str) -> bool:
    """Tell whether *value* holds a number, a date, a name or something spelled like code: something to remember."""
    if _NUMBER.search(value) or _DAY.search(value) or _CODE.search(value):
        return True
    words = _WORD.findall(value)
    if not words:
        return False
    if words[0].lower() in STATES and len(words) <= MAX_SUBJECT:
        return True
    return any(word[0].isupper() or word.lower().rstrip(".,") in TOOLS for word in words if word not in {"I", "I'm"})


def is_time(value: str) -> bool:
    """Tell whether *value* is a day or a time rather than a place."""
    return bool(_DAY.search(value) or re.search(r"\d:\d|\b(?:minutes?|hours?|days?|weeks?|months?|years?)\b", value))


def head_of(subject: str) -> str:
    """Return the noun that *subject* is about, in one case: "limit" for "the rate limit of our API"."""
    bare = _DETERMINER.sub("", subject, count=1)
    core = _AFTER_HEAD.split(bare, maxsplit=1)[0]
    words = [word.lower() for word in _WORD.findall(core)]
    return words[-1] if words else ""


def is_subject(subject: str) -> bool:
    """Tell whether *subject* names something of the work that can be told from other things."""
    words = [word.lower().replace("’", "'") for word in _WORD.findall(subject)]
    if not words or len(words) > MAX_SUBJECT or re.search(r"[,;:?!]", subject):
        return False
    if any(
        word in NOT_SUBJECTS and not (word in {"use", "set", "run", "that"} and place)
        for place, word in enumerate(words)
    ):
        return words[0] in {"that", "this"} and len(words) > 1 and not NOT_SUBJECTS.intersection(words[1:])
    head = head_of(subject)
    if head in VAGUE or (head.endswith("ing") and head not in THINGS):
        return False
    bare = _DETERMINER.sub("", subject, count=1)
    if re.match(r"(?:a|an)\s", subject, re.IGNORECASE):
        return False
    if {word.removesuffix("'s") for word in words} & THINGS:
        return True
    return bool(_CODE.search(bare)) or words[-1] in TOOLS


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
    for _ in range(4):
        shorter = _TAIL.sub("", value).strip()
        if shorter == value or not shorter:
            break
        value = shorter
    return value.strip(" ,;:.!\"'")


def _of_verb(match: "re.Match[str]") -> list[Said]:
    subject, verb = match["subject"].strip(), " ".join(match["verb"].split())
    value = trimmed(match["value"])
    lowered = verb.lower()
    if not value or len(value.split()) > MAX_VALUE:
        return []
    if lowered in {"owns", "maintains", "leads", "manages"} or lowered.endswith("responsible for"):
        if not is_person(subject) or not re.match(r"(?:the|our|all|this|that)\s|[A-Z]", value):
            return []
        return [Said(subject=subject, verb=verb, value=value, sureness=0.9, attribute=f"{value}/owner")]
    if not is_subject(subject) or re.search(r"\bfavou?rite\b", subject, re.IGNORECASE):
        return []
    if head_of(subject) in KIN and head_of(subject) not in ATTRIBUTES:
        return []
    if re.match(r"my\s", subject, re.IGNORECASE) and head_of(subject) in KIN:
        return []
    if _SHORT_BE.fullmatch(lowered.split()[0]):
        verb = "is" + verb[2:]
    if _OPINION.match(value):
        return []
    return _judged(subject, verb, value)


def _judged(subject: str, verb: str, value: str) -> list[Said]:
    """Return what is said if the value is of the kind that the verb calls for."""
    lowered = verb.lower()
    if re.fullmatch(_STRONG, lowered, re.IGNORECASE):
        vague = not is_concrete(value) and not (_CALLED.search(lowered) or len(value.split()) <= 5)
        return (
            []
            if vague
            else [Said(subject=subject, verb=verb, value=value, sureness=0.92 if is_concrete(value) else 0.75)]
        )
    if lowered in {
        "has",
        "have",
        "takes",
        "take",
        "lasts",
        "costs",
        "cost",
        "needs",
        "need",
        "returns",
        "return",
        "allows",
        "allow",
        "accepts",
        "accept",
        "blocks",
        "contains",
        "contain",
        "holds",
        "drops",
        "keeps",
        "keep",
        "sends",
    }:
        exact = _NUMBER.search(value) or _CODE.search(value)
        return [Said(subject=subject, verb=verb, value=value, sureness=0.88)] if exact else []
    if re.fullmatch(_BE, lowered):
        return _of_being(subject, verb, value)
    return [Said(subject=subject, verb=verb, value=value, sureness=0.9)] if is_concrete(value) else []


def _of_being(subject: str, verb: str, value: str) -> list[Said]:
    words = value.split()
    if lowered_past(verb) and not _NUMBER.search(value):
        return []
    if is_concrete(value):
        first = words[0].lower()
        named = first in {"a", "an"} and not (_NUMBER.search(value) or _CODE.search(value))
        return [] if named else [Said(subject=subject, verb=verb, value=value, sureness=0.9)]
    if (
        head_of(subject) in ATTRIBUTES
        and len(words) <= 3
        and words[0].lower() not in NO_ANSWERS
        and words[0].lower() not in {"a", "an", "the", "in", "on", "for"}
    ):
        return [Said(subject=subject, verb=verb, value=value, sureness=0.7)]
    return []


def lowered_past(verb: str) -> bool:
    """Tell whether the verb says how things were."""
    return verb.lower() in {"was", "were"}


def _name_list(text: str) -> str | None:
    """Return *text* if it names technology: something with a capital, a digit, or a known name."""
    name = trimmed(text)
    return name if name and len(name.split()) <= 8 and is_concrete(name) and not _OPINION.match(name) else None


def _of_using(match: "re.Match[str]") -> list[Said]:
    """Read "we use Redis for caching and RabbitMQ for the queue"."""
    found: list[Said] = []
    pieces = re.split(r"\s+and\s+(?=\S+(?:\s\S+)?\s+(?:for|as)\s)", match["value"])
    for piece in pieces:
        purposed = re.match(r"(?P<name>.+?)\s+(?P<joint>for|as|to)\s+(?P<purpose>.+)", piece)
        name = _name_list(purposed["name"] if purposed else piece)
        if name is None:
            continue
        purpose = trimmed(purposed["purpose"]) if purposed else ""
        value = f"{name} {purposed['joint']} {purpose}" if purposed and purpose else name
        attribute = (
            f"project/{_DETERMINER.sub('', purpose).lower()}"
            if purpose and purposed and purposed["joint"] == "for"
            else ""
        )
        found.append(Said(subject="the project", verb="uses", value=value, sureness=0.92, attribute=attribute))
    return found


def _of_purpose(match: "re.Match[str]") -> list[Said]:
    name = _name_list(match["value"])
    purpose = _DETERMINER.sub("", match["purpose"]).strip()
    if name is None or len(purpose.split()) > MAX_SUBJECT:
        return []
    value = f"{name} for {match['purpose']}"
    return [
        Said(subject="the project", verb="uses", value=value, sureness=0.92, attribute=f"project/{purpose.lower()}")
    ]


def _of_running(match: "re.Match[str]") -> list[Said]:
    """Read "we're on Django 4.2 and Postgres 14"."""
    found = []
    for piece in re.split(r"\s+and\s+|,\s+", match["value"]):
        name = _name_list(piece)
        if name and (_NUMBER.search(name) or {word.lower() for word in name.split()} & TOOLS or name[:1].isupper()):
            found.append(
                Said(
                    subject="the project",
                    verb="runs on" if "on" in match["verb"].split() else "uses",
                    value=name,
                    sureness=0.88,
                )
            )
    return found


def _of_having(match: "re.Match[str]") -> list[Said]:
    value = trimmed(match["value"])
    words = {word.lower() for word in _WORD.findall(value)}
    if not _NUMBER.match(value) or not words & THINGS or words & {"minutes", "days", "hours", "weeks", "questions"}:
        return []
    return [Said(subject="the project", verb="has", value=value, sureness=0.85)]


def _of_placing(match: "re.Match[str]") -> list[Said]:
    """Read "we host the docs on Netlify"."""
    thing, place = match["thing"], trimmed(match["value"])
    done = {"host": "hosted", "store": "stored", "keep": "kept", "deploy": "deployed", "run": "run", "serve": "served"}
    if not is_subject(thing) or not place or not is_concrete(place):
        return []
    verb = f"is {done[match['verb'].lower()]} {match['joint'].lower()}"
    return [Said(subject=thing, verb=verb, value=place, sureness=0.9)]


def _of_change(match: "re.Match[str]") -> list[Said]:
    """Read "I set the timeout to 30 seconds", "we switched the CI from Jenkins to Buildkite"."""
    thing, value = match["thing"].strip(), trimmed(match["value"])
    verb = match["verb"].lower()
    if not value or _OPINION.match(value) or not is_subject(thing) or len(value.split()) > MAX_VALUE:
        return []
    if not is_concrete(value) and len(value.split()) > 3:
        return []
    past = {"put": "put", "set": "set"}.get(verb, verb)
    if verb in {
        "set",
        "changed",
        "raised",
        "increased",
        "lowered",
        "reduced",
        "bumped",
        "configured",
        "extended",
        "limited",
    }:
        said = "is set to" if verb != "extended" else "is extended to"
    else:
        said = f"was {past} to"
    return [Said(subject=thing, verb=said, value=value, sureness=0.9)]


def _of_moving(match: "re.Match[str]") -> list[Said]:
    before, after = trimmed(match["before"]), trimmed(match["value"])
    if not is_concrete(after) or not is_concrete(before) or len(after.split()) > 6:
        return []
    return [Said(subject="the project", verb=f"{match['verb'].lower()} from {before} to", value=after, sureness=0.85)]


def _of_ending(match: "re.Match[str]") -> list[Said]:
    """Read what does not hold any more; the content is what it was, in the speaker's words."""
    thing = trimmed(match["thing"])
    if not thing or len(thing.split()) > MAX_SUBJECT:
        return []
    known = is_subject(thing) or is_subject(f"the {thing}") or is_concrete(thing)
    return [Said(subject="", verb="", value=thing, sureness=0.88, removes=True)] if known else []


_WE: Final = r"(?:we|our\s+team|the\s+team|my\s+team)"
_FORMS: Final[tuple[tuple[re.Pattern[str], Callable[["re.Match[str]"], list[Said]]], ...]] = (
    (
        re.compile(
            r"(?:please\s+)?(?:forget|ignore|disregard)\s+(?:what\s+(?:i|we)\s+(?:said|told\s+you|wrote)|everything"
            r"|all)\s+about\s+(?P<thing>.+)",
            re.IGNORECASE,
        ),
        _of_ending,
    ),
    (
        re.compile(
            r"(?P<thing>(?:the|that|this|our|my|your)\s.+?)\s+(?:no\s+longer\s+(?:applies|apply|holds?|exists?"
            r"|matters?|counts?)"
            r"|(?:does\s?n['’]?o?t|do\s?n['’]?o?t|does\s+not|do\s+not)\s+(?:apply|hold|exist|count)\s+any\s?(?:more"
            r"|longer)"
            r"|(?:is|are|was|were|has\s+been|have\s+been)\s+(?:gone|lifted|removed|not\s+valid\s+any\s?more"
            r"|no\s+longer\s+valid|obsolete|retired|decommissioned|shut\s+down))\b",
            re.IGNORECASE,
        ),
        _of_ending,
    ),
    (
        re.compile(
            rf"{_WE}\s+(?:no\s+longer\s+use|stopped\s+using|(?:don['’]?t|do\s+not)\s+use(?=.*\bany\s?(?:more"
            rf"|longer)))\s+(?P<thing>.+?)(?:\s+any\s?(?:more|longer))?$",
            re.IGNORECASE,
        ),
        _of_ending,
    ),
    (
        re.compile(rf"for\s+(?P<purpose>.{{2,60}}?),?\s+{_WE}\s+(?:{_ADVERB}\s+)?use\s+(?P<value>.+)", re.IGNORECASE),
        _of_purpose,
    ),
    (
        re.compile(rf"{_WE}(?:\s+are|['’]re)?\s+(?:{_ADVERB}\s+)?(?:use|using)\s+(?P<value>.+)", re.IGNORECASE),
        _of_using,
    ),
    (
        re.compile(
            rf"{_WE}(?:\s+are|['’]re)\s+(?:{_ADVERB}\s+)?(?P<verb>running(?:\s+on)?|on|hosted\s+on)\s+(?P<value>.+)",
            re.IGNORECASE,
        ),
        _of_running,
    ),
    (
        re.compile(
            rf"{_WE}\s+(?:{_ADVERB}\s+)?(?P<verb>host|store|keep|deploy|run|serve)\s+(?P<thing>.+?)\s+(?P<joint>on"
            rf"|in|at|with|to|from)\s+(?P<value>.+)",
            re.IGNORECASE,
        ),
        _of_placing,
    ),
    (re.compile(rf"{_WE}\s+(?:{_ADVERB}\s+)?(?P<verb>run(?:\s+on)?)\s+(?P<value>.+)", re.IGNORECASE), _of_running),
    (
        re.compile(
            rf"{_WE}(?:['’]ve|\s+have)?\s+(?:{_ADVERB}\s+)?(?P<verb>migrated|moved|switched"
            rf"|upgraded)\s+from\s+(?P<before>.+?)\s+to\s+(?P<value>.+)",
            re.IGNORECASE,
        ),
        _of_moving,
    ),
    (re.compile(rf"{_WE}\s+(?:{_ADVERB}\s+)?have\s+(?P<value>.+)", re.IGNORECASE), _of_having),
    (
        re.compile(
            rf"(?:i|{_WE})(?:['’]ve|\s+have)?\s+(?:{_ADVERB}\s+)?(?P<verb>set|changed|raised|increased|lowered"
            rf"|reduced|bumped|moved|updated|upgraded|switched"
            r"|migrated|renamed|configured|extended|limited|pushed|pointed|pinned"
            r"|postponed)\s+(?P<thing>.+?)(?:\s+from\s+(?P<before>.+?))?\s+to\s+(?P<value>.+)",
            re.IGNORECASE,
        ),
        _of_change,
    ),
    (_VERB, _of_verb),
)
