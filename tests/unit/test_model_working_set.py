"""The working set, variables and statistics that a journal adds up to."""

import pytest

from sojourn.model import events as ev
from sojourn.model.events import Event
from sojourn.model.state import SessionState, replay
from sojourn.model.statistics import SessionMetadata, ToolStatistics
from sojourn.testing.factories import make_journal, said


def fold(*events: Event) -> SessionState:
    state = replay(make_journal(events))
    assert state is not None
    return state


def test_a_decision_stands_once_where_it_was_first_made() -> None:
    decisions = fold(
        ev.DecisionMade(text="a"), ev.DecisionMade(text="b"), ev.DecisionMade(text="a")
    ).working_set.decisions

    assert [(decision.text, decision.seq) for decision in decisions] == [("a", 2), ("b", 3)]


def test_a_task_is_open_until_it_is_closed() -> None:
    opened = [ev.TaskOpened(task_id=name, text=f"do {name}") for name in "abc"]
    tasks = fold(*opened, ev.TaskClosed(task_id="b"), ev.TaskClosed(task_id="never opened")).working_set.open_tasks

    assert [task.task_id for task in tasks] == ["a", "c"]


def test_a_task_opened_again_is_the_newest() -> None:
    opened = [ev.TaskOpened(task_id=name, text=text) for name, text in (("a", "1"), ("b", "2"), ("a", "3"))]
    tasks = fold(*opened).working_set.open_tasks

    assert [(task.task_id, task.text) for task in tasks] == [("b", "2"), ("a", "3")]


def test_a_file_shows_what_was_last_done_with_it() -> None:
    touched = [
        ev.FileTouched(path=path, action=action) for path, action in (("a", "read"), ("b", "read"), ("a", "edited"))
    ]
    files = fold(*touched).working_set.files_touched

    assert [(file.path, file.action) for file in files] == [("b", "read"), ("a", "edited")]


def test_a_pinned_fact_stays_until_it_is_unpinned() -> None:
    pinned = [ev.FactPinned(text=text) for text in ("a", "b", "a")]

    assert fold(*pinned).working_set.pinned_facts == ("a", "b")
    assert fold(*pinned, ev.FactUnpinned(text="a")).working_set.pinned_facts == ("b",)


def test_the_summary_is_the_last_one_written() -> None:
    assert fold(ev.SummaryUpdated(text="a"), ev.SummaryUpdated(text="b")).working_set.summary == "b"


def test_the_token_budget_counts_every_bucket_and_can_be_lifted() -> None:
    usage = ev.UsageRecorded(input_tokens=1, output_tokens=2, cache_creation_tokens=3, cache_read_tokens=4)
    limited = fold(usage, ev.TokenBudgetSet(limit=100), usage).working_set.token_budget
    lifted = fold(ev.TokenBudgetSet(limit=100), ev.TokenBudgetSet(limit=None)).working_set.token_budget

    assert (limited.used, limited.limit) == (20, 100)
    assert (lifted.used, lifted.limit) == (0, None)


def test_a_variable_has_its_last_value_until_it_is_removed() -> None:
    values = [
        ev.VariableSet(name="a", value=1),
        ev.VariableSet(name="b", value=None),
        ev.VariableSet(name="a", value=[2]),
    ]

    assert fold(*values).variables.values == {"b": None, "a": [2]}
    assert fold(*values, ev.VariableRemoved(name="a"), ev.VariableRemoved(name="x")).variables.values == {"b": None}


def test_usage_adds_up_by_bucket_and_by_purpose() -> None:
    metadata = fold(
        ev.UsageRecorded(input_tokens=10, output_tokens=5, cache_read_tokens=30, cost_micros=7),
        ev.UsageRecorded(purpose="reasoning", input_tokens=20, cache_creation_tokens=2, cost_micros=3),
        ev.UsageRecorded(cost_micros=1),
        ev.UsageRecorded(output_tokens=1),
    ).metadata

    assert (metadata.input_tokens, metadata.output_tokens) == (30, 6)
    assert (metadata.cache_creation_tokens, metadata.cache_read_tokens) == (2, 30)
    assert metadata.cost_micros == {"conversation": 8, "reasoning": 3}
    assert metadata.unpriced_calls == 1
    assert metadata.cache_efficiency == 0.5
    assert metadata.total_cost_usd == pytest.approx(0.000011)
    assert metadata.cost_breakdown == pytest.approx({"conversation": 0.000008, "reasoning": 0.000003})


def test_each_tools_runs_and_successes_are_counted() -> None:
    runs = [ev.ToolRan(call_id=str(n), name="search", success=n != 1, seconds=0.5) for n in range(4)]
    metadata = fold(*runs, ev.ToolRan(call_id="x", name="read")).metadata

    assert metadata.tools["search"] == ToolStatistics(calls=4, successes=3, seconds=2.0)
    assert metadata.tool_usage == {"search": 4, "read": 1}
    assert metadata.tool_success_rate == {"search": 0.75, "read": 1.0}
    assert metadata.tool_call_count == 5


def test_the_time_of_a_response_is_that_of_its_turn() -> None:
    ended = [ev.TurnEnded(turn_id="t", seconds=seconds) for seconds in (1.0, 2.0, None)]
    metadata = fold(said(), *ended, ev.ResearchStarted(research_id="r", query="q")).metadata

    assert (metadata.response_count, metadata.average_response_time) == (2, 1.5)
    assert (metadata.message_count, metadata.research_task_count) == (1, 1)


def test_nothing_divided_by_nothing_is_nothing() -> None:
    assert SessionMetadata().cache_efficiency == SessionMetadata().average_response_time == 0.0
    assert ToolStatistics().success_rate == 0.0
