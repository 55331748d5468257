"""What the panels look at: the open session's state, and the few things about a talk that no journal holds."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from sojourn.agent.mcp.status import Status
from sojourn.context.budget import Limits
from sojourn.model.header import SessionHeader
from sojourn.model.state import SessionState
from sojourn.tui.filling import Filling

if TYPE_CHECKING:  # few have servers of tools
    from sojourn.agent.mcp.servers import Mcp


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool of a server, and whether models are offered it."""

    name: str
    is_on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server of tools, and how the connection with it is doing."""

    name: str
    status: Status
    reason: str
    tools: tuple[Tool, ...]
    prompts: int = 0
    resources: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """One look at everything. A value: a panel compares its part of two of them to see whether to draw itself anew."""

    now: datetime
    state: SessionState | None = None
    filling: Filling | None = None
    limits: Limits | None = None
    sessions: tuple[SessionHeader, ...] = ()
    servers: tuple[Server, ...] = ()
    colours: dict[str, str] = field(default_factory=dict)
    """The theme's colours by name."""


def look_at_servers(mcp: "Mcp | None") -> tuple[Server, ...]:
    """Return the servers of tools as they are now."""
    if mcp is None:
        return ()
    return tuple(
        Server(
            name=source.name,
            status=source.connection.status,
            reason=source.connection.reason,
            tools=tuple(
                Tool(name=tool.name, is_on=source.is_enabled(tool.name)) for tool in source.connection.artifacts.tools
            ),
            prompts=len(source.connection.artifacts.prompts),
            resources=len(source.connection.artifacts.resources),
        )
        for source in mcp.sources
    )
