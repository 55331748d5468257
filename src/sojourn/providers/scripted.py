"""A model that says what it is told to say: for tests, for examples, and for trying things without a model."""

from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from typing import Final

from sojourn.errors import ModelError
from sojourn.model.message import Message, TextPart, ThinkingPart
from sojourn.model.usage import Usage
from sojourn.providers.protocol import (
    ContentDelta,
    ModelRequest,
    RawLog,
    ReasoningDelta,
    StreamComplete,
    StreamEvent,
    ToolCallStarted,
)

Reply = str | Message | Exception | Callable[[ModelRequest], "str | Message"]
"""What it says to one request: words, a message with tool calls, an error that is raised, or what a function makes."""
_PIECE: Final = 12


class ScriptedProvider:
    """Gives *replies* in turn; when they are used up, *otherwise* is the answer to everything, or an error.

    Each call uses *usage*, or without one a token for every four characters.

    Attributes:
        requests: what it was asked, in the order it was.
    """

    def __init__(
        self,
        replies: Iterable[Reply] = (),
        *,
        otherwise: Reply | None = None,
        model: str = "scripted",
        usage: Usage | None = None,
        takes_tools: bool = True,
    ) -> None:
        self.requests: list[ModelRequest] = []
        self._replies = deque(replies)
        self._otherwise = otherwise
        self._model = model
        self._usage = usage
        self._takes_tools = takes_tools

    def __repr__(self) -> str:
        return f"ScriptedProvider({len(self._replies)} replies left)"

    @property
    def model(self) -> str:
        return self._model

    @property
    def name(self) -> str:
        return f"{self._model}@nowhere"

    @property
    def takes_tools(self) -> bool:
        return self._takes_tools

    def add(self, *replies: Reply) -> None:
        """Give these, too, after all others."""
        self._replies.extend(replies)

    async def stream(
        self, request: ModelRequest, *, raw_log: RawLog | None = None
    ) -> AsyncGenerator[StreamEvent, None]:
        """Yield the next reply in pieces of a few characters."""
        complete = await self.complete(request, raw_log=raw_log)
        for event in _pieces(complete.message):
            yield event
        yield complete

    async def complete(self, request: ModelRequest, *, raw_log: RawLog | None = None) -> StreamComplete:
        """Return the next reply.

        Raises:
            ModelError: none is left.
        """
        self.requests.append(request)
        if raw_log is not None:
            raw_log.on_request("scripted", request.to_dict())
        message = self._next(request)
        usage = self._usage or self._estimated(request, message)
        complete = StreamComplete(message=message, usage=usage, stop="tools" if message.tool_calls else "end")
        if raw_log is not None:
            raw_log.on_response(200, message.to_dict())
        return complete

    async def close(self) -> None:
        """Do nothing: it holds nothing."""

    def _estimated(self, request: ModelRequest, message: Message) -> Usage:
        read = len(request.system) + sum(len(one.text) for one in request.messages)
        return Usage(model=self._model, input_tokens=read // 4, output_tokens=len(message.text) // 4)

    def _next(self, request: ModelRequest) -> Message:
        reply = self._replies.popleft() if self._replies else self._otherwise
        if reply is None:
            raise ModelError(f"{self.name}: nothing is scripted for this request")
        if isinstance(reply, Exception):
            raise reply
        said = reply if isinstance(reply, str | Message) else reply(request)
        return Message(role="assistant", content=said, model=self._model) if isinstance(said, str) else said


def _pieces(message: Message) -> Iterator[StreamEvent]:
    parts = (TextPart(text=message.content),) if isinstance(message.content, str) else message.content
    for part in parts:
        if isinstance(part, ThinkingPart):
            yield from (ReasoningDelta(text=piece) for piece in _cut(part.text))
        elif isinstance(part, TextPart):
            yield from (ContentDelta(text=piece) for piece in _cut(part.text))
    for index, call in enumerate(message.tool_calls):
        yield ToolCallStarted(index=index, id=call.id, name=call.name)


def _cut(text: str) -> Iterator[str]:
    return (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
