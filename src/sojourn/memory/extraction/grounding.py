"""How much of what a model found is believed.

A model states much with a confidence of 0.95, whatever it read. So its confidence only counts as far as it can show the
words: what it quotes must stand in the message that it names, and must have to do with what it concludes.
"""

import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from sojourn.memory.extraction.findings import Finding, Findings, FoundFact, FoundField
from sojourn.memory.extraction.quotes import forget_texts, locate, stands_in
from sojourn.memory.extraction.rules.secrets import looks_secret, names_secret
from sojourn.memory.extraction.statement import (
    DecisionStatement,
    Exchange,
    Extraction,
    FactStatement,
    FileStatement,
    Heard,
    ProfileStatement,
    TaskStatement,
    Trust,
)
from sojourn.memory.facts.slots import slot_of
from sojourn.model.events import Span
from sojourn.model.interaction import Intent
from sojourn.model.profile import LISTS, SCALARS, accepted_fields
from sojourn.model.wording import sentence, words

QUOTED_MOST: Final = 0.95
"""The most that is believed of what rests on the user's own words."""
OTHERS_MOST: Final = 0.75
"""The most that is believed of what rests on anybody else's."""
INFERRED_MOST: Final = 0.65
"""The most that is believed of what shares no word with its quote: not enough to be taken as true without a review."""

_TRUST: Final[dict[str, Trust]] = {"user": "user", "assistant": "assistant", "tool": "external"}
_LOWERED: Final[dict[Trust, Trust]] = {"user": "assistant", "assistant": "external", "external": "external"}
_NOBODY: Final = frozenset({"user", "i", "my", "me", "we", "our", "they", "their", "it", "and", "with", "for", "has"})
_TELLS: Final = re.compile(r"\b(?:is|are|was|to)\s|[:=]")
"""Between the name of a secret and the secret."""
_PLAIN_NO: Final = re.compile(r"^\W*no\W+", re.IGNORECASE)


class Ground(NamedTuple):
    """What a finding stands on."""

    confidence: float
    trust: Trust
    evidence: tuple[Span, ...]


def grounded(findings: Findings, exchange: Exchange) -> Extraction:
    """Return of *findings* what can be believed, and how far, about *exchange*. Each is stated once."""
    try:
        return _grounded(findings, exchange)
    finally:
        forget_texts()


def _grounded(findings: Findings, exchange: Exchange) -> Extraction:
    return Extraction(
        profile=_once(_profile(found, exchange) for found in findings.profile),
        facts=_once([fact] if (fact := _fact(found, exchange)) else [] for found in findings.facts),
        decisions=_once(
            [DecisionStatement(text=_line(found.text), **ground._asdict())]
            for found in findings.decisions
            if (ground := _ground(found, exchange, claim=found.text, reviewed=False))
        ),
        tasks=_once(
            [TaskStatement(text=_line(found.text), done=found.done, **ground._asdict())]
            for found in findings.tasks
            if (ground := _ground(found, exchange, claim=found.text, reviewed=False, may_deny=True))
        ),
        files=_once(
            [FileStatement(path=found.path.strip(), action=found.action, **ground._asdict())]
            for found in findings.files
            if found.path.strip() and (ground := _ground(found, exchange, claim=found.path, reviewed=False))
        ),
        intent=Intent(type=findings.intent.type, confidence=min(findings.intent.confidence, OTHERS_MOST))
        if findings.intent
        else None,
        topic=findings.topic,
    )


def _profile(found: FoundField, exchange: Exchange) -> list[ProfileStatement]:
    if found.field not in SCALARS and found.field not in LISTS:
        return []
    values: list[str | int | None] = [*_values(found.field, found.value)]
    if not values and found.removes and found.value is None:
        values = [None]  # nothing that the field held holds any more
    former = next(iter(_values(found.field, found.former)), None)
    statements = []
    for value in values:
        claim = str(value) if value is not None else ""
        ground = _ground(found, exchange, claim=claim, may_deny=found.removes)
        if ground:
            statements.append(
                ProfileStatement(
                    field=found.field, value=value, removes=found.removes, former=former, **ground._asdict()
                )
            )
    return statements


def _fact(found: FoundFact, exchange: Exchange) -> FactStatement | None:
    content = _line(found.content)
    ground = _ground(found, exchange, claim=content, may_deny=found.removes) if content else None
    if ground is None:
        return None
    slot = None if found.removes else slot_of(content)
    return FactStatement(
        content=content,
        slot=slot.name if slot else None,
        value=slot.value if slot else None,
        # What others say holds for this talk; only the user can say that it holds beyond it.
        scope=found.scope if ground.trust == "user" else "session",
        about="user" if found.about_user else None,
        removes=found.removes,
        **ground._asdict(),
    )


def _ground(
    found: Finding, exchange: Exchange, *, claim: str, reviewed: bool = True, may_deny: bool = False
) -> Ground | None:
    """Return how far a finding is believed; None if it rests on nothing that was said here, or tells a secret.

    A kind of finding that is never *reviewed* must have its quote, because nobody will see that it is doubtful. With
    *may_deny* the quote may well say "not" where *claim* does not: "don't forget to call".
    """
    if looks_secret(claim) or (names_secret(claim) and _TELLS.search(claim)):
        return None
    named = _messages(found.source, exchange)
    span = next((span for heard in named if (span := locate(found.quote, heard))), None)
    if span is None:
        return _unfounded(found, exchange, named) if reviewed else None
    trust = _TRUST[found.source]
    confidence = min(found.confidence, QUOTED_MOST if trust == "user" else OTHERS_MOST)
    if claim and not _share_words(found.quote, claim):
        confidence = min(confidence, INFERRED_MOST)
    if not may_deny and _denies(found.quote, claim):
        confidence /= 2
    return Ground(confidence, trust, (span,))


def _unfounded(found: Finding, exchange: Exchange, named: tuple[Heard, ...]) -> Ground | None:
    """Return how far a finding is believed whose quote does not stand in the message that it names."""
    everything = (*_messages("user", exchange), *_messages("assistant", exchange), *exchange.tools)
    trust = _LOWERED[_TRUST[found.source]]
    confidence = min(found.confidence, OTHERS_MOST) / 2
    for source in ("user", "assistant", "tool"):
        for heard in _messages(source, exchange):
            if span := locate(found.quote, heard):
                said_by = _TRUST[source]
                return Ground(confidence, trust if said_by == "user" else _least(trust, said_by), (span,))
    if any(stands_in(found.quote, heard.text) for heard in (*everything, *exchange.before)):
        return None  # only in what was injected, or said before
    rests_on = (named or everything)[:1]
    if not rests_on:
        return None
    # The words were not found, so it rests on the message as a whole: forgetting that forgets what was made of it.
    return Ground(confidence, trust, tuple(Span(seq=one.seq, start=0, end=len(one.text)) for one in rests_on))


def _messages(source: str, exchange: Exchange) -> tuple[Heard, ...]:
    match source:
        case "user":
            return (exchange.user,) if exchange.user else ()
        case "assistant":
            return (exchange.assistant,) if exchange.assistant else ()
        case _:
            return exchange.tools


def _least(one: Trust, other: Trust) -> Trust:
    order: tuple[Trust, ...] = ("user", "assistant", "external")
    return max(one, other, key=order.index)


def _share_words(quote: str, claim: str) -> bool:
    concluded = set(words(claim))
    return bool((concluded - _NOBODY or concluded) & set(words(quote)))


def _denies(quote: str, claim: str) -> bool:
    """Tell whether the quote denies something and the claim does not. A plain "no, ..." denies what was said before."""
    return sentence(_PLAIN_NO.sub("", quote)).apart[1] and not sentence(claim).apart[1]


def _values(field: str, value: Any) -> list[str | int]:
    taken = accepted_fields({field: value}).get(field)
    if taken is None:
        return []
    values = list(taken) if isinstance(taken, tuple) else [taken]
    return [_line(value) if isinstance(value, str) else value for value in values if len(str(value)) <= 200]


def _line(text: str) -> str:
    return " ".join(text.split())


def _once(groups: Iterable[list[Any]]) -> tuple[Any, ...]:
    """Return the statements of all groups, of those that say the same the likeliest."""
    best: dict[Any, Any] = {}
    for statement in (statement for group in groups for statement in group):
        key = _key(statement)
        if key not in best or statement.confidence > best[key].confidence:
            best[key] = statement
    return tuple(best.values())


def _key(statement: Any) -> tuple[Any, ...]:
    match statement:
        case ProfileStatement(field=field, value=value, removes=removes):
            return field, str(value).casefold(), removes
        case FactStatement(content=content, removes=removes):
            return sentence(content).plain, removes
        case TaskStatement(text=text, done=done):
            return sentence(text).plain, done
        case FileStatement(path=path):
            return (path,)
        case _:
            return (sentence(statement.text).plain,)
