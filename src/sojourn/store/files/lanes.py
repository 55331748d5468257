"""Threads for work that blocks. What goes to one lane is done in order; the lanes do not wait for each other."""

import asyncio
import contextlib
import os
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

import anyio

from sojourn.errors import ClosedError

T = TypeVar("T")
_LANES: Final = 4


class Lanes:
    """A few threads, for one process and event loop. Live from the first use to `close`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._pid = os.getpid()
        self._closed = False
        *self._lanes, self._slow = (ThreadPoolExecutor(1, f"sojourn-files-{lane}") for lane in range(_LANES + 1))

    @property
    def usable(self) -> bool:
        """Whether this is open and of this process: a forked child has none of the threads."""
        return not self._closed and self._pid == os.getpid()

    async def run(self, subject: str | None, work: Callable[[], T]) -> T:
        """Do *work* on the lane of *subject*, without one on the lane for what takes long; return what it returned.

        Cancelled, it waits for the end of the work all the same, so that nothing happens behind the caller's back.
        """
        if not self.usable:
            raise ClosedError(self._name)
        lane = self._slow if subject is None else self._lanes[zlib.crc32(subject.encode()) % _LANES]
        return await _finished(asyncio.get_running_loop().run_in_executor(lane, work))

    async def close(self) -> None:
        """Finish what was begun and let the threads end."""
        self._closed = True
        for lane in (*self._lanes, self._slow):
            await _finished(asyncio.get_running_loop().run_in_executor(None, lane.shutdown))


async def _finished(job: asyncio.Future[T]) -> T:
    try:
        return await asyncio.shield(job)
    except asyncio.CancelledError:
        while not job.done():
            with anyio.CancelScope(shield=True), contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([job])
        job.exception()
        raise
