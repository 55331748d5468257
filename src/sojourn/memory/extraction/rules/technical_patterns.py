"""How people state technical facts: SUBJECT VERB VALUE, "we use X for Y", "I set X to Y", "X no longer applies".

A pattern reads one assertion, clean of markup and lead-in, and returns what it says as `Said`. It judges the words
alone; whether the speaker vouches for them, and whether they are about this work at all, is `technical`'s to judge.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sojourn.memory.extraction.rules.technical_nouns import (
    CODE,
    DETERMINER,
    MAX_SUBJECT,
    MAX_VALUE,
    NUMBER,
    OPINION,
    WORD,
    head_of,
    is_concrete,
    is_person,
    is_subject,
    trimmed,
    without_relative,
)
from sojourn.memory.extraction.rules.technical_words import ATTRIBUTES, KIN, ROLES, THINGS, TOOLS
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
    r"|used\s+(?:by|for)|reserved\s+for|assigned\s+to|taken\s+by|moved\s+to|switched\s+to|migrated\s+to|upgraded\s+to|rotated\s+every|stored\s+for)"
    r"|lives?\s+(?:in|at|under|on)|listens?\s+(?:on|at)|runs?\s+(?:on|at|in|every|under|behind|version|from)"
    r"|defaults?\s+to"
    r"|points\s+(?:to|at)|(?:expires?|starts|ends|opens|closes|leaves|begins|departs)\s+(?:on|at|in|after|every|from)"
    r"|(?:rotates?|refresh(?:es)?|syncs?|polls?|restarts?|happens?|repeats?|resets?)\s+(?:every|at|on|after)"
    r"|takes?\s+place"
    r"|goes?\s+(?:to|live)|writes?\s+to|logs?\s+to|depends?\s+on|sits?\s+(?:on|behind|in)|equals|stands\s+at"
    r"|gets?\s+\w+(?:ed|t|n)\s+(?:every|at|on|after)"
)
_PLAIN: Final = (
    r"(?:uses?|requires?|needs|supports?|allows?|accepts?|returns|blocks|exposes?|contains?|takes?(?=\s\S*\s?\d)|takes|lasts?(?=\s\S*\s?\d)|costs?"
    r"|runs?|has|have|ships?\s+with|owns|maintains|leads|manages|holds|serves|sends|expects|includes|drops|keeps)"
)
_VERB: Final = re.compile(
    rf"(?P<subject>\S.{{0,90}}?)(?:\s+{_ADVERB})?(?:\s+|(?=['’]s\s))(?P<verb>{_STRONG}|{_PLAIN}|{_BE})"
    rf"(?:\s+{_ADVERB})?\s+(?P<value>\S.*)",
    re.IGNORECASE,
)
_COUNTED: Final = frozenset({
    "has", "have", "takes", "take", "lasts", "last", "costs", "cost", "needs", "returns", "allows", "allow", "accepts",
    "accept", "blocks", "contains", "contain", "holds", "drops", "keeps", "sends",
})  # fmt: skip
"""Verbs whose value is worth keeping if it is exact."""
_ADJUSTED: Final = frozenset({
    "set", "changed", "raised", "increased", "lowered", "reduced", "bumped", "configured", "limited",
})  # fmt: skip
_SHORT_BE: Final = re.compile(r"['’]s", re.IGNORECASE)
_ROLE: Final = re.compile(
    rf"(?:the|our|my|your)\s+(?P<role>(?:\w+\s+){{0,2}}(?:{'|'.join(sorted(ROLES))}))(?:\s.*)?", re.IGNORECASE
)
_BOTH: Final = re.compile(
    r"(?P<one>.{2,40}?)\s+and\s+(?P<other>(?:the|our|my)\s.{2,40}?)\s+(?P<joint>in|on|at|with|by|to)\s+(?P<two>.+)",
    re.IGNORECASE,
)
"""What "in Go and the frontend in TypeScript" says: the verb is said once and meant twice."""
_OF: Final = re.compile(r"an?\s+(?P<attribute>(?:\w+\s+){0,2}\w+)\s+of\s+\S", re.IGNORECASE)
_AND_ALSO: Final = re.compile(
    r",?\s+and\s+(?=(?:set|changed|raised|increased|lowered|reduced|bumped|moved|updated)\s)", re.IGNORECASE
)
_CALLED: Final = re.compile(r"called|named", re.IGNORECASE)


def read_statement(text: str) -> list[Said]:
    """Return what *text* says, one assertion: usually one fact or none, several for "Redis for X and SQS for Y"."""
    text = without_relative(text)
    for pattern, reader in _FORMS:
        if match := pattern.match(text):
            return reader(match)
    return []


def _of_verb(match: "re.Match[str]") -> list[Said]:
    subject, verb = match["subject"].strip(), " ".join(match["verb"].split())
    value = trimmed(match["value"])
    lowered = verb.lower()
    if not value or len(value.split()) > MAX_VALUE:
        return []
    if lowered == "is" and is_person(subject) and (role := _ROLE.fullmatch(value)):
        return [Said(subject=subject, verb=verb, value=value, sureness=0.88, attribute=f"project/{role['role']}")]
    if lowered in {"owns", "maintains", "leads", "manages"} or lowered.endswith("responsible for"):
        if not is_person(subject) or not re.match(r"(?:the|our|all|this|that)\s|[A-Z]", value):
            return []
        return [Said(subject=subject, verb=verb, value=value, sureness=0.9, attribute=f"{value}/owner")]
    if not is_subject(subject, value) or re.search(r"\bfavou?rite\b", subject, re.IGNORECASE):
        return []
    if head_of(subject) in KIN and head_of(subject) not in ATTRIBUTES:
        return []
    if re.match(r"my\s", subject, re.IGNORECASE) and head_of(subject) in KIN:
        return []
    if _SHORT_BE.fullmatch(lowered.split()[0]):
        verb = "is" + verb[2:]
    if OPINION.match(value):
        return []
    return _judged(subject, verb, value)


def _judged(subject: str, verb: str, value: str) -> list[Said]:
    """Return what is said if the value is of the kind that the verb calls for."""
    lowered = verb.lower()
    if re.fullmatch(_STRONG, lowered, re.IGNORECASE):
        both = _BOTH.fullmatch(value)
        if both and lowered.endswith(both["joint"].lower()):
            return _judged(subject, verb, both["one"]) + _judged(both["other"], verb, both["two"])
        vague = not is_concrete(value) and not (_CALLED.search(lowered) or len(value.split()) <= 5)
        sureness = 0.92 if is_concrete(value) else 0.75
        return [] if vague else [Said(subject=subject, verb=verb, value=value, sureness=sureness)]
    if lowered in _COUNTED:
        if lowered in {"has", "have"} and re.match(r"(?:been|\w+ed|made|had|got)\b", value):
            return []
        of = _OF.match(value)
        attribute = f"{DETERMINER.sub('', subject)}/{of['attribute']}" if of and lowered in {"has", "have"} else ""
        exact = NUMBER.search(value) or CODE.search(value)
        return [Said(subject=subject, verb=verb, value=value, sureness=0.88, attribute=attribute)] if exact else []
    if re.fullmatch(_BE, lowered):
        return _of_being(subject, verb, value)
    return [Said(subject=subject, verb=verb, value=value, sureness=0.9)] if is_concrete(value) else []


def _of_being(subject: str, verb: str, value: str) -> list[Said]:
    words = value.split()
    if lowered_past(verb) and not NUMBER.search(value):
        return []
    if is_concrete(value):
        first = words[0].lower()
        named = first in {"a", "an"} and not (NUMBER.search(value) or CODE.search(value))
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
    return name if name and len(name.split()) <= 8 and is_concrete(name) and not OPINION.match(name) else None


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
            f"project/{DETERMINER.sub('', purpose).lower()}"
            if purpose and purposed and purposed["joint"] == "for"
            else ""
        )
        found.append(Said(subject="the project", verb="uses", value=value, sureness=0.92, attribute=attribute))
    return found


def _of_purpose(match: "re.Match[str]") -> list[Said]:
    name = _name_list(match["value"])
    purpose = DETERMINER.sub("", match["purpose"]).strip()
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
        if name and (NUMBER.search(name) or {word.lower() for word in name.split()} & TOOLS or name[:1].isupper()):
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
    words = {word.lower() for word in WORD.findall(value)}
    if (
        not NUMBER.match(re.sub(r"^an?\s+", "", value))
        or not words & THINGS
        or words & {"minutes", "days", "hours", "weeks", "questions"}
    ):
        return []
    return [Said(subject="the project", verb="has", value=value, sureness=0.85)]


def _of_existing(match: "re.Match[str]") -> list[Said]:
    """Read "there are 12 services in our system"."""
    value = trimmed(match["value"])
    if not NUMBER.match(re.sub(r"^an?\s+", "", value)) or not {word.lower() for word in WORD.findall(value)} & THINGS:
        return []
    return [
        Said(
            subject="There",
            verb=match["verb"].replace("’", "'").replace("'s", "is").strip(),
            value=value,
            sureness=0.82,
        )
    ]


def _of_label(match: "re.Match[str]") -> list[Said]:
    """Read "rate limit: 1000 requests/hour"."""
    subject, value = match["subject"], trimmed(match["value"])
    if (
        head_of(subject) not in ATTRIBUTES
        or not is_subject(subject)
        or not NUMBER.search(value)
        or len(value.split()) > 6
    ):
        return []
    return [Said(subject=subject, verb="is", value=value, sureness=0.82)]


def _of_deploying(match: "re.Match[str]") -> list[Said]:
    value = trimmed(match["value"])
    verb = f"is {match['verb'].lower().rstrip('e')}ed {match['joint'].lower()}"
    return [Said(subject="the project", verb=verb, value=value, sureness=0.85)] if is_concrete(value) else []


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
    verb, thing = match["verb"].lower(), match["thing"].strip()
    value, *rest = _AND_ALSO.split(match["value"], maxsplit=1)
    value = trimmed(value)
    more = [said for again in rest for said in read_statement(f"I {again}")]
    if not value or OPINION.match(value) or not is_subject(thing) or len(value.split()) > MAX_VALUE:
        return more
    if not is_concrete(value) and len(value.split()) > 3:
        return more
    said = "is set to" if verb in _ADJUSTED else f"was {verb} to"
    return [Said(subject=thing, verb=said, value=value, sureness=0.9), *more]


def _of_moving(match: "re.Match[str]") -> list[Said]:
    before, after = trimmed(match["before"]), trimmed(match["value"])
    named = {word.lower() for word in f"{before} {after}".split()} & TOOLS or CODE.search(f"{before} {after}")
    if match["verb"].lower() == "moved" and not named:  # people move from one town to another
        return []
    if not is_concrete(after) or not is_concrete(before) or len(after.split()) > 6:
        return []
    return [Said(subject="the project", verb=f"{match['verb'].lower()} from {before} to", value=after, sureness=0.85)]


def _of_upgrade(match: "re.Match[str]") -> list[Said]:
    """Read "we upgraded to Python 3.12"."""
    value = _name_list(match["value"])
    if value is None or not (NUMBER.search(value) or {word.lower() for word in value.split()} & TOOLS):
        return []
    return [Said(subject="the project", verb=f"was {match['verb'].lower()} to", value=value, sureness=0.88)]


def _of_ending(match: "re.Match[str]") -> list[Said]:
    """Read what does not hold any more; the content is what it was, in the speaker's words."""
    thing = trimmed(match["thing"])
    if not thing or len(thing.split()) > MAX_SUBJECT:
        return []
    thing = DETERMINER.sub("", thing)
    known = is_subject(f"the {thing}") or is_concrete(thing)
    return [Said(subject="", verb="", value=thing, sureness=0.88, removes=True)] if known else []


_WE: Final = r"(?:we|our\s+team|the\s+team|my\s+team)"
_FORMS: Final[tuple[tuple[re.Pattern[str], Callable[["re.Match[str]"], list[Said]]], ...]] = (
    (
        re.compile(r"there(?:['’]s|\s+is|\s+are)\s+no\s+(?P<thing>.+?)\s+any\s?(?:more|longer)\b", re.IGNORECASE),
        _of_ending,
    ),
    (
        re.compile(r"there(?:['’]s|\s+is|\s+are)\s+no\s+longer\s+(?:an?\s+|any\s+)?(?P<thing>.+)", re.IGNORECASE),
        _of_ending,
    ),
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
            rf"{_WE}\s+(?:{_ADVERB}\s+)?(?P<verb>host|store|keep|deploy|run|serve)\s+(?!to\b|on\b|every\b)(?P<thing>.+?)\s+(?P<joint>on"
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
    (
        re.compile(
            rf"(?:i|{_WE})(?:['’]ve|\s+have)?\s+(?:{_ADVERB}\s+)?(?P<verb>upgraded|migrated|switched|updated|downgraded)"
            rf"\s+to\s+(?P<value>.+)",
            re.IGNORECASE,
        ),
        _of_upgrade,
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
    (
        re.compile(
            rf"{_WE}\s+(?:{_ADVERB}\s+)?(?P<verb>deploy|release)\s+(?P<joint>to|on|every|from)\s+(?P<value>.+)",
            re.IGNORECASE,
        ),
        _of_deploying,
    ),
    (re.compile(r"there(?P<verb>['’]s|\s+is|\s+are)\s+(?P<value>.+)", re.IGNORECASE), _of_existing),
    (re.compile(r"(?P<subject>[\w' -]{3,50}?):\s+(?P<value>\S.*)"), _of_label),
    (_VERB, _of_verb),
)
