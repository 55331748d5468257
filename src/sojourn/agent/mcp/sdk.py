"""Links through the official SDK. Only this module and `lists` know its types; its errors end here.

The SDK's contexts must be left by the task that entered them, and what goes wrong inside them comes out of them in
groups. So `open_link` is entered by one task, the connection's, which leaves it without raising; requests may come
from any task.
"""

import contextlib
import logging
import math
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, Self

import anyio

from sojourn.agent.mcp import content
from sojourn.agent.mcp.config import McpServer
from sojourn.agent.mcp.last_words import LastWords, last_words
from sojourn.agent.mcp.link import Link, LinkError, Outlook
from sojourn.agent.mcp.lists import all_pages, is_usable, prompt_from, resource_from, tool_from
from sojourn.agent.mcp.offers import Artifacts, McpPrompt, McpResource, McpTool, PromptMessage
from sojourn.agent.skills.skill import ToolResult
from sojourn.errors import McpError, MissingExtraError

if TYPE_CHECKING:
    import httpx2
    from mcp import Client
    from mcp.client import Transport
    from mcp.client.session import IncomingMessage

_log = logging.getLogger(__name__)

_READ_TIMEOUT: Final = 300.0
"""Seconds that a stream of HTTP may be silent; servers send signs of life more often."""
_MAX_WORDS: Final = 300
_REFUSED: Final = frozenset({401, 403})
_BUSY: Final = frozenset({408, 425, 429})


def require_sdk() -> None:
    """Load the SDK, which takes a second.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        import mcp  # noqa: F401, PLC0415 - an extra, and slow to load
    except ImportError as error:
        raise MissingExtraError("MCP servers need: pip install 'sojourn[mcp]'") from error


@asynccontextmanager
async def open_link(server: McpServer, on_change: Callable[[], None]) -> AsyncGenerator[Link, None]:
    """Connect with *server*. The block must not raise errors of its own.

    Raises:
        LinkError: it cannot be reached, is no MCP server, or the link broke while the block ran.
    """
    signs = _Signs()
    try:
        with anyio.CancelScope(deadline=anyio.current_time() + server.timing.connect) as patience:
            async with AsyncExitStack() as stack:
                transport = await _transport(server, signs, stack)
                client = await stack.enter_async_context(_client(server, transport, on_change))
                patience.deadline = math.inf
                yield SdkLink(server, client, signs)
    except Exception as error:
        raise _link_error(server, signs, error) from error
    if patience.cancelled_caught:
        raise LinkError(f"it did not answer within {server.timing.connect:g} seconds", _outlook(server, signs, None))


class _Signs:
    """What shows beside the protocol that all is not well: the end of the stream, an HTTP status, a last word."""

    def __init__(self) -> None:
        self.ended = anyio.Event()
        self.http_status: int | None = None
        self.words: LastWords | None = None

    async def note(self, response: "httpx2.Response") -> None:
        if response.request.method == "POST":  # a stream may be refused: it is an extra
            self.http_status = response.status_code if response.status_code >= 400 else None

    @property
    def text(self) -> str:
        if self.http_status is not None:
            return f"HTTP status {self.http_status}"
        return content.bounded(self.words.line, _MAX_WORDS) if self.words else ""

    def explain(self, reason: str) -> str:
        """Return *reason* with what else is known."""
        return f"{reason}: {self.text}" if self.text else reason


async def _transport(server: McpServer, signs: _Signs, stack: AsyncExitStack) -> "Transport":
    # Loaded here: the SDK is an extra and slow.
    import httpx2  # noqa: PLC0415
    from mcp import StdioServerParameters, stdio_client  # noqa: PLC0415
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415

    if server.is_remote:
        client = httpx2.AsyncClient(
            headers=server.headers,
            timeout=httpx2.Timeout(server.timing.connect, read=max(_READ_TIMEOUT, 2 * server.timing.call)),
            event_hooks={"response": [signs.note]},
        )
        return streamable_http_client(server.url, http_client=await stack.enter_async_context(client))
    signs.words = await stack.enter_async_context(last_words())
    program = StdioServerParameters(
        command=server.command, args=list(server.args), env=server.env, cwd=server.cwd or None
    )
    return _watched(stdio_client(program, errlog=signs.words.into), signs.ended)


def _client(server: McpServer, transport: "Transport", on_change: Callable[[], None]) -> "Client":
    import mcp_types as types  # noqa: PLC0415
    from mcp import Client  # noqa: PLC0415

    from sojourn import __version__  # noqa: PLC0415 - the package is still being loaded when this module is

    changes = (
        types.ToolListChangedNotification,
        types.PromptListChangedNotification,
        types.ResourceListChangedNotification,
    )

    async def heard(message: "IncomingMessage") -> None:
        if isinstance(message, changes):
            on_change()
        elif isinstance(message, Exception):
            _log.debug("server %s sent something unusable: %s", server.name, message)

    return Client(
        transport,
        message_handler=heard,
        client_info=types.Implementation(name="sojourn", version=__version__),
        # The last resort: connecting has its patience, and each request a limit of its own.
        read_timeout_seconds=max(server.timing.connect, server.timing.call),
        cache=None,
    )


class _Watched:
    """A stream of what a server sends that tells when it ends."""

    def __init__(self, stream: Any, ended: anyio.Event) -> None:
        self._stream = stream
        self._ended = ended

    async def receive(self) -> Any:
        try:
            return await self._stream.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
            self._ended.set()
            raise

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *exc_info: Any) -> bool | None:
        closed: bool | None = await self._stream.__aexit__(*exc_info)
        return closed


@asynccontextmanager
async def _watched(transport: "Transport", ended: anyio.Event) -> AsyncGenerator[Any, None]:
    async with transport as (incoming, outgoing):
        yield _Watched(incoming, ended), outgoing


def _link_error(server: McpServer, signs: _Signs, error: Exception) -> LinkError:
    """Say what went wrong, in a sentence, and what may be hoped for."""
    from mcp import MCPError  # noqa: PLC0415 - loaded by now

    cause = _leaf(error)
    if isinstance(cause, LinkError):
        return cause
    if isinstance(cause, FileNotFoundError | PermissionError | NotADirectoryError):
        where = f": {cause.filename}" if cause.filename not in {None, server.command} else ""
        return LinkError(f"cannot start {server.command!r}: {cause.strerror}{where}", Outlook.UNFIT)
    if not isinstance(cause, MCPError):
        signs.http_status = None  # it was about an earlier request: to this one nobody answered
    return LinkError(signs.explain(str(cause) or type(cause).__name__), _outlook(server, signs, cause))


def _outlook(server: McpServer, signs: _Signs, cause: BaseException | None) -> Outlook:
    from mcp import MCPError  # noqa: PLC0415 - loaded by now
    from mcp_types import UNSUPPORTED_PROTOCOL_VERSION  # noqa: PLC0415

    status = signs.http_status
    # The SDK raises a RuntimeError where the two sides have no version of the protocol in common.
    speaks_another = isinstance(cause, RuntimeError) or (
        isinstance(cause, MCPError) and cause.code == UNSUPPORTED_PROTOCOL_VERSION
    )
    if status in _REFUSED or speaks_another:
        return Outlook.REFUSED
    if not server.is_remote or (status is not None and status < 500 and status not in _BUSY):
        return Outlook.UNFIT
    return Outlook.MAY_COME_BACK


def _leaf(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


class SdkLink:
    """A link through the SDK. Lives inside the block that `open_link` runs."""

    def __init__(self, server: McpServer, client: "Client", signs: _Signs) -> None:
        self._server = server
        self._client = client
        self._signs = signs

    def __repr__(self) -> str:
        return f"SdkLink({self._server.name!r}, {self._client.protocol_version})"

    @property
    def _is_modern(self) -> bool:
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS  # noqa: PLC0415 - loaded by now

        return self._client.protocol_version in MODERN_PROTOCOL_VERSIONS

    async def artifacts(self) -> Artifacts:
        has = self._client.server_capabilities
        with self._translated("its lists", timeout=max(self._server.timing.connect, self._server.timing.call)):
            return Artifacts(
                tools=await self._tools() if has.tools else (),
                prompts=await self._prompts() if has.prompts else (),
                resources=await self._resources() if has.resources else (),
            )

    async def _tools(self) -> tuple[McpTool, ...]:
        tools = tuple(map(tool_from, await all_pages(self._client.list_tools, "tools")))
        for tool in tools:
            if not is_usable(tool):
                _log.warning("the tool %s of %s is left out: its schema is too long", tool.name, self._server.name)
        return tuple(filter(is_usable, tools))

    async def _prompts(self) -> tuple[McpPrompt, ...]:
        return tuple(map(prompt_from, await all_pages(self._client.list_prompts, "prompts")))

    async def _resources(self) -> tuple[McpResource, ...]:
        resources = await all_pages(self._client.list_resources, "resources")
        templates = await all_pages(self._client.list_resource_templates, "resource_templates", optional=True)
        return (
            *(resource_from(entry.uri, entry) for entry in resources),
            *(resource_from(entry.uri_template, entry, is_template=True) for entry in templates),
        )

    async def ping(self) -> None:
        from mcp import MCPError  # noqa: PLC0415 - loaded by now
        from mcp_types import METHOD_NOT_FOUND  # noqa: PLC0415

        with self._translated("a ping", timeout=self._server.timing.health_timeout):
            try:
                # The protocol of 2026 has no ping; there one asks again what the server is.
                if self._is_modern:
                    await self._client.session.send_discover(self._client.protocol_version)
                else:
                    await self._client.session.send_ping()
            except MCPError as error:
                if error.code != METHOD_NOT_FOUND:  # else it answered, which is all that is asked
                    raise

    async def listen(self, ready: Callable[[], None]) -> None:
        from mcp import MCPError  # noqa: PLC0415 - loaded by now
        from mcp.client.subscriptions import SubscriptionLost  # noqa: PLC0415

        has = self._client.server_capabilities
        tools, prompts, resources = (
            bool(part and part.list_changed) for part in (has.tools, has.prompts, has.resources)
        )
        # Before 2026 a server tells without being asked.
        if not self._is_modern or not (tools or prompts or resources):
            ready()
            await anyio.sleep_forever()
        try:
            async with self._client.listen(
                tools_list_changed=tools, prompts_list_changed=prompts, resources_list_changed=resources
            ) as changes:
                ready()
                async for _ in changes:
                    pass  # `heard` is told of each, too
        except (MCPError, SubscriptionLost, TimeoutError) as error:
            _log.debug("server %s tells no changes: %s", self._server.name, error)

    async def broken(self) -> str:
        await self._signs.ended.wait()
        return self._signs.text

    async def call(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        with self._translated(f"the tool {tool}", timeout=self._server.timing.call):
            return content.tool_result(await self._client.call_tool(tool, arguments))

    async def prompt(self, name: str, arguments: dict[str, str]) -> tuple[PromptMessage, ...]:
        with self._translated(f"the prompt {name}", timeout=self._server.timing.call):
            made = await self._client.get_prompt(name, arguments)
            return tuple(PromptMessage(role=line.role, text=content.text_of(line.content)) for line in made.messages)

    async def read(self, uri: str) -> str:
        with self._translated(f"the resource {uri}", timeout=self._server.timing.call):
            return content.resource_text(await self._client.read_resource(uri))

    @contextlib.contextmanager
    def _translated(self, what: str, *, timeout: float) -> Iterator[None]:
        """Turn what goes wrong into our error, and bound how long it takes."""
        from mcp import MCPError  # noqa: PLC0415 - loaded by now
        from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT  # noqa: PLC0415

        name = self._server.name
        late = f"{name} did not answer {what} within {timeout:g} seconds"
        try:
            with anyio.fail_after(timeout):
                yield
        except TimeoutError as error:
            raise McpError(late) from error
        except MCPError as error:
            if error.code == REQUEST_TIMEOUT:
                raise McpError(late) from error
            if error.code == CONNECTION_CLOSED:
                raise McpError(f"the connection to {name} broke during {what}: it may or may not be done") from error
            raise McpError(self._refusal(what, error.message)) from error
        except (RuntimeError, ValueError) as error:  # an answer that does not keep to the protocol or to its schema
            raise McpError(f"{name} gave an unusable answer to {what}: {error}") from error

    def _refusal(self, what: str, reason: str) -> str:
        status = self._signs.http_status
        if status is None:
            return f"{self._server.name} refused {what}: {reason}"
        unknown = ", it may or may not be done" if status >= 500 else ""
        return f"{self._server.name} refused {what}: {reason} (HTTP status {status}){unknown}"
