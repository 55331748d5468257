"""The front of an agent: what the user writes goes where it belongs.

`/name` runs a prompt and `@name` pulls in a resource (`Hooks`). A question about what the session knows is answered
from that, and no model is called. Everything else is a turn of the agent, which thinks it through if it is made to,
whatever the session knows already.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING, Final, Protocol

from sojourn.agent.cancellation import CancellationToken, cancelled_by
from sojourn.agent.events import ContentChunk, SessionCancelled, SessionCompleted, TurnEvent
from sojourn.agent.permissions.approvals import drop_questions
from sojourn.agent.reasoning.known_answers import known_answer
from sojourn.agent.storable import storable
from sojourn.agent.turn_task import answer_in
from sojourn.agent.turn_waiting import enter_turn
from sojourn.engine.recall.answering import Answer
from sojourn.engine.session import Session
from sojourn.errors import InvalidInputError
from sojourn.model.message import Message

if TYPE_CHECKING:  # few have servers of tools
    from sojourn.agent.mcp.servers import Mcp

ANSWERED_FROM: Final = "answered_from"
"""In the metadata of an answer that no model gave: which part of the state did."""


class Hooks(Protocol):
    """Turns what a user writes into what a model reads."""

    async def expand(self, text: str) -> str:
        """Return *text* with its prompt run and its resources pulled in; other text as it is.

        Raises:
            NotFoundError: there is no such prompt or resource.
        """
        ...


class McpHooks:
    """The prompts and resources of MCP servers. Lives as long as these are open.

    *on_note* is told what looks like a resource and is none.
    """

    def __init__(self, mcp: "Mcp", *, on_note: Callable[[str], None] | None = None) -> None:
        self._mcp = mcp
        self._on_note = on_note

    async def expand(self, text: str) -> str:
        """Return *text* with its prompt run and its resources pulled in; see `agent.mcp.hooks.expand`."""
        from sojourn.agent.mcp.hooks import expand  # noqa: PLC0415 - few have servers of tools

        expanded = await expand(text, self._mcp)
        for note in expanded.notes:
            if self._on_note is not None:
                self._on_note(note)
        return expanded.text


class TurnAgent(Protocol):
    """What the front needs of an agent."""

    @property
    def session(self) -> Session | None: ...

    def run_turn(
        self,
        text: str,
        *,
        cancel_token: CancellationToken | None = None,
        injected: Sequence[tuple[int, int]] = (),
    ) -> AsyncGenerator[TurnEvent, None]: ...


class CommandControlAgent:
    """An agent with hooks and knowledge before it. Lives as long as its agent."""

    def __init__(self, agent: TurnAgent, *, hooks: Hooks | None = None, answers_itself: bool = True) -> None:
        """Stand before *agent*.

        Args:
            agent: takes the turns; it needs a session.
            hooks: run prompts and pull in resources.
            answers_itself: questions about what the session knows are answered from that, without a model.

        Raises:
            InvalidInputError: the agent has no session.
        """
        if agent.session is None:
            raise InvalidInputError("an agent without a session knows nothing: give it one")
        self._agent = agent
        self._session = agent.session
        self._hooks = hooks
        self._answers_itself = answers_itself

    def __repr__(self) -> str:
        return f"CommandControlAgent({self._session.id!r})"

    @property
    def session(self) -> Session:
        """Where the conversation is kept."""
        return self._session

    async def run_turn(
        self, text: str, *, cancel_token: CancellationToken | None = None
    ) -> AsyncGenerator[TurnEvent, None]:
        """Take what the user says to whoever answers it, and yield what happens until there is an answer.

        An answer from what the session knows is in the conversation, with its question, before it is told.

        Raises:
            InvalidInputError: nothing was said.
            NotFoundError: there is no such prompt or resource; nothing is stored.
            ModelError, BudgetExceededError: the turn failed; what was said is stored.
        """
        if not isinstance(text, str) or not text.strip():
            raise InvalidInputError("say something: the message is empty")
        expanded, known = text, None
        with cancelled_by(*(() if cancel_token is None else (cancel_token,))) as scope:
            expanded = text if self._hooks is None else await self._hooks.expand(text)
            known = await self._answered(text) if self._answers_itself and expanded == text else None
        if scope.cancelled_caught:
            yield SessionCancelled()
            return
        if known is not None:
            yield ContentChunk(text=known)
            yield SessionCompleted()
            return
        turn = self._agent.run_turn(expanded, cancel_token=cancel_token, injected=_injected(text, expanded))
        async with aclosing(turn) as events:
            async for event in events:
                yield event

    async def send(self, text: str, *, cancel_token: CancellationToken | None = None) -> AsyncGenerator[str, None]:
        """Take what the user says, and yield the answer as it comes. The errors are those of `run_turn`."""
        async with aclosing(self.run_turn(text, cancel_token=cancel_token)) as events:
            async for event in events:
                if isinstance(event, ContentChunk):
                    yield event.text

    async def ask(self, text: str, *, cancel_token: CancellationToken | None = None) -> str:
        """Take what the user says, and return the answer, without what the model said while it called tools."""
        async with aclosing(self.run_turn(text, cancel_token=cancel_token)) as events:
            return await answer_in(events)

    # --- what the session answers

    async def _answered(self, text: str) -> str | None:
        """Return what the session knows, once it stands in the conversation; None if it does not know."""
        known = await known_answer(self._session, text)
        if known is None or known.text is None:
            return None
        await self._keep(text, known)
        return known.text

    async def _keep(self, text: str, known: Answer) -> None:
        """Add the question and the answer to the conversation; forgetting what the answer rests on forgets it."""
        own = {one.seq for one in known.evidence if one.session_id == self._session.id}
        rests_on = sorted(own - {0})  # what is known in memory only stands nowhere
        answer = Message(role="assistant", content=known.text or "", metadata={ANSWERED_FROM: known.source})
        async with AsyncExitStack() as stack:
            await enter_turn(stack, self._session)
            await drop_questions(self._session)  # about calls that the talk goes on without
            asked = await self._session.messages.user(storable(text))
            await self._session.messages.add(answer, causes=(*rests_on, asked.seq))


def _injected(text: str, expanded: str) -> tuple[tuple[int, int], ...]:
    """Return which stretch of *expanded* the user did not write: resources stand before his words, a prompt replaces
    them."""
    if expanded == text:
        return ()
    return ((0, len(expanded) - len(text) if expanded.endswith(text) else len(expanded)),)
