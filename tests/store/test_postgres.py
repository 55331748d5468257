"""What only PostgreSQL has: partitions, views, news between stores, its own errors. The rest is the store suite's."""

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import apsw
import psycopg
import pytest
from msgspec import Raw
from psycopg import errors as pg

from sojourn.errors import (
    AccessError,
    AlreadyExistsError,
    BusyError,
    ClosedError,
    ForksExistError,
    InvalidInputError,
    NewerVersionError,
    SessionNotFoundError,
    SojournError,
    StoreError,
)
from sojourn.model import events as ev
from sojourn.model.entry import Draft
from sojourn.model.ids import Seq
from sojourn.store import Store, open_store
from sojourn.store.protocol import SessionQuery
from sojourn.store.sql.postgres_connections import Address, Connections
from sojourn.store.sql.sqlite_schema import migrate
from sojourn.store.sql.statement import load_migrations, load_statements
from sojourn.testing.factories import UNKNOWN, one_of_each, said
from sojourn.testing.fingerprint import fingerprint
from sojourn.testing.postgres import fresh_schema, in_schema

pytestmark = pytest.mark.anyio

WITH_NUL = ev.UnknownEvent(kind="odd", payload=Raw('{"kind":"odd","s":"a\\u0000b","n":1.50,"n":2}'))
VIEWS = ("messages", "events", "metadata", "session_state")


@pytest.fixture
def url(postgres_url: str) -> Iterator[str]:
    with fresh_schema(postgres_url) as address:
        yield address


def query(url: str, text: str, *params: Any) -> list[tuple[Any, ...]]:
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(text.encode(), params).fetchall()


def run(url: str, text: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(text.encode())


async def fill(store: Store) -> None:
    """Put a bit of everything into *store*."""
    await store.create_session("s", ev.SessionCreated(user_id="ada", title="Title", tags=("a", "b")))
    for event in one_of_each():
        if not isinstance(event, ev.SessionCreated | ev.SessionForked | ev.Forgotten):
            await store.append("s", [event])
    await store.append("s", [UNKNOWN, WITH_NUL, said("last")], key="k")
    await store.fork_session("s", "fork", at=3)
    await store.redact("fork", [4])
    await store.save_partial("s", "so f")
    await store.documents.save("nul \0 é", {"n": 1.5})
    other = store.for_tenant("other")
    await other.create_session("s", ev.SessionCreated(title="somebody else's"))


# --- the schema


async def test_the_journal_has_sixteen_partitions_and_sessions_are_spread_over_them(url: str) -> None:
    async with open_store(url) as store:
        for number in range(64):
            await store.create_session(f"s{number}")
    partitions = query(url, "SELECT count(*) FROM pg_inherits WHERE inhparent = 'journal'::regclass")
    used = query(url, "SELECT count(DISTINCT tableoid) FROM journal")

    assert partitions == [(16,)]
    assert used[0][0] > 8


async def test_reading_a_session_touches_one_partition(url: str) -> None:
    async with open_store(url):
        plan = query(url, "EXPLAIN SELECT * FROM journal WHERE tenant = 't' AND session_id = 's' AND seq > 5")

    assert len({word for (line,) in plan for word in line.split() if word.startswith("journal_")} & set_of_parts()) == 1


def set_of_parts() -> set[str]:
    return {f"journal_{number:02}" for number in range(16)}


@pytest.mark.parametrize(("user_id", "index"), [(None, "sessions_by_activity"), ("ada", "sessions_by_user")])
async def test_a_page_of_sessions_is_found_by_an_index(user_id: str | None, index: str, url: str) -> None:
    nothing = dict.fromkeys(("project", "parent", "tag", "text", "archived", "trashed", "superseded", "nested"))
    page = {"tenant": "default", "before_hour": 2**40, "before_at": 2**60, "before_id": "", "limit": 50, **nothing}
    async with open_store(url):
        run(
            url,
            "INSERT INTO sessions (tenant, session_id, head, created_at, updated_at, active_hour, user_id) "
            "SELECT 'default', 's' || n, 1, n, n, n / 100, 'u' || n % 1000 FROM generate_series(1, 20000) AS n; "
            "ANALYZE sessions",
        )
        with psycopg.connect(url, cursor_factory=psycopg.ClientCursor) as connection:
            text = f"EXPLAIN {load_statements('postgres')['list_sessions']}".encode()
            plan = connection.execute(text, {**page, "user_id": user_id}).fetchall()

    assert index in str(plan)
    assert "Seq Scan" not in str(plan)


async def test_a_schema_is_migrated_once_by_eight_stores_that_open_it_together(url: str) -> None:
    stores = [open_store(url) for _ in range(8)]
    async with anyio.create_task_group() as tasks:
        for store in stores:
            tasks.start_soon(store.__aenter__)
    try:
        made = query(url, "SELECT version, name FROM sojourn_versions ORDER BY version")
        assert made == [(one.version, one.name) for one in load_migrations("postgres")]
    finally:
        for store in stores:
            await store.close()


async def test_stores_in_two_schemas_of_one_database_do_not_see_each_other(url: str, postgres_url: str) -> None:
    with fresh_schema(postgres_url) as other_url:
        async with open_store(url) as one, open_store(other_url) as other:
            await one.create_session("s")

            assert await other.find_session("s") is None


async def test_a_schema_of_a_newer_sojourn_is_refused_and_left_alone(url: str) -> None:
    async with open_store(url):
        run(url, "INSERT INTO sojourn_versions (version, name) VALUES (99, 'later')")
    before = query(url, "SELECT * FROM sojourn_versions ORDER BY version")

    with pytest.raises(NewerVersionError, match="99"):
        await open_store(url).__aenter__()
    assert query(url, "SELECT * FROM sojourn_versions ORDER BY version") == before


async def test_a_search_path_without_a_schema_is_bad_input(postgres_url: str) -> None:
    with pytest.raises(InvalidInputError, match="search_path"):
        await open_store(in_schema(postgres_url, "not_there")).__aenter__()


# --- views


async def test_views_have_the_columns_that_they_have_on_sqlite(url: str) -> None:
    file = apsw.Connection(":memory:")
    migrate(file, load_migrations("sqlite"), None)
    async with open_store(url):
        for view in VIEWS:
            named = [column[1] for column in file.execute(f"PRAGMA table_info({view})")]
            found = query(
                url,
                "SELECT column_name FROM information_schema.columns "
                "WHERE table_schema = current_schema() AND table_name = %s ORDER BY ordinal_position",
                view,
            )
            assert [name for (name,) in found] == named


async def test_views_show_what_happened(url: str) -> None:
    async with open_store(url) as store:
        await store.create_session("s", ev.SessionCreated(user_id="ada", title="Plans"))
        await store.append("s", [said("one"), said("two", role="assistant")])
        await store.append("s", [ev.Compacted(summary="one", through=Seq(2)), ev.TurnStarted(turn_id="t")])
        focus = ev.FocusChanged(focus_type="task", focus_id="7", context={"b": 1, "a": 2})
        await store.append("s", [Draft(event=focus, causes=(Seq(3),)), ev.ShortTermMemoryUpdated(text="briefly")])
        await store.append("s", [ev.EntityReferenced(entity_type="file", entity_id=name) for name in ("x", "y", "x")])

    assert query(url, "SELECT id, role, content, in_context FROM messages ORDER BY id") == [
        (2, "user", "one", False),
        (3, "assistant", "two", True),
    ]
    assert query(url, "SELECT message_id, data ->> 'focus_id' FROM events WHERE event_type = 'focus_changed'") == [
        (3, "7")
    ]
    assert ("title", "Plans") in query(url, "SELECT key, value FROM metadata WHERE session_id = 's'")
    [(kind, context, entities, memory, turns)] = query(
        url,
        "SELECT focus_type, focus_context::text, referenced_entities, short_term_memory, turn_count FROM session_state",
    )
    assert (kind, context, memory, turns) == ("task", '{"b":1,"a":2}', "briefly", 1)
    assert [entity["id"] for entity in entities] == ["x", "y"]


async def test_a_row_that_is_not_readable_as_json_does_not_stop_a_view(url: str) -> None:
    async with open_store(url) as store:
        await store.create_session("s")
        await store.append("s", [said("a\0b"), said("sealed"), said("damaged"), WITH_NUL])
        run(url, "UPDATE journal SET key_id = 'k1', payload = 'sealed' WHERE seq = 3")
        run(url, "UPDATE journal SET payload = 'not JSON' WHERE seq = 4")

    assert query(url, "SELECT content FROM messages ORDER BY id") == [("a\ufffdb",), (None,), (None,)]
    assert query(url, "SELECT event_type, data ->> 's' FROM events WHERE id > 1") == [("odd", "a\ufffdb")]
    for view in VIEWS:
        assert query(url, f"SELECT * FROM {view}")


async def test_a_view_shows_nothing_to_who_may_not_read_its_table(url: str) -> None:
    async with open_store(url):
        schema = query(url, "SELECT current_schema()")[0][0]
        role = f"{schema}_guest"
        run(url, f"CREATE ROLE {role}; GRANT USAGE ON SCHEMA {schema} TO {role}; GRANT SELECT ON messages TO {role}")
        try:
            with pytest.raises(pg.InsufficientPrivilege):
                run(url, f"SET ROLE {role}; SELECT * FROM messages")
        finally:
            run(url, f"DROP OWNED BY {role}; DROP ROLE {role}")


# --- what is stored


async def test_payloads_come_back_to_the_letter(url: str) -> None:
    async with open_store(url) as store:
        await store.create_session("s")
        await store.append("s", [WITH_NUL, UNKNOWN, said("é\0\u2028\U0010ffff")])
        entries = await store.read("s", after=1)

    assert [entry.payload for entry in entries[:2]] == [bytes(event.payload).decode() for event in (WITH_NUL, UNKNOWN)]
    assert entries[2].event == said("é\0\u2028\U0010ffff")


async def test_names_longer_than_an_index_entry_are_found(url: str) -> None:
    long = "".join(chr(0x4E00 + number * 7919 % 20000) for number in range(5000))  # does not compress
    async with open_store(url) as store:
        await store.create_session("s", ev.SessionCreated(user_id=long, project=long, title=long, tags=(long,)))
        await store.append("s", [said()], key=long)
        await store.documents.save(long, {"n": 1})

        assert (await store.append("s", [said()], key=long)).repeated
        assert await store.documents.list_keys(long[:4000]) == [long]
        assert len((await store.list_sessions(SessionQuery(user_id=long, tag=long))).rows) == 1
        assert (await store.list_sessions(SessionQuery(user_id=long[:200]))).rows == ()


async def test_a_backup_is_a_private_sqlite_file_with_everything_in_it(url: str, tmp_path: Path) -> None:
    target = tmp_path / "backup.db"
    async with open_store(url) as store:
        await fill(store)
        report = await store.backup(target)
        source = [await fingerprint(store), await fingerprint(store.for_tenant("other"))]

    async with open_store(target) as copy:
        assert [await fingerprint(copy), await fingerprint(copy.for_tenant("other"))] == source
        assert (await copy.append("s", [said()], key="k")).repeated
    assert report.sessions == 3
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


async def test_a_backup_that_fails_leaves_no_file(url: str, tmp_path: Path) -> None:
    async with open_store(url) as store:
        await store.create_session("s")
        run(url, "ALTER TABLE documents RENAME TO elsewhere")
        with pytest.raises(StoreError, match="documents"):
            await store.backup(tmp_path / "backup.db")

    assert not any(tmp_path.iterdir())  # noqa: ASYNC240 - nothing else runs on this loop


# --- news


async def test_an_append_is_heard_by_another_store_long_before_it_would_poll(url: str) -> None:
    async with open_store(url) as here, open_store(url) as there:
        await there.create_session("s")
        await there.for_tenant("other").create_session("s")
        async with here.subscribe("s") as heads:
            await there.for_tenant("other").append("s", [said()] * 7)
            with anyio.fail_after(3):
                for _ in range(3):
                    receipt = await there.append("s", [said(), said()])
                    assert await anext(heads) == receipt.last


async def test_what_was_appended_just_before_closing_is_announced(url: str) -> None:
    async with open_store(url) as here:
        await here.create_session("s")
        async with here.subscribe("s") as heads:
            async with open_store(url) as there:
                await there.append("s", [said()])
            with anyio.fail_after(3):
                assert await anext(heads) == 2


# --- many at once


async def test_of_many_who_create_the_same_session_one_wins(url: str) -> None:
    won, lost = [], []

    async def create(store: Store) -> None:
        try:
            won.append(await store.create_session("s"))
        except AlreadyExistsError:
            lost.append(store)

    async with open_store(url) as one, open_store(url) as other, anyio.create_task_group() as tasks:
        for number in range(16):
            tasks.start_soon(create, one if number % 2 else other)

    assert (len(won), len(lost)) == (1, 15)


async def test_a_purged_session_has_no_forks_and_a_forked_one_is_not_purged(url: str) -> None:
    async with open_store(url) as one, open_store(url) as other:
        for number in range(20):
            name, fork_id = f"s{number}", f"f{number}"
            await one.create_session(name)
            outcomes: list[type[SojournError]] = []

            async def attempt(work: Any, outcomes: list[type[SojournError]] = outcomes) -> None:
                try:
                    await work
                except (ForksExistError, SessionNotFoundError) as error:
                    outcomes.append(type(error))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(attempt, one.purge_session(name))
                tasks.start_soon(attempt, other.fork_session(name, fork_id))

            fork = await one.find_session(fork_id)
            assert outcomes == ([ForksExistError] if fork else [SessionNotFoundError])
            if fork:
                assert len(await one.read(fork_id)) == 2


async def test_a_fork_made_during_a_redaction_holds_nothing_of_what_was_forgotten(url: str) -> None:
    async with open_store(url) as one, open_store(url) as other:
        for number in range(20):
            name, fork_id = f"s{number}", f"f{number}"
            await one.create_session(name, ev.SessionCreated(title="secret"))
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(one.redact, name, [1])
                tasks.start_soon(other.fork_session, name, fork_id)

            assert (await one.get_session(fork_id)).header.title is None
            assert (await one.check()).ok
    for table, text in (("sessions", "title"), ("journal", "payload"), ("snapshots", "encode(data, 'escape')")):
        assert query(url, f"SELECT count(*) FROM {table} WHERE strpos({text}, 'secret') > 0") == [(0,)]


async def test_a_holder_appends_while_others_ask_for_its_lease(url: str) -> None:
    """Both lock the session and the lease; in opposite order they would block each other for a second each time."""
    async with open_store(url) as one, open_store(url) as other:
        await one.create_session("s")
        lease = await one.acquire_lease("s", "me")

        async def ask() -> None:
            for _ in range(150):
                with pytest.raises(SojournError, match="me"):
                    await other.acquire_lease("s", "you")

        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ask)
                for _ in range(150):
                    await one.append("s", [said()], lease=lease)

        assert (await one.get_session("s")).header.head == 151


async def test_a_cancelled_append_that_waits_for_a_lock_leaves_nothing_behind(url: str) -> None:
    async with open_store(url) as store:
        await store.create_session("s")
        async with await psycopg.AsyncConnection.connect(url) as blocker:
            await blocker.execute("SELECT * FROM sessions FOR UPDATE")
            with anyio.move_on_after(0.1) as scope:
                await store.append("s", [said()])
            await blocker.rollback()

        assert scope.cancelled_caught
        assert (await store.append("s", [said()])).last == 2


# --- connections and errors


async def test_an_append_of_many_entries_can_be_cancelled_anywhere_without_a_warning(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    many = [said(str(number)) for number in range(500)]
    async with open_store(url) as store:
        await store.create_session("s")
        for patience in range(0, 900, 15):
            async with anyio.create_task_group() as group:
                group.start_soon(store.append, "s", many)
                for _ in range(patience):
                    await anyio.lowlevel.checkpoint()
                group.cancel_scope.cancel()
        head = (await store.get_session("s")).header.head

    assert head % 500 == 1
    assert caplog.records == []


async def test_more_calls_than_connections_wait_their_turn(url: str) -> None:
    async with open_store(url) as store:
        await store.create_session("s")
        async with anyio.create_task_group() as tasks:
            for _ in range(100):
                tasks.start_soon(store.append, "s", [said()])

        assert (await store.get_session("s")).header.head == 101


async def test_who_waits_too_long_for_a_connection_is_told_that_all_are_busy(url: str) -> None:
    connections = Connections(Address(url), limit=1, wait_seconds=0.05)
    async with connections.lend():
        with pytest.raises(BusyError, match="all 1 connections"):
            async with connections.lend():
                pass
    await connections.close()
    await connections.close()

    with pytest.raises(ClosedError):
        async with connections.lend():
            pass


async def test_a_closed_store_says_so_and_can_be_opened_again(url: str) -> None:
    store = open_store(url)
    async with store:
        await store.create_session("s")
        await store.close()
        await store.close()
        with pytest.raises(ClosedError):
            await store.get_session("s")
    async with store:
        assert (await store.get_session("s")).header.head == 1


async def test_a_commit_waits_for_the_disk_even_where_the_server_would_not(url: str) -> None:
    connections = Connections(Address(url.replace("options=", "options=-csynchronous_commit%3Doff%20")))
    async with connections.lend() as line:
        rows = await (await line.connection.execute(b"SHOW synchronous_commit")).fetchall()
    await connections.close()

    assert rows == [("on",)]


async def test_a_role_that_may_only_read_gets_an_access_error_and_can_read(url: str) -> None:
    async with open_store(url) as store:
        await store.create_session("s")
    async with open_store(url.replace("options=", "options=-cdefault_transaction_read_only%3Don%20")) as reader:
        with pytest.raises(AccessError, match="read-only"):
            await reader.append("s", [said()])

        assert len(await reader.read("s")) == 1


async def test_an_unknown_role_gets_an_access_error(url: str) -> None:
    with pytest.raises(AccessError, match="nobody_we_know"):
        await open_store(url.replace("//postgres:", "//nobody_we_know:")).__aenter__()
