"""A process that is killed while it learns and indexes leaves an index that catches up, and finds everything."""

import asyncio
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

import sojourn
from sojourn.engine.settings import Settings
from tests.faults.processes import Child

ROUNDS = 6
RULES = Settings(keep_profile="yes", learning="rules", embeddings="off")


def talk_until_killed(pipe: Connection, path: str, first: int) -> None:
    """Add numbered messages, while learning and indexing follow, and acknowledge each."""

    async def talk() -> None:
        async with sojourn.open(path, settings=RULES) as app:
            session = await app.sessions.get_or_create("s")
            for number in range(first, first + 10_000):
                await session.messages.user(f"The parcel n{number}n weighs {number} grams, what now?")
                pipe.send(number)

    asyncio.run(talk())


def kill_after(path: Path, first: int, acknowledged: int) -> int:
    """Let a process talk, kill it after so many messages, and return the last that it acknowledged."""
    child = Child(talk_until_killed, str(path), first)
    last = first
    for _ in range(acknowledged):
        last = child.receive()
    child.kill()
    for number in child.rest():
        last = number
    assert child.join() == -9
    return last


@pytest.mark.anyio
@pytest.mark.timeout(180)
async def test_what_a_killed_process_was_indexing_is_found_afterwards(tmp_path: Path) -> None:
    path, spoken = tmp_path / "s.db", 0
    for round_ in range(ROUNDS):
        spoken = await asyncio.to_thread(kill_after, path, spoken + 1, 5 + 17 * round_)
        async with sojourn.open(path, settings=RULES) as app:
            for number in (spoken, 1 + spoken // 2):
                hits = await app.memory.search(f"n{number}n", kinds=["message"], limit=1)
                assert f"n{number}n" in hits[0].document.text  # before the index has caught up, too
            session = await app.sessions.open("s")
            await app.background.drain()
            index = await app.memory.index()
            marks = await index.watermarks([session.id])
            said = [entry.seq for entry in await session.store.last_messages("s", 10_000)]
            assert marks[session.id].seq == session.head
            assert await index.next_place(session.id) == len(said)
            # Each question was counted once, whenever the process died.
            assert session.state.interaction_context.question_count == len(said)
