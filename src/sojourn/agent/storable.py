"""Text as it can be written. Some models and programs send half a character, which no journal and no wire can hold."""

from typing import Any

from msgspec.structs import replace

from sojourn.model.message import Message, Part, TextPart, ThinkingPart, ToolCall


def storable(text: str) -> str:
    """Return *text* as it can be written: half a character becomes a question mark."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def storable_message(message: Message) -> Message:
    """Return *message* with text and calls that can be written."""
    content = message.content
    return replace(
        message,
        content=storable(content) if isinstance(content, str) else tuple(map(_part, content)),
        tool_calls=tuple(map(_call, message.tool_calls)),
    )


def _part(part: Part) -> Part:
    match part:
        case TextPart(text=text) | ThinkingPart(text=text):
            return replace(part, text=storable(text))
        case _:
            return part


def _call(call: ToolCall) -> ToolCall:
    return replace(
        call,
        id=storable(call.id),
        name=storable(call.name),
        arguments=_value(call.arguments),
        arguments_text=None if call.arguments_text is None else storable(call.arguments_text),
    )


def _value(value: Any) -> Any:
    match value:
        case str():
            return storable(value)
        case dict():
            return {_value(name): _value(inner) for name, inner in value.items()}
        case list():
            return [_value(inner) for inner in value]
        case _:
            return value
