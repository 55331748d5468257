"""The connection to one server that speaks the OpenAI protocol. JSON goes in, JSON comes out.

The SDK does the network: it opens connections, tries again before an answer begins, and reads the stream of events.
Its classes for answers are not used: they would hide what a server sends beyond them. Both protocols (chat completions,
Responses) talk through this one; nobody else imports the SDK for talking.
"""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit, urlunsplit

import anyio
import anyio.to_thread

from sojourn.errors import InvalidInputError, MissingExtraError, ModelError, ModelUnavailableError
from sojourn.providers.openai_fallbacks import Fallback
from sojourn.providers.protocol import RawLog

if TYPE_CHECKING:
    import openai
    from openai import AsyncOpenAI, AsyncStream

OPENAI_URL: Final = "https://api.openai.com/v1"
SECRET_LENGTH: Final = 6
"""Keys shorter than this are made up, for servers that want some key and look at none."""
NO_KEY: Final = "none"
"""Sent when there is no key. Without one the SDK would take OPENAI_API_KEY and send it to whatever server this is."""
TIMEOUT: Final = 300.0
RETRIES: Final = 2
_OWN_HOSTS: Final = ("api.openai.com", "openai.azure.com")
_OPTIONS: Final[Any] = {"follow_redirects": False}
"""Neither a key nor a talk goes to a server that nobody named."""
_CONNECT: Final = 10.0
_CLOSING: Final = 5.0
_GRACE: Final = 0.5

Answer = TypeVar("Answer")


class OpenAiClient:
    """Posts requests for one model to one server. Lives in one event loop; close it to close its connections.

    Args:
        model: which model is asked.
        base_url: where the server's API begins, such as `http://localhost:11434/v1`; OpenAI's own if none is given.
        api_key: OpenAI's own server needs one; none is sent to another unless it is given.
        timeout: seconds that a whole answer may take, with whatever is tried again, and that a streamed one may be
            silent, from the moment it is asked for.
        retries: how often the SDK tries again, before an answer begins, after a failure that may pass.
        fallbacks: other ways to ask, for a server that refuses the first.

    Attributes:
        name: the model and the server, without a password: `model@host`.
        is_openai: whether the server is OpenAI's own, or Azure's of it.

    Raises:
        InvalidInputError: there is no model or no key, the key cannot be one, *base_url* is not an HTTP address, or a
            number is negative.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None,
        api_key: str | None,
        timeout: float,
        retries: int,
        fallbacks: Sequence[Fallback],
    ) -> None:
        if not model:
            raise InvalidInputError("model: name the model to ask")
        if not timeout > 0 or retries < 0:
            raise InvalidInputError("timeout and retries: give seconds above 0, and 0 or more retries")
        address = urlsplit(base_url or OPENAI_URL)
        if address.scheme not in {"http", "https"} or not address.hostname:
            raise InvalidInputError(f"base_url {base_url!r}: give an address that begins with http:// or https://")
        api_key = (api_key or "").strip()  # a key that was read from a file often ends with a line
        if not all("!" <= character <= "~" for character in api_key):
            raise InvalidInputError("api_key: it holds characters that cannot be in a key; copy it anew")
        self.is_openai = any(address.hostname == own or address.hostname.endswith(f".{own}") for own in _OWN_HOSTS)
        if self.is_openai and not api_key:
            raise InvalidInputError("api_key: OpenAI's server needs one; for another server, give its base_url")
        self.model = model
        self.host = address.netloc.rpartition("@")[2]
        self.name = f"{model}@{self.host}"
        self._base_url = base_url or OPENAI_URL
        self._shown_url = urlunsplit(address._replace(netloc=self.host)).rstrip("/")
        self._api_key = api_key or NO_KEY
        self._timeout = timeout
        self._retries = retries
        self._fallbacks = fallbacks
        self._lasting: list[Fallback] = []
        self._client: AsyncOpenAI | None = None
        self._closed = False

    async def whole(self, path: str, payload: Mapping[str, Any], *, raw_log: RawLog | None) -> dict[str, Any]:
        """Return the answer to *payload* at *path*, which is a JSON object.

        Raises:
            ModelUnavailableError: the server cannot be reached, is overloaded or takes too long.
            ModelError: it refuses the request, or answers with something else.
            MissingExtraError: the SDK is not installed.
        """
        client = await self._opened()
        import httpx2  # noqa: PLC0415  # comes with the extra

        with self._failures(), anyio.fail_after(self._timeout):
            response = await self._posted(
                lambda sent: client.post(path, cast_to=httpx2.Response, body=sent, options=_OPTIONS),
                path,
                payload,
                raw_log,
            )
        try:
            body = response.json()
        except (ValueError, RecursionError) as error:
            raise ModelError(f"{self.name}: it answered with something that is not JSON") from error
        if not isinstance(body, dict):
            raise ModelError(f"{self.name}: it answered with something that is not a JSON object")
        if raw_log is not None:
            raw_log.on_response(response.status_code, body)
        return body

    async def events(
        self, path: str, payload: Mapping[str, Any], *, raw_log: RawLog | None
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the events of the streamed answer to *payload*. Leaving the iteration ends the request.

        Raises:
            ModelUnavailableError: the server cannot be reached, is overloaded, is silent for too long or breaks off.
            ModelError: it refuses the request, or answers with something that is no stream.
            MissingExtraError: the SDK is not installed.
        """
        stream = await self._streaming(path, payload, raw_log)
        came = False
        try:
            while True:
                with self._failures(), self._breaks(raw_log):
                    event = await anext(stream, None)
                if event is None:
                    break
                if not isinstance(event, dict):
                    raise ModelUnavailableError(f"{self.name}: it sent an event that is not a JSON object")
                came = True
                if raw_log is not None:
                    raw_log.on_chunk(event)
                yield event
            if not came and "event-stream" not in stream.response.headers.get("content-type", ""):
                raise ModelError(f"{self.name}: it answered with something that is no stream; check the address")
        finally:
            with anyio.move_on_after(_CLOSING, shield=True):  # or a cancelled request would stay open
                await stream.close()

    async def close(self) -> None:
        """Close the connections. It can be called twice; afterwards nothing can be asked."""
        self._closed = True
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def drained(self, events: AsyncGenerator[dict[str, Any], None]) -> None:
        """Read the end of a stream whose answer is whole, so that its connection can be used again; wait for no one."""
        with anyio.move_on_after(_GRACE):
            try:
                while await anext(events, None) is not None:
                    pass
            except ModelUnavailableError:
                return  # the answer is whole; how the connection ends is of no concern

    def broke_off(self) -> ModelUnavailableError:
        """Return the error of a stream that ended without its end."""
        return ModelUnavailableError(f"{self.name}: the answer broke off before its end")

    def failed(self, error: Any) -> ModelError:
        """Return the error that the server tells of within an answer."""
        from sojourn.providers.openai_errors import event_may_pass, short  # noqa: PLC0415  # needs the extra

        told = error if isinstance(error, dict) else {}
        words = short(str(told.get("message") or told.get("code") or "it says that something went wrong"))
        return self.error(words, may_pass=event_may_pass(told.get("code"), told.get("type")))

    def error(self, words: str, *, may_pass: bool) -> ModelError:
        """Return the error that *words* describe, without the key if that is among them."""
        kind = ModelUnavailableError if may_pass else ModelError
        return kind(f"{self.name}: {self._without_key(words)}")

    async def _streaming(self, path: str, payload: Mapping[str, Any], raw_log: RawLog | None) -> "AsyncStream[object]":
        client = await self._opened()
        from openai import AsyncStream  # noqa: PLC0415  # an extra; imported by now

        kind = AsyncStream[object]
        with self._failures(), anyio.fail_after(self._timeout):
            return await self._posted(
                lambda sent: client.post(
                    path, cast_to=object, body=sent, options=_OPTIONS, stream=True, stream_cls=kind
                ),
                path, payload, raw_log,
            )  # fmt: skip

    async def _posted(
        self,
        post: Callable[[dict[str, Any]], Awaitable[Answer]],
        path: str,
        payload: Mapping[str, Any],
        raw_log: RawLog | None,
    ) -> Answer:
        """Return what *post* returns; if that is refused and there is another way to ask, of that."""
        import openai  # noqa: PLC0415  # an extra; imported by now

        sent = dict(payload)
        for fallback in self._lasting:
            sent = fallback.change(sent)
        while True:
            if raw_log is not None:
                raw_log.on_request(f"{self._shown_url}{path}", sent)
            try:
                return await post(sent)
            except openai.APIStatusError as error:
                if raw_log is not None:
                    raw_log.on_response(error.status_code, {"error": self._shown(error.body)})
                other = self._other_way(error, sent)
                if other is None:
                    raise
                sent = other.change(sent)
                if other.lasts and other not in self._lasting:
                    self._lasting.append(other)

    def _other_way(self, error: "openai.APIStatusError", sent: Mapping[str, Any]) -> Fallback | None:
        if error.status_code not in {400, 422}:
            return None
        refusal = f"{error.message} {error.body}".casefold()
        return next((one for one in self._fallbacks if one.answers(refusal, sent)), None)

    @contextmanager
    def _failures(self) -> Generator[None, None, None]:
        """Say in our words what the SDK raises."""
        import openai  # noqa: PLC0415  # an extra; imported by now

        from sojourn.providers.openai_errors import in_words, may_pass  # noqa: PLC0415  # same

        try:
            yield
        except TimeoutError as error:
            raise ModelUnavailableError(f"{self.name}: it took longer than {self._timeout:g} seconds") from error
        except openai.OpenAIError as error:
            has_key = len(self._api_key) >= SECRET_LENGTH and self._api_key in str(error)
            raise self.error(in_words(error), may_pass=may_pass(error)) from (None if has_key else error)
        except RuntimeError as error:
            if not self._closed:
                raise
            raise ModelError(f"{self.name} is closed") from error

    @contextmanager
    def _breaks(self, raw_log: RawLog | None) -> Generator[None, None, None]:
        """Say in our words what the SDK raises once a stream has begun."""
        import openai  # noqa: PLC0415  # an extra; imported by now

        try:
            yield
        except openai.APITimeoutError as error:
            raise self.error(f"it was silent for longer than {self._timeout:g} seconds", may_pass=True) from error
        except openai.APIConnectionError as error:
            raise self.broke_off() from error
        except openai.APIError as error:
            if raw_log is not None:
                raw_log.on_chunk({"error": self._shown(error.body)})
            raise
        except (ValueError, RecursionError) as error:
            raise self.error("it sent an event that is not JSON", may_pass=True) from error

    def _shown(self, body: object) -> Any:
        """Return what a server says of an error, as JSON; the key, if it says that, is not in it."""
        return json.loads(self._without_key(json.dumps(body, default=str)))

    def _without_key(self, words: str) -> str:
        # A made-up key such as "x" is no secret, and its letters stand in every word.
        return words if len(self._api_key) < SECRET_LENGTH else words.replace(self._api_key, "[the key]")

    async def _opened(self) -> "AsyncOpenAI":
        if self._closed:
            raise ModelError(f"{self.name} is closed")
        if self._client is None:
            openai = await anyio.to_thread.run_sync(_sdk)
            if self._closed:
                raise ModelError(f"{self.name} is closed")
            if self._client is None:  # another question may have come while the SDK was imported
                self._client = self._made(openai)
        client: AsyncOpenAI = self._client
        return client

    def _made(self, openai: Any) -> "AsyncOpenAI":
        client: AsyncOpenAI = openai.AsyncOpenAI(
            base_url=self._base_url,
            api_key=self._api_key,
            timeout=openai.Timeout(self._timeout, connect=min(self._timeout, _CONNECT)),
            max_retries=self._retries,
        )
        if not self.is_openai:
            # The SDK takes from the environment who the user is at OpenAI, and headers that may hold keys.
            omitted = ("OpenAI-Organization", "OpenAI-Project")
            client._custom_headers = {name: openai.Omit() for name in omitted}  # noqa: SLF001
        return client


def _sdk() -> Any:
    try:
        import openai  # noqa: PLC0415  # an extra, and slow to import
    except ImportError as error:
        raise MissingExtraError("the OpenAI protocol needs: pip install 'sojourn[openai]'") from error
    return openai
