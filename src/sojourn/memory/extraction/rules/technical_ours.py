"""Technical facts as those who work say them: "we use X for Y", "I set X to Y"; and what does not hold any more."""

import re
from typing import Final

from sojourn.memory.extraction.rules.technical_nouns import (
    ADVERB,
    CODE,
    DETERMINER,
    MAX_SUBJECT,
    MAX_VALUE,
    NUMBER,
    OPINION,
    WORD,
    Form,
    Said,
    is_concrete,
    is_plural,
    is_subject,
    trimmed,
)
from sojourn.memory.extraction.rules.technical_words import THINGS, TOOLS

_ADJUSTED: Final = frozenset({
    "set", "changed", "raised", "increased", "lowered", "reduced", "bumped", "configured", "limited",
})  # fmt: skip
_WE_DO: Final = re.compile(
    r"(?:we|our\s+team|the\s+team)\s+(?:currently\s+|now\s+|only\s+)?(?P<verb>[a-z]{3,})\s+(?P<value>\S.*)",
    re.IGNORECASE,
)
_NOT_DONE: Final = frozenset({
    "need", "want", "think", "should", "can", "could", "would", "will", "must", "might", "may", "were", "had", "did",
    "don't", "got", "found", "see", "saw", "met", "went", "spent", "try", "know", "like", "love", "hope", "plan",
    "have", "chose", "are", "shall", "just", "still", "also", "never", "lost", "made", "came", "won't", "can't",
    "didn't", "get", "took", "put", "cut", "wish", "believe", "guess", "talk", "all", "both", "live", "eat", "ate",
    "look", "wrote",
})  # fmt: skip
_AND_ALSO: Final = re.compile(
    r",?\s+and\s+(?=(?:set|changed|raised|increased|lowered|reduced|bumped|moved|updated)\s)", re.IGNORECASE
)
_WE: Final = r"(?:we|our\s+team|the\s+team|my\s+team)"
_CHANGE: Final = re.compile(
    rf"(?:i|{_WE})(?:['’]ve|\s+have)?\s+(?:{ADVERB}\s+)?(?P<verb>set|changed|raised|increased|lowered"
    rf"|reduced|bumped|moved|updated|upgraded|switched"
    r"|migrated|renamed|configured|extended|limited|pushed|pointed|pinned"
    r"|postponed)\s+(?P<thing>.+?)(?:\s+from\s+(?P<before>.+?))?\s+to\s+(?P<value>.+)",
    re.IGNORECASE,
)


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
        if (
            name
            and not re.match(r"(?:about|around|over|some|only|\d)", name)
            and (NUMBER.search(name) or {word.lower() for word in name.split()} & TOOLS or name[:1].isupper())
        ):
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
    verb = f"{'are' if is_plural(thing) else 'is'} {done[match['verb'].lower()]} {match['joint'].lower()}"
    return [Said(subject=thing, verb=verb, value=place, sureness=0.9)]


def _of_change(match: "re.Match[str]") -> list[Said]:
    """Read "I set the timeout to 30 seconds", "we switched the CI from Jenkins to Buildkite"."""
    verb, thing = match["verb"].lower(), match["thing"].strip()
    value, *rest = _AND_ALSO.split(match["value"], maxsplit=1)
    value = trimmed(value)
    more = [said for again in rest if (also := _CHANGE.match(f"I {again}")) for said in _of_change(also)]
    if not value or OPINION.match(value) or not is_subject(thing) or len(value.split()) > MAX_VALUE:
        return more
    if not is_concrete(value) and len(value.split()) > 3:
        return more
    several = is_plural(thing)
    said = f"{'are' if several else 'is'} set to" if verb in _ADJUSTED else f"{'were' if several else 'was'} {verb} to"
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
    if value is None or not {word.lower() for word in value.split()} & TOOLS:
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


def _of_our_doing(match: "re.Match[str]") -> list[Said]:
    """Read "we pay 430 dollars a month for the GPU box"."""
    verb, value = match["verb"].lower(), trimmed(match["value"])
    words = {word.lower() for word in WORD.findall(value)}
    if verb in _NOT_DONE or verb.endswith("ed") or len(value.split()) > MAX_VALUE or OPINION.match(value):
        return []
    if not NUMBER.search(value) or not words & (THINGS | TOOLS):
        return []
    ending = "es" if verb.endswith(("s", "sh", "ch", "x", "o")) else "s"
    return [Said(subject="the team", verb=verb + ending, value=value, sureness=0.78)]


def _name_list(text: str) -> str | None:
    """Return *text* if it names technology: something with a capital, a digit, or a known name."""
    name = trimmed(text)
    return name if name and len(name.split()) <= 8 and is_concrete(name) and not OPINION.match(name) else None


OUR_FORMS: Final[tuple[Form, ...]] = (
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
            r"|no\s+longer\s+valid|obsolete|deleted|retired|decommissioned|shut\s+down))\b",
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
        re.compile(rf"for\s+(?P<purpose>.{{2,60}}?),?\s+{_WE}\s+(?:{ADVERB}\s+)?use\s+(?P<value>.+)", re.IGNORECASE),
        _of_purpose,
    ),
    (
        re.compile(rf"{_WE}(?:\s+are|['’]re)?\s+(?:{ADVERB}\s+)?(?:use|using)\s+(?P<value>.+)", re.IGNORECASE),
        _of_using,
    ),
    (
        re.compile(
            rf"{_WE}(?:\s+are|['’]re)\s+(?:{ADVERB}\s+)?(?P<verb>running(?:\s+on)?|on|hosted\s+on)\s+(?P<value>.+)",
            re.IGNORECASE,
        ),
        _of_running,
    ),
    (
        re.compile(
            rf"{_WE}\s+(?:{ADVERB}\s+)?(?P<verb>host|store|keep|deploy|run|serve)\s+(?!to\b|on\b"
            rf"|every\b)(?P<thing>.+?)\s+(?P<joint>on"
            rf"|in|at|with|to|from)\s+(?P<value>.+)",
            re.IGNORECASE,
        ),
        _of_placing,
    ),
    (re.compile(rf"{_WE}\s+(?:{ADVERB}\s+)?(?P<verb>run(?:\s+on)?)\s+(?P<value>.+)", re.IGNORECASE), _of_running),
    (
        re.compile(
            rf"{_WE}(?:['’]ve|\s+have)?\s+(?:{ADVERB}\s+)?(?P<verb>migrated|moved|switched"
            rf"|upgraded)\s+from\s+(?P<before>.+?)\s+to\s+(?P<value>.+)",
            re.IGNORECASE,
        ),
        _of_moving,
    ),
    (
        re.compile(
            rf"(?:i|{_WE})(?:['’]ve|\s+have)?\s+(?:{ADVERB}\s+)?(?P<verb>upgraded|migrated|switched|updated"
            rf"|downgraded)"
            rf"\s+to\s+(?P<value>.+)",
            re.IGNORECASE,
        ),
        _of_upgrade,
    ),
    (re.compile(rf"{_WE}\s+(?:{ADVERB}\s+)?have\s+(?P<value>.+)", re.IGNORECASE), _of_having),
    (_CHANGE, _of_change),
    (
        re.compile(
            rf"{_WE}\s+(?:{ADVERB}\s+)?(?P<verb>deploy|release)\s+(?P<joint>to|on|every|from)\s+(?P<value>.+)",
            re.IGNORECASE,
        ),
        _of_deploying,
    ),
    (re.compile(r"there(?P<verb>['’]s|\s+is|\s+are)\s+(?P<value>.+)", re.IGNORECASE), _of_existing),
    (_WE_DO, _of_our_doing),
)
