"""Brings the derived files of a session up to its journal, each by replacing it whole.

`metadata.json` comes last: it says how far the others are, so a crash before it has them caught up the next time.
"""

from typing import Final

from sojourn.store.files import receipts
from sojourn.store.files.disk import Disk, is_unfinished, unfinished_of
from sojourn.store.files.folders import SessionFolder, TenantFolder
from sojourn.store.files.held import Held
from sojourn.store.files.index import add_records
from sojourn.store.files.journal_file import stamp_of
from sojourn.store.files.metadata import Metadata, Progress
from sojourn.store.files.partials import read_partial
from sojourn.store.files.projections import RECENT_MESSAGES, recent_messages, state_file, working_file
from sojourn.store.files.reading import last_messages
from sojourn.store.files.sealed import seal

_MOST_KEYS: Final = 64
_MOST_ENTRIES: Final = 256
_LARGE_STATE: Final = 64 * 1024
_SELDOM: Final = 64


def settle(home: TenantFolder, folder: SessionFolder, held: Held, disk: Disk, *, wholly: bool = False) -> None:
    """Write what the derived files lack. A large state is written every 64 entries only, unless *wholly*."""
    if held.row.quarantined is None:
        _index(folder, held)
        _enter_keys(folder, held, disk)
        partial = read_partial(folder) if held.cleared else None
        if partial is not None and partial.head < held.cleared:
            folder.partial.unlink(missing_ok=True)
        held.cleared = 0
        _write_working(home, folder, held, disk)
        _write_state(folder, held, disk, wholly=wholly)
        held.anew = False
    progress = Progress(journal_bytes=held.end, receipts=held.receipts, receipts_through=held.receipts_through)
    disk.replace(folder.metadata, seal(Metadata.of(held.row, held.origin, progress)))
    held.settled = stamp_of(folder.metadata)
    held.behind = False


def drop_derived(folder: SessionFolder) -> None:
    """Remove all that is made from the journal, but the snapshots, and what a crash left of it.

    Whoever replaces a journal does this first: no derived file may be taken for that of another journal.
    """
    derived = (folder.metadata, folder.state, folder.working, folder.full, folder.index, folder.receipts)
    unfinished = [path for path in folder.path.iterdir() if is_unfinished(path.name)]
    if (journal := unfinished_of(folder.journal)) in unfinished:
        unfinished.remove(journal)
    for path in (*derived, *unfinished):
        path.unlink(missing_ok=True)


def _index(folder: SessionFolder, held: Held) -> None:
    if held.records or held.anew:
        add_records(folder.index, held.records, anew=held.anew)
        held.records.clear()


def _enter_keys(folder: SessionFolder, held: Held, disk: Disk) -> None:
    if held.anew:
        folder.receipts.unlink(missing_ok=True)
        held.receipts = 0
    many = len(held.keys) >= _MOST_KEYS or held.head - held.receipts_through >= _MOST_ENTRIES
    if held.keys and (held.anew or many):
        used = [(key, use.first) for key, use in held.keys.items()]
        held.receipts = receipts.add(folder.receipts, used, disk, count=held.receipts)
        held.keys.clear()
    if not held.keys:
        held.receipts_through = held.head


def _write_working(home: TenantFolder, folder: SessionFolder, held: Held, disk: Disk) -> None:
    if held.state is None:
        return
    if held.recent is None:
        session_id, end = held.row.header.session_id, held.head + 1
        last = last_messages(home, session_id, held.origin, before=end, limit=RECENT_MESSAGES)
        held.recent = recent_messages(last)
    data = working_file(held.state, held.recent)
    if data != held.working:
        disk.replace(folder.working, data)
        held.working = data


def _write_state(folder: SessionFolder, held: Held, disk: Disk, *, wholly: bool) -> None:
    if held.state is None or (held.state_seq == held.head and not held.anew):
        return
    if held.state_bytes > _LARGE_STATE and held.head - held.state_seq < _SELDOM and not (held.anew or wholly):
        return
    data = state_file(held.state)
    disk.replace(folder.state, data)
    held.state_seq, held.state_bytes = held.head, len(data)
