"""One tenant's sessions as this process sees them: locked, looked up, remembered.

A session's files are read and written only under its lock. What changes how sessions hang together (forks, removal,
forgetting, backups) also holds the tenant's structure lock, taken first: shared to add to it, alone to change it.
Several sessions are locked in the order of their ids.
"""

import shutil
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Final, NamedTuple

from sojourn.errors import SessionNotFoundError
from sojourn.model.ids import SessionId
from sojourn.store.files.disk import Disk, make_folder
from sojourn.store.files.folders import PENDING, SessionFolder, TenantFolder
from sojourn.store.files.held import Held
from sojourn.store.files.journal_file import stamp_of
from sojourn.store.files.line import Origin
from sojourn.store.files.loading import load
from sojourn.store.files.locks import PATIENCE_SECONDS, hold
from sojourn.store.files.metadata import read_metadata
from sojourn.store.files.receipts import StaleReceiptsError
from sojourn.store.files.settling import settle
from sojourn.store.protocol import SessionRow

_MOST_HELD: Final = 64


class Known(NamedTuple):
    """A session's row, and what its journal's first line says of it."""

    row: SessionRow
    origin: Origin


class Shelf:
    """One tenant's sessions. Lives as long as the store; used by its threads."""

    def __init__(self, home: TenantFolder, disk: Disk) -> None:
        self.home = home
        self.disk = disk
        self._held: OrderedDict[SessionId, Held] = OrderedDict()
        self._guard = threading.Lock()
        self.touched: set[SessionId] = set()
        """Sessions that were written to and whose `full.json` does not show it."""

    # --- locks

    @contextmanager
    def locked(self, session_id: SessionId) -> Iterator[SessionFolder]:
        """Hold the session's lock.

        Raises:
            SessionNotFoundError: there is no such session, or it was just removed.
            BusyError: another process held it for too long.
        """
        folder = self.home.session(session_id)
        with ExitStack() as stack:
            try:
                folder.journal.stat()  # no lock is left in a folder that is not a session's
                stack.enter_context(hold(folder.lock))
                folder.journal.stat()
            except FileNotFoundError as error:
                raise SessionNotFoundError(f"session={session_id}") from error
            yield folder

    @contextmanager
    def all_locked(self, session_ids: Iterable[SessionId]) -> Iterator[None]:
        """Hold the locks of these sessions."""
        with ExitStack() as stack:
            for session_id in sorted(session_ids):
                stack.enter_context(self.locked(session_id))
            yield

    @contextmanager
    def structure(self, *, alone: bool, patience: float = PATIENCE_SECONDS) -> Iterator[None]:
        """Hold the lock on how the tenant's sessions hang together."""
        make_folder(self.home.sessions)
        with hold(self.home.structure_lock, shared=not alone, patience=patience):
            yield

    def sweep(self) -> None:
        """Remove folders that a crash left half made or half removed. Needs the structure lock alone."""
        for path in self.home.sessions.iterdir():
            if path.name.startswith(PENDING) and path.is_dir():
                shutil.rmtree(path)

    # --- sessions

    def get(self, session_id: SessionId) -> Held:
        """Return the session for writing. Needs its lock."""
        held = self._recall(session_id)
        if held is None:
            held = load(self.home, session_id)
            self.remember(held)
            if held.row.quarantined is not None:
                self.catch_up(held)
        return held

    def peek(self, session_id: SessionId) -> Known | None:
        """Return the session's row without a lock; None if that needs a closer look, or there is no such session."""
        folder = self.home.session(session_id)
        try:
            size = folder.journal.stat().st_size
        except FileNotFoundError:
            return None
        known = read_metadata(folder, session_id)
        if known is None or known.journal_bytes != size:
            return None
        return Known(known.row, known.origin)

    def look(self, session_id: SessionId) -> Known:
        """Return the session's row. Needs its lock."""
        known = self.peek(session_id)
        if known is not None:
            return known
        held = self.get(session_id)
        self.catch_up(held)
        return Known(held.row, held.origin)

    def find(self, session_id: SessionId) -> Known | None:
        """Return the session's row, taking its lock if need be; None if there is no such session."""
        known = self.peek(session_id)
        if known is not None:
            return known
        try:
            with self.locked(session_id):
                return self.look(session_id)
        except SessionNotFoundError:
            return None

    def catch_up(self, held: Held, *, wholly: bool = False) -> bool:
        """Write what the session's derived files lack, if it can be; tell whether it could. Needs the lock.

        The journal has everything. What cannot be written now, on a full disk say, is written by whoever opens the
        session next; to raise here would deny an append that did happen.
        """
        if not (held.behind or wholly):
            return True
        session_id = held.row.header.session_id
        try:
            try:
                settle(self.home, self.home.session(session_id), held, self.disk, wholly=wholly)
            except StaleReceiptsError:
                self.renew(session_id)
        except OSError:
            self.forget(session_id)
            return False
        return True

    def renew(self, session_id: SessionId) -> Held:
        """Read the session from its journal alone, and write everything that is derived from it. Needs its lock."""
        held = load(self.home, session_id, anew=True)
        self.remember(held)
        self.catch_up(held)
        return held

    def remember(self, held: Held) -> None:
        """Keep what is known of a session for the next time."""
        with self._guard:
            self._held[held.row.header.session_id] = held
            self._held.move_to_end(held.row.header.session_id)
            while len(self._held) > _MOST_HELD:
                self._held.popitem(last=False)

    def forget(self, session_id: SessionId) -> None:
        """Keep nothing of what is known of a session."""
        with self._guard:
            self._held.pop(session_id, None)

    def clear(self) -> None:
        """Keep nothing of what is known of any session."""
        with self._guard:
            self._held.clear()
        self.touched.clear()

    def _recall(self, session_id: SessionId) -> Held | None:
        with self._guard:
            held = self._held.get(session_id)
        if held is None:
            return None
        folder = self.home.session(session_id)
        if (held.stamp, held.settled) != (stamp_of(folder.journal), stamp_of(folder.metadata)):
            self.forget(session_id)
            return None
        with self._guard:
            self._held.move_to_end(session_id)
        return held
