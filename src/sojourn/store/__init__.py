"""Where journals are kept: the `Store` protocol and the stores behind `open_store`.

`protocol.py` says what a store does. `sql/` holds the stores on SQLite (the default, also in memory) and PostgreSQL;
`files/` the one that people can read with any editor. The rest are the parts they share. The engine imports this;
nothing here imports the engine.
"""

from functools import partial
from pathlib import Path

from sojourn.clock import Clock, SystemClock
from sojourn.errors import MissingExtraError
from sojourn.model.ids import DEFAULT_TENANT, TenantId, check_tenant_id
from sojourn.store.location import Location, read_location
from sojourn.store.protocol import Durability, Store

__all__ = ["Durability", "Store", "open_store"]


def open_store(
    location: str | Path,
    *,
    tenant: str = DEFAULT_TENANT,
    durability: Durability = Durability.FULL,
    clock: Clock | None = None,
    reading: bool = False,
) -> Store:
    """Return the store at *location*, to be opened with `async with`.

    Args:
        location: a path for SQLite (created if it does not exist), `memory:` for a store that ends with the process,
            `files:DIR` for readable files in a folder, or a `postgresql://` address.
        tenant: whose data to see.
        durability: when an append counts as done. PostgreSQL always waits for the disk.
        clock: where the time comes from; the machine's by default.
        reading: it will be read, and hardly written to: SQLite then opens faster, and for writing only when needed.

    Raises:
        InvalidInputError: *location* is of no known kind.
        MissingExtraError: the store needs a package that is not installed; the message says which.
    """
    chosen_clock = clock or SystemClock()
    owner = check_tenant_id(tenant)
    match read_location(location):
        case Location("files", Path() as root):
            return _files(root, owner, durability, chosen_clock)
        case Location("postgresql"):
            return _postgres(str(location), owner, chosen_clock)
        case Location(path=path):
            return _sqlite(path, owner, durability, chosen_clock, reading=reading and path is not None)


# Each store is imported when it is asked for, so that nobody pays for a database driver that he does not use.


def _sqlite(path: Path | None, tenant: TenantId, durability: Durability, clock: Clock, *, reading: bool) -> Store:
    from sojourn.store.sql.sqlite_driver import SqliteDriver  # noqa: PLC0415
    from sojourn.store.sql.store import SqlStore  # noqa: PLC0415

    driver = SqliteDriver(path, durability=durability, reading=reading)
    return SqlStore(driver, clock=clock, tenant=tenant, open_copy=partial(open_store, clock=clock))


def _files(root: Path, tenant: TenantId, durability: Durability, clock: Clock) -> Store:
    from sojourn.store.files.store import FilesStore  # noqa: PLC0415

    return FilesStore(root, tenant=tenant, durability=durability, clock=clock)


def _postgres(url: str, tenant: TenantId, clock: Clock) -> Store:
    try:
        from sojourn.store.sql.postgres_driver import PostgresDriver  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("PostgreSQL needs: pip install 'sojourn[postgres]'") from error
    from sojourn.store.sql.store import SqlStore  # noqa: PLC0415

    return SqlStore(PostgresDriver(url), clock=clock, tenant=tenant, open_copy=partial(open_store, clock=clock))
