"""What the Messages API answers, read: a whole message, or the pieces of one put together.

A stream is put together into the same JSON that a whole answer has, so there is one way to read both. Nothing that the
server sends is trusted to have the shape it should.
"""

from collections.abc import Iterator
from typing import Any, Final, TypeVar

import msgspec

from sojourn.model.message import DataPart, Message, Part, TextPart, ThinkingPart, ToolCall
from sojourn.model.usage import Usage
from sojourn.providers.protocol import (
    ContentDelta,
    ReasoningDelta,
    StopReason,
    StreamComplete,
    StreamEvent,
    ToolCallStarted,
)

_STOPS: Final[dict[str, StopReason]] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "tools",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
_MOST: Final = 10**12
_Shape = TypeVar("_Shape")


class UnreadableError(ValueError):
    """The server answered with something that the protocol does not have."""


class _Block(msgspec.Struct, frozen=True):
    """A piece of content; which of the fields there are depends on the type."""

    type: str
    text: str = ""
    thinking: str = ""
    signature: str | None = None
    id: str = ""
    name: str = ""
    input: Any = None


class _Tokens(msgspec.Struct, frozen=True):
    """What a call used. The input has no cached tokens in it."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _Body(msgspec.Struct, frozen=True):
    """A whole answer."""

    content: list[dict[str, Any]]
    model: str | None = None
    stop_reason: str | None = None
    stop_details: dict[str, Any] | None = None
    usage: _Tokens = _Tokens()


class _Delta(msgspec.Struct, frozen=True):
    """What is added to a block."""

    type: str = ""
    text: str = ""
    thinking: str = ""
    signature: str = ""
    partial_json: str = ""


class _Chunk(msgspec.Struct, frozen=True):
    """One event of a stream."""

    type: str
    index: int = 0
    message: dict[str, Any] = {}
    content_block: dict[str, Any] = {}
    delta: dict[str, Any] = {}
    usage: dict[str, Any] | None = None


class Assembly:
    """Puts the events of one stream together. Lives as long as the stream.

    Attributes:
        is_whole: whether the server said that the message ends here.
    """

    def __init__(self) -> None:
        self.is_whole = False
        self._body: dict[str, Any] = {}
        self._usage: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._arguments: dict[int, list[str]] = {}

    @property
    def body(self) -> dict[str, Any]:
        """The answer as far as it came, as if it had come at once. Arguments that are no JSON stay a text."""
        content = [self._finished(index) for index in sorted(self._blocks)]
        return {**self._body, "content": content, "usage": self._usage}

    def take(self, chunk: Any) -> Iterator[StreamEvent]:
        """Add one event of the stream, and yield what it tells. Kinds that nobody knows are passed over.

        Raises:
            UnreadableError: it is not what the protocol says.
        """
        event = _checked(chunk, _Chunk)
        match event.type:
            case "message_start":
                self._body = dict(event.message)
                self._count(event.message.get("usage"))
            case "content_block_start":
                yield from self._begin(event.index, event.content_block)
            case "content_block_delta":
                yield from self._add(event.index, _checked(event.delta, _Delta))
            case "message_delta":
                self._body |= event.delta
                self._count(event.usage)
            case "message_stop":
                self.is_whole = True

    def _begin(self, index: int, content_block: dict[str, Any]) -> Iterator[StreamEvent]:
        block = _checked(content_block, _Block)
        self._blocks[index] = dict(content_block)
        if block.type == "tool_use":
            number = len(self._arguments)
            self._arguments[index] = []
            yield ToolCallStarted(index=number, id=block.id, name=block.name)
        if block.text:
            yield ContentDelta(text=block.text)
        if block.thinking:
            yield ReasoningDelta(text=block.thinking)

    def _add(self, index: int, delta: _Delta) -> Iterator[StreamEvent]:
        block = self._blocks.get(index)
        if block is None:
            raise UnreadableError("it added to a piece of content that it had not begun")
        match delta.type:
            case "text_delta":
                block["text"] = block.get("text", "") + delta.text
                yield ContentDelta(text=delta.text)
            case "thinking_delta":
                block["thinking"] = block.get("thinking", "") + delta.thinking
                yield ReasoningDelta(text=delta.thinking)
            case "signature_delta":
                block["signature"] = delta.signature
            case "input_json_delta":
                self._arguments.setdefault(index, []).append(delta.partial_json)

    def _count(self, usage: Any) -> None:
        """Keep the newest counts: they are those of the whole message so far."""
        if isinstance(usage, dict):
            self._usage |= {name: number for name, number in usage.items() if number is not None}

    def _finished(self, index: int) -> dict[str, Any]:
        block = self._blocks[index]
        text = "".join(self._arguments.get(index, ()))
        return {**block, "input": _json_object(text)} if text.strip() else block


def read_answer(body: Any, *, model: str) -> StreamComplete:
    """Return what a whole answer says. The message is that of *model*, which was asked; the usage is of who answered.

    Raises:
        UnreadableError: it is not what the protocol says.
    """
    answer = _checked(body, _Body)
    parts: list[Part] = []
    calls: list[ToolCall] = []
    in_order = True
    for content in answer.content:
        block = _checked(content, _Block)
        if block.type == "tool_use":
            calls.append(_call(block))
            continue
        in_order = in_order and not calls
        parts += _part(block, content)
    message = Message(
        role="assistant",
        content=_content(parts),
        tool_calls=tuple(calls),
        model=model,
        metadata={"stop_details": answer.stop_details} if answer.stop_details else {},
    )
    if not in_order:  # the order is in the provider's own JSON alone, and it must go back as it came
        message = message.with_raw(msgspec.json.encode({"content": answer.content}))
    stop = _STOPS.get(answer.stop_reason or "", "other")
    return StreamComplete(
        message=message,
        usage=_usage(answer.usage, model=answer.model or model),
        stop="tools" if calls and stop == "end" else stop,
    )


def _part(block: _Block, content: dict[str, Any]) -> list[Part]:
    match block.type:
        case "text":
            return [TextPart(text=block.text)] if block.text else []
        case "thinking":
            return [ThinkingPart(text=block.thinking, signature=block.signature or None)]
        case _:
            return [DataPart(data=content)]


def _content(parts: list[Part]) -> str | tuple[Part, ...]:
    if not parts:
        return ""
    first = parts[0]
    return first.text if len(parts) == 1 and isinstance(first, TextPart) else tuple(parts)


def _call(block: _Block) -> ToolCall:
    if not block.id or not block.name:
        raise UnreadableError("it called a tool without a name or an id")
    if isinstance(block.input, dict):
        return ToolCall(id=block.id, name=block.name, arguments=block.input)
    if block.input is None:
        return ToolCall(id=block.id, name=block.name)
    text = block.input if isinstance(block.input, str) else msgspec.json.encode(block.input).decode()
    return ToolCall(id=block.id, name=block.name, arguments_text=text)


def _json_object(text: str) -> dict[str, Any] | str:
    """Return the arguments that *text* holds, or the text itself if it is something else."""
    try:
        arguments = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text
    return arguments if isinstance(arguments, dict) else text


def _usage(tokens: _Tokens, *, model: str) -> Usage:
    return Usage(
        model=model,
        input_tokens=_count(tokens.input_tokens),
        output_tokens=_count(tokens.output_tokens),
        cache_creation_tokens=_count(tokens.cache_creation_input_tokens),
        cache_read_tokens=_count(tokens.cache_read_input_tokens),
    )


def _count(number: int | None) -> int:
    return min(max(number or 0, 0), _MOST)


def _checked(value: Any, shape: type[_Shape]) -> _Shape:
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        raise UnreadableError(f"it answered with something that the Messages API does not have: {error}") from error
