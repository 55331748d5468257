"""A model on the Messages API: Anthropic itself, or any server that speaks it.

The SDK sends, tries again and cuts the stream into events; it is handed plain JSON and hands plain JSON back, so that
what is logged is what went over the wire. Which key goes to which server is decided here and never by the environment.
"""

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import urlsplit

import anyio
import anyio.to_thread

from sojourn.errors import InvalidInputError, MissingExtraError, ModelError, ModelUnavailableError
from sojourn.providers.anthropic_reading import Assembly, read_answer
from sojourn.providers.anthropic_request import request_body
from sojourn.providers.protocol import ModelRequest, RawLog, StreamComplete, StreamEvent

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic, AsyncStream

ANTHROPIC_URL: Final = "https://api.anthropic.com"
PATH: Final = "/v1/messages"
TIMEOUT: Final = 300.0
_CONNECT: Final = 10.0
_GRACE: Final = 0.5
_OPTIONS: Final[Any] = {"follow_redirects": False}
"""Neither a key nor a talk goes to a server that nobody named."""


class AnthropicMessages:
    """Asks one model. Lives in one event loop; close it to close its connections.

    A budget for thinking becomes an effort where the model decides itself how much it thinks. A temperature is sent
    only to a model that takes one, and not while it thinks. An answer that must follow a schema is held to it by the
    API's own output format.

    Args:
        model: which model to ask, such as `claude-sonnet-4-6`.
        base_url: where the server is, such as `http://localhost:11434`; Anthropic's own if none is given.
        api_key: Anthropic's own server needs one; none is sent to another unless it is given.
        timeout: seconds until `complete` must have its answer, and until `stream` must have begun, tries included;
            and seconds that a stream may stay silent.
        retries: how often a request is tried again, with growing pauses, after a failure that may pass.

    Raises:
        InvalidInputError: there is no model or no key, the key cannot be one, *base_url* is not an HTTP address, or a
            number is out of bounds.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = TIMEOUT,
        retries: int = 2,
    ) -> None:
        if not model:
            raise InvalidInputError("model: name the model to ask")
        if not timeout > 0 or retries < 0:
            raise InvalidInputError("timeout and retries: give seconds above 0, and 0 or more retries")
        address = urlsplit(base_url or ANTHROPIC_URL)
        if address.scheme not in {"http", "https"} or not address.hostname:
            raise InvalidInputError(f"base_url {base_url!r}: give an address that begins with http:// or https://")
        api_key = (api_key or "").strip()  # a key that was read from a file often ends with a line
        if not all("!" <= character <= "~" for character in api_key):
            raise InvalidInputError("api_key: it holds characters that cannot be in a key; copy it anew")
        self._is_anthropic = address.hostname == urlsplit(ANTHROPIC_URL).hostname
        if self._is_anthropic and not api_key:
            raise InvalidInputError("api_key: Anthropic's server needs one; set ANTHROPIC_API_KEY, or give a base_url")
        self._model = model
        self._base_url = (base_url or ANTHROPIC_URL).rstrip("/").removesuffix("/v1")
        self._host = address.netloc.rpartition("@")[2]  # without a password
        self._endpoint = f"{address.scheme}://{self._host}{urlsplit(self._base_url).path}{PATH}"
        self._api_key = api_key or None
        self._timeout = timeout
        self._retries = retries
        self._client: AsyncAnthropic | None = None
        self._closed = False

    def __repr__(self) -> str:
        return f"AnthropicMessages({self.name!r})"

    @property
    def model(self) -> str:
        return self._model

    @property
    def name(self) -> str:
        return f"{self._model}@{self._host}"

    @property
    def takes_tools(self) -> bool:
        return True

    async def stream(
        self, request: ModelRequest, *, raw_log: RawLog | None = None
    ) -> AsyncGenerator[StreamEvent, None]:
        """Yield what the model says as it says it, as `Provider` says. What thinking is kept secret is not shown."""
        client = await self._opened()
        from sojourn.providers.anthropic_errors import translated  # noqa: PLC0415  # imports the SDK, an extra

        body = {**request_body(self._model, request), "stream": True}
        assembly = Assembly()
        if raw_log is not None:
            raw_log.on_request(self._endpoint, body)
        with translated(self.name, key=self._api_key, raw_log=raw_log):
            chunks = await self._begun(client, body)
            async with chunks:
                while not assembly.is_whole and (chunk := await anext(chunks, None)) is not None:
                    if raw_log is not None and isinstance(chunk, dict):
                        raw_log.on_chunk(chunk)
                    for event in assembly.take(chunk):
                        yield event
                if not assembly.is_whole:
                    raise ModelUnavailableError(f"{self.name}: it broke off in the middle of its answer")
                await _drained(chunks)
            complete = read_answer(assembly.body, model=self._model)
        yield complete

    async def complete(self, request: ModelRequest, *, raw_log: RawLog | None = None) -> StreamComplete:
        """Return the whole answer at once. The errors are those of `stream`."""
        client = await self._opened()
        from sojourn.providers.anthropic_errors import translated  # noqa: PLC0415  # imports the SDK, an extra

        body = request_body(self._model, request)
        if raw_log is not None:
            raw_log.on_request(self._endpoint, body)
        with translated(self.name, key=self._api_key, raw_log=raw_log):
            try:
                # The SDK's own limit is for each try, and for each piece of an answer that trickles in.
                with anyio.fail_after(self._timeout):
                    answer = await client.post(PATH, cast_to=object, body=body, options=_OPTIONS)
            except TimeoutError as error:
                raise self._too_slow() from error
            if raw_log is not None and isinstance(answer, dict):
                raw_log.on_response(200, answer)
            return read_answer(answer, model=self._model)

    async def close(self) -> None:
        """Close the connections. It can be called twice; afterwards nothing can be asked."""
        self._closed = True
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def _begun(self, client: "AsyncAnthropic", body: dict[str, Any]) -> "AsyncStream[object]":
        """Send the request and return the stream of what comes back, of which nothing is read yet."""
        from anthropic import AsyncStream  # noqa: PLC0415  # an extra; imported by now

        try:
            with anyio.fail_after(self._timeout):
                chunks = await client.post(
                    PATH, cast_to=object, body=body, options=_OPTIONS, stream=True, stream_cls=AsyncStream[object]
                )
        except TimeoutError as error:
            raise self._too_slow() from error
        kind = chunks.response.headers.get("content-type", "")
        if not kind.startswith("text/event-stream"):
            await chunks.close()
            raise ModelError(f"{self.name}: it does not stream; check whether the address is that of a Messages API")
        return chunks

    async def _opened(self) -> "AsyncAnthropic":
        if self._closed:
            raise ModelError(f"{self.name} is closed")
        if self._client is None:
            anthropic = await anyio.to_thread.run_sync(_sdk)
            if self._client is None:  # another request may have come while the SDK was imported
                self._client = self._made(anthropic)
        client: AsyncAnthropic = self._client
        return client

    def _made(self, anthropic: Any) -> "AsyncAnthropic":
        client: AsyncAnthropic = anthropic.AsyncAnthropic(
            base_url=self._base_url,
            api_key=self._api_key or "",  # None would have the SDK look for a key in the environment
            timeout=anthropic.Timeout(self._timeout, connect=min(self._timeout, _CONNECT)),
            max_retries=self._retries,
        )
        headers: dict[str, Any] = {}
        if self._api_key is None:
            headers["Authorization"] = anthropic.Omit()
        elif not self._is_anthropic:
            headers["X-Api-Key"] = self._api_key  # which is where most other servers look for it
        # The SDK fills this from ANTHROPIC_CUSTOM_HEADERS, where keys for other servers may be.
        client._custom_headers = headers  # noqa: SLF001
        return client

    def _too_slow(self) -> ModelUnavailableError:
        return ModelUnavailableError(f"{self.name}: it took longer than {self._timeout:g} seconds")


async def _drained(chunks: "AsyncStream[object]") -> None:
    """Read to the end of an answer that is whole, so that its connection can be used again; but wait for no one."""
    import httpx2  # noqa: PLC0415  # comes with the SDK

    with anyio.move_on_after(_GRACE):
        try:
            while await anext(chunks, None) is not None:
                pass
        except httpx2.HTTPError:
            return  # the message is whole; how the connection ended is of no concern


def _sdk() -> Any:
    try:
        import anthropic  # noqa: PLC0415  # an extra, and slow to import
    except ImportError as error:
        raise MissingExtraError("the Messages API needs: pip install 'sojourn[anthropic]'") from error
    return anthropic
