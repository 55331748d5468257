"""`full.json`: the whole conversation, for people. It is written when asked for and when the store is closed."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Final

from sojourn.errors import CorruptError
from sojourn.model.entry import Entry
from sojourn.model.ids import SessionId
from sojourn.store.files.locks import hold
from sojourn.store.files.projections import full_file
from sojourn.store.files.reading import parts, rows_forward
from sojourn.store.files.shelf import Known, Shelf
from sojourn.store.rows import read_entries

_PAGE: Final = 1000


class _ForgottenError(Exception):
    """Something was forgotten while the transcript was being written."""


def write_full(shelf: Shelf, session_id: SessionId) -> None:
    """Write the session's transcript as it is now. Others may append meanwhile: the lock is held page by page.

    Raises:
        CorruptError: the journal is damaged; the transcript stays as it was.
    """
    while True:
        try:
            _write(shelf, session_id)
        except _ForgottenError:
            continue
        shelf.touched.discard(session_id)
        return


def _write(shelf: Shelf, session_id: SessionId) -> None:
    with shelf.locked(session_id) as folder:
        held = shelf.get(session_id)
        shelf.catch_up(held, wholly=True)
        known, state = Known(held.row, held.origin), held.state
    if state is None or known.row.quarantined is not None:
        raise CorruptError(f"session={session_id} is in quarantine: {known.row.quarantined}")
    with hold(folder.path / ".full.lock"), ExitStack() as stack, shelf.disk.replacing(folder.full) as file:
        file.writelines(full_file(state, _entries(shelf, session_id, known)))
        stack.enter_context(shelf.locked(session_id))  # kept until the file has taken its place
        if shelf.look(session_id).row.epoch != known.row.epoch:
            raise _ForgottenError


def _entries(shelf: Shelf, session_id: SessionId, known: Known) -> Iterator[Entry]:
    head, place = known.row.header.head, 0
    while place < head:
        with shelf.locked(session_id):
            found = parts(shelf.home, session_id, known.origin, after=place, before=head + 1)
            rows = rows_forward(shelf.home, found, limit=_PAGE, through=session_id)
        yield from read_entries(rows, session_id)
        place = rows[-1].seq
