"""What only the index on PostgreSQL has: pgvector or none, tables for vectors, statistics. The rest is the suite's."""

import secrets
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlsplit

import anyio
import numpy as np
import psycopg
import pytest
from psycopg import sql

from sojourn.errors import ClosedError, MissingExtraError, NewerVersionError
from sojourn.memory.index.document import Part, Where
from sojourn.memory.index.postgres_index import PostgresIndex
from sojourn.memory.index.postgres_statements import Texts, scope_params
from sojourn.memory.index.protocol import SearchIndex
from sojourn.model.ids import DEFAULT_TENANT, Seq, SessionId
from sojourn.store import open_store
from sojourn.store.sql.postgres_driver import PostgresDriver
from sojourn.store.sql.store import SqlStore
from sojourn.testing.factories import said
from tests.memory.conftest import open_postgres_index
from tests.memory.index_talk import (
    EVERYWHERE,
    MODEL,
    Vector,
    embed,
    fact,
    holding,
    key,
    learn,
    matching,
    message,
    near,
    tell,
    unit,
    vector,
)

pytestmark = pytest.mark.anyio

S = SessionId("s")


def query(url: str, text: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(text.encode()).fetchall()


def run(url: str, text: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(text.encode())


def tables_of_vectors(url: str) -> int:
    found = query(url, "SELECT count(*) FROM pg_tables WHERE tablename ~ '^search_vectors_[0-9]+$'")
    return int(found[0][0])


# --- the schema


async def test_the_tables_are_made_once_by_eight_that_open_it_together(index_url: str) -> None:
    opened = 0

    async def open_and_close() -> None:
        nonlocal opened
        async with open_postgres_index(index_url):
            opened += 1

    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(open_and_close)

    assert opened == 8
    assert query(index_url, "SELECT version, name FROM search_versions") == [(1, "0001_search")]


async def test_tables_of_a_newer_version_are_left_alone(index_url: str) -> None:
    async with open_postgres_index(index_url) as index:
        await tell(index, "a giraffe")
    run(index_url, "INSERT INTO search_versions (version, name) VALUES (99, 'later')")

    with pytest.raises(NewerVersionError):
        async with open_postgres_index(index_url):
            pass

    assert query(index_url, "SELECT count(*) FROM search_documents") == [(1,)]


async def test_the_store_works_on_beside_its_index(index_url: str) -> None:
    async with open_postgres_index(index_url) as index:
        await tell(index, "a giraffe")
    async with open_store(index_url) as store:
        await store.create_session("s")
        await store.append("s", [said("a giraffe")])
        report = await store.check()

    assert report.problems == ()
    assert report.entries == 2


async def test_an_index_ends_with_the_store_whose_connections_it_uses(index_url: str) -> None:
    async with open_store(index_url) as store:
        assert isinstance(store, SqlStore)
        assert isinstance(store.driver, PostgresDriver)
        index = PostgresIndex(store.driver, tenant=DEFAULT_TENANT)
        await index.__aenter__()
        await tell(index, "a giraffe")

    with pytest.raises(ClosedError):
        await matching(index, "giraffe")


async def test_a_broken_connection_is_replaced(index_url: str) -> None:
    async with open_postgres_index(index_url) as index:
        await tell(index, "a giraffe")
        run(
            index_url,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'sojourn' AND pid <> pg_backend_pid()",
        )

        assert await matching(index, "giraffe") == ["a giraffe"]


async def test_what_is_forgotten_is_in_no_table_and_in_no_statistics(index_url: str) -> None:
    async with open_postgres_index(index_url) as index:
        await tell(index, *(f"an okapi number {number}" for number in range(50)), "the secret is xyzzy_plugh")
        await learn(index, fact("The secret is xyzzy_plugh.", seq=52, evidence=(51, 52)))
        await embed(index, {"the secret is xyzzy_plugh": unit(1, 0)})
        run(index_url, "ANALYZE")
        await index.forget(S, [51])

    for table in ("search_documents", "search_facts", "search_sessions", "search_unembedded", "search_vectors_1"):
        assert query(index_url, f"SELECT count(*) FROM {table} AS one WHERE one::text ~ 'xyzzy'") == [(0,)]
    assert query(index_url, "SELECT count(*) FROM search_vectors_1") == [(0,)]
    kept = query(
        index_url, "SELECT tablename, attname FROM pg_stats AS one WHERE tablename ~ '^search' AND one::text ~ 'xyzzy'"
    )
    assert kept == []


# --- words


async def test_in_a_large_index_statistics_tell_what_is_common(index_url: str) -> None:
    told = [
        message(f"tea {'milk ' if seq % 3 == 0 else ''}{'ginger ' if seq % 1000 == 0 else ''}cup{seq}", seq=seq)
        for seq in range(1, 6001)
    ]
    async with open_postgres_index(index_url) as index:
        await index.add(key(), after=Seq(0), through=Seq(6000), documents=told)
        before = await index.frequencies(["tea", "milk", "ginger", "cup77", "nothing"])
        run(index_url, "ANALYZE search_documents")
        after = await index.frequencies(["tea", "milk", "ginger", "cup77", "nothing"])
        found = await matching(index, "tea", "ginger", limit=100)

    assert before == (6000, [6000, 2000, 6, 1, 0])
    assert after == (6000, [pytest.approx(6000, rel=0.1), pytest.approx(2000, rel=0.1), 6, 1, 0])
    assert len(found) == 6
    assert all("ginger" in text for text in found)


async def test_a_session_is_searched_by_its_own_index_and_not_through_all_that_holds_the_words(index_url: str) -> None:
    async with open_postgres_index(index_url) as index:
        for name in range(40):
            told = [message(f"tea cup{seq}", seq=seq, session_id=f"s{name}") for seq in range(1, 101)]
            await index.add(key(f"s{name}"), after=Seq(0), through=Seq(100), documents=told)
    run(index_url, "ANALYZE")
    where = Where(parts=(Part(session_id=SessionId("s7")),))
    asked = {"queries": ["'tea'"], "weights": [1.0], "any": "'tea'", "average": 2.0, "most": 1000, "limit": 10}

    with psycopg.connect(index_url, cursor_factory=psycopg.ClientCursor) as connection:
        text = b"EXPLAIN " + Texts("public")["match"]
        plan = str(connection.execute(text, {**scope_params(DEFAULT_TENANT, where), **asked}).fetchall())

    assert "search_documents_by_session" in plan
    assert "Seq Scan on search_documents" not in plan


# --- vectors


async def fill(index: SearchIndex, *, sessions: int = 20, each: int = 50) -> dict[str, Vector]:
    """Put messages with random vectors into sessions, and return the vectors by text."""
    rng = np.random.default_rng(5)
    placed: dict[str, Vector] = {}
    for name in range(sessions):
        owner = key(f"s{name}", user_id=f"user{name}")
        texts = [f"{name} {number}" for number in range(each)]
        await tell(index, *texts, owner=owner)
        placed.update({text: unit(*rng.standard_normal(16)) for text in texts})
    waiting = await index.without_vectors(MODEL, sessions * each + 1)
    await index.add_vectors(MODEL, [(one.number, placed[one.text]) for one in waiting])
    return placed


def nearest_in(placed: dict[str, Vector], asked: Vector, beginning: str = "") -> list[str]:
    those = [text for text in placed if text.startswith(beginning)]
    return sorted(those, key=lambda text: -float((placed[text][0] @ asked).item()))


async def test_the_index_of_vectors_finds_the_nearest_of_many(index_url: str) -> None:
    asked = unit(*np.random.default_rng(9).standard_normal(16))[0]
    async with open_postgres_index(index_url, few=100) as index:
        placed = await fill(index)
        found = await near(index, *asked.tolist(), limit=10)

    assert len(set(found) & set(nearest_in(placed, asked)[:10])) >= 9


async def test_a_user_with_more_than_a_few_documents_finds_his_own_through_the_index(index_url: str) -> None:
    asked = unit(*np.random.default_rng(9).standard_normal(16))[0]
    async with open_postgres_index(index_url, few=10) as index:
        placed = await fill(index)
        found = await near(index, *asked.tolist(), where=Where(user_id="user3"), limit=50)

    assert found[:5] == nearest_in(placed, asked, "3 ")[:5]
    assert len(found) == 50


async def test_a_document_of_many_chunks_does_not_fill_the_answer_of_the_index(index_url: str) -> None:
    async with open_postgres_index(index_url, few=1) as index:
        await tell(index, "long", "short", "other")
        chunks = np.vstack([unit(1, number / 1000) for number in range(400)])
        await embed(index, {"long": chunks, "short": unit(1, 1), "other": unit(0, 1)})

        assert await near(index, 1, 0, limit=3) == ["long", "short", "other"]


async def test_the_nearest_of_many_are_found_by_an_index_scan(index_url: str) -> None:
    async with open_postgres_index(index_url) as index:
        await fill(index)
    run(index_url, "ANALYZE")
    (schema,) = query(index_url, "SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'vector'")[
        0
    ]
    asked = {"vector": str([0.25] * 16), "limit": 10}

    with psycopg.connect(index_url, cursor_factory=psycopg.ClientCursor) as connection:
        text = b"EXPLAIN " + Texts(schema)["nearest_of_many@1"]
        plan = str(connection.execute(text, {**scope_params(DEFAULT_TENANT, EVERYWHERE), **asked}).fetchall())

    assert "Index Scan using search_vectors_1_vector_idx" in plan


async def test_a_table_of_vectors_goes_with_the_last_who_uses_it(index_url: str) -> None:
    async with open_postgres_index(index_url, "one") as one, open_postgres_index(index_url, "two") as two:
        for index in (one, two):
            await tell(index, "a giraffe")
            await embed(index, {"a giraffe": unit(1, 0)})
        assert tables_of_vectors(index_url) == 1

        assert await one.drop_vectors(except_models=()) == 1
        assert tables_of_vectors(index_url) == 1
        await two.clear()

    assert tables_of_vectors(index_url) == 0
    assert query(index_url, "SELECT count(*) FROM search_models") == [(0,)]


async def test_tenants_may_have_vectors_of_different_sizes_from_models_of_one_name(index_url: str) -> None:
    async with open_postgres_index(index_url, "one") as one, open_postgres_index(index_url, "two") as two:
        await tell(one, "a giraffe")
        await tell(two, "an okapi")
        await embed(one, {"a giraffe": unit(1, 0)})
        await embed(two, {"an okapi": unit(1, 0, 0)})

        assert await near(one, 1, 0) == ["a giraffe"]
        assert await near(two, 1, 0, 0) == ["an okapi"]


async def test_documents_that_come_while_a_model_is_new_wait_for_its_vectors_too(index_url: str) -> None:
    async with open_postgres_index(index_url) as index:

        async def talk(name: str) -> None:
            for number in range(5):
                await tell(index, f"{name} {number}", owner=key(name))

        async with anyio.create_task_group() as tasks:
            for number in range(6):
                tasks.start_soon(talk, f"s{number}")
                tasks.start_soon(index.without_vectors, MODEL, 10)

        assert len(await index.without_vectors(MODEL, 100)) == 30


async def test_a_new_model_finds_all_documents_waiting_however_many(index_url: str) -> None:
    told = [message(f"cup {seq}", seq=seq) for seq in range(1, 10_101)]
    async with open_postgres_index(index_url) as index:
        await index.add(key(), after=Seq(0), through=Seq(10_100), documents=told)

        newest = await index.without_vectors(MODEL, 3)
        everything = await index.without_vectors(MODEL, 20_000)
        await index.add_vectors("another model", [(everything[-1].number, unit(1, 0))])
        others = await index.without_vectors("another model", 20_000)

    assert [one.text for one in newest] == ["cup 10100", "cup 10099", "cup 10098"]
    assert len({one.number for one in everything}) == len(everything) == 10_100
    assert others == everything[:-1]


async def test_two_who_bring_the_first_vectors_of_a_model_make_one_table(index_url: str) -> None:
    async with open_postgres_index(index_url) as index:
        await tell(index, *(f"text {number}" for number in range(8)))
        waiting = await index.without_vectors(MODEL, 10)
        async with anyio.create_task_group() as tasks:
            for one in waiting:
                tasks.start_soon(index.add_vectors, MODEL, [(one.number, unit(1, one.number))])

        assert len(await near(index, 1, 0)) == 8
    assert tables_of_vectors(index_url) == 1


# --- without pgvector


@pytest.fixture
def bare_url(postgres_url: str) -> Iterator[str]:
    """The address of a database without pgvector, for a role that may not add it."""
    name = f"sojourn_{secrets.token_hex(8)}"
    database = urlsplit(postgres_url)._replace(path=f"/{name}").geturl()
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        connection.execute(sql.SQL("CREATE ROLE {}").format(sql.Identifier(name)))
    try:
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE SCHEMA {0} AUTHORIZATION {0}").format(sql.Identifier(name)))
        joint = "&" if urlsplit(database).query else "?"
        yield f"{database}{joint}options={quote(f'-csearch_path={name} -crole={name}')}"
    finally:
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
            connection.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))


async def test_without_pgvector_words_are_found_and_vectors_say_what_is_missing(
    bare_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_postgres_index(bare_url) as index:
        await tell(index, "a giraffe_id", "an okapi")
        assert await matching(index, "giraffe_id") == ["a giraffe_id"]
        assert await holding(index, "giraffe") == ["a giraffe_id"]
        for call in (
            index.nearest(MODEL, vector(1, 0), EVERYWHERE, 10),
            index.similarities(MODEL, vector(1, 0), [1]),
            index.closest_vectors(MODEL, vector(1, 0), [1]),
            index.without_vectors(MODEL, 10),
            index.add_vectors(MODEL, [(1, unit(1, 0))]),
        ):
            with pytest.raises(MissingExtraError, match="pgvector"):
                await call
        assert await index.drop_vectors(except_models=()) == 0
        await index.forget(S, [1])
        assert await matching(index, "giraffe_id", "okapi") == ["an okapi"]
        await index.clear()

    assert [record.message for record in caplog.records if "pgvector" in record.message] == [caplog.records[0].message]
    assert caplog.records[0].message.startswith("search goes by words only: the extension pgvector cannot be added")
