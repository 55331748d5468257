"""Technical facts as SUBJECT VERB VALUE: "the server runs on port 8080", "our rate limit is 500".

A pattern judges the words alone; whether their speaker vouches for them, and whether they are about this work at all,
is `technical`'s to judge.
"""

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
    Form,
    Said,
    head_of,
    is_concrete,
    is_person,
    is_subject,
    is_time,
    names_tool,
    trimmed,
)
from sojourn.memory.extraction.rules.technical_words import ATTRIBUTES, KIN, ROLES, THINGS, TRANSIENT
from sojourn.memory.facts.attributes import STATES as NO_ANSWERS

_PLACED: Final = (
    r"(?:hosted|stored|kept|located|saved|deployed|installed|mounted|exposed|available|reachable|listening|running"
    r"|documented|defined|configured|set|found|placed|published|served)"
)
_BE: Final = (
    r"(?:is|are|was|were|has been|have been"
    r"|['’]s(?=\s+(?:in|on|at|set|called|named|hosted|stored|kept|running|deployed|owned|due|not|now|\d)\b))"
)
_STRONG: Final = (
    rf"{_BE}\s+(?:{ADVERB}\s+)?(?:set\s+(?:to|at)|called|named|{_PLACED}\s+(?:in|at|on|under|to|with)|capped\s+at"
    r"|limited\s+to|pinned\s+to|(?:re)?written\s+in|built\s+(?:with|on|in|using)|based\s+on|powered\s+by|backed\s+by"
    r"|owned\s+by|maintained\s+by|managed\s+by|led\s+by|(?:scheduled|planned|set)\s+for|due(?:\s+(?:on|by|in|at))?"
    r"|running(?:\s+on)?|responsible\s+for|in\s+charge\s+of|restricted\s+to|blocked\s+by|protected\s+by"
    r"|configured\s+(?:as|with|to)|mapped\s+to|bound\s+to|fixed\s+at|kept\s+for"
    r"|used\s+(?:by|for)|reserved\s+for|assigned\s+to|taken\s+by|moved\s+to|switched\s+to|migrated\s+to"
    r"|upgraded\s+to|rotated\s+every|stored\s+for)"
    r"|lives?\s+(?:in|at|under|on)|listens?\s+(?:on|at)|runs?\s+(?:on|at|in|every|under|behind|version|from)"
    r"|defaults?\s+to"
    r"|points\s+(?:to|at)|(?:expires?|starts|ends|opens|closes|leaves|begins|departs)\s+(?:on|at|in|after|every|from)"
    r"|(?:rotates?|refresh(?:es)?|syncs?|polls?|restarts?|happens?|repeats?|resets?)\s+(?:every|at|on|after)"
    r"|takes?\s+place"
    r"|go(?:es)?\s+(?:to|live)|writes?\s+to|logs?\s+to|depends?\s+on|sits?\s+(?:on|behind|in)|equals|stands\s+at"
    r"|gets?\s+\w+(?:ed|t|n)\s+(?:every|at|on|after)"
)
_PLAIN: Final = (
    r"(?:takes\s+care\s+of|(?:has\s+)?(?:moved|switched|migrated|dropped|rose|grew|fell|went\s+(?:up|down))\s+to"
    r"|gets?|uses?|requires?|needs?|supports?|allows?"
    r"|accepts?|returns|blocks|exposes?|contains?|takes?(?=\s\S*\s?\d)|takes|lasts?(?=\s\S*\s?\d)|costs?"
    r"|runs?|has|have|ships?\s+with|takes\s+care\s+of|looks\s+after|handles|owns|maintains|leads|manages|holds"
    r"|serves|sends|expects|includes|drops|keeps)"
)
_VERB: Final = re.compile(
    rf"(?P<subject>\S.{{0,90}}?)(?:\s+{ADVERB})?(?:\s+|(?=['’]s\s))(?P<verb>{_STRONG}|{_PLAIN}|{_BE})"
    rf"(?:\s+{ADVERB})?\s+(?P<value>\S.*)",
    re.IGNORECASE,
)
_OWNING: Final = frozenset({"owns", "maintains", "leads", "manages", "takes care of", "looks after", "handles"})
_COUNTED: Final = frozenset({
    "has", "have", "get", "gets", "need", "takes", "take", "lasts", "last", "costs", "cost", "needs", "returns",
    "allows", "allow", "accepts", "accept", "blocks", "contains", "contain", "holds", "drops", "keeps", "sends",
})  # fmt: skip
"""Verbs whose value is worth keeping if it is exact."""
_PASSIVE: Final = re.compile(
    r"(?P<subject>\S.{0,70}?)\s+(?P<verb>(?:is|are|gets?)\s+(?:now\s+|currently\s+|only\s+)?(?P<participle>\w+(?:ed"
    r"|en|wn|nt|lt|pt|un|ut))\s+"
    r"(?:to|by|with|on|in|at|from|under|through|via|every|after|using|as))\s+(?P<value>\S.*)",
    re.IGNORECASE,
)
_NO_PARTICIPLES: Final = frozenset({
    "supposed", "related", "compared", "interested", "excited", "tired", "caused", "considered", "stuck", "broken",
    "confused", "different", "important", "present", "convinced", "done", "finished", "worried", "concerned", "used",
    "involved", "opposed", "impressed", "disappointed", "scared", "bored", "frustrated", "affected", "inspired",
})  # fmt: skip
_ANY_VERB: Final = re.compile(
    r"(?P<subject>(?:(?:the|our|my|your|each|every)\s+)?(?:[\w'’./-]+\s+){0,4}?[\w'’./-]+)\s+"
    r"(?P<verb>[a-z]{3,}s(?:\s+(?:off|up|out|down|over|in|on|at|to|from|after|every|for|within))*)\s+(?P<value>\S.*)",
    re.IGNORECASE,
)
_AND_SO_ON: Final = re.compile(r"\s+and\s+(?:has|is|was|then|must|should|will|can|needs|does)\b.*$", re.IGNORECASE)
_EACH: Final = re.compile(r"^(?:each|every)\s+", re.IGNORECASE)
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
_NAMING: Final = re.compile(
    r"called|named|\bby$|stored|kept|saved|hosted|located|lives?\b|runs? on|based|written|used by|deployed|set to"
    r"|depends|restricted"
    r"|due|responsible|running"
)
"""Verbs that make a value of any few words, even if nothing in them looks like a name."""


def _of_verb(match: "re.Match[str]") -> list[Said]:
    subject, verb = match["subject"].strip(), " ".join(match["verb"].split())
    value = trimmed(match["value"])
    lowered = verb.lower()
    if not value or len(value.split()) > MAX_VALUE:
        return []
    if lowered == "is" and is_person(subject) and (role := _ROLE.fullmatch(value)):
        return [Said(subject=subject, verb=verb, value=value, sureness=0.88, attribute=f"project/{role['role']}")]
    if lowered in _OWNING or lowered.endswith(("responsible for", "in charge of")):
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


def _of_passive(match: "re.Match[str]") -> list[Said]:
    """Read "dashboards are rendered by Grafana": any participle, if the value is worth keeping."""
    subject, value = match["subject"].strip(), trimmed(match["value"])
    if match["participle"].lower() in _NO_PARTICIPLES or not is_subject(subject, value) or OPINION.match(value):
        return []
    if not is_concrete(value) or len(value.split()) > MAX_SUBJECT:
        return []
    return [Said(subject=subject, verb=match["verb"], value=value, sureness=0.85)]


def _of_any_verb(match: "re.Match[str]") -> list[Said]:
    """Read "the app targets API level 34": any verb, if the subject is ours and the value exact."""
    subject, verb, value = match["subject"].strip(), match["verb"], trimmed(_AND_SO_ON.sub("", match["value"]))
    first = verb.split()[0].lower()
    if first in TRANSIENT or first in THINGS or len(subject.split()) > 6 or len(value.split()) > 10:
        return []
    named = _EACH.sub("the ", subject)
    if not is_subject(named) or head_of(named) in KIN or not (NUMBER.search(value) or is_time(value)):
        return []
    return [Said(subject=subject, verb=verb, value=value, sureness=0.8)]


def _judged(subject: str, verb: str, value: str) -> list[Said]:
    """Return what is said if the value is of the kind that the verb calls for."""
    lowered = verb.lower()
    if re.fullmatch(_STRONG, lowered, re.IGNORECASE):
        both = _BOTH.fullmatch(value)
        if both and lowered.endswith(both["joint"].lower()):
            return _judged(subject, verb, both["one"]) + _judged(both["other"], verb, both["two"])
        vague = not is_concrete(value) and not (_NAMING.search(lowered) and len(value.split()) <= 5)
        sureness = 0.92 if is_concrete(value) else 0.75
        return [] if vague else [Said(subject=subject, verb=verb, value=value, sureness=sureness)]
    if lowered in _COUNTED:
        if lowered in {"has", "have"} and re.match(r"(?:been|\w+ed|made|had|got)\b", value):
            return []
        of = _OF.match(value)
        attribute = f"{DETERMINER.sub('', subject)}/{of['attribute']}" if of and lowered in {"has", "have"} else ""
        exact = NUMBER.search(value) or CODE.search(value) or names_tool(value)
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


def _of_label(match: "re.Match[str]") -> list[Said]:
    """Read "rate limit: 1000 requests/hour"."""
    subject, value = match["subject"], trimmed(match["value"])
    if (
        head_of(subject) not in ATTRIBUTES
        or not is_subject(subject)
        or not (NUMBER.search(value) or CODE.search(value) or names_tool(value))
        or len(value.split()) > 6
    ):
        return []
    return [Said(subject=subject, verb="is", value=value, sureness=0.82)]


VERB_FORMS: Final[tuple[Form, ...]] = (
    (re.compile(r"(?P<subject>[\w' -]{3,50}?):\s+(?P<value>\S.*)"), _of_label),
    (_VERB, _of_verb),
    (_PASSIVE, _of_passive),
    (_ANY_VERB, _of_any_verb),
)
