"""The schema of a SQLite file: which version it has, and how it gets to the latest."""

import glob
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw

from sojourn.errors import CorruptError, NewerVersionError
from sojourn.store.filesystem import create_private_file
from sojourn.store.sql.statement import Migration

APPLICATION_ID: Final = 0x534A524E  # "SJRN": tells a Sojourn file from other SQLite files


def migrate(connection: apsw.Connection, migrations: list[Migration], path: Path | None) -> None:
    """Bring the schema to the latest version in one transaction, keeping a copy of an older file first.

    Two processes may do this at once: the second waits for the first and finds nothing left to do.

    Raises:
        NewerVersionError: the file has a schema that this version does not know.
        CorruptError: the file belongs to another program.
    """
    latest = migrations[-1].version
    version = find_version(connection, migrations, path)
    if version == latest:
        return
    if version > 0 and path is not None:
        _keep_copy(connection, path, version)
    with transaction(connection):
        version = find_version(connection, migrations, path)
        for migration in migrations:
            if migration.version > version:
                connection.execute(migration.sql)
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", latest)


def copy_before(path: Path, version: int) -> Path:
    """Return where the copy of *path* lies that was made before it left schema *version*."""
    return path.with_name(f"{path.name}.before-v{version + 1}")


def copies_before(path: Path) -> list[Path]:
    """Return the copies of *path* that were kept before migrations."""
    return sorted(path.parent.glob(f"{glob.escape(path.name)}.before-v*"))


def find_version(connection: apsw.Connection, migrations: list[Migration], path: Path | None) -> int:
    """Return the version of the file's schema, 0 for an empty file. Nothing is written.

    Raises:
        NewerVersionError: the file has a schema that this version does not know.
        CorruptError: the file belongs to another program.
    """
    version, latest = int(connection.pragma("user_version")), migrations[-1].version
    empty = not connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall()
    if not empty and connection.pragma("application_id") != APPLICATION_ID:
        raise CorruptError(f"{path} is a SQLite file of another program")
    if version > latest:
        raise NewerVersionError(f"{path}: schema {version}, this Sojourn knows up to {latest}")
    return version


@contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """Write all of the block or nothing.

    Not `with connection`: apsw then waits for the lock without releasing the GIL, and if the lock's holder is a thread
    of this process, both wait until the time-out.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _keep_copy(connection: apsw.Connection, path: Path, version: int) -> None:
    """Keep a copy of the file as it is; one that is complete already is left alone."""
    target = copy_before(path, version)
    if target.exists():
        return
    unfinished = target.with_name(f"{target.name}.{apsw.randomness(4).hex()}")
    create_private_file(unfinished)
    connection.execute("VACUUM INTO ?", (str(unfinished),))
    unfinished.rename(target)
