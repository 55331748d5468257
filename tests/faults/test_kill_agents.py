"""An agent whose process is killed at any instant leaves a session that goes on: every model accepts what it is sent.

Nothing that was told is lost; no call is said to have run that did not, nor the other way round; and each has one
result. The models are behind HTTP, asked through the real SDKs, and as strict as the real ones.
"""

import asyncio
import queue
import random
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from sojourn.testing.wire import Held
from tests.faults.agents import Orders, go_on, talk_until_killed
from tests.faults.model_on_wire import DIALECTS, Model, model_on_wire
from tests.faults.places import on
from tests.faults.processes import Child

ROUNDS_PER_SESSION = 10
PATIENCE = 60.0


class Killing:
    """A process that talks, and is killed. Lives for one round."""

    def __init__(self, orders: Orders, model: Model, rng: random.Random) -> None:
        self._orders = orders
        self._model = model
        self._rng = rng
        self._news: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._held: list[Held] = []
        self._points = rng.choice((0, rng.randrange(10), rng.randrange(80)))

    def run(self) -> None:
        """Start it, kill it somewhere, and wait for its end."""
        self._model.on_stall = self._news.put
        child = Child(talk_until_killed, self._orders)
        listening = threading.Thread(target=self._listen, args=(child,))
        listening.start()
        self._kill(child)
        listening.join()
        self._model.on_stall = None
        for held in self._held:
            held.release()
        assert child.join() == -9

    def _listen(self, child: Child) -> None:
        try:
            for message in child.rest():
                self._news.put(message)
        except AssertionError as failure:
            self._news.put(failure)
        self._news.put(None)

    def _kill(self, child: Child) -> None:
        """Hear what the child does, and kill it some moment after it stands still, or has done enough."""
        moment = self._rng.random() * self._rng.choice((0.001, 0.01, 0.05))
        deadline, is_last = time.monotonic() + PATIENCE, False
        while True:
            try:
                message = self._news.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                assert is_last, f"it stands still: {self._orders}"
                child.kill()
                deadline = time.monotonic() + PATIENCE
                continue
            if message is None:
                return
            if isinstance(message, AssertionError):
                raise message
            if self._is_last(message) and not is_last:
                deadline, is_last = time.monotonic() + moment, True

    def _is_last(self, message: Any) -> bool:
        """Tell whether the child is to be killed soon after this."""
        if isinstance(message, Held):
            self._held.append(message)
            if self._rng.random() < 0.3:
                message.release()
                return False
            return True
        self._points -= 1
        return message == "stands" or (self._orders.point == "outside" and self._points < 0)


async def kill_and_go_on(location: str, folder: Path, rng: random.Random) -> None:
    truth = folder / "truth.jsonl"
    with model_on_wire() as model:

        def orders(**details: Any) -> Orders:
            return Orders(
                location=location,
                address=model.address,
                truth=str(truth),
                seed=rng.getrandbits(32),
                dialect=rng.choice(DIALECTS),
                when_nobody=rng.choice(("wait", "leave")),
                context_tokens=rng.choice((None, None, 6_000)),
                **details,
            )

        interrupted = 0
        for _ in range(ROUNDS_PER_SESSION):
            point = rng.choice(("event", "event", "start", "end", "outside", "outside"))
            number = rng.randrange(rng.choice((2, 12, 60))) if point == "event" else rng.randrange(5)
            victim = orders(point=point, number=number, resumes=rng.random() < 0.3)
            await asyncio.to_thread(Killing(victim, model, rng).run)
            history = await go_on(orders(resumes=rng.random() < 0.3), model, rng)
            assert model.refusals == []
            interrupted = list(history.turns.values()).count("interrupted")
        assert interrupted > ROUNDS_PER_SESSION // 4


@pytest.mark.anyio
@pytest.mark.timeout(180)
@pytest.mark.batches(share=0.1, rounds=ROUNDS_PER_SESSION)
@on("sqlite")
async def test_a_killed_agent_leaves_a_session_on_sqlite_that_goes_on(
    location: str, tmp_path: Path, rng: random.Random, batch: int
) -> None:
    await kill_and_go_on(location, tmp_path, rng)


@pytest.mark.anyio
@pytest.mark.timeout(180)
@pytest.mark.batches(share=0.05, rounds=ROUNDS_PER_SESSION)
@on("files", "postgres")
async def test_a_killed_agent_leaves_a_session_elsewhere_that_goes_on(
    location: str, tmp_path: Path, rng: random.Random, batch: int
) -> None:
    await kill_and_go_on(location, tmp_path, rng)
