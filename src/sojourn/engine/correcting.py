"""Put right what is believed by what only makes sense to somebody who believes it: "make that 20 seconds".

It is the learner's last resort, for a user's message in which the extractor found nothing that the user states.
"""

from typing import Final

from sojourn.engine.session import Session
from sojourn.memory.extraction.statement import Exchange, Extraction, Heard
from sojourn.memory.facts.correcting import (
    Believed,
    Correction,
    denied,
    forgotten_field,
    left_behind,
    put_right,
    updated,
)
from sojourn.memory.facts.judging import meant
from sojourn.memory.facts.values import same_value
from sojourn.model.events import ProfileFieldRemoved, ProfileUpdated, Span
from sojourn.model.profile import LISTS, accepted_fields

CONFIDENCE: Final = 0.8
_FIELDS: Final = ("name", "age", "location", "occupation", "current_project")
_FACT: Final = "fact "


async def correct(session: Session, exchange: Exchange, found: Extraction) -> None:
    """Correct what *exchange* puts right of what is believed, if *found* has nothing that the user states."""
    user = exchange.user
    if user is None:
        return
    for sentence, start, end in _sentences(user):
        span = Span(seq=user.seq, start=start, end=end)
        await _leave_behind(session, sentence, span)
        if any(one.trust == "user" for one in (*found.profile, *found.facts)):
            await _deny(session, sentence, found, span)
        elif correction := put_right(sentence, _latest(session, exchange)):
            await _apply(session, correction, span)
        else:
            await _update(session, sentence, span)


def _sentences(user: Heard) -> list[tuple[str, int, int]]:
    """Return what the user says of his own accord, sentence by sentence, with its place in the message."""
    # The grammar takes a while to load; a program in which nothing is said does without.
    from sojourn.memory.extraction.rules.reading import read  # noqa: PLC0415
    from sojourn.memory.extraction.rules.reading_mask import HIDDEN  # noqa: PLC0415

    reading = read(user)
    return [
        (reading.prose[one.start : one.end], one.start, one.end)
        for one in reading.sentences
        if one.mark != "?" and HIDDEN not in reading.prose[one.start : one.end]
    ]


def _latest(session: Session, exchange: Exchange) -> list[Believed]:
    """Return what was learned from the last messages, the last first."""
    since = min((one.seq for one in exchange.before), default=0)
    state = session.state
    found = [
        (int(fact.evidence[-1]), Believed(_FACT + fact.fact_id, fact.content, fact.value))
        for fact in state.knowledge_base.with_status("active")
        if fact.value and fact.evidence[-1] >= since > 0
    ]
    for field in _FIELDS:
        origin, value = state.user_profile.origins.get(field), getattr(state.user_profile, field)
        if origin is not None and value and origin.seq >= since > 0:
            found.append((origin.seq, Believed(field, str(value), str(value))))
    return [one for _, one in sorted(found, key=lambda pair: pair[0], reverse=True)]


async def _leave_behind(session: Session, sentence: str, span: Span) -> None:
    """Drop what the user asks to forget, or says that he has given up."""
    profile = session.state.user_profile
    events = [
        ProfileFieldRemoved(field=field, value=value)
        for field in LISTS
        for value in left_behind(sentence, getattr(profile, field))
    ]
    asked = forgotten_field(sentence)
    if asked is not None and profile.holds(asked):
        events.append(ProfileFieldRemoved(field=asked))
    if events:
        await session.append(*events, causes=_causes(span))
    for fact in session.facts.with_status("active"):
        mine = fact.about == "user" and span.seq not in fact.evidence and left_behind(sentence, [fact.value or "-"])
        if (mine and fact.slot != "user/dislikes") or (asked is not None and fact.slot == f"user/{asked}"):
            await session.facts.retire(fact.fact_id, "the user took it back", causes=_causes(span))


async def _apply(session: Session, correction: Correction, span: Span) -> None:
    if correction.key.startswith(_FACT):
        await session.facts.correct(correction.key.removeprefix(_FACT), correction.text, causes=_causes(span))
        return
    fields = accepted_fields({correction.key: correction.value})
    if fields:
        event = ProfileUpdated(fields=fields, confidence=CONFIDENCE, spans=(span,))
        await session.append(event, causes=_causes(span))


async def _update(session: Session, sentence: str, span: Span) -> None:
    """Learn a sentence that answers, in another way, a question to which the answer is known."""
    answer = updated(sentence)
    if answer is None:
        return
    content, slot = answer
    name = meant(slot.name, session.facts)
    if any(fact.slot == name and fact.status == "active" for fact in session.facts):
        await session.facts.learn(
            content, slot=name, value=slot.value, confidence=CONFIDENCE, spans=(span,), causes=_causes(span)
        )


async def _deny(session: Session, sentence: str, found: Extraction, span: Span) -> None:
    """Retire what the user says is not so, beside what is: of two daughters, the one who is 6 is not meant."""
    old = denied(sentence)
    if old is None:
        return
    slots = {fact.slot for fact in found.facts if fact.trust == "user" and fact.slot and not fact.removes}
    for fact in session.facts.with_status("active"):
        if fact.slot in slots and fact.value and same_value(fact.value, old):
            await session.facts.retire(fact.fact_id, "the user says that it is not so", causes=_causes(span))


def _causes(span: Span) -> tuple[int, ...]:
    return (span.seq,) if span.seq else ()
