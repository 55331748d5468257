"""What a component is, and an agent as one."""

from contextlib import aclosing
from typing import Any, Protocol, runtime_checkable

from sojourn.agent.agent import Agent
from sojourn.agent.cancellation import CancellationToken
from sojourn.agent.events import (
    ContentChunk,
    IterationCompleted,
    ModelAnswered,
    ReasoningChunk,
    ReasoningEnded,
    SessionWaiting,
    ToolBatchStarted,
    ToolCompleted,
    ToolStarted,
    TurnEvent,
)
from sojourn.agent.runtime.payload import (
    AgentAction,
    AgentError,
    AgentThought,
    Payload,
    StepComplete,
    ToolCalled,
    ToolObservation,
)
from sojourn.engine.conversations import ConversationSession
from sojourn.errors import SojournError


@runtime_checkable
class Component(Protocol):
    """Something with a name that takes input. *targets* get what it gives back; None leaves that to the runtime."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str:
        """What it is: "input", "agent", "tool", "output" or anything else."""
        ...

    @property
    def targets(self) -> tuple[str, ...] | None: ...

    async def input(self, text: Any, inputs: dict[str, Any], session: ConversationSession | None) -> Any:
        """Take *text* and return what comes of it, or None."""
        ...


class Emit(Protocol):
    """How a component tells what happens in it."""

    async def __call__(self, kind: str, payload: Payload) -> object: ...


@runtime_checkable
class Reads(Protocol):
    """A component that the user's lines come from."""

    async def read_line(self) -> str | None:
        """Return the next line; None if there will be no more."""
        ...


@runtime_checkable
class Starts(Protocol):
    """A component that needs a while before it can work."""

    async def start(self) -> None: ...


@runtime_checkable
class Stops(Protocol):
    """A component that holds something until it is stopped."""

    async def stop(self) -> None: ...


@runtime_checkable
class Tells(Protocol):
    """A component that tells what happens in it."""

    def set_emit(self, emit: Emit) -> None: ...


class AgentComponent:
    """An agent between other components. What it thinks and does is told as events."""

    kind = "agent"

    def __init__(self, name: str, agent: Agent, *, targets: tuple[str, ...] | None = None) -> None:
        self.name = name
        self.targets = targets
        self._agent = agent
        self._emit: Emit | None = None
        self._tokens: set[CancellationToken] = set()

    def __repr__(self) -> str:
        return f"AgentComponent({self.name!r}, {self._agent!r})"

    def set_emit(self, emit: Emit) -> None:
        """Tell through *emit* what happens."""
        self._emit = emit

    def cancel(self) -> None:
        """Stop what is going on, in whichever conversation."""
        for token in tuple(self._tokens):
            token.cancel()

    async def input(
        self, text: Any, inputs: dict[str, Any] | None = None, session: ConversationSession | None = None
    ) -> str:
        """Answer *text*. With a *session* the conversation goes on in it; without, nothing is remembered.

        If a human has to allow something first, the answer is what he is asked.

        Raises:
            SojournError: the turn failed; it is told as `agent.error`, too.
        """
        name = session.id if session is not None else ""
        token = CancellationToken()
        self._tokens.add(token)
        telling = _Telling(self, self._emit, session_id=name)
        answer: list[str] = []
        try:
            events = self._agent.input_events(str(text), inputs, session=session, cancel_token=token)
            async with aclosing(events) as happening:
                async for event in happening:
                    if isinstance(event, ModelAnswered):
                        answer.clear()  # what is said beside calls is a thought; the last words are the answer
                        answer += [event.message.text] if not event.message.tool_calls else []
                    elif isinstance(event, SessionWaiting):
                        answer = [event.interrupt.question or ""]
                    await telling.tell(event)
        except SojournError as error:
            await telling.error(error)
            raise
        finally:
            self._tokens.discard(token)
        return "".join(answer) or telling.text


class _Telling:
    """A turn's events in the words of the bus. Lives for one turn."""

    def __init__(self, component: AgentComponent, emit: Emit | None, *, session_id: str) -> None:
        self._component = component
        self._emit = emit
        self._session_id = session_id
        self._thought: list[str] = []
        self._said: list[str] = []
        self._arguments: dict[str, dict[str, Any]] = {}

    @property
    def text(self) -> str:
        """What was said since the last call of tools."""
        return "".join(self._said)

    async def tell(self, event: TurnEvent) -> None:
        match event:
            case ReasoningChunk(text=text):
                self._thought.append(text)
            case ReasoningEnded():
                await self._tell_thought()
            case ContentChunk(text=text):
                self._said.append(text)
            case ToolBatchStarted(tool_calls=calls):
                self._thought, self._said = self._said, []
                self._arguments = {call.id: call.arguments for call in calls}
                await self._tell_thought()
                await self._send(AgentAction(action=[call.to_dict() for call in calls], **self._about()))
            case ToolStarted(name=name, tool_id=tool_id):
                await self._send(ToolCalled(tool=name, args=self._arguments.get(tool_id, {}), **self._about()))
            case ToolCompleted(name=name, output=output):
                await self._send(ToolObservation(tool=name, observation=output, **self._about()))
            case IterationCompleted(iteration=iteration):
                await self._send(StepComplete(step=iteration, **self._about()))

    async def error(self, error: SojournError) -> None:
        await self._send(AgentError(error=str(error), error_type=type(error).__name__, **self._about()))

    async def _tell_thought(self) -> None:
        thought, self._thought = "".join(self._thought), []
        if thought.strip():
            await self._send(AgentThought(thought=thought, **self._about()))

    async def _send(self, payload: Payload) -> None:
        if self._emit is not None:
            await self._emit(payload.kind, payload)

    def _about(self) -> dict[str, Any]:
        return {
            "component_id": self._component.name,
            "component_type": self._component.kind,
            "session_id": self._session_id,
        }
