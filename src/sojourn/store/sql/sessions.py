"""Operations on sessions: their rows, forks, and removal."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import msgspec

from sojourn.errors import AlreadyExistsError, CorruptError, ForksExistError, InvalidInputError, SessionNotFoundError
from sojourn.model.events import SessionCreated, SessionForked
from sojourn.model.header import SessionHeader, begin_header
from sojourn.model.ids import Seq, SessionId, TenantId
from sojourn.model.state import encode_snapshot
from sojourn.store.listing import check_query, cursor_after, cursor_start
from sojourn.store.protocol import SessionPage, SessionQuery, SessionRow
from sojourn.store.rows import JournalRow, StoredRow, make_entry, make_row, micros, moment, prepare, read_entries
from sojourn.store.sql.reading import PAGE, parts, rows_forward, state_at
from sojourn.store.sql.statement import Operation, Params, Statement

HOUR: Final = 3_600_000_000
"""An hour in microseconds: how finely the index by activity tells."""


class StoredSession(NamedTuple):
    """A session's row, and which session stores its entries 1 to *base_seq*."""

    row: SessionRow
    base: SessionId | None = None
    base_seq: int = 0


def find(tenant: TenantId, session_id: SessionId) -> Operation[StoredSession | None]:
    """Return the session, or None."""
    rows = yield Statement("select_session", {"tenant": tenant, "session_id": session_id})
    return _stored(rows[0]) if rows else None


def get(tenant: TenantId, session_id: SessionId) -> Operation[StoredSession]:
    """Return the session, or raise."""
    stored = yield from find(tenant, session_id)
    if stored is None:
        raise SessionNotFoundError(f"session={session_id}")
    return stored


def lock(tenant: TenantId, session_id: SessionId) -> Operation[StoredSession]:
    """Return the session, and let no other writer change it until this transaction ends."""
    rows = yield Statement("lock_session", {"tenant": tenant, "session_id": session_id})
    if not rows:
        raise SessionNotFoundError(f"session={session_id}")
    return _stored(rows[0])


def hold(tenant: TenantId, session_id: SessionId) -> Operation[None]:
    """Let no other writer change the session until this transaction ends."""
    if not (yield Statement("hold_session", {"tenant": tenant, "session_id": session_id})):
        raise SessionNotFoundError(f"session={session_id}")


def list_page(tenant: TenantId, query: SessionQuery) -> Operation[SessionPage]:
    """Return a page of sessions, newest activity first."""
    check_query(query)
    before_at, before_id = cursor_start(query.cursor)
    spot = {"before_hour": before_at // HOUR, "before_at": before_at, "before_id": before_id}
    rows = yield Statement("list_sessions", {**_conditions(tenant, query), **spot, "limit": query.limit + 1})
    found = tuple(_listed(row) for row in rows[: query.limit])
    return SessionPage(rows=found, cursor=cursor_after(found[-1].header) if len(rows) > query.limit else None)


def count(tenant: TenantId, query: SessionQuery) -> Operation[int]:
    """Return how many sessions there are in all the pages of a query."""
    check_query(query)
    [(number,)] = yield Statement("count_sessions", _conditions(tenant, query))
    return int(number)


def _conditions(tenant: TenantId, query: SessionQuery) -> dict[str, Any]:
    return {
        "tenant": tenant,
        "user_id": query.user_id,
        "project": query.project,
        "parent": query.parent,
        "tag": query.tag,
        "text": query.text.casefold() if query.text else None,
        "archived": query.archived,
        "trashed": query.trashed,
        "superseded": query.superseded,
        "nested": query.nested,
    }


def _listed(row: tuple[Any, ...]) -> SessionRow:
    """Return a row of a list; a damaged one says so, and does not hide the others."""
    try:
        return _stored(row).row
    except CorruptError as error:
        nothing = SessionHeader(
            session_id=SessionId(str(row[0])), head=Seq(0), created_at=moment(0), updated_at=moment(0)
        )
        return SessionRow(header=nothing, quarantined=error.detail)


def create(tenant: TenantId, session_id: SessionId, created: SessionCreated, *, at: int) -> Operation[SessionRow]:
    """Begin a session with its first entry."""
    yield from _refuse_taken(tenant, session_id)
    [prepared] = prepare([created])
    entry = make_entry(prepared, session_id, seq=1, at=moment(at))
    stored = StoredSession(SessionRow(header=begin_header(entry)))
    yield from insert(tenant, stored)
    yield insert_rows(tenant, session_id, [make_row(prepared, seq=1, at=at)])
    return stored.row


def import_journal(tenant: TenantId, session_id: SessionId, rows: Sequence[JournalRow]) -> Operation[SessionRow]:
    """Begin a session with the journal *rows*, from the first to the last."""
    yield from _refuse_taken(tenant, session_id)
    first, *rest = read_entries(rows, session_id, follows=0)
    row = SessionRow(header=begin_header(first).apply_all(rest))
    yield from insert(tenant, StoredSession(row))
    for start in range(0, len(rows), PAGE):
        yield insert_rows(tenant, session_id, rows[start : start + PAGE])
    return row


def fork(
    tenant: TenantId, session_id: SessionId, fork_id: SessionId, *, place: int | None, at: int
) -> Operation[SessionRow]:
    """Begin *fork_id* after entry *place* of *session_id*; its base is whichever session stores that entry.

    The state that the fork begins with is kept as its first snapshot: it was needed for the fork's row anyway.
    """
    parent = yield from lock(tenant, session_id)
    head = parent.row.header.head
    place = head if place is None else place
    if not 1 <= place <= head:
        raise InvalidInputError(f"session={session_id}: cannot fork at {place}, its entries are 1 to {head}")
    yield from _refuse_taken(tenant, fork_id)
    [base] = yield from parts(tenant, session_id, after=place - 1, before=place + 1)
    yield from hold(tenant, base.owner)  # so that nothing is forgotten there between reading it and being its fork
    past = yield from state_at(tenant, session_id, at=place)
    event = SessionForked(session_id=fork_id, forked_from=session_id, at=Seq(place))
    [prepared] = prepare([event])
    state = past.apply(make_entry(prepared, fork_id, seq=place + 1, at=moment(at)))
    stored = StoredSession(SessionRow(header=state.header), base.owner, place)
    yield from insert(tenant, stored)
    yield insert_rows(tenant, fork_id, [make_row(prepared, seq=place + 1, at=at)])
    spot = {"tenant": tenant, "session_id": fork_id, "seq": place + 1}
    yield Statement("insert_snapshot", {**spot, "data": encode_snapshot(state)})
    return stored.row


def forks(tenant: TenantId, session_id: SessionId) -> Operation[list[tuple[SessionId, int]]]:
    """Return the sessions that read from *session_id*, with the last entry that each reads there."""
    rows = yield Statement("list_forks", {"tenant": tenant, "session_id": session_id})
    return [(fork_id, base_seq) for fork_id, base_seq in rows]


def fork_ids(tenant: TenantId, session_id: SessionId) -> Operation[list[SessionId]]:
    """Return the sessions that read from *session_id*, which must exist."""
    yield from get(tenant, session_id)
    return [fork_id for fork_id, _ in (yield from forks(tenant, session_id))]


def detach(tenant: TenantId, session_id: SessionId) -> Operation[list[SessionId]]:
    """Give each fork of *session_id* its own copy of what it reads there."""
    yield from hold(tenant, session_id)
    found = yield from forks(tenant, session_id)
    for fork_id, base_seq in found:
        shared = yield from parts(tenant, session_id, after=0, before=base_seq + 1)
        for part in shared:
            first = part.first
            while first <= part.last:
                rows = yield from rows_forward(tenant, [part._replace(first=first)], limit=PAGE)
                yield insert_rows(tenant, fork_id, rows)
                first += PAGE
            ends = {"first": part.first, "last": part.last}
            yield Statement("copy_snapshots", {"tenant": tenant, "session_id": part.owner, "target": fork_id, **ends})
        stored = yield from lock(tenant, fork_id)
        yield from update(tenant, StoredSession(stored.row))
    return [fork_id for fork_id, _ in found]


def purge(tenant: TenantId, session_id: SessionId, *, detach_first: bool) -> Operation[None]:
    """Remove everything that is stored under *session_id*."""
    yield from hold(tenant, session_id)
    if detach_first:
        yield from detach(tenant, session_id)
    elif found := (yield from forks(tenant, session_id)):
        raise ForksExistError(session_id, tuple(fork_id for fork_id, _ in found))
    whole = {"tenant": tenant, "session_id": session_id, "first": 0}
    for name in ("delete_entries", "delete_snapshots", "delete_receipts", "delete_partial"):
        yield Statement(name, whole)
    yield Statement("delete_session", whole)


def insert(tenant: TenantId, stored: StoredSession) -> Operation[None]:
    """Store a new session's row."""
    yield Statement("insert_session", _params(tenant, stored))


def update(tenant: TenantId, stored: StoredSession) -> Operation[None]:
    """Store a changed session's row."""
    yield Statement("update_session", _params(tenant, stored))


def insert_rows(tenant: TenantId, session_id: SessionId, rows: Sequence[StoredRow]) -> Statement:
    """Return the statement that adds *rows* to the journal of *session_id*."""
    return Statement("insert_entry", {}, [(tenant, session_id, *row) for row in rows])


def _refuse_taken(tenant: TenantId, session_id: SessionId) -> Operation[None]:
    if (yield from find(tenant, session_id)) is not None:
        raise AlreadyExistsError(f"session={session_id}")


def _stored(row: tuple[Any, ...]) -> StoredSession:
    """Return a row as a value.

    Raises:
        CorruptError: a column holds what was never written there.
    """
    try:
        return _parsed(row)
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError) as error:
        raise CorruptError(f"session={row[0]}: its row is damaged: {error}") from error


def _parsed(row: tuple[Any, ...]) -> StoredSession:
    (
        session_id, head, epoch, base, base_seq, quarantined, created_at, updated_at, user_id, project, title,
        title_source, tags, parent, forked_from, forked_at, superseded_by, archived_at, trashed_at, message_count,
        total_tokens, cost_micros,
    ) = row  # fmt: skip
    if not all(isinstance(number, int) for number in (head, epoch, base_seq, message_count, total_tokens, cost_micros)):
        raise TypeError("a number is none")
    header = SessionHeader(
        session_id=session_id,
        head=head,
        created_at=moment(created_at),
        updated_at=moment(updated_at),
        user_id=user_id,
        project=project,
        title=title,
        title_source=title_source,
        tags=tuple(msgspec.json.decode(tags)) if tags != "[]" else (),
        parent=parent,
        forked_from=forked_from,
        forked_at=forked_at,
        superseded_by=superseded_by,
        archived_at=None if archived_at is None else moment(archived_at),
        trashed_at=None if trashed_at is None else moment(trashed_at),
        message_count=message_count,
        total_tokens=total_tokens,
        cost_micros=cost_micros,
    )
    return StoredSession(SessionRow(header=header, epoch=epoch, quarantined=quarantined), base, base_seq)


def _params(tenant: TenantId, stored: StoredSession) -> Params:
    header = stored.row.header
    return {
        "tenant": tenant,
        "session_id": header.session_id,
        "head": header.head,
        "epoch": stored.row.epoch,
        "base": stored.base,
        "base_seq": stored.base_seq,
        "quarantined": stored.row.quarantined,
        "created_at": micros(header.created_at),
        "updated_at": micros(header.updated_at),
        "active_hour": micros(header.updated_at) // HOUR,
        "user_id": header.user_id,
        "project": header.project,
        "title": header.title,
        "title_folded": header.title.casefold() if header.title else None,
        "title_source": header.title_source,
        "tags": msgspec.json.encode(header.tags).decode(),
        "parent": header.parent,
        "forked_from": header.forked_from,
        "forked_at": header.forked_at,
        "superseded_by": header.superseded_by,
        "archived_at": micros(header.archived_at) if header.archived_at else None,
        "trashed_at": micros(header.trashed_at) if header.trashed_at else None,
        "message_count": header.message_count,
        "total_tokens": header.total_tokens,
        "cost_micros": header.cost_micros,
    }
