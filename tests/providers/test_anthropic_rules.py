"""The server that stands in for Anthropic in the tests refuses what Anthropic refuses."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn.context.talk import Line
from sojourn.context.validity import made_valid
from sojourn.model.message import DataPart, Message, Part, Role, TextPart, ThinkingPart, ToolCall
from sojourn.providers.anthropic_request import request_body
from sojourn.providers.protocol import ModelRequest
from sojourn.testing.wire_anthropic_rules import refusal, signature_of
from tests.providers.anthropic_talks import MODEL, WEATHER

USE = {"type": "tool_use", "id": "a", "name": "weather", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "a", "content": "sunny"}
OTHER_USE = {**USE, "id": "b"}
OTHER_RESULT = {**RESULT, "tool_use_id": "b"}
TEXT = {"type": "text", "text": "Hi"}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": signature_of("Hm.")}
TOOL = {"name": "weather", "input_schema": {"type": "object"}}
MARKED = {**TEXT, "cache_control": {"type": "ephemeral"}}


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def body(*messages: dict[str, Any], **details: Any) -> dict[str, Any]:
    return {"model": MODEL, "max_tokens": 4096, "messages": list(messages), "tools": [TOOL], **details}


THINKING = {"thinking": {"type": "enabled", "budget_tokens": 1024}}


@pytest.mark.parametrize(
    "valid",
    [
        body(user(TEXT)),
        body({"role": "user", "content": "Hi"}),
        body(user(TEXT), user(TEXT)),
        body(user(TEXT), assistant(TEXT, USE), user(RESULT, TEXT)),
        body(user(TEXT), assistant(THOUGHT, USE), user(RESULT), **THINKING),
        body(user(TEXT), assistant(USE), user(RESULT), assistant(TEXT), user(TEXT), **THINKING),
        body(user(TEXT), assistant(THOUGHT, USE), user(RESULT), assistant(OTHER_USE), user(OTHER_RESULT), **THINKING),
        body(user(TEXT), assistant(THOUGHT, TEXT), user(TEXT)),
        body(user(MARKED, MARKED), system=[MARKED], tools=[{**TOOL, "cache_control": {"type": "ephemeral"}}]),
    ],
)
def test_what_anthropic_accepts_is_accepted(valid: dict[str, Any]) -> None:
    assert refusal(valid) is None


@pytest.mark.parametrize(
    ("invalid", "said"),
    [
        ([], "JSON object"),
        ({"model": MODEL, "messages": [user(TEXT)]}, "max_tokens: Field required"),
        ({"max_tokens": 1, "messages": [user(TEXT)]}, "model: Field required"),
        (body(user(TEXT), max_tokens=0), "max_tokens"),
        (body(), "at least one message"),
        (body(assistant(TEXT), user(TEXT)), "first message"),
        (body(user(TEXT), assistant(TEXT)), "prefill"),
        (body({"role": "tool", "content": "x"}), "role"),
        (body(user()), "non-empty content"),
        (body({"role": "user", "content": ""}), "non-empty content"),
        (body(user({"type": "text", "text": " \n"})), "non-whitespace"),
        (body(user({"type": "hologram"})), "not permitted"),
        (body(user(THOUGHT, TEXT)), "not permitted"),
        (body(user(TEXT), assistant(USE), user(TEXT)), "without `tool_result` blocks immediately after: a"),
        (body(user(TEXT), assistant(USE)), "prefill"),
        (body(user(TEXT), assistant(USE), assistant(TEXT), user(RESULT)), "without `tool_result`"),
        (body(user(RESULT)), "unexpected `tool_use_id`"),
        (body(user(TEXT), assistant(TEXT), user(RESULT)), "unexpected `tool_use_id`"),
        (body(user(TEXT), assistant(USE), user(RESULT, RESULT)), "single result"),
        (body(user(TEXT), assistant(USE), user(TEXT, RESULT)), "before everything else"),
        (body(user(TEXT), assistant(USE), user(RESULT), assistant(USE), user(RESULT)), "unique"),
        (body(user(TEXT), assistant({**USE, "id": "a:0"}), user({**RESULT, "tool_use_id": "a:0"})), "pattern"),
        (body(user(TEXT), assistant({**USE, "input": "{"}), user(RESULT)), "dictionary"),
        (body(user(TEXT), assistant({**USE, "name": "the weather?"}), user(RESULT)), "tool_use.name"),
        (body(user(TEXT), assistant(USE), user(RESULT), tools=[]), "must define tools"),
        (body(user(TEXT), tools=[{**TOOL, "name": "no spaces please"}]), "custom.name"),
        (body(user(TEXT), tools=[TOOL, TOOL]), "unique"),
        (body(user(TEXT), tools=[{"name": "weather", "input_schema": {}}]), "input_schema"),
        (body(user(TEXT), assistant({**THOUGHT, "signature": ""}, TEXT), user(TEXT)), "signature: Field required"),
        (body(user(TEXT), assistant({**THOUGHT, "signature": "other"}, TEXT), user(TEXT)), "Invalid `signature`"),
        (body(user(TEXT), assistant({**THOUGHT, "thinking": "other"}, TEXT), user(TEXT)), "Invalid `signature`"),
        (body(user(TEXT), assistant({"type": "redacted_thinking", "data": "x.y"}, TEXT), user(TEXT)), "Invalid"),
        (body(user(TEXT), assistant(TEXT, THOUGHT), user(TEXT)), "final block"),
        (body(user(TEXT), assistant(USE), user(RESULT), **THINKING), "Expected `thinking`"),
        (body(user(TEXT), assistant(THOUGHT, USE), user(RESULT)), "When thinking is disabled"),
        (
            body(
                user(TEXT), assistant(USE), user(RESULT), assistant(THOUGHT, OTHER_USE), user(OTHER_RESULT), **THINKING
            ),
            "Expected `thinking`",
        ),
        (body(user(TEXT), thinking={"type": "enabled", "budget_tokens": 100}), "budget_tokens"),
        (body(user(TEXT), thinking={"type": "enabled", "budget_tokens": 9999}), "`max_tokens` must be greater"),
        (body(user(TEXT), temperature=0.5, **THINKING), "temperature"),
        (body(user(MARKED, MARKED, MARKED), system=[MARKED, MARKED]), "A maximum of 4"),
        (
            body(user(TEXT), assistant({**THOUGHT, "cache_control": MARKED["cache_control"]}, TEXT), user(TEXT)),
            "cannot be set",
        ),
        (body(user({**TEXT, "cache_control": {"type": "forever"}})), "'ephemeral'"),
        (body(user(TEXT), system=[{"type": "text", "text": ""}]), "system"),
        (body(user(TEXT), output_config={"format": {"type": "json_schema"}}), "JSON Schema"),
    ],
)
def test_what_anthropic_refuses_is_refused(invalid: Any, said: str) -> None:
    reason = refusal(invalid)

    assert reason is not None
    assert said in reason


PARTS: st.SearchStrategy[Part] = st.one_of(
    st.builds(lambda text: TextPart(text=text), st.sampled_from(["", " ", "words"])),
    st.just(ThinkingPart(text="Hm.", signature=signature_of("Hm."))),
    st.just(ThinkingPart(text="cut off")),
    st.just(DataPart(data={"type": "redacted_thinking", "data": f"x.{signature_of('x')}"})),
)
IDS = st.sampled_from(["a", "b", "functions.weather:0", "ünïcode", "c"])
NAMES = st.sampled_from(["weather", "the weather?", "", "x" * 200])
CALLS = st.lists(st.builds(lambda id_, name: ToolCall(id=id_, name=name), IDS, NAMES), max_size=2).map(tuple)


@st.composite
def messages(draw: st.DrawFn) -> Message:
    role: Role = draw(st.sampled_from(["user", "assistant", "tool", "system"]))
    if role == "tool":
        return Message(role=role, content=draw(st.sampled_from(["", " ", "sunny"])), tool_call_id=draw(IDS))
    if role == "assistant":
        content = draw(st.lists(PARTS, max_size=4).map(tuple))
        model = draw(st.sampled_from([None, MODEL, f"{MODEL}-20251001", "another"]))
        return Message(role=role, content=content, tool_calls=draw(CALLS), model=model)
    return Message(role=role, content=draw(st.sampled_from(["", "\n", "words"])))


@given(
    said=st.lists(messages(), max_size=8),
    stable=st.integers(0, 9),
    thinking=st.sampled_from([None, 1, 5000]),
    model=st.sampled_from([MODEL, "claude-opus-4-8", "qwen3"]),
    with_tools=st.booleans(),
    asked=st.booleans(),
)
def test_whatever_was_said_is_sent_as_something_that_is_accepted(
    *, said: list[Message], stable: int, thinking: int | None, model: str, with_tools: bool, asked: bool
) -> None:
    last = Message(role="user", content="And now?")
    if not asked:  # it is in the middle of its calls
        last = Message(role="assistant", tool_calls=(ToolCall(id="last", name="weather"),))
    valid = tuple(line.message for line in made_valid([Line(message=message) for message in [*said, last]]))
    tools = (WEATHER,) if with_tools else ()

    sent = request_body(
        model, ModelRequest(messages=valid, stable=stable, thinking=thinking, tools=tools, temperature=0.5)
    )

    assert refusal(sent) is None
