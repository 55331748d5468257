"""One SELECT on a SQLite file, by a connection that cannot write.

Three things see to it: the file is opened for reading only, SQLite asks `_allowed` before it prepares anything, and a
second statement is refused.
"""

import asyncio
import threading
import time
from pathlib import Path
from typing import Any, Final

import apsw

from sojourn.errors import CorruptError, InvalidInputError, StoreError
from sojourn.store.answer import Answer, Room
from sojourn.store.sql.sqlite_errors import translated
from sojourn.store.sql.sqlite_schema import find_version
from sojourn.store.sql.statement import load_migrations

_BUSY_MS: Final = 10_000
_STEPS: Final = 5_000
"""Steps of SQLite's machine between two looks at the clock: well under a millisecond."""
_LONGEST: Final = 64 << 20
"""Bytes of one value: four times the largest event."""
_READING: Final = {apsw.SQLITE_SELECT, apsw.SQLITE_READ, apsw.SQLITE_FUNCTION, apsw.SQLITE_RECURSIVE}
_LOOKING: Final = {"table_info", "table_xinfo", "table_list", "index_list", "index_info"}
"""Pragmas that tell what the tables are, as `SELECT * FROM pragma_table_info('journal')`."""


async def ask(path: Path, sql: str, *, limit: int, seconds: float) -> Answer:
    """Run *sql* on a thread, and let go of it when the caller is cancelled. The errors are those of `query`."""
    stopped = threading.Event()
    try:
        return await asyncio.to_thread(_ask, path, sql, limit=limit, seconds=seconds, stopped=stopped)
    finally:
        stopped.set()


def _ask(path: Path, sql: str, *, limit: int, seconds: float, stopped: threading.Event) -> Answer:
    if not path.exists():  # a connection for reading would say that it cannot open it, and not why
        raise InvalidInputError(f"there is no database at {path}")
    deadline = time.monotonic() + seconds
    with translated(path):
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            connection.set_busy_timeout(_BUSY_MS)
            find_version(connection, load_migrations("sqlite"), path)
            connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
            connection.limit(apsw.SQLITE_LIMIT_LENGTH, _LONGEST)
            connection.pragma("query_only", True)
            connection.set_progress_handler(lambda: stopped.is_set() or time.monotonic() > deadline, _STEPS)
            connection.authorizer = _allowed
            return _answer(connection, sql, limit)
        except apsw.InterruptError as error:
            raise StoreError(f"the query took longer than {seconds:g} s") from error
        except apsw.TooBigError as error:
            raise StoreError(
                f"a value of the answer is larger than {_LONGEST >> 20} MiB; ask for less of it"
            ) from error
        except apsw.AuthError as error:
            raise InvalidInputError("only a SELECT is run: nothing can be changed this way") from error
        except apsw.ExecTraceAbort as error:
            raise InvalidInputError("give one statement, not several") from error
        except (apsw.SQLError, apsw.BindingsError) as error:
            raise InvalidInputError(f"SQLite does not understand it: {error}") from error
        except UnicodeDecodeError as error:
            raise CorruptError(f"{path}: a stored text is damaged, byte {error.start}") from error
        finally:
            connection.close(True)


def _answer(connection: apsw.Connection, sql: str, limit: int) -> Answer:
    cursor, statements = connection.cursor(), 0

    def is_the_only_one(cursor: apsw.Cursor, _sql: str, _bindings: Any) -> bool:
        nonlocal statements
        statements += cursor.has_vdbe  # a comment has none
        return statements <= 1

    cursor.exec_trace = is_the_only_one
    cursor.execute(sql)
    columns: tuple[str, ...] = ()
    rows: list[tuple[Any, ...]] = []
    room = Room()
    try:
        columns = tuple(name for name, *_ in cursor.get_description())
        for row in cursor:
            if len(rows) == limit:
                return Answer(columns=columns, rows=tuple(rows), more=True)
            room.take(row)
            rows.append(row)
    except apsw.ExecutionCompleteError:  # without a row there is no description any more
        columns = _columns_of(connection, sql)
    if not columns:
        raise InvalidInputError("write a SELECT")
    return Answer(columns=columns, rows=tuple(rows))


def _columns_of(connection: apsw.Connection, sql: str) -> tuple[str, ...]:
    """Return the columns of a SELECT that finds nothing."""
    names: list[str] = []

    def note(cursor: apsw.Cursor, _sql: str, _bindings: Any) -> bool:
        names.extend(name for name, *_ in cursor.get_description())
        return True

    cursor = connection.cursor()
    cursor.exec_trace = note
    cursor.execute(sql)
    return tuple(names)


def _allowed(operation: int, first: str | None, _second: str | None, _database: str | None, _by: str | None) -> int:
    if operation in _READING or (operation == apsw.SQLITE_PRAGMA and first in _LOOKING):
        return apsw.SQLITE_OK
    return apsw.SQLITE_DENY
