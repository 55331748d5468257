"""The servers of tools that a person has configured, for the time of a chat. What is wrong with one is only told."""

import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from sojourn.agent.mcp.config import McpServer, read_servers
from sojourn.agent.mcp.servers import Mcp
from sojourn.agent.mcp.status import ConnectionStatusChanged, McpNews, Status
from sojourn.errors import InvalidInputError, MissingExtraError

Note = Callable[[str], None]


@asynccontextmanager
async def open_servers(configured: Mapping[str, Mapping[str, Any]], note: Note) -> AsyncIterator[Mcp | None]:
    """Open the servers that are *configured*; None if there are none, or none can be used.

    They connect in the background; *note* hears of those that cannot be used, and of those that are lost.
    """
    servers = [server for name, entry in configured.items() if (server := _read(name, entry, note)) is not None]
    async with AsyncExitStack() as stack:
        opened: Mcp | None = None
        if servers:
            try:
                opened = await stack.enter_async_context(Mcp(servers, announce=lambda news: _tell(news, note)))
            except MissingExtraError as error:
                note(f"the MCP servers are left out: {error.detail}")
        yield opened


def _read(name: str, entry: Mapping[str, Any], note: Note) -> McpServer | None:
    try:
        found = read_servers({"mcpServers": {name: entry}}, environment=os.environ)
    except InvalidInputError as error:
        note(f"an MCP server is left out: {error.detail}")
        return None
    return found[0] if found else None


def _tell(news: McpNews, note: Note) -> None:
    match news:
        case ConnectionStatusChanged(status=Status.ERROR, server_name=name, reason=reason):
            note(f"the MCP server {name} does not work: {reason}")
        case ConnectionStatusChanged(status=Status.RECONNECTING, server_name=name, reason=reason):
            note(f"the MCP server {name} is lost, and tried again: {reason}")
        case _:
            pass
