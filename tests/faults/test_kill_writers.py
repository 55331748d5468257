"""A writing process that is killed at any instant loses nothing that was acknowledged, and leaves nothing half done."""

import asyncio
import random

import psycopg
import pytest

from sojourn.store import open_store
from tests.faults.ledger import Done, Ledger, verify
from tests.faults.places import on
from tests.faults.processes import Child
from tests.faults.writers import write_until_killed

ROUNDS_PER_STORE = 10
VICTIM = "sojourn-victim"


def kill_once(location: str, ledger: Ledger, rng: random.Random) -> None:
    """Let a process write, and kill it after some acknowledgements and a moment more."""
    child = Child(write_until_killed, location, rng.getrandbits(32), ledger.in_doubt())
    assert child.receive() == "about to open"
    wanted = rng.choice((0, rng.randrange(6), rng.randrange(60)))
    moment = rng.random() * rng.choice((0.0002, 0.002, 0.02))
    while wanted > 0:
        note = child.receive()
        ledger.take(note)
        wanted -= isinstance(note, Done)
    for note in child.listen(moment):
        ledger.take(note)
    child.kill()
    for note in child.rest():
        ledger.take(note)
    assert child.join() == -9


async def kill_and_verify(location: str, rng: random.Random) -> None:
    ledger = Ledger()
    for _ in range(ROUNDS_PER_STORE):
        if rng.random() < 0.5:  # another process has the store open all the while
            async with open_store(location) as watching:
                await asyncio.to_thread(kill_once, location, ledger, rng)
                await verify(watching, ledger)
        else:
            await asyncio.to_thread(kill_once, location, ledger, rng)
        async with open_store(location) as store:
            await verify(store, ledger)
    assert ledger.done


@pytest.mark.anyio
@pytest.mark.batches(share=0.8, rounds=ROUNDS_PER_STORE)
@on("sqlite")
async def test_sqlite_keeps_what_it_acknowledged_when_its_writer_is_killed(
    location: str, rng: random.Random, batch: int
) -> None:
    await kill_and_verify(location, rng)


@pytest.mark.anyio
@pytest.mark.batches(share=0.15, rounds=ROUNDS_PER_STORE)
@on("files")
async def test_files_keep_what_was_acknowledged_when_their_writer_is_killed(
    location: str, rng: random.Random, batch: int
) -> None:
    await kill_and_verify(location, rng)


def await_end_of_victim(location: str) -> None:
    """Wait until the server has noticed that its client is gone: what it was doing may yet be stored."""
    ended = "SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = %s"
    with psycopg.connect(location, autocommit=True) as connection:
        while connection.execute(ended, (VICTIM,)).fetchone() != (True,):
            pass


@pytest.mark.anyio
@pytest.mark.batches(share=0.05, rounds=ROUNDS_PER_STORE)
@on("postgres")
async def test_postgres_keeps_what_it_acknowledged_when_its_client_is_killed(
    location: str, rng: random.Random, batch: int
) -> None:
    ledger = Ledger()
    async with open_store(location) as store:
        for _ in range(ROUNDS_PER_STORE):
            await asyncio.to_thread(kill_once, f"{location}&application_name={VICTIM}", ledger, rng)
            await asyncio.to_thread(await_end_of_victim, location)
            await verify(store, ledger)
    assert ledger.done
