"""What servers send, as text that a model can be shown. It comes from outside, so it is bounded and made visible.

Pictures and sounds are not passed on: a note says what was there.
"""

import json
import unicodedata
from typing import TYPE_CHECKING, Any, Final

from sojourn.agent.skills.skill import ToolResult

if TYPE_CHECKING:
    from mcp_types import CallToolResult, ContentBlock, ReadResourceResult

MAX_DESCRIPTION: Final = 2_000
"""Characters of a description that a model is shown."""
_DESCRIBING: Final = frozenset({"description", "title", "$comment"})
_BASE64: Final = 3 / 4


def bounded(text: str | None, limit: int = MAX_DESCRIPTION) -> str:
    """Return *text* without characters that nobody sees, and not longer than *limit*.

    Invisible characters can hide instructions from the human who looks at what a model is told.
    """
    seen = "".join(
        character
        for character in text or ""
        if character in "\n\t" or unicodedata.category(character) not in {"Cc", "Cf", "Co", "Cs", "Cn"}
    ).strip()
    return seen if len(seen) <= limit else seen[: limit - 1].rstrip() + "…"


def visible_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a JSON Schema whose descriptions and titles are bounded like any other."""
    return {key: _visible(key, value) for key, value in schema.items()}


def _visible(key: str, value: Any) -> Any:
    match value:
        case str() if key in _DESCRIBING:
            return bounded(value)
        case dict():
            return visible_schema(value)
        case list():
            return [_visible("", item) for item in value]
        case _:
            return value


def text_of(block: "ContentBlock") -> str:
    """Return a piece of content as text, or a note of what it is."""
    match block.type:
        case "text":
            return block.text
        case "image" | "audio":
            return f"[{block.type}: {block.mime_type}, {_size(block.data)} bytes]"
        case "resource_link":
            return f"[resource: {block.uri}]"
        case "resource":
            return _contents(block.resource)


def resource_text(result: "ReadResourceResult") -> str:
    """Return what was read of a resource as text."""
    return "\n".join(_contents(part) for part in result.contents)


def tool_result(result: "CallToolResult") -> ToolResult:
    """Return what a tool came back with; its structured content is the data."""
    text = "\n".join(text_of(block) for block in result.content)
    data = result.structured_content
    if result.is_error:
        return ToolResult(error=text.strip() or "The tool failed and did not say why.", data=data)
    if not text and data is not None:
        text = json.dumps(data, ensure_ascii=False)
    return ToolResult(output=text, data=data)


def _contents(part: Any) -> str:
    if (text := getattr(part, "text", None)) is not None:
        return str(text)
    return f"[{part.mime_type or 'data'}: {_size(part.blob)} bytes, not text]"


def _size(data: str) -> int:
    return int(len(data.rstrip("=")) * _BASE64)
