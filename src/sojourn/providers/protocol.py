"""What a language model is to the rest of Sojourn: it is sent a request, and streams what it says.

A request holds messages that are valid already (`context.validity`); an adapter writes them in its vendor's form
(`payloads`), and turns what comes back into the few events below. Nobody else sees a vendor's types.
"""

from collections.abc import AsyncGenerator
from typing import Any, Literal, Protocol, runtime_checkable

from sojourn.model.message import Message
from sojourn.model.usage import Usage
from sojourn.model.value import Value

StopReason = Literal["end", "tools", "length", "refusal", "other"]


class ToolDefinition(Value, frozen=True, kw_only=True):
    """A tool as a model is told of it. *parameters* is a JSON Schema of an object."""

    name: str
    description: str = ""
    parameters: dict[str, Any] = {}


class ModelRequest(Value, frozen=True, kw_only=True):
    """What a model is asked.

    Attributes:
        messages: the talk, valid for every provider, the last one the user's or a tool's.
        system: the instructions.
        tools: what the model may call.
        stable: so many messages, from the first, will begin the next turn's request, too: what is worth caching.
        max_tokens: how long the answer may be; None is the adapter's own choice.
        temperature: how freely the model chooses its words; None is the model's own.
        thinking: how many tokens it may think first; None is not at all, or as the model has it.
        schema: the JSON Schema that the answer must follow, as JSON text; None for plain text.
    """

    messages: tuple[Message, ...]
    system: str = ""
    tools: tuple[ToolDefinition, ...] = ()
    stable: int = 0
    max_tokens: int | None = None
    temperature: float | None = None
    thinking: int | None = None
    schema: dict[str, Any] | None = None


class ReasoningDelta(Value, frozen=True, kw_only=True):
    """A piece of what the model thinks."""

    text: str


class ContentDelta(Value, frozen=True, kw_only=True):
    """A piece of what the model says."""

    text: str


class ToolCallStarted(Value, frozen=True, kw_only=True):
    """The model began to write a call of a tool, the one at place *index*."""

    index: int
    id: str
    name: str


class StreamComplete(Value, frozen=True, kw_only=True):
    """The model is done: the whole message, what it used, and why it stopped.

    The message has role `assistant`, its thinking with the provider's signature, its tool calls, and the provider's
    own JSON where that is needed to go on. Arguments that are no JSON object are in the call's `arguments_text`. The
    usage names the model that really answered, and has no cost.
    """

    message: Message
    usage: Usage = Usage()
    stop: StopReason = "end"


StreamEvent = ReasoningDelta | ContentDelta | ToolCallStarted | StreamComplete


class RawLog(Protocol):
    """Writes down what really goes over the wire, for people. It is handed in with each request."""

    def on_request(self, endpoint: str, payload: dict[str, Any]) -> None:
        """Note what is sent."""
        ...

    def on_response(self, status: int, body: dict[str, Any]) -> None:
        """Note a whole answer."""
        ...

    def on_chunk(self, chunk: dict[str, Any]) -> None:
        """Note a piece of a streamed answer."""
        ...


class Provider(Protocol):
    """One model. Several requests may be under way at once; it lives in one event loop, until it is closed.

    Attributes:
        model: the model's name, as prices and windows are found by.
        name: which model it is, and where: `model@host`.
        takes_tools: whether it can call tools at all.
    """

    @property
    def model(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def takes_tools(self) -> bool: ...

    def stream(self, request: ModelRequest, *, raw_log: RawLog | None = None) -> AsyncGenerator[StreamEvent, None]:
        """Yield what the model says as it says it; the last event is `StreamComplete`.

        Leaving the iteration early ends the request.

        Raises:
            ModelUnavailableError: it cannot be reached, is overloaded, takes too long or broke off: try again.
            ModelError: it refuses the request, the key or the model's name.
        """
        ...

    async def complete(self, request: ModelRequest, *, raw_log: RawLog | None = None) -> StreamComplete:
        """Return the whole answer at once. The errors are those of `stream`."""
        ...

    async def close(self) -> None:
        """Close the connections. Closing twice is fine."""
        ...


@runtime_checkable
class HasWindow(Protocol):
    """A model that knows itself how many tokens it can take."""

    @property
    def window(self) -> int: ...
