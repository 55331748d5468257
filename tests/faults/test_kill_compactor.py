"""A process that is killed while it compacts leaves a session that is compacted or is not, with every message."""

import asyncio
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

import sojourn
from sojourn.engine.compacting import ContextCompactor
from sojourn.engine.settings import Settings
from tests.faults.processes import Child

QUIET = Settings(embeddings="off", learning="off")
MESSAGES = 400
ROUNDS = 8


def compact_until_killed(pipe: Connection, path: str) -> None:
    """Compact and take it back, again and again."""

    async def compact() -> None:
        async with sojourn.open(path, settings=QUIET) as app:
            session = await app.sessions.open("s")
            compactor = ContextCompactor(session)
            pipe.send("ready")
            while True:
                if not session.state.working_set.summary:
                    await compactor.compact(force=True)
                else:
                    await compactor.undo()

    asyncio.run(compact())


def kill_after(path: Path, seconds: float) -> None:
    child = Child(compact_until_killed, str(path))
    assert child.receive() == "ready"
    assert list(child.listen(seconds)) == []
    child.kill()
    assert list(child.rest()) == []
    assert child.join() == -9


@pytest.mark.anyio
@pytest.mark.timeout(180)
async def test_a_compaction_that_is_killed_happened_or_did_not(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    async with sojourn.open(path, settings=QUIET) as app:
        said = [
            {"role": ("user", "assistant")[n % 2], "content": f"Boat {n} left the harbour."} for n in range(MESSAGES)
        ]
        session = await app.ingest(said, session_id="s")
        await session.working_set.pin("Never sail at night")
    for round_ in range(ROUNDS):
        await asyncio.to_thread(kill_after, path, 0.013 * round_)
        async with sojourn.open(path, settings=QUIET) as app:
            session = await app.sessions.open("s")
            state = session.state
            texts = [entry.event.message.text for entry in await app.store.last_messages("s", 1_000)]  # type: ignore[union-attr]
            assert texts == [one["content"] for one in said]
            assert (state.conversation.window_start > 0) == bool(state.working_set.summary)
            assert state.working_set.pinned_facts == ("Never sail at night",)
            context = await session.context("What left the harbour?", budget=2_000, retrieve=False)
            assert context.payload("anthropic")["messages"]
