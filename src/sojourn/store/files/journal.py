"""Operations on journals: append, read, load, snapshots. They block, and hold the session's lock."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sojourn.errors import ConflictError, CorruptError, InvalidInputError
from sojourn.model.entry import Entry
from sojourn.model.ids import Seq, SessionId
from sojourn.store.files import leases, reading, receipts, snapshots
from sojourn.store.files.blocks import Blocks
from sojourn.store.files.folders import SessionFolder
from sojourn.store.files.held import Held, Use
from sojourn.store.files.journal_file import Placed, append_line
from sojourn.store.files.line import JournalLine, encode_line
from sojourn.store.files.reading import parts, past, rows_backward, rows_forward
from sojourn.store.files.shelf import Known, Shelf
from sojourn.store.listing import check_limit
from sojourn.store.protocol import MAX_PAGE, Claim, Lease, Loaded, Order, Receipt, SessionRow, Snapshot
from sojourn.store.rows import JournalRow, Prepared, make_entry, make_row, moment, read_entries


class Append(NamedTuple):
    """What is to be appended, and on which conditions."""

    session_id: SessionId
    prepared: Sequence[Prepared]
    expected: int | None
    key: str | None
    lease: Lease | Claim | None
    release: bool
    clear_partial: bool


def append(shelf: Shelf, request: Append, *, at: int, asked: Callable[[], leases.Moment]) -> Receipt:
    """Append all or nothing. The line in the journal is what makes it so; the rest follows it.

    *asked* tells who does it, and when, where a turn is taken or given back.
    """
    session_id = request.session_id
    with shelf.locked(session_id) as folder:
        held, use = _with_use(shelf, folder, request.key, session_id)
        if use is not None:
            return _receipt(held, use, repeated=True)
        _check(folder, held, request)

        first, when = held.head + 1, moment(at)
        places = list(enumerate(request.prepared, first))
        entries = [make_entry(prepared, session_id, seq=seq, at=when) for seq, prepared in places]
        rows = [make_row(prepared, seq=seq, at=at) for seq, prepared in places]
        line = JournalLine(first, rows[-1].seq, rows, key=request.key, clears_partial=request.clear_partial)
        turn = leases.passed(
            shelf,
            folder,
            session_id,
            request.lease,
            release=request.release,
            clear_partial=request.clear_partial,
            moment=asked(),
        )
        with turn as taken:
            _add_line(shelf, folder, held, line, entries)
        return _receipt(held, Use(first, rows[-1].seq, at), entries=tuple(entries), lease=taken)


def extend(shelf: Shelf, session_id: SessionId, rows: Sequence[JournalRow]) -> SessionRow:
    """Let the journal go on with *rows*, which were made elsewhere: one line, so that all of them are there or none."""
    with shelf.locked(session_id) as folder:
        held = shelf.get(session_id)
        _check(folder, held, Append(session_id, (), rows[0].seq - 1, None, None, release=False, clear_partial=False))
        entries = read_entries(rows, session_id, follows=held.head)
        _add_line(shelf, folder, held, JournalLine(rows[0].seq, rows[-1].seq, list(rows)), entries)
        return held.row


def read(
    shelf: Shelf, session_id: SessionId, *, after: int, before: int | None, limit: int, order: Order
) -> list[Entry]:
    """Return a page of entries."""
    check_limit(limit, most=MAX_PAGE)
    after = max(after, 0)
    with shelf.locked(session_id):
        known = shelf.look(session_id)
        end = _end(known, before)
        found = parts(shelf.home, session_id, known.origin, after=after, before=end)
        if order is Order.OLDEST_FIRST:
            rows = rows_forward(shelf.home, found, limit=limit, through=session_id)
            return read_entries(rows, session_id, follows=after)
        rows = rows_backward(shelf.home, found, limit=limit, through=session_id)
    rows.reverse()
    entries = read_entries(rows, session_id, follows=end - 1 - len(rows))
    entries.reverse()
    return entries


def last_messages(shelf: Shelf, session_id: SessionId, *, limit: int, before: int | None) -> list[Entry]:
    """Return the last messages, oldest first."""
    check_limit(limit, most=MAX_PAGE)
    with shelf.locked(session_id):
        known = shelf.look(session_id)
        return reading.last_messages(shelf.home, session_id, known.origin, before=_end(known, before), limit=limit)


def load(shelf: Shelf, session_id: SessionId, *, at: int | None) -> Loaded:
    """Return what the state after entry *at* is made of."""
    with shelf.locked(session_id):
        known = shelf.look(session_id)
        head = known.row.header.head
        if at is not None and not 1 <= at <= head:
            raise InvalidInputError(f"session={session_id} has no entry {at}, its entries are 1 to {head}")
        snapshot, rows = past(shelf.home, session_id, known.origin, at=head if at is None else at)
    tail = read_entries(rows, session_id, follows=snapshot.seq if snapshot else 0)
    return Loaded(row=known.row, snapshot=snapshot, tail=tuple(tail))


def save_snapshot(shelf: Shelf, session_id: SessionId, snapshot: Snapshot, *, epoch: int) -> None:
    """Keep a snapshot, unless something was forgotten since its state was made."""
    with shelf.locked(session_id) as folder:
        row, origin = shelf.look(session_id)
        head = row.header.head
        if not origin.base_seq < snapshot.seq <= head:
            raise InvalidInputError(
                f"session={session_id}: a snapshot at {snapshot.seq} needs an own entry, "
                f"{origin.base_seq + 1} to {head}"
            )
        if row.epoch == epoch:
            snapshots.save(folder.snapshots, snapshot, shelf.disk)


def _add_line(shelf: Shelf, folder: SessionFolder, held: Held, line: JournalLine, entries: list[Entry]) -> None:
    data = encode_line(line.rows, key=line.key, clears_partial=line.clears_partial)
    offset = held.end
    held.stamp = append_line(folder.journal, data, end=offset, disk=shelf.disk)
    held.take(Placed(offset, offset + len(data), line), entries)
    shelf.touched.add(held.row.header.session_id)
    shelf.catch_up(held)


def _end(known: Known, before: int | None) -> int:
    after_head = known.row.header.head + 1
    return after_head if before is None else min(before, after_head)


def _check(folder: SessionFolder, held: Held, request: Append) -> None:
    if held.row.quarantined is not None:
        raise CorruptError(f"session={request.session_id} is in quarantine: {held.row.quarantined}")
    if request.expected is not None and request.expected != held.head:
        raise ConflictError(f"session={request.session_id} expected={request.expected} head={held.head}")
    if isinstance(request.lease, Lease):
        leases.verify(folder, request.lease)


def _with_use(shelf: Shelf, folder: SessionFolder, key: str | None, session_id: SessionId) -> tuple[Held, Use | None]:
    """Return the session, and where *key* was used in it, if it was."""
    held = shelf.get(session_id)
    if key is None:
        return held, None
    try:
        return held, _find_use(folder, held, key)
    except receipts.StaleReceiptsError:
        held = shelf.renew(session_id)
        return held, _find_use(folder, held, key)


def _find_use(folder: SessionFolder, held: Held, key: str) -> Use | None:
    if key in held.keys:
        return held.keys[key]
    candidates = list(receipts.find(folder.receipts, key)) if held.receipts else []
    if not candidates:
        return None
    with Blocks(folder, through=held.row.header.session_id) as blocks:
        lines = [blocks.line_with(seq) for seq in candidates]
    return next((Use(line.first, line.last, line.rows[0].at) for line in lines if line and line.key == key), None)


def _receipt(
    held: Held, use: Use, *, repeated: bool = False, entries: tuple[Entry, ...] = (), lease: Lease | None = None
) -> Receipt:
    return Receipt(
        first=Seq(use.first),
        last=Seq(use.last),
        at=moment(use.at),
        epoch=held.row.epoch,
        repeated=repeated,
        entries=entries,
        lease=lease,
    )
