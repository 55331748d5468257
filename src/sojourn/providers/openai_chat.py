"""A model behind chat completions: OpenAI's own, or any server that speaks that protocol (Ollama, vLLM, OpenRouter).

It is the protocol that most servers speak and that each speaks a little differently; what differs is read in
`openai_chat_answer`. OpenAI's own models that think do better behind `openai_responses`.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final, Self

import msgspec

from sojourn.errors import ModelError, ModelUnavailableError
from sojourn.model.message import Message, ThinkingPart
from sojourn.providers.openai_chat_answer import DETAILS, FORM, REASONING, ChatAnswer
from sojourn.providers.openai_client import RETRIES, TIMEOUT, OpenAiClient
from sojourn.providers.openai_fallbacks import CHAT
from sojourn.providers.openai_reading import json_object
from sojourn.providers.openai_request import effort, parameters
from sojourn.providers.payloads import payload
from sojourn.providers.protocol import ModelRequest, RawLog, StreamComplete, StreamEvent, ToolDefinition

PATH: Final = "/chat/completions"


class OpenAiChat:
    """One model on one server. Lives in one event loop; close it to close its connections.

    Args:
        model: which model to ask.
        base_url: where the server's API begins, such as `http://localhost:11434/v1`; OpenAI's own if none is given.
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
            model, base_url=base_url, api_key=api_key, timeout=timeout, retries=retries, fallbacks=CHAT
        )
        self._takes_tools = takes_tools

    def __repr__(self) -> str:
        return f"OpenAiChat({self.name!r})"

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
        answer = self._answer(request)
        sent = {**self._payload(request), "stream": True, "stream_options": {"include_usage": True}}
        async with aclosing(self._client.events(PATH, sent, raw_log=raw_log)) as chunks:
            while (chunk := await self._next(chunks, answer)) is not None:
                for event in answer.take(chunk):
                    yield event
        if not answer.is_finished:
            raise self._client.broke_off()
        for event in answer.end():
            yield event

    async def complete(self, request: ModelRequest, *, raw_log: RawLog | None = None) -> StreamComplete:
        """Return the whole answer at once. The errors are those of `stream`."""
        answer = self._answer(request)
        completion = await self._client.whole(PATH, self._payload(request), raw_log=raw_log)
        if error := completion.get("error"):  # OpenRouter says so with status 200
            raise self._client.failed(error)
        events = [*answer.take(completion), *answer.end()]
        match events[-1]:
            case StreamComplete() as complete if answer.has_message:
                return complete
        raise ModelError(f"{self.name}: it answered with something that is no completion")

    async def close(self) -> None:
        """Close the connections. It can be called twice; afterwards nothing can be asked."""
        await self._client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def _next(self, chunks: AsyncGenerator[dict[str, Any], None], answer: ChatAnswer) -> dict[str, Any] | None:
        """Return the next chunk, None if there is none. What breaks behind the end takes nothing from the answer."""
        try:
            return await anext(chunks, None)
        except ModelUnavailableError:
            if answer.is_finished:
                return None
            raise

    def _answer(self, request: ModelRequest) -> ChatAnswer:
        taken = (call.id for message in request.messages for call in message.tool_calls)
        return ChatAnswer(model=self.model, host=self._client.host, taken=taken)

    def _payload(self, request: ModelRequest) -> dict[str, Any]:
        written = payload(FORM, request.system, request.messages)["messages"]
        if not self._client.is_openai:
            self._suit_others(written, request)
        sent: dict[str, Any] = {"model": self.model, "messages": written}
        if request.tools:
            sent["tools"] = [_tool(tool) for tool in request.tools]
        if request.max_tokens is not None:
            # Newer models of OpenAI take only the one name for the limit, most other servers only the other.
            sent["max_completion_tokens" if self._client.is_openai else "max_tokens"] = request.max_tokens
        if request.temperature is not None:
            sent["temperature"] = request.temperature
        if request.thinking is not None:
            sent["reasoning_effort"] = effort(request.thinking)
        if request.schema is not None:
            shape = {"name": "answer", "schema": request.schema, "strict": True}
            sent["response_format"] = {"type": "json_schema", "json_schema": shape}
        return sent

    def _suit_others(self, written: list[dict[str, Any]], request: ModelRequest) -> None:
        """Change the messages to what servers want that are not OpenAI's, which would refuse it."""
        for one in written:
            for call in one.get("tool_calls", ()):
                # They read the arguments to put them into the model's own format.
                arguments = call["function"]["arguments"]
                if json_object(arguments) is None:
                    call["function"]["arguments"] = msgspec.json.encode({"not_json": arguments}).decode()
        # What was thought belongs to the turn that goes on; of earlier ones some servers refuse it.
        for one, message in zip(reversed(written), reversed(request.messages), strict=False):
            if message.role == "user":
                break
            one.update(self._thinking_of(message))

    def _thinking_of(self, message: Message) -> dict[str, Any]:
        """Return what this server itself sent of the model's thinking, under the names that it used."""
        kept = json_object(bytes(message.raw).decode()) if isinstance(message.raw, msgspec.Raw) else None
        if kept is None or kept.get("form") != FORM or kept.get("host") != self._client.host:
            return {}
        thinking = "".join(part.text for part in message.content if isinstance(part, ThinkingPart))
        found = {kept["field"]: thinking} if kept.get("field") in REASONING and thinking else {}
        return {**found, DETAILS: kept[DETAILS]} if kept.get(DETAILS) else found


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": parameters(tool)}
    return {"type": "function", "function": {name: value for name, value in function.items() if value != ""}}
