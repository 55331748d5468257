"""The search indexes that the tests run on."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from sojourn.memory.index.postgres_index import PostgresIndex
from sojourn.memory.index.protocol import SearchIndex
from sojourn.memory.index.sqlite_index import SqliteIndex
from sojourn.model.ids import DEFAULT_TENANT, TenantId
from sojourn.store import open_store
from sojourn.store.sql.postgres_driver import PostgresDriver
from sojourn.store.sql.store import SqlStore
from sojourn.testing.postgres import fresh_schema

OpenIndex = Callable[..., AbstractAsyncContextManager[SearchIndex]]
"""Opens the index of a tenant (the default one, if none is named) in the one storage of a test."""


@asynccontextmanager
async def open_postgres_index(url: str, tenant: str = DEFAULT_TENANT, **options: Any) -> AsyncIterator[SearchIndex]:
    """Open the index of a tenant in the database at *url*, through a store of its own."""
    async with open_store(url, tenant=tenant) as store:
        assert isinstance(store, SqlStore)
        assert isinstance(store.driver, PostgresDriver)
        async with PostgresIndex(store.driver, tenant=store.tenant, **options) as index:
            yield index


def sqlite_opener(path: Path | None) -> OpenIndex:
    def open_index(tenant: str = DEFAULT_TENANT) -> AbstractAsyncContextManager[SearchIndex]:
        return SqliteIndex(path, tenant=TenantId(tenant))

    return open_index


@pytest.fixture
def index_url(postgres_url: str) -> Iterator[str]:
    """The address of an empty schema."""
    with fresh_schema(postgres_url) as address:
        yield address


def opener(kind: str, request: pytest.FixtureRequest, folder: Path) -> OpenIndex:
    if kind == "postgres":
        url: str = request.getfixturevalue("index_url")
        return lambda tenant=DEFAULT_TENANT: open_postgres_index(url, tenant)
    return sqlite_opener(folder / "search.db" if kind == "sqlite" else None)


@pytest.fixture(params=["sqlite", "postgres"])
def shared_index(request: pytest.FixtureRequest, tmp_path: Path) -> OpenIndex:
    """Each kind of index that outlives its opening and that several can have open."""
    return opener(request.param, request, tmp_path)


@pytest.fixture(params=["sqlite", "memory", "postgres"])
async def index(request: pytest.FixtureRequest, tmp_path: Path, anyio_backend: str) -> AsyncIterator[SearchIndex]:
    """Each kind of index in turn, open and empty."""
    async with opener(request.param, request, tmp_path)() as opened:
        yield opened
