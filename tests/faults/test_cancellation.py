"""A cancelled append is stored whole or not at all, and nothing that it held stays held."""

import asyncio
import random
import threading

import pytest

from sojourn.engine.session import Session
from sojourn.store import open_store
from tests.faults.ledger import Begun, Done, Ledger, turn, verify
from tests.faults.places import EVERYWHERE, on

CANCELS = 100


async def loop_turns(count: int) -> None:
    """Let the event loop go round *count* times."""
    for _ in range(count):
        await asyncio.sleep(0)


async def append(session: Session, ledger: Ledger, nonce: str) -> None:
    ledger.take(Begun(session.id, nonce))
    receipt = await session.append(*turn(nonce))
    ledger.take(Done(session.id, nonce, receipt.first, receipt.last))


async def cancel_at_many_points(location: str, rng: random.Random) -> None:
    ledger, cancelled = Ledger(), 0
    async with open_store(location) as first, open_store(location) as second:
        mine, others = await Session.create(first, "mine"), await Session.create(second, "others")
        for count in range(CANCELS):
            tasks = [asyncio.create_task(append(mine, ledger, f"{count}-{number}")) for number in range(3)]
            await loop_turns(rng.choice((rng.randrange(5), rng.randrange(50), rng.randrange(500))))
            for task in rng.sample(tasks, rng.randint(1, 3)):
                cancelled += task.cancel()
            await asyncio.wait(tasks)
            assert all(task.cancelled() or task.exception() is None for task in tasks)

            await append(others, ledger, f"others-{count}")  # nothing is locked
        await append(mine, ledger, "last")
        await verify(second, ledger)
    assert cancelled > CANCELS // 4
    assert len(ledger.done) > CANCELS


@pytest.mark.anyio
@EVERYWHERE
async def test_an_append_that_is_cancelled_at_any_point_leaves_all_in_order(location: str, rng: random.Random) -> None:
    await cancel_at_many_points(location, rng)


@pytest.mark.anyio
@on("sqlite", "files")
async def test_cancelling_the_opening_of_a_store_leaves_nothing_running(location: str, rng: random.Random) -> None:
    before = set(threading.enumerate())
    for _ in range(20):
        store = open_store(location)
        task = asyncio.create_task(store.__aenter__())
        await loop_turns(rng.randrange(200))
        if not task.cancel():
            await store.close()
        await asyncio.wait([task])

    async with open_store(location) as store:
        await (await Session.create(store, "after")).append(*turn("1"))
    left = {thread.name for thread in set(threading.enumerate()) - before if thread.name.startswith("sojourn")}
    assert left == set()


@pytest.mark.anyio
@on("sqlite", "files")
async def test_cancelling_the_closing_of_a_store_closes_it(location: str, rng: random.Random) -> None:
    before = set(threading.enumerate())
    for count in range(20):
        store = open_store(location)
        await store.__aenter__()
        session = await Session.create(store, f"s{count}")
        appending = asyncio.create_task(session.append(*turn("1")))
        closing = asyncio.create_task(store.close())
        await loop_turns(rng.randrange(100))
        closing.cancel()
        await asyncio.wait([appending, closing])
        await store.close()

    left = {thread.name for thread in set(threading.enumerate()) - before if thread.name.startswith("sojourn")}
    assert left == set()
