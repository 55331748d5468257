"""Forgetting: content is removed for good, with all that was derived from it, wherever it is read.

What remains is a tombstone: that an entry of some kind stood there, and nothing of what it said.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sojourn.engine.live import Live
from sojourn.engine.unsent import UnsentTexts
from sojourn.errors import InvalidInputError, NotFoundError
from sojourn.model.entry import Entry
from sojourn.model.events import NOTHING_TO_FORGET, Event, MessageAdded, ProfileFieldRemoved, ProfileUpdated
from sojourn.model.ids import SessionId
from sojourn.model.knowledge import Fact
from sojourn.model.profile import LISTS, SCALARS
from sojourn.store.all_sessions import all_sessions
from sojourn.store.protocol import MAX_PAGE, Redaction, SessionQuery, Store

What = Literal["fact", "field", "message", "session"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreseen:
    """What would be forgotten: the entries of the session, oldest first, and the *others* that read some of them.

    In other sessions more may go: what was derived there from these entries.
    """

    entries: tuple[Entry, ...]
    others: tuple[SessionId, ...] = ()


async def forget(session: Live, what: What, name: str | int | Fact | None = None) -> Redaction:
    """Forget a fact (by id), a profile field (by name), a message (by seq), or all that the session holds.

    Raises:
        NotFoundError: the session holds no such thing.
        InvalidInputError: *what* or *name* does not say what.
    """
    redaction = await session.store.redact(session.id, await _meant(session, what, name))
    if what == "session":
        await UnsentTexts(session.store.documents).forget(session.id)
    return redaction


async def foresee(session: Live, what: What, name: str | int | Fact | None = None) -> Foreseen:
    """Return what `forget` would remove, and change nothing. The errors are the same."""
    gone = set(await _meant(session, what, name))
    entries: list[Entry] = []
    after = min(gone) - 1
    while page := await session.store.read(session.id, after=after, limit=MAX_PAGE):
        for entry in page:
            if entry.seq in gone or not gone.isdisjoint(entry.causes):
                gone.add(entry.seq)
                if not isinstance(entry.event, NOTHING_TO_FORGET):
                    entries.append(entry)
        after = page[-1].seq
    return Foreseen(entries=tuple(entries), others=await _readers(session, min(gone)))


async def _readers(session: Live, seq: int) -> tuple[SessionId, ...]:
    """Return the other sessions that read entry *seq*: those it was forked from, and those forked after it."""
    owner = session.state.header
    while owner.forked_from is not None and seq <= (owner.forked_at or 0):
        if owner.session_id not in await session.store.list_forks(owner.forked_from):
            break  # it was detached, and has a copy of its own
        owner = (await session.store.get_session(owner.forked_from)).header
    found, waiting = [owner.session_id], [owner.session_id]
    while waiting:
        for fork_id in await session.store.list_forks(waiting.pop()):
            fork = (await session.store.get_session(fork_id)).header
            if fork_id not in found and seq <= (fork.forked_at or 0):
                found.append(fork_id)
                waiting.append(fork_id)
    return tuple(session_id for session_id in found if session_id != session.id)


async def _meant(session: Live, what: What, name: str | int | Fact | None) -> list[int]:
    """Return the entries that say the thing itself.

    Raises:
        NotFoundError: the session holds no such thing.
        InvalidInputError: *what* or *name* does not say what.
    """
    match what, name:
        case "fact", Fact(fact_id=fact_id):
            seqs = await _seqs(session, lambda event: getattr(event, "fact_id", None) == fact_id)
        case "fact", str():
            seqs = await _seqs(session, lambda event: getattr(event, "fact_id", None) == name)
        case "field", str() if name in SCALARS or name in LISTS:
            seqs = await _seqs(session, lambda event: _about_field(event, name))
        case "message", int():
            seqs = await _message(session, name)
        case "session", None:
            seqs = list(range(1, session.state.head + 1))
        case _:
            known = "a fact by its id, a field by its name, a message by its seq, or the session"
            raise InvalidInputError(f"{what!r:.20} {name!r:.80} cannot be forgotten: name {known}")
    if not seqs:
        raise NotFoundError(f"there is no {what} {name!r:.80}")
    return seqs


async def forget_user(store: Store, user_id: str) -> tuple[Redaction, ...]:
    """Forget all that the sessions of a user hold, archived and trashed ones too."""
    done: list[Redaction] = []
    theirs = SessionQuery(user_id=user_id, archived=None, trashed=None)
    found = [(row.header.session_id, row.header.head) async for row in all_sessions(store, theirs)]
    for session_id, head in found:
        done.append(await store.redact(session_id, range(1, head + 1)))
        await UnsentTexts(store.documents).forget(session_id)
    return tuple(done)


async def _message(session: Live, seq: int) -> list[int]:
    entries = await session.store.read(session.id, after=seq - 1, before=seq + 1, limit=1) if seq >= 1 else []
    return [entry.seq for entry in entries if isinstance(entry.event, MessageAdded)]


def _about_field(event: Event, field: str) -> bool:
    match event:
        case ProfileUpdated(fields=fields):
            return field in fields
        case ProfileFieldRemoved(field=removed):
            return removed == field
        case _:
            return False


async def _seqs(session: Live, concerns: Callable[[Event], bool]) -> list[int]:
    found: list[int] = []
    after = 0
    while after < session.state.head:
        page = await session.store.read(session.id, after=after, limit=MAX_PAGE)
        for entry in page:
            if concerns(entry.event):
                found.append(entry.seq)
            after = entry.seq
    return found
