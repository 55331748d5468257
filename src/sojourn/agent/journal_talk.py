"""A durable session as an agent's conversation: everything is in the journal as soon as it happens.

What the user says is stored before a model is asked; a tool's start is stored before it runs, and its end with its
result in one append; streamed text is kept every half second. So whenever the process ends, the next turn knows what
was done, what was not, and what nobody can know.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any, Final

import anyio
import anyio.to_thread
import msgspec
from msgspec.structs import replace

from sojourn.agent.call_ids import CallIds, are_counted
from sojourn.agent.permissions.approvals import drop_questions
from sojourn.agent.settings import AgentSettings
from sojourn.agent.storable import storable, storable_message
from sojourn.agent.talk import OpenTurn, Outcome, Said, with_fresh_ids
from sojourn.agent.turn_waiting import enter_turn
from sojourn.agent.wish import last_said
from sojourn.context.builder import RESERVE, default_budget
from sojourn.context.context import Context
from sojourn.context.tokens import CharacterCounter
from sojourn.context.validity import CANCELLED
from sojourn.engine.budgeting import SessionBudget
from sojourn.engine.inputs import MAX_NAME, check_text
from sojourn.engine.learner import INJECTED
from sojourn.engine.recent import MAX_MESSAGES
from sojourn.engine.session import Session
from sojourn.engine.turn import HeldTurn
from sojourn.model.entry import Draft
from sojourn.model.events import Event, MessageAdded, ToolRan, ToolStarted, UsageRecorded, VariableSet
from sojourn.model.ids import Seq
from sojourn.model.message import Message, ToolCall
from sojourn.model.usage import Usage
from sojourn.providers.protocol import HasWindow, ModelRequest, Provider, ToolDefinition

MAX_RESULT: Final = 2_000_000
"""Characters of a tool's result that are stored: what is longer would not fit into one event."""
MAX_ERROR: Final = 500
"""Characters of a tool's error that the note of its run holds; the result has all of it."""
FULL: Final = 0.9
"""A context that is filled to this share is time to summarise what is old."""
TRIED_AGAIN_AFTER: Final = 4
"""If a full context could not be made smaller, that is tried again after so many messages."""
GO_ON: Final = "(The answer broke off here. Go on.)"
"""What the model is asked where its own words are the last."""


class JournalTalk:
    """One session, as its agent talks in it. Lives as long as the agent."""

    def __init__(
        self,
        session: Session,
        provider: Provider,
        *,
        settings: AgentSettings,
        instructions: Callable[[], Awaitable[str]],
        budget: SessionBudget,
        compact: Callable[[int], Awaitable[bool]] | None = None,
        agent: str | None = None,
    ) -> None:
        """Talk in *session* with *provider*.

        *compact* makes the talk fit into so many tokens, and tells whether it did; *agent* is who speaks, where several
        do.
        """
        self._session = session
        self._provider = provider
        self._sized = provider if isinstance(provider, HasWindow) else None
        self._settings = settings
        self._instructions = instructions
        self._budget = budget
        self._compact = compact
        self._agent = agent
        self._call_ids = CallIds(session)
        self._compacted_at = 0
        self._prices_loaded = False
        self._held: HeldTurn | None = None
        self.context: Context | None = None
        """What the model was shown last."""

    @property
    def session(self) -> Session:
        """Where it is kept."""
        return self._session

    @property
    def variables(self) -> Mapping[str, Any]:
        return self._session.variables.to_dict()

    # --- the turn

    @asynccontextmanager
    async def turn(
        self,
        text: str | None = None,
        *,
        asked: bool = False,
        injected: Sequence[tuple[int, int]] = (),
        values: Mapping[str, Any] | None = None,
        resume: bool = False,
        wait: bool = True,
    ) -> AsyncIterator[OpenTurn]:
        """Hold the session's turn, wherever else it may be wanted; its start, *text* and *values* are one append.

        Raises:
            LockedError: another one is going on, and nobody wants to *wait*.
            InvalidInputError: nothing waits that could be resumed, or a value cannot be kept; nothing is changed.
        """
        said = () if text is None else (_asked(text, injected),)
        given = [VariableSet(name=_named(name), value=value) for name, value in (values or {}).items()]
        held: HeldTurn | None = None

        async def drop_settled() -> None:
            if held is None or not held.is_completed:
                await self._drop_settled()

        async with AsyncExitStack() as stack:
            stack.push_async_callback(drop_settled)
            opening = (*(() if asked else said), *given)
            held = await enter_turn(stack, self._session, resume=resume, opening=opening, wait=wait)
            if asked and said and await last_said(self._session) is None:
                await self._session.append(*said)  # it was answered while this turn waited: it is asked once more
            self._budget.begin_run()
            if not resume and self._session.interrupts.pending():
                waiting = {call.call_id for call in self._session.state.conversation.open_calls}
                await drop_questions(self._session, _asked_calls(self._session) - waiting)
            self._held = held
            try:
                yield held
            finally:
                self._held = None

    async def _drop_settled(self) -> None:
        """Take back what was asked about calls that have their results by now: the turn was stopped meanwhile."""
        if self._session.interrupts.pending():
            with anyio.CancelScope(shield=True):
                await drop_questions(self._session)

    async def open_calls(self) -> tuple[ToolCall, ...]:
        found: list[ToolCall] = []
        for call in self._session.state.conversation.open_calls:
            if call.started:
                continue
            entries = await self._session.store.read(self._session.id, after=call.asked_at - 1, limit=1)
            asked = entries[0].event if entries else None
            made = asked.message.tool_calls if isinstance(asked, MessageAdded) else ()
            found += [one for one in made if one.id == call.call_id]
        return tuple(found)

    async def flush(self, tools: Sequence[tuple[str, str]]) -> None:
        await self._session.refresh()
        waiting = {call.call_id: call for call in self._session.state.conversation.open_calls}
        drafts = [
            Draft(
                event=MessageAdded(message=self._result(call_id, name, CANCELLED, error=True)), causes=(call.asked_at,)
            )
            for call_id, name in tools
            if (call := waiting.get(call_id)) is not None
        ]
        if drafts:
            await self._session.append(*drafts)

    # --- what is said

    async def request(self, tools: tuple[ToolDefinition, ...], *, question: str = "") -> ModelRequest:
        """Build the context for *question*, or the one that waits, after summarising what is old if it is full.

        Raises:
            BudgetExceededError: the call would cost more than is allowed.
        """
        context = await self._build(tools, question)
        if self._compact is not None and self._is_full(context):
            self._compacted_at = self._session.state.conversation.message_count
            if await self._compact(context.budget):
                context = await self._build(tools, question)
        self.context = context
        self._budget.check_run_budget(context.tokens.count)
        messages = _asking(context.messages)
        return ModelRequest(
            messages=messages,
            system=context.system,
            tools=tools,
            stable=_stable(messages),
            max_tokens=self._settings.max_tokens,
            temperature=self._settings.temperature,
            thinking=self._settings.thinking,
        )

    async def preview(
        self, tools: tuple[ToolDefinition, ...], question: str, *, model: str | None = None, window: int | None = None
    ) -> Context:
        """Return the context that *question*, or the one that waits, would have; the talk is as if nobody had looked.

        *model* counts as another model does, and *window* is one of another size.
        """
        return await self._build(tools, question, model=model, window=window, remember=False)

    async def _build(
        self,
        tools: tuple[ToolDefinition, ...],
        question: str,
        *,
        model: str | None = None,
        window: int | None = None,
        remember: bool = True,
    ) -> Context:
        return await self._session.context(
            question,
            system=await self._instructions(),
            budget=self._context_tokens() if model is None and window is None else _fitting(window),
            model=model or self._provider.model,
            mode=self._settings.context_mode,
            retrieve=self._settings.retrieve,
            beside=tokens_of(tools),
            window=window,
            remember=remember,
        )

    def _context_tokens(self) -> int | None:
        if self._settings.context_tokens is not None or self._sized is None:
            return self._settings.context_tokens
        return _fitting(self._sized.window)

    def _is_full(self, context: Context) -> bool:
        """Tell whether messages fell out of the context, or will soon, and that is news."""
        conversation = self._session.state.conversation
        if self._compacted_at and conversation.message_count - self._compacted_at < TRIED_AGAIN_AFTER:
            return False  # it was tried, and would end as it did
        overflows = any(one.section == "messages" for one in context.dropped)
        return overflows or context.tokens.count > FULL * context.budget

    async def keep_partial(self, text: str) -> None:
        # A journal holds a NUL character as any other, but no store takes one in a partial text.
        whole = storable(text).replace("\0", "\N{REPLACEMENT CHARACTER}")
        await self._session.store.save_partial(self._session.id, whole)

    async def answer(self, message: Message | None, usage: Usage, *, seconds: float, last: bool = False) -> Said:
        heard = None if message is None else storable_message(message)
        before = self._session.head
        try:
            return await self._store_answer(heard, usage, seconds=seconds, last=last)
        except asyncio.CancelledError:
            if heard is not None and heard.text:
                with anyio.CancelScope(shield=True):
                    await self._keep_unstored(heard.text, after=before)
            raise

    async def _store_answer(self, heard: Message | None, usage: Usage, *, seconds: float, last: bool) -> Said:
        priced = await self._priced(usage)
        events: list[Event] = []
        said = None
        if heard is not None:
            said = await self._as_stored(heard, usage)
            events.append(MessageAdded(message=said))
        if usage != Usage():
            events.append(UsageRecorded.of(priced, purpose="conversation", seconds=seconds))
        ending = self._held if last else None
        if ending is not None:
            events.append(ending.completed())
        if events:
            await self._session.append(*events, clear_partial=True, release=ending is not None)
        return Said(message=said, usage=priced)

    async def _keep_unstored(self, text: str, *, after: Seq) -> None:
        """Keep *text*, which was heard, unless the store has it: the turn was cancelled on the way there."""
        entries = await self._session.store.read(self._session.id, after=after)
        if not any(isinstance(entry.event, MessageAdded) and entry.event.message.text == text for entry in entries):
            await self.keep_partial(text)

    async def _as_stored(self, message: Message, usage: Usage) -> Message:
        changes: dict[str, Any] = {"model": message.model or usage.model, "tokens": usage.output_tokens or None}
        if self._agent is not None:
            changes["metadata"] = {**message.metadata, "agent": self._agent}
        stored = replace(message, **changes)
        return with_fresh_ids(stored, await self._known_calls(message)) if message.tool_calls else stored

    async def _known_calls(self, message: Message) -> set[str]:
        """Return the calls that those of *message* may be confused with: no provider accepts one of them again.

        That is what the model was shown, and the latest; where ids are short, all that were ever made.
        """
        if are_counted(message.tool_calls):
            return await self._call_ids.found()
        count = min(self._session.state.conversation.message_count, MAX_MESSAGES)
        entries = await self._session.last_messages(count) if count else []
        latest = [entry.event.message for entry in entries if isinstance(entry.event, MessageAdded)]
        shown = self.context.messages if self.context is not None else []
        return {call.id for message in (*shown, *latest) for call in message.tool_calls}

    async def _priced(self, usage: Usage) -> Usage:
        priced = partial(self._session.models.priced, usage, asked=self._provider.model)
        if self._prices_loaded:
            return priced()
        self._prices_loaded = True  # the first time, a large table is loaded
        return await anyio.to_thread.run_sync(priced)

    # --- tools

    async def tool_started(self, call: ToolCall, arguments: dict[str, Any]) -> None:
        await self._session.append(
            ToolStarted(call_id=call.id, name=call.name, arguments=arguments), causes=self._asked_at(call.id)
        )

    async def tools_done(self, outcomes: Sequence[Outcome]) -> None:
        await self._append_done(outcomes, with_results=True)

    async def note_tools(self, outcomes: Sequence[Outcome]) -> None:
        """Note that tools ran, for an attempt that is not part of the talk."""
        await self._append_done(outcomes, with_results=False)

    async def _append_done(self, outcomes: Sequence[Outcome], *, with_results: bool) -> None:
        drafts: list[Draft] = []
        for outcome in outcomes:
            call, events = outcome.call, list[Event]()
            if outcome.ran:
                error = None if outcome.success else storable(outcome.text)[:MAX_ERROR]
                events.append(
                    ToolRan(
                        call_id=call.id, name=call.name, success=outcome.success, seconds=outcome.seconds, error=error
                    )
                )
            if with_results:
                result = self._result(call.id, call.name, outcome.text, error=not outcome.success)
                if outcome.inward:
                    result = replace(result, metadata={**result.metadata, INJECTED: [[0, len(result.text)]]})
                events.append(MessageAdded(message=result))
            if outcome.output is not None:
                events.append(VariableSet(name=outcome.output, value=outcome.value))
            drafts += [Draft(event=event, causes=self._asked_at(call.id)) for event in events]
        if drafts:
            await self._session.append(*drafts)

    def _asked_at(self, call_id: str) -> tuple[Seq, ...]:
        """Return the message that made a call, so that forgetting it reaches what the tool was given and said."""
        calls = self._session.state.conversation.open_calls
        return tuple(call.asked_at for call in calls if call.call_id == call_id)

    def _result(self, call_id: str, name: str, text: str, *, error: bool) -> Message:
        whole = storable(text)
        if len(whole) > MAX_RESULT:
            whole = f"{whole[:MAX_RESULT]}\n[... {len(whole) - MAX_RESULT:,} more characters were not stored ...]"
        metadata = {"agent": self._agent} if self._agent is not None else {}
        return Message(role="tool", content=whole, tool_call_id=call_id, name=name, error=error, metadata=metadata)


def _asked(text: str, injected: Sequence[tuple[int, int]]) -> MessageAdded:
    """Return what the user says."""
    metadata = {INJECTED: [list(span) for span in injected]} if injected else {}
    return MessageAdded(message=Message(role="user", content=storable(text), metadata=metadata))


def _named(name: str) -> str:
    check_text(name, "a variable's name", most=MAX_NAME)
    return name


def _asked_calls(session: Session) -> set[str]:
    """Return the calls about which a question waits for an answer."""
    pending = session.interrupts.pending()
    return {str(one.data["call_id"]) for one in pending if one.kind == "confirmation" and "call_id" in one.data}


def _asking(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return *messages* so that they ask for something: most models refuse to go on with their own words."""
    asks = not messages or messages[-1].role != "assistant"
    return (*messages,) if asks else (*messages, Message(role="user", content=GO_ON))


def _stable(messages: Sequence[Message]) -> int:
    """Return how many messages, from the first, stand before the question: the next turn begins with them, too."""
    return next((place for place in range(len(messages) - 1, -1, -1) if messages[place].role == "user"), 0)


def _fitting(window: int | None) -> int | None:
    """Return how much of a *window* a context may take; None if nobody knows how large it is."""
    if window is None:
        return None
    return default_budget(window) if window > 2 * RESERVE else window // 2


def tokens_of(tools: tuple[ToolDefinition, ...]) -> int:
    """Return what the definitions of *tools* cost, which are sent beside a context."""
    return CharacterCounter().count(msgspec.json.encode(tools).decode()) if tools else 0
