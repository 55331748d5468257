"""The items of Codex's rollouts: those of OpenAI's Responses API, as messages of ours."""

import base64
import binascii
import re
from typing import Any, Final

import msgspec

from sojourn.desk.importing.talk import kind_of
from sojourn.model.message import DataPart, MediaPart, Message, Part, Role, TextPart, ThinkingPart, ToolCall

_ROLES: Final[dict[str, Role]] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
}
_CALLS: Final = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_RESULTS: Final = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
_ADDRESS: Final = re.compile(r"data:(?P<kind>[\w.+/-]{1,100});base64,(?P<data>.*)", re.DOTALL)


def is_answer(item: dict[str, Any]) -> bool:
    """Tell whether an item is part of what a model said."""
    kind = kind_of(item)
    return kind == "reasoning" or kind in _CALLS or (kind == "message" and item.get("role") == "assistant")


def message_of(item: dict[str, Any], names: dict[str, str] | None = None) -> Message | None:
    """Return an item as a message; None if it says nothing. *names* says what each call called."""
    match item:
        case {"type": "message", "role": str(role)} if role in _ROLES:
            return Message(role=_ROLES[role], content=_content(item.get("content")))
        case {"type": "reasoning"}:
            text = "\n\n".join([*_texts(item.get("summary")), *_texts(item.get("content"))])
            return Message(role="assistant", content=(ThinkingPart(text=text),)) if text else None
        case {"type": str(kind)} if kind in _CALLS:
            return _call(item)
        case {"type": str(kind), "call_id": str(call_id)} if kind in _RESULTS:
            content, failed = _output(item.get("output"))
            name = (names or {}).get(call_id)
            return Message(role="tool", content=content, tool_call_id=call_id, name=name, error=failed)
        case _:
            return None


def _call(item: dict[str, Any]) -> Message | None:
    call_id = item.get("call_id") or item.get("id")
    if not isinstance(call_id, str):
        return None
    name = item.get("name")
    given = item.get("arguments", item.get("input", item.get("action")))
    arguments, text = _arguments(given)
    called = name if isinstance(name, str) else str(item["type"]).removesuffix("_call")
    call = ToolCall(id=call_id, name=called, arguments=arguments, arguments_text=text)
    return Message(role="assistant", tool_calls=(call,))


def _arguments(given: Any) -> tuple[dict[str, Any], str | None]:
    """Return what a tool was called with; as text, if it is no JSON object."""
    if isinstance(given, dict):
        return given, None
    if not isinstance(given, str):
        return {}, None
    try:
        read = msgspec.json.decode(given)
    except (msgspec.MsgspecError, RecursionError):
        return {}, given
    return (read, None) if isinstance(read, dict) else ({}, given)


def _output(output: Any) -> tuple[str | tuple[Part, ...], bool]:
    """Return what a tool gave back, and whether it failed."""
    match output:
        case str():
            return output, False
        case {"content": content}:
            return _content(content), output.get("success") is False
        case list():
            return _content(output), False
        case None:
            return "", False
        case _:
            return (DataPart(data=output),), False


def _content(content: Any) -> str | tuple[Part, ...]:
    if isinstance(content, str):
        return content
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    parts = tuple(_part(block) for block in blocks)
    if all(isinstance(part, TextPart) for part in parts):
        return "\n".join(part.text for part in parts if isinstance(part, TextPart))
    return parts


def _part(block: dict[str, Any]) -> Part:
    match block:
        case {"type": "input_text" | "output_text" | "text", "text": str(text)}:
            return TextPart(text=text)
        case {"type": "input_image", "image_url": str(url)}:
            return _picture(url)
        case _:
            return DataPart(data=block)


def _picture(url: str) -> Part:
    held = _ADDRESS.fullmatch(url)
    if held is None:
        return MediaPart(media_type="image/*", url=url)
    try:
        return MediaPart(media_type=held["kind"], data=base64.b64decode(held["data"], validate=True))
    except (binascii.Error, ValueError):
        return DataPart(data={"type": "input_image", "image_url": url})


def _texts(parts: Any) -> list[str]:
    found = [part.get("text") for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return [text for text in found if isinstance(text, str) and text]
