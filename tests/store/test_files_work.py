"""The files store at work: what an append costs, several processes, full disks, forgetting, copies, cancelling."""

import asyncio
import fcntl
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from sojourn.errors import BusyError, ClosedError, CorruptError, InvalidInputError, StorageFullError
from sojourn.model import events as ev
from sojourn.model.entry import Draft
from sojourn.model.ids import Seq, SessionId
from sojourn.model.state import encode_snapshot, replay
from sojourn.store import Durability, open_store
from sojourn.store.files.locks import hold
from sojourn.store.files.redaction import _Part, _Plan
from sojourn.store.files.sealed import seal
from sojourn.store.protocol import Order, Snapshot, Store
from sojourn.testing import FakeClock, fingerprint
from sojourn.testing.factories import noted, said

WRITER = """
import asyncio, sys
from sojourn.store import open_store
from sojourn.testing.factories import said

async def write(root, name):
    async with open_store(f"files:{root}") as store:
        for number in range(40):
            await store.append("s", [said(f"{name} {number}"), said(f"{name} {number} too")], key=f"{name} {number}")

asyncio.run(write(*sys.argv[1:]))
"""

PYTHON = (sys.executable, "-W", "ignore", "-c")  # forking warns, and only the child's answer counts

FORKED = """
import asyncio, os, sys
from sojourn.errors import ClosedError
from sojourn.store import open_store

async def main(root):
    async with open_store(f"files:{root}") as store:
        await store.create_session("s")
        child = os.fork()
        if child == 0:
            try:
                store.get_session("s").send(None)
            except ClosedError:
                os._exit(42)
            os._exit(1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

asyncio.run(main(sys.argv[1]))
"""


def open_files(root: Path) -> Store:
    return open_store(f"files:{root}", durability=Durability.RELAXED, clock=FakeClock(tick=1.0))


def journal_of(root: Path, session_id: str = "s") -> Path:
    return root / "sessions" / session_id / "journal.jsonl"


def bytes_moved() -> int:
    """Return how many bytes this process has read and written so far, from whatever file."""
    counters = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(counters["rchar"]) + int(counters["wchar"])


@contextmanager
def files_at_most(size: int) -> Iterator[None]:
    """Let no file grow past *size* bytes, as if the disk were full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def holders(root: Path, text: str) -> list[str]:
    """Return the files that hold *text*, by name or by content."""
    wanted = text.encode()
    return [
        str(path)
        for path in root.rglob("*")
        if wanted in os.fsencode(path.name) or (path.is_file() and wanted in path.read_bytes())
    ]


# --- cost


async def long_session(store: Store) -> None:
    """Make a session of 12,001 entries, among them 40 messages at the beginning and one in the middle."""
    await store.create_session("s")
    await store.append("s", [said(f"early {number}") for number in range(40)])
    for start in range(0, 11_960, 40):
        batch: list[ev.Event] = [noted(number) for number in range(start, start + 40)]
        if start == 6000:
            batch[0] = said("in the middle")
        await store.append("s", batch, key=f"key {start}")


@pytest.mark.anyio
@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="only Linux counts the bytes")
async def test_no_operation_of_a_turn_depends_on_the_length_of_the_journal(tmp_path: Path) -> None:
    async with open_files(tmp_path) as store:
        await long_session(store)
    whole = journal_of(tmp_path).stat().st_size

    async with open_files(tmp_path) as store:
        costs: dict[str, int] = {}

        async def cost(name: str, work: Awaitable[object]) -> None:
            before = bytes_moved()
            await work
            costs[name] = bytes_moved() - before

        await cost("open and append", store.append("s", [noted(0)], key="new"))
        await cost("append", store.append("s", [said("again")]))
        await cost("repeat", store.append("s", [noted(0)], key="key 4000"))
        await cost("the last entries", store.read("s", limit=10, order=Order.NEWEST_FIRST))
        await cost("some in the middle", store.read("s", after=7000, limit=10))
        await cost("backward from the middle", store.read("s", before=7000, limit=10, order=Order.NEWEST_FIRST))
        await cost("the last messages", store.last_messages("s", 5))
        await cost("messages long before", store.last_messages("s", 5, before=9000))
        await cost("fork", store.fork_session("s", "f"))
        await cost("follow", store.get_session("f"))
        found = [entry.seq for entry in await store.last_messages("s", 3)]

    assert found == [41, 6042, 12_003]
    assert whole > 1_500_000
    assert {name: size for name, size in costs.items() if size > 100_000} == {}


# --- several processes


@pytest.mark.anyio
async def test_two_processes_append_to_one_session_and_a_third_follows(tmp_path: Path) -> None:
    async with open_store(f"files:{tmp_path}") as store:
        await store.create_session("s")
        heads = [1]
        with anyio.fail_after(50):
            async with store.subscribe("s") as news:
                writers = [await anyio.open_process([*PYTHON, WRITER, str(tmp_path), name]) for name in ("a", "b")]
                async for head in news:
                    heads.append(head)
                    if head == 161:
                        break
            codes = [await writer.wait() for writer in writers]
        entries = await store.read("s")
        report = await store.check()

    assert codes == [0, 0]
    assert heads == sorted(heads)
    assert [entry.seq for entry in entries] == list(range(1, 162))
    texts = [entry.event.message.text for entry in entries if isinstance(entry.event, ev.MessageAdded)]
    for name in ("a", "b"):
        mine = [text for text in texts if text.startswith(name)]
        assert mine == [f"{name} {number}{end}" for number in range(40) for end in ("", " too")]
    assert report.ok


def test_a_lock_that_somebody_keeps_is_reported_as_busy(tmp_path: Path) -> None:
    with hold(tmp_path / "lock"), pytest.raises(BusyError), hold(tmp_path / "lock", patience=0.01):
        pass

    with hold(tmp_path / "lock", shared=True), hold(tmp_path / "lock", shared=True, patience=0):
        assert (tmp_path / "lock").exists()


def test_a_forked_child_is_told_to_open_the_store_itself(tmp_path: Path) -> None:
    run = subprocess.run([*PYTHON, FORKED, str(tmp_path)], capture_output=True, text=True, check=False)

    assert run.stdout == "42\n", run.stderr


@pytest.mark.anyio
async def test_a_closed_store_says_so_and_can_be_opened_again(tmp_path: Path) -> None:
    store = open_files(tmp_path)
    with pytest.raises(ClosedError):
        await store.get_session("s")
    async with store:
        await store.create_session("s")
    await store.close()
    for call in (store.get_session("s"), store.documents.load("k"), store.check()):
        with pytest.raises(ClosedError):
            await call
    async with store:
        assert (await store.append("s", [said()])).first == 2


@pytest.mark.anyio
async def test_a_cancelled_append_is_finished_before_its_caller_goes_on(tmp_path: Path) -> None:
    async with open_files(tmp_path) as store:
        await store.create_session("s")
        with (tmp_path / "sessions" / "s" / "lock").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            task = asyncio.create_task(store.append("s", [said("whole")]))
            await asyncio.sleep(0)
            task.cancel()
            done, _ = await asyncio.wait([task], timeout=0.05)
            assert not done
            fcntl.flock(lock, fcntl.LOCK_UN)
            with pytest.raises(asyncio.CancelledError):
                await task

        assert [entry.event for entry in await store.read("s", after=1)] == [said("whole")]


@pytest.mark.anyio
async def test_appends_that_wait_together_get_consecutive_places(tmp_path: Path) -> None:
    async with open_files(tmp_path) as store:
        for session_id in ("a", "b"):
            await store.create_session(session_id)
        async with anyio.create_task_group() as tasks:
            for number in range(30):
                tasks.start_soon(store.append, "ab"[number % 2], [noted(number)])
        heads = [(await store.get_session(session_id)).header.head for session_id in ("a", "b")]

    assert heads == [16, 16]


# --- full disks


@pytest.mark.anyio
async def test_a_full_disk_refuses_the_append_and_leaves_a_clean_journal(tmp_path: Path) -> None:
    async with open_files(tmp_path) as store:
        await store.create_session("s")
        await store.append("s", [said("kept")])
        before = journal_of(tmp_path).read_bytes()
        for room in (0, 1, 500, 5000):
            with files_at_most(len(before) + room), pytest.raises(StorageFullError):
                await store.append("s", [said("x" * 10_000)], key="k")
            assert journal_of(tmp_path).read_bytes() == before
        receipt = await store.append("s", [said("after")], key="k")
        assert (await store.check()).ok

    assert (receipt.first, receipt.repeated) == (3, False)


@pytest.mark.anyio
async def test_an_append_counts_even_if_the_disk_is_full_for_what_is_derived(tmp_path: Path) -> None:
    root, crashed = tmp_path / "root", tmp_path / "crashed"
    async with open_files(root) as store:
        await store.create_session("s")
        await store.append("s", [ev.VariableSet(name="deep", value=[[[[number]]] for number in range(500)])])
        size = journal_of(root).stat().st_size
        with files_at_most(size + 1000):
            receipt = await store.append("s", [said("counts")], key="k")
            entries = await store.read("s", after=2)
        shutil.copytree(root, crashed)
        again = await store.append("s", [said("counts")], key="k")

    assert (receipt.first, receipt.repeated) == (3, False)
    assert [entry.event for entry in entries] == [said("counts")]
    assert (again.first, again.repeated) == (3, True)
    async with open_files(crashed) as store:
        assert (await store.get_session("s")).header.head == 3
        assert (await store.append("s", [said("counts")], key="k")).repeated


@pytest.mark.anyio
async def test_a_full_disk_leaves_no_half_made_session(tmp_path: Path) -> None:
    async with open_files(tmp_path) as store:
        await store.create_session("first")
        with files_at_most(100), pytest.raises(StorageFullError):
            await store.create_session("s")
        with files_at_most(100), pytest.raises(StorageFullError):
            await store.documents.save("k", {"text": "x" * 1000})
        assert await store.find_session("s") is None
        assert await store.documents.load("k") is None
        await store.create_session("s")

    assert sorted(path.name for path in (tmp_path / "sessions").iterdir()) == [".lock", "first", "s"]


# --- forgetting and removing


async def secretive(store: Store) -> None:
    """Put SECRET wherever content goes: messages, derived facts, forks, titles, snapshots, partial text."""
    await store.create_session("s", ev.SessionCreated(title="SECRET"))
    await store.append("s", [said("SECRET"), said("harmless")], key="k")
    await store.append(
        "s",
        [
            Draft(event=ev.FactLearned(fact_id="f", content="it is SECRET"), causes=(Seq(2),)),
            Draft(event=ev.FactPinned(text="SECRET"), causes=(Seq(4),)),
        ],
    )
    await store.fork_session("s", "child", at=4)
    await store.append("child", [Draft(event=ev.SummaryUpdated(text="SECRET"), causes=(Seq(4),)), said("mine")])
    await store.fork_session("child", "grandchild")
    for session_id in ("s", "child", "grandchild"):
        state = replay(await store.read(session_id))
        assert state is not None
        await store.save_snapshot(session_id, Snapshot(seq=state.head, data=encode_snapshot(state)), epoch=0)
        await store.save_partial(session_id, "SECRET, so f")


@pytest.mark.anyio
async def test_nothing_forgotten_is_left_in_any_file(tmp_path: Path) -> None:
    async with open_files(tmp_path) as store:
        await secretive(store)
    assert len(holders(tmp_path, "SECRET")) > 10

    async with open_files(tmp_path) as store:
        redaction = await store.redact("s", [1, 2])
        report = await store.check()
        texts = [entry.event for entry in await store.last_messages("grandchild")]
        assert holders(tmp_path, "SECRET") == []
    assert holders(tmp_path, "SECRET") == []
    assert redaction.tombstones == {"s": (1, 2, 4, 5), "child": (6,)}
    assert sorted(redaction.sessions) == ["child", "grandchild", "s"]
    assert texts == [said("harmless"), said("mine")]
    assert report.ok


@pytest.mark.anyio
async def test_forgetting_that_a_crash_interrupted_is_finished_by_the_next_to_open(tmp_path: Path) -> None:
    async with open_files(tmp_path) as store:
        await secretive(store)
    plan = _Plan(
        [
            _Part(SessionId("s"), [1, 2, 4, 5], 1),
            _Part(SessionId("child"), [1, 2, 4, 6], 1),
            _Part(SessionId("grandchild"), [1, 2, 4, 6], 1),
        ]
    )
    (tmp_path / "sessions" / ".forgetting.json").write_bytes(seal(plan))
    (tmp_path / "sessions" / "s" / ".working.json.new").write_text("half of a SECRET")

    async with open_files(tmp_path) as store:
        rows = [await store.get_session(session_id) for session_id in ("s", "child", "grandchild")]
        report = await store.check()

    assert holders(tmp_path, "SECRET") == []
    assert [row.epoch for row in rows] == [1, 1, 1]
    assert report.ok
    assert not (tmp_path / "sessions" / ".forgetting.json").exists()


@pytest.mark.anyio
async def test_a_plan_to_forget_that_cannot_be_read_is_named_and_stops_nobody(tmp_path: Path) -> None:
    async with open_files(tmp_path) as store:
        await secretive(store)
    (tmp_path / "sessions" / ".forgetting.json").write_bytes(b"\0" * 10)

    async with open_files(tmp_path) as store:
        report = await store.check()
        await store.redact("s", [1, 2])
        again = await store.check()

    assert [".forgetting.json" in problem.what for problem in report.problems] == [True]
    assert again.ok
    assert holders(tmp_path, "SECRET") == []


@pytest.mark.anyio
async def test_a_full_disk_leaves_everything_that_was_to_be_forgotten_as_it_was(tmp_path: Path) -> None:
    async with open_files(tmp_path) as store:
        await secretive(store)
        before = await fingerprint(store)
        with files_at_most(300), pytest.raises(StorageFullError):
            await store.redact("s", [2])
        assert await fingerprint(store) == before
        await store.redact("s", [1, 2])

    assert holders(tmp_path, "SECRET") == []


@pytest.mark.anyio
async def test_a_purged_session_leaves_nothing_and_its_forks_stand_alone(tmp_path: Path) -> None:
    async with open_files(tmp_path) as store:
        await secretive(store)
        before = [await store.read(session_id) for session_id in ("child", "grandchild")]
        await store.purge_session("s", detach=True)
        after = [await store.read(session_id) for session_id in ("child", "grandchild")]
        again = await store.append("child", [said("SECRET"), said("harmless")], key="k")
        report = await store.check()

    assert after == before
    assert not again.repeated, "a key is its session's own"
    assert report.ok
    assert sorted(path.name for path in (tmp_path / "sessions").iterdir()) == [".lock", "child", "grandchild"]


@pytest.mark.anyio
async def test_what_a_crash_left_half_made_or_half_removed_is_swept_away(tmp_path: Path) -> None:
    async with open_files(tmp_path) as store:
        await store.create_session("s")
    for name in (".new-1", ".gone-1"):
        shutil.copytree(tmp_path / "sessions" / "s", tmp_path / "sessions" / name)

    async with open_files(tmp_path) as store:
        assert [row.header.session_id for row in (await store.list_sessions()).rows] == ["s"]

    assert sorted(path.name for path in (tmp_path / "sessions").iterdir()) == [".lock", "s"]


# --- copies


@pytest.mark.anyio
async def test_a_copy_made_while_others_write_is_whole(tmp_path: Path) -> None:
    root, copy = tmp_path / "root", tmp_path / "copy"
    async with open_files(root) as store:
        for number in range(10):
            await store.create_session(f"s{number}")
        await store.fork_session("s3", "f")
        await store.for_tenant("acme").create_session("other")
        await store.documents.save("current_session", {"session_id": "s1"})

        async def write() -> None:
            for number in range(60):
                await store.append(f"s{number % 10}", [said(f"text {number}")])
                if number % 20 == 0:
                    await store.fork_session(f"s{number % 10}", f"f{number}")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(write)
            report = await store.backup(copy)
        with pytest.raises(InvalidInputError, match="itself"):
            await store.backup(root / "copy")

    async with open_files(copy) as copied:
        assert (await copied.check()).ok
        assert report.sessions == (await copied.check()).sessions >= 12
        assert await copied.documents.load("current_session") == {"session_id": "s1"}
        assert (await copied.append("f", [said("goes on")])).first == 3


@pytest.mark.anyio
async def test_a_copy_that_fails_leaves_nothing_and_one_of_damage_is_refused(tmp_path: Path) -> None:
    async with open_files(tmp_path / "root") as store:
        await store.create_session("s")
        await store.append("s", [said("x" * 5000), said("text")])
        with files_at_most(4000), pytest.raises(StorageFullError):
            await store.backup(tmp_path / "copy")
        assert not (tmp_path / "copy").exists()
        journal = journal_of(tmp_path / "root")
        journal.write_bytes(journal.read_bytes().replace(b"text", b"TEXT"))
        with pytest.raises(CorruptError, match="copy"):
            await store.backup(tmp_path / "copy")
