"""The agent: what a program talks to. It holds a model, skills and a conversation, and works on one turn at a time."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import anyio

from sojourn.agent.batch import Batch, ToolMemory
from sojourn.agent.callbacks import Callbacks
from sojourn.agent.cancellation import CancellationToken
from sojourn.agent.events import (
    ContentChunk,
    ContextCompacted,
    SessionCompleted,
    SessionWaiting,
    TurnEvent,
)
from sojourn.agent.gate import Announce, Gate, SessionGate, Waiting
from sojourn.agent.journal_talk import JournalTalk
from sojourn.agent.loop import Answered, TurnLoop
from sojourn.agent.managed_talk import ManagedTalk
from sojourn.agent.reasoned import ReasonedTurns
from sojourn.agent.reasoning.callbacks import ReasoningCallbacks
from sojourn.agent.reasoning.config import ReasoningConfig
from sojourn.agent.settings import AgentSettings, WhenBusy
from sojourn.agent.skills.offered import HasServices, Skills, as_skills
from sojourn.agent.skills.services import CANCELLATION
from sojourn.agent.skills.skill import Skill
from sojourn.agent.talk import LastingTalk, Talk
from sojourn.agent.turn_task import answer_in, events_of
from sojourn.agent.wish import Wish, last_said
from sojourn.clock import SystemClock
from sojourn.context.budget import Limits
from sojourn.context.builder import LARGEST, RESERVE
from sojourn.context.context import Context
from sojourn.context.manager import ContextConfig, ContextManager
from sojourn.engine.app import Sojourn
from sojourn.engine.budgeting import SessionBudget
from sojourn.engine.compaction import CompactionSettings
from sojourn.engine.conversations import ConversationSession
from sojourn.engine.session import Session
from sojourn.errors import InvalidInputError, LockedError
from sojourn.providers.protocol import Provider, ToolDefinition

if TYPE_CHECKING:  # few keep a log
    from sojourn.agent.logs.logger import SessionLogger
    from sojourn.agent.logs.projection import JournalLog

Instructions = str | Callable[[], Awaitable[str]]
"""The system prompt, or what gives it anew before each call of the model."""
MAX_INPUT: Final = 4_000_000
"""Characters that the user may say at once."""

_INSIDE: Final[ContextVar[tuple[object, ...]]] = ContextVar("sojourn_agents", default=())
"""The turns of agents that whoever runs is inside of: a skill that asks its own agent would wait for itself."""


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
        skills: Skills | Iterable[Skill | Callable[..., Any]] | None = None,
        instructions: Instructions = "",
        app: Sojourn | None = None,
        gate: Gate | None = None,
        callbacks: Callbacks | None = None,
        settings: AgentSettings | None = None,
        limits: Limits | None = None,
        reasoning: ReasoningConfig | None = None,
        reasoning_callbacks: ReasoningCallbacks | None = None,
        logger: "SessionLogger | None" = None,
        name: str | None = None,
    ) -> None:
        """Talk through *provider*.

        Args:
            provider: the model.
            session: where the conversation is kept.
            context: the conversation, if there is no session.
            skills: what the model can call: a registry, or skills and functions.
            instructions: the system prompt.
            app: what the session was opened by; it summarises old messages when they fill the context.
            gate: who is asked before a skill runs; without one, every skill may.
            callbacks: called beside the events.
            settings: how it behaves.
            limits: what it may spend.
            reasoning: think hard questions through; only a session can.
            reasoning_callbacks: told about that.
            logger: writes it all down for people; what goes over the wire, too, if its raw stream is on.
            name: who it is, where several agents speak in one session.

        Raises:
            InvalidInputError: both a session and a context were given.
        """
        if session is not None and context is not None:
            raise InvalidInputError("an agent talks in a session or in a context, not in both")
        if limits is not None and session is None:
            raise InvalidInputError("what an agent spends is counted in a session: give it one, or no limits")
        self._provider = provider
        self._session = session
        self._context = context
        self._skills = as_skills(skills)
        offered: object = self._skills
        self._services = offered.services if isinstance(offered, HasServices) else None
        self._instructions = instructions
        self._app = app
        self._gate = gate
        self._callbacks = callbacks
        self._settings = settings or AgentSettings()
        self._limits = limits
        self._reasoning = reasoning
        self._reasoning_callbacks = reasoning_callbacks
        self._logger = logger
        self._log = _journal_log(session, logger) if logger is not None and session is not None else None
        if self._log is not None and app is not None:
            self._log.attach(app)
        self._logged_prompt = ""
        self._name = name
        self._cancelled: list[tuple[str, str]] = []
        self._lock = asyncio.Lock()
        self._at_work = object()
        self._monotonic = session.clock.monotonic if session is not None else SystemClock().monotonic
        self._announce: Announce = _to_nobody
        self._budget = SessionBudget(session, limits) if session is not None else None
        self._talk = self._lasting_talk()
        self._reasoned = self._reasoned_turns()

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

    async def wait_until_idle(self) -> None:
        """Return when no turn is going on, nor waiting for its turn."""
        async with self._lock:
            return

    @property
    def last_context(self) -> Context | None:
        """What the model was shown last, with an account of it; only a session has one."""
        return self._talk.context if isinstance(self._talk, JournalTalk) else None

    @property
    def tools(self) -> tuple[ToolDefinition, ...]:
        """What is told to the model about its skills, beside the context; nothing, if it takes no tools."""
        return self._definitions()

    async def preview(self, question: str = "", *, model: str | None = None, window: int | None = None) -> Context:
        """Return what the model would be shown for *question*, or the one that waits; nothing is changed by looking.

        Args:
            question: what would be asked.
            model: count as this model does, and ask for its window.
            window: as if the model took so many tokens.

        Raises:
            InvalidInputError: only a session has contexts; or no context can be so small.
        """
        if not isinstance(self._talk, JournalTalk):
            raise InvalidInputError("only an agent with a session has contexts to look at")
        return await self._talk.preview(self._definitions(), question, model=model, window=window)

    # --- turns

    def run_turn(
        self,
        text: str,
        *,
        cancel_token: CancellationToken | None = None,
        when_busy: WhenBusy | None = None,
        inputs: Mapping[str, Any] | None = None,
        asked: bool = False,
        injected: Sequence[tuple[int, int]] = (),
    ) -> AsyncGenerator[TurnEvent, None]:
        """Say *text* to the model, and yield what happens until it has answered.

        Cancelling the token, or leaving the iteration, stops the turn wherever it is: what there is of it is stored,
        each tool call has its result, and the next turn goes on from there.

        Args:
            text: what the user says.
            cancel_token: stops the turn.
            when_busy: what to do while another turn is going on; by default what the settings say.
            inputs: variables that calls may use.
            asked: the text stands in the conversation already, and waits for its answer.
            injected: stretches of the text, from one character to another, that the user did not write himself:
                nothing is learned from them.

        Raises:
            LockedError: another turn is going on, and nobody wants to wait.
            ModelError, BudgetExceededError: the turn failed; what was said is stored.
            InvalidInputError: nothing was said, or too much.
        """
        check_said(text)
        wish = Wish(
            text=text,
            asked=asked,
            injected=tuple(injected),
            inputs=inputs or {},
            when_busy=when_busy or self._settings.when_busy,
        )
        return self._turn(wish, cancel_token)

    def resume(
        self, *, cancel_token: CancellationToken | None = None, when_busy: WhenBusy | None = None
    ) -> AsyncGenerator[TurnEvent, None]:
        """Go on with a turn that was put aside or cut off, and yield what happens, as `run_turn` does.

        Calls that were never started run now, if they may; then the model is asked.

        Raises:
            InvalidInputError: the agent has no session, or nothing waits in it.
        """
        if self._session is None:
            raise InvalidInputError("only a turn in a session can be resumed")
        wish = Wish(text=None, when_busy=when_busy or self._settings.when_busy)
        return self._turn(wish, cancel_token)

    async def send(
        self, text: str, *, cancel_token: CancellationToken | None = None, when_busy: WhenBusy | None = None
    ) -> AsyncGenerator[str, None]:
        """Say *text* to the model, and yield its answer as it comes. The errors are those of `run_turn`."""
        async with aclosing(self.run_turn(text, cancel_token=cancel_token, when_busy=when_busy)) as events:
            async for event in events:
                if isinstance(event, ContentChunk):
                    yield event.text

    async def ask(self, text: str, *, cancel_token: CancellationToken | None = None) -> str:
        """Say *text* to the model and return its answer, without what it said while it called tools."""
        async with aclosing(self.run_turn(text, cancel_token=cancel_token)) as events:
            return await answer_in(events)

    async def input(
        self,
        query: str,
        inputs: Mapping[str, Any] | None = None,
        *,
        session: Session | ConversationSession | None = None,
        cancel_token: CancellationToken | None = None,
    ) -> str:
        """Return the answer to *query*, with *inputs* as variables.

        A question may be the answer: the model's, or the one whether a call may run that a human has to allow first.

        With a *session* the conversation goes on in it, and *query* is recorded once, whoever recorded it. Without one
        nothing is remembered, whatever the agent's own session is.
        """
        events = self.input_events(query, inputs, session=session, cancel_token=cancel_token)
        async with aclosing(events) as happening:
            return await answer_in(happening)

    async def input_events(
        self,
        query: str,
        inputs: Mapping[str, Any] | None = None,
        *,
        session: Session | ConversationSession | None = None,
        cancel_token: CancellationToken | None = None,
    ) -> AsyncGenerator[TurnEvent, None]:
        """Do what `input` does, and yield what happens."""
        live = session.session if isinstance(session, ConversationSession) else session
        mine = live is self._session and self._context is None
        agent = self if mine else self.in_session(live)
        asked = live is not None and await last_said(live) == query
        turn = agent.run_turn(query, inputs=inputs, cancel_token=cancel_token, asked=asked)
        async with aclosing(turn) as events:
            async for event in events:
                yield event
        if isinstance(session, ConversationSession):
            await session.refresh()

    def in_session(self, session: Session | None) -> "Agent":
        """Return an agent like this one that talks in *session*, or remembers nothing. Rules for tools go along."""
        return Agent(
            self._provider,
            session=session,
            skills=self._skills,
            instructions=self._instructions,
            app=self._app,
            gate=self._gate_in(session),
            callbacks=self._callbacks,
            settings=self._settings,
            limits=self._limits,
            reasoning=self._reasoning if session is not None else None,
            reasoning_callbacks=self._reasoning_callbacks,
            name=self._name,
        )

    def _gate_in(self, session: Session | None) -> Gate | None:
        if session is None or not isinstance(self._gate, SessionGate):
            return self._gate
        return self._gate.in_session(session)

    async def close(self) -> None:
        """Write down the rest of the log, and close it. Nothing else needs closing; the model belongs to others."""
        if self._log is not None:
            await self._log.close()
        elif self._logger is not None:
            self._logger.close()

    def add_cancelled_tools(self, tools: Iterable[tuple[str, str]]) -> None:
        """Note calls (id, name) that were cancelled elsewhere: before the next turn each gets a result that says so.

        A call that has its result already is left as it is.
        """
        self._cancelled += tools

    # --- how a turn is run

    def _turn(self, wish: Wish, given: CancellationToken | None) -> AsyncGenerator[TurnEvent, None]:
        token = given or CancellationToken()
        events = events_of(partial(self._work, wish, token), token)
        return events if self._callbacks is None else _told(events, self._callbacks)

    async def _work(self, wish: Wish, token: CancellationToken, announce: Announce) -> None:
        async with self._slot(wish.when_busy):
            if self._services is not None:
                self._services.register(CANCELLATION, token)  # for skills that want to know of a cancel themselves
            await self._hold(wish, announce)

    @asynccontextmanager
    async def _slot(self, when_busy: WhenBusy) -> AsyncIterator[None]:
        """Wait for this agent's turn; those who wait come in the order in which they asked."""
        if self._lock.locked():
            if when_busy == "refuse":
                raise LockedError("another turn of this agent is going on")
            if self._at_work in _INSIDE.get():
                raise LockedError("this was asked for inside the turn that it would wait for")
        async with self._lock:
            self._at_work = object()
            _INSIDE.set((*_INSIDE.get(), self._at_work))  # for as long as the turn's task lives
            yield

    async def _hold(self, wish: Wish, announce: Announce) -> None:
        """Hold the conversation's turn, and work on it."""
        talk: LastingTalk = self._talk or await self._single_turn()
        if cancelled := tuple(self._cancelled):
            await talk.flush(cancelled)
            del self._cancelled[: len(cancelled)]
        if self._context is not None and (prompt := await self._prompt()) and prompt != self._context.system_prompt:
            self._context.set_system_prompt(prompt)
        self._announce = announce
        answered: Answered | None = None
        waiting: Waiting | None = None
        try:
            async with talk.turn(
                wish.text,
                asked=wish.asked,
                injected=wish.injected,
                values=wish.inputs,
                resume=wish.resumes,
                wait=wish.when_busy == "wait",
            ) as turn:
                try:
                    answered = await self._answer(wish, talk, announce)
                except Waiting as paused:
                    turn.put_aside()
                    waiting = paused
        finally:
            self._announce = _to_nobody
            # An app's background work does it otherwise.
            if self._log is not None and self._app is None and not self._log.is_closed:
                with anyio.CancelScope(shield=True):
                    await self._log.catch_up()
        if answered is not None:
            announce(SessionCompleted(halted_at_limit=answered.halted_at_limit))
        elif waiting is not None:
            announce(SessionWaiting(interrupt=waiting.interrupt))

    async def _answer(self, wish: Wish, talk: LastingTalk, announce: Announce) -> Answered:
        if self._reasoned is not None and self._reasoned.can_reason:
            question = wish.text
            if question is None and self._session is not None and not await talk.open_calls():
                question = await last_said(self._session)
            if question is not None:
                return await self._reasoned.answer(question, announce)
        return await self._loop(talk, announce).run(resume=wish.resumes)

    def _reasoned_turns(self) -> ReasonedTurns | None:
        if self._reasoning is None:
            return None
        if not isinstance(self._talk, JournalTalk):
            raise InvalidInputError("reasoning keeps its research in a session: give the agent one")
        return ReasonedTurns(
            self._talk,
            self._provider,
            self._loop,
            config=self._reasoning,
            callbacks=self._reasoning_callbacks,
            limits=self._limits,
            tools=lambda: [tool.name for tool in self._definitions()],
        )

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
            raw_log=self._logger.get_raw_log_callback() if self._logger is not None else None,
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
                instructions=self._session_prompt,
                budget=self._budget,
                compact=self._compact if self._app is not None and self._settings.compact else None,
                agent=self._name,
            )
        if self._context is not None:
            return ManagedTalk(self._context, settings=self._settings)
        return None

    async def _single_turn(self) -> ManagedTalk:
        config = ContextConfig(max_tokens=self._settings.context_tokens or LARGEST + RESERVE)
        context = ContextManager(config, self._logger)
        prompt = await self._prompt()
        if prompt:
            context.set_system_prompt(prompt)
        return ManagedTalk(context, settings=self._settings)

    async def _prompt(self) -> str:
        return self._instructions if isinstance(self._instructions, str) else await self._instructions()

    async def _session_prompt(self) -> str:
        prompt = await self._prompt()
        if self._logger is not None and prompt != self._logged_prompt:
            self._logged_prompt = prompt
            self._logger.log_system(prompt)
        return prompt

    async def _compact(self, tokens: int) -> bool:
        """Let a summary stand for the older messages, so that the talk fits into *tokens*; tell whether it does now."""
        if self._app is None or self._session is None:
            return False
        await self._app.background.drain()  # what is still to be learned from them is learned first
        compactor = self._app.compactor(
            self._session, settings=CompactionSettings(window=tokens + RESERVE), budget=self._budget
        )
        done = await compactor.compact(in_turn=True)
        if done.compacted:
            self._announce(ContextCompacted(notice=done.notice))
        return done.compacted


def _journal_log(session: Session, logger: "SessionLogger") -> "JournalLog":
    from sojourn.agent.logs.projection import JournalLog  # noqa: PLC0415 - few keep one

    return JournalLog(session, logger)


async def _told(happening: AsyncGenerator[TurnEvent, None], callbacks: Callbacks) -> AsyncGenerator[TurnEvent, None]:
    """Pass on what happens, and tell *callbacks* of it."""
    async with aclosing(happening) as events:
        async for event in events:
            callbacks.tell(event)
            yield event


def _to_nobody(event: TurnEvent) -> None:
    """Tell nobody: no turn is going on."""


def check_said(text: str) -> None:
    """Do nothing if *text* can be said to a model.

    Raises:
        InvalidInputError: it is empty, or too long.
    """
    if not isinstance(text, str) or not text.strip():
        raise InvalidInputError("say something: the message is empty")
    if len(text) > MAX_INPUT:
        raise InvalidInputError(f"the message has {len(text):,} characters; {MAX_INPUT:,} is the most")
