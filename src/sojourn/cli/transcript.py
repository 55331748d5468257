"""Messages as people and programs read them."""

from collections.abc import Iterator
from typing import Any, Final, Literal

import msgspec

from sojourn.cli.output import Dim, Strong
from sojourn.clock import SystemClock
from sojourn.desk.wording import ago, one_line
from sojourn.model.entry import Entry
from sojourn.model.events import MessageAdded
from sojourn.model.message import MediaPart, Message, ThinkingPart, ToolCall

Tools = Literal["none", "names", "full"]
"""How much of tool calls and their results is shown: nothing, which tools, or all."""
TOOLS: Final[tuple[Tools, ...]] = ("none", "names", "full")
_MARGIN: Final = "  "


def message_of(entry: Entry) -> Message | None:
    """Return the message that an entry adds, if it is one."""
    return entry.event.message if isinstance(entry.event, MessageAdded) else None


def message_data(entry: Entry, message: Message, tools: Tools) -> dict[str, Any] | None:
    """Return a message for programs; None if nothing of it is to be shown."""
    if tools == "none" and not _has_words(message):
        return None
    data: dict[str, Any] = {"seq": entry.seq, "at": entry.at.isoformat(), "role": message.role, "text": message.text}
    for name in ("name", "model", "tool_call_id"):
        if getattr(message, name) is not None:
            data[name] = getattr(message, name)
    for name in ("partial", "error"):
        if getattr(message, name):
            data[name] = True
    if message.tool_calls and tools != "none":
        data["tool_calls"] = [_call_data(call, tools) for call in message.tool_calls]
    if message.role == "tool" and tools == "names":
        del data["text"]
    return data


def message_lines(entry: Entry, message: Message, tools: Tools) -> Iterator[str]:
    """Yield a message for people: who said it and when, and below it what, indented so that nothing can pass for it."""
    if tools == "none" and not _has_words(message):
        return
    who = f"{message.role} {message.name}" if message.name else message.role
    marks = [mark for mark, is_set in (("cut off", message.partial), ("failed", message.error)) if is_set]
    head = "  ".join([f"[{entry.seq}]", one_line(who), ago(entry.at, SystemClock().now()), *marks])
    yield Strong(head)
    if message.role != "tool" or tools == "full":
        yield from indented(message.text)
        for part in () if isinstance(message.content, str) else message.content:
            if isinstance(part, MediaPart):
                yield Dim(f"{_MARGIN}({one_line(part.media_type)}: {one_line(part.name or part.url or 'inline')})")
            elif isinstance(part, ThinkingPart) and tools == "full":
                yield from map(Dim, indented(part.text))
    if tools != "none":
        for call in message.tool_calls:
            yield Dim(f"{_MARGIN}▸ {one_line(call.name)}{_arguments(call) if tools == 'full' else ''}")


def indented(text: str) -> list[str]:
    """Return the lines of *text*, each behind a margin."""
    return [f"{_MARGIN}{line}" for line in text.split("\n")] if text else []


def _has_words(message: Message) -> bool:
    return message.role != "tool" and bool(message.text.strip())


def _call_data(call: ToolCall, tools: Tools) -> dict[str, Any]:
    named = {"id": call.id, "name": call.name}
    if tools == "names":
        return named
    if call.arguments_text is not None:
        return {**named, "arguments_text": call.arguments_text}
    return {**named, "arguments": call.arguments}


def _arguments(call: ToolCall) -> str:
    return f" {call.arguments_text or msgspec.json.encode(call.arguments).decode()}"
