"""Chat completions over real HTTP and server-sent events, with the real SDK: what comes, and what is sent."""

from collections.abc import AsyncGenerator, Iterator
from typing import Any

import msgspec
import pytest

from sojourn.errors import ModelError
from sojourn.model.message import MediaPart, Message, TextPart, ThinkingPart, ToolCall
from sojourn.model.usage import Usage
from sojourn.providers.openai_chat import OpenAiChat
from sojourn.providers.protocol import (
    ContentDelta,
    ModelRequest,
    ReasoningDelta,
    StreamComplete,
    ToolCallStarted,
    ToolDefinition,
)
from sojourn.testing.wire import WireServer
from sojourn.testing.wire_openai import Call, OpenAiWire
from sojourn.testing.wire_openai_forms import event
from tests.providers.openai_talks import HELLO, Log, answered, delta, end, piece, told

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


# --- what comes back


async def test_what_is_said_comes_in_its_pieces_and_then_as_a_whole(wire: OpenAiWire, model: OpenAiChat) -> None:
    wire.say(["Hel", "lo ", "you"], model="little-2", input_tokens=100, output_tokens=7, cached_tokens=60)

    assert await told(model) == [
        ContentDelta(text="Hel"),
        ContentDelta(text="lo "),
        ContentDelta(text="you"),
        StreamComplete(
            message=Message(role="assistant", content="Hello you", model="little-2"),
            usage=Usage(model="little-2", input_tokens=40, output_tokens=7, cache_read_tokens=60),
        ),
    ]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_thinking_comes_under_either_name(wire: OpenAiWire, model: OpenAiChat, field: str) -> None:
    wire.say("Yes", thinking=["Hm, ", "well"], thinking_field=field)

    *pieces, last = await told(model)

    assert pieces == [ReasoningDelta(text="Hm, "), ReasoningDelta(text="well"), ContentDelta(text="Yes")]
    assert isinstance(last, StreamComplete)
    assert last.message.content == (ThinkingPart(text="Hm, well"), TextPart(text="Yes"))


async def test_calls_are_told_as_they_begin_and_have_their_arguments_at_the_end(
    wire: OpenAiWire, model: OpenAiChat
) -> None:
    wire.say(
        "Let me look.",
        calls=[
            Call(id="a", name="look", arguments=['{"place": ', '"Porto"}']),
            Call(id="b", name="wait", arguments=""),
        ],
    )

    _, *started, last = await told(model)

    assert started == [
        ToolCallStarted(index=0, id="a", name="look"),
        ToolCallStarted(index=1, id="b", name="wait"),
    ]
    assert isinstance(last, StreamComplete)
    assert last.message.tool_calls == (
        ToolCall(id="a", name="look", arguments={"place": "Porto"}),
        ToolCall(id="b", name="wait"),
    )
    assert last.stop == "tools"


@pytest.mark.parametrize(
    "written",
    [
        '{"place": ',
        "[1]",
        "Porto",
        '{"a": 1}{"b": 2}',
        '{"a": NaN}',
        '{"a": "\\ud800"}',
        '{"a": ' + "[" * 80 + "]" * 80 + "}",
    ],
)
async def test_arguments_that_are_no_json_object_are_kept_as_text(
    wire: OpenAiWire, model: OpenAiChat, written: str
) -> None:
    wire.say(calls=[Call(name="look", arguments=written)])

    [call] = (await answered(model)).message.tool_calls

    assert (call.arguments, call.arguments_text) == ({}, written)


@pytest.mark.parametrize(
    ("reason", "stop"),
    [("stop", "end"), ("length", "length"), ("content_filter", "refusal"), ("tool_calls", "tools"), ("odd", "other")],
)
async def test_why_it_stopped_is_told_in_our_words(wire: OpenAiWire, model: OpenAiChat, reason: str, stop: str) -> None:
    wire.say("Hello", finish_reason=reason)
    wire.say("Hello", finish_reason=reason)

    assert (await answered(model)).stop == stop
    assert (await model.complete(HELLO)).stop == stop


async def test_calls_that_end_with_stop_are_to_be_run_all_the_same(wire: OpenAiWire, model: OpenAiChat) -> None:
    wire.say(calls=[Call(name="look")], finish_reason="stop")

    assert (await answered(model)).stop == "tools"


async def test_a_refusal_is_what_it_says_and_why_it_stopped(wire: OpenAiWire, model: OpenAiChat) -> None:
    wire.say(refusal="I would rather not")

    last = await answered(model)

    assert (last.message.text, last.stop) == ("I would rather not", "refusal")


async def test_the_whole_answer_is_what_the_stream_would_have_been(wire: OpenAiWire, model: OpenAiChat) -> None:
    answer: dict[str, Any] = {
        "text": "Looking",
        "thinking": "Hm",
        "calls": [Call(id="a", name="look", arguments={"x": 1}), Call(id="b", name="look", arguments="{")],
        "cached_tokens": 30,
    }
    wire.say(**answer)
    wire.say(**answer)

    assert await model.complete(HELLO) == await answered(model)


async def test_a_server_that_says_nothing_of_tokens_is_fine(wire: OpenAiWire, model: OpenAiChat) -> None:
    wire.say("Hello", has_usage=False)

    assert (await answered(model)).usage == Usage(model="scripted")


async def test_a_server_that_refuses_to_tell_of_tokens_is_asked_without_and_remembered(server: WireServer) -> None:
    wire = OpenAiWire(server, refuses=["stream_options"])
    wire.say("Hello")
    wire.say("Hello again")

    async with OpenAiChat("little-model", base_url=wire.base_url) as model:
        first, second = await answered(model), await answered(model)

    assert (first.message.text, second.message.text) == ("Hello", "Hello again")
    assert first.usage.input_tokens == 0
    assert ["stream_options" in request.json for request in server.requests] == [True, False, False]


async def test_tokens_that_are_told_with_every_chunk_are_counted_once(wire: OpenAiWire, model: OpenAiChat) -> None:
    wire.stream(
        event({"choices": [{"index": 0, "delta": {"content": "a"}}], "usage": {"prompt_tokens": 5}}),
        end(usage={"prompt_tokens": 5, "completion_tokens": 2, "prompt_tokens_details": {"cache_write_tokens": 3}}),
    )

    used = (await answered(model)).usage

    assert (used.input_tokens, used.cache_creation_tokens, used.output_tokens) == (2, 3, 2)


async def test_what_deepseek_cached_is_counted_apart(wire: OpenAiWire, model: OpenAiChat) -> None:
    wire.stream(delta(content="a"), end(usage={"prompt_tokens": 5, "prompt_cache_hit_tokens": 4}))

    used = (await answered(model)).usage

    assert (used.input_tokens, used.cache_read_tokens) == (1, 4)


async def test_content_in_parts_is_read(wire: OpenAiWire, model: OpenAiChat) -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}
    wire.stream(delta(content=[thinking]), delta(content=[{"type": "text", "text": "Yes"}]), end())

    assert (await answered(model)).message.content == (ThinkingPart(text="Hm"), TextPart(text="Yes"))


async def test_half_a_character_does_not_reach_the_store(wire: OpenAiWire, model: OpenAiChat) -> None:
    wire.stream(delta(content="\ud83d"), delta(content="é"), end())

    last = await answered(model)

    assert msgspec.json.encode(last.message)
    assert last.message.text == "\ufffdé"


async def test_blocks_of_thinking_that_no_store_takes_are_given_up_and_the_answer_is_not(
    wire: OpenAiWire, model: OpenAiChat
) -> None:
    nested: list[Any] = []
    for _ in range(200):
        nested = [nested]
    wire.stream(delta(content="Yes", reasoning_details=[{"type": "odd", "data": nested}]), end())
    wire.stream(delta(content="Yes", reasoning_details=[{"type": "\ud800", "other": "\ud800"}]), end())

    for _ in range(2):
        message = (await answered(model)).message
        assert message == Message(role="assistant", content="Yes", model="m")


# --- what is sent


async def test_everything_that_is_asked_for_is_sent(server: WireServer, wire: OpenAiWire, model: OpenAiChat) -> None:
    wire.say("{}")
    schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}

    await told(
        model,
        ModelRequest(
            messages=HELLO.messages,
            system="Be brief.",
            tools=(
                ToolDefinition(name="look", description="Looks.", parameters={"type": "object", "properties": {}}),
                ToolDefinition(name="wait"),
            ),
            max_tokens=50,
            temperature=0.5,
            thinking=1024,
            schema=schema,
        ),
    )

    empty = {"type": "object", "properties": {}}
    assert server.requests[0].json == {
        "model": "little-model",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
        "tools": [
            {"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": empty}},
            {"type": "function", "function": {"name": "wait", "parameters": empty}},
        ],
        "max_tokens": 50,
        "temperature": 0.5,
        "reasoning_effort": "low",
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}},
        "stream": True,
        "stream_options": {"include_usage": True},
    }


async def test_openais_own_server_is_told_the_limit_by_its_new_name(
    server: WireServer, wire: OpenAiWire, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire.say("Hello")
    server.route("http://api.openai.com/v1/chat/completions", wire._chat)
    monkeypatch.setenv("HTTP_PROXY", server.address)

    async with OpenAiChat("gpt-5", base_url="http://api.openai.com/v1", api_key="sk-test") as model:
        await told(model, ModelRequest(messages=HELLO.messages, max_tokens=9))

    assert server.requests[0].json["max_completion_tokens"] == 9
    assert "max_tokens" not in server.requests[0].json


async def test_a_talk_with_calls_pictures_and_odd_names_is_taken_by_a_strict_server(
    server: WireServer, wire: OpenAiWire, model: OpenAiChat
) -> None:
    long = "toolu_" + "x" * 60
    talk = (
        Message(role="user", content="Look", name="Ada <the first> Lovelace"),
        Message(
            role="assistant",
            content=(ThinkingPart(text="hm", signature="another's"),),
            tool_calls=(ToolCall(id=long, name="see far/away"), ToolCall(id="b", name="look", arguments_text="{")),
        ),
        Message(role="tool", content="", tool_call_id=long),
        Message(role="tool", content="ok", tool_call_id="b"),
        Message(role="assistant", content=(TextPart(text="See"), MediaPart(media_type="image/png", data=b"x"))),
        Message(
            role="user",
            content=(
                TextPart(text="And these?"),
                MediaPart(media_type="image/png", url="https://example.org/a.png"),
                MediaPart(media_type="application/pdf", data=b"x", name="a.pdf"),
                MediaPart(media_type="audio/mpeg", data=b"x"),
                MediaPart(media_type="application/zip", data=b"x", name="a.zip"),
            ),
        ),
    )
    wire.say("Fine")

    assert (await answered(model, ModelRequest(messages=talk))).message.text == "Fine"
    sent = server.requests[0].json["messages"]
    assert sent[1]["tool_calls"][0]["id"] == sent[2]["tool_call_id"]
    assert sent[1]["tool_calls"][1]["function"]["arguments"] == '{"not_json":"{"}'
    assert sent[4]["content"] == "See\n(a file that cannot be shown here: image/png)"
    assert [part["type"] for part in sent[5]["content"]] == ["text", "image_url", "file", "input_audio", "text"]


async def test_what_was_thought_goes_back_to_the_same_server_while_the_turn_goes_on(
    server: WireServer, wire: OpenAiWire, model: OpenAiChat
) -> None:
    wire.say(thinking="Hm", calls=[Call(id="a", name="look")], thinking_field="reasoning")
    wire.say("A river")
    wire.say("You are welcome")
    first = (await answered(model)).message
    result = Message(role="tool", content="a river", tool_call_id="a")

    second = (await answered(model, ModelRequest(messages=(*HELLO.messages, first, result)))).message
    thanks = Message(role="user", content="Thanks")
    await told(model, ModelRequest(messages=(*HELLO.messages, first, result, second, thanks)))

    assert server.requests[1].json["messages"][1]["reasoning"] == "Hm"
    assert "reasoning" not in server.requests[2].json["messages"][1]


async def test_blocks_of_thinking_go_back_as_they_came(server: WireServer, wire: OpenAiWire, model: OpenAiChat) -> None:
    def block(**more: Any) -> dict[str, Any]:
        return {"type": "reasoning.text", "index": 0, "format": "f", **more}

    wire.stream(
        delta(reasoning="Hm, ", reasoning_details=[block(text="Hm, ")]),
        delta(reasoning="well", reasoning_details=[block(text="well", signature=None)]),
        delta(reasoning_details=[block(text="", signature="s")]),
        delta(reasoning_details=[{"type": "reasoning.encrypted", "index": 1, "data": "xyz"}]),
        piece(0, "a", "look", "{}"),
        end("tool_calls"),
    )
    wire.say("A river")
    first = (await answered(model)).message

    result = Message(role="tool", content="a river", tool_call_id="a")
    await told(model, ModelRequest(messages=(*HELLO.messages, first, result)))

    assert server.requests[1].json["messages"][1]["reasoning_details"] == [
        block(text="Hm, well", signature="s"),
        {"type": "reasoning.encrypted", "index": 1, "data": "xyz"},
    ]


async def test_what_was_thought_at_one_server_is_not_told_to_another(
    server: WireServer, wire: OpenAiWire, model: OpenAiChat
) -> None:
    wire.say(thinking="Hm", calls=[Call(id="a", name="look")])
    first = (await answered(model)).message
    result = Message(role="tool", content="a river", tool_call_id="a")

    with WireServer() as other:
        elsewhere = OpenAiWire(other, takes_thinking=False)
        elsewhere.say("A river")
        async with OpenAiChat("little-model", base_url=elsewhere.base_url) as another:
            await told(another, ModelRequest(messages=(*HELLO.messages, first, result)))

    assert "reasoning_content" not in other.requests[0].json["messages"][1]


# --- what is logged


async def test_a_stream_is_logged_as_it_went_over_the_wire(wire: OpenAiWire) -> None:
    wire.say("Hello")
    log = Log()
    address = wire.base_url.replace("http://", "http://me:secret@")

    async with OpenAiChat("little-model", base_url=address, api_key="sk-test") as model:
        await told(model, raw_log=log)

    [(endpoint, sent)] = log.requests
    assert endpoint == f"{wire.base_url}/chat/completions"
    assert sent["stream"] is True
    assert [chunk["choices"][0]["delta"].get("content") for chunk in log.chunks[:2]] == ["", "Hello"]
    assert log.chunks[-1]["usage"]["prompt_tokens"] == 100
    assert "sk-test" not in str(log.__dict__)
    assert "secret" not in str(log.__dict__)


async def test_a_whole_answer_is_logged_with_its_status_and_so_is_a_refusal(
    wire: OpenAiWire, model: OpenAiChat
) -> None:
    log = Log()
    wire.say("Hello")
    wire.fail(404)

    await model.complete(HELLO, raw_log=log)
    with pytest.raises(ModelError):
        await model.complete(HELLO, raw_log=log)

    assert [status for status, _ in log.responses] == [200, 404]
    assert log.responses[0][1]["choices"][0]["message"]["content"] == "Hello"
