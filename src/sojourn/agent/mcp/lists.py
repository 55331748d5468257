"""A server's lists, page by page, as values of our own. They come from outside: bounded in number and in length."""

import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final

from sojourn.agent.mcp import content
from sojourn.agent.mcp.offers import McpPrompt, McpResource, McpTool, PromptArgument

_log = logging.getLogger(__name__)

MAX_PAGES: Final = 100
"""Pages of a list that are read; a server that has more, or never ends, is cut there."""
MAX_OFFERS: Final = 1_000
"""Entries of a list that are taken."""
MAX_SCHEMA: Final = 32_768
"""Characters of a tool's schema, as JSON; a tool with a longer one is left out, for no model could use it."""
_TITLE: Final = 200


async def all_pages(fetch: Callable[..., Awaitable[Any]], field: str, *, optional: bool = False) -> tuple[Any, ...]:
    """Return what all pages of a list hold. An *optional* list that a server does not know is empty."""
    from mcp import MCPError  # noqa: PLC0415 - loaded by now
    from mcp_types import METHOD_NOT_FOUND  # noqa: PLC0415

    found: list[Any] = []
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        try:
            page = await fetch(cursor=cursor)
        except MCPError as error:
            if optional and error.code == METHOD_NOT_FOUND:
                return ()
            raise
        found += getattr(page, field)
        cursor = page.next_cursor
        if len(found) > MAX_OFFERS:
            break
        if cursor is None:
            return tuple(found)
    _log.warning("a list of %s is too long: more than %d, or than %d pages", field, MAX_OFFERS, MAX_PAGES)
    return tuple(found[:MAX_OFFERS])


def is_usable(tool: McpTool) -> bool:
    """Tell whether a model can be told of *tool*."""
    return len(json.dumps(tool.parameters)) <= MAX_SCHEMA


def tool_from(entry: Any) -> McpTool:
    """Return a tool of the SDK as ours."""
    hints = entry.annotations
    return McpTool(
        name=entry.name,
        title=content.bounded(entry.title or (hints.title if hints else ""), _TITLE),
        description=content.bounded(entry.description),
        parameters=content.visible_schema(entry.input_schema),
        read_only=bool(hints and hints.read_only_hint),
        destructive=bool(hints and hints.destructive_hint),
    )


def prompt_from(entry: Any) -> McpPrompt:
    """Return a prompt of the SDK as ours."""
    return McpPrompt(
        name=entry.name,
        title=content.bounded(entry.title, _TITLE),
        description=content.bounded(entry.description),
        arguments=tuple(
            PromptArgument(
                name=argument.name,
                description=content.bounded(argument.description),
                required=bool(argument.required),
            )
            for argument in entry.arguments or ()
        ),
    )


def resource_from(uri: str, entry: Any, *, is_template: bool = False) -> McpResource:
    """Return a resource or a template of the SDK as ours."""
    return McpResource(
        uri=str(uri),
        name=content.bounded(entry.name, _TITLE),
        description=content.bounded(entry.description),
        mime_type=entry.mime_type or "",
        is_template=is_template,
    )
