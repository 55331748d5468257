"""What a connection needs of a server: an open session, called a link. `sdk` makes real ones, a test its own.

A link that broke stays broken: the connection opens another.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from enum import Enum, auto
from typing import Any, Protocol

from sojourn.agent.mcp.config import McpServer
from sojourn.agent.mcp.offers import Artifacts, PromptMessage
from sojourn.agent.skills.skill import ToolResult


class Outlook(Enum):
    """What may be hoped for after a failure."""

    MAY_COME_BACK = auto()
    UNFIT = auto()  # no hope if it never worked: no such program, no such page
    REFUSED = auto()  # no hope without a human: the key is wrong, the protocol another


class LinkError(Exception):
    """A link could not be made, or broke."""

    def __init__(self, reason: str, outlook: Outlook = Outlook.MAY_COME_BACK) -> None:
        super().__init__(reason)
        self.reason = reason
        self.outlook = outlook


class Link(Protocol):
    """An open session with a server. What it raises is `McpError`, with a sentence about what went wrong."""

    async def artifacts(self) -> Artifacts:
        """Return all that the server has on offer."""
        ...

    async def ping(self) -> None:
        """Return when the server answered."""
        ...

    async def listen(self, ready: Callable[[], None]) -> None:
        """Let the server tell when its offers change; call *ready* when it does, return when it no longer does."""
        ...

    async def broken(self) -> str:
        """Return when the server is gone, as far as that shows by itself; with its last words, if it had any."""
        ...

    async def call(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        """Run a tool. Cancelling tells the server to stop."""
        ...

    async def prompt(self, name: str, arguments: dict[str, str]) -> tuple[PromptMessage, ...]:
        """Return what a prompt makes of *arguments*."""
        ...

    async def read(self, uri: str) -> str:
        """Return a resource as text."""
        ...


OpenLink = Callable[[McpServer, Callable[[], None]], AbstractAsyncContextManager[Link]]
"""Opens a link to a server; the function is called whenever the server says that its offers changed.

It is entered and left by one task, and what runs inside must not raise errors of its own. It raises `LinkError` when
the server cannot be reached, is no MCP server, or is lost while the block runs.
"""
