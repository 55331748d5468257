"""The folder that all tenants' views of a store share: its threads, and what is known of its sessions."""

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from sojourn.errors import BusyError, ClosedError, CorruptError, SessionNotFoundError
from sojourn.model.ids import SessionId, TenantId
from sojourn.store.feed import Feed
from sojourn.store.files import transcript
from sojourn.store.files.disk import Disk, translated
from sojourn.store.files.folders import TenantFolder, tenant_folders
from sojourn.store.files.lanes import Lanes
from sojourn.store.files.opening import open_root, tidy
from sojourn.store.files.shelf import Shelf
from sojourn.store.process import Process, this_process
from sojourn.store.protocol import Durability

T = TypeVar("T")


class Root:
    """One folder of files. Lives from `open` to `close`, in one process and on one event loop."""

    def __init__(self, path: Path, durability: Durability) -> None:
        self.path = path
        self.durability = durability
        self.disk = Disk(durability)
        self.feed = Feed()
        self._process = this_process()
        self._lanes: Lanes | None = None
        self._shelves: dict[TenantId, Shelf] = {}

    def __repr__(self) -> str:
        return str(self.path)

    @property
    def process(self) -> Process:
        """The process that opened it."""
        return self._process

    def shelf(self, tenant: TenantId) -> Shelf:
        """Return the sessions of *tenant*."""
        if tenant not in self._shelves:
            self._shelves[tenant] = Shelf(TenantFolder(self.path, tenant), self.disk)
        return self._shelves[tenant]

    async def open(self) -> None:
        """Make sure that the folder is a store's, and finish what a crash left undone. Opening twice is fine."""
        if self._lanes is not None:
            return
        self._process = this_process()
        self._lanes = Lanes(str(self.path))
        try:
            await self.run(None, partial(open_root, self.path, self.disk))
            await self.run(None, partial(tidy, self.path, self.disk))
        except BaseException:
            lanes, self._lanes = self._lanes, None
            await lanes.close()
            raise

    async def close(self) -> None:
        """Write the transcripts of the sessions that were written to, and end the threads. Closing twice is fine."""
        lanes = self._lanes
        if lanes is None or not lanes.usable:
            return
        try:
            for shelf in self._shelves.values():
                for session_id in sorted(shelf.touched):
                    await self.run(f"{shelf.home.tenant}/{session_id}", partial(_finish, shelf, session_id))
        finally:
            self._lanes = None
            for shelf in self._shelves.values():
                shelf.clear()
            await lanes.close()

    async def run(self, subject: str | None, work: Callable[[], T]) -> T:
        """Do *work* on a thread, in turn with other work on the same *subject*."""
        if self._lanes is None:
            raise ClosedError(str(self.path))

        def translated_work() -> T:
            with translated(self.path):
                return work()

        return await self._lanes.run(subject, translated_work)

    async def all_shelves(self) -> list[Shelf]:
        """Return the sessions of every tenant that has any."""
        homes = await self.run(None, lambda: list(tenant_folders(self.path)))
        return [self.shelf(home.tenant) for home in homes]

    async def all_sessions(self) -> list[tuple[Shelf, SessionId]]:
        """Return every session of every tenant."""
        shelves = await self.all_shelves()
        return await self.run(None, lambda: [(shelf, one) for shelf in shelves for one in shelf.home.session_ids()])


def _finish(shelf: Shelf, session_id: SessionId) -> None:
    """Write the session's transcript if it can be: the journal has everything, so nothing is lost without it.

    A damaged session says so when it is read or checked, a full disk when something is appended.
    """
    with contextlib.suppress(CorruptError, SessionNotFoundError, BusyError, OSError):
        transcript.write_full(shelf, session_id)
