"""What the agents of the fault tests do: they talk, with tools, until they are killed or cancelled.

A child is told when to die, and dies by its own hand there, which is exact; or it says what it does, and is killed from
outside, which is not.
"""

import asyncio
import os
import random
import secrets
import signal
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import anyio
import anyio.lowlevel

import sojourn
from sojourn import Session, Sojourn
from sojourn.agent import events as told
from sojourn.agent.agent import Agent
from sojourn.agent.permissions.approvals import answer_question
from sojourn.agent.permissions.gate import PermissionGate, WhenNobody
from sojourn.agent.permissions.presets import asking_only_about
from sojourn.agent.permissions.verdicts import Approval
from sojourn.agent.settings import AgentSettings
from sojourn.agent.skills.registry import SkillRegistry
from sojourn.engine.settings import Settings
from sojourn.errors import InvalidInputError, NotPendingError
from sojourn.model.interrupts import Interrupt
from tests.faults.model_on_wire import KINDS, LONG, Dialect, Model, provider_for
from tests.faults.truth import History, Truth, verify

SESSION: Final = "talk"
QUIET: Final = Settings(embeddings="off", learning="off", keep_profile="no")
ANSWERS: Final = (Approval.ONCE, Approval.ONCE, Approval.NO, Approval.APPROVE_ALL)
Opened = tuple[Session, Agent]
Point = Literal["event", "start", "end", "outside"]
"""Where a child dies: at an event of a turn, when a skill starts or ends, or wherever it is killed from outside."""


class Orders(NamedTuple):
    """What an agent is to do, and where it is to die: at the point *number*."""

    location: str
    address: str
    truth: str
    seed: int
    dialect: Dialect
    when_nobody: WhenNobody = "wait"
    context_tokens: int | None = None
    resumes: bool = False
    point: Point = "outside"
    number: int = 0


class Workshop:
    """The skills of an agent, which write down when they start and end. *reach* hears of each point that is passed."""

    def __init__(self, truth: Truth, reach: Callable[[str], None], *, is_patient: bool = True) -> None:
        """Let `endless` wait for ever, unless it is not *is_patient*."""
        self._truth = truth
        self._reach = reach
        self._is_patient = is_patient

    def skills(self) -> SkillRegistry:
        made = SkillRegistry()
        for skill in (self.work, self.plain_work, self.long_work, self.broken, self.guarded, self.endless):
            made.register(skill)
        return made

    async def work(self, nonce: str) -> str:
        """Do something."""
        self._start(nonce)
        await anyio.lowlevel.checkpoint()
        return self._end(nonce)

    def plain_work(self, nonce: str) -> str:
        """Do something on a thread."""
        self._truth.note("start", nonce=nonce)
        return self._end(nonce)

    async def long_work(self, nonce: str) -> str:
        """Do something that has a long result."""
        self._start(nonce)
        return self._end(nonce) + "x" * LONG

    async def guarded(self, nonce: str) -> str:
        """Do something that a human must allow."""
        self._start(nonce)
        return self._end(nonce)

    async def broken(self, nonce: str) -> str:
        """Fail."""
        self._start(nonce)
        raise RuntimeError(self._end(nonce))

    async def endless(self, nonce: str) -> str:
        """Go on for ever."""
        self._start(nonce)
        if self._is_patient:
            self._reach("stands")
            await anyio.sleep_forever()
        return self._end(nonce)

    def _start(self, nonce: str) -> None:
        self._truth.note("start", nonce=nonce)
        self._reach("start")

    def _end(self, nonce: str) -> str:
        self._truth.note("end", nonce=nonce)
        self._reach("end")
        return f"did {nonce}"


@asynccontextmanager
async def open_agent(orders: Orders, workshop: Workshop, *, app: Sojourn | None = None) -> AsyncIterator[Opened]:
    """Open the session, in *app* or in one of its own, and give an agent that talks in it."""
    if app is None:
        async with (
            sojourn.open(orders.location, settings=QUIET) as own,
            open_agent(orders, workshop, app=own) as opened,
        ):
            yield opened
        return
    session = await app.sessions.get_or_create(SESSION)
    provider = provider_for(orders.dialect, orders.address)
    try:
        yield (
            session,
            Agent(
                provider,
                session=session,
                skills=workshop.skills(),
                instructions="Be kind.",
                app=app,
                gate=PermissionGate(session, asking_only_about(("guarded",)), when_nobody=orders.when_nobody),
                settings=AgentSettings(thinking=1024, context_tokens=orders.context_tokens, partial_characters=400),
            ),
        )
    finally:
        await provider.close()


def wish(kind: str) -> str:
    """Return what a user says who wants a turn of this *kind*."""
    return f"[{kind} {secrets.token_hex(6)}] Please do what you think is right."


async def answer(session: Session, truth: Truth, interrupt: Interrupt, approval: Approval) -> None:
    """Say whether a call may run, unless somebody was first."""
    try:
        await answer_question(session, interrupt.interrupt_id, approval)
    except NotPendingError:
        return
    truth.note("decided", interrupt_id=interrupt.interrupt_id)


async def resumed(agent: Agent) -> AsyncGenerator[told.TurnEvent, None]:
    """Go on with what waits, if anything does."""
    try:
        async for event in agent.resume(when_busy="refuse"):
            yield event
    except InvalidInputError as error:
        if "nothing to resume" not in error.detail:
            raise


def talk_until_killed(pipe: Connection, orders: Orders) -> None:
    """Open the session, go on with what was left if told to, and take one turn after the other for ever."""
    points, lock = 0, threading.Lock()

    def reach(point: str) -> None:
        nonlocal points
        with lock:  # some skills run on threads
            points += point == orders.point
            if point == orders.point and points > orders.number:
                os.kill(os.getpid(), signal.SIGKILL)
            pipe.send(point)

    async def main() -> None:
        rng, truth = random.Random(orders.seed), Truth(Path(orders.truth))
        async with open_agent(orders, Workshop(truth, reach)) as (session, agent):
            if orders.resumes:
                await _listen(resumed(agent), session, truth, reach, rng)
            while True:
                text = wish(rng.choice(KINDS))
                truth.begin(text)
                waits = await _listen(agent.run_turn(text), session, truth, reach, rng)
                while waits:
                    waits = await _listen(resumed(agent), session, truth, reach, rng)

    pipe.send("opens")
    asyncio.run(main())


async def _listen(
    events: AsyncIterator[told.TurnEvent],
    session: Session,
    truth: Truth,
    reach: Callable[[str], Any],
    rng: random.Random,
    *,
    always: bool = False,
) -> bool:
    """Hear a turn to its end, and tell whether it was put aside to be resumed.

    What it asks is *always* answered, or now and then not.
    """
    waits = False
    async with anyio.create_task_group() as humans:
        async for event in events:
            truth.hear(event)
            reach("event")
            match event:
                case told.ApprovalRequested(interrupt=interrupt):
                    if always or rng.random() < 0.7:
                        humans.start_soon(answer, session, truth, interrupt, rng.choice(ANSWERS))
                    else:
                        reach("stands")
                case told.SessionWaiting(interrupt=interrupt):
                    waits = True
                    await answer(session, truth, interrupt, rng.choice(ANSWERS))
    return waits


async def go_on(orders: Orders, model: Model, rng: random.Random, *, opened: Opened | None = None) -> History:
    """Say one more thing in the session, which must be answered, and hold all that it says against the truth.

    It is opened anew, unless it is still *opened*. With `resumes` what was left is gone on with before.
    """
    truth = Truth(Path(orders.truth))
    if opened is None:
        async with open_agent(orders, Workshop(truth, nowhere, is_patient=False)) as opened_anew:
            return await go_on(orders, model, rng, opened=opened_anew)
    session, agent = opened
    if orders.resumes:
        await _listen(resumed(agent), session, truth, nowhere, rng, always=True)
    text = wish("plain")
    truth.begin(text)
    last = None
    async for event in agent.run_turn(text, when_busy="refuse"):
        truth.hear(event)
        last = event
    assert last == told.SessionCompleted(), last
    return await verify(session.store, SESSION, truth, seen=model.seen)


def nowhere(point: str) -> None:
    """Pass a point, and do nothing."""
