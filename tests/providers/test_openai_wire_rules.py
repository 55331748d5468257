"""The test server refuses what OpenAI refuses, and what Sojourn sends is never refused."""

from typing import Any

import hypothesis.strategies as st
import msgspec
import openai
import pytest
from hypothesis import given, settings

from sojourn.context.talk import Line
from sojourn.context.validity import made_valid
from sojourn.model.ids import Seq
from sojourn.model.message import DataPart, MediaPart, Message, TextPart, ThinkingPart, ToolCall
from sojourn.providers.openai_chat import OpenAiChat
from sojourn.providers.openai_responses import OpenAiResponses
from sojourn.providers.protocol import ModelRequest, ToolDefinition
from sojourn.testing.wire import WireServer
from sojourn.testing.wire_openai import OpenAiWire
from sojourn.testing.wire_openai_rules import chat_problem, responses_problem

USER = {"role": "user", "content": "Hello"}
ASKED = {"type": "message", "role": "user", "content": "Hello"}


def calling(*ids: Any, function: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    look = function or {"name": "look", "arguments": "{}"}
    calls = [{"id": one, "type": "function", "function": look} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls, **more}


def result(call_id: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": "seen"}


def function_call(call_id: str, **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": "look", "arguments": "{}", **more}


def output(call_id: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": "seen"}


def test_a_talk_with_calls_and_results_is_taken() -> None:
    messages = [USER, calling("a", "b"), result("b"), result("a"), {"role": "assistant", "content": "Fine"}, USER]
    items = [ASKED, function_call("a"), function_call("b"), output("b"), output("a"), ASKED]

    assert chat_problem({"model": "m", "messages": messages}) is None
    assert responses_problem({"model": "m", "input": items}) is None


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ([], "Invalid 'messages'"),
        ([{"role": "robot", "content": "x"}], "Invalid value: 'robot'"),
        ([{"role": "user", "content": ""}], "is empty"),
        ([{"role": "user", "content": None}], "expected a string, got null"),
        ([{"role": "user"}], "expected a string, got null"),
        ([{"role": "user", "content": 3}], "Invalid type"),
        ([{"role": "user", "content": []}], "Invalid type"),
        ([{"role": "user", "content": [{"type": "odd"}]}], "Invalid value: 'odd'"),
        ([{"role": "user", "content": [{"type": "text"}]}], "Missing required parameter"),
        ([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}], "expected an address"),
        ([{"role": "user", "content": [{"type": "file", "file": {"file_data": "x"}}]}], "data of a PDF"),
        ([{"role": "user", "content": [{"type": "input_audio", "input_audio": {"format": "ogg"}}]}], "'ogg'"),
        ([{"role": "assistant", "content": [{"type": "image_url", "image_url": {}}]}], "Invalid value: 'image_url'"),
        ([{"role": "user", "content": "x", "name": "Ada Lovelace"}], "does not match pattern"),
        ([{"role": "user", "content": "x", "mood": "odd"}], r"Unknown parameter: 'messages\[0\].mood'"),
        ([{"role": "assistant", "content": "x", "reasoning": "hm"}], "Unknown parameter"),
        ([USER, result("a")], "must be a response to a preceding"),
        ([USER, calling("a"), result("b")], "must be a response to a preceding"),
        ([USER, calling("a"), USER], "did not have response messages: a"),
        ([USER, calling("a", "b"), result("a")], "did not have response messages: b"),
        ([USER, calling("a"), result("a"), result("a")], "must be a response to a preceding"),
        ([USER, calling("a", "a"), result("a"), result("a")], "Duplicate value"),
        ([USER, calling("a"), result("a"), calling("a"), result("a")], "Duplicate value"),
        ([USER, calling("a" * 41), result("a" * 41)], "1 to 40 characters"),
        ([USER, calling(3), result(3)], "1 to 40 characters"),
        ([USER, calling("a", tool_calls=[]), USER], "empty array"),
        ([USER, calling("a", tool_calls=[{"id": "a"}])], "Missing required parameter"),
        ([USER, calling("a"), {"role": "tool", "content": "x"}], "Missing required parameter"),
        ([USER, calling("a", function={"name": "l", "arguments": {}})], "function.arguments': expected a string"),
        ([USER, calling("a", function={"name": "l m", "arguments": ""})], "function.name': string does not match"),
    ],
)
def test_a_chat_that_makes_no_sense_is_refused(messages: list[dict[str, Any]], problem: str) -> None:
    with WireServer() as server:
        wire = OpenAiWire(server, takes_thinking=False)
        wire.say("Hello")
        with (
            openai.OpenAI(base_url=wire.base_url, api_key="none", max_retries=0) as client,
            pytest.raises(openai.BadRequestError, match=problem),
        ):
            client.post("/chat/completions", cast_to=object, body={"model": "m", "messages": messages})

        assert wire.chat.left == 1


@pytest.mark.parametrize(
    ("items", "problem"),
    [
        ([], "Missing required parameter: 'input'"),
        ([{"type": "odd"}], "Invalid value: 'odd'"),
        ([{"type": "message", "role": "tool", "content": "x"}], "Invalid value: 'tool'"),
        ([{"type": "message", "role": "user", "content": []}], "content'"),
        ([{"role": "user", "content": [{"type": "output_text", "text": "x"}]}], "Invalid value: 'output_text'"),
        ([{"role": "user", "content": [{"type": "input_image", "image_url": ""}]}], "image_url'"),
        ([{"role": "user", "content": [{"type": "input_file", "file_url": ""}]}], "file_data'"),
        ([{"role": "assistant", "content": [{"type": "input_text", "text": "x"}]}], "Invalid value: 'input_text'"),
        ([ASKED, output("a")], "No tool call found for function call output with call_id a"),
        ([ASKED, output("a"), function_call("a")], "No tool call found"),
        ([ASKED, function_call("a")], "No tool output found for function call a"),
        ([ASKED, function_call("a"), function_call("a"), output("a")], "Duplicate function call"),
        ([ASKED, function_call("a"), output("a"), output("a")], "Duplicate function call output"),
        ([ASKED, function_call("a", arguments={}), output("a")], "expected a string"),
        ([{**ASKED, "id": "m"}, {**ASKED, "id": "m"}], "Duplicate item found with id m"),
        ([ASKED, function_call("a" * 65), output("a" * 65)], "1 to 64 characters"),
        ([ASKED, function_call("a", name="l m"), output("a")], "does not match pattern"),
        ([ASKED, {"type": "reasoning", "id": "rs"}, function_call("a"), output("a")], "summary'"),
        ([ASKED, {"type": "reasoning", "id": "rs", "summary": []}], "without its required following item"),
        ([ASKED, function_call("a"), {"type": "function_call_output", "call_id": "a"}], "output'"),
    ],
)
def test_a_talk_with_the_responses_api_that_makes_no_sense_is_refused(
    items: list[dict[str, Any]], problem: str
) -> None:
    with WireServer() as server:
        wire = OpenAiWire(server)
        wire.respond("Hello")
        with (
            openai.OpenAI(base_url=wire.base_url, api_key="none", max_retries=0) as client,
            pytest.raises(openai.BadRequestError, match=problem),
        ):
            client.post("/responses", cast_to=object, body={"model": "m", "input": items})

        assert wire.responses.left == 1


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"mood": "odd"}, "Unknown parameter: 'mood'."),
        ({"model": ""}, "you must provide a model parameter"),
        ({"max_tokens": 1, "max_completion_tokens": 1}, "at the same time"),
        ({"stream_options": {"include_usage": True}}, "only allowed when 'stream' is enabled"),
        ({"tools": []}, "Invalid 'tools'"),
        ({"tools": [{"name": "look"}]}, "Missing required parameter"),
        ({"tools": [{"type": "function", "function": {"name": "a b"}}]}, "does not match pattern"),
        ({"tools": [{"type": "function", "function": {"name": "a", "parameters": {"type": "x"}}}]}, "Invalid schema"),
        ({"tools": [{"type": "function", "function": {"name": "a", "parameters": 3}}]}, "Invalid schema"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], problem: str) -> None:
    assert problem in (chat_problem({"model": "m", "messages": [USER], **options}) or "")


def test_the_responses_api_refuses_tools_and_options_that_make_no_sense() -> None:
    def problem(**options: Any) -> str:
        return responses_problem({"model": "m", "input": "Hello", **options}) or ""

    assert problem() == ""
    assert "Unknown parameter" in problem(messages=[])
    assert "Invalid value" in problem(tools=[{"type": "odd"}])
    assert "does not match pattern" in problem(tools=[{"type": "function", "name": "a b"}])


# --- what Sojourn sends

_KEPT = msgspec.json.encode(
    {
        "form": "openai-responses",
        "host": "api.openai.com",
        "items": [
            {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "x"},
            {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
            {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "x"},
        ],
    }
)
_IDS = st.sampled_from(["c1", "c2", "", "c" * 80])
_TEXTS = st.sampled_from(["", "  ", "hello", "🦊"])
_PARTS = st.one_of(
    st.builds(TextPart, text=_TEXTS),
    st.builds(ThinkingPart, text=_TEXTS, signature=st.none() | st.just("s")),
    st.builds(
        MediaPart,
        media_type=st.sampled_from(["image/png", "image/svg+xml", "audio/mpeg", "audio/ogg", "application/pdf", "odd"]),
        data=st.none() | st.just(b"x"),
        url=st.none() | st.just("https://example.org/x"),
    ),
    st.builds(DataPart, data=st.sampled_from([{"a": 1}, {"type": "redacted_thinking", "data": "x"}, 3])),
)
_CONTENT = _TEXTS | st.lists(_PARTS, max_size=3).map(tuple)
_CALLS = st.lists(
    st.builds(
        ToolCall,
        id=_IDS.filter(bool),
        name=st.sampled_from(["look", "see far/away", "", "x" * 90]),
        arguments_text=st.none() | st.just("{"),
    ),
    max_size=3,
).map(tuple)
_NAMES = st.none() | st.sampled_from(["Ada", "Ada Lovelace", "", "</>", "x" * 90])
_MESSAGES = st.one_of(
    st.builds(Message, role=st.just("user"), content=_CONTENT, name=_NAMES),
    st.builds(Message, role=st.just("assistant"), content=_CONTENT, tool_calls=_CALLS, name=_NAMES),
    st.just(Message(role="assistant", tool_calls=(ToolCall(id="c1", name="look"),)).with_raw(_KEPT)),
    st.builds(Message, role=st.just("tool"), content=_CONTENT, tool_call_id=_IDS),
    st.builds(Message, role=st.just("system"), content=_TEXTS),
)


@settings(max_examples=300)
@given(st.lists(_MESSAGES, max_size=12))
def test_any_history_that_was_made_valid_is_taken_by_openai(messages: list[Message]) -> None:
    lines = [Line(message=message, seq=Seq(seq)) for seq, message in enumerate(messages, 1)]
    talk = tuple(line.message for line in made_valid(lines))
    request = ModelRequest(messages=talk or (Message(role="user", content="Hello"),), tools=(ToolDefinition(name="a"),))

    assert chat_problem(OpenAiChat("m", api_key="sk-test")._payload(request)) is None
    assert chat_problem(OpenAiChat("m", base_url="http://h/v1")._payload(request), takes_thinking=True) is None
    assert responses_problem(OpenAiResponses("m", api_key="sk-test")._payload(request)) is None
