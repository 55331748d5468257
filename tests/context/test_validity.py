"""Whatever stretch of whatever history: what a provider is sent is valid."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from sojourn.context.known_talk import KnownTalk
from sojourn.context.talk import Line, flat, groups
from sojourn.context.tokens import CharacterCounter, count_message
from sojourn.context.validity import CANCELLED, CONTINUED, TURN_CANCELLED, made_valid, problems
from sojourn.errors import InvalidInputError
from sojourn.model.ids import Seq
from sojourn.model.message import MediaPart, Message, TextPart, ThinkingPart, ToolCall
from sojourn.providers.payloads import payload

NAMES = st.sampled_from(["c1", "c2", "c3", "c4"])
TEXTS = st.sampled_from(["", "  ", "hello", "and then", "🦊"])
MESSAGES = st.one_of(
    st.builds(Message, role=st.just("user"), content=TEXTS),
    st.builds(
        Message,
        role=st.just("assistant"),
        content=TEXTS,
        tool_calls=st.lists(st.builds(ToolCall, id=NAMES, name=st.just("look")), max_size=3).map(tuple),
        partial=st.booleans(),
    ),
    st.builds(Message, role=st.just("tool"), content=TEXTS, tool_call_id=NAMES),
    st.builds(Message, role=st.just("system"), content=TEXTS),
)
HISTORIES = st.lists(MESSAGES, max_size=20).map(
    lambda messages: [Line(message=message, seq=Seq(seq)) for seq, message in enumerate(messages, 1)]
)


def said(lines: list[Line]) -> list[tuple[str, str]]:
    return [(line.message.role, line.message.text) for line in lines]


def call(*names: str, text: str = "") -> Message:
    return Message(role="assistant", content=text, tool_calls=tuple(ToolCall(id=name, name="look") for name in names))


def result(name: str, text: str = "seen") -> Message:
    return Message(role="tool", content=text, tool_call_id=name)


def lines(*messages: Message) -> list[Line]:
    return [Line(message=message, seq=Seq(seq)) for seq, message in enumerate(messages, 1)]


@given(HISTORIES, st.integers(0, 20), st.integers(0, 20))
def test_any_stretch_of_any_history_becomes_valid(history: list[Line], first: int, last: int) -> None:
    talk = made_valid(history[first:last])
    assert problems([line.message for line in talk]) == []


@given(HISTORIES)
def test_making_valid_what_is_valid_changes_nothing(history: list[Line]) -> None:
    once = made_valid(history)
    assert made_valid(once) == once


@given(HISTORIES)
def test_nothing_that_was_said_is_lost_or_moved(history: list[Line]) -> None:
    kept = [line.seq for line in made_valid(history) if line.seq is not None and line.message.role != "tool"]
    spoken = [line.seq for line in history if line.message.role != "tool" and line.message.text.strip()]
    assert [seq for seq in kept if seq in set(spoken)] == spoken


@given(HISTORIES.map(made_valid), HISTORIES, st.lists(st.tuples(st.sampled_from([0, 0, 0, 1, 4]), st.integers(0, 30))))
def test_a_talk_that_is_known_is_as_at_first_sight(
    begun: list[Line], more: list[Line], stretches: list[tuple[int, int]]
) -> None:
    counter = CharacterCounter()
    known, history = KnownTalk(counter), [*begun, *more]
    for first, last in stretches:
        stretch = history[first:last]
        assert known.groups(stretch) == groups(made_valid(stretch))
        assert known.made_valid(history[first : last + 2]) == made_valid(history[first : last + 2])
        assert known.costs.each(stretch) == [count_message(counter, line.message) for line in stretch]


@given(HISTORIES)
def test_groups_cut_apart_nothing_that_belongs_together(history: list[Line]) -> None:
    talk = made_valid(history)
    assert flat(groups(talk)) == talk
    for group in groups(talk):
        ids = [one.id for one in group[0].message.tool_calls]
        assert [line.message.tool_call_id for line in group[1:]] == ids


@given(HISTORIES)
def test_every_form_can_be_written(history: list[Line]) -> None:
    messages = [line.message for line in made_valid(history)]
    anthropic = payload("anthropic", "Be brief.", messages)
    assert [one["role"] for one in anthropic["messages"][:1]] in ([], ["user"])
    assert all(one["content"] for one in anthropic["messages"])
    uses = [b["id"] for one in anthropic["messages"] for b in one["content"] if b["type"] == "tool_use"]
    results = [b["tool_use_id"] for one in anthropic["messages"] for b in one["content"] if b["type"] == "tool_result"]
    assert uses == results
    responses = payload("openai-responses", "", messages)["input"]
    called = [item["call_id"] for item in responses if item["type"] == "function_call"]
    assert called == [item["call_id"] for item in responses if item["type"] == "function_call_output"]
    assert payload("openai-chat", "Be brief.", messages)["messages"][0] == {"role": "system", "content": "Be brief."}


def test_a_call_without_a_result_gets_one_that_says_so() -> None:
    talk = made_valid(lines(Message(role="user", content="look"), call("c1", "c2"), result("c2")))
    assert said(talk)[2:] == [("tool", CANCELLED), ("tool", "seen")]


def test_a_history_that_begins_with_results_drops_them_and_begins_with_the_user() -> None:
    talk = made_valid(lines(result("gone"), Message(role="assistant", content="I looked")))
    assert said(talk) == [("user", CONTINUED), ("assistant", "I looked")]


def test_a_turn_that_ended_after_its_tools_is_closed_before_the_user_speaks() -> None:
    talk = made_valid(
        lines(Message(role="user", content="a"), call("c1"), result("c1"), Message(role="user", content="b"))
    )
    assert said(talk)[-2:] == [("assistant", TURN_CANCELLED), ("user", "b")]
    waiting = made_valid(lines(Message(role="user", content="a"), call("c1"), result("c1")))
    assert said(waiting)[-1] == ("tool", "seen")


def test_a_late_result_goes_back_to_its_call() -> None:
    talk = made_valid(
        lines(Message(role="user", content="a"), call("c1"), Message(role="user", content="b"), result("c1"))
    )
    assert [line.message.role for line in talk] == ["user", "assistant", "tool", "assistant", "user"]


def test_what_a_provider_would_refuse_is_named() -> None:
    talk = [call("c1"), Message(role="user", content=" "), result("c9"), call("c1")]
    assert problems(talk) == [
        "the first message is the assistant's",
        "message 2 is empty",
        "message 2 comes before the results of c1",
        "message 3 is the result of c9, which was not called just before",
        "message 4 calls c1 again",
        "the results of c1 are missing",
    ]


def test_thinking_goes_back_with_its_signature_and_media_as_it_was() -> None:
    thought = Message(role="assistant", content=(ThinkingPart(text="hm", signature="s"), TextPart(text="Yes")))
    picture = Message(role="user", content=(TextPart(text="see"), MediaPart(media_type="image/png", data=b"\x00")))
    written = payload("anthropic", "", [picture, thought])["messages"]
    assert written[1]["content"][0] == {"type": "thinking", "thinking": "hm", "signature": "s"}
    assert written[0]["content"][1]["source"] == {"type": "base64", "media_type": "image/png", "data": "AA=="}
    chat = payload("openai-chat", "", [picture, thought])["messages"]
    assert chat[0]["content"][1] == {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    assert chat[1]["content"] == "Yes"


def test_arguments_that_were_no_json_go_back_as_they_came() -> None:
    broken = Message(role="assistant", tool_calls=(ToolCall(id="c", name="look", arguments_text='{"a": '),))
    [_, one] = payload("openai-chat", "x", [broken])["messages"]
    assert one["tool_calls"][0]["function"]["arguments"] == '{"a": '


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="anthropic"):
        payload("gemini", "", [])  # type: ignore[arg-type]
