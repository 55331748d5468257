"""Operations that read a journal through its chain of forks."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from sojourn.errors import CorruptError, SessionNotFoundError
from sojourn.model.ids import SessionId, TenantId
from sojourn.model.state import SessionState, decode_snapshot, replay
from sojourn.store.lineage import Link, Segment, segments
from sojourn.store.protocol import Snapshot
from sojourn.store.rows import StoredRow, read_entries
from sojourn.store.sql.statement import Operation, Statement

PAGE: Final = 1000
END: Final = 2**62
"""Beyond every entry."""


class StoredPast(NamedTuple):
    """What a state is made of: the best snapshot, and the rows after it."""

    snapshot: Snapshot | None
    rows: list[StoredRow]


def within(seq: int) -> int:
    """Return *seq*, or the nearest number that a journal and every database can have."""
    return min(max(seq, 0), END)


def parts(tenant: TenantId, session_id: SessionId, *, after: int, before: int) -> Operation[list[Segment]]:
    """Return where the entries with *after* < seq < *before* are stored, oldest first.

    Raises:
        SessionNotFoundError: there is no such session.
        CorruptError: a session that it was forked from is gone, or comes after it.
    """
    chain: list[Link] = []
    owner: SessionId | None = session_id
    while owner is not None:
        rows = yield Statement("select_base", {"tenant": tenant, "session_id": owner})
        if not rows and owner == session_id:
            raise SessionNotFoundError(f"session={owner}")
        if not rows:
            raise CorruptError(f"session={session_id}: the session {owner}, which it was forked from, is missing")
        base, base_seq = rows[0]
        if not isinstance(base_seq, int) or (chain and base_seq >= chain[-1].base_seq):
            raise CorruptError(f"session={session_id}: the row of {owner} is damaged")
        chain.append(Link(owner, base_seq))
        owner = base if base_seq > after else None
    return segments(chain, after=after, before=before)


def rows_forward(tenant: TenantId, found: list[Segment], *, limit: int) -> Operation[list[StoredRow]]:
    """Return the first *limit* rows of the segments *found*."""
    return (yield from _rows("select_entries", tenant, found, limit=limit))


def rows_backward(tenant: TenantId, found: list[Segment], *, limit: int) -> Operation[list[StoredRow]]:
    """Return the last *limit* rows of the segments *found*, newest first."""
    return (yield from _rows("select_entries_backward", tenant, reversed(found), limit=limit))


def _rows(name: str, tenant: TenantId, found: Iterable[Segment], *, limit: int) -> Operation[list[StoredRow]]:
    gathered: list[StoredRow] = []
    for owner, first, last in found:
        place = {"tenant": tenant, "session_id": owner, "first": first, "last": last}
        gathered += yield Statement(name, {**place, "limit": limit - len(gathered)})
        if len(gathered) >= limit:
            break
    return gathered


def past(tenant: TenantId, session_id: SessionId, *, at: int) -> Operation[StoredPast]:
    """Return what the state after entry *at* is made of."""
    found = yield from parts(tenant, session_id, after=0, before=at + 1)
    snapshot = None
    for owner, first, last in reversed(found):
        params = {"tenant": tenant, "session_id": owner, "first": first, "last": last}
        rows = yield Statement("select_snapshot", params)
        if rows:
            snapshot = Snapshot(seq=rows[0][0], data=rows[0][1])
            break
    since = snapshot.seq if snapshot else 0
    rest = [part._replace(first=max(part.first, since + 1)) for part in found if part.last > since]
    return StoredPast(snapshot, (yield from rows_forward(tenant, rest, limit=at)))


def state_at(tenant: TenantId, session_id: SessionId, *, at: int) -> Operation[SessionState]:
    """Return the session's state after entry *at*."""
    snapshot, rows = yield from past(tenant, session_id, at=at)
    start = decode_snapshot(snapshot.data, seq=snapshot.seq) if snapshot else None
    if start is None and snapshot is not None:  # of no use: begin at the beginning
        found = yield from parts(tenant, session_id, after=0, before=at + 1)
        rows = yield from rows_forward(tenant, found, limit=at)
    since = start.head if start else 0
    state = replay(read_entries(rows, session_id, follows=since), state=start)
    if state is None or state.head != at:
        raise CorruptError(f"session={session_id} entry={(state.head if state else 0) + 1}: the entry is missing")
    return state
