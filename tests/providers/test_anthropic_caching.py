"""Where a request is marked so that the server keeps its beginning: never too often, and only where it may be."""

from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sojourn.model.message import Message, ToolCall
from sojourn.providers.anthropic_caching import MARK, MOST, with_marks
from sojourn.providers.anthropic_request import request_body
from sojourn.testing.wire_anthropic_rules import refusal
from tests.providers.anthropic_talks import MODEL, WEATHER, asked, result

TEXTS = st.sampled_from(["", " ", "\n", "words", "more words"])
BLOCKS = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, TEXTS),
    st.just({"type": "thinking", "thinking": "hm", "signature": "s"}),
    st.just({"type": "redacted_thinking", "data": "x"}),
    st.just({"type": "tool_use", "id": "a", "name": "weather", "input": {}}),
    st.just({"type": "tool_result", "tool_use_id": "a", "content": "sunny"}),
    st.just({"type": "image", "source": {"type": "url", "url": "https://example.org"}}),
    st.just({"type": "something_new"}),
)
MESSAGES = st.lists(st.builds(lambda content: {"role": "user", "content": content}, st.lists(BLOCKS, max_size=4)))
BODIES = st.fixed_dictionaries(
    {"model": st.just("m"), "messages": MESSAGES},
    optional={
        "system": st.one_of(TEXTS, st.lists(st.builds(lambda text: {"type": "text", "text": text}, TEXTS))),
        "tools": st.lists(st.builds(lambda name: {"name": name, "input_schema": {}}, TEXTS)),
    },
)


@given(body=BODIES, stable=st.integers(-1, 12))
def test_marks_are_few_and_only_where_they_may_be(body: dict[str, Any], stable: int) -> None:
    marked = [block for block in all_blocks(with_marks(body, stable=stable)) if "cache_control" in block]

    assert len(marked) <= MOST
    for block in marked:
        assert block["cache_control"] == MARK
        assert block.get("type") not in {"thinking", "redacted_thinking", "something_new"}
        assert block.get("type") != "text" or block["text"].strip()


@given(body=BODIES, stable=st.integers(-1, 12))
def test_nothing_but_marks_is_added_and_the_argument_is_left_alone(body: dict[str, Any], stable: int) -> None:
    before = deepcopy(body)

    marked = with_marks(body, stable=stable)

    assert body == before
    assert without_marks(marked) == before


@given(body=BODIES, stable=st.integers(0, 12), added=st.lists(BLOCKS, max_size=3))
def test_the_mark_of_the_stable_part_does_not_move_when_more_is_said(
    body: dict[str, Any], stable: int, added: list[dict[str, Any]]
) -> None:
    longer = {**body, "messages": [*body["messages"], {"role": "user", "content": added}]}
    stable = min(stable, len(blocks_of(body)))

    first, second = with_marks(body, stable=stable), with_marks(longer, stable=stable)

    assert blocks_of(first)[:stable] == blocks_of(second)[:stable]


def test_the_mark_stands_at_the_end_of_what_the_next_turn_begins_with() -> None:
    call = ToolCall(id="a", name="weather", arguments={"city": "Rome"})
    turn = (
        Message(role="user", content="Weather?"),
        Message(role="assistant", content="Looking.", tool_calls=(call,)),
        result(call, "sunny"),
        Message(role="assistant", content="Sunny."),
    )

    body = request_body(MODEL, asked(*turn, "And tomorrow?", system="Be kind.", tools=(WEATHER,), stable=3))

    assert refusal(body) is None
    assert [block.get("text") or block["type"] for block in blocks_of(body) if "cache_control" in block] == [
        "tool_result",
        "And tomorrow?",
    ]


def test_a_stable_part_that_ends_within_one_of_their_messages_is_marked_there() -> None:
    """Two messages of the user in a row are one message to the API."""
    body = request_body(MODEL, asked("The rules are these.", "What is allowed?", stable=1))

    (message,) = body["messages"]
    assert [block["text"] for block in message["content"]] == ["The rules are these.", "What is allowed?"]
    assert all("cache_control" in block for block in message["content"])


def test_where_everything_is_stable_one_mark_is_enough() -> None:
    body = request_body(MODEL, asked("The rules are these.", "What is allowed?", stable=2))

    assert ["cache_control" in block for block in blocks_of(body)] == [False, True]


def blocks_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [block for message in body["messages"] for block in message["content"]]


def all_blocks(body: dict[str, Any]) -> list[dict[str, Any]]:
    system = body.get("system", [])
    return [*body.get("tools", []), *(system if isinstance(system, list) else []), *blocks_of(body)]


def without_marks(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_marks(item) for name, item in value.items() if name != "cache_control"}
    return [without_marks(item) for item in value] if isinstance(value, list) else value
