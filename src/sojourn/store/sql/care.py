"""Operations that look after the data: checking every entry, and making what is derived from them anew."""

from dataclasses import replace

import msgspec

from sojourn.errors import CorruptError
from sojourn.model.entry import Entry
from sojourn.model.events import SessionForked
from sojourn.model.header import SessionHeader, begin_header
from sojourn.model.ids import Seq, SessionId, TenantId
from sojourn.store.lineage import Segment
from sojourn.store.protocol import Problem, SessionRow
from sojourn.store.rows import JournalRow, read_entries, read_entry
from sojourn.store.sql import sessions
from sojourn.store.sql.reading import END, PAGE, parts, rows_forward, state_at
from sojourn.store.sql.sessions import StoredSession
from sojourn.store.sql.statement import Operation, Statement


def list_all() -> Operation[list[tuple[TenantId, SessionId]]]:
    """Return every session of every tenant, also those that only the journal knows."""
    rows = yield Statement("list_all_sessions", {})
    return [(tenant, session_id) for tenant, session_id in rows]


def check_session(tenant: TenantId, session_id: SessionId) -> Operation[tuple[int, list[Problem]]]:
    """Read every entry that the session stores, and hold its row against them.

    Returns how many entries it should have, and what is wrong.
    """
    stored = yield from sessions.find(tenant, session_id)
    if stored is None:
        return 0, [Problem(what="the session has a journal and no row; rebuild makes it", session_id=session_id)]
    head = stored.row.header.head
    if not 0 <= stored.base_seq < head:
        what = f"its row says that it ends at {head} and began after {stored.base_seq} of another"
        return 0, [Problem(what=what, session_id=session_id)]
    problems: list[Problem] = []
    folded = yield from _inherited(tenant, session_id, stored.base_seq)
    for first in range(stored.base_seq + 1, head + 1, PAGE):
        part = Segment(session_id, first, min(head, first + PAGE - 1))
        entries, wrong = yield from _check_part(tenant, part)
        problems += wrong
        if not entries:
            break
        if folded is None and entries[0].seq == 1:
            folded = begin_header(entries.pop(0))
        folded = folded.apply_all(entries) if folded else None
    if (yield from rows_forward(tenant, [Segment(session_id, head + 1, END)], limit=1)):
        what = f"there are entries after {head}, where its row says that it ends"
        problems.append(Problem(what=what, session_id=session_id, seq=Seq(head + 1)))
    if not problems and folded is not None and folded != stored.row.header:
        problems.append(Problem(what="its row is not what its entries say; rebuild makes it", session_id=session_id))
    return head - stored.base_seq, problems


def quarantine(tenant: TenantId, session_id: SessionId, reason: str | None) -> Operation[None]:
    """Mark the session as damaged, or as whole again with None."""
    stored = yield from sessions.lock(tenant, session_id)
    if stored.row.quarantined != reason:
        yield from sessions.update(tenant, stored._replace(row=replace(stored.row, quarantined=reason)))


def rebuild_session(tenant: TenantId, session_id: SessionId) -> Operation[None]:
    """Make the session's row anew from its journal, and drop its snapshots, which loading makes again."""
    try:
        stored = yield from sessions.find(tenant, session_id)
    except CorruptError:  # the row cannot be read: the journal makes another
        yield Statement("delete_session", {"tenant": tenant, "session_id": session_id})
        stored = None
    if stored is None:
        stored = yield from _restored_row(tenant, session_id)
        yield from sessions.insert(tenant, stored)
    else:
        stored = yield from sessions.lock(tenant, session_id)
    yield Statement("delete_snapshots", {"tenant": tenant, "session_id": session_id, "first": 0})
    header = yield from _folded(tenant, session_id)
    yield from sessions.update(tenant, stored._replace(row=replace(stored.row, header=header)))


def _inherited(tenant: TenantId, session_id: SessionId, base_seq: int) -> Operation[SessionHeader | None]:
    """Return the header that a fork begins with; None for others, and if what it inherits is damaged itself."""
    if base_seq == 0:
        return None
    try:
        state = yield from state_at(tenant, session_id, at=base_seq)
    except CorruptError:  # named when the session that stores it is checked
        return None
    return state.header


def _check_part(tenant: TenantId, part: Segment) -> Operation[tuple[list[Entry], list[Problem]]]:
    """Return the entries of *part* that are whole, and what is wrong with the others."""
    entries: list[Entry] = []
    problems: list[Problem] = []
    try:
        rows = yield from rows_forward(tenant, [part], limit=PAGE)
    except CorruptError:  # one by one, to find which it is
        rows = []
        for seq in range(part.first, part.last + 1):
            try:
                rows += yield from rows_forward(tenant, [part._replace(first=seq, last=seq)], limit=1)
            except CorruptError as error:
                problems.append(Problem(what=error.detail, session_id=part.owner, seq=Seq(seq)))
    for row in map(JournalRow._make, rows):
        try:
            entries.append(read_entry(row, part.owner))
        except CorruptError as error:
            problems.append(Problem(what=error.detail, session_id=part.owner, seq=Seq(row.seq)))
    named = {problem.seq for problem in problems} | {entry.seq for entry in entries}
    missing = next((seq for seq in range(part.first, part.last + 1) if seq not in named), None)
    if missing is not None:
        problems.append(Problem(what="the entry is missing", session_id=part.owner, seq=Seq(missing)))
    return entries, problems


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
        for entry in read_entries(rows, session_id):
            header = begin_header(entry) if header is None else header.apply(entry)
            place = entry.seq
    if header is None:
        raise CorruptError(f"session={session_id} has no entries")
    return header
