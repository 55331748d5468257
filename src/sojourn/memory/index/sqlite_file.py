"""The SQLite file of an index: opened, made, and made anew when it is damaged or has another schema.

It is a file of its own, so that indexing never takes the journal's write lock. All of it can be derived again, so
nothing is migrated; but a file that is another program's, or a journal, is refused and left as it is.
"""

import logging
from importlib import resources
from pathlib import Path
from typing import Final

import apsw

from sojourn.errors import CorruptError
from sojourn.store.filesystem import create_private_file, is_network_path
from sojourn.store.sql.sqlite_driver import BUSY_TIMEOUT_MS, MAX_LOG_BYTES, keep_journal
from sojourn.store.sql.sqlite_errors import translated
from sojourn.store.sql.sqlite_schema import transaction

APPLICATION_ID: Final = 0x534A5249  # "SJRI"
SCHEMA_VERSION: Final = 1
_DAMAGED: Final = 1_000_000_000
_CACHE_KIB: Final = 65_536
_log: Final = logging.getLogger(__name__)


class _UnusableError(Exception):
    """The file is an index, but not one that this version can use."""


def open_for_writing(path: Path | None) -> apsw.Connection:
    """Return a connection to the index at *path*, which is made if need be; None makes one in memory.

    Raises:
        CorruptError: the file belongs to another program; it is left as it is.
    """
    with translated(path):
        if path is not None:
            create_private_file(path)
        try:
            return _made(_connect(path), path)
        except (_UnusableError, apsw.CorruptError, apsw.NotADBError, apsw.FormatError) as problem:
            _log.warning("the search index %s is made anew: %s", path, problem)
            _empty(path)
        return _made(_connect(path), path)


def open_for_reading(path: Path) -> apsw.Connection:
    """Return another connection to the index at *path*, which somebody has open for writing."""
    with translated(path):
        return _prepared(_connect(path), path)


def give_up(connection: apsw.Connection) -> None:
    """Have the file made anew when it is opened next: it is damaged."""
    connection.pragma("user_version", _DAMAGED)


def _connect(path: Path | None) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READWRITE | (0 if path else apsw.SQLITE_OPEN_CREATE)
    connection = apsw.Connection(str(path) if path else ":memory:", flags=flags)
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    return connection


def _made(connection: apsw.Connection, path: Path | None) -> apsw.Connection:
    """Return *connection* ready for use, with the schema in place."""
    try:
        is_new = _is_empty(connection, path)  # before anything touches a file that is not ours
        _prepared(connection, path)
        if is_new:
            _create(connection, path)
    except BaseException:
        connection.close(True)
        raise
    return connection


def _create(connection: apsw.Connection, path: Path | None) -> None:
    with transaction(connection):
        if not _is_empty(connection, path):
            return  # another process was faster
        connection.execute(resources.files(__package__).joinpath("sqlite", "schema.sql").read_text("utf-8"))
        connection.execute("INSERT INTO about (life) VALUES (random())")
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", SCHEMA_VERSION)


def _is_empty(connection: apsw.Connection, path: Path | None) -> bool:
    if not connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall():
        return True
    if connection.pragma("application_id") != APPLICATION_ID:
        raise CorruptError(f"{path} is no search index")
    version = connection.pragma("user_version")
    if version == _DAMAGED:
        raise _UnusableError("it was found to be damaged")
    if version != SCHEMA_VERSION:
        raise _UnusableError(f"it has schema {version}, and this Sojourn uses {SCHEMA_VERSION}")
    return False


def _prepared(connection: apsw.Connection, path: Path | None) -> apsw.Connection:
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.pragma("trusted_schema", False)
    connection.pragma("secure_delete", True)
    connection.pragma("cell_size_check", True)
    connection.pragma("journal_size_limit", MAX_LOG_BYTES)
    connection.pragma("cache_size", -_CACHE_KIB)
    connection.pragma("synchronous", "normal")  # what a power cut takes away is derived again
    if path is not None:
        keep_journal(connection, "truncate" if is_network_path(path) else "wal")
    return connection


def _empty(path: Path | None) -> None:
    """Make the file an empty database in place, under SQLite's locks: other processes may have it open."""
    connection = _connect(path)
    try:
        connection.config(apsw.SQLITE_DBCONFIG_RESET_DATABASE, 1)
        connection.execute("VACUUM")
    finally:
        connection.close(True)
