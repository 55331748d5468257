"""A structured model on the OpenAI protocol: OpenAI itself, or any server that speaks it (Ollama, vLLM, ...)."""

from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import urlsplit

import anyio
import anyio.to_thread

from sojourn.errors import InvalidInputError, MissingExtraError, ModelError
from sojourn.providers.structured import StructuredAnswer

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletion

OPENAI_URL: Final = "https://api.openai.com/v1"
NO_KEY: Final = "none"
"""Sent when there is no key. Without one the SDK would take OPENAI_API_KEY and send it to whatever server this is."""


class OpenAiStructuredModel:
    """Asks one model by chat completions. Lives in one event loop; close it to close its connections.

    Args:
        model: which model to ask.
        base_url: where the server's API begins, such as `http://localhost:11434/v1`; OpenAI's own if none is given.
        api_key: OpenAI's own server needs one; none is sent to another unless it is given.
        timeout: seconds that one question may take in all, with what the SDK does to try again.
        retries: how often the SDK tries again after a failure that may pass.

    Raises:
        InvalidInputError: there is no model or no key, or *base_url* is not an HTTP address.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 60.0,
        retries: int = 2,
    ) -> None:
        if not model:
            raise InvalidInputError("model: name the model to ask")
        if base_url is None and not api_key:
            raise InvalidInputError("api_key: OpenAI's server needs one; for another server, give its base_url")
        address = urlsplit(base_url or OPENAI_URL)
        if address.scheme not in {"http", "https"} or not address.hostname:
            raise InvalidInputError(f"base_url {base_url!r}: give an address that begins with http:// or https://")
        self._model = model
        self._base_url = base_url or OPENAI_URL
        self._host = address.netloc.rpartition("@")[2]  # without a password
        self._api_key = api_key or NO_KEY
        self._timeout = timeout
        self._retries = retries
        self._client: AsyncOpenAI | None = None
        self._closed = False

    def __repr__(self) -> str:
        return f"OpenAiStructuredModel({self.name!r})"

    @property
    def name(self) -> str:
        return f"{self._model}@{self._host}"

    async def structured(
        self, *, system: str, prompt: str, schema: dict[str, Any], max_tokens: int
    ) -> StructuredAnswer:
        """Return the answer to *prompt* as `StructuredModel` says.

        Raises:
            ModelError: the server cannot be reached, refuses, takes too long, or gives no text.
            MissingExtraError: the SDK is not installed.
        """
        client = await self._opened()
        import openai  # noqa: PLC0415  # an extra; imported by now

        from sojourn.providers.openai_errors import in_words  # noqa: PLC0415  # same

        # Newer models of OpenAI take only the one name for the limit, most other servers only the other.
        limit = "max_completion_tokens" if self._host == urlsplit(OPENAI_URL).netloc else "max_tokens"
        shape = {"name": "answer", "schema": schema, "strict": True}
        options: dict[str, Any] = {limit: max_tokens, "response_format": {"type": "json_schema", "json_schema": shape}}
        try:
            # The SDK's own limit is for each try, and for each piece of an answer that trickles in.
            with anyio.fail_after(self._timeout):
                completion: ChatCompletion = await client.chat.completions.create(
                    model=self._model,
                    messages=[{"role": "system", "content": system}, {"role": "user", "content": prompt}],
                    **options,
                )
        except TimeoutError as error:
            raise ModelError(f"{self.name}: it took longer than {self._timeout:g} seconds") from error
        except openai.OpenAIError as error:
            raise ModelError(f"{self.name}: {in_words(error)}") from error
        except ValueError as error:
            raise ModelError(f"{self.name}: it answered with something that is not JSON") from error
        return self._answer(completion)

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

    async def _opened(self) -> "AsyncOpenAI":
        if self._closed:
            raise ModelError(f"{self.name} is closed")
        if self._client is None:
            openai = await anyio.to_thread.run_sync(_sdk)
            if self._client is None:  # another question may have come while the SDK was imported
                self._client = openai.AsyncOpenAI(
                    base_url=self._base_url, api_key=self._api_key, timeout=self._timeout, max_retries=self._retries
                )
        client: AsyncOpenAI = self._client
        return client

    def _answer(self, completion: "ChatCompletion") -> StructuredAnswer:
        """Read the completion, of which the SDK has checked nothing."""
        choices = getattr(completion, "choices", None)
        message = getattr(choices[0], "message", None) if isinstance(choices, list) and choices else None
        text = getattr(message, "content", None)
        if not isinstance(text, str) or not text.strip():
            refusal = getattr(message, "refusal", None)
            raise ModelError(f"{self.name}: it {'refused to answer' if refusal else 'answered without any text'}")
        usage = getattr(completion, "usage", None)
        cached = _count(getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", 0))
        read = _count(getattr(usage, "prompt_tokens", 0))
        model = getattr(completion, "model", None)
        return StructuredAnswer(
            text=text,
            input_tokens=max(read - cached, 0),
            output_tokens=_count(getattr(usage, "completion_tokens", 0)),
            cache_read_tokens=min(cached, read),
            model=model if isinstance(model, str) and model else self._model,
            complete=getattr(choices[0], "finish_reason", None) != "length" if choices else True,
        )


def _count(number: object) -> int:
    return number if isinstance(number, int) and 0 <= number <= 10**12 else 0


def _sdk() -> Any:
    try:
        import openai  # noqa: PLC0415  # an extra, and slow to import
    except ImportError as error:
        raise MissingExtraError("the OpenAI protocol needs: pip install 'sojourn[openai]'") from error
    return openai
