"""A database is asked in SQL: everything can be looked at, nothing changed."""

from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from sojourn.errors import CorruptError, InvalidInputError, SojournError, StoreError
from sojourn.model import events as ev
from sojourn.store import open_store
from sojourn.store.querying import query
from sojourn.testing.factories import said
from sojourn.testing.fingerprint import fingerprint
from sojourn.testing.postgres import fresh_schema

pytestmark = pytest.mark.anyio

WRITES = [
    "DELETE FROM journal",
    "UPDATE sessions SET title = 'x'",
    "DROP TABLE journal",
    "CREATE TABLE mine (n INTEGER)",
    "SELECT 1; DELETE FROM journal",
    "COMMIT; DELETE FROM journal",
    "SELECT 1; COMMIT; DELETE FROM journal; BEGIN",
    "COMMIT",
    "WITH gone AS (DELETE FROM journal RETURNING 1) SELECT * FROM gone",
    "ATTACH 'other.db' AS other",
    "PRAGMA query_only = 0",
    "PRAGMA user_version = 99",
    "VACUUM",
    "SET transaction_read_only = off",
    "SELECT set_config('transaction_read_only', 'off', false)",
    "CREATE TEMP TABLE mine AS SELECT 1",
    "SELECT nextval('no_such')",
    "this is no SQL",
    "SELECT * FROM no_such_table",
    " ; \n",
    "-- nothing",
    "COPY journal TO PROGRAM 'cat'",
    "SELECT * FROM journal FOR UPDATE; SELECT 1",
    "VACUUM INTO 'other.db'",
    "EXPLAIN ANALYZE DELETE FROM journal",
    "SELECT 1 INTO mine",
    "SELECT lo_from_bytea(0, 'x')",
    "SELECT load_extension('x')",
    "SELECT '\udcff'",
    "SELECT 'a\0b'",
]


@pytest.fixture(params=["sqlite", "postgres"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str | Path]:
    if request.param == "sqlite":
        yield tmp_path / "kept.db"
    else:
        with fresh_schema(request.getfixturevalue("postgres_url")) as url:
            yield url


async def fill(location: str | Path) -> None:
    async with open_store(location) as store:
        await store.create_session("s", ev.SessionCreated(title="100% of it"))
        await store.append("s", [said(f"word {number}") for number in range(5)])


async def test_the_views_are_asked(location: str | Path) -> None:
    await fill(location)

    found = await query(location, "SELECT id, content FROM messages WHERE content LIKE 'word%' ORDER BY id;")

    assert found.columns == ("id", "content")
    assert found.rows == tuple((number + 2, f"word {number}") for number in range(5))
    assert not found.more


async def test_rows_are_as_many_as_wanted_and_it_is_said_if_there_are_more(location: str | Path) -> None:
    await fill(location)

    some = await query(location, "SELECT seq FROM journal ORDER BY seq", limit=2)
    every = await query(location, "SELECT seq FROM journal ORDER BY seq", limit=6)

    assert (some.rows, some.more) == (((1,), (2,)), True)
    assert (len(every.rows), every.more) == (6, False)


async def test_what_finds_nothing_has_columns_all_the_same(location: str | Path) -> None:
    await fill(location)

    found = await query(location, "SELECT session_id, title FROM sessions WHERE title = 'none'")

    assert (found.columns, found.rows) == (("session_id", "title"), ())


@pytest.mark.parametrize("sql", WRITES)
async def test_nothing_but_one_select_is_run(location: str | Path, sql: str) -> None:
    await fill(location)
    async with open_store(location) as store:
        before = await fingerprint(store)

    with pytest.raises((InvalidInputError, StoreError)) as refused:
        await query(location, sql)

    assert not isinstance(refused.value, CorruptError)
    async with open_store(location) as store:
        assert await fingerprint(store) == before
        await store.append("s", [said("still writable")])


async def test_a_query_that_takes_too_long_is_stopped(location: str | Path) -> None:
    await fill(location)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

    with pytest.raises(StoreError, match=r"longer than 0\.05 s"):
        await query(location, endless, seconds=0.05)


async def test_who_waits_no_longer_does_not_leave_it_running(location: str | Path) -> None:
    await fill(location)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

    with anyio.move_on_after(0.05) as given_up:
        await query(location, endless, seconds=30)

    assert given_up.cancelled_caught


async def test_it_may_be_asked_while_somebody_writes(location: str | Path) -> None:
    await fill(location)

    async with open_store(location) as store:
        await store.append("s", [said("fresh")])
        found = await query(location, "SELECT count(*) FROM messages")

    assert found.rows == ((6,),)


async def test_the_tables_of_sqlite_can_be_looked_at(tmp_path: Path) -> None:
    await fill(tmp_path / "kept.db")

    found = await query(tmp_path / "kept.db", "SELECT name FROM pragma_table_info('partials')")

    assert ("session_id",) in found.rows


@pytest.mark.parametrize("place", ["memory:", "files:{}/kept", "{}/missing.db"])
async def test_where_there_is_no_sql_it_is_said(tmp_path: Path, place: str) -> None:
    with pytest.raises(InvalidInputError):
        await query(place.format(tmp_path), "SELECT 1")

    assert [path async for path in anyio.Path(tmp_path).iterdir()] == []


async def test_a_file_of_another_program_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "homework.db").write_bytes(b"no database " * 100)

    with pytest.raises(CorruptError):
        await query(tmp_path / "homework.db", "SELECT 1")


@pytest.mark.parametrize("limit", [0, -1, 10_000_000])
async def test_a_number_of_rows_that_nobody_serves_is_refused(tmp_path: Path, limit: int) -> None:
    with pytest.raises(SojournError):
        await query(tmp_path / "kept.db", "SELECT 1", limit=limit)


@pytest.mark.parametrize("sql", ["SELECT 1; -- one", "SELECT 1 /* one */ ;;", "-- one\nSELECT 1"])
async def test_a_comment_is_no_statement(location: str | Path, sql: str) -> None:
    await fill(location)

    assert (await query(location, sql)).rows == ((1,),)


async def test_rows_come_in_pieces_that_are_one_answer(location: str | Path) -> None:
    await fill(location)
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) SELECT i FROM n"

    every, most = await query(location, numbers, limit=2_000), await query(location, numbers, limit=1_000)

    assert (every.rows, every.more) == (tuple((number,) for number in range(1, 1_201)), False)
    assert (len(most.rows), most.more) == (1_000, True)


async def test_an_answer_that_does_not_fit_into_memory_is_refused(
    location: str | Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(location)
    monkeypatch.setattr("sojourn.store.answer.MAX_BYTES", 20)

    assert (await query(location, "SELECT content FROM messages", limit=2)).rows
    with pytest.raises(StoreError, match="ask for less"):
        await query(location, "SELECT content FROM messages")


async def test_a_single_value_that_does_not_fit_into_memory_is_refused(tmp_path: Path) -> None:
    await fill(tmp_path / "kept.db")

    with pytest.raises(StoreError, match="64 MiB"):
        await query(tmp_path / "kept.db", "SELECT zeroblob(900000000)")
