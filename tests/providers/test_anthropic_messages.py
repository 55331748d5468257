"""A model on the Messages API, through the real SDK and over real HTTP: what it is asked and what it says."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import anyio
import pytest

from sojourn.context.cutting import cut_message
from sojourn.context.tokens import CharacterCounter
from sojourn.model.message import DataPart, MediaPart, Message, TextPart, ThinkingPart, ToolCall
from sojourn.model.usage import Usage
from sojourn.providers.anthropic_messages import AnthropicMessages
from sojourn.providers.anthropic_request import enforceable, request_body
from sojourn.providers.payloads import payload
from sojourn.providers.protocol import (
    ContentDelta,
    Provider,
    ReasoningDelta,
    StreamComplete,
    StreamEvent,
    ToolCallStarted,
)
from sojourn.testing.wire import Held, WireServer
from sojourn.testing.wire_anthropic import (
    AnthropicWire,
    redacted_thinking,
    text,
    thinking,
    tokens,
    tool_use,
)
from sojourn.testing.wire_anthropic_rules import refusal
from tests.providers.anthropic_talks import (
    KEY,
    MODEL,
    NEWER,
    WEATHER,
    Remembered,
    answered,
    asked,
    asking,
    result,
    streamed,
    words,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
def wire() -> Iterator[AnthropicWire]:
    with WireServer() as server:
        yield AnthropicWire(server, api_key=KEY)


@pytest.fixture
async def model(wire: AnthropicWire) -> AsyncIterator[AnthropicMessages]:
    async with asking(wire) as opened:
        yield opened


# --- what it says


async def test_words_are_yielded_as_they_come_and_are_the_message_in_the_end(
    wire: AnthropicWire, model: AnthropicMessages
) -> None:
    wire.say(text("Hel", "lo ", "you."))

    events = await streamed(model, asked("Hi"))

    assert words(events) == ["Hel", "lo ", "you."]
    last = events[-1]
    assert isinstance(last, StreamComplete)
    assert last.message == Message(role="assistant", content="Hello you.", model=MODEL)
    assert last.stop == "end"


async def test_each_piece_arrives_before_the_next_is_sent(wire: AnthropicWire, model: AnthropicMessages) -> None:
    first, second = Held(), Held()
    wire.say(text("one ", first, "two ", second, "three"))
    seen: list[str] = []

    async for event in model.stream(asked("Count")):
        if isinstance(event, ContentDelta):
            seen.append(event.text)
            held = {1: first, 2: second}.get(len(seen))
            if held is not None:
                assert not held.released
                held.release()

    assert seen == ["one ", "two ", "three"]


async def test_thinking_is_yielded_apart_and_kept_with_its_signature(
    wire: AnthropicWire, model: AnthropicMessages
) -> None:
    wire.say(thinking("Let me ", "see."), "Yes.")

    events = await streamed(model, asked("Is it?", thinking=2000))

    assert events[:2] == [ReasoningDelta(text="Let me "), ReasoningDelta(text="see.")]
    last = events[-1]
    assert isinstance(last, StreamComplete)
    content = last.message.content
    assert isinstance(content, tuple)
    thought, said = content
    assert isinstance(thought, ThinkingPart)
    assert thought.text == "Let me see."
    assert thought.signature
    assert said == TextPart(text="Yes.")
    assert last.message.text == "Yes."


async def test_calls_are_told_when_they_begin_and_have_their_arguments_in_the_end(
    wire: AnthropicWire, model: AnthropicMessages
) -> None:
    wire.say(
        "Looking.",
        tool_use("weather", {"city": "Zürich", "days": [1, 2]}, id="toolu_a"),
        tool_use("weather", {}, id="toolu_b"),
    )

    events = await streamed(model, asked("Weather?", tools=(WEATHER,)))

    assert [event for event in events if isinstance(event, ToolCallStarted)] == [
        ToolCallStarted(index=0, id="toolu_a", name="weather"),
        ToolCallStarted(index=1, id="toolu_b", name="weather"),
    ]
    last = events[-1]
    assert isinstance(last, StreamComplete)
    assert last.stop == "tools"
    assert last.message.content == "Looking."
    assert last.message.tool_calls == (
        ToolCall(id="toolu_a", name="weather", arguments={"city": "Zürich", "days": [1, 2]}),
        ToolCall(id="toolu_b", name="weather"),
    )


@pytest.mark.parametrize("written", ['{"city": "Zü', "[1, 2]", "weather in Rome", '"Rome"'])
async def test_arguments_that_are_no_json_object_are_kept_as_they_were_written(
    wire: AnthropicWire, model: AnthropicMessages, written: str
) -> None:
    wire.say(tool_use("weather", written))

    complete = await answered(model, asked("Weather?", tools=(WEATHER,)))

    assert complete.message.tool_calls == (ToolCall(id="toolu_1", name="weather", arguments_text=written),)


async def test_the_four_counts_do_not_overlap(wire: AnthropicWire, model: AnthropicMessages) -> None:
    counts = tokens(read=11, written=7, cached=500, cache_created=40)
    wire.say("Hello.", usage=counts, model="claude-haiku-4-5-20251001")
    wire.say("Hello.", usage=counts, model="claude-haiku-4-5-20251001")

    over_stream = await answered(model, asked("Hi"))
    at_once = await model.complete(asked("Hi"))

    assert over_stream.usage == Usage(
        model="claude-haiku-4-5-20251001",
        input_tokens=11,
        output_tokens=7,
        cache_creation_tokens=40,
        cache_read_tokens=500,
    )
    assert at_once == over_stream


@pytest.mark.parametrize(
    ("stop_reason", "stop"),
    [
        ("end_turn", "end"),
        ("stop_sequence", "end"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refusal"),
        ("pause_turn", "other"),
        ("something_new", "other"),
    ],
)
async def test_why_it_stopped_is_told_in_our_words(
    wire: AnthropicWire, model: AnthropicMessages, stop_reason: str, stop: str
) -> None:
    wire.say("Well.", stop_reason=stop_reason)
    wire.say("Well.", stop_reason=stop_reason)

    assert (await answered(model, asked("Hi"))).stop == stop
    assert (await model.complete(asked("Hi"))).stop == stop


async def test_calls_make_it_a_stop_for_tools_whatever_the_server_says(
    wire: AnthropicWire, model: AnthropicMessages
) -> None:
    wire.say(tool_use("weather", {"city": "Rome"}), stop_reason="end_turn")

    assert (await model.complete(asked("Weather?", tools=(WEATHER,)))).stop == "tools"


async def test_why_it_refuses_is_kept(wire: AnthropicWire, model: AnthropicMessages) -> None:
    details = {"type": "refusal", "category": "bio", "explanation": "No."}
    wire.say(stop_reason="refusal", stop_details=details)

    complete = await answered(model, asked("Hi"))

    assert complete.stop == "refusal"
    assert complete.message.content == ""
    assert complete.message.metadata == {"stop_details": details}


async def test_a_whole_answer_is_the_same_as_a_streamed_one(wire: AnthropicWire, model: AnthropicMessages) -> None:
    for _ in range(2):
        wire.say(
            thinking("Hm."), redacted_thinking("secret"), "Looking.", "Still.", tool_use("weather", {"city": "Rome"})
        )
    request = asked("Weather?", tools=(WEATHER,), thinking=1024)

    assert await model.complete(request) == await answered(model, request)


async def test_blocks_of_a_kind_that_nobody_knows_are_kept(wire: AnthropicWire, model: AnthropicMessages) -> None:
    strange = {"type": "hologram", "voxels": [1, 2, 3]}
    body = {"content": [strange, {"type": "text", "text": "There."}], "stop_reason": "end_turn", "usage": {}}
    wire.garble(json.dumps(body).encode(), kind="application/json")

    complete = await model.complete(asked("Hi"))

    assert complete.message.content == (DataPart(data=strange), TextPart(text="There."))
    assert complete.usage == Usage(model=MODEL)


# --- thinking and tools, there and back


async def test_thinking_goes_back_unchanged_before_its_calls(wire: AnthropicWire, model: AnthropicMessages) -> None:
    wire.say(
        thinking("Which city? ", "Rome."),
        redacted_thinking("what nobody may read"),
        "Looking.",
        tool_use("weather", {"city": "Rome"}, id="toolu_a"),
        tool_use("weather", {"city": "Oslo"}, id="toolu_b"),
    )
    wire.say(thinking("Sunny."), "It is sunny.")
    request = asked("Weather?", tools=(WEATHER,), thinking=1024)
    first = await answered(model, request)
    results = tuple(result(call) for call in first.message.tool_calls)

    second = await answered(model, asked(*request.messages, first.message, *results, tools=(WEATHER,), thinking=1024))

    assert wire.refusals == []
    assert second.message.text == "It is sunny."
    sent = wire.bodies[1]["messages"]
    assert [block["type"] for block in sent[1]["content"]] == [
        "thinking", "redacted_thinking", "text", "tool_use", "tool_use",
    ]  # fmt: skip
    assert [block["tool_use_id"] for block in sent[2]["content"]] == ["toolu_a", "toolu_b"]


async def test_thinking_between_two_calls_of_one_message_keeps_its_place(
    wire: AnthropicWire, model: AnthropicMessages
) -> None:
    wire.say(
        thinking("First Rome."),
        tool_use("weather", {"city": "Rome"}, id="toolu_a"),
        thinking("Then Oslo."),
        tool_use("weather", {"city": "Oslo"}, id="toolu_b"),
    )
    wire.say("Sunny.")
    first = await answered(model, asked("Weather?", tools=(WEATHER,), thinking=1024))
    results = tuple(result(call) for call in first.message.tool_calls)

    await answered(model, asked("Weather?", first.message, *results, tools=(WEATHER,), thinking=1024))

    assert wire.refusals == []
    kinds = [(block["type"], block.get("id")) for block in wire.bodies[1]["messages"][1]["content"]]
    assert kinds == [("thinking", None), ("tool_use", "toolu_a"), ("thinking", None), ("tool_use", "toolu_b")]


async def test_thinking_that_changed_is_noticed_by_the_server(wire: AnthropicWire, model: AnthropicMessages) -> None:
    """So that the two tests above prove something."""
    changed = Message(
        role="assistant",
        content=(ThinkingPart(text="Something else.", signature="made up"), TextPart(text="Yes.")),
        model=MODEL,
    )

    with pytest.raises(Exception, match="Invalid `signature`"):
        await answered(model, asked("Is it?", changed, "And now?"))

    assert len(wire.refusals) == 1


async def test_the_thinking_of_another_model_is_left_out(wire: AnthropicWire, model: AnthropicMessages) -> None:
    wire.say("Sunny.")
    other = Message(
        role="assistant",
        content=(
            ThinkingPart(text="Rome.", signature="of another provider"),
            DataPart(data={"type": "redacted_thinking", "data": "of another provider"}),
            TextPart(text="Looking."),
        ),
        tool_calls=(ToolCall(id="functions.weather:0", name="weather", arguments={"city": "Rome"}),),
        model="some-other-model",
    )

    complete = await answered(
        model, asked("Weather?", other, result(other.tool_calls[0]), tools=(WEATHER,), thinking=1024)
    )

    assert wire.refusals == []
    assert complete.message.text == "Sunny."
    sent = wire.bodies[0]
    assert [block["type"] for block in sent["messages"][1]["content"]] == ["text", "tool_use"]
    assert "thinking" not in sent  # it cannot begin to think in the middle of the calls


async def test_secret_thinking_is_shown_to_no_other_provider() -> None:
    thought = DataPart(data={"type": "redacted_thinking", "data": "opaque"})
    said = Message(role="assistant", content=(thought, TextPart(text="Yes.")))

    for form in ("openai-chat", "openai-responses"):
        assert "opaque" not in json.dumps(payload(form, "", [said]))


def test_a_message_that_is_cut_short_keeps_its_thinking_to_the_letter() -> None:
    hidden = DataPart(data={"type": "redacted_thinking", "data": "opaque " * 50})
    thought = ThinkingPart(text="Hm.", signature="signed")
    long = Message(role="assistant", content=(thought, hidden, TextPart(text="words " * 500)))

    shorter = cut_message(long, 100, CharacterCounter())

    assert shorter.content[:2] == (thought, hidden)
    assert len(shorter.text) < len(long.text)


async def test_an_answer_that_is_nothing_but_thinking_is_not_sent(
    wire: AnthropicWire, model: AnthropicMessages
) -> None:
    wire.say(redacted_thinking("secret"), stop_reason="max_tokens")
    wire.say("Yes.")
    first = await answered(model, asked("Is it?", thinking=1024))

    await answered(model, asked("Is it?", first.message, "Go on.", thinking=1024))

    assert wire.refusals == []
    assert [message["role"] for message in wire.bodies[1]["messages"]] == ["user"]


# --- what it is asked


async def test_the_request_is_what_the_api_takes(wire: AnthropicWire, model: AnthropicMessages) -> None:
    wire.say("Hello.")

    await model.complete(asked("Hi", system="Be kind.", tools=(WEATHER,), temperature=0.5))

    body = wire.bodies[0]
    assert body["model"] == MODEL
    assert body["max_tokens"] == 8192
    assert body["temperature"] == 0.5
    assert body["system"][0]["text"] == "Be kind."
    assert body["tools"][0]["input_schema"] == WEATHER.parameters
    assert "stream" not in body


@pytest.mark.parametrize(
    ("thinking_tokens", "max_tokens", "budget", "limit"),
    [(1, None, 1024, 8192), (4000, None, 4000, 8192), (20_000, None, 20_000, 21_024), (4000, 2000, 4000, 5024)],
)
async def test_there_is_room_for_an_answer_behind_the_thinking(
    thinking_tokens: int, max_tokens: int | None, budget: int, limit: int
) -> None:
    request = asked("Hi", thinking=thinking_tokens, max_tokens=max_tokens, temperature=0.2)

    body = request_body(MODEL, request)

    assert refusal(body) is None
    assert body["thinking"] == {"type": "enabled", "budget_tokens": budget}
    assert body["max_tokens"] == limit
    assert "temperature" not in body


@pytest.mark.parametrize(("budget", "effort"), [(1024, "low"), (5000, "medium"), (30_000, "high")])
async def test_a_newer_model_is_told_an_effort_instead_of_a_budget(
    wire: AnthropicWire, budget: int, effort: str
) -> None:
    wire.say("Hello.")

    async with asking(wire, model=NEWER) as model:
        await model.complete(asked("Hi", thinking=budget, temperature=0.3))

    body = wire.bodies[0]
    assert body["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert body["output_config"] == {"effort": effort}
    assert "temperature" not in body


@pytest.mark.parametrize(
    ("name", "adaptive"),
    [
        ("claude-haiku-4-5", False),
        ("claude-haiku-4-5-20251001", False),
        ("claude-3-7-sonnet-20250219", False),
        ("claude-opus-4-20250514", False),
        ("claude-sonnet-4-6", True),
        ("claude-opus-4-8", True),
        ("claude-sonnet-5", True),
        ("claude-fable-5-1", True),
        ("claude-mythos-preview", True),
        ("anthropic/claude-sonnet-4.6", True),
        ("qwen3", False),
    ],
)
async def test_how_a_model_thinks_depends_on_its_generation(wire: AnthropicWire, name: str, adaptive: bool) -> None:
    wire.say("Hello.")

    async with asking(wire, model=name) as model:
        await model.complete(asked("Hi", thinking=2000))

    assert wire.bodies[0]["thinking"]["type"] == ("adaptive" if adaptive else "enabled")


async def test_an_answer_is_held_to_its_schema_by_the_api_itself(wire: AnthropicWire, model: AnthropicMessages) -> None:
    """It goes with thinking and with tools, which a forced call of a tool does not."""
    schema = {
        "type": "object",
        "properties": {
            "age": {"type": "integer", "minimum": 0, "description": "In years."},
            "names": {"type": "array", "items": {"type": "object", "properties": {"maximum": {"type": "string"}}}},
        },
        "required": ["age", "names"],
    }
    wire.say('{"age": 3, "names": []}')

    complete = await answered(model, asked("How old?", schema=schema, thinking=1024, tools=(WEATHER,)))

    assert wire.refusals == []
    assert json.loads(complete.message.text) == {"age": 3, "names": []}
    sent = wire.bodies[0]["output_config"]["format"]["schema"]
    assert sent["properties"]["age"] == {"type": "integer", "description": "In years. (minimum 0)"}
    assert sent["properties"]["names"]["items"]["properties"] == {"maximum": {"type": "string"}}
    assert schema["properties"]["age"]["minimum"] == 0  # type: ignore[index]  # as it was


def test_a_schema_keeps_what_the_api_can_enforce_and_tells_the_rest_in_words() -> None:
    schema = {
        "$defs": {"Person": {"type": "object", "properties": {}, "additionalProperties": True}},
        "oneOf": [
            {"$ref": "#/$defs/Person"},
            {"type": ["string", "null"], "format": "phone", "maxLength": 20},
            {"type": "array", "items": {"type": "string", "format": "date"}, "maxItems": 3},
        ],
    }

    assert enforceable(schema) == {
        "$defs": {"Person": {"type": "object", "properties": {}, "additionalProperties": False}},
        "anyOf": [
            {"$ref": "#/$defs/Person"},
            {"type": ["string", "null"], "description": "format phone, maxLength 20"},
            {"type": "array", "items": {"type": "string", "format": "date"}, "description": "maxItems 3"},
        ],
    }


async def test_images_and_documents_are_sent_and_other_files_are_named(
    wire: AnthropicWire, model: AnthropicMessages
) -> None:
    wire.say("Nice.")
    parts = (
        TextPart(text="Look:"),
        MediaPart(media_type="image/png", data=b"png"),
        MediaPart(media_type="application/pdf", url="https://example.org/a.pdf"),
        MediaPart(media_type="audio/wav", data=b"wav", name="song.wav"),
    )

    await model.complete(asked(Message(role="user", content=parts)))

    assert wire.refusals == []
    _, image, document, other = wire.bodies[0]["messages"][0]["content"]
    assert image["source"] == {"type": "base64", "media_type": "image/png", "data": "cG5n"}
    assert document["source"] == {"type": "url", "url": "https://example.org/a.pdf"}
    assert "song.wav" in other["text"]


async def test_a_talk_about_tools_defines_them_even_when_none_may_be_called(
    wire: AnthropicWire, model: AnthropicMessages
) -> None:
    wire.say("They asked for the weather.")
    called = Message(role="assistant", tool_calls=(ToolCall(id="a", name="weather", arguments={"city": "Rome"}),))

    await model.complete(asked("Weather?", called, result(called.tool_calls[0])))

    assert wire.refusals == []
    assert wire.bodies[0]["tool_choice"] == {"type": "none"}


async def test_the_rounds_of_a_turn_and_the_next_turn_share_what_is_marked(
    wire: AnthropicWire, model: AnthropicMessages
) -> None:
    wire.say("Hello.")
    earlier = (Message(role="user", content="Hi"), Message(role="assistant", content="Hello."))

    await model.complete(asked(*earlier, "And now?", system="Be kind.", tools=(WEATHER,), stable=2))

    body = wire.bodies[0]
    marked = [
        block.get("text") or block["name"]
        for block in [*body["tools"], *body["system"], *(b for m in body["messages"] for b in m["content"])]
        if "cache_control" in block
    ]
    assert marked == ["weather", "Be kind.", "Hello.", "And now?"]


# --- around it


async def test_it_is_a_provider_with_a_name(model: AnthropicMessages, wire: AnthropicWire) -> None:
    provider: Provider = model

    assert provider.model == MODEL
    assert provider.name == f"{MODEL}@{wire.base_url.removeprefix('http://')}"
    assert provider.takes_tools
    assert KEY not in repr(model)


async def test_what_went_over_the_wire_is_written_down(wire: AnthropicWire, model: AnthropicMessages) -> None:
    wire.say("Hello.")
    wire.say("Hello.")
    log = Remembered()

    await streamed(model, asked("Hi"), log)
    await model.complete(asked("Hi"), raw_log=log)

    assert log.requests == [(f"{wire.base_url}/v1/messages", body) for body in wire.bodies]
    assert [chunk["type"] for chunk in log.chunks] == [
        "message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta",
        "message_stop",
    ]  # fmt: skip
    ((status, body),) = log.responses
    assert status == 200
    assert body["content"] == [{"type": "text", "text": "Hello."}]
    assert KEY not in json.dumps([log.requests, log.responses, log.chunks])


async def test_streams_at_the_same_time_do_not_mix(wire: AnthropicWire, model: AnthropicMessages) -> None:
    gates = [Held() for _ in range(5)]
    for number, gate in enumerate(gates):
        wire.say(text(f"{number} ", gate, f"{number}"))
    said: list[str] = []
    waiting: list[Any] = []

    async def listen() -> None:
        events: list[StreamEvent] = []
        async for event in model.stream(asked("Which are you?")):
            events.append(event)
            if isinstance(event, ContentDelta) and len(words(events)) == 1:
                waiting.append(event)
                if len(waiting) == len(gates):  # all five are in the middle of their answers
                    for gate in gates:
                        gate.release()
        said.append("".join(words(events)))

    async with anyio.create_task_group() as group:
        for _ in gates:
            group.start_soon(listen)

    assert sorted(said) == ["0 0", "1 1", "2 2", "3 3", "4 4"]
