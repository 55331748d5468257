"""What the tests of the OpenAI protocols share: what to ask, pieces of streams, and a log that keeps everything."""

from typing import Any

from sojourn.model.message import Message
from sojourn.providers.protocol import ModelRequest, Provider, StreamComplete, StreamEvent
from sojourn.testing.wire_openai_forms import event

HELLO = ModelRequest(messages=(Message(role="user", content="Hello"),))


async def told(model: Provider, request: ModelRequest = HELLO, **options: Any) -> list[StreamEvent]:
    """Return everything that the model streams."""
    return [event async for event in model.stream(request, **options)]


async def told_until(model: Provider, failure: type[Exception]) -> tuple[list[StreamEvent], Exception]:
    """Return what the model streams until it fails, and how it fails."""
    came: list[StreamEvent] = []
    try:
        async for said in model.stream(HELLO):
            came.append(said)  # noqa: PERF401 - what came before the failure counts
    except failure as error:
        return came, error
    raise AssertionError(f"it did not fail, but said {came}")


async def answered(model: Provider, request: ModelRequest = HELLO) -> StreamComplete:
    """Return the last that the model streams."""
    last = (await told(model, request))[-1]
    assert isinstance(last, StreamComplete)
    return last


def delta(**pieces: Any) -> bytes:
    """Return a chunk with a piece of a message."""
    return event({"model": "m", "choices": [{"index": 0, "delta": pieces, "finish_reason": None}]})


def end(reason: str = "stop", **more: Any) -> bytes:
    """Return the chunk that says why the model stopped."""
    return event({"model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], **more})


def piece(
    index: int | None = None, call_id: str | None = None, name: str | None = None, arguments: Any = None
) -> bytes:
    """Return a chunk with a piece of a call, in which nothing is that is not given."""
    function = _given(name=name, arguments=arguments)
    return delta(tool_calls=[{**_given(index=index, id=call_id), "function": function}])


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


class Log:
    """Keeps what is logged."""

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
