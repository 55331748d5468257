"""The bell by which a thread calls an event loop, with the system's counter and without it."""

import asyncio
import resource
import sys
import threading
from pathlib import Path

import pytest

from sojourn.errors import AccessError, CorruptError
from sojourn.store import open_store
from sojourn.store.sql.sqlite_bell import Bell

RINGERS = 4
RINGS = 200


counted = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts open files by what Linux tells")


def _open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize("platform", ["linux", "elsewhere"])
def test_every_ring_is_answered(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rings that come together may share an answer, but what was left before a ring is found by an answer to it."""
    monkeypatch.setattr(sys, "platform", platform)
    left: list[int] = []
    found: list[int] = []

    async def listen() -> None:
        everything = asyncio.Event()

        def answer() -> None:
            while left:
                found.append(left.pop())
            if len(found) == RINGERS * RINGS:
                everything.set()

        bell = Bell(asyncio.get_running_loop(), answer)

        def call(ringer: int) -> None:
            for number in range(RINGS):
                left.append(ringer * RINGS + number)
                bell.ring()

        threads = [threading.Thread(target=call, args=(ringer,)) for ringer in range(RINGERS)]
        for thread in threads:
            thread.start()
        await everything.wait()
        for thread in threads:
            thread.join()
        bell.close()

    asyncio.run(listen())

    assert sorted(found) == list(range(RINGERS * RINGS))


@counted
@pytest.mark.anyio
async def test_a_store_that_is_closed_leaves_no_file_open(tmp_path: Path) -> None:
    async with open_store(tmp_path / "a.db"):
        pass
    before = _open_files()

    for _ in range(5):
        async with open_store(tmp_path / "a.db") as store:
            await store.list_sessions()

    assert _open_files() == before


@counted
@pytest.mark.anyio
async def test_a_store_that_cannot_be_opened_leaves_no_file_open(tmp_path: Path) -> None:
    (tmp_path / "scrap.db").write_text("not a database at all" * 100)
    before = _open_files()

    for _ in range(5):
        with pytest.raises(CorruptError):
            async with open_store(tmp_path / "scrap.db"):
                pass

    assert _open_files() == before


@counted
@pytest.mark.anyio
async def test_a_process_with_too_many_open_files_is_told_so(tmp_path: Path) -> None:
    async with open_store(tmp_path / "a.db"):
        pass
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    before = _open_files()
    refused = 0
    for more in range(20):  # at each of them something else does not get its file
        resource.setrlimit(resource.RLIMIT_NOFILE, (before + more, usual[1]))
        try:
            async with open_store(tmp_path / "a.db") as store:
                await store.list_sessions()
        except AccessError:
            refused += 1
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, usual)

    assert 0 < refused < 20
    assert _open_files() == before


@counted
@pytest.mark.anyio
async def test_a_store_whose_closing_is_cancelled_leaves_no_file_open(tmp_path: Path) -> None:
    before = _open_files()
    store = open_store(tmp_path / "a.db")
    await store.__aenter__()

    closing = asyncio.create_task(store.close())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    await store.close()

    async with asyncio.timeout(30):
        while _open_files() != before:  # noqa: ASYNC110 - a thread may still be on its way out, and tells nobody
            await asyncio.sleep(0)
