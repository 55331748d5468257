"""Whatever a server sends: an answer comes of it that can be stored, and that goes back as a talk that is valid."""

import json
from typing import Any

import hypothesis.strategies as st
from hypothesis import given

from sojourn.context.talk import Line
from sojourn.context.validity import made_valid
from sojourn.model.codec import Codec
from sojourn.model.events import MessageAdded
from sojourn.model.message import Message, ToolCall
from sojourn.providers.openai_chat import OpenAiChat
from sojourn.providers.openai_chat_answer import ChatAnswer
from sojourn.providers.openai_responses import OpenAiResponses
from sojourn.providers.openai_responses_answer import ResponsesAnswer
from sojourn.providers.protocol import ModelRequest, StreamComplete, StreamEvent, ToolCallStarted
from sojourn.testing.wire_openai_rules import chat_problem, responses_problem

# What `json.loads` can give: half characters, numbers that are none, and any nesting among them.
_TEXTS = st.text(st.characters(categories=["L", "N", "P", "Cs", "Cc"]), max_size=4)
_SCALARS = st.none() | st.booleans() | st.integers(-3, 10**20) | st.floats() | _TEXTS
_JSON = st.recursive(_SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_TEXTS, inner, max_size=2))


def _one(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return objects in which any of *fields* may be missing, or be something else; or something else altogether."""
    return _JSON | st.fixed_dictionaries({}, optional={name: _JSON | values for name, values in fields.items()})


def _some(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(values, max_size=3)


_WORDS = st.sampled_from(["hello", "{}", '{"a": 1}', "{", "stop", "tool_calls", "look", "call_1", "\ud800"])
_FUNCTION = _one(name=_WORDS, arguments=_WORDS)
_CALL = _one(index=st.integers(0, 2), id=_WORDS, function=_FUNCTION)
_DETAIL = _one(type=_WORDS, index=st.integers(0, 1), text=_WORDS, data=_WORDS)
_PART = _one(type=_WORDS, text=_WORDS, thinking=_some(_one(text=_WORDS)))
_DELTA = _one(
    content=_WORDS | _some(_PART), refusal=_WORDS, reasoning=_WORDS, reasoning_content=_WORDS,
    reasoning_details=_some(_DETAIL), tool_calls=_some(_CALL),
)  # fmt: skip
_USAGE = _one(prompt_tokens=st.integers(), prompt_tokens_details=_one(cached_tokens=st.integers()))
_CHOICE = _one(delta=_DELTA, message=_DELTA, finish_reason=_WORDS)
_CHUNK = _one(model=_WORDS, choices=_some(_CHOICE), usage=_USAGE)

_SHOWN = _one(type=st.sampled_from(["output_text", "refusal", "summary_text"]), text=_WORDS, refusal=_WORDS)
_ITEM = _one(
    type=st.sampled_from(["message", "reasoning", "function_call", "odd"]), id=_WORDS, call_id=_WORDS, name=_WORDS,
    arguments=_WORDS, content=_some(_SHOWN), summary=_some(_SHOWN),
)  # fmt: skip
_RESPONSE = _one(model=_WORDS, output=_some(_ITEM), status=st.just("incomplete"), usage=_USAGE)
_EVENT = _one(
    type=st.sampled_from(
        [
            "response.output_item.added", "response.output_item.done", "response.output_text.delta",
            "response.reasoning_summary_text.delta", "response.reasoning_text.delta", "response.completed",
        ]
    ),
    item=_ITEM, delta=_WORDS, output_index=st.integers(0, 2), summary_index=st.integers(0, 2), response=_RESPONSE,
)  # fmt: skip


def check(events: list[StreamEvent]) -> None:
    """Check that the answer at the end of *events* can be stored, and sent back by both protocols."""
    last = events[-1]
    assert isinstance(last, StreamComplete)
    stored = Codec().encode(MessageAdded(message=last.message)).event
    assert isinstance(stored, MessageAdded)
    talk = [Message(role="user", content="Hello"), stored.message, Message(role="user", content="Go on")]
    valid = made_valid([Line(message=message) for message in talk])
    request = ModelRequest(messages=tuple(line.message for line in valid))
    assert chat_problem(OpenAiChat("m", api_key="k")._payload(request)) is None
    assert chat_problem(OpenAiChat("m", base_url="http://h/v1")._payload(request), takes_thinking=True) is None
    assert responses_problem(OpenAiResponses("m", base_url="http://h/v1")._payload(request)) is None


@given(st.lists(_CHUNK.filter(lambda chunk: isinstance(chunk, dict)), max_size=5))
def test_any_chunks_of_a_chat_completion_make_an_answer(chunks: list[dict[str, Any]]) -> None:
    answer = ChatAnswer(model="m", host="h", taken=["call_1"])

    events = [event for chunk in chunks for event in answer.take(chunk)]
    events += answer.end()

    check(events)
    calls = events[-1].message.tool_calls  # type: ignore[union-attr]
    assert [call.id for call in calls] == sorted(
        (event.id for event in events if isinstance(event, ToolCallStarted)),
        key=[call.id for call in calls].index,
    )
    assert len({"call_1", "", *(call.id for call in calls)}) == len(calls) + 2


@given(st.lists(_EVENT.filter(lambda event: isinstance(event, dict)), max_size=5))
def test_any_events_of_a_response_make_an_answer(told: list[dict[str, Any]]) -> None:
    answer = ResponsesAnswer(model="m", host="h")

    events = [event for one in told for event in answer.take(one)]

    check([*events, answer.end()])


@given(
    st.lists(
        st.tuples(st.sampled_from(["look", "wait"]), st.dictionaries(st.text(max_size=3), st.integers(), max_size=3)),
        min_size=1,
        max_size=4,
    ),
    st.data(),
)
def test_calls_come_out_as_they_were_however_their_pieces_are_cut_and_mixed(
    calls: list[tuple[str, dict[str, int]]], data: st.DataObject
) -> None:
    answer = ChatAnswer(model="m", host="h")
    left: dict[int, str] = {}
    for index, (name, arguments) in enumerate(calls):
        list(answer.take(chunk(index=index, id=f"c{index}", function={"name": name})))
        left[index] = json.dumps(arguments)
    while left:
        index = data.draw(st.sampled_from(sorted(left)))
        size = data.draw(st.integers(1, 5))
        piece, left[index] = left[index][:size], left[index][size:]
        list(answer.take(chunk(index=index, function={"arguments": piece})))
        left = {place: text for place, text in left.items() if text}

    *_, last = answer.end()

    assert isinstance(last, StreamComplete)
    assert last.message.tool_calls == tuple(
        ToolCall(id=f"c{index}", name=name, arguments=arguments) for index, (name, arguments) in enumerate(calls)
    )


def chunk(**call: Any) -> dict[str, Any]:
    return {"choices": [{"delta": {"tool_calls": [call]}}]}
