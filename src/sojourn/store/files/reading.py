"""Reading a journal through its chain of forks, each part from the session that stores it."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import structs

from sojourn.errors import CorruptError
from sojourn.model.entry import Entry
from sojourn.model.ids import SessionId
from sojourn.model.state import SessionState, decode_snapshot, replay
from sojourn.store.files import snapshots
from sojourn.store.files.blocks import Blocks
from sojourn.store.files.folders import SessionFolder, TenantFolder
from sojourn.store.files.journal_file import JournalFile
from sojourn.store.files.line import Origin
from sojourn.store.files.metadata import read_metadata
from sojourn.store.lineage import Link, Segment, segments
from sojourn.store.protocol import Snapshot
from sojourn.store.rows import JournalRow, read_entries


class StoredPast(NamedTuple):
    """What a state is made of: the best snapshot, and the rows after it."""

    snapshot: Snapshot | None
    rows: list[JournalRow]


def read_origin(folder: SessionFolder, session_id: SessionId) -> Origin:
    """Return what the journal's first line says of the session.

    Raises:
        CorruptError: it cannot be read.
    """
    try:
        with JournalFile(folder.journal) as journal:
            for placed in journal.lines(0, expected=journal.first_seq()):
                if placed.line.damage is None:
                    return placed.line.origin
    except FileNotFoundError:
        pass
    raise CorruptError(f"session={session_id}: the first line of {folder.journal} cannot be read")


def chain_from(home: TenantFolder, session_id: SessionId, origin: Origin) -> list[Link]:
    """Return *session_id*, which has this *origin*, then its base, then the base's base."""
    links = [Link(session_id, origin.base_seq)]
    while origin.base is not None:
        base = origin.base
        folder = home.session(base)
        known = read_metadata(folder, base)
        origin = known.origin if known is not None else read_origin(folder, base)
        links.append(Link(base, origin.base_seq))
    return links


def parts(home: TenantFolder, session_id: SessionId, origin: Origin, *, after: int, before: int) -> list[Segment]:
    """Return where the entries with *after* < seq < *before* are stored, oldest first."""
    if after >= origin.base_seq:
        return segments([Link(session_id, origin.base_seq)], after=after, before=before)
    return segments(chain_from(home, session_id, origin), after=after, before=before)


def rows_forward(home: TenantFolder, found: Sequence[Segment], *, limit: int, through: SessionId) -> list[JournalRow]:
    """Return the first *limit* rows of the segments *found*."""
    rows: list[JournalRow] = []
    for owner, first, last in found:
        with Blocks(home.session(owner), through=through) as blocks:
            rows += blocks.forward(first, last, limit - len(rows))
        if len(rows) >= limit:
            break
    return rows


def rows_backward(
    home: TenantFolder, found: Sequence[Segment], *, limit: int, through: SessionId, messages_only: bool = False
) -> list[JournalRow]:
    """Return the last *limit* rows of the segments *found*, newest first."""
    rows: list[JournalRow] = []
    for owner, first, last in reversed(found):
        with Blocks(home.session(owner), through=through) as blocks:
            rows += blocks.backward(first, last, limit - len(rows), messages_only=messages_only)
        if len(rows) >= limit:
            break
    return rows


def last_messages(home: TenantFolder, session_id: SessionId, origin: Origin, *, before: int, limit: int) -> list[Entry]:
    """Return the last *limit* messages before entry *before*, oldest first."""
    found = parts(home, session_id, origin, after=0, before=before)
    rows = rows_backward(home, found, limit=limit, through=session_id, messages_only=True)
    return read_entries(rows[::-1], session_id)


def past(home: TenantFolder, session_id: SessionId, origin: Origin, *, at: int) -> StoredPast:
    """Return what the state after entry *at* is made of."""
    found = parts(home, session_id, origin, after=0, before=at + 1)
    snapshot = None
    for owner, first, last in reversed(found):
        snapshot = snapshots.find_best(home.session(owner).snapshots, first=first, last=last)
        if snapshot is not None:
            break
    since = snapshot.seq if snapshot else 0
    rest = [part._replace(first=max(part.first, since + 1)) for part in found if part.last > since]
    return StoredPast(snapshot, rows_forward(home, rest, limit=at, through=session_id))


def state_at(home: TenantFolder, session_id: SessionId, origin: Origin, *, at: int) -> SessionState:
    """Return the session's state after entry *at*, made from the journal and the snapshots of it."""
    snapshot, rows = past(home, session_id, origin, at=at)
    state = decode_snapshot(snapshot.data, seq=snapshot.seq) if snapshot else None
    if state is None and snapshot is not None:  # somebody else's idea of a state: begin at the beginning
        found = parts(home, session_id, origin, after=0, before=at + 1)
        rows = rows_forward(home, found, limit=at, through=session_id)
    state = replay(read_entries(rows, session_id), state=state)
    if state is None:
        raise CorruptError(f"session={session_id} has no entries")
    if state.session_id == session_id:
        return state
    return structs.replace(state, header=structs.replace(state.header, session_id=session_id))  # it was its base's
