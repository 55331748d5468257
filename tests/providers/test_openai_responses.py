"""The Responses API over real HTTP and server-sent events, with the real SDK."""

from collections.abc import AsyncGenerator, Iterator
from typing import Any

import anyio
import anyio.to_thread
import msgspec
import pytest

from sojourn.errors import InvalidInputError, ModelError, ModelUnavailableError
from sojourn.model.message import MediaPart, Message, TextPart, ThinkingPart, ToolCall
from sojourn.model.usage import Usage
from sojourn.providers.openai_chat import OpenAiChat
from sojourn.providers.openai_responses import OpenAiResponses
from sojourn.providers.payloads import payload
from sojourn.providers.protocol import (
    ContentDelta,
    ModelRequest,
    ReasoningDelta,
    StreamComplete,
    ToolCallStarted,
    ToolDefinition,
)
from sojourn.testing.wire import Held, WireServer
from sojourn.testing.wire_openai import Call, OpenAiWire
from sojourn.testing.wire_openai_forms import event, failure_events
from tests.providers.openai_talks import HELLO, Log, answered, told, told_until

pytestmark = pytest.mark.anyio
RESULT = Message(role="tool", content="a river", tool_call_id="a")


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as started:
        yield started


@pytest.fixture
def wire(server: WireServer) -> OpenAiWire:
    return OpenAiWire(server)


@pytest.fixture
async def model(wire: OpenAiWire) -> AsyncGenerator[OpenAiResponses, None]:
    async with OpenAiResponses("little-model", base_url=wire.base_url) as opened:
        yield opened


def items_of(message: Message) -> list[dict[str, Any]]:
    assert isinstance(message.raw, msgspec.Raw)
    kept: list[dict[str, Any]] = msgspec.json.decode(message.raw)["items"]
    return kept


# --- what comes back


async def test_thinking_words_and_calls_come_in_pieces_and_then_as_a_whole(
    wire: OpenAiWire, model: OpenAiResponses
) -> None:
    wire.respond(
        ["Let me ", "look."],
        thinking=["Hm, ", "well"],
        calls=[Call(id="a", name="look", arguments=['{"place": ', '"Porto"}']), Call(id="b", name="wait")],
        model="little-2",
        cached_tokens=30,
    )

    *pieces, last = await told(model)

    assert pieces == [
        ReasoningDelta(text="Hm, "),
        ReasoningDelta(text="well"),
        ContentDelta(text="Let me "),
        ContentDelta(text="look."),
        ToolCallStarted(index=0, id="a", name="look"),
        ToolCallStarted(index=1, id="b", name="wait"),
    ]
    assert isinstance(last, StreamComplete)
    assert last.message.content == (ThinkingPart(text="Hm, well"), TextPart(text="Let me look."))
    assert last.message.tool_calls == (
        ToolCall(id="a", name="look", arguments={"place": "Porto"}),
        ToolCall(id="b", name="wait"),
    )
    assert last.usage == Usage(model="little-2", input_tokens=70, output_tokens=20, cache_read_tokens=30)
    assert last.stop == "tools"


async def test_the_whole_answer_is_what_the_stream_would_have_been(wire: OpenAiWire, model: OpenAiResponses) -> None:
    calls = [Call(id="a", name="look", arguments="{")]
    answer: dict[str, Any] = {"text": "Looking", "thinking": "Hm", "calls": calls, "number": 7}
    wire.respond(**answer)
    wire.respond(**answer)

    whole, streamed = await model.complete(HELLO), await answered(model)

    assert whole == streamed
    assert whole.message.tool_calls == (ToolCall(id="a", name="look", arguments_text="{"),)


@pytest.mark.parametrize(
    ("details", "stop"),
    [
        ({}, "end"),
        ({"calls": [Call(name="look")]}, "tools"),
        ({"finish_reason": "max_output_tokens"}, "length"),
        ({"finish_reason": "content_filter"}, "refusal"),
        ({"finish_reason": "odd"}, "other"),
        ({"refusal": "I would rather not"}, "refusal"),
    ],
)
async def test_why_it_stopped_is_told_in_our_words(
    wire: OpenAiWire, model: OpenAiResponses, details: dict[str, Any], stop: str
) -> None:
    wire.respond("Hello", **details)
    wire.respond("Hello", **details)

    assert (await answered(model)).stop == stop
    assert (await model.complete(HELLO)).stop == stop


async def test_a_refusal_is_what_it_says(wire: OpenAiWire, model: OpenAiResponses) -> None:
    wire.respond(refusal="I would rather not")

    said, last = await told(model)

    assert said == ContentDelta(text="I would rather not")
    assert isinstance(last, StreamComplete)
    assert last.message.text == "I would rather not"


async def test_parts_of_a_summary_are_kept_apart(wire: OpenAiWire, model: OpenAiResponses) -> None:
    item = {"id": "rs_1", "type": "reasoning", "summary": [{"text": "One."}, {"text": "Two."}]}
    thought = {"type": "response.reasoning_summary_text.delta", "output_index": 0}
    wire.stream(
        event({**thought, "summary_index": 0, "delta": "One."}),
        event({**thought, "summary_index": 1, "delta": "Tw"}),
        event({**thought, "summary_index": 1, "delta": "o."}),
        event({"type": "response.output_item.done", "output_index": 0, "item": item}),
        event({"type": "response.completed", "response": {"output": []}}),
        script=wire.responses,
    )

    *pieces, last = await told(model)

    shown = "".join(piece.text for piece in pieces if isinstance(piece, ReasoningDelta))
    assert shown == "One.\n\nTwo."
    assert isinstance(last, StreamComplete)
    assert last.message.content == (ThinkingPart(text=shown),)


async def test_an_open_models_thinking_is_read_where_it_is(wire: OpenAiWire, model: OpenAiResponses) -> None:
    item = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm"}]}
    wire.stream(
        event({"type": "response.reasoning_text.delta", "output_index": 0, "content_index": 0, "delta": "Hm"}),
        event({"type": "response.completed", "response": {"output": [item]}}),
        script=wire.responses,
    )

    thought, last = await told(model)

    assert thought == ReasoningDelta(text="Hm")
    assert isinstance(last, StreamComplete)
    assert last.message.content == (ThinkingPart(text="Hm"),)


# --- what is sent


async def test_everything_that_is_asked_for_is_sent_and_nothing_is_stored_there(
    server: WireServer, wire: OpenAiWire, model: OpenAiResponses
) -> None:
    wire.respond("{}")
    schema = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}

    await told(
        model,
        ModelRequest(
            messages=HELLO.messages,
            system="Be brief.",
            tools=(ToolDefinition(name="look", description="Looks."), ToolDefinition(name="wait")),
            max_tokens=50,
            temperature=0.5,
            thinking=30_000,
            schema=schema,
        ),
    )

    function = {"type": "function", "parameters": {"type": "object", "properties": {}}, "strict": False}
    assert server.requests[0].json == {
        "model": "little-model",
        "instructions": "Be brief.",
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello"}]}],
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "tools": [{**function, "name": "look", "description": "Looks."}, {**function, "name": "wait"}],
        "max_output_tokens": 50,
        "temperature": 0.5,
        "reasoning": {"effort": "high", "summary": "auto"},
        "text": {"format": {"type": "json_schema", "name": "answer", "schema": schema, "strict": True}},
        "stream": True,
    }


async def test_what_was_thought_goes_back_to_the_letter(
    server: WireServer, wire: OpenAiWire, model: OpenAiResponses
) -> None:
    wire.respond(thinking="Hm", encrypted="gAAA-first", calls=[Call(id="a", name="look", arguments='{ "x":1.0 }')])
    wire.respond("A river", thinking="", encrypted="gAAA-second")
    wire.respond("You are welcome")
    first = (await answered(model)).message

    second = (await answered(model, ModelRequest(messages=(*HELLO.messages, first, RESULT)))).message
    thanks = Message(role="user", content="Thanks")
    await told(model, ModelRequest(messages=(*HELLO.messages, first, RESULT, second, thanks)))

    sent = server.requests[2].json["input"]
    assert sent[1:3] == items_of(first)
    assert sent[1]["encrypted_content"] == "gAAA-first"
    assert sent[2]["arguments"] == '{ "x":1.0 }'
    assert sent[3] == {"type": "function_call_output", "call_id": "a", "output": "a river"}
    assert sent[4:6] == items_of(second)


async def test_what_was_thought_survives_the_journal(
    server: WireServer, wire: OpenAiWire, model: OpenAiResponses
) -> None:
    wire.respond(thinking="Hm", calls=[Call(id="a", name="look")])
    wire.respond("A river")
    first = (await answered(model)).message

    stored = msgspec.json.decode(msgspec.json.encode(first), type=Message)
    await told(model, ModelRequest(messages=(*HELLO.messages, stored, RESULT)))

    assert server.requests[1].json["input"][1:3] == items_of(first)


async def test_what_was_thought_at_one_server_is_not_told_to_another(wire: OpenAiWire, model: OpenAiResponses) -> None:
    wire.respond(thinking="Hm", calls=[Call(id="a", name="look")])
    first = (await answered(model)).message

    with WireServer() as other:
        elsewhere = OpenAiWire(other, takes_thinking=False)
        elsewhere.respond("A river")
        elsewhere.say("A river")
        talk = ModelRequest(messages=(*HELLO.messages, first, RESULT))
        async with OpenAiResponses("little-model", base_url=elsewhere.base_url) as another:
            await told(another, talk)
        async with OpenAiChat("little-model", base_url=elsewhere.base_url) as chat:
            await told(chat, talk)

    assert "gAAA" not in str([request.json for request in other.requests])
    assert [item["type"] for item in other.requests[0].json["input"]] == [
        "message",
        "function_call",
        "function_call_output",
    ]


async def test_items_that_no_longer_fit_their_message_are_not_sent() -> None:
    items = [{"type": "reasoning", "summary": []}, {"type": "function_call", "call_id": "a", "name": "look"}]
    kept = msgspec.json.encode({"form": "openai-responses", "host": "h", "items": items})
    other_calls = Message(role="assistant", content="Hm", tool_calls=(ToolCall(id="b", name="look"),)).with_raw(kept)
    other_form = Message(role="assistant", content="Hm").with_raw('[{"type": "text"}]')

    written = payload("openai-responses", "", [other_calls, other_form])["input"]

    assert [item["type"] for item in written] == ["message", "function_call", "message"]


async def test_thinking_that_led_to_nothing_is_not_sent() -> None:
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hm"}]}
    items = [said, {"type": "reasoning", "summary": []}]
    message = Message(role="assistant", content="Hm").with_raw(
        msgspec.json.encode({"form": "openai-responses", "host": "h", "items": items})
    )

    assert payload("openai-responses", "", [message])["input"] == [said]


async def test_a_model_that_does_not_think_is_asked_without_its_thinking(server: WireServer) -> None:
    wire = OpenAiWire(server)
    wire.fail(400, "Encrypted content is not supported with this model.", script=wire.responses)
    wire.respond("Hello")
    wire.respond("Hello again")

    async with OpenAiResponses("little-model", base_url=wire.base_url) as model:
        await told(model)
        await model.complete(HELLO)

    assert ["include" in request.json for request in server.requests] == [True, False, False]


async def test_pictures_and_files_are_taken_by_a_strict_server(
    server: WireServer, wire: OpenAiWire, model: OpenAiResponses
) -> None:
    long = "toolu_" + "x" * 60
    talk = (
        Message(
            role="user",
            content=(
                TextPart(text="See"),
                MediaPart(media_type="image/png", data=b"x"),
                MediaPart(media_type="application/pdf", data=b"x"),
                MediaPart(media_type="application/pdf", url="https://example.org/a.pdf"),
            ),
        ),
        Message(role="assistant", tool_calls=(ToolCall(id=long, name="see far"),)),
        Message(role="tool", content="", tool_call_id=long),
    )
    wire.respond("Fine")

    assert (await answered(model, ModelRequest(messages=talk))).message.text == "Fine"
    sent = server.requests[0].json["input"]
    assert [part["type"] for part in sent[0]["content"]] == ["input_text", "input_image", "input_file", "input_file"]
    assert sent[1]["call_id"] == sent[2]["call_id"]


# --- slowly, and what goes wrong


async def test_each_piece_arrives_when_it_is_sent_and_not_at_the_end(wire: OpenAiWire, model: OpenAiResponses) -> None:
    held = Held()
    wire.respond(["one", held, "two"])
    came: list[str] = []

    async for said in model.stream(HELLO):
        if isinstance(said, ContentDelta):
            came.append(said.text)
            if said.text == "one":
                await anyio.to_thread.run_sync(held.wait_for_request)
                held.release()

    assert came == ["one", "two"]


async def test_an_answer_that_is_whole_does_not_wait_for_the_connection_to_end(
    wire: OpenAiWire, model: OpenAiResponses
) -> None:
    held = Held()
    done = event({"type": "response.completed", "response": {"output": []}})
    wire.stream(done, held, script=wire.responses)

    assert (await answered(model)).stop == "end"
    assert not held.released


@pytest.mark.parametrize("ending", ["cut", "short"])
async def test_a_stream_that_breaks_off_is_an_error_after_what_was_said(
    wire: OpenAiWire, model: OpenAiResponses, ending: str
) -> None:
    wire.respond("Hello", ending=ending)

    came, error = await told_until(model, ModelUnavailableError)

    assert came == [ContentDelta(text="Hello")]
    assert "broke off" in str(error)


@pytest.mark.parametrize(
    ("error", "passes"),
    [
        ({"message": "too fast", "code": "rate_limit_exceeded"}, True),
        ({"message": "hm", "code": "server_error"}, True),
        ({"message": "hm", "code": None}, True),
        ({"message": "no", "code": "invalid_prompt"}, False),
    ],
)
async def test_an_error_within_the_stream_is_told_in_the_servers_words(
    wire: OpenAiWire, model: OpenAiResponses, error: dict[str, Any], passes: bool
) -> None:
    wire.respond("Hel", ending="error", error=error)
    wire.stream(*failure_events(error), script=wire.responses)
    log = Log()

    for _ in range(2):
        with pytest.raises(ModelError, match=error["message"]) as caught:
            await told(model, raw_log=log)
        assert isinstance(caught.value, ModelUnavailableError) == passes

    assert log.chunks[-1]["type"] == "response.failed"


@pytest.mark.parametrize(("status", "passes"), [(401, False), (404, False), (429, True), (503, True)])
async def test_a_refusal_before_the_stream_says_whether_it_may_pass(
    wire: OpenAiWire, status: int, passes: bool
) -> None:
    wire.fail(status, script=wire.responses)

    async with OpenAiResponses("little-model", base_url=wire.base_url, retries=0) as model:
        with pytest.raises(ModelError) as caught:
            await told(model)

    assert isinstance(caught.value, ModelUnavailableError) == passes


async def test_a_whole_answer_that_failed_is_an_error(wire: OpenAiWire, model: OpenAiResponses) -> None:
    wire.garble(b'{"error": {"code": "server_error", "message": "upstream is down"}}', script=wire.responses)
    wire.garble(b'{"output": 3}', script=wire.responses)

    with pytest.raises(ModelUnavailableError, match="upstream is down"):
        await model.complete(HELLO)
    with pytest.raises(ModelError, match="no response"):
        await model.complete(HELLO)


async def test_a_server_and_a_key_are_asked_for_as_by_chat(wire: OpenAiWire) -> None:
    with pytest.raises(InvalidInputError, match="api_key"):
        OpenAiResponses("little-model")
    with pytest.raises(InvalidInputError, match="retries"):
        OpenAiResponses("little-model", api_key="sk-test", retries=-1)

    model = OpenAiResponses("little-model", base_url=wire.base_url, takes_tools=False)
    assert (model.model, model.takes_tools) == ("little-model", False)
    assert repr(model) == f"OpenAiResponses('{model.name}')"
