"""What the tests of the Messages API share: a model to ask, something to ask it, and a log that remembers."""

from typing import Any

from sojourn.model.message import Message, ToolCall
from sojourn.providers.anthropic_messages import AnthropicMessages
from sojourn.providers.protocol import (
    ContentDelta,
    ModelRequest,
    StreamComplete,
    StreamEvent,
    ToolDefinition,
)
from sojourn.testing.wire_anthropic import AnthropicWire

MODEL = "claude-haiku-4-5"
"""A model that is given a budget for its thinking."""
NEWER = "claude-opus-4-8"
"""A model that decides itself how much it thinks."""
KEY = "sk-ant-api03-made-up-and-worth-nothing"
WEATHER = ToolDefinition(
    name="weather",
    description="Tells the weather.",
    parameters={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)


class Remembered:
    """A raw log that keeps everything in memory."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.responses: list[tuple[int, dict[str, Any]]] = []
        self.chunks: list[dict[str, Any]] = []

    def on_request(self, endpoint: str, payload: dict[str, Any]) -> None:
        self.requests.append((endpoint, payload))

    def on_response(self, status: int, body: dict[str, Any]) -> None:
        self.responses.append((status, body))

    def on_chunk(self, chunk: dict[str, Any]) -> None:
        self.chunks.append(chunk)


def asking(wire: AnthropicWire, *, model: str = MODEL, retries: int = 2, timeout: float = 20.0) -> AnthropicMessages:
    return AnthropicMessages(model, base_url=wire.base_url, api_key=KEY, retries=retries, timeout=timeout)


def asked(*messages: Message | str, **details: Any) -> ModelRequest:
    said = tuple(Message(role="user", content=one) if isinstance(one, str) else one for one in messages or ("Hi",))
    return ModelRequest(messages=said, **details)


def result(call: ToolCall, content: str = "sunny") -> Message:
    return Message(role="tool", content=content, tool_call_id=call.id, name=call.name)


async def streamed(model: AnthropicMessages, request: ModelRequest, log: Remembered | None = None) -> list[StreamEvent]:
    return [event async for event in model.stream(request, raw_log=log)]


async def answered(model: AnthropicMessages, request: ModelRequest) -> StreamComplete:
    last = (await streamed(model, request))[-1]
    assert isinstance(last, StreamComplete)
    return last


def words(events: list[StreamEvent]) -> list[str]:
    return [event.text for event in events if isinstance(event, ContentDelta)]
