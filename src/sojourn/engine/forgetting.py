"""Forgetting: content is removed for good, with all that was derived from it, wherever it is read.

What remains is a tombstone: that an entry of some kind stood there, and nothing of what it said.
"""

from collections.abc import Callable
from typing import Literal

from sojourn.engine.live import Live
from sojourn.errors import InvalidInputError, NotFoundError
from sojourn.model.events import Event, MessageAdded, ProfileFieldRemoved, ProfileUpdated
from sojourn.model.knowledge import Fact
from sojourn.model.profile import LISTS, SCALARS
from sojourn.store.protocol import MAX_PAGE, Redaction, SessionQuery, Store

What = Literal["fact", "field", "message", "session"]


async def forget(session: Live, what: What, name: str | int | Fact | None = None) -> Redaction:
    """Forget a fact (by id), a profile field (by name), a message (by seq), or all that the session holds.

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
        raise NotFoundError(f"{what} {name!r:.80}")
    return await session.store.redact(session.id, seqs)


async def forget_user(store: Store, user_id: str) -> tuple[Redaction, ...]:
    """Forget all that the sessions of a user hold, archived and trashed ones too."""
    done: list[Redaction] = []
    cursor: str | None = None
    found: list[tuple[str, int]] = []
    while True:
        page = await store.list_sessions(
            SessionQuery(user_id=user_id, archived=None, trashed=None, limit=1000, cursor=cursor)
        )
        found += [(row.header.session_id, row.header.head) for row in page.rows]
        cursor = page.cursor
        if cursor is None:
            break
    for session_id, head in found:
        done.append(await store.redact(session_id, range(1, head + 1)))
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
