"""Reading what a server sent, of which nobody has checked anything: a wrong shape reads as nothing.

Servers that speak the OpenAI protocol differ in what they leave out, so only what a message is made of is looked for,
and each piece is taken for what it is.
"""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from sojourn.model.message import Message, Part, TextPart, ThinkingPart, ToolCall
from sojourn.model.usage import Usage

_MOST: Final = 10**12
_DEEPEST: Final = 64
"""So many levels of nesting are kept as values; the journal takes little more."""


def mapping(value: Any) -> dict[str, Any]:
    """Return *value* if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects in the list *value*."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def text(value: Any) -> str:
    """Return *value* if it is text, else nothing. Half a character, which no store takes, becomes a sign for it."""
    if not isinstance(value, str):
        return ""
    if value.isascii():
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def count(value: Any) -> int:
    """Return *value* if it is a number of tokens, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST else 0


def usage(model: str, *, read: Any, written: Any, details: Any) -> Usage:
    """Return what was used. Both protocols count what was cached among what was *read*; the buckets are disjoint."""
    total = count(read)
    cached = min(count(mapping(details).get("cached_tokens")), total)
    stored = min(count(mapping(details).get("cache_write_tokens")), total - cached)
    return Usage(
        model=model,
        input_tokens=total - cached - stored,
        output_tokens=count(written),
        cache_creation_tokens=stored,
        cache_read_tokens=cached,
    )


def arguments(value: Any) -> str:
    """Return a call's arguments as text; some servers send the object itself."""
    return msgspec.json.encode(value).decode() if isinstance(value, dict) else text(value)


def tool_call(call_id: str, name: str, written: str) -> ToolCall:
    """Return a call whose arguments came as *written*; no text is no arguments."""
    if not written.strip():
        return ToolCall(id=call_id, name=name)
    read = json_object(written)
    if read is None:
        return ToolCall(id=call_id, name=name, arguments_text=written)
    return ToolCall(id=call_id, name=name, arguments=read)


def json_object(written: str) -> dict[str, Any] | None:
    """Return the JSON object that is *written*; None if it is something else, not whole, or nested without end."""
    try:
        read = msgspec.json.decode(written)
    except (msgspec.DecodeError, RecursionError):
        return None
    return read if isinstance(read, dict) and not _is_deep(read) else None


def message(*, thinking: list[str], said: str, calls: tuple[ToolCall, ...], model: str) -> Message:
    """Return the assistant's message; what it said is plain text, unless it thought first."""
    thoughts = [ThinkingPart(text=one) for one in thinking if one]
    parts: tuple[Part, ...] = (*thoughts, *([TextPart(text=said)] if said else []))
    return Message(role="assistant", content=parts if thoughts else said, tool_calls=calls, model=model)


def with_kept(message: Message, kept: dict[str, Any]) -> Message:
    """Return *message* with what its provider wants back; without, if no store takes that: the talk must go on."""
    try:
        written = msgspec.json.encode(kept)
    except (UnicodeEncodeError, RecursionError):
        return message
    return message if _is_deep(kept) else message.with_raw(written)


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        level = [item for one in level for item in _inside(one)]
        if not level:
            return False
    return True


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
