"""The schema of a SQLite file: foreign and newer files are left alone, older ones are copied before they change."""

import asyncio
import hashlib
import sqlite3
import threading
from pathlib import Path

import pytest

from sojourn.errors import CorruptError, NewerVersionError, SojournError
from sojourn.model.ids import DEFAULT_TENANT
from sojourn.store import open_store
from sojourn.store.sql.sqlite_driver import SqliteDriver
from sojourn.store.sql.sqlite_schema import APPLICATION_ID, copy_before
from sojourn.store.sql.statement import Migration, load_migrations
from sojourn.store.sql.store import SqlStore
from sojourn.testing import FakeClock, fingerprint
from sojourn.testing.factories import one_of_each

LATEST = load_migrations("sqlite")
NEXT = Migration(LATEST[-1].version + 1, "next", "CREATE TABLE added (x TEXT); INSERT INTO added VALUES ('new');")
BROKEN = Migration(NEXT.version + 1, "broken", "CREATE TABLE half_done (x TEXT); INSERT INTO no_such_table VALUES (1);")


def digest(folder: Path) -> dict[str, str]:
    """Return a checksum of every file in *folder*, but for SQLite's shared memory, which is no data."""
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.iterdir())
        if not file.name.endswith("-shm")
    }


def with_migrations(path: Path, *migrations: Migration) -> SqlStore:
    driver = SqliteDriver(path, migrations=[*LATEST, *migrations])
    return SqlStore(driver, clock=FakeClock(tick=0.001), tenant=DEFAULT_TENANT, open_copy=open_store)


async def fill(path: Path) -> None:
    async with with_migrations(path) as store:
        await store.create_session("s")
        await store.append("s", one_of_each())


def read_sql(path: Path, sql: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def write_sql(path: Path, sql: str) -> None:
    connection = sqlite3.connect(path)
    try:
        connection.executescript(sql)
    finally:
        connection.close()


def test_migrations_are_numbered_without_gaps() -> None:
    assert [migration.version for migration in LATEST] == list(range(1, len(LATEST) + 1))
    assert all(migration.name.startswith(f"{migration.version:04}_") for migration in LATEST)


@pytest.mark.anyio
async def test_a_new_file_says_what_it_is(tmp_path: Path) -> None:
    await fill(tmp_path / "sojourn.db")

    assert list(digest(tmp_path)) == ["sojourn.db"]
    assert read_sql(tmp_path / "sojourn.db", "PRAGMA application_id") == [(APPLICATION_ID,)]
    assert read_sql(tmp_path / "sojourn.db", "PRAGMA user_version") == [(LATEST[-1].version,)]


@pytest.mark.anyio
async def test_leases_of_the_first_version_are_counted_on(tmp_path: Path) -> None:
    path = tmp_path / "sojourn.db"
    write_sql(
        path,
        f"""{LATEST[0].sql}
        PRAGMA application_id = {APPLICATION_ID};
        PRAGMA user_version = 1;
        INSERT INTO sessions (tenant, session_id, head, created_at, updated_at, active_hour)
        VALUES ('default', 's', 1, 0, 0, 0), ('default', 'never held', 1, 0, 0, 0);
        INSERT INTO leases VALUES ('default', 's', 41, 'somebody', 9e9, 'another boot', '', 1, 1);""",
    )

    async with with_migrations(path) as store:
        assert await store.find_lease("s") is None
        assert (await store.acquire_lease("s", "me")).token == 42


@pytest.mark.anyio
async def test_a_file_of_a_newer_version_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "sojourn.db"
    await fill(path)
    write_sql(path, f"PRAGMA user_version = {LATEST[-1].version + 1}")
    before = digest(tmp_path)

    with pytest.raises(NewerVersionError, match=f"schema {LATEST[-1].version + 1}, this Sojourn knows up to"):
        async with open_store(path):
            pass

    assert digest(tmp_path) == before


@pytest.mark.anyio
@pytest.mark.parametrize("journal_mode", ["delete", "wal"])
async def test_a_file_of_another_program_is_refused_and_left_as_it_is(tmp_path: Path, journal_mode: str) -> None:
    path = tmp_path / "other.db"
    write_sql(path, f"PRAGMA journal_mode = {journal_mode}; CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1);")
    before = digest(tmp_path)

    with pytest.raises(CorruptError, match="is a SQLite file of another program"):
        async with open_store(path):
            pass

    assert digest(tmp_path) == before


@pytest.mark.anyio
async def test_a_file_of_another_program_with_a_version_like_ours_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    write_sql(path, f"CREATE TABLE theirs (x); PRAGMA user_version = {LATEST[-1].version}; PRAGMA application_id = 1;")

    with pytest.raises(CorruptError, match="is a SQLite file of another program"):
        async with open_store(path):
            pass


@pytest.mark.anyio
async def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear reader, " * 1000)
    before = digest(tmp_path)

    with pytest.raises(CorruptError):
        async with open_store(path):
            pass

    assert digest(tmp_path) == before


@pytest.mark.anyio
async def test_an_older_file_is_brought_up_to_date_and_everything_is_still_there(tmp_path: Path) -> None:
    path = tmp_path / "sojourn.db"
    await fill(path)
    async with with_migrations(path) as store:
        before = await fingerprint(store)

    async with with_migrations(path, NEXT) as store:
        after = await fingerprint(store)

    assert after == before
    assert read_sql(path, "SELECT x FROM added") == [("new",)]
    assert read_sql(path, "PRAGMA user_version") == [(NEXT.version,)]


@pytest.mark.anyio
async def test_an_older_file_is_copied_first_and_the_copy_opens(tmp_path: Path) -> None:
    path = tmp_path / "sojourn.db"
    await fill(path)
    async with with_migrations(path) as store:
        before = await fingerprint(store)

    async with with_migrations(path, NEXT):
        pass

    copy = copy_before(path, LATEST[-1].version)
    assert list(digest(tmp_path)) == ["sojourn.db", copy.name]
    assert copy.name == f"sojourn.db.before-v{NEXT.version}"
    assert copy.stat().st_mode & 0o777 == 0o600
    async with with_migrations(copy) as store:
        assert await fingerprint(store) == before


@pytest.mark.anyio
async def test_a_new_file_needs_no_copy(tmp_path: Path) -> None:
    async with with_migrations(tmp_path / "sojourn.db", NEXT):
        pass

    assert list(digest(tmp_path)) == ["sojourn.db"]


@pytest.mark.anyio
async def test_a_migration_that_fails_leaves_the_file_at_its_version(tmp_path: Path) -> None:
    path = tmp_path / "sojourn.db"
    await fill(path)

    with pytest.raises(SojournError, match="no_such_table"):
        async with with_migrations(path, NEXT, BROKEN):
            pass

    assert read_sql(path, "PRAGMA user_version") == [(LATEST[-1].version,)]
    assert read_sql(path, "SELECT name FROM sqlite_schema WHERE name IN ('added', 'half_done')") == []
    async with with_migrations(path) as store:
        assert (await store.check()).ok


@pytest.mark.anyio
async def test_many_that_migrate_at_once_migrate_once(tmp_path: Path) -> None:
    path = tmp_path / "sojourn.db"
    await fill(path)
    count = 4
    line, failures = threading.Barrier(count), list[BaseException]()

    async def use() -> None:
        store = with_migrations(path, NEXT)
        line.wait()
        async with store:
            await store.create_session(f"by{threading.get_ident()}")

    def run() -> None:
        try:
            asyncio.run(use())
        except BaseException as error:  # noqa: BLE001 - shown by the assertion
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        await asyncio.to_thread(thread.join)

    assert failures == []
    assert read_sql(path, "SELECT x FROM added") == [("new",)]
    assert read_sql(path, "SELECT count(*) FROM sessions") == [(1 + count,)]


@pytest.mark.anyio
async def test_an_older_sojourn_refuses_the_file_from_then_on(tmp_path: Path) -> None:
    path = tmp_path / "sojourn.db"
    await fill(path)
    async with with_migrations(path, NEXT):
        pass
    before = digest(tmp_path)

    with pytest.raises(NewerVersionError):
        async with with_migrations(path):
            pass

    assert digest(tmp_path) == before
