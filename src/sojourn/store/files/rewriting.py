"""Replaces a journal as a whole: to forget, and to give a fork its own copy of what it reads elsewhere."""

from collections.abc import Callable, Iterator

from sojourn.errors import CorruptError
from sojourn.model.ids import SessionId
from sojourn.store.files.disk import Disk
from sojourn.store.files.folders import SessionFolder
from sojourn.store.files.journal_file import JournalFile
from sojourn.store.files.line import NO_ORIGIN, JournalLine, Origin, encode_line
from sojourn.store.files.settling import drop_derived
from sojourn.store.rows import JournalRow


def own_lines(folder: SessionFolder, session_id: SessionId) -> Iterator[JournalLine]:
    """Give the lines that the session stores.

    Raises:
        CorruptError: one is damaged.
    """
    with JournalFile(folder.journal) as journal:
        for placed in journal.lines(0, expected=journal.first_seq()):
            wrong = placed.line.damage
            if wrong is not None:
                raise CorruptError(f"session={session_id} entry={wrong.seq}: {wrong.what}")
            yield placed.line


def changed_lines(
    lines: Iterator[JournalLine], origin: Origin, change: Callable[[JournalRow], JournalRow]
) -> Iterator[bytes]:
    """Give *lines* as bytes, each entry changed, the first line with *origin*."""
    for line in lines:
        rows = [change(row) for row in line.rows]
        yield encode_line(rows, origin=origin, key=line.key, clears_partial=line.clears_partial)
        origin = NO_ORIGIN


def replace_journal(folder: SessionFolder, lines: Iterator[bytes], disk: Disk) -> None:
    """Put *lines* in place of the journal, at once. What is derived from it is removed, and has to be made anew."""
    drop_derived(folder)
    with disk.replacing(folder.journal) as file:
        file.writelines(lines)
    disk.settle_folder(folder.path)
