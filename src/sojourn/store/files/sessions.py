"""Operations on sessions: their beginning, lists, forks, and removal. They block, and take the locks they need."""

import secrets
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from errno import EEXIST, ENOTEMPTY
from itertools import chain
from typing import Final

from msgspec import structs

from sojourn.errors import (
    AlreadyExistsError,
    BusyError,
    CorruptError,
    ForksExistError,
    InvalidInputError,
    SessionNotFoundError,
)
from sojourn.model.events import SessionCreated, SessionForked
from sojourn.model.header import SessionHeader
from sojourn.model.ids import Seq, SessionId
from sojourn.model.state import encode_snapshot
from sojourn.store.files import snapshots
from sojourn.store.files.disk import Disk, make_folder
from sojourn.store.files.folders import PENDING, SessionFolder
from sojourn.store.files.held import Held
from sojourn.store.files.journal_file import Placed, append_line
from sojourn.store.files.kinship import Kinship
from sojourn.store.files.line import JournalLine, Origin, encode_line
from sojourn.store.files.metadata import read_metadata
from sojourn.store.files.projections import RECENT_MESSAGES, recent_messages
from sojourn.store.files.reading import last_messages, parts, state_at
from sojourn.store.files.rewriting import changed_lines, own_lines, replace_journal
from sojourn.store.files.settling import settle
from sojourn.store.files.shelf import Shelf
from sojourn.store.lineage import Segment
from sojourn.store.listing import check_query, cursor_after, cursor_start
from sojourn.store.protocol import SessionPage, SessionQuery, SessionRow, Snapshot
from sojourn.store.rows import JournalRow, make_row, micros, moment, prepare

IMPORTED_LINE: Final = 100
"""How many entries of a journal from elsewhere share a line."""


def get(shelf: Shelf, session_id: SessionId) -> SessionRow:
    """Return the session's row, or raise."""
    known = shelf.find(session_id)
    if known is None:
        raise SessionNotFoundError(f"session={session_id}")
    return known.row


def list_page(shelf: Shelf, query: SessionQuery) -> SessionPage:
    """Return a page of sessions, newest activity first."""
    start = cursor_start(query.cursor)
    found = [((micros(row.header.updated_at), row.header.session_id), row) for row in _matching(shelf, query)]
    found = sorted((one for one in found if one[0] < start), key=lambda one: one[0], reverse=True)
    page = tuple(row for _, row in found[: query.limit])
    return SessionPage(rows=page, cursor=cursor_after(page[-1].header) if len(found) > query.limit else None)


def count(shelf: Shelf, query: SessionQuery) -> int:
    """Return how many sessions there are in all the pages of a query."""
    return sum(1 for _ in _matching(shelf, query))


def _matching(shelf: Shelf, query: SessionQuery) -> Iterator[SessionRow]:
    check_query(query)
    for session_id in shelf.home.session_ids():
        row = _row_for_list(shelf, session_id)
        if row is not None and _matches(row, query):
            yield row


def create(shelf: Shelf, session_id: SessionId, created: SessionCreated, *, at: int) -> SessionRow:
    """Begin a session with its first entry."""
    with shelf.structure(alone=False):
        _refuse_taken(shelf, session_id)
        return _begin(shelf, session_id, [[_first_row(created, seq=1, at=at)]], _empty(session_id, at))


def import_journal(shelf: Shelf, session_id: SessionId, rows: Sequence[JournalRow]) -> SessionRow:
    """Begin a session with the journal *rows*, from the first to the last."""
    with shelf.structure(alone=False):
        _refuse_taken(shelf, session_id)
        lines = [rows[start : start + IMPORTED_LINE] for start in range(0, len(rows), IMPORTED_LINE)]
        return _begin(shelf, session_id, lines, _empty(session_id, rows[0].at))


def fork(shelf: Shelf, session_id: SessionId, fork_id: SessionId, *, place: int | None, at: int) -> SessionRow:
    """Begin *fork_id* after entry *place* of *session_id*; its base is whichever session stores that entry."""
    with shelf.structure(alone=False):
        with shelf.locked(session_id):
            row, origin = shelf.look(session_id)
            head = row.header.head
            place = head if place is None else place
            if not 1 <= place <= head:
                raise InvalidInputError(f"session={session_id}: cannot fork at {place}, its entries are 1 to {head}")
            _refuse_taken(shelf, fork_id)
            [base] = parts(shelf.home, session_id, origin, after=place - 1, before=place + 1)
            state = shelf.get(session_id).state if place == head and row.quarantined is None else None
            if state is None:
                state = state_at(shelf.home, session_id, origin, at=place)
            recent = last_messages(shelf.home, session_id, origin, before=place + 1, limit=RECENT_MESSAGES)
        event = SessionForked(session_id=fork_id, forked_from=session_id, at=Seq(place))
        row = SessionRow(header=state.header)
        held = Held(row=row, origin=Origin(base.owner, place), state=state, recent=recent_messages(recent))
        return _begin(shelf, fork_id, [[_first_row(event, seq=place + 1, at=at)]], held)


def fork_ids(shelf: Shelf, session_id: SessionId) -> list[SessionId]:
    """Return the sessions that read from *session_id*, which must exist."""
    kinship = Kinship(shelf)
    kinship.origin(session_id)
    return [fork_id for fork_id, _ in kinship.forks(session_id)]


def detach(shelf: Shelf, session_id: SessionId) -> list[SessionId]:
    """Give each fork of *session_id* its own copy of what it reads there."""
    with shelf.structure(alone=True):
        kinship = Kinship(shelf)
        kinship.origin(session_id)
        with shelf.all_locked(kinship.descendants(session_id)):
            return _detach(shelf, session_id, kinship)


def purge(shelf: Shelf, session_id: SessionId, *, detach_first: bool) -> None:
    """Remove everything that is stored under *session_id*."""
    with shelf.structure(alone=True):
        kinship = Kinship(shelf)
        kinship.origin(session_id)
        found = kinship.forks(session_id)
        if found and not detach_first:
            raise ForksExistError(session_id, tuple(fork_id for fork_id, _ in found))
        with shelf.all_locked(kinship.descendants(session_id)):
            _detach(shelf, session_id, kinship)
            gone = shelf.home.sessions / f"{PENDING}gone-{secrets.token_hex(8)}"
            shelf.home.session(session_id).path.rename(gone)
            shelf.disk.settle_folder(shelf.home.sessions)
            shelf.forget(session_id)
            shelf.touched.discard(session_id)
        shutil.rmtree(gone, ignore_errors=True)  # the session is gone; what is left, the next to open the store sweeps


def _row_for_list(shelf: Shelf, session_id: SessionId) -> SessionRow | None:
    try:
        known = shelf.find(session_id)
    except BusyError:  # somebody is writing to it for long: what was true before that will do for a list
        stale = read_metadata(shelf.home.session(session_id), session_id)
        return None if stale is None else stale.row
    return None if known is None else known.row


def _matches(row: SessionRow, query: SessionQuery) -> bool:
    header = row.header
    return (
        (query.user_id is None or header.user_id == query.user_id)
        and (query.project is None or header.project == query.project)
        and (query.parent is None or header.parent == query.parent)
        and (query.tag is None or query.tag in header.tags)
        and (not query.text or query.text.casefold() in (header.title or "").casefold())
        and (query.archived is None or (header.archived_at is not None) == query.archived)
        and (query.trashed is None or (header.trashed_at is not None) == query.trashed)
        and (query.superseded is None or (header.superseded_by is not None) == query.superseded)
        and (query.nested is None or (header.parent is not None) == query.nested)
    )


def _refuse_taken(shelf: Shelf, session_id: SessionId) -> None:
    if shelf.home.session(session_id).path.exists():
        raise AlreadyExistsError(f"session={session_id}")


def _empty(session_id: SessionId, at: int) -> Held:
    """Return what is known of a session that has no entry yet."""
    header = SessionHeader(session_id=session_id, head=Seq(0), created_at=moment(at), updated_at=moment(at))
    return Held(row=SessionRow(header=header), recent=recent_messages(()))


def _first_row(event: SessionCreated | SessionForked, *, seq: int, at: int) -> JournalRow:
    [prepared] = prepare([event])
    return make_row(prepared, seq=seq, at=at)


def _begin(shelf: Shelf, session_id: SessionId, lines: Sequence[Sequence[JournalRow]], held: Held) -> SessionRow:
    """Write a session that goes on from *held* with *lines* into a new folder, then give the folder its name."""
    held.row = replace(held.row, header=structs.replace(held.row.header, session_id=session_id))
    folder = SessionFolder(shelf.home.sessions / f"{PENDING}new-{secrets.token_hex(8)}")
    make_folder(folder.path)
    try:
        for path in (folder.journal, folder.lock):
            path.touch(mode=0o600)
        for rows in lines:
            _write_line(folder, held, rows, shelf.disk)
        settle(shelf.home, folder, held, shelf.disk)
        if held.state is not None and held.origin.base is not None:  # or its first load would begin at its base's
            snapshot = Snapshot(seq=held.head, data=encode_snapshot(held.state))
            snapshots.save(folder.snapshots, snapshot, shelf.disk)
        shelf.disk.settle_folder(folder.path)
        folder.path.rename(shelf.home.session(session_id).path)
    except (OSError, CorruptError) as error:
        shutil.rmtree(folder.path, ignore_errors=True)
        if isinstance(error, OSError) and error.errno in {EEXIST, ENOTEMPTY}:
            raise AlreadyExistsError(f"session={session_id}") from error
        raise
    shelf.disk.settle_folder(shelf.home.sessions)
    shelf.remember(held)
    if held.origin.base is None:  # a fork that says nothing of its own needs no second copy of its base's transcript
        shelf.touched.add(session_id)
    return held.row


def _write_line(folder: SessionFolder, held: Held, rows: Sequence[JournalRow], disk: Disk) -> None:
    data = encode_line(rows, origin=held.origin)
    start = held.end
    held.stamp = append_line(folder.journal, data, end=start, disk=disk)
    line = JournalLine(rows[0].seq, rows[-1].seq, list(rows), held.origin)
    damage = held.take(Placed(start, start + len(data), line))
    if damage is not None:
        raise CorruptError(f"session={held.row.header.session_id} entry={damage.seq}: {damage.what}")


def _detach(shelf: Shelf, session_id: SessionId, kinship: Kinship) -> list[SessionId]:
    found = kinship.forks(session_id)
    for fork_id, base_seq in found:
        folder = shelf.home.session(fork_id)
        shared = parts(shelf.home, session_id, kinship.origin(session_id), after=0, before=base_seq + 1)
        for owner, first, last in shared:
            source = shelf.home.session(owner).snapshots
            snapshots.copy(source, folder.snapshots, shelf.disk, first=first, last=last)
        lines = chain(_copied_lines(shelf, shared), own_lines(folder, fork_id))
        origin = Origin(epoch=kinship.origin(fork_id).epoch)
        replace_journal(folder, changed_lines(lines, origin, lambda row: row), shelf.disk)
        shelf.renew(fork_id)
    return [fork_id for fork_id, _ in found]


def _copied_lines(shelf: Shelf, shared: list[Segment]) -> Iterator[JournalLine]:
    """Give the lines of the segments *shared*, without the idempotency keys, which are their session's own."""
    for owner, first, last in shared:
        for line in own_lines(shelf.home.session(owner), owner):
            rows = [row for row in line.rows if first <= row.seq <= last]
            if rows:
                yield JournalLine(rows[0].seq, rows[-1].seq, rows)
