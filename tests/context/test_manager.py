"""A talk in memory that fits a model."""

from dataclasses import dataclass, field
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from sojourn.context.manager import ContextConfig, ContextManager
from sojourn.context.tokens import BpeCounter, CharacterCounter, count_message
from sojourn.context.validity import problems
from sojourn.errors import InvalidInputError
from sojourn.model.message import ToolCall


@dataclass
class Outcome:
    output: str = ""
    error: str = ""


@dataclass
class Log:
    lines: list[tuple[Any, ...]] = field(default_factory=list)

    def log_system(self, content: str) -> int:
        return self._add("system", content)

    def log_user(self, content: str) -> int:
        return self._add("user", content)

    def log_assistant(self, content: str, tool_calls: Any = ()) -> int:
        return self._add("assistant", content, *[call.id for call in tool_calls])

    def log_tool_result(self, tool_call_id: str, name: str, result: Any) -> int:
        return self._add("tool", tool_call_id, name, result)

    def _add(self, *what: Any) -> int:
        self.lines.append(what)
        return len(self.lines)


def manager(room: int = 100, strategy: Any = "oldest_first") -> ContextManager:
    return ContextManager(ContextConfig(max_tokens=room, reserve_tokens=0, truncation_strategy=strategy))


def talked(context: ContextManager, count: int) -> ContextManager:
    for number in range(count):
        context.add_user_message(f"question {number:>31}")
        context.add_assistant_message(f"answer {number:>33}")
    return context


def test_both_ways_of_giving_a_logger_work() -> None:
    first, second = Log(), Log()
    by_place, by_name = ContextManager(ContextConfig(), first), ContextManager(config=ContextConfig(), logger=second)
    for log, context in ((first, by_place), (second, by_name)):
        context.set_system_prompt("Be brief.")
        context.add_user_message("look")
        context.add_assistant_message("", [ToolCall(id="c", name="look")])
        context.add_tool_result("c", "look", Outcome(output="seen"))
        assert log.lines == [
            ("system", "Be brief."),
            ("user", "look"),
            ("assistant", "", "c"),
            ("tool", "c", "look", Outcome(output="seen")),
        ]


def test_the_instructions_come_first_and_a_result_is_its_error_or_its_output() -> None:
    context = ContextManager()
    context.set_system_prompt("Be brief.")
    context.add_user_message("look")
    context.add_assistant_message("", [ToolCall(id="a", name="look"), ToolCall(id="b", name="look")])
    context.add_tool_result("a", "look", Outcome(output="seen"))
    context.add_tool_result("b", "look", Outcome(error="blind"))
    built = context.build_messages()
    assert [message.role for message in built] == ["system", "user", "assistant", "tool", "tool"]
    assert [(message.text, message.error) for message in built[-2:]] == [("seen", False), ("blind", True)]
    context.clear_messages()
    assert [message.role for message in context.build_messages()] == ["system"]


def test_the_oldest_go_first() -> None:
    built = talked(manager(room=60), 5).build_messages()
    assert [message.text.split()[-1] for message in built] == ["3", "3", "4", "4"]


def test_middle_out_keeps_the_first() -> None:
    built = talked(manager(room=60, strategy="middle_out"), 5).build_messages()
    assert [message.text.split()[-1] for message in built] == ["0", "4", "4"]


def test_a_window_never_begins_with_a_result_whose_call_was_cut_off() -> None:
    context = manager(room=60)
    context.add_user_message("x" * 80)
    context.add_assistant_message("", [ToolCall(id="c", name="look")])
    context.add_tool_result("c", "look", "y" * 80)
    context.add_assistant_message("z" * 80)
    built = context.build_messages()
    assert problems(built) == []
    assert built[-1].text == "z" * 80


def test_without_any_room_the_last_stay_with_their_call() -> None:
    context = manager(room=10)
    context.set_system_prompt("rule " * 100)
    talked(context, 3)
    assert [message.role for message in context.build_messages()] == ["system", "user", "assistant"]
    assert context.is_over_budget()


def test_a_message_that_is_too_long_is_cut_where_one_can_see_it() -> None:
    context = manager(room=100)
    context.add_user_message("first " + "blah " * 900 + "last")
    [message] = context.build_messages()
    assert "characters left out" in message.text
    assert message.text.endswith("last")


def test_usage_tells_what_everything_costs_and_what_there_is() -> None:
    context = ContextManager()
    assert context.get_tool_definitions() is None
    context.set_system_prompt("a" * 40)
    context.set_tool_definitions([{"name": "look"}])
    context.add_user_message("a" * 80)
    assert context.get_tool_definitions() == [{"name": "look"}]
    assert context.get_token_usage() == {
        "system": 14, "tools": 4, "messages": 24, "total": 42, "budget": 8_000, "available": 6_000,
    }  # fmt: skip
    assert not context.is_over_budget()
    exact = ContextManager(token_counter=BpeCounter())
    exact.add_user_message("hello world, this is a test")
    assert exact.get_token_usage()["messages"] == 11


def test_what_is_handed_out_is_a_copy() -> None:
    context = ContextManager()
    context.add_user_message("a")
    context.messages.clear()
    assert len(context.messages) == 1
    assert repr(context) == "ContextManager(1 messages)"
    assert context.system_prompt == ""


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"max_tokens": -1}, "max_tokens is a number"),
        ({"reserve_tokens": True}, "reserve_tokens is a number"),
        ({"max_tokens": 2_000}, "must be more than reserve_tokens 2,000"),
        ({"truncation_strategy": "random"}, "use one of oldest_first, middle_out"),
    ],
)
def test_a_config_that_makes_no_sense_is_refused(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidInputError, match=says):
        ContextConfig(**settings)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("user"), st.sampled_from(["hi", "tell me " * 20])),
        st.tuples(st.just("call"), st.sampled_from(["c1", "c2", "c3"])),
        st.tuples(st.just("result"), st.sampled_from(["c1", "c2", "c3"])),
        st.tuples(st.just("answer"), st.sampled_from(["yes", "well " * 30])),
    ),
    max_size=15,
)


@given(STEPS, st.integers(40, 300), st.sampled_from(["oldest_first", "middle_out"]))
def test_whatever_was_added_what_is_sent_is_valid_and_fits(steps: list[tuple[str, str]], room: int, how: str) -> None:
    context = manager(room, how)
    for kind, text in steps:
        match kind:
            case "user":
                context.add_user_message(text)
            case "call":
                context.add_assistant_message("", [ToolCall(id=text, name="look")])
            case "result":
                context.add_tool_result(text, "look", "seen " * 20)
            case _:
                context.add_assistant_message(text)
    built = context.build_messages()
    assert problems(built) == []
    assert sum(count_message(CharacterCounter(), message) for message in built) <= room
