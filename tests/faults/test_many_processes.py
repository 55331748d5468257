"""Processes that use one store at the same time get along: every turn is stored, and none of them sees an error."""

import asyncio

import pytest

from sojourn.engine.session import Session
from sojourn.store import open_store
from tests.faults.ledger import Begun, Done, Ledger, nonce_of, read_all, verify
from tests.faults.places import on
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
    order = [nonce[0] for entry in journal if (nonce := nonce_of(entry)) is not None and nonce[1] == "usage"]
    for number in range(processes):
        assert [nonce for nonce in order if nonce.startswith(f"{number}-")] == [f"{number}-{n}" for n in range(turns)]


async def create_together(location: str) -> None:
    ledger = Ledger()

    with children(8, open_at_once, location) as started:
        await asyncio.to_thread(gather, started, ledger)

    async with open_store(location) as store:
        await verify(store, ledger)
    assert len(ledger.done) == 8


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("location", "turns"), [("sqlite", 300), ("files", 100), ("postgres", 100)], indirect=["location"]
)
async def test_four_processes_write_to_one_session(location: str, turns: int) -> None:
    await write_together(location, processes=4, turns=turns)


@pytest.mark.anyio
@pytest.mark.parametrize("repetition", range(10))
@on("sqlite")
async def test_eight_processes_create_the_same_file_at_once(location: str, repetition: int) -> None:
    await create_together(location)


@pytest.mark.anyio
@on("files", "postgres")
async def test_eight_processes_create_the_same_store_at_once(location: str) -> None:
    await create_together(location)
