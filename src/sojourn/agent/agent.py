"""The agent: what a program talks to. It holds a model, skills and a conversation, and works on one turn at a time."""

import asyncio
import contextlib
import math
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import aclosing, asynccontextmanager
from typing import Final, Protocol

import anyio
from anyio.streams.memory import MemoryObjectSendStream

from sojourn.agent.batch import Batch, ToolMemory
from sojourn.agent.callbacks import Callbacks
from sojourn.agent.cancellation import CancellationToken
from sojourn.agent.events import (
    ContentChunk,
    ContextCompacted,
    SessionCancelled,
    SessionCompleted,
    SessionWaiting,
    TurnEvent,
)
from sojourn.agent.gate import Announce, Gate, Waiting
from sojourn.agent.journal_talk import JournalTalk
from sojourn.agent.loop import Answered, TurnLoop
from sojourn.agent.managed_talk import ManagedTalk
from sojourn.agent.settings import AgentSettings, WhenBusy
from sojourn.agent.skills.skill import Skill
from sojourn.agent.talk import LastingTalk, Talk
from sojourn.clock import SystemClock
from sojourn.context.budget import Limits
from sojourn.context.builder import LARGEST, RESERVE
from sojourn.context.context import Context
from sojourn.context.manager import ContextConfig, ContextManager
from sojourn.engine.app import Sojourn
from sojourn.engine.budgeting import SessionBudget
from sojourn.engine.compaction import CompactionSettings
from sojourn.engine.session import Session
from sojourn.errors import InvalidInputError, LockedError
from sojourn.providers.protocol import Provider, RawLog, ToolDefinition

Instructions = str | Callable[[], Awaitable[str]]
"""The system prompt, or what gives it anew before each call of the model."""
MAX_INPUT: Final = 4_000_000
"""Characters that the user may say at once."""


class Skills(Protocol):
    """What an agent can do: `SkillRegistry` is one."""

    def get(self, name: str) -> Skill | None: ...

    def definitions(self) -> tuple[ToolDefinition, ...]: ...


class Agent:
    """Talks in one conversation. Lives as long as anybody wants to talk; what it keeps is in its session.

    With a *session* everything is durable. With a *context* the messages are in memory. With neither, each turn stands
    alone. With *skills* the model may call them, if it can.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        session: Session | None = None,
        context: ContextManager | None = None,
        skills: Skills | None = None,
        instructions: Instructions = "",
        app: Sojourn | None = None,
        gate: Gate | None = None,
        callbacks: Callbacks | None = None,
        settings: AgentSettings | None = None,
        limits: Limits | None = None,
        raw_log: RawLog | None = None,
        name: str | None = None,
    ) -> None:
        """Talk through *provider*.

        Args:
            provider: the model.
            session: where the conversation is kept.
            context: the conversation, if there is no session.
            skills: what the model can call.
            instructions: the system prompt.
            app: what the session was opened by; it summarises old messages when they fill the context.
            gate: who is asked before a skill runs; without one, every skill may.
            callbacks: called beside the events.
            settings: how it behaves.
            limits: what it may spend.
            raw_log: sees what goes over the wire.
            name: who it is, where several agents speak in one session.

        Raises:
            InvalidInputError: both a session and a context were given.
        """
        if session is not None and context is not None:
            raise InvalidInputError("an agent talks in a session or in a context, not in both")
        self._provider = provider
        self._session = session
        self._context = context
        self._skills = skills
        self._instructions = instructions
        self._app = app
        self._gate = gate
        self._callbacks = callbacks
        self._settings = settings or AgentSettings()
        self._raw_log = raw_log
        self._name = name
        self._cancelled: list[tuple[str, str]] = []
        self._lock = asyncio.Lock()
        self._monotonic = session.clock.monotonic if session is not None else SystemClock().monotonic
        self._announce: Announce = _to_nobody
        self._budget = SessionBudget(session, limits) if session is not None else None
        self._talk = self._lasting_talk()

    def __repr__(self) -> str:
        where = self._session or self._context or "single turns"
        return f"Agent({self._provider.name!r}, {where!r})"

    @property
    def provider(self) -> Provider:
        """The model."""
        return self._provider

    @property
    def session(self) -> Session | None:
        """Where the conversation is kept."""
        return self._session

    @property
    def skills(self) -> Skills | None:
        """What the model can call."""
        return self._skills

    @property
    def budget(self) -> SessionBudget | None:
        """What may be spent, and what was."""
        return self._budget

    @property
    def is_busy(self) -> bool:
        """Whether a turn is going on."""
        return self._lock.locked()

    @property
    def last_context(self) -> Context | None:
        """What the model was shown last, with an account of it; only a session has one."""
        return self._talk.context if isinstance(self._talk, JournalTalk) else None

    # --- turns

    async def run_turn(
        self, text: str, *, cancel_token: CancellationToken | None = None, when_busy: WhenBusy | None = None
    ) -> AsyncGenerator[TurnEvent, None]:
        """Say *text* to the model, and yield what happens until it has answered.

        Cancelling the token, or leaving the iteration, stops the turn wherever it is: what there is of it is stored,
        each tool call has its result, and the next turn goes on from there.

        Raises:
            LockedError: another turn is going on, and *when_busy* (by default the settings) says not to wait.
            ModelError, BudgetExceededError: the turn failed; what was said is stored.
            InvalidInputError: nothing was said, or too much.
        """
        _check_said(text)
        async with aclosing(self._turn(text, cancel_token, when_busy)) as events:
            async for event in events:
                yield event

    async def resume(
        self, *, cancel_token: CancellationToken | None = None, when_busy: WhenBusy | None = None
    ) -> AsyncGenerator[TurnEvent, None]:
        """Go on with a turn that was put aside or cut off, and yield what happens, as `run_turn` does.

        Calls that were never started run now, if they may; then the model is asked.

        Raises:
            InvalidInputError: the agent has no session.
        """
        if self._session is None:
            raise InvalidInputError("only a turn in a session can be resumed")
        async with aclosing(self._turn(None, cancel_token, when_busy)) as events:
            async for event in events:
                yield event

    async def send(
        self, text: str, *, cancel_token: CancellationToken | None = None, when_busy: WhenBusy | None = None
    ) -> AsyncGenerator[str, None]:
        """Say *text* to the model, and yield its answer as it comes. The errors are those of `run_turn`."""
        async with aclosing(self.run_turn(text, cancel_token=cancel_token, when_busy=when_busy)) as events:
            async for event in events:
                if isinstance(event, ContentChunk):
                    yield event.text

    async def ask(self, text: str, *, cancel_token: CancellationToken | None = None) -> str:
        """Say *text* to the model and return its whole answer."""
        async with aclosing(self.send(text, cancel_token=cancel_token)) as pieces:
            return "".join([piece async for piece in pieces])

    def add_cancelled_tools(self, tools: Iterable[tuple[str, str]]) -> None:
        """Note calls (id, name) that were cancelled elsewhere: before the next turn each gets a result that says so.

        A call that has its result already is left as it is.
        """
        self._cancelled += tools

    # --- how a turn is run

    async def _turn(
        self, text: str | None, token: CancellationToken | None, when_busy: WhenBusy | None
    ) -> AsyncGenerator[TurnEvent, None]:
        """Run the turn in a task of its own, so that whoever iterates may stop, or be slow, in any way he likes."""
        sending, receiving = anyio.create_memory_object_stream[TurnEvent](math.inf)
        stop = token or CancellationToken()
        leave = CancellationToken()
        task = asyncio.create_task(self._work(text, (stop, leave), when_busy, sending), name="sojourn-turn")
        try:
            async with receiving:
                async for event in receiving:
                    if self._callbacks is not None:
                        self._callbacks.tell(event)
                    yield event
            await asyncio.shield(task)
        finally:
            if not task.done():
                leave.cancel()
                with anyio.CancelScope(shield=True):
                    await asyncio.wait([task])
            if not task.cancelled():
                task.exception()  # whoever left early does not want to hear of it

    async def _work(
        self,
        text: str | None,
        tokens: tuple[CancellationToken, ...],
        when_busy: WhenBusy | None,
        sending: MemoryObjectSendStream[TurnEvent],
    ) -> None:
        """Run a turn until it ends or one of *tokens* is cancelled; tell what happens through *sending*."""

        def announce(event: TurnEvent) -> None:
            with contextlib.suppress(anyio.BrokenResourceError):  # nobody listens any more
                sending.send_nowait(event)

        loop, thread = asyncio.get_running_loop(), threading.get_ident()
        with sending:
            with anyio.CancelScope() as scope:

                def cancel() -> None:
                    if threading.get_ident() == thread:
                        scope.cancel()  # at once: nothing more is told
                    else:
                        loop.call_soon_threadsafe(scope.cancel)

                removers = [token.on_cancel(cancel) for token in tokens]
                try:
                    async with self._slot(when_busy):
                        await self._hold(text, announce, wait=(when_busy or self._settings.when_busy) == "wait")
                finally:
                    for remove in removers:
                        remove()
            if scope.cancelled_caught:
                announce(SessionCancelled())

    @asynccontextmanager
    async def _slot(self, when_busy: WhenBusy | None) -> AsyncIterator[None]:
        """Wait for this agent's turn; those who wait come in the order in which they asked."""
        if self._lock.locked() and (when_busy or self._settings.when_busy) == "refuse":
            raise LockedError("another turn of this agent is going on")
        async with self._lock:
            yield

    async def _hold(self, text: str | None, announce: Announce, *, wait: bool) -> None:
        """Hold the conversation's turn, and work on it; a *text* of None goes on with what was left open."""
        talk: LastingTalk = self._talk or self._single_turn()
        cancelled, self._cancelled = self._cancelled, []
        if cancelled:
            await talk.flush(cancelled)
        self._announce = announce
        answered: Answered | None = None
        waiting: Waiting | None = None
        try:
            async with talk.turn(resume=text is None, wait=wait) as turn:
                if text is not None:
                    await talk.ask(text)
                try:
                    answered = await self._loop(talk, announce).run(resume=text is None)
                except Waiting as paused:
                    turn.put_aside()
                    waiting = paused
        finally:
            self._announce = _to_nobody
        if answered is not None:
            announce(SessionCompleted(halted_at_limit=answered.halted_at_limit))
        elif waiting is not None:
            announce(SessionWaiting(interrupt=waiting.interrupt))

    def _loop(self, talk: Talk, announce: Announce, memory: ToolMemory | None = None) -> TurnLoop:
        batch = Batch(
            self._skills,
            talk,
            announce=announce,
            monotonic=self._monotonic,
            gate=self._gate,
            memory=memory,
            max_parallel=self._settings.max_parallel,
        )
        return TurnLoop(
            self._provider,
            talk,
            batch,
            tools=self._definitions,
            settings=self._settings,
            announce=announce,
            monotonic=self._monotonic,
            raw_log=self._raw_log,
        )

    def _definitions(self) -> tuple[ToolDefinition, ...]:
        return self._skills.definitions() if self._skills is not None and self._provider.takes_tools else ()

    # --- the conversation

    def _lasting_talk(self) -> JournalTalk | ManagedTalk | None:
        if self._session is not None and self._budget is not None:
            return JournalTalk(
                self._session,
                self._provider,
                settings=self._settings,
                instructions=self._system_prompt,
                budget=self._budget,
                compact=self._compact if self._app is not None and self._settings.compact else None,
                agent=self._name,
            )
        if self._context is not None:
            return ManagedTalk(self._context, settings=self._settings)
        return None

    def _single_turn(self) -> ManagedTalk:
        context = ContextManager(ContextConfig(max_tokens=self._settings.context_tokens or LARGEST + RESERVE))
        if isinstance(self._instructions, str):
            context.set_system_prompt(self._instructions)
        return ManagedTalk(context, settings=self._settings)

    async def _system_prompt(self) -> str:
        return self._instructions if isinstance(self._instructions, str) else await self._instructions()

    async def _compact(self, tokens: int) -> bool:
        """Let a summary stand for the older messages, so that the talk fits into *tokens*; tell whether it does now."""
        if self._app is None or self._session is None:
            return False
        await self._app.background.drain()  # what is still to be learned from them is learned first
        compactor = self._app.compactor(self._session, settings=CompactionSettings(window=tokens), budget=self._budget)
        done = await compactor.compact(in_turn=True)
        if done.compacted:
            self._announce(ContextCompacted(notice=done.notice))
        return done.compacted


def _to_nobody(event: TurnEvent) -> None:
    """Tell nobody: no turn is going on."""


def _check_said(text: str) -> None:
    if not isinstance(text, str) or not text.strip():
        raise InvalidInputError("say something: the message is empty")
    if len(text) > MAX_INPUT:
        raise InvalidInputError(f"the message has {len(text):,} characters; {MAX_INPUT:,} is the most")
