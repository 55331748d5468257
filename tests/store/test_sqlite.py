"""What only SQLite has: rights, modes and journals of a file, group commit, damage, and processes that fork."""

import asyncio
import multiprocessing
import os
import re
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import apsw
import pytest

from sojourn.errors import ClosedError, ConflictError, CorruptError, LeaseLostError, LockedError, UnsafeLibraryError
from sojourn.model.ids import DEFAULT_TENANT
from sojourn.store import Durability, open_store
from sojourn.store.filesystem import is_network_path
from sojourn.store.protocol import Store
from sojourn.store.sql.sqlite_driver import SqliteDriver
from sojourn.store.sql.store import SqlStore
from sojourn.testing import CONFORMANCE, Backend, FakeClock, fingerprint
from sojourn.testing.factories import noted, one_of_each, said

NOBODY = 65534

# Uses a store in memory first, so that everything is imported, and then gives up root's rights, which would override
# every permission.
TRY_TO_OPEN = f"""
import asyncio, os, sys
from sojourn.errors import SojournError
from sojourn.store import open_store

async def use(location):
    async with open_store(location) as store:
        await store.create_session("new")

asyncio.run(use("memory:"))
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid({NOBODY})
    os.setuid({NOBODY})
try:
    asyncio.run(use(sys.argv[1]))
except SojournError as error:
    print(type(error).__name__, error)
else:
    print("opened")
"""


def try_to_open(path: Path) -> str:
    """Return what happens when somebody without rights opens and uses *path*."""
    run = subprocess.run([sys.executable, "-c", TRY_TO_OPEN, str(path)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="sojourn-test-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def make_store(path: Path | None, clock: FakeClock | None = None, **options: Any) -> tuple[SqlStore, SqliteDriver]:
    driver = SqliteDriver(path, **options)
    clock = clock or FakeClock(tick=0.001)
    return SqlStore(driver, clock=clock, tenant=DEFAULT_TENANT, open_copy=open_store), driver


def change(path: Path, sql: str, *values: Any) -> None:
    """Reach under the store and change its file."""
    connection = sqlite3.connect(path)
    assert connection.execute(sql, values).rowcount > 0
    connection.commit()
    connection.close()


# --- rights


@pytest.mark.anyio
async def test_only_the_owner_may_read_the_files(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        async with open_store(tmp_path / "new" / "deep" / "sojourn.db") as store:
            await store.create_session("s")
            await store.backup(tmp_path / "new" / "copy.db")
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in sorted((tmp_path / "new").rglob("*"))}
    finally:
        os.umask(before)

    assert modes.pop("deep") == stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    assert {"sojourn.db", "sojourn.db-wal", "sojourn.db-shm", "copy.db"} <= modes.keys()
    assert set(modes.values()) == {0o600}


def test_a_folder_without_rights_is_an_access_error(open_folder: Path) -> None:
    outcome = try_to_open(open_folder / "sojourn.db")

    assert outcome.startswith("AccessError The store may not be read or written with these rights.")
    assert str(open_folder) in outcome
    assert list(open_folder.iterdir()) == []


@pytest.mark.anyio
@pytest.mark.parametrize("mode", [0o444, 0o400])
async def test_a_file_without_rights_is_an_access_error_and_stays_as_it_is(open_folder: Path, mode: int) -> None:
    path = open_folder / "sojourn.db"
    async with open_store(path) as store:
        await store.create_session("s")
    path.chmod(mode)
    before = path.read_bytes()

    outcome = try_to_open(path)

    assert outcome.startswith("AccessError The store may not be read or written with these rights.")
    assert path.read_bytes() == before


def test_a_path_through_a_file_is_an_access_error(open_folder: Path) -> None:
    (open_folder / "file").write_text("no folder")

    assert try_to_open(open_folder / "file" / "sojourn.db").startswith("AccessError")


# --- file systems of other machines

MOUNTS = """\
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 22 0:30 / /srv/share rw - nfs4 server:/export rw
31 30 254:1 / /srv/share/local rw - ext4 /dev/vdb rw
32 22 0:31 / /srv/with\\040space rw - cifs //server/x rw
33 22 0:32 / /home rw shared:1 - fuse.sshfs me@server: rw
"""


@pytest.mark.parametrize(
    ("path", "network"),
    [
        ("/srv/share/sojourn.db", True),
        ("/srv/share", True),
        ("/srv/shared/sojourn.db", False),
        ("/srv/share/local/sojourn.db", False),
        ("/srv/with space/sojourn.db", True),
        ("/home/ada/sojourn.db", True),
        ("/var/lib/sojourn.db", False),
    ],
)
def test_a_path_on_another_machine_is_recognised_by_its_mount(path: str, network: bool, tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)

    assert is_network_path(Path(path), mounts=mounts) is network


def test_where_mounts_are_not_told_every_path_is_local(tmp_path: Path) -> None:
    assert is_network_path(tmp_path, mounts=tmp_path / "nothing") is False


@pytest.mark.anyio
async def test_on_another_machine_there_is_no_write_ahead_log(tmp_path: Path) -> None:
    store, _ = make_store(tmp_path / "sojourn.db", on_network=lambda _: True)
    async with store:
        await store.create_session("s")
        names = {path.name for path in tmp_path.iterdir()}  # noqa: ASYNC240 - a few names

    assert names == {"sojourn.db", "sojourn.db-journal"}


ON_NETWORK = Backend(
    make_store=lambda folder, clock: SqlStore(
        SqliteDriver(folder / "sojourn.db", on_network=lambda _: True),
        clock=clock,
        tenant=DEFAULT_TENANT,
        open_copy=open_store,
    )
)
RELAXED = Backend(
    make_store=lambda folder, clock: open_store(folder / "sojourn.db", clock=clock, durability=Durability.RELAXED)
)


@pytest.mark.anyio
@pytest.mark.parametrize("kind", [ON_NETWORK, RELAXED], ids=["on a network path", "with relaxed durability"])
async def test_every_promise_is_kept(kind: Backend, tmp_path: Path) -> None:
    for check in CONFORMANCE:
        await check.run(kind.storage(tmp_path / check.name))


# --- group commit


@pytest.mark.anyio
async def test_appends_that_wait_together_share_commits(tmp_path: Path) -> None:
    store, driver = make_store(tmp_path / "sojourn.db")
    async with store:
        for number in range(10):
            await store.create_session(f"s{number}")
        before = driver.commits
        async with anyio.create_task_group() as group:
            for number in range(200):
                group.start_soon(store.append, f"s{number % 10}", [noted(number)])
        commits = driver.commits - before
        heads = [(await store.get_session(f"s{number}")).header.head for number in range(10)]

    assert heads == [21] * 10
    assert commits < 100


@pytest.mark.anyio
async def test_one_bad_append_of_a_batch_leaves_the_others_intact(tmp_path: Path) -> None:
    store, driver = make_store(tmp_path / "sojourn.db")
    outcomes: dict[int, str] = {}

    async def write(number: int) -> None:
        try:
            await store.append("s", [noted(number)], expected=99 if number % 5 == 0 else None)
            outcomes[number] = "written"
        except ConflictError:
            outcomes[number] = "refused"

    async with store:
        await store.create_session("s")
        async with anyio.create_task_group() as group:
            for number in range(50):
                group.start_soon(write, number)
        events = [entry.event for entry in (await store.read("s"))[1:]]

    assert outcomes == {number: "refused" if number % 5 == 0 else "written" for number in range(50)}
    assert sorted(map(repr, events)) == sorted(repr(noted(number)) for number in range(50) if number % 5)
    assert driver.commits < 50 if driver._writer else True


# --- leases and clocks


@pytest.mark.anyio
async def test_a_lease_ends_when_its_time_is_over(clock: FakeClock) -> None:
    store, _ = make_store(None, clock)
    async with store:
        await store.create_session("s")
        lease = await store.acquire_lease("s", "one", ttl=30)
        clock.advance(seconds=29)
        with pytest.raises(LockedError, match="holder=one"):
            await store.acquire_lease("s", "two")
        await store.renew_lease(lease, ttl=30)
        clock.advance(seconds=29)
        with pytest.raises(LockedError):
            await store.acquire_lease("s", "two")
        clock.advance(seconds=1)
        await store.acquire_lease("s", "two")

        with pytest.raises(LeaseLostError):
            await store.append("s", [said()], lease=lease)


@pytest.mark.anyio
@pytest.mark.parametrize("seconds", [-400 * 86_400, 400 * 86_400])
async def test_a_jump_of_the_wall_time_neither_ends_nor_extends_a_lease(clock: FakeClock, seconds: float) -> None:
    store, _ = make_store(None, clock)
    async with store:
        await store.create_session("s")
        await store.acquire_lease("s", "one", ttl=30)
        clock.jump(seconds=seconds)
        with pytest.raises(LockedError):
            await store.acquire_lease("s", "two")
        clock.advance(seconds=30)

        assert (await store.acquire_lease("s", "two")).holder == "two"


@pytest.mark.anyio
async def test_a_clock_that_was_set_back_does_not_disturb_the_order(clock: FakeClock) -> None:
    store, _ = make_store(None, clock)
    async with store:
        await store.create_session("s")
        for number in range(5):
            clock.jump(seconds=-3600)
            await store.append("s", [noted(number)])
        entries = await store.read("s")

    assert [entry.event for entry in entries[1:]] == [noted(number) for number in range(5)]


# --- processes


def use_in_child(store: Store, answers: Any) -> None:
    async def use() -> str:
        try:
            await store.get_session("s")
        except ClosedError as error:
            return str(error)
        return "it was used"

    answers.put(asyncio.run(use()))  # not anyio: it thinks that the loop of the parent runs here


@pytest.mark.anyio
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
async def test_a_forked_child_cannot_use_its_parents_store(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    async with open_store(tmp_path / "sojourn.db") as store:
        await store.create_session("s")
        child = context.Process(target=use_in_child, args=(store, answers))
        child.start()
        answer = await anyio.to_thread.run_sync(answers.get)
        await anyio.to_thread.run_sync(child.join)

        assert answer.startswith("The store is closed, or was opened in another process.")
        assert (await store.check()).ok


@pytest.mark.anyio
async def test_a_library_that_can_corrupt_databases_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: "3.51.2")

    with pytest.raises(UnsafeLibraryError, match=r"SQLite 3\.51\.2"):
        async with open_store(tmp_path / "sojourn.db"):
            pass

    assert not (tmp_path / "sojourn.db").exists()


# --- damage


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        ("UPDATE journal SET payload = replace(payload, 'topic 5', 'topic 6') WHERE seq = 7", "checksum"),
        ("UPDATE journal SET at = at + 1 WHERE seq = 7", "checksum"),
        ("UPDATE journal SET kind = 'message_added' WHERE seq = 7", "checksum"),
        ("UPDATE journal SET causes = '[1]' WHERE seq = 7", "checksum"),
        ("UPDATE journal SET causes = '' WHERE seq = 7", "checksum"),
        ("UPDATE journal SET payload = CAST(payload AS BLOB) WHERE seq = 7", "checksum"),
        ("DELETE FROM journal WHERE seq = 7 AND session_id = 's'", "missing"),
        ("DELETE FROM journal WHERE seq >= 7 AND session_id = 's'", "missing"),
    ],
)
async def test_damage_is_named_and_stops_neither_the_rest_nor_other_sessions(
    tmp_path: Path, damage: str, complaint: str
) -> None:
    path = tmp_path / "sojourn.db"
    async with open_store(path) as store:
        for name in ("s", "healthy"):
            await store.create_session(name)
        await store.append("s", [noted(number) for number in range(10)])
    change(path, damage)

    async with open_store(path) as store:
        with pytest.raises(CorruptError, match=f"session=s entry=7: .*{complaint}"):
            await store.read("s", limit=7)
        report = await store.check()
        row = await store.get_session("s")
        readable = await store.read("s", limit=6)
        await store.append("healthy", [said()])
        await store.fork_session("s", "saved", at=6)
        await store.append("saved", [said("goes on")])
        with pytest.raises(CorruptError, match="is in quarantine"):
            await store.append("s", [said()])

    assert [(problem.session_id, problem.seq) for problem in report.problems] == [("s", 7)]
    assert row.quarantined is not None
    assert len(readable) == 6


@pytest.mark.anyio
async def test_a_session_that_was_mended_leaves_quarantine(tmp_path: Path) -> None:
    path = tmp_path / "sojourn.db"
    async with open_store(path) as store:
        await store.create_session("s")
        await store.append("s", [noted(1)])
    change(path, "UPDATE journal SET at = at + 1 WHERE seq = 2")
    async with open_store(path) as store:
        damaged = await store.check()
    change(path, "UPDATE journal SET at = at - 1 WHERE seq = 2")

    async with open_store(path) as store:
        mended = await store.check()
        row = await store.get_session("s")

    assert (damaged.ok, mended.ok, row.quarantined) == (False, True, None)


@pytest.mark.anyio
async def test_rows_that_were_lost_are_rebuilt_from_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "sojourn.db"
    async with open_store(path, clock=FakeClock(tick=0.001)) as store:
        await store.create_session("a")
        await store.append("a", one_of_each())
        await store.fork_session("a", "b", at=20)
        await store.append("b", [said()])
        before = await fingerprint(store)
    change(path, "DELETE FROM sessions")

    async with open_store(path) as store:
        problems = (await store.check()).problems
        rebuilt = await store.rebuild()
        after = await fingerprint(store)

    assert {problem.session_id for problem in problems} == {"a", "b"}
    assert rebuilt == 2
    assert after == before


@pytest.mark.anyio
async def test_totals_that_went_wrong_are_rebuilt_from_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "sojourn.db"
    async with open_store(path) as store:
        await store.create_session("s")
        await store.append("s", one_of_each())
        before = await store.get_session("s")
    change(path, "UPDATE sessions SET title = 'wrong', message_count = 99, total_tokens = 0, tags = '[]'")

    async with open_store(path) as store:
        await store.rebuild()
        after = await store.get_session("s")

    assert after == before


@pytest.mark.anyio
async def test_forgotten_content_is_in_none_of_the_files(tmp_path: Path) -> None:
    async with open_store(tmp_path / "sojourn.db") as store:
        await store.create_session("s")
        await store.create_session("t")
        await store.append("s", [said("the word is swordfish " * 500), said("fine")])
        await store.append("t", [said("the word is swordfish " * 500)])
        await store.save_partial("s", "swordfish")
        held = b"".join(path.read_bytes() for path in tmp_path.iterdir())  # noqa: ASYNC240 - a small file

        await store.redact("s", [2])
        await store.purge_session("t")

        left = b"".join(path.read_bytes() for path in tmp_path.iterdir())  # noqa: ASYNC240 - a small file
    assert re.search(b"swordfish", held)
    assert not re.search(b"swordfish", left)


@pytest.mark.anyio
async def test_a_lease_waits_for_no_disk_and_what_is_said_does(tmp_path: Path) -> None:
    waited: list[str] = []

    class Watched(SqliteDriver):
        """Notes how each transaction is committed."""

        def _begin_writing(self) -> apsw.Connection:
            connection = super()._begin_writing()
            connection.set_exec_trace(lambda _, statement, __: self._note(connection, statement))
            return connection

        def _note(self, connection: apsw.Connection, statement: str) -> bool:
            if statement == "COMMIT":
                connection.set_exec_trace(None)
                waited.append({1: "no", 2: "yes"}[connection.pragma("synchronous")])
                connection.set_exec_trace(lambda _, text, __: self._note(connection, text))
            return True

    store = SqlStore(Watched(tmp_path / "s.db"), clock=FakeClock(), tenant=DEFAULT_TENANT, open_copy=open_store)
    async with store:
        await store.create_session("s")
        waited.clear()
        lease = await store.acquire_lease("s", "somebody")
        await store.append("s", [said()], lease=lease)
        await store.renew_lease(lease)
        await store.append("s", [said()], lease=lease)
        await store.release_lease(lease)

    assert waited[:5] == ["no", "yes", "no", "yes", "no"]
