"""Processes that use one store at the same time get along: every turn is stored, and none of them sees an error."""

import asyncio
from pathlib import Path

import pytest

from sojourn.engine.session import Session
from sojourn.store import open_store
from tests.faults.ledger import Begun, Done, Ledger, nonce_of, read_all, verify
from tests.faults.processes import Child, children
from tests.faults.writers import open_at_once, write_turns


def gather(started: list[Child], ledger: Ledger) -> list[int]:
    """Let all children go at the same moment, and return what they said besides their notes once they ended well."""
    said = []
    for child in started:
        assert child.receive() == "ready"
    for child in started:
        child.send("go")
    for child in started:
        for note in child.rest():
            if isinstance(note, Begun | Done):
                ledger.take(note)
            else:
                said.append(note)
        assert child.join() == 0
    return said


async def write_together(location: str, *, processes: int, turns: int) -> None:
    ledger = Ledger()
    async with open_store(location) as store:
        await Session.create(store, "shared")

    with children(processes, write_turns, location, "shared", turns) as started:
        heads = await asyncio.to_thread(gather, started, ledger)

    async with open_store(location) as store:
        await verify(store, ledger)
        journal = await read_all(store, "shared")
    assert len(ledger.done) == processes * turns
    assert max(heads) == len(journal) == 1 + 3 * processes * turns
    for number in range(processes):
        order = [nonce[0] for entry in journal if (nonce := nonce_of(entry)) is not None and nonce[1] == "usage"]
        assert [nonce for nonce in order if nonce.startswith(f"{number}-")] == [f"{number}-{n}" for n in range(turns)]


@pytest.mark.anyio
async def test_four_processes_write_to_one_session_on_sqlite(tmp_path: Path) -> None:
    await write_together(str(tmp_path / "sojourn.db"), processes=4, turns=300)


@pytest.mark.anyio
@pytest.mark.parametrize("repetition", range(10))
async def test_eight_processes_create_the_same_sqlite_file_at_once(tmp_path: Path, repetition: int) -> None:
    location, ledger = str(tmp_path / "new" / "sojourn.db"), Ledger()

    with children(8, open_at_once, location) as started:
        await asyncio.to_thread(gather, started, ledger)

    async with open_store(location) as store:
        await verify(store, ledger)
    assert len(ledger.done) == 8
    assert sorted(path.name for path in Path(location).parent.iterdir()) == ["sojourn.db"]
