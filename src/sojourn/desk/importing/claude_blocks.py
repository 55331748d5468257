"""The content of Claude Code's messages: blocks of Anthropic's API, as parts of ours."""

import base64
import binascii
from collections.abc import Iterator
from typing import Any

from sojourn.model.message import DataPart, MediaPart, Message, Part, TextPart, ThinkingPart, ToolCall


def blocks_of(content: Any) -> list[dict[str, Any]]:
    """Return the blocks of a message's content; plain text is one block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def part_of(block: dict[str, Any]) -> Part:
    """Return a block as a part; one that has no counterpart is kept as it is."""
    match block:
        case {"type": "text", "text": str(text)}:
            return TextPart(text=text)
        case {"type": "thinking", "thinking": str(text)}:
            signature = block.get("signature")
            return ThinkingPart(text=text, signature=signature if isinstance(signature, str) else None)
        case {"type": "image" | "document", "source": {"type": "base64", "media_type": str(kind), "data": str(data)}}:
            try:
                return MediaPart(media_type=kind, data=base64.b64decode(data, validate=True))
            except (binascii.Error, ValueError):
                return DataPart(data=block)
        case {"type": "image" | "document", "source": {"type": "url", "url": str(url)}}:
            return MediaPart(media_type="image/*" if block["type"] == "image" else "application/pdf", url=url)
        case _:
            return DataPart(data=block)


def content_of(blocks: list[dict[str, Any]]) -> str | tuple[Part, ...]:
    """Return blocks as a message's content: plain text, if they are nothing else."""
    parts = tuple(part_of(block) for block in blocks)
    if all(isinstance(part, TextPart) for part in parts):
        return "\n".join(part.text for part in parts if isinstance(part, TextPart))
    return parts


def call_of(block: dict[str, Any]) -> ToolCall | None:
    """Return the call of a tool that a block is, if it is one."""
    match block:
        case {"type": "tool_use", "id": str(call_id), "name": str(name)}:
            given = block.get("input")
            return ToolCall(id=call_id, name=name, arguments=given if isinstance(given, dict) else {})
        case _:
            return None


def result_of(block: dict[str, Any], names: dict[str, str]) -> Message | None:
    """Return the result of a tool that a block is, if it is one; *names* says what each call called."""
    match block:
        case {"type": "tool_result", "tool_use_id": str(call_id)}:
            return Message(
                role="tool",
                content=content_of(blocks_of(block.get("content"))),
                tool_call_id=call_id,
                name=names.get(call_id),
                error=block.get("is_error") is True,
            )
        case _:
            return None


def results_of(blocks: list[dict[str, Any]], names: dict[str, str]) -> Iterator[Message]:
    """Yield the results of tools among *blocks*."""
    for block in blocks:
        result = result_of(block, names)
        if result is not None:
            yield result
