"""Technical facts of an exchange: limits, ports, paths, versions, hosts, settings, deadlines, owners, what is used.

Precision comes first. What the user says of the work is taken as it is said; what the assistant says only if it is
about this work (your server, what it has just looked at or changed), for its explanations are about the world. What a
tool returned is a candidate, never more. Secrets' names may be kept, their values never.
"""

import re
from dataclasses import dataclass
from typing import Final

from sojourn.memory.extraction.rules.reading import Reading
from sojourn.memory.extraction.rules.secrets import looks_secret, names_secret
from sojourn.memory.extraction.rules.segments import Segment, segments, shown
from sojourn.memory.extraction.rules.technical_nouns import Said, head_of, is_concrete, is_time, trimmed
from sojourn.memory.extraction.rules.technical_patterns import read_statement
from sojourn.memory.extraction.rules.technical_words import ATTRIBUTES, IMPERATIVES
from sojourn.memory.extraction.statement import FactStatement, Trust
from sojourn.memory.facts.slots import slot_name, slot_of
from sojourn.model.events import Span

_LEAD: Final = re.compile(
    r"^(?:[-*•>#]+\s+|\d+[.)]\s+)?(?:(?:fyi|btw|heads[ -]up|note(?: that)?|ok|okay|so|well|and|but|also|actually|no"
    r"|nope|yes|yep"
    r"|yeah|correction|sorry|hey|hi|oh|right|anyway|just so you know|for the record|remember(?: that)?"
    r"|keep in mind(?: that)?"
    r"|(?:small|quick) (?:correction|update|note)(?: from \w+)?|(?:it )?turns out(?: that)?|i (?:checked|looked"
    r"|found|see)(?: that)?|findings?|update|reminder|in fact"
    r"|basically|by the way"
    r"|my bad|my mistake|scratch that|never ?mind(?: that)?|oops|wait|context|background|done|correct|good news"
    r"|right now|currently|now|today|again"
    r"|please note(?: that)?|as of today"
    r"|in (?:our|my|your|this|the) (?:setup|project|case|team|company|environment|repo|app|config|codebase)|since"
    r"|because"
    r"|according to (?:your|the) \S+|in (?:your|our|the) \S+\.\w+,?)(?:\s*[,:;.!–-]+\s*|\s+))*",
    re.IGNORECASE,
)
_HEDGE: Final = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|might|may be|i think|i guess|i believe|i suppose|not sure|unsure|afaik"
    r"|iirc|i assume"
    r"|should be|would be|could be|seems|apparently|supposedly|hypothetically|if i'?m (?:not )?(?:wrong|mistaken)"
    r"|wish|i hope"
    r"|i'?d like|i want|i prefer|would like|let'?s|don'?t know|no idea|roughly speaking|in theory)\b",
    re.IGNORECASE,
)
_GENERIC: Final = re.compile(
    r"\b(?:by default|typically|usually|generally|often|commonly|normally|for example|e\.g|for instance|such as"
    r"|recommended"
    r"|should|must|can|could|may|might|will|would|you'?ll|if you|make sure|ensure|consider|recommend|suggest|ideally"
    r"|in general"
    r"|let'?s|imagine|suppose|depending|assuming|try|once you|when you|example)\b",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(
    r"(?:please|can|could|would|will you|i want|i'?d like|i need you|help me|let'?s|let us|write|assume|assuming"
    r"|suppose|say|imagine"
    r"|pretend|example|for example|e\.g|hypothetically|given|what if|if|whether|do|does|did|is|are|should|what|which"
    r"|who|how|why"
    r"|where|when)\b",
    re.IGNORECASE,
)
_ROLE_PLAY: Final = re.compile(
    r"\s*(?:you are (?:a|an|the|now)\b|act as\b|pretend\b|imagine\b|let'?s (?:pretend|imagine|play)\b)", re.IGNORECASE
)
_REPORT: Final = re.compile(
    r"\bI(?:'ve| have)?\s+(?:just\s+|also\s+|now\s+)?(?:checked|looked|found|ran|set|updated|changed|created|fixed"
    r"|configured|moved"
    r"|deployed|read|inspected|examined|verified|see that|reviewed|added|bumped|opened|queried|measured|tested)\b"
    r"|\bfindings\b"
    r"|\b(?:finished|completed|deployed|succeeded|done)[.:!]|^(?:done|fixed)\b[.,:!]",
    re.IGNORECASE,
)
_OWN: Final = re.compile(
    r"^(?:your|our)\b|\b(?:in|of|on|for|from)\s+(?:your|our)\b"
    r"|^this (?:project|repo|repository|codebase|app|service|server)\b",
    re.IGNORECASE,
)
_DONE_TO: Final = re.compile(r"\w+(?:ed|en|wn)\s+(?:with|by|to|in|on|at|from|as|up)\b", re.IGNORECASE)
_IN_OURS: Final = re.compile(r"(?:in|on|for)\s+(?:your|our)\b", re.IGNORECASE)
_ACTED_ON: Final = re.compile(r"(?:we|i)(?:['’]ve)?\s+\w+ed\s+(?P<thing>(?:the|our)\s+[\w -]{2,40})", re.IGNORECASE)
"""What "it" is after "we renamed the project"."""
_IT: Final = re.compile(r"(?:it|its|it's|it’s)\b", re.IGNORECASE)
_POSSESSIVE: Final = re.compile(r"^(?:our|your|this|that|the|these|those)\s+", re.IGNORECASE)
_MY: Final = re.compile(r"\bmy\s+", re.IGNORECASE)
_UNCLEAR: Final = re.compile(r"\b(?:I|I['’]\w+|me|we|us|you|they|them|their|he|she|him|it|this|these|those)\b|\ufffc")
"""What a sentence that stands alone does not hold: nobody knows who "they" are."""
_MINE: Final = re.compile(r"^my\s+", re.IGNORECASE)
_SETTING: Final = re.compile(r"(?<![\w.])(?P<name>[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\s?=\s?(?P<value>[^\s,;]+)")
_PLACE_VERB: Final = re.compile(
    r"stored|kept|lives?|saved|located|expires?|rotates?|rotated|managed|set in|defined", re.IGNORECASE
)
_CORRECTION: Final = re.compile(
    r"\s*(?:no|nope|actually|sorry|correction|wait|oops)\b[,:.!]*\s*(?:it['’]?s|it is|that['’]?s|i meant?"
    r"|make that)?\s*"
    r"(?P<value>[^\s,]*\d[^\s,]*(?:\s[a-z]+)?)(?:\s*,?\s*not\s+(?P<old>[^.!]+?))?[.!]*\s*$",
    re.IGNORECASE,
)
MAX_REPORT: Final = 2_000
"""An answer longer than this is an explanation; in it only what is said of the user's own things counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A message whose facts are looked for, and what the judgement of them rests on."""

    reading: Reading
    trust: Trust
    is_report: bool = False
    """Whether an assistant tells what it has seen or done, rather than explains."""
    known: str = ""
    """What tools returned in the exchange."""


def technical_facts(source: Source) -> list[FactStatement]:
    """Return the technical facts that one message states, in order."""
    reading = source.reading
    if not reading.sentences or (source.trust == "user" and _ROLE_PLAY.match(reading.prose)):
        return []
    found: list[FactStatement] = []
    subject = ""
    sentence = None
    asked = own = False
    text = shown(reading)
    for segment in segments(reading, text):
        if segment.sentence is not sentence:
            sentence, subject, own = segment.sentence, "", False
            asked = _is_request(segment)
        if asked or not segment.stated or segment.follows == "because":
            continue
        if named := _ACTED_ON.fullmatch(segment.text):
            subject = named["thing"]
        for said in _said(segment, subject):
            subject = said.subject or subject
            own = own or bool(_OWN.search(said.subject)) or bool(_IN_OURS.match(segment.text))
            if statement := _stated(said, segment, source, own=own):
                found.append(statement)
    return found


def is_report(answer: str, *, has_tools: bool) -> bool:
    """Tell whether *answer* tells what was seen or done, rather than explains how things are in the world."""
    return len(answer) <= MAX_REPORT and (has_tools or bool(_REPORT.search(answer[:MAX_REPORT])))


def correction(reading: Reading, before: list[FactStatement]) -> FactStatement | None:
    """Return the fact that "no, 9090" corrects: the last one of the messages *before*, with the new value."""
    match = _CORRECTION.match(reading.heard.text)
    if match is None or not before:
        return None
    last = before[-1]
    if last.value is None or last.removes or not re.search(r"\d", last.value) or last.value not in last.content:
        return None
    old = (match["old"] or "").strip()
    if old and old not in last.content:
        return None
    value = match["value"].strip()
    unit = re.search(r"\d\S*(\s\D.*)$", last.value)
    if unit and " " not in value and not re.search(r"[A-Za-z/%]", value):
        value += unit.group(1)
    content = last.content.replace(last.value, value)
    span = (match.start("value"), match.end("value"))
    return _statement(reading, content, span, confidence=0.8, trust="user", slot=last.slot, value=value)


def _is_request(first: Segment) -> bool:
    """Tell whether the sentence that begins here asks for something instead of stating it."""
    lead = _LEAD.match(first.text)
    text = first.text[lead.end() :] if lead else first.text
    word = re.match(r"[\w'-]+", text)
    if word is None:
        return False
    if _ASKS.match(text):
        return True
    return word.group().lower() in IMPERATIVES and not re.match(
        r"[A-Za-z']+\s+(?:is|are|was|has|uses|runs|takes)\b", text
    )


def _said(segment: Segment, subject: str) -> list[Said]:
    """Return what the segment says; "it" is the subject before it in the same sentence, if there is one."""
    setting = _SETTING.search(segment.text)
    if setting:
        return [Said(subject=setting["name"], verb="is", value=setting["value"].strip("\"'."), sureness=0.85)]
    text = " ".join(segment.text.split())
    text = _LEAD.sub("", text)
    if pronoun := _IT.match(text):
        if not subject:
            return []
        possessive = pronoun.group().lower() == "its"
        rest = text[pronoun.end() :]
        text = f"{subject}'s{rest}" if possessive else f"{subject}{' is' if len(pronoun.group()) > 2 else ''}{rest}"
    return [] if _HEDGE.search(text) else read_statement(text)


def _stated(said: Said, segment: Segment, source: Source, *, own: bool) -> FactStatement | None:
    """Return the statement, if its speaker may be believed in it and it holds no secret."""
    whole = f"{said.subject} {said.verb} {said.value}"
    if looks_secret(whole) or (names_secret(said.subject) and not _PLACE_VERB.search(said.verb)):
        return None
    confidence = said.sureness
    if source.trust == "assistant":
        believed = _believed(said, segment, source, own=own)
        if not believed:
            return None
        confidence = min(confidence, believed)
    if said.removes:
        bare = _bare(said.value)
        slot = slot_name("project", bare) if head_of(bare) and not is_concrete(bare) else None
        return _of(source, segment, said.value, confidence, slot=slot, value=None, removes=True)
    content = _sentence(said)
    if _UNCLEAR.search(content):
        return None
    slot, value = _question(said, content)
    return _of(source, segment, content, confidence, slot=slot, value=value, removes=False)


def _believed(said: Said, segment: Segment, source: Source, *, own: bool) -> float:
    """Return how far an assistant's word is to be believed: 0 if it speaks of the world and not of this work."""
    if said.removes or _GENERIC.search(segment.text):
        return 0.0
    value = re.split(r"\s", said.value)[0]
    if source.known and re.search(r"\d|[/._]", value) and value in source.known:
        return 0.9
    first_person = segment.text.lower().startswith(("i ", "i've "))
    if own or (first_person and (said.subject.lower().startswith("the ") or "_" in said.subject)):
        return 0.85 if re.search(r"\d|[/_]", said.value) or said.verb not in {"is", "are"} else 0.0
    return 0.8 if source.is_report else 0.0


def _bare(subject: str) -> str:
    return _MINE.sub("", _POSSESSIVE.sub("", subject))


def _subject(subject: str, *, mine: str) -> str:
    """Return the subject as anybody says it: "our server" is "the server", "my laptop" is the user's."""
    if _MINE.match(subject):
        return _MINE.sub(mine, subject)
    if _POSSESSIVE.match(subject):
        return _POSSESSIVE.sub("The ", subject)
    named = subject[:1].isupper() or re.match(r"\S*[\d_/.]", subject) or " " not in subject
    return subject[:1].upper() + subject[1:] if named and subject[:1].isalpha() and "_" not in subject else subject


def _sentence(said: Said) -> str:
    subject = re.sub(r"\byour\b|\bour\b", "the", _subject(said.subject, mine="The user's "))
    subject = _MY.sub("the user's ", subject)
    value = _MY.sub("the user's ", re.sub(r"\b(?:our|your)\s+", "the ", said.value))
    text = f"{subject} {said.verb} {value}"
    text = re.sub(r"\s+([,.;:)])", r"\1", " ".join(text.split()))
    return (text[:1].upper() + text[1:] if text.split(" ", 1)[0].isalpha() and text[:1].islower() else text) + "."


def _question(said: Said, content: str) -> tuple[str | None, str | None]:
    """Return the question that the fact answers, and the answer."""
    if said.verb in {"is", "are"} and _DONE_TO.match(said.value):  # "is registered with Y" does not answer what X is
        return None, said.value
    plain = re.sub(r"^The user's ", "The ", content)
    if slot := slot_of(plain):
        return slot.name, slot.value
    if said.attribute:
        subject, _, attribute = said.attribute.partition("/")
        named = said.subject if said.verb == "is" or attribute == "owner" else said.value
        value = (
            re.split(r"\s(?:for|as|to)\s", named)[0]
            .removeprefix(f"a {attribute} of ")
            .removeprefix(f"an {attribute} of ")
        )
        return slot_name(subject, attribute), value
    subject = _bare(said.subject)
    verb = " ".join(said.verb.lower().split())
    if verb in {"is", "are", "is set to"} and re.fullmatch(r"\w*_\w+|[A-Z][A-Z0-9]+", subject):
        return slot_name("project", subject), said.value
    if (head := head_of(said.subject)) in ATTRIBUTES and verb in {"is", "are"}:
        rest = subject.lower().removesuffix(head).strip()
        return (slot_name(rest or "project", head) if subject.lower().endswith(head) else None), said.value
    if verb in {"is", "are"} and re.match(r"(?:in|at|on)\s", said.value) and not is_time(said.value):
        return slot_name(subject, "location"), said.value.split(" ", 1)[1]
    attribute = _ATTRIBUTE_OF.get(verb.removeprefix("is ").removeprefix("are ").removeprefix("was "), "")
    if not attribute or "project" in subject.split():
        return None, said.value
    return slot_name(subject, attribute), trimmed(said.value)


_ATTRIBUTE_OF: Final = {
    "called": "name",
    "named": "name",
    "moved to": "location",
    **dict.fromkeys(
        (
            f"{verb} {joint}"
            for verb in ("stored", "kept", "located", "saved", "installed", "found", "placed")
            for joint in ("in", "at", "on", "under")
        ),
        "location",
    ),
    **dict.fromkeys(
        (
            "lives in",
            "lives at",
            "lives under",
            "live in",
            "live at",
            "live under",
            "goes to",
            "go to",
            "in",
            "at",
            "on",
        ),
        "location",
    ),
    **dict.fromkeys(
        ("hosted on", "hosted at", "hosted in", "deployed on", "deployed to", "deployed in", "runs on", "run on"),
        "host",
    ),
    **dict.fromkeys(("listens on", "listen on", "listening on"), "address"),
    **dict.fromkeys(
        ("runs at", "runs every", "run at", "run every", "starts at", "scheduled for", "planned for"), "time"
    ),
    **dict.fromkeys(("due", "due on", "due by"), "deadline"),
    **dict.fromkeys(("owned by", "maintained by", "managed by", "led by"), "owner"),
    **dict.fromkeys(("expires on", "expires at", "expires in", "expires after", "expire on", "expire after"), "expiry"),
    **dict.fromkeys(("takes", "take", "lasts"), "duration"),
    **dict.fromkeys(("costs", "cost"), "cost"),
    **dict.fromkeys(("built with", "built on", "built using", "built in", "based on"), "framework"),
    **dict.fromkeys(("written in", "rewritten in"), "language"),
    **dict.fromkeys(("capped at", "limited to"), "limit"),
    "defaults to": "default",
}
"""Which question a verb answers of its subject."""


def _of(
    source: Source,
    segment: Segment,
    content: str,
    confidence: float,
    *,
    slot: str | None,
    value: str | None,
    removes: bool,
) -> FactStatement:
    span = (segment.start, segment.end)
    return _statement(
        source.reading,
        content,
        span,
        confidence=confidence,
        trust=source.trust,
        slot=slot,
        value=value,
        removes=removes,
    )


def _statement(
    reading: Reading,
    content: str,
    span: tuple[int, int],
    *,
    confidence: float,
    trust: Trust,
    slot: str | None,
    value: str | None,
    removes: bool = False,
) -> FactStatement:
    return FactStatement(
        content=content,
        slot=slot,
        value=value,
        removes=removes,
        confidence=round(confidence, 2),
        trust=trust,
        evidence=(Span(seq=reading.heard.seq, start=span[0], end=span[1]),),
    )
