"""A model behind OpenAI's Responses API, which gives a model that thinks its own thoughts back.

Nothing is stored at the server (`store` is false): the session is the journal's, and what the model needs of earlier
answers goes back with each request.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final, Self

import msgspec

from sojourn.errors import ModelError
from sojourn.model.message import Message
from sojourn.providers.openai_client import RETRIES, TIMEOUT, OpenAiClient
from sojourn.providers.openai_fallbacks import RESPONSES
from sojourn.providers.openai_reading import json_object, mapping, text
from sojourn.providers.openai_request import effort, parameters
from sojourn.providers.openai_responses_answer import FAILURES, FORM, ResponsesAnswer
from sojourn.providers.payloads import payload
from sojourn.providers.protocol import ModelRequest, RawLog, StreamComplete, StreamEvent, ToolDefinition

PATH: Final = "/responses"


class OpenAiResponses:
    """One model on one server. Lives in one event loop; close it to close its connections.

    Args:
        model: which model to ask.
        base_url: where the server's API begins; OpenAI's own if none is given.
        api_key: OpenAI's own server needs one; none is sent to another unless it is given.
        timeout: seconds that `complete` may take in all, and that a stream may be silent.
        retries: how often it is tried again, before an answer begins, after a failure that may pass.
        takes_tools: whether the model can call tools.

    Raises:
        InvalidInputError: there is no model or no key, the key cannot be one, *base_url* is not an HTTP address, or a
            number is negative.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = TIMEOUT,
        retries: int = RETRIES,
        takes_tools: bool = True,
    ) -> None:
        self._client = OpenAiClient(
            model, base_url=base_url, api_key=api_key, timeout=timeout, retries=retries, fallbacks=RESPONSES
        )
        self._takes_tools = takes_tools

    def __repr__(self) -> str:
        return f"OpenAiResponses({self.name!r})"

    @property
    def model(self) -> str:
        return self._client.model

    @property
    def name(self) -> str:
        return self._client.name

    @property
    def takes_tools(self) -> bool:
        return self._takes_tools

    async def stream(
        self, request: ModelRequest, *, raw_log: RawLog | None = None
    ) -> AsyncGenerator[StreamEvent, None]:
        """Yield what the model says, as `Provider` has it.

        Raises:
            ModelUnavailableError: it cannot be reached, is overloaded, is silent for too long or broke off.
            ModelError: it refuses the request, the key or the model's name.
            MissingExtraError: the SDK is not installed.
        """
        answer = ResponsesAnswer(model=self.model, host=self._client.host)
        sent = {**self._payload(request), "stream": True}
        async with aclosing(self._client.events(PATH, sent, raw_log=raw_log)) as events:
            async for event in events:
                if text(event.get("type")) in FAILURES:
                    raise self._client.failed(mapping(event.get("response")).get("error") or event)
                for new in answer.take(event):
                    yield new
                if answer.is_finished:
                    await self._client.drained(events)
                    break
        if not answer.is_finished:
            raise self._client.broke_off()
        yield answer.end()

    async def complete(self, request: ModelRequest, *, raw_log: RawLog | None = None) -> StreamComplete:
        """Return the whole answer at once. The errors are those of `stream`."""
        response = await self._client.whole(PATH, self._payload(request), raw_log=raw_log)
        if error := response.get("error"):
            raise self._client.failed(error)
        if not isinstance(response.get("output"), list):
            raise ModelError(f"{self.name}: it answered with something that is no response")
        answer = ResponsesAnswer(model=self.model, host=self._client.host)
        answer.finish(response)
        return answer.end()

    async def close(self) -> None:
        """Close the connections. It can be called twice; afterwards nothing can be asked."""
        await self._client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    def _payload(self, request: ModelRequest) -> dict[str, Any]:
        messages = [self._without_others(message) for message in request.messages]
        sent: dict[str, Any] = {
            "model": self.model,
            **payload(FORM, request.system, messages),
            "store": False,
            "include": ["reasoning.encrypted_content"],
        }
        if request.tools:
            sent["tools"] = [_tool(tool) for tool in request.tools]
        if request.max_tokens is not None:
            sent["max_output_tokens"] = request.max_tokens
        if request.temperature is not None:
            sent["temperature"] = request.temperature
        if request.thinking is not None:
            sent["reasoning"] = {"effort": effort(request.thinking), "summary": "auto"}
        if request.schema is not None:
            sent["text"] = {
                "format": {"type": "json_schema", "name": "answer", "schema": request.schema, "strict": True}
            }
        return sent

    def _without_others(self, message: Message) -> Message:
        """Return *message* without the items of another server, which this one cannot decrypt."""
        if not isinstance(message.raw, msgspec.Raw):
            return message
        kept = json_object(bytes(message.raw).decode())
        if kept is not None and kept.get("host") == self._client.host:
            return message
        return msgspec.structs.replace(message, raw=msgspec.UNSET)


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    function = {"type": "function", "name": tool.name, "parameters": parameters(tool), "strict": False}
    return {**function, "description": tool.description} if tool.description else function
