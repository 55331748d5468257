"""One server kept reachable: connected, watched, and connected anew when it is lost.

One task runs a connection and alone enters and leaves its links; everybody else calls methods, which never wait for
that task. A server that never worked is an error, kept until somebody asks to try again: a program that is not there
does not come by waiting. One that worked is tried again and again, with growing pauses.
"""

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import anyio

from sojourn.agent.mcp.config import McpServer
from sojourn.agent.mcp.link import Link, LinkError, OpenLink, Outlook
from sojourn.agent.mcp.offers import NOTHING, Artifacts, PromptMessage
from sojourn.agent.mcp.sdk import open_link
from sojourn.agent.mcp.status import (
    ArtifactsFetched,
    ConnectionStatusChanged,
    McpNews,
    ReconnectProgress,
    Status,
    moved,
)
from sojourn.agent.skills.skill import ToolResult
from sojourn.clock import Clock, SystemClock
from sojourn.errors import McpError

_log = logging.getLogger(__name__)

Announce = Callable[[McpNews], Awaitable[None] | None]
"""Is told the news: a function, a coroutine function, or the `publish` of an `EventBus`."""
Sleep = Callable[[float], Awaitable[None]]
_LAST_NEWS: Final = 1.0
"""Seconds that whoever hears the last news may take while everything closes."""


def tell_nobody(_: McpNews) -> None:
    pass


class Connection:
    """The connection with one server. Lives as long as its `run`; after it, it can be run again."""

    def __init__(
        self,
        server: McpServer,
        *,
        announce: Announce = tell_nobody,
        clock: Clock | None = None,
        sleep: Sleep = anyio.sleep,
        open_link: OpenLink = open_link,
    ) -> None:
        self._server = server
        self._announce = announce
        self._clock = clock or SystemClock()
        self._sleep = sleep
        self._open_link = open_link
        self._status = Status.DISCONNECTED
        self._reason = ""
        self._artifacts = NOTHING
        self._link: Link | None = None
        self._attempts = 0
        self._has_worked = False
        self._requests = 0
        self._answered = False
        self._wake = anyio.Event()
        self._changed = anyio.Event()
        self._settled = anyio.Event()

    def __repr__(self) -> str:
        return f"Connection({self._server.name!r}, {self._status})"

    @property
    def server(self) -> McpServer:
        """The server it is with."""
        return self._server

    @property
    def name(self) -> str:
        """The server's name."""
        return self._server.name

    @property
    def status(self) -> Status:
        """How it is doing."""
        return self._status

    @property
    def reason(self) -> str:
        """Why it is not connected; empty when it is."""
        return self._reason

    @property
    def artifacts(self) -> Artifacts:
        """What the server has on offer. It stays while the connection is made anew; without hope there is nothing."""
        return self._artifacts if self._status in {Status.CONNECTED, Status.RECONNECTING} else NOTHING

    async def settled(self) -> None:
        """Return when the attempt that is under way, or comes next, has succeeded or failed."""
        await self._settled.wait()

    def retry(self) -> None:
        """Try now: after an error, or instead of waiting any longer. When connected, nothing happens."""
        if self._status in {Status.ERROR, Status.RECONNECTING}:
            self._settled = anyio.Event()
            self._wake.set()

    async def call(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        """Run *tool*. Cancelling tells the server to stop.

        Raises:
            McpError: not connected, refused, too late, or the connection broke.
        """
        with self._linked() as link:
            return await link.call(tool, arguments)

    async def prompt(self, name: str, arguments: dict[str, str]) -> tuple[PromptMessage, ...]:
        """Return the messages that the prompt *name* makes.

        Raises:
            McpError: as for `call`.
        """
        with self._linked() as link:
            return await link.prompt(name, arguments)

    async def read(self, uri: str) -> str:
        """Return a resource as text.

        Raises:
            McpError: as for `call`.
        """
        with self._linked() as link:
            return await link.read(uri)

    @contextmanager
    def _linked(self) -> Iterator[Link]:
        if self._link is None:
            why = f": {self._reason}" if self._reason else ""
            raise McpError(f"{self.name} is not connected ({self._status}){why}")
        self._requests += 1
        try:
            yield self._link
            self._answered = True
        finally:
            self._requests -= 1

    async def run(self) -> None:
        """Connect, and stay connected until cancelled. When this ends, no program and no stream is left.

        Raises:
            RuntimeError: it is running already.
        """
        status = moved(self._status, Status.CONNECTING)
        try:
            await self._begin(status)
            while True:
                self._attempts += 1
                lost = await self._live()
                if self._is_hopeless(lost):
                    await self._wait_for_retry(lost)
                else:
                    await self._wait_for_next_attempt(lost)
        finally:
            # An error stays to be seen.
            if self._status is not Status.ERROR:
                with anyio.move_on_after(_LAST_NEWS, shield=True):
                    await self._move(Status.DISCONNECTED)
            self._settled.set()
            self._settled = anyio.Event()

    async def _begin(self, status: Status) -> None:
        self._attempts, self._has_worked, self._artifacts = 0, False, NOTHING
        self._wake = anyio.Event()
        await self._move(status)

    async def _live(self) -> LinkError:
        """Connect and stay until the link is lost; return why it was, or why it could not be made."""
        self._changed = anyio.Event()
        try:
            async with self._open_link(self._server, self._heard_of_change) as link:
                lost = await self._stay(link)
                # Said before the link is left: a program that hangs takes seconds to be ended.
                self._link = None
                if self._status is Status.CONNECTED:
                    await self._move(Status.RECONNECTING, lost.reason)
                return lost
        except LinkError as error:
            return error
        finally:
            self._link = None

    async def _stay(self, link: Link) -> LinkError:
        """Use *link* until it is lost; return why it was. It must not raise: the link is left in good order."""
        lost: list[LinkError] = []
        async with anyio.create_task_group() as tasks:

            async def until(end: Callable[[Link], Awaitable[LinkError]]) -> None:
                lost.append(await end(link))
                tasks.cancel_scope.cancel()

            # Listening comes first: what changes after the lists were read is heard.
            listening = anyio.Event()
            tasks.start_soon(self._listen, link, listening)
            tasks.start_soon(until, self._gone)
            await listening.wait()
            try:
                artifacts = await link.artifacts()
            except McpError as error:
                lost.append(LinkError(error.detail))
                tasks.cancel_scope.cancel()
            else:
                await self._linked_up(link, artifacts)
                tasks.start_soon(until, self._unhealthy)
                tasks.start_soon(self._refresh, link)
        return lost[0]

    async def _linked_up(self, link: Link, artifacts: Artifacts) -> None:
        self._link, self._attempts, self._has_worked, self._answered = link, 0, True, False
        await self._move(Status.CONNECTED)
        await self._fetched(artifacts)
        self._settled.set()

    async def _gone(self, link: Link) -> LinkError:
        said = await link.broken()
        return LinkError(f"it ended the connection: {said}" if said else "it ended the connection")

    async def _unhealthy(self, link: Link) -> LinkError:
        """Ask every few seconds whether the server answers; return when it did not, too often in a row.

        A server at work is left alone: many answer nothing else meanwhile, and the request has its own limit. One
        that answered a request since the last look is well.
        """
        timing = self._server.timing
        failures, at_work = 0, 0.0
        while True:
            await self._sleep(timing.health_interval)
            if self._answered:
                self._answered, failures, at_work = False, 0, 0.0
                continue
            if self._requests and at_work < timing.call:
                at_work += timing.health_interval
                continue
            try:
                await link.ping()
            except McpError as error:
                failures += 1
                if failures >= timing.unhealthy_after:
                    return LinkError(f"unhealthy: {error.detail}")
            else:
                failures = 0

    async def _listen(self, link: Link, listening: anyio.Event) -> None:
        """Keep listening for changes. A stream that ended may have missed some, so all is read anew."""
        while True:
            await link.listen(self._heard_of_change if listening.is_set() else listening.set)
            listening.set()
            await self._sleep(self._server.timing.health_interval)

    async def _refresh(self, link: Link) -> None:
        while True:
            await self._changed.wait()
            self._changed = anyio.Event()
            try:
                await self._fetched(await link.artifacts())
            except McpError as error:
                _log.warning("what %s offers could not be read anew: %s", self.name, error.detail)
            await self._sleep(self._server.timing.refresh_interval)

    def _heard_of_change(self) -> None:
        self._changed.set()

    async def _fetched(self, artifacts: Artifacts) -> None:
        changed = artifacts != self._artifacts
        self._artifacts = artifacts
        await self._tell(
            ArtifactsFetched(server_name=self.name, at=self._clock.now(), artifacts=artifacts, changed=changed)
        )

    def _is_hopeless(self, lost: LinkError) -> bool:
        limit = self._server.timing.max_attempts
        return self._attempts > 0 and (
            lost.outlook is Outlook.REFUSED
            or (lost.outlook is Outlook.UNFIT and not self._has_worked)
            or (limit is not None and self._attempts >= limit)
        )

    async def _wait_for_retry(self, lost: LinkError) -> None:
        self._wake = anyio.Event()
        await self._move(Status.ERROR, lost.reason)
        self._settled.set()
        await self._wake.wait()
        await self._begin(Status.CONNECTING)

    async def _wait_for_next_attempt(self, lost: LinkError) -> None:
        if self._status is Status.RECONNECTING:
            self._reason = lost.reason
        else:
            await self._move(Status.RECONNECTING, lost.reason)
        self._settled.set()
        await self._back_off()

    async def _back_off(self) -> None:
        """Wait until the next attempt is due, or asked for, and tell now and then that one waits."""
        timing = self._server.timing
        left = timing.delay(self._attempts)
        while left > 0 and not self._wake.is_set():
            await self._tell(
                ReconnectProgress(
                    server_name=self.name,
                    at=self._clock.now(),
                    attempts=self._attempts,
                    max_attempts=timing.max_attempts,
                    next_retry_delay=left,
                )
            )
            step = min(left, timing.progress_interval)
            await self._sleep_unless_woken(step)
            left -= step
        self._wake = anyio.Event()

    async def _sleep_unless_woken(self, seconds: float) -> None:
        async with anyio.create_task_group() as tasks:

            async def woken() -> None:
                await self._wake.wait()
                tasks.cancel_scope.cancel()

            tasks.start_soon(woken)
            await self._sleep(seconds)
            tasks.cancel_scope.cancel()

    async def _move(self, to: Status, reason: str = "") -> None:
        previous = self._status
        self._status, self._reason = moved(previous, to), reason
        await self._tell(
            ConnectionStatusChanged(
                server_name=self.name,
                at=self._clock.now(),
                status=to,
                previous_status=previous,
                reason=reason,
            )
        )

    async def _tell(self, news: McpNews) -> None:
        try:
            outcome = self._announce(news)
            if inspect.isawaitable(outcome):
                await outcome
        except Exception:  # noqa: BLE001 - whoever listens is anybody's code, and the connection goes on
            _log.exception("a handler of %s failed", type(news).__name__)
