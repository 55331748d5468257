"""All servers of an agent or an app, opened and closed together. What goes wrong with one is nothing to the others."""

import logging
from collections.abc import Iterable, Mapping
from typing import Self

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup

from sojourn.agent.mcp.config import McpServer
from sojourn.agent.mcp.connection import Announce, Connection, Sleep, tell_nobody
from sojourn.agent.mcp.link import OpenLink
from sojourn.agent.mcp.offers import McpPrompt, McpResource
from sojourn.agent.mcp.sdk import open_link, require_sdk
from sojourn.agent.mcp.source import McpSource, SkillNames
from sojourn.agent.mcp.status import Status
from sojourn.clock import Clock
from sojourn.errors import AlreadyExistsError, NotFoundError

_log = logging.getLogger(__name__)


class Mcp:
    """The servers and their connections. Lives from `async with` to its end, in one task; then all programs are gone.

    Opening does not wait: servers connect in the background. `ready` waits until each has connected or failed once.
    """

    def __init__(
        self,
        servers: Iterable[McpServer],
        *,
        announce: Announce = tell_nobody,
        clock: Clock | None = None,
        sleep: Sleep = anyio.sleep,
        open_link: OpenLink = open_link,
    ) -> None:
        """Prepare for *servers*; nothing is started yet.

        Raises:
            AlreadyExistsError: two servers have one name.
        """
        self._connections: dict[str, Connection] = {}
        for server in servers:
            if server.name in self._connections:
                raise AlreadyExistsError(f"two MCP servers are called {server.name!r}")
            self._connections[server.name] = Connection(
                server, announce=announce, clock=clock, sleep=sleep, open_link=open_link
            )
        names = SkillNames()
        self._sources = {name: McpSource(connection, names=names) for name, connection in self._connections.items()}
        self._tasks: TaskGroup | None = None

    def __repr__(self) -> str:
        return f"Mcp({', '.join(f'{name}: {status}' for name, status in self.statuses.items())})"

    async def __aenter__(self) -> Self:
        """Begin to connect with all servers.

        Raises:
            MissingExtraError: the extra `mcp` is not installed.
        """
        if self._connections:
            await anyio.to_thread.run_sync(require_sdk)
        self._tasks = anyio.create_task_group()
        await self._tasks.__aenter__()
        for connection in self._connections.values():
            self._tasks.start_soon(_run, connection, name=f"mcp {connection.name}")
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        if self._tasks is not None:
            tasks, self._tasks = self._tasks, None
            tasks.cancel_scope.cancel()
            await tasks.__aexit__(None, None, None)

    async def ready(self) -> None:
        """Return when each server has connected, or failed for the first time."""
        for connection in self._connections.values():
            await connection.settled()

    @property
    def connections(self) -> Mapping[str, Connection]:
        """The connections by the names of their servers, in the order of the configuration."""
        return self._connections

    @property
    def sources(self) -> tuple[McpSource, ...]:
        """The skills of each server."""
        return tuple(self._sources.values())

    @property
    def statuses(self) -> dict[str, Status]:
        """How each connection is doing."""
        return {name: connection.status for name, connection in self._connections.items()}

    @property
    def prompts(self) -> tuple[tuple[str, McpPrompt], ...]:
        """The prompts on offer, each with the name of its server."""
        return tuple(
            (name, prompt) for name, connection in self._connections.items() for prompt in connection.artifacts.prompts
        )

    @property
    def resources(self) -> tuple[tuple[str, McpResource], ...]:
        """The resources on offer, templates among them, each with the name of its server."""
        return tuple(
            (name, resource)
            for name, connection in self._connections.items()
            for resource in connection.artifacts.resources
        )

    def connection(self, server: str) -> Connection:
        """Return the connection with *server*.

        Raises:
            NotFoundError: there is none of this name.
        """
        self._check(server)
        return self._connections[server]

    def source(self, server: str) -> McpSource:
        """Return the skills of *server*.

        Raises:
            NotFoundError: there is none of this name.
        """
        self._check(server)
        return self._sources[server]

    def retry(self, server: str) -> None:
        """Try *server* again now.

        Raises:
            NotFoundError: there is none of this name.
        """
        self.connection(server).retry()

    def _check(self, server: str) -> None:
        if server not in self._connections:
            raise NotFoundError(
                f"no MCP server is called {server!r}; there are: {', '.join(self._connections) or 'none'}"
            )


async def _run(connection: Connection) -> None:
    try:
        await connection.run()
    except Exception:  # noqa: BLE001 - a mistake of ours, which must not take the other servers along
        _log.exception("the connection with %s ended", connection.name)
