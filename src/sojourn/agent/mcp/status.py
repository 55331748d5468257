"""How a connection is doing: five states, one table of moves, and the news about them.

An error is kept until somebody asks to try again: nothing but `connecting` follows it, so whoever looks later still
sees it, and closing does not wipe it away.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sojourn.agent.mcp.offers import Artifacts
from sojourn.engine.bus import News
from sojourn.model.ids import SessionId


class Status(StrEnum):
    """How a connection is doing."""

    DISCONNECTED = "disconnected"
    CONNECTING = "connecting"
    CONNECTED = "connected"
    RECONNECTING = "reconnecting"
    ERROR = "error"


LEGAL: Final[dict[Status, frozenset[Status]]] = {
    Status.DISCONNECTED: frozenset({Status.CONNECTING}),
    Status.CONNECTING: frozenset({Status.CONNECTED, Status.RECONNECTING, Status.ERROR, Status.DISCONNECTED}),
    Status.CONNECTED: frozenset({Status.RECONNECTING, Status.DISCONNECTED}),
    Status.RECONNECTING: frozenset({Status.CONNECTED, Status.ERROR, Status.DISCONNECTED}),
    Status.ERROR: frozenset({Status.CONNECTING}),
}


def moved(current: Status, to: Status) -> Status:
    """Return *to*, if that may follow *current*.

    Raises:
        RuntimeError: it may not.
    """
    if to not in LEGAL[current]:
        raise RuntimeError(f"a connection that is {current} cannot become {to}")
    return to


NO_SESSION: Final = SessionId("")


@dataclass(frozen=True, slots=True, kw_only=True)
class McpNews(News):
    """Something happened with a server. It concerns no session, unless its publisher says which."""

    session_id: SessionId = NO_SESSION
    server_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionStatusChanged(McpNews):
    """A connection is doing otherwise now; *reason* says why where it is no good news."""

    status: Status
    previous_status: Status
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconnectProgress(McpNews):
    """A connection waits to be tried again: so many attempts failed, and the next is due in so many seconds."""

    attempts: int
    max_attempts: int | None
    next_retry_delay: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactsFetched(McpNews):
    """What a server has on offer was read; *changed* tells whether it is something else than before."""

    artifacts: Artifacts
    changed: bool
