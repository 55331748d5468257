"""Operations on journals: append, read, load."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NoReturn

import msgspec
from msgspec import structs

from sojourn.errors import ConflictError, CorruptError, InvalidInputError
from sojourn.model.entry import Entry
from sojourn.model.header import HOUSEKEEPING_TYPES, totals_of
from sojourn.model.ids import Seq, SessionId, TenantId
from sojourn.store.checks import UNFINISHED
from sojourn.store.listing import check_limit
from sojourn.store.protocol import MAX_PAGE, Claim, Lease, Loaded, Order, Receipt, SessionRow, Snapshot
from sojourn.store.rows import JournalRow, Prepared, make_entry, micros, moment, read_entries, read_messages, seal
from sojourn.store.sql import leases, sessions
from sojourn.store.sql.reading import END, parts, past, rows_backward, rows_forward, within
from sojourn.store.sql.sessions import HOUR, StoredSession, insert_rows
from sojourn.store.sql.statement import Operation, Params, Statement


class Append(msgspec.Struct, frozen=True, gc=False):
    """What is to be appended, and on which conditions."""

    session_id: SessionId
    prepared: Sequence[Prepared]
    expected: int | None
    key: str | None
    lease: Lease | Claim | None
    release: bool
    clear_partial: bool


def append(
    tenant: TenantId, request: Append, *, now: datetime, asked: Callable[[], leases.Moment]
) -> Operation[Receipt]:
    """Append all or nothing; *asked* tells who does it, and when, where a turn is taken or given back."""
    spot = {"tenant": tenant, "session_id": request.session_id}
    if request.key is not None:
        stored = yield from sessions.lock(tenant, request.session_id)
        receipt = yield from _find_receipt(spot, request.key, stored.row.epoch)
        if receipt is not None:
            return receipt
    taken = (yield from _check_turn(tenant, request, asked)) if request.lease is not None else None
    at = micros(now)
    head, epoch, keeps_house = yield from _advance(spot, request, at=at)

    first = head + 1
    rows, entries = [], []
    for seq, prepared in enumerate(request.prepared, first):
        rows.append(seal(prepared, seq=seq, at=at))
        entries.append(make_entry(prepared, request.session_id, seq=seq, at=now))
    yield insert_rows(tenant, request.session_id, rows)
    last = entries[-1].seq
    if keeps_house:
        yield from _keep_house(tenant, entries)
    if request.key is not None:
        yield Statement("insert_receipt", {**spot, "key": request.key, "first_seq": first, "last_seq": last, "at": at})
    if request.clear_partial:
        yield Statement("delete_partial", spot)
    if isinstance(request.lease, Claim) and taken is not None:
        yield leases.put(tenant, taken, ttl=request.lease.ttl, moment=asked())
    elif isinstance(request.lease, Lease) and request.release:
        yield leases.give_back(tenant, request.lease)
    return Receipt(first=Seq(first), last=last, at=now, epoch=epoch, entries=tuple(entries), lease=taken)


def _check_turn(tenant: TenantId, request: Append, asked: Callable[[], leases.Moment]) -> Operation[Lease | None]:
    """Make sure of the lease that is held; return the one that is claimed."""
    lease = request.lease
    if isinstance(lease, Lease):
        yield from leases.verify(tenant, lease)
        return None
    if not isinstance(lease, Claim):
        return None
    spot = {"tenant": tenant, "session_id": request.session_id}
    free = yield from leases.find_free(tenant, request.session_id, lease.holder, moment=asked())
    if not request.clear_partial and (yield Statement("select_partial", spot)):
        raise ConflictError(f"session={request.session_id}: {UNFINISHED}")
    return free


def extend(tenant: TenantId, session_id: SessionId, rows: Sequence[JournalRow]) -> Operation[SessionRow]:
    """Let the journal go on with *rows*, which were made elsewhere."""
    stored = yield from sessions.lock(tenant, session_id)
    head = stored.row.header.head
    if stored.row.quarantined is not None or rows[0].seq != head + 1:
        yield from _refuse({"tenant": tenant, "session_id": session_id}, rows[0].seq - 1)
    entries = read_entries(rows, session_id, follows=head)
    row = replace(stored.row, header=stored.row.header.apply_all(entries))
    yield insert_rows(tenant, session_id, rows)
    yield from sessions.update(tenant, stored._replace(row=row))
    return row


def read(
    tenant: TenantId, session_id: SessionId, *, after: int, before: int | None, limit: int, order: Order
) -> Operation[list[Entry]]:
    """Return a page of entries."""
    check_limit(limit, most=MAX_PAGE)
    stored = yield from sessions.get(tenant, session_id)
    after, end = within(after), _end(stored, before)
    found = yield from parts(tenant, session_id, after=after, before=end)
    wanted = min(limit, max(end - 1 - after, 0))
    if order is Order.OLDEST_FIRST:
        first = after
        rows = yield from rows_forward(tenant, found, limit=limit)
    else:
        first = end - 1 - wanted
        rows = yield from rows_backward(tenant, found, limit=limit)
        rows.reverse()
    entries = read_entries(rows, session_id, follows=first)
    if len(entries) < wanted:
        raise CorruptError(f"session={session_id} entry={first + len(entries) + 1}: the entry is missing")
    return entries if order is Order.OLDEST_FIRST else entries[::-1]


def last_messages(tenant: TenantId, session_id: SessionId, *, limit: int, before: int | None) -> Operation[list[Entry]]:
    """Return the last messages, oldest first. Mostly the session stores them all itself: one statement finds them."""
    check_limit(limit, most=MAX_PAGE)
    if before is None:
        end, own = END, Statement("select_last_messages", (tenant, session_id, limit))
    else:
        end = within(before)
        own = _messages(tenant, session_id, end - 1, limit)
    rows = yield own
    if len(rows) < limit:
        for part in reversed((yield from parts(tenant, session_id, after=0, before=end))):
            if part.owner != session_id and len(rows) < limit:
                rows += yield _messages(tenant, part.owner, part.last, limit - len(rows))
    rows.reverse()
    return read_messages(rows, session_id)


def load(tenant: TenantId, session_id: SessionId, *, at: int | None) -> Operation[Loaded]:
    """Return what the state after entry *at* is made of."""
    stored = yield from sessions.get(tenant, session_id)
    head = stored.row.header.head
    if at is not None and not 1 <= at <= head:
        raise InvalidInputError(f"session={session_id} has no entry {at}, its entries are 1 to {head}")
    snapshot, rows = yield from past(tenant, session_id, at=head if at is None else at)
    since = snapshot.seq if snapshot else 0
    tail = read_entries(rows, session_id, follows=since)
    if since + len(tail) != (head if at is None else at):
        raise CorruptError(f"session={session_id} entry={since + len(tail) + 1}: the entry is missing")
    return Loaded(row=stored.row, snapshot=snapshot, tail=tuple(tail))


def save_snapshot(tenant: TenantId, session_id: SessionId, snapshot: Snapshot, *, epoch: int) -> Operation[None]:
    """Keep a snapshot, unless something was forgotten since its state was made."""
    stored = yield from sessions.lock(tenant, session_id)
    head = stored.row.header.head
    if not stored.base_seq < snapshot.seq <= head:
        raise InvalidInputError(
            f"session={session_id}: a snapshot at {snapshot.seq} needs an own entry, {stored.base_seq + 1} to {head}"
        )
    if stored.row.epoch == epoch:
        place = {"tenant": tenant, "session_id": session_id, "seq": snapshot.seq}
        yield Statement("insert_snapshot", {**place, "data": snapshot.data})


def _messages(tenant: TenantId, owner: SessionId, last: int, limit: int) -> Statement:
    """Return the statement for the last *limit* messages up to entry *last* that *owner* stores, newest first."""
    return Statement("select_messages_backward", (tenant, owner, last, limit))


def _end(stored: StoredSession, before: int | None) -> int:
    after_head = stored.row.header.head + 1
    return after_head if before is None else min(before, after_head)


def _find_receipt(spot: Params, key: str, epoch: int) -> Operation[Receipt | None]:
    rows = yield Statement("select_receipt", {**spot, "key": key})
    if not rows:
        return None
    first, last, at = rows[0]
    return Receipt(first=Seq(first), last=Seq(last), at=moment(at), epoch=epoch, repeated=True)


def _advance(spot: Params, request: Append, *, at: int) -> Operation[tuple[int, int, bool]]:
    """Move the session's head and totals, if it may be appended to.

    Only the columns, and so the indexes, that must change are touched. Returns the head before, the epoch, and whether
    more of the row has to follow, by `_keep_house`.
    """
    events = [prepared.encoded.event for prepared in request.prepared]
    types = set(map(type, events))
    active_at = None if types <= HOUSEKEEPING_TYPES else at
    added = (len(events), active_at, *totals_of(events))
    expected = None if request.expected is None else within(request.expected)
    rows = yield Statement("advance_session", (*added, spot["tenant"], request.session_id, expected, expected))
    if not rows:
        yield from _refuse(spot, request.expected)
    head, epoch, active_hour = rows[0]
    if active_at is not None and active_at // HOUR != active_hour:
        yield Statement("advance_hour", {**spot, "active_hour": active_at // HOUR})
    return head - len(events), epoch, not types.isdisjoint(HOUSEKEEPING_TYPES)


def _refuse(spot: Params, expected: int | None) -> Operation[NoReturn]:
    stored = yield from sessions.get(spot["tenant"], spot["session_id"])
    row, session_id = stored.row, stored.row.header.session_id
    if row.quarantined is not None:
        raise CorruptError(f"session={session_id} is in quarantine: {row.quarantined}")
    raise ConflictError(f"session={session_id} expected={expected} head={row.header.head}")


def _keep_house(tenant: TenantId, entries: Sequence[Entry]) -> Operation[None]:
    """Let the rest of the session's row follow *entries*, whose head and totals it has already."""
    stored = yield from sessions.lock(tenant, entries[0].session_id)
    header = stored.row.header
    for entry in entries:
        if type(entry.event) in HOUSEKEEPING_TYPES:
            header = header.apply(entry)
    header = structs.replace(header, head=entries[-1].seq)
    yield from sessions.update(tenant, stored._replace(row=replace(stored.row, header=header)))
