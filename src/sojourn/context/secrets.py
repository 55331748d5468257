"""Messages without their secrets: what is shown to somebody who summarises them.

The journal keeps what was said. What leaves it to be summarised, by a model at a provider or by rules into a text that
every later context shows, holds no password and no key.
"""

from typing import Any

from msgspec.structs import replace

from sojourn.context.talk import Line
from sojourn.model.message import DataPart, Message, Part, TextPart, ThinkingPart, ToolCall
from sojourn.model.secrets import without_secrets


def redacted_line(line: Line) -> Line:
    """Return *line* with `[redacted:kind]` in place of each secret, in its text and in the arguments of its calls."""
    return replace(line, message=redacted_message(line.message))


def redacted_message(message: Message) -> Message:
    """Return *message* without its secrets; what the provider sent to the letter is left out."""
    content = message.content
    return Message(
        role=message.role,
        content=without_secrets(content) if isinstance(content, str) else tuple(map(_part, content)),
        tool_calls=tuple(map(_call, message.tool_calls)),
        tool_call_id=message.tool_call_id,
        name=message.name,
        error=message.error,
        partial=message.partial,
        model=message.model,
        tokens=message.tokens,
        metadata=message.metadata,
    )


def _part(part: Part) -> Part:
    match part:
        case TextPart(text=text):
            return TextPart(text=without_secrets(text))
        case ThinkingPart(text=text):
            return ThinkingPart(text=without_secrets(text))
        case DataPart(data=data):
            return DataPart(data=redacted_json(data))
        case _:
            return part


def _call(call: ToolCall) -> ToolCall:
    text = call.arguments_text
    return ToolCall(
        id=call.id,
        name=call.name,
        arguments=redacted_json(call.arguments),
        arguments_text=None if text is None else without_secrets(text),
    )


def redacted_json(value: Any) -> Any:
    """Return JSON without secrets. A text is judged with the name it stands under: `{"password": "..."}`."""
    match value:
        case str():
            return without_secrets(value)
        case list() | tuple():
            return [redacted_json(item) for item in value]
        case dict():
            return {name: _named(str(name), item) for name, item in value.items()}
        case _:
            return value


def _named(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return redacted_json(value)
    opening = f'{name}="'
    shown = without_secrets(f'{opening}{value}"')
    # A value with quotes of its own cannot be judged as one.
    return shown[len(opening) : -1] if shown.startswith(opening) and '"' not in value else without_secrets(value)
