"""A SQLite file that is opened to be read: it is not written to until something is written."""

from pathlib import Path

import anyio
import apsw
import pytest

from sojourn.errors import ClosedError, CorruptError
from sojourn.store import Store, open_store
from sojourn.store.feed import Feed
from sojourn.store.sql.sqlite_driver import SqliteDriver
from sojourn.store.sql.statement import Migration, load_migrations
from sojourn.testing.factories import said

pytestmark = pytest.mark.anyio


def reading(folder: Path) -> Store:
    return open_store(folder / "kept.db", reading=True)


def noted(folder: Path) -> int:
    connection = apsw.Connection(str(folder / "kept.db"))
    try:
        return len(connection.execute("SELECT 1 FROM openers").fetchall())
    finally:
        connection.close()


async def fill(folder: Path) -> None:
    async with open_store(folder / "kept.db") as store:
        await store.create_session("s")
        await store.append("s", [said("hello")])


async def test_reading_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    await fill(tmp_path)
    before = await anyio.Path(tmp_path / "kept.db").read_bytes()

    async with reading(tmp_path) as store:
        assert len(await store.read("s")) == 2
        assert len((await store.list_sessions()).rows) == 1
        assert noted(tmp_path) == 0

    assert await anyio.Path(tmp_path / "kept.db").read_bytes() == before


async def test_what_is_written_all_the_same_is_written_and_noted(tmp_path: Path) -> None:
    await fill(tmp_path)

    async with reading(tmp_path) as store:
        async with anyio.create_task_group() as group:
            for number in range(10):
                group.start_soon(store.append, "s", [said(str(number))])
        assert noted(tmp_path) == 1
        assert len(await store.read("s")) == 12

    assert noted(tmp_path) == 0
    async with open_store(tmp_path / "kept.db") as store:
        assert len(await store.read("s")) == 12


async def test_a_file_that_is_not_there_is_made_as_usual(tmp_path: Path) -> None:
    async with reading(tmp_path) as store:
        await store.create_session("s")

    assert noted(tmp_path) == 0


@pytest.mark.parametrize("content", [b"short", b"this is no database " * 100])
async def test_what_is_no_store_is_refused(tmp_path: Path, content: bytes) -> None:
    await anyio.Path(tmp_path / "kept.db").write_bytes(content)

    with pytest.raises(CorruptError):
        async with reading(tmp_path):
            pass

    assert await anyio.Path(tmp_path / "kept.db").read_bytes() == content


async def test_an_older_file_is_brought_up_to_date(tmp_path: Path) -> None:
    await fill(tmp_path)
    newer = [*load_migrations("sqlite"), Migration(2, "0002_more", "CREATE TABLE more (n INTEGER)")]
    driver = SqliteDriver(tmp_path / "kept.db", migrations=newer, reading=True)

    await driver.open(Feed())
    await driver.close()

    connection = apsw.Connection(str(tmp_path / "kept.db"))
    assert connection.pragma("user_version") == 2
    connection.close()


async def test_a_closed_store_does_not_open_again_by_writing(tmp_path: Path) -> None:
    await fill(tmp_path)
    store = reading(tmp_path)
    await store.__aenter__()
    await store.close()

    for call in (lambda: store.append("s", [said("late")]), lambda: store.read("s"), lambda: store.purge_session("s")):
        with pytest.raises(ClosedError):
            await call()


async def test_it_may_be_checked_forgotten_in_and_tidied(tmp_path: Path) -> None:
    await fill(tmp_path)

    async with reading(tmp_path) as store:
        assert (await store.check()).ok
        await store.redact("s", [2])
        await store.purge_session("s")

    async with reading(tmp_path) as store:
        assert (await store.list_sessions()).rows == ()
