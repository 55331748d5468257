"""Tool calls in chat completions, however a server cuts and numbers them."""

from collections.abc import AsyncGenerator, Iterator

import pytest

from sojourn.model.message import Message, ToolCall
from sojourn.providers.openai_chat import OpenAiChat
from sojourn.providers.protocol import (
    ModelRequest,
    StreamComplete,
    ToolCallStarted,
)
from sojourn.testing.wire import WireServer
from sojourn.testing.wire_openai import Call, OpenAiWire
from tests.providers.openai_talks import answered, end, piece, told

pytestmark = pytest.mark.anyio


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as started:
        yield started


@pytest.fixture
def wire(server: WireServer) -> OpenAiWire:
    return OpenAiWire(server)


@pytest.fixture
async def model(wire: OpenAiWire) -> AsyncGenerator[OpenAiChat, None]:
    async with OpenAiChat("little-model", base_url=wire.base_url) as opened:
        yield opened


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param(
            [piece(0, "x", "look", ""), piece(0, None, None, '{"a":'), piece(0, None, None, "1}")], id="OpenAI"
        ),
        pytest.param([piece(0, "x", "look", '{"a":'), piece(0, "x", "look", "1}")], id="id and name each time"),
        pytest.param(
            [piece(0, "x"), piece(0, None, "look"), piece(0, None, None, '{"a":1}')], id="the name comes late"
        ),
        pytest.param([piece(0, None, "look"), piece(0, "x"), piece(0, None, None, '{"a":1}')], id="the id comes late"),
        pytest.param([piece(0, "x", "look", '{"a":'), piece(0, "y", None, "1}")], id="another id each time"),
        pytest.param([piece(0, "x", "lo"), piece(0, None, "ok", '{"a":1}')], id="the name in pieces"),
        pytest.param([piece(None, "x", "look", '{"a":'), piece(None, None, None, "1}")], id="no index"),
        pytest.param([piece(0, "x", "look", {"a": 1})], id="the object itself"),
    ],
)
async def test_a_call_is_put_together_however_it_is_cut(
    wire: OpenAiWire, model: OpenAiChat, pieces: list[bytes]
) -> None:
    wire.stream(*pieces, end("tool_calls"))

    *started, last = await told(model)

    assert isinstance(last, StreamComplete)
    assert last.message.tool_calls == (ToolCall(id="x", name="look", arguments={"a": 1}),)
    assert [one.id for one in started if isinstance(one, ToolCallStarted)] == ["x"]


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param([piece(0, "x", "look", "{}"), piece(0, "y", "look", "{}")], id="ids that differ"),
        pytest.param([piece(None, "x", "look", "{}"), piece(None, "y", "look", "{}")], id="no index"),
        pytest.param([piece(0, None, "look", "{}"), piece(0, None, "wait", "{}")], id="names that differ"),
        pytest.param([piece(0, None, "look", "{}"), piece(0, None, "look", "{}")], id="arguments that are whole"),
        pytest.param([piece(0, None, "look"), piece(1, None, "wait")], id="no ids and no arguments"),
        pytest.param([piece(1, "y", "look"), piece(0, "x", "look"), piece(1, None, None, "{}")], id="interleaved"),
    ],
)
async def test_two_calls_stay_two_however_they_are_numbered(
    wire: OpenAiWire, model: OpenAiChat, pieces: list[bytes]
) -> None:
    wire.stream(*pieces, end("tool_calls"))

    *started, last = await told(model)

    assert isinstance(last, StreamComplete)
    ids = [call.id for call in last.message.tool_calls]
    assert len(set(ids)) == 2
    assert all(ids)
    assert [one.id for one in started if isinstance(one, ToolCallStarted)] == ids
    assert all(call.arguments_text is None for call in last.message.tool_calls)


async def test_an_id_that_the_talk_has_already_is_replaced(wire: OpenAiWire, model: OpenAiChat) -> None:
    """Some servers count their calls anew in each answer, and a result finds its call by nothing but the id."""
    before = (
        Message(role="user", content="Look"),
        Message(role="assistant", tool_calls=(ToolCall(id="call_0", name="look"),)),
        Message(role="tool", content="a river", tool_call_id="call_0"),
    )
    wire.say(calls=[Call(id="call_0", name="look"), Call(id="call_1", name="look")])

    first, second = (await answered(model, ModelRequest(messages=before))).message.tool_calls

    assert first.id not in {"call_0", "call_1", ""}
    assert second.id == "call_1"


async def test_a_call_without_a_name_is_kept_for_somebody_to_refuse(wire: OpenAiWire, model: OpenAiChat) -> None:
    wire.stream(piece(0, "x", None, "{}"), piece(1, "y"), end("tool_calls"))

    assert (await answered(model)).message.tool_calls == (ToolCall(id="x", name="unnamed"),)
