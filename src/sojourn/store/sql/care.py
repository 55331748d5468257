"""Operations that look after the data: checking every entry, and making what is derived from them anew."""

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from sojourn.errors import CorruptError
from sojourn.model.events import SessionForked
from sojourn.model.header import SessionHeader, begin_header
from sojourn.model.ids import Seq, SessionId, TenantId
from sojourn.store.lineage import Segment
from sojourn.store.protocol import Problem, SessionRow
from sojourn.store.rows import JournalRow, read_entry
from sojourn.store.sql import sessions
from sojourn.store.sql.reading import END, PAGE, parts, rows_forward
from sojourn.store.sql.sessions import StoredSession
from sojourn.store.sql.statement import Operation, Statement


def list_all() -> Operation[list[tuple[TenantId, SessionId]]]:
    """Return every session of every tenant, also those that only the journal knows."""
    rows = yield Statement("list_all_sessions", {})
    return [(tenant, session_id) for tenant, session_id in rows]


def check_session(tenant: TenantId, session_id: SessionId) -> Operation[tuple[int, list[Problem]]]:
    """Read every entry that the session stores; return how many there are, and what is wrong with them."""
    stored = yield from sessions.find(tenant, session_id)
    if stored is None:
        return 0, [Problem(what="the session has a journal and no row; rebuild makes it", session_id=session_id)]
    problems: list[Problem] = []
    head, place = stored.row.header.head, stored.base_seq
    while place < head:
        rows = yield from rows_forward(tenant, [Segment(session_id, place + 1, head)], limit=PAGE)
        problems += _wrong(rows, session_id, after=place)
        if not rows:
            problems.append(
                Problem(what="the entries from here on are missing", session_id=session_id, seq=Seq(place + 1))
            )
            break
        place = rows[-1].seq
    return head - stored.base_seq, problems


def quarantine(tenant: TenantId, session_id: SessionId, reason: str | None) -> Operation[None]:
    """Mark the session as damaged, or as whole again with None."""
    stored = yield from sessions.lock(tenant, session_id)
    if stored.row.quarantined != reason:
        yield from sessions.update(tenant, stored._replace(row=replace(stored.row, quarantined=reason)))


def rebuild_session(tenant: TenantId, session_id: SessionId) -> Operation[None]:
    """Make the session's row anew from its journal, and drop its snapshots, which loading makes again."""
    stored = yield from sessions.find(tenant, session_id)
    if stored is None:
        stored = yield from _restored_row(tenant, session_id)
        yield from sessions.insert(tenant, stored)
    else:
        stored = yield from sessions.lock(tenant, session_id)
    yield Statement("delete_snapshots", {"tenant": tenant, "session_id": session_id, "first": 0})
    header = yield from _folded(tenant, session_id)
    yield from sessions.update(tenant, stored._replace(row=replace(stored.row, header=header)))


def _wrong(rows: Sequence[JournalRow], session_id: SessionId, *, after: int) -> list[Problem]:
    problems: list[Problem] = []
    for place, row in enumerate(rows, start=after + 1):
        if row.seq != place:
            return [*problems, Problem(what="the entry is missing", session_id=session_id, seq=Seq(place))]
        try:
            read_entry(row, session_id)
        except CorruptError as error:
            problems.append(Problem(what=error.detail, session_id=session_id, seq=Seq(row.seq)))
    return problems


def _restored_row(tenant: TenantId, session_id: SessionId) -> Operation[StoredSession]:
    """Return a row for a session of which only the journal is left; its first own entry tells where it came from."""
    rows = yield from rows_forward(tenant, [Segment(session_id, 1, END)], limit=1)
    entry = read_entry(rows[0], session_id)
    last = yield Statement(
        "select_entries_backward",
        {"tenant": tenant, "session_id": session_id, "first": 1, "last": END, "limit": 1},
    )
    header = msgspec.structs.replace(begin_header(entry), head=Seq(last[0][0]))
    if isinstance(entry.event, SessionForked):
        owner = yield from parts(tenant, entry.event.forked_from, after=entry.event.at - 1, before=entry.event.at + 1)
        return StoredSession(SessionRow(header=header), owner[0].owner, entry.event.at)
    return StoredSession(SessionRow(header=header))


def _folded(tenant: TenantId, session_id: SessionId) -> Operation[SessionHeader]:
    stored = yield from sessions.get(tenant, session_id)
    head, place = stored.row.header.head, 0
    header: SessionHeader | None = None
    while place < head:
        found = yield from parts(tenant, session_id, after=place, before=head + 1)
        rows = yield from rows_forward(tenant, found, limit=PAGE)
        if not rows:
            raise CorruptError(f"session={session_id} entry={place + 1}: the entry is missing")
        for row in rows:
            entry = read_entry(row, session_id)
            header = begin_header(entry) if header is None else header.apply(entry)
        place = rows[-1].seq
    if header is None:
        raise CorruptError(f"session={session_id} has no entries")
    return header
