"""Operations that look after the data: checking every line, making what is derived anew, and copies."""

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from sojourn.errors import CorruptError, InvalidInputError, SessionNotFoundError
from sojourn.model.ids import Seq, SessionId
from sojourn.store.files import snapshots, transcript
from sojourn.store.files.disk import Disk, is_unfinished, make_folder
from sojourn.store.files.documents import document_files, read_document
from sojourn.store.files.folders import SessionFolder, TenantFolder
from sojourn.store.files.held import Held
from sojourn.store.files.journal_file import JournalFile
from sojourn.store.files.kinship import Kinship
from sojourn.store.files.line import Damage, decode_line, is_torn, span_of
from sojourn.store.files.loading import load
from sojourn.store.files.locks import hold
from sojourn.store.files.metadata import read_metadata
from sojourn.store.files.opening import open_root
from sojourn.store.files.settling import settle
from sojourn.store.files.shelf import Shelf
from sojourn.store.protocol import Problem
from sojourn.store.rows import JournalRow, read_entry

_COPY_BYTES: Final = 1024 * 1024


def check_session(shelf: Shelf, session_id: SessionId) -> tuple[int, list[Problem]]:
    """Read every line that the session stores; return how many entries there are, and what is wrong with them.

    A damaged session is put in quarantine, and one that is whole again is released. Its lock is not held while the
    lines are read: up to where they were, they do not change.
    """
    folder = shelf.home.session(session_id)
    try:
        with shelf.locked(session_id):
            promised = read_metadata(folder, session_id)
            known = shelf.look(session_id)
            journal = JournalFile(folder.journal)
    except SessionNotFoundError:
        return 0, []
    head, base_seq = known.row.header.head, known.origin.base_seq
    with journal:
        damages = list(_damages(journal, session_id, expected=base_seq + 1))
    if head <= base_seq and not damages:
        damages.append(Damage(base_seq + 1, "the first entry is missing"))
    if known.origin.base is not None and not shelf.home.session(known.origin.base).journal.exists():
        damages.insert(0, Damage(1, f"its base {known.origin.base} is missing"))
    problems = [Problem(what=what, session_id=session_id, seq=Seq(seq)) for seq, what in damages]
    if promised is not None and promised.head > head:
        what = f"entries up to {promised.head} were written, and are missing"
        problems.append(Problem(what=what, session_id=session_id, seq=Seq(head + 1)))
    _judge(shelf, session_id, damages, inode=journal.stamp.inode)
    return head - base_seq, problems


def check_tenant(home: TenantFolder) -> list[Problem]:
    """Look at what a tenant has beside sessions, every document above all; return what is wrong with it."""
    problems = []
    if home.forgetting.exists():
        what = f"{home.forgetting}: forgetting was not finished; open the store, or forget again and remove the file"
        problems.append(Problem(what=what))
    for path in document_files(home):
        try:
            read_document(path)
        except CorruptError as error:
            problems.append(Problem(what=error.detail))
    return problems


def rebuild_session(shelf: Shelf, session_id: SessionId) -> None:
    """Make all that is derived from the session's journal anew, and drop its snapshots, which loading makes again.

    Raises:
        CorruptError: the journal is damaged.
    """
    try:
        with shelf.locked(session_id) as folder:
            shown = folder.full.exists()
            snapshots.drop(folder.snapshots, first=0)
            held = load(shelf.home, session_id, anew=True)
            settle(shelf.home, folder, held, shelf.disk)
            shelf.remember(held)
    except SessionNotFoundError:
        return
    if held.row.quarantined is not None:
        raise CorruptError(f"session={session_id} {held.row.quarantined}")
    if shown:
        transcript.write_full(shelf, session_id)


def copy_all(shelves: Sequence[Shelf], root: Path, target: Path) -> None:
    """Copy everything from *root* into the new folder *target*; after an error there is none."""
    if target.resolve().is_relative_to(root.resolve()):
        raise InvalidInputError(f"{target.parent} lies in the store itself; choose a place outside of it")
    open_root(target, shelves[0].disk)
    try:
        for shelf in shelves:
            _copy_sessions(shelf, TenantFolder(target, shelf.home.tenant))
            _copy_documents(shelf, TenantFolder(target, shelf.home.tenant))
    except BaseException:
        shutil.rmtree(target)
        raise


def _copy_sessions(shelf: Shelf, target: TenantFolder) -> None:
    """Copy the tenant's sessions, each before the one it reads from: that one only grows until its turn comes."""
    if not shelf.home.sessions.is_dir():
        return
    make_folder(target.sessions)
    with shelf.structure(alone=False):
        for session_id in Kinship(shelf).oldest_last():
            with shelf.locked(session_id) as folder:
                held = shelf.get(session_id)
                shelf.catch_up(held)
                _copy_session(folder, target.session(session_id), held, shelf.disk)


def _copy_documents(shelf: Shelf, target: TenantFolder) -> None:
    if shelf.home.documents.is_dir():
        make_folder(target.documents)
        with hold(shelf.home.documents / ".lock"):
            for path in document_files(shelf.home):
                _copy_file(path, target.documents / path.name, shelf.disk)
    pointer = shelf.home.pointer
    if pointer is not None and target.pointer is not None and pointer.exists():
        _copy_file(pointer, target.pointer, shelf.disk)


def _damages(journal: JournalFile, session_id: SessionId, *, expected: int) -> Iterator[Damage]:
    size = journal.stamp.size
    for offset, data in journal.raw_lines(0, size):
        line = decode_line(data, expected=expected)
        if line.damage is not None:
            if offset + len(data) == size and is_torn(data):
                return
            yield line.damage
        yield from _unreadable(line.rows, session_id)
        span = span_of(data)
        expected = span[1] + 1 if span else expected + 1


def _unreadable(rows: list[JournalRow], session_id: SessionId) -> Iterator[Damage]:
    for row in rows:
        try:
            read_entry(row, session_id)
        except CorruptError as error:
            yield Damage(row.seq, error.detail)


def _judge(shelf: Shelf, session_id: SessionId, damages: list[Damage], *, inode: int) -> None:
    """Put the session in quarantine, or release it, unless its journal was replaced in the meantime."""
    try:
        with shelf.locked(session_id):
            held = shelf.get(session_id)
            if held.stamp.inode != inode:
                return
            if damages and held.row.quarantined is None:
                held.quarantine(damages[0], head=held.head)
                shelf.catch_up(held)
            elif not damages and held.row.quarantined is not None:
                shelf.renew(session_id)
    except SessionNotFoundError:
        return


def _copy_session(folder: SessionFolder, target: SessionFolder, held: Held, disk: Disk) -> None:
    make_folder(target.path)
    for path in folder.path.iterdir():
        if path == folder.journal:
            _copy_file(path, target.journal, disk, length=held.end)
        elif path.is_file() and path != folder.lock and not is_unfinished(path.name):
            _copy_file(path, target.path / path.name, disk)
    snapshots.copy(folder.snapshots, target.snapshots, disk, first=0, last=held.head)


def _copy_file(source: Path, target: Path, disk: Disk, *, length: int | None = None) -> None:
    with source.open("rb") as old, disk.replacing(target) as new:
        rest = os.fstat(old.fileno()).st_size if length is None else length
        while rest > 0 and (piece := old.read(min(rest, _COPY_BYTES))):
            new.write(piece)
            rest -= len(piece)
