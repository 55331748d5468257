"""The schema in a PostgreSQL database: which version it has, and how it gets to the latest.

Sojourn uses the first schema of the connection's `search_path`; so several can live side by side in one database.
"""

from typing import Any, Final, LiteralString

from psycopg import AsyncConnection

from sojourn.errors import InvalidInputError, NewerVersionError
from sojourn.store.sql.statement import Migration

VERSIONS: Final[LiteralString] = "sojourn_versions"
_FIND_SCHEMA: Final = b"SELECT current_schema(), to_regclass(quote_ident(current_schema()) || %s)"
_FIND_VERSION: Final[LiteralString] = "SELECT coalesce(max(version), 0) FROM {}"
_LOCK: Final[LiteralString] = """
SET LOCAL lock_timeout = '60s';
SELECT pg_advisory_xact_lock(hashtextextended('sojourn ' || current_schema(), 0));
CREATE TABLE IF NOT EXISTS {} (
    version integer NOT NULL PRIMARY KEY, name text NOT NULL, migrated_at timestamptz NOT NULL DEFAULT now()
)
"""
_NOTE: Final[LiteralString] = "INSERT INTO {} (version, name) VALUES (%s, %s)"


async def migrate(
    connection: AsyncConnection[tuple[Any, ...]], migrations: list[Migration], *, versions: LiteralString = VERSIONS
) -> str:
    """Bring the schema to the latest version in one transaction, and return its name.

    *versions* is the table that notes what was done; each set of tables that is migrated by itself has its own. Many
    processes may do this at once: one does it, and the others wait and find nothing left to do. A schema that is up to
    date is only read.

    Raises:
        NewerVersionError: the schema is of a version that this Sojourn does not know.
        InvalidInputError: there is no schema to use.
    """
    schema, table = (await (await connection.execute(_FIND_SCHEMA, [f".{versions}"])).fetchall())[0]
    if schema is None:
        raise InvalidInputError("the connection's search_path names no schema that exists; create it first")
    if table is not None and await _version(connection, migrations, versions) == migrations[-1].version:
        return str(schema)
    async with connection.transaction():
        await connection.execute(_LOCK.format(versions))
        version = await _version(connection, migrations, versions)
        for migration in migrations:
            if migration.version > version:
                await connection.execute(migration.sql.encode())
                await connection.execute(_NOTE.format(versions), [migration.version, migration.name])
    return str(schema)


async def _version(
    connection: AsyncConnection[tuple[Any, ...]], migrations: list[Migration], versions: LiteralString
) -> int:
    version = int((await (await connection.execute(_FIND_VERSION.format(versions))).fetchall())[0][0])
    if version > migrations[-1].version:
        raise NewerVersionError(f"schema {version}, this Sojourn knows up to {migrations[-1].version}")
    return version
