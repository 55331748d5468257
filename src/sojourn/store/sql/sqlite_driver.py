"""SQLite, through apsw. One writer thread with group commit; one reader thread, which never waits for the writer.

Operations that wait at the same moment, of whichever sessions, share one transaction and one fsync. Each operation
takes one hop to a thread and one back. Nothing here opens the database's file except through SQLite: a plain open and
close in the same process would drop SQLite's locks.
"""

import asyncio
import os
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

import apsw

from sojourn.errors import BusyError, ClosedError, CorruptError, StorageFullError, UnsafeLibraryError
from sojourn.store.feed import Feed
from sojourn.store.filesystem import create_private_file, is_network_path
from sojourn.store.process import Process, this_process
from sojourn.store.protocol import Durability
from sojourn.store.sql.sqlite_errors import translate, translated
from sojourn.store.sql.sqlite_runner import Runner
from sojourn.store.sql.sqlite_schema import copies_before, find_version, migrate, transaction
from sojourn.store.sql.sqlite_worker import Worker
from sojourn.store.sql.statement import Migration, Operation, load_migrations, load_statements

T = TypeVar("T")
BUSY_TIMEOUT_MS: Final = 10_000
PAGE_BYTES: Final = 2048
"""A turn touches some seven pages and writes each whole, so small pages halve what a turn writes."""
_BUSY_PAUSE: Final = 0.005
MAX_LOG_BYTES: Final = 64 * 1024 * 1024
_SAFE_LIBRARY: Final = (3, 51, 3)
_SMALLEST_FILE: Final = 512


class _OldSchemaError(Exception):
    """The file must be brought up to date before it can be read."""


class SqliteDriver:
    """One SQLite file, or without a path a database in memory. Lives from `open` to `close`, in one process."""

    poll_seconds = 0.1

    def __init__(
        self,
        path: Path | None,
        *,
        durability: Durability = Durability.FULL,
        migrations: list[Migration] | None = None,
        on_network: Callable[[Path], bool] = is_network_path,
        reading: bool = False,
    ) -> None:
        """Use the file at *path*. With *reading*, one that is there is opened for writing when something is written."""
        self._path = path
        self._reading = reading
        self._durability = durability
        self._migrations = load_migrations("sqlite") if migrations is None else migrations
        self._on_network = on_network
        self._statements = load_statements("sqlite")
        self._process = this_process()
        self._opener = os.urandom(8).hex()
        self._opening = asyncio.Lock()
        self._writer: Worker | None = None
        self._reader: Worker | None = None
        self._at_once: apsw.Cursor | None = None
        self._runner = Runner(self._statements)

    def __repr__(self) -> str:
        return f"SqliteDriver({str(self._path) if self._path else 'memory'})"

    @property
    def index_location(self) -> str:
        return f"{self._path}.index" if self._path else "memory:"

    async def open(self, feed: Feed) -> None:  # noqa: ARG002 - followers poll
        if self._writer is not None or self._reader is not None:
            return
        _refuse_unsafe_library()
        self._process = this_process()
        try:
            if not (self._reading and await self._open_as_it_is()):
                await self._start_writer()
                await self._open_for_reading(self._connect)
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        async with self._opening:
            reader, writer, self._reader, self._writer = self._reader, self._writer, None, None
        if self._at_once is not None:
            self._at_once.connection.close()
            self._at_once = None
        try:
            if reader is not None:
                await reader.stop()
        finally:  # also if closing is cancelled
            if writer is not None:
                await writer.stop(self._sign_off)

    async def read(self, operation: Callable[[], Operation[T]], *, small: bool = False) -> T:
        worker = self._for_reading()
        cursor = self._at_once if small else None
        if cursor is not None:
            # ADR-0004: a few indexed rows take less time than waking a thread does.
            try:
                cursor.execute("BEGIN")
                try:
                    return self._runner.run(cursor, operation())
                finally:
                    cursor.execute("COMMIT")
            except apsw.BusyError:  # somebody recovers or truncates the log: wait for it on the thread
                pass
            except apsw.Error as error:
                raise translate(error, self._path) from error
        return await worker.run(operation)

    def write(self, operation: Callable[[], Operation[T]], *, fleeting: bool = False) -> Coroutine[Any, Any, T]:
        if self._writer is None and self._reader is not None:
            return self._write_first(operation, fleeting=fleeting)
        return self._for_writing().run(operation, fleeting=fleeting and self._durability is Durability.FULL)

    async def data_version(self) -> int | None:
        return await self._for_reading().call(lambda connection: int(connection.pragma("data_version")))

    async def erase_traces(self) -> None:
        if self._path is None:
            return
        await self._begin_to_write()
        await self._for_writing().call(_truncate_log)
        # The copies that were kept before migrations hold what was to be forgotten.
        for copy in copies_before(self._path):
            copy.unlink(missing_ok=True)

    async def tidy(self) -> None:
        """Write the file anew without its gaps. It needs as much free space as the file has, and nobody writing.

        Raises:
            BusyError: another process writes, or reads what the log still holds. Nothing is lost.
        """
        if self._path is not None:
            await self._begin_to_write()
            await self._for_writing().call(lambda connection: _tidy(connection, self._path))

    async def check_storage(self) -> list[str]:
        return await self._for_reading().call(_integrity)

    async def copy(self, target: Path) -> None:
        def copy_now(connection: apsw.Connection) -> None:
            with translated(target):
                create_private_file(target)
                connection.execute("VACUUM INTO ?", (str(target),))

        await self._for_reading().call(copy_now)

    @property
    def commits(self) -> int:
        """How many transactions were committed since it was opened."""
        return self._for_writing().commits

    async def _open_as_it_is(self) -> bool:
        """Open a file for reading, and tell whether it is there and needs nothing made or brought up to date."""
        if self._path is None or not _has_content(self._path):
            return False
        try:
            await self._open_for_reading(self._connect_as_it_is)
        except _OldSchemaError:
            return False
        return True

    async def _open_for_reading(self, connect: Callable[[], apsw.Connection]) -> None:
        if self._path is None:
            return  # a database in memory has one connection
        reader = self._make_worker("sojourn-reader", connect, write=False)
        await reader.start()
        self._reader = reader
        at_once = self._connect()
        at_once.set_busy_timeout(0)
        self._at_once = at_once.cursor()

    async def _start_writer(self) -> None:
        writer = self._make_worker("sojourn-writer", self._begin_writing, write=True)
        await writer.start()
        self._writer = writer

    async def _begin_to_write(self) -> None:
        """Open for writing what is open for reading only."""
        async with self._opening:
            if self._writer is None and self._reader is not None and self._process.pid == os.getpid():
                await self._start_writer()

    async def _write_first(self, operation: Callable[[], Operation[T]], *, fleeting: bool) -> T:
        await self._begin_to_write()
        return await self._for_writing().run(operation, fleeting=fleeting and self._durability is Durability.FULL)

    def _make_worker(self, name: str, connect: Callable[[], apsw.Connection], *, write: bool) -> Worker:
        return Worker(name, connect, self._connect, self._statements, path=self._path, write=write)

    def _for_writing(self) -> Worker:
        # A forked child must not use its parent's connection: SQLite would corrupt the file.
        if self._writer is None or self._process.pid != os.getpid():
            raise ClosedError(f"{self!r}")
        return self._writer

    def _for_reading(self) -> Worker:
        return self._reader if self._reader is not None and self._process.pid == os.getpid() else self._for_writing()

    # --- on the worker threads

    def _connect(self) -> apsw.Connection:
        with translated(self._path):
            connection = apsw.Connection(
                str(self._path) if self._path else ":memory:",
                flags=apsw.SQLITE_OPEN_READWRITE | (0 if self._path else apsw.SQLITE_OPEN_CREATE),
            )
            try:
                self._prepare(connection)
            except BaseException:
                connection.close(True)
                raise
        return connection

    def _connect_as_it_is(self) -> apsw.Connection:
        connection = self._connect()
        with translated(self._path):
            version = find_version(connection, self._migrations, self._path)
        if version != self._migrations[-1].version:
            connection.close(True)
            raise _OldSchemaError
        return connection

    def _prepare(self, connection: apsw.Connection) -> None:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        find_version(connection, self._migrations, self._path)  # before anything touches a file that is not ours
        connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        connection.pragma("trusted_schema", False)
        connection.pragma("secure_delete", True)
        connection.pragma("cell_size_check", True)
        connection.pragma("journal_size_limit", MAX_LOG_BYTES)
        connection.pragma("synchronous", "full" if self._durability is Durability.FULL else "normal")
        connection.pragma("page_size", PAGE_BYTES)
        if self._path is not None:
            # A network file system has no shared memory, which the write-ahead log needs.
            keep_journal(connection, "truncate" if self._on_network(self._path) else "wal")

    def _begin_writing(self) -> apsw.Connection:
        with translated(self._path):
            if self._path is not None:
                create_private_file(self._path)
                _refuse_scrap(self._path)
            connection = self._connect()
            try:
                migrate(connection, self._migrations, self._path)
                self._sign_on(connection)
            except BaseException:
                connection.close(True)
                raise
        return connection

    def _sign_on(self, connection: apsw.Connection) -> None:
        """Note that this process has the file open; a note from before a reboot means that it must be checked."""
        if self._path is None:
            return
        with self._unless_full(), transaction(connection):
            found = connection.execute("SELECT opener, boot_id, pid_space, pid, pid_start FROM openers")
            notes = [(opener, Process(*process)) for opener, *process in found]
            rebooted = [opener for opener, process in notes if process.boot_id != self._process.boot_id]
            ended = [opener for opener, process in notes if process.is_gone(seen_from=self._process)]
            problems = _integrity(connection) if rebooted else []
            if problems:
                raise CorruptError(f"{self._path}, after the machine went down: {problems[0]}")
            connection.executemany("DELETE FROM openers WHERE opener = ?", [(one,) for one in (*rebooted, *ended)])
            connection.execute("INSERT INTO openers VALUES (?, ?, ?, ?, ?)", (self._opener, *self._process))

    def _sign_off(self, connection: apsw.Connection) -> None:
        if self._path is not None:
            with self._unless_full():
                connection.execute("DELETE FROM openers WHERE opener = ?", (self._opener,))

    @contextmanager
    def _unless_full(self) -> Iterator[None]:
        """Do without a note if there is no space for it: a store on a full disk can still be read."""
        with suppress(StorageFullError), translated(self._path):
            yield


def _refuse_unsafe_library() -> None:
    version = tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
    if version < _SAFE_LIBRARY:
        raise UnsafeLibraryError(f"SQLite {apsw.sqlite_lib_version()}")


def _has_content(path: Path) -> bool:
    return path.exists() and path.stat().st_size >= _SMALLEST_FILE


def _refuse_scrap(path: Path) -> None:
    """Refuse a file that is shorter than any database: SQLite would take it for an empty one and write over it."""
    if 0 < path.stat().st_size < _SMALLEST_FILE:
        raise CorruptError(f"{path} is not a SQLite file")


def keep_journal(connection: apsw.Connection, mode: str) -> None:
    """Let the file have this kind of journal; of several processes that create it at once, one makes the change.

    The change needs the file for itself, and SQLite does not wait for that, whatever the busy timeout: so this does.
    """
    deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while connection.pragma("journal_mode") != mode:
        try:
            connection.pragma("journal_mode", mode)
            return
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_BUSY_PAUSE)


def _tidy(connection: apsw.Connection, path: Path | None) -> None:
    with translated(path):
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _truncate_log(connection: apsw.Connection) -> None:
    [(busy, _, _)] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    if busy:
        raise BusyError("it is forgotten, but another process still reads the log that holds it; forget it once more")


def _integrity(connection: apsw.Connection) -> list[str]:
    try:
        found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(100)")]
    except (apsw.CorruptError, apsw.NotADBError) as error:
        return [str(error)]
    return [] if found == ["ok"] else found
