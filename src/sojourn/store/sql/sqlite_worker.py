"""A thread that owns one SQLite connection, and runs operations on it for an event loop.

The writer's batches are group commits: whatever waits when a transaction begins becomes part of it. An operation that
fails before its first write leaves the others of its batch alone; a failure after that undoes the batch, and each of
its operations is then run in a transaction of its own.

After a failed COMMIT nobody knows yet whether it happened: the connection is opened anew, and the first entry that the
batch would have written is looked up. If it is not there, it may still lie in the log, whole, and come back after a
crash; so something is written over it before the callers hear that nothing was stored.
"""

import asyncio
import collections
import contextlib
import queue
import threading
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import apsw
import msgspec

from sojourn.errors import ClosedError, SojournError, StorageFullError, StoreError, UnknownOutcomeError
from sojourn.store.sql.sqlite_bell import Bell
from sojourn.store.sql.sqlite_errors import translate, translated
from sojourn.store.sql.sqlite_runner import Runner
from sojourn.store.sql.sqlite_schema import transaction
from sojourn.store.sql.statement import Operation

T = TypeVar("T")
MAX_BATCH: Final = 512
_SUSPECT: Final = (apsw.IOError, apsw.FullError, apsw.CorruptError, apsw.NotADBError)


class _Job(msgspec.Struct, kw_only=True):
    """One request: an operation for a transaction, or a function that gets the connection to itself."""

    done: asyncio.Future[Any]
    operation: Callable[[], Operation[Any]] | None = None
    fleeting: bool = False
    function: Callable[[apsw.Connection], Any] | None = None
    result: Any = None
    error: BaseException | None = None
    settled: bool = False
    abandoned: bool = False


class Worker:
    """One thread, one connection. Lives from `start` to `stop`, for the event loop that started it."""

    def __init__(
        self,
        name: str,
        connect: Callable[[], apsw.Connection],
        reconnect: Callable[[], apsw.Connection],
        statements: Mapping[str, str],
        *,
        path: Path | None,
        write: bool,
    ) -> None:
        """Connect with *connect* at the start, with *reconnect* after a failure."""
        self._connect = connect
        self._reconnect = reconnect
        self._runner = Runner(statements)
        self._path = path
        self._write = write
        self._begin = "BEGIN IMMEDIATE" if write else "BEGIN"
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._loop: asyncio.AbstractEventLoop
        self._bell: Bell
        self._worked: collections.deque[list[_Job]] = collections.deque()
        self._cursor: apsw.Cursor | None = None
        self._stopping = False
        self._hurried = False
        self.commits = 0

    # --- on the event loop

    async def start(self) -> None:
        """Start the thread and connect.

        Raises:
            StoreError: the database cannot be opened; the thread has ended again.
        """
        self._loop = asyncio.get_running_loop()
        self._started: asyncio.Future[None] = self._loop.create_future()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        with translated(self._path):
            self._bell = Bell(self._loop, self._settle)
        self._thread.start()
        try:
            await self._started
        except BaseException:
            await self.stop()  # and not before: the thread reports to a loop that must still be there
            raise

    def run(self, operation: Callable[[], Operation[T]], *, fleeting: bool = False) -> Coroutine[Any, Any, T]:
        """Run an operation in a transaction; awaited, return what it returned, once that is durable.

        If all that share a transaction are *fleeting*, it does not wait for the disk.
        """
        return self._submit(_Job(done=self._loop.create_future(), operation=operation, fleeting=fleeting))

    def call(self, function: Callable[[apsw.Connection], T]) -> Coroutine[Any, Any, T]:
        """Run *function* with the connection, outside any transaction; awaited, return what it returned."""
        return self._submit(_Job(done=self._loop.create_future(), function=function))

    async def stop(self, last: Callable[[apsw.Connection], None] | None = None) -> None:
        """Finish what was submitted, run *last*, disconnect, and end the thread."""
        if self._stopping:
            return
        try:
            if last is not None:
                await self.call(last)
        finally:
            self._stopping = True
            self._jobs.put(None)
            await asyncio.shield(self._ended)
            self._thread.join()  # it has said good-bye: this waits for no work, and another thread would cost more

    def _settle(self) -> None:
        """Tell the callers what came of the batches that are worked through."""
        while self._worked:
            for job in self._worked.popleft():
                job.settled = True
                if job.done.cancelled():
                    continue
                if job.error is not None and not job.abandoned:
                    job.done.set_exception(job.error)
                else:
                    job.done.set_result(job.result)

    def _end(self) -> None:
        """Say that the thread has ended: nobody rings any more."""
        self._settle()
        self._bell.close()
        if not self._ended.done():
            self._ended.set_result(None)

    async def _submit(self, job: _Job) -> Any:
        if self._stopping:
            raise ClosedError(self._thread.name)
        self._jobs.put(job)
        try:
            return await job.done
        except asyncio.CancelledError:
            # The thread has the job and will do it: wait for the end of it, so that nothing happens behind the
            # caller's back, then be cancelled.
            while not job.settled:
                job.done = self._loop.create_future()
                job.abandoned = True
                with contextlib.suppress(asyncio.CancelledError):
                    await job.done
            raise

    # --- on the thread

    def _run(self) -> None:
        try:
            self._serve()
        finally:
            with contextlib.suppress(RuntimeError):  # the loop is closed, so nobody waits for the end
                self._loop.call_soon_threadsafe(self._end)

    def _serve(self) -> None:
        try:
            self._cursor = self._connect().cursor()
        except BaseException as error:  # noqa: BLE001 - handed to whoever started the thread
            self._loop.call_soon_threadsafe(_settle_start, self._started, error)
            return
        self._loop.call_soon_threadsafe(_settle_start, self._started, None)
        while (batch := self._next_batch()) is not None:
            self._work(batch)
            self._worked.append(batch)
            self._bell.ring()
        if self._cursor is not None:
            self._cursor.connection.close()

    def _next_batch(self) -> list[_Job] | None:
        """Wait for a job, and take those that wait behind it, up to a function; None says to stop."""
        job = self._jobs.get()
        if job is None:
            return None
        batch = [job]
        while job.operation is not None and len(batch) < MAX_BATCH and not self._jobs.empty():
            job = self._jobs.get()  # this thread alone takes from the queue: what is there stays there
            if job is None:
                self._jobs.put(None)
                break
            batch.append(job)
        return batch

    def _work(self, batch: list[_Job]) -> None:
        last = batch[-1]
        if last.function is None:
            self._work_together(batch)
            return
        if len(batch) > 1:
            self._work_together(batch[:-1])
        self._work_alone(last)

    def _work_alone(self, job: _Job) -> None:
        assert job.function is not None  # noqa: S101 - told apart in _work
        try:
            cursor = self._connected()
            self._hurry(cursor, hurried=False)
            job.result = job.function(cursor.connection)
        except apsw.Error as error:
            job.error = translate(error, self._path)
            job.error.__cause__ = error
        except Exception as error:  # noqa: BLE001 - handed to the caller
            job.error = error

    def _work_together(self, jobs: list[_Job]) -> None:
        begun = committing = False
        self._runner.probe = None
        try:
            cursor = self._connected()
            self._hurry(cursor, hurried=jobs[0].fleeting and all(job.fleeting for job in jobs))
            cursor.execute(self._begin)
            begun = True
            for job in jobs:
                self._attempt(cursor, job)
            committing = True
            cursor.execute("COMMIT")
            self.commits += 1
        except Exception as error:  # noqa: BLE001 - handed to the callers
            if committing and self._write and _may_have_happened(error):
                self._find_out(jobs, error)
                return
            self._undo(error)
            if begun and len(jobs) > 1:
                self._work_apart(jobs)
            else:
                ours = self._as_ours(error)
                for job in jobs:
                    job.error = ours

    def _hurry(self, cursor: apsw.Cursor, *, hurried: bool) -> None:
        """Let commits return when the system has them, or only when the disk has.

        A commit that waits for the disk takes along all that did not: they are written to one log, in order.
        """
        if hurried != self._hurried:
            cursor.execute(f"PRAGMA synchronous={'NORMAL' if hurried else 'FULL'}")
            self._hurried = hurried

    def _work_apart(self, jobs: list[_Job]) -> None:
        """Give each of *jobs*, whose common transaction was undone, one of its own."""
        for job in jobs:
            job.result = job.error = None
            self._work_together([job])

    def _find_out(self, jobs: list[_Job], error: Exception) -> None:
        """Find out whether the transaction of *jobs*, whose COMMIT failed, is in the database, and make sure of it.

        If it cannot be told, the callers hear that: the outcome is unknown.
        """
        self._disconnect()
        try:
            happened = self._runner.has_happened(self._connected())
            if not happened:
                _write_over(self._connected().connection)
        except (apsw.Error, StoreError):
            self._disconnect()
            unknown = UnknownOutcomeError(f"{self._path or 'memory'}: {error}")
            unknown.__cause__ = error
            for job in jobs:
                job.error = job.error or unknown
            return
        if happened:
            self.commits += 1
        elif len(jobs) > 1:
            self._work_apart(jobs)
        else:
            jobs[0].error = self._as_ours(error)

    def _attempt(self, cursor: apsw.Cursor, job: _Job) -> None:
        """Run the job's operation; its own errors before its first write are its caller's affair alone."""
        assert job.operation is not None  # noqa: S101 - told apart in _work
        self._runner.wrote = False
        try:
            job.result = self._runner.run(cursor, job.operation())
        except SojournError as error:
            if self._runner.wrote:
                raise
            job.error = error

    def _undo(self, error: Exception) -> None:
        if self._cursor is None:
            return
        try:
            if self._cursor.connection.in_transaction:
                self._cursor.execute("ROLLBACK")
        except apsw.Error:
            self._disconnect()
        if isinstance(error, _SUSPECT):
            self._disconnect()

    def _as_ours(self, error: Exception) -> Exception:
        if not isinstance(error, apsw.Error):
            return error
        ours = translate(error, self._path)
        ours.__cause__ = error
        return ours

    def _connected(self) -> apsw.Cursor:
        if self._cursor is None:
            self._cursor = self._reconnect().cursor()
            self._hurried = False
        return self._cursor

    def _disconnect(self) -> None:
        if self._cursor is not None:
            cursor, self._cursor = self._cursor, None
            cursor.connection.close(True)


def _may_have_happened(error: Exception) -> bool:
    """Tell whether a COMMIT that failed so may be stored all the same. If a write was refused, it is not complete."""
    return isinstance(error, _SUSPECT) and not isinstance(translate(error, None), StorageFullError)


def _write_over(connection: apsw.Connection) -> None:
    """Write a small transaction where the failed one lies in the log, which recovery would else bring back."""
    with transaction(connection):
        connection.pragma("user_version", connection.pragma("user_version"))


def _settle_start(started: asyncio.Future[None], error: BaseException | None) -> None:
    if started.cancelled():
        return
    if error is None:
        started.set_result(None)
    else:
        started.set_exception(error)
