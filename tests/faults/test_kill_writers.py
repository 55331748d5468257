"""A writing process that is killed at any instant loses nothing that was acknowledged, and leaves nothing half done."""

import asyncio
import random
from pathlib import Path

import pytest

from sojourn.store import open_store
from tests.faults.ledger import Done, Ledger, verify
from tests.faults.processes import Child
from tests.faults.writers import write_until_killed

ROUNDS_PER_STORE = 10


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


async def kill_and_verify(location: str, rng: random.Random, *, rounds: int) -> None:
    ledger = Ledger()
    watching = None
    for _ in range(rounds):
        if rng.random() < 0.5:  # another process has the store open all the while
            watching = open_store(location)
            await watching.__aenter__()
        await asyncio.to_thread(kill_once, location, ledger, rng)
        if watching is not None:
            await verify(watching, ledger)
            await watching.close()
            watching = None
        async with open_store(location) as store:
            await verify(store, ledger)
    assert ledger.done


@pytest.mark.anyio
@pytest.mark.batches(share=1.0, rounds=ROUNDS_PER_STORE)
async def test_sqlite_keeps_what_it_acknowledged_when_its_writer_is_killed(
    tmp_path: Path, rng: random.Random, batch: int
) -> None:
    await kill_and_verify(str(tmp_path / "sojourn.db"), rng, rounds=ROUNDS_PER_STORE)
