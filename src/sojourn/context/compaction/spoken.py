"""What a message says, as a summariser reads it: who speaks, and in words, whatever the message is made of."""

from typing import Final, NamedTuple

import msgspec

from sojourn.context.talk import Line
from sojourn.model.message import MediaPart, Message, ToolCall

_ARGUMENTS: Final = 200


class Spoken(NamedTuple):
    """Who says something, and what."""

    speaker: str
    text: str
    is_error: bool = False
    calls: tuple[str, ...] = ()


def spoken(line: Line) -> Spoken:
    """Return what *line* says. Its calls stand apart from its words; a model's thoughts are its own and left out."""
    message = line.message
    speaker = f"tool {message.name}" if message.role == "tool" and message.name else message.role
    words = "\n".join(part for part in (message.text.strip(), *_shown_media(message)) if part)
    return Spoken(speaker, words, message.error, tuple(_called(call) for call in message.tool_calls))


def _shown_media(message: Message) -> list[str]:
    if isinstance(message.content, str):
        return []
    media = [part for part in message.content if isinstance(part, MediaPart)]
    return [f"[{part.media_type}{f' {part.name}' if part.name else ''}]" for part in media]


def _called(call: ToolCall) -> str:
    arguments = call.arguments_text or ", ".join(
        f"{name}={value if isinstance(value, str) else msgspec.json.encode(value).decode()}"
        for name, value in call.arguments.items()
        if not name.startswith("_")
    )
    flat = " ".join(arguments.split())
    return f"{call.name}({flat if len(flat) <= _ARGUMENTS else flat[: _ARGUMENTS - 1] + '…'})"
