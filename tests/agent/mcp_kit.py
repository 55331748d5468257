"""What the tests of MCP share: time that passes when it is told to, news that can be waited for, made-up links."""

import os
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import anyio
import anyio.lowlevel

from sojourn.agent.mcp.config import McpServer, Timing
from sojourn.agent.mcp.connection import Connection
from sojourn.agent.mcp.link import Link, LinkError
from sojourn.agent.mcp.offers import NOTHING, Artifacts, PromptMessage
from sojourn.agent.mcp.servers import Mcp
from sojourn.agent.mcp.status import ConnectionStatusChanged, McpNews, Status
from sojourn.agent.skills.skill import Skill, ToolResult
from sojourn.errors import McpError
from sojourn.testing import FakeClock
from tests.agent.mcp_server import HttpServer

PROGRAM = str(Path(__file__).with_name("mcp_server.py"))
HEALTH = Timing().health_interval
N = TypeVar("N", bound=McpNews)


def program(name: str = "little", *, timing: Timing | None = None, **env: str) -> McpServer:
    """Return the little server as a program."""
    return McpServer(name=name, command=sys.executable, args=(PROGRAM,), env=env, timing=timing or Timing())


class Hourglass:
    """Sleep that ends when the test turns the glass."""

    def __init__(self) -> None:
        self.slept: list[float] = []
        self._sleepers: list[tuple[float, anyio.Event]] = []
        self._came = anyio.Event()

    async def sleep(self, seconds: float) -> None:
        sleeper = (seconds, anyio.Event())
        self._sleepers.append(sleeper)
        self._came.set()
        try:
            await sleeper[1].wait()
            self.slept.append(seconds)
        finally:
            self._sleepers.remove(sleeper)

    async def turn(self, seconds: float) -> None:
        """Wait until somebody sleeps for so long, and wake them."""
        while not (waiting := [event for length, event in self._sleepers if length == seconds]):
            self._came = anyio.Event()
            await self._came.wait()
        for event in waiting:
            event.set()
        await anyio.lowlevel.checkpoint()


class Heard:
    """The news, in the order in which they came."""

    def __init__(self) -> None:
        self.news: list[McpNews] = []
        self._more = anyio.Event()

    def __call__(self, news: McpNews) -> None:
        self.news.append(news)
        self._more.set()

    def of(self, kind: type[N]) -> list[N]:
        return [news for news in self.news if isinstance(news, kind)]

    @property
    def statuses(self) -> list[Status]:
        return [news.status for news in self.of(ConnectionStatusChanged)]

    async def until(self, fact: Callable[[], bool]) -> None:
        """Return when *fact* holds; it is asked after each piece of news."""
        while not fact():
            self._more = anyio.Event()
            await self._more.wait()

    async def until_status(self, status: Status, times: int = 1) -> None:
        await self.until(lambda: self.statuses.count(status) >= times)


class MadeUpLink:
    """A link that does what the test says. It ends when *gone* is set; *pings* are its answers, then it is healthy."""

    def __init__(self, *, artifacts: Artifacts | McpError = NOTHING, pings: Iterable[McpError | None] = ()) -> None:
        self.offer = artifacts
        self.gone = anyio.Event()
        self.closed = False
        self.last_words = ""
        self.on_change: Callable[[], None] = lambda: None
        self._pings = list(pings)

    async def artifacts(self) -> Artifacts:
        if isinstance(self.offer, McpError):
            raise self.offer
        return self.offer

    async def ping(self) -> None:
        answer = self._pings.pop(0) if self._pings else None
        if answer is not None:
            raise answer

    async def listen(self, ready: Callable[[], None]) -> None:
        ready()
        await anyio.sleep_forever()

    async def broken(self) -> str:
        await self.gone.wait()
        return self.last_words

    async def call(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        return ToolResult(output=f"{tool} {arguments}")

    async def prompt(self, name: str, arguments: dict[str, str]) -> tuple[PromptMessage, ...]:
        return (PromptMessage(role="user", text=f"{name} {arguments}"),)

    async def read(self, uri: str) -> str:
        return f"what {uri} holds"


class Opener:
    """Opens the links that it was given, in turn; an error is raised instead of opening."""

    def __init__(self, *steps: MadeUpLink | LinkError) -> None:
        self.opened = 0
        self._steps = list(steps)

    @asynccontextmanager
    async def __call__(self, server: McpServer, on_change: Callable[[], None]) -> AsyncIterator[Link]:
        step = self._steps[self.opened]
        self.opened += 1
        if isinstance(step, LinkError):
            raise step
        step.on_change = on_change
        try:
            yield step
        finally:
            step.closed = True


class Stage:
    """A connection that runs, with its time and its news."""

    def __init__(self, *steps: MadeUpLink | LinkError, timing: Timing | None = None) -> None:
        self.hourglass = Hourglass()
        self.heard = Heard()
        self.opener = Opener(*steps)
        self.connection = Connection(
            McpServer(name="made-up", command="nothing", timing=timing or Timing()),
            announce=self.heard,
            clock=FakeClock(),
            sleep=self.hourglass.sleep,
            open_link=self.opener,
        )


@asynccontextmanager
async def running(stage: Stage) -> AsyncIterator[Stage]:
    """Run the connection of *stage* while the block runs."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(stage.connection.run)
        await stage.connection.settled()
        yield stage
        tasks.cancel_scope.cancel()


@contextmanager
def served(kind: str, timing: Timing | None = None) -> Iterator[McpServer]:
    """Serve the little server, as a `program` or over `http`; an `old` one is from before 2026."""
    legacy = kind.startswith("old")
    if kind.endswith("program"):
        yield program(timing=timing, **({"LEGACY": "1"} if legacy else {}))
    else:
        with HttpServer(legacy=legacy) as http:
            yield McpServer(name="little", url=http.url, timing=timing or Timing())


class Opened:
    """Servers that are open, with their time and their news."""

    def __init__(self, *servers: McpServer) -> None:
        self.heard = Heard()
        self.hourglass = Hourglass()
        self.mcp = Mcp(servers, announce=self.heard, sleep=self.hourglass.sleep)

    def skill(self, name: str, server: str = "little") -> Skill:
        return next(skill for skill in self.mcp.source(server).skills() if skill.name == name)

    async def pid(self) -> int:
        return int((await self.skill("pid").execute()).output)


@asynccontextmanager
async def opened(*servers: McpServer) -> AsyncIterator[Opened]:
    """Open *servers*, and go on when each has connected or failed."""
    one = Opened(*servers)
    async with one.mcp:
        await one.mcp.ready()
        yield one


@asynccontextmanager
async def web() -> AsyncIterator[Opened]:
    """Open the little server over HTTP, which is quicker than to start a program."""
    with served("http") as server:
        async with opened(server) as one:
            yield one


def is_running(pid: int) -> bool:
    """Tell whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
