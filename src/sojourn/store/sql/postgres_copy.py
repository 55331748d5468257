"""A copy of a whole PostgreSQL schema as a SQLite file, which is what a backup is.

Whatever tables the SQLite schema has are copied, by their own list of columns, so that none can be left out by
mistake; only what belongs to running processes stays behind: leases and the list of who has the file open.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import anyio.to_thread
import apsw
from psycopg import AsyncConnection, sql

from sojourn.store.filesystem import create_private_file
from sojourn.store.sql.sqlite_errors import translated
from sojourn.store.sql.sqlite_schema import migrate
from sojourn.store.sql.statement import load_migrations

BATCH: Final = 100  # an entry has up to 16 MiB
_OF_PROCESSES: Final = ("openers", "lease_")
"""With what the names of tables and columns begin that are left out."""
_LIST_TABLES: Final = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"


async def copy_schema(source: AsyncConnection[tuple[Any, ...]], target: Path) -> None:
    """Write everything that *source* sees at this moment to *target*, a file that only its owner may read.

    Raises:
        StoreError: the file cannot be written; nothing of it is left.
    """
    try:
        file = await anyio.to_thread.run_sync(_create, target)
        try:
            async with source.transaction():
                await source.execute(b"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                for table, columns in await anyio.to_thread.run_sync(_tables, file):
                    await _copy_table(source, file, table, columns, target)
            await anyio.to_thread.run_sync(_finish, file, target)
        finally:
            file.close()
    except BaseException:
        with anyio.CancelScope(shield=True):
            await anyio.Path(target).unlink(missing_ok=True)
        raise


async def _copy_table(
    source: AsyncConnection[tuple[Any, ...]], file: apsw.Connection, table: str, columns: Sequence[str], target: Path
) -> None:
    query = sql.SQL("SELECT {} FROM {}").format(sql.SQL(", ").join(map(sql.Identifier, columns)), sql.Identifier(table))
    places = ", ".join("?" * len(columns))
    insert = f'INSERT INTO "{table}" ({", ".join(columns)}) VALUES ({places})'  # noqa: S608 - our own schema's names

    async with source.cursor(name=f"copy_{table}") as cursor:
        await cursor.execute(query)
        while rows := await cursor.fetchmany(BATCH):
            await anyio.to_thread.run_sync(_insert, file, insert, rows, target)


# --- on a worker thread


def _create(target: Path) -> apsw.Connection:
    with translated(target):
        create_private_file(target)
        file = apsw.Connection(str(target), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            migrate(file, load_migrations("sqlite"), target)
            file.execute("BEGIN IMMEDIATE")
        except BaseException:
            file.close(True)
            raise
    return file


def _tables(file: apsw.Connection) -> list[tuple[str, list[str]]]:
    names = [name for (name,) in file.execute(_LIST_TABLES) if not name.startswith(_OF_PROCESSES)]
    return [(name, _columns(file, name)) for name in names]


def _columns(file: apsw.Connection, table: str) -> list[str]:
    names = [column[1] for column in file.execute(f'PRAGMA table_info("{table}")')]
    return [name for name in names if not name.startswith(_OF_PROCESSES)]


def _insert(file: apsw.Connection, insert: str, rows: list[tuple[Any, ...]], target: Path) -> None:
    with translated(target):
        file.executemany(insert, rows)


def _finish(file: apsw.Connection, target: Path) -> None:
    with translated(target):
        file.execute("COMMIT")
