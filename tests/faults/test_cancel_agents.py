"""A turn that is cancelled at any instant, in whichever way, leaves a session that goes on at once.

It is held to the same as a killed one (`test_kill_agents`): by its token, from its own thread or another, by leaving
the iteration, or by cancelling the task that listens.
"""

import asyncio
import random
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Final, Literal

import anyio
import pytest

import sojourn
from sojourn import Session, Sojourn
from sojourn.agent import events as told
from sojourn.agent.agent import Agent
from sojourn.agent.cancellation import CancellationToken
from sojourn.agent.journal_talk import GO_ON
from sojourn.engine.compacting import ContextCompactor
from sojourn.errors import InvalidInputError
from sojourn.providers.scripted import ScriptedProvider
from sojourn.testing.wire import Held
from tests.agent.agent_kit import calling, registry
from tests.faults.agents import ANSWERS, QUIET, Orders, Workshop, answer, go_on, nowhere, open_agent, wish
from tests.faults.model_on_wire import DIALECTS, KINDS, Model, model_on_wire
from tests.faults.places import on
from tests.faults.test_cancellation import loop_turns
from tests.faults.truth import Truth

_IGNORED = "ignore:Exception ignored in. <{}:pytest.PytestUnraisableExceptionWarning"
pytestmark = [
    # The SDKs leave a stream that is not read to its end to the garbage collector, which may come at a bad moment.
    pytest.mark.filterwarnings(_IGNORED.format("async_generator object Response.aiter_")),
    # psycopg leaves its pipeline in the same way when it is cancelled within; such a connection is not used again.
    pytest.mark.filterwarnings(_IGNORED.format("generator object BasePipeline._exit_gen")),
]
ROUNDS_PER_SESSION = 10
Way = Literal["token", "thread", "task", "leaving"]
WAYS: Final[tuple[Way, ...]] = ("token", "thread", "task", "leaving")


class Cancelling:
    """A turn that is cancelled. Lives for one round; cancels once, when it *reaches* its point or stands still."""

    def __init__(self, truth: Truth, rng: random.Random) -> None:
        self._truth = truth
        self._rng = rng
        self._way: Way = rng.choice(WAYS)
        self._point = rng.choice(("event", "event", "start", "end", "steps"))
        self._left = rng.randrange(rng.choice((2, 10, 60))) if self._point == "event" else rng.randrange(4)
        self._token = CancellationToken()
        self._leaves = False
        self._listening: asyncio.Task[None] | None = None
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._held: list[Held] = []

    def __repr__(self) -> str:
        return f"Cancelling({self._way!r}, at {self._point} {self._left})"

    def reach(self, point: str) -> None:
        """Hear that the turn passed *point*, on whichever thread."""
        if threading.get_ident() != self._thread:
            self._loop.call_soon_threadsafe(self.reach, point)
            return
        self._left -= point == self._point
        if point == "stands":
            self.cancel(stands=True)
        elif point == self._point and self._left < 0:
            self.cancel(stands=point != "event")

    def stall(self, held: Held) -> None:
        """Hear that the model stands still, on a thread of the server; or let it go on."""
        self._held.append(held)
        if self._rng.random() < 0.2:
            held.release()
        else:
            moment = self._rng.random() * 0.03
            self._loop.call_soon_threadsafe(self._loop.call_later, moment, partial(self.cancel, stands=True))

    def cancel(self, *, stands: bool) -> None:
        """Stop the turn; who waits for the next event, because it *stands*, cannot leave by himself."""
        match self._way:
            case "token":
                self._token.cancel()
            case "thread":
                threading.Thread(target=self._token.cancel).start()
            case "leaving" if not stands:
                self._leaves = True
            case _:
                assert self._listening is not None
                self._listening.cancel()

    async def run(self, session: Session, agent: Agent, model: Model) -> None:
        """Take turns until one is stopped, and wait for its end."""
        model.on_stall = self.stall
        try:
            with anyio.fail_after(50):
                self._listening = asyncio.create_task(self._listen(session, agent))
                if self._point == "steps":
                    await loop_turns(self._rng.choice((self._rng.randrange(10), self._rng.randrange(300))))
                    self.cancel(stands=True)
                await asyncio.wait([self._listening])
                self._truth.stop()
        finally:
            model.on_stall = None
            for held in self._held:
                held.release()
        assert self._listening.cancelled() or self._listening.exception() is None, self._listening.exception()
        assert not agent.is_busy

    async def _listen(self, session: Session, agent: Agent) -> None:
        while True:
            text = wish(self._rng.choice(KINDS))
            self._truth.begin(text)
            events = agent.run_turn(text, cancel_token=self._token)
            if await self._hear(events, session):
                return

    async def _hear(self, events: AsyncGenerator[told.TurnEvent, None], session: Session) -> bool:
        """Hear a turn, and tell whether it was stopped."""
        async with anyio.create_task_group() as humans, aclosing(events):
            async for event in events:
                self._truth.hear(event)
                self.reach("event")
                match event:
                    case told.ApprovalRequested(interrupt=interrupt) if self._rng.random() < 0.7:
                        humans.start_soon(answer, session, self._truth, interrupt, self._rng.choice(ANSWERS))
                    case told.ApprovalRequested() | told.SessionWaiting():
                        self.reach("stands")
                    case told.SessionCancelled():
                        return True
                if self._leaves:
                    return True
        return False


async def cancel_and_go_on(location: str, folder: Path, rng: random.Random) -> None:
    truth = folder / "truth.jsonl"
    stopped = 0
    with model_on_wire() as model:
        for _ in range(ROUNDS_PER_SESSION // 5):
            orders = Orders(
                location=location,
                address=model.address,
                truth=str(truth),
                seed=0,
                dialect=rng.choice(DIALECTS),
                when_nobody=rng.choice(("wait", "leave")),
                context_tokens=rng.choice((None, 6_000)),
            )
            async with sojourn.open(location, settings=QUIET) as app:
                for _ in range(5):
                    stopped += await _cancel_and_go_on(app, orders, model, rng)
    assert stopped > ROUNDS_PER_SESSION // 4


async def _cancel_and_go_on(app: Sojourn, orders: Orders, model: Model, rng: random.Random) -> int:
    """Cancel a turn, go on in the same session, and return how many turns were stopped so far."""
    truth = Truth(Path(orders.truth))
    cancelling = Cancelling(truth, rng)
    async with open_agent(orders, Workshop(truth, cancelling.reach), app=app) as (session, agent):
        await cancelling.run(session, agent, model)
    same = orders._replace(resumes=rng.random() < 0.3)
    async with open_agent(same, Workshop(truth, nowhere, is_patient=False), app=app) as opened:
        history = await go_on(same, model, rng, opened=opened)
    assert model.refusals == []
    assert "interrupted" not in history.turns.values()
    return list(history.turns.values()).count("cancelled")


@pytest.mark.anyio
@pytest.mark.timeout(180)
@pytest.mark.batches(share=0.1, rounds=ROUNDS_PER_SESSION)
@on("sqlite")
async def test_a_cancelled_agent_leaves_a_session_on_sqlite_that_goes_on(
    location: str, tmp_path: Path, rng: random.Random, batch: int
) -> None:
    await cancel_and_go_on(location, tmp_path, rng)


@pytest.mark.anyio
@pytest.mark.timeout(180)
@pytest.mark.batches(share=0.05, rounds=ROUNDS_PER_SESSION)
@on("files", "postgres")
async def test_a_cancelled_agent_leaves_a_session_elsewhere_that_goes_on(
    location: str, tmp_path: Path, rng: random.Random, batch: int
) -> None:
    await cancel_and_go_on(location, tmp_path, rng)


async def take(session: Session) -> None:
    async with session.turn():
        pass


async def compact(session: Session) -> None:
    await ContextCompactor(session).compact(force=True)


@pytest.mark.anyio
@pytest.mark.parametrize("work", [take, compact])
@on("sqlite", "files")
async def test_what_is_cancelled_while_it_takes_the_turn_leaves_the_session_free(
    location: str, work: Callable[[Session], Awaitable[None]]
) -> None:
    async with sojourn.open(location, settings=QUIET) as app:
        session = await app.sessions.create()
        cancelled = 0
        for steps in range(60):
            working = asyncio.ensure_future(work(session))
            await loop_turns(steps)
            cancelled += working.cancel()
            await asyncio.wait([working])
            await take(session)  # which would be refused if the lease were still held
    assert cancelled > 0


@pytest.mark.anyio
async def test_an_answer_that_broke_off_is_gone_on_with_by_asking_for_the_rest() -> None:
    provider, token = ScriptedProvider(["It was a dark and stormy night.", "The rain fell."]), CancellationToken()
    async with sojourn.open("memory:", settings=QUIET) as app:
        session = await app.sessions.create()
        agent = Agent(provider, session=session)
        async for event in agent.run_turn("Tell me a story", cancel_token=token):
            if isinstance(event, told.ContentChunk):
                token.cancel()
        events = [event async for event in agent.resume()]

        assert events[-1] == told.SessionCompleted()
        assert [(one.role, one.text) for one in provider.requests[-1].messages] == [
            ("user", "Tell me a story"),
            ("assistant", "It was a dar"),
            ("user", GO_ON),
        ]
        assert session.state.conversation.user_messages == 1


@pytest.mark.anyio
async def test_there_is_nothing_to_resume_where_all_is_answered() -> None:
    async with sojourn.open("memory:", settings=QUIET) as app:
        session = await app.sessions.create()
        agent = Agent(ScriptedProvider(otherwise="Hello."), session=session)
        with pytest.raises(InvalidInputError, match="nothing to resume"):
            await anext(agent.resume())
        await agent.ask("Hello?")
        head = session.head
        with pytest.raises(InvalidInputError, match="nothing to resume"):
            await anext(agent.resume())

        assert session.head == head


@pytest.mark.anyio
async def test_whoever_is_cancelled_twice_still_waits_for_the_end_of_his_turn() -> None:
    runs, let_go = anyio.Event(), anyio.Event()

    async def stubborn() -> None:
        """Take a while to be cancelled."""
        runs.set()
        try:
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                await let_go.wait()

    provider = ScriptedProvider([calling(("stubborn", {}))])
    async with sojourn.open("memory:", settings=QUIET) as app:
        session = await app.sessions.create()
        agent = Agent(provider, session=session, skills=registry(stubborn=stubborn))
        listening = asyncio.create_task(agent.ask("go"))
        await runs.wait()
        for _ in range(3):
            listening.cancel()
            await loop_turns(5)
        assert not listening.done()
        let_go.set()
        await asyncio.wait([listening])

        assert listening.cancelled()
        assert not agent.is_busy
