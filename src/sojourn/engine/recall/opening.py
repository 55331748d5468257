"""Which index goes with which store."""

from pathlib import Path
from typing import Final

from sojourn.memory.index.protocol import SearchIndex
from sojourn.store.protocol import Store

IN_MEMORY: Final = "memory:"


def index_for(store: Store) -> SearchIndex:
    """Return the search index of *store*'s tenant, to be opened with `async with`.

    SQLite and files have a file of their own for it, a store in memory has it in memory, PostgreSQL in its tables.
    """
    location = store.index_location
    if location.startswith(("postgresql://", "postgres://")):
        from sojourn.memory.index.postgres_index import PostgresIndex  # noqa: PLC0415 - its driver is an extra
        from sojourn.store.sql.postgres_driver import PostgresDriver  # noqa: PLC0415 - the same
        from sojourn.store.sql.store import SqlStore  # noqa: PLC0415 - the same

        assert isinstance(store, SqlStore)  # noqa: S101 - no other store has such a location
        assert isinstance(store.driver, PostgresDriver)  # noqa: S101 - the same
        return PostgresIndex(store.driver, tenant=store.tenant)
    from sojourn.memory.index.sqlite_index import SqliteIndex  # noqa: PLC0415 - opened when it is first needed

    return SqliteIndex(None if location == IN_MEMORY else Path(location), tenant=store.tenant)
