"""Why something is believed: the journal entries behind it, down to the words that were said."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from sojourn.engine.live import Live
from sojourn.errors import InvalidInputError, NotFoundError
from sojourn.model.entry import Entry
from sojourn.model.events import MessageAdded
from sojourn.model.ids import Seq
from sojourn.model.knowledge import Fact
from sojourn.model.message import Role
from sojourn.model.state import SessionState
from sojourn.model.working_set import Decision, Task

MAX_ENTRIES: Final = 500
"""So many entries are followed back; a belief that rests on more is explained by the nearest."""
SUMMARY: Final = "summary"

Thing = Fact | Decision | Task | str | int
"""What can be explained: a fact or its id, a profile field's name, a decision or its words, "summary", or a seq."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """What somebody said, word by word."""

    seq: Seq
    role: Role
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The entries that something rests on, oldest first, and the messages among them."""

    subject: str
    entries: tuple[Entry, ...]
    quotes: tuple[Quote, ...]


async def explain(session: Live, thing: Thing) -> Explanation:
    """Return the entries behind *thing*, and those behind them.

    Raises:
        NotFoundError: the session holds no such thing.
    """
    subject, seqs = evidence_of(session.state, thing)
    entries = await _with_causes(session, seqs)
    quotes = tuple(
        Quote(seq=entry.seq, role=entry.event.message.role, text=entry.event.message.text)
        for entry in entries
        if isinstance(entry.event, MessageAdded)
    )
    return Explanation(subject=subject, entries=entries, quotes=quotes)


def evidence_of(state: SessionState, thing: Thing) -> tuple[str, tuple[Seq, ...]]:
    """Return what *thing* is in words, and the entries that it directly rests on."""
    match thing:
        case Fact():
            # One that fell out of the state says by itself what it rests on.
            fact = state.knowledge_base.facts.get(thing.fact_id, thing)
            return fact.content, fact.evidence
        case Decision() | Task():
            return thing.text, (thing.seq,)
        case bool():
            raise InvalidInputError(f"{thing!r} is nothing that can be explained")
        case int():
            if not 1 <= thing <= state.head:
                raise NotFoundError(f"there is no entry {thing}: the entries are 1 to {state.head}")
            return f"entry {thing}", (Seq(thing),)
        case str():
            return _named(state, thing)


def _named(state: SessionState, name: str) -> tuple[str, tuple[Seq, ...]]:
    fact = state.knowledge_base.facts.get(name)
    if fact is not None:
        return fact.content, fact.evidence
    origin = state.user_profile.origins.get(name)
    if origin is not None:
        return f"{name}: {getattr(state.user_profile, name)}", (origin.seq,)
    if name == SUMMARY and state.working_set.summary_seq is not None:
        return state.working_set.summary, (state.working_set.summary_seq,)
    noted: tuple[Decision | Task, ...] = (*state.working_set.decisions, *state.working_set.open_tasks)
    for known in noted:
        if known.text == name:
            return known.text, (known.seq,)
    by_content = next((fact for fact in state.knowledge_base.facts.values() if fact.content == name), None)
    if by_content is not None:
        return by_content.content, by_content.evidence
    raise NotFoundError(f"there is no fact, profile field, decision, task or summary {name!r:.100}")


async def _with_causes(session: Live, seqs: Iterable[Seq]) -> tuple[Entry, ...]:
    """Return the entries *seqs* and all that they were derived from, oldest first."""
    found: dict[int, Entry] = {}
    waiting = sorted(set(seqs), reverse=True)
    while waiting and len(found) < MAX_ENTRIES:
        seq = waiting.pop(0)
        if seq in found or not 1 <= seq <= session.state.head:
            continue
        [entry] = await session.store.read(session.id, after=seq - 1, before=seq + 1, limit=1)
        found[seq] = entry
        waiting += [cause for cause in entry.causes if cause not in found]
    return tuple(found[seq] for seq in sorted(found))
