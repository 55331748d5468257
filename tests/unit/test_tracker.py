"""A research as the journal tells it: attempts, tools, plan, insights, and how it reads."""

import hashlib
import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from inline_snapshot import snapshot

from sojourn.errors import InvalidInputError
from sojourn.model import events as ev
from sojourn.model.entry import Entry
from sojourn.model.progress import ALWAYS_FRESH, AccumulatedInsights, cut_result, result_hash
from sojourn.model.reasoning import ComplexityAnalysis, EvaluationResult
from sojourn.model.state import replay
from sojourn.model.tracker import ResearchProgressTracker, track
from sojourn.testing.factories import make_journal
from sojourn.testing.strategies import histories

MEDIUM = ComplexityAnalysis(complexity_level="medium", recommended_strategy="light_planning")
START = ev.ResearchStarted(research_id="r", query="Why is it slow?", complexity=MEDIUM.to_dict())


def tracked(*events: ev.Event) -> ResearchProgressTracker:
    tracker = track(make_journal([START, *events]), "r")
    assert tracker is not None
    return tracker


def attempt(strategy: ev.Strategy = "direct") -> ev.AttemptStarted:
    return ev.AttemptStarted(research_id="r", strategy=strategy)


def ended(status: ev.AttemptStatus = "escalated", **fields: Any) -> ev.AttemptEnded:
    return ev.AttemptEnded(research_id="r", status=status, outcome="Escalated due to low quality", **fields)


def ran(name: str = "search", arguments: dict[str, Any] | None = None, **fields: Any) -> ev.ResearchToolRan:
    return ev.ResearchToolRan(research_id="r", tool_name=name, arguments=arguments or {"q": "x"}, **fields)


def planned(*steps: ev.PlanStep) -> ev.PlanRevised:
    return ev.PlanRevised(research_id="r", steps=steps, created_by="light_planning")


def moved(step_id: str, status: ev.StepStatus = "completed", *findings: str) -> ev.StepUpdated:
    return ev.StepUpdated(research_id="r", step_id=step_id, status=status, findings=findings)


def insight(kind: ev.InsightKind, text: str) -> ev.InsightAdded:
    return ev.InsightAdded(research_id="r", insight=kind, text=text)


def steps_of(*descriptions: str, status: ev.StepStatus = "pending") -> tuple[ev.PlanStep, ...]:
    return tuple(
        ev.PlanStep(id=f"step_{number}", description=text, status=status) for number, text in enumerate(descriptions)
    )


def deep_tracker() -> ResearchProgressTracker:
    verdict = EvaluationResult(
        is_complete=False, confidence=0.5, reasoning="Too thin", missing_aspects=("a", "b", "c", "d")
    )
    return tracked(
        attempt("direct"),
        ended(quality_score=0.5, evaluation=verdict.to_dict()),
        insight("knowledge_gaps", "the database"),
        insight("quality_feedback", "Too thin"),
        insight("recommended_improvements", "Ask about indexes"),
        attempt("light_planning"),
        planned(*steps_of("Measure the API", "Read the logs", "Ask the team")),
        moved("step_0", "completed", "slow on Mondays", "fast on Sundays", "p99 is 2 s"),
        moved("step_1", "in_progress"),
        ran(result="slow queries"),
        ran("fetch", success=False, error="timeout"),
        insight("confirmed_facts", "p99 is 2 s"),
    )


# --- the fold


def test_a_tracker_begins_with_the_question() -> None:
    tracker = tracked()

    assert (tracker.query, tracker.complexity, tracker.seq) == ("Why is it slow?", MEDIUM, 2)
    assert (tracker.current_attempt, tracker.current_strategy, tracker.plan) == (None, None, None)


def test_entries_of_other_research_and_after_the_end_change_nothing() -> None:
    other = ev.AttemptStarted(research_id="other", strategy="direct")
    over = ev.ResearchEnded(research_id="r", response="Because.")
    tracker = tracked(other, over, attempt())

    assert tracker.attempts == ()
    assert tracker.response == "Because."


def test_only_the_beginning_begins_a_tracker() -> None:
    assert track(make_journal([attempt()]), "r") is None
    with pytest.raises(TypeError, match="AttemptStarted"):
        ResearchProgressTracker.begin(make_journal([attempt()])[1])


def test_a_verdict_on_no_attempt_changes_nothing() -> None:
    assert tracked(ended()) == tracked()


def test_a_run_without_a_result_leaves_nothing_to_reuse() -> None:
    assert tracked(ran()).tool_cache == {}


def test_a_research_given_up_for_another_is_history() -> None:
    other = ev.ResearchStarted(research_id="other", query="What does it cost?")
    state = replay(make_journal([START, ended(), attempt(), other]))
    assert state is not None

    assert [(header.research_id, header.attempts, header.ended_seq) for header in state.research_history] == [
        ("r", 1, 5)
    ]
    assert state.active_research is not None
    assert state.active_research.research_id == "other"


def test_an_attempt_is_current_until_it_is_judged() -> None:
    going_on, judged = tracked(attempt()), tracked(attempt(), ended(quality_score=0.4, response="Hm."))

    assert going_on.current_attempt is not None
    assert judged.current_attempt is None
    assert judged.current_strategy == "direct"
    last = judged.attempts[-1]
    assert (last.status, last.quality_score, last.response) == ("escalated", 0.4, "Hm.")
    assert last.completed_at == last.started_at + timedelta(seconds=1)


def test_a_tool_run_belongs_to_the_attempt_and_its_strategy() -> None:
    tracker = tracked(attempt("deep_reasoning"), ran(result="found"), ran("fetch", success=False, error="timeout"))

    assert [run.strategy for run in tracker.tool_executions] == ["deep_reasoning", "deep_reasoning"]
    assert tracker.attempts[0].accumulated_results == ("found", "Error: timeout")
    assert tracker.insights.successful_tool_results == {"search": "found"}
    assert tracker.insights.failed_tool_attempts == {"fetch": "timeout"}


def test_a_tool_run_before_any_attempt_counts_as_direct() -> None:
    assert tracked(ran(result="found")).tool_executions[0].strategy == "direct"


def test_a_result_is_reused_for_the_same_arguments_in_any_order() -> None:
    tracker = tracked(ran(arguments={"a": 1, "b": 2}, result="found"))

    assert tracker.should_execute_tool("search", {"b": 2, "a": 1}) == (False, "found")
    assert tracker.should_execute_tool("search", {"a": 1}) == (True, None)
    assert tracker.should_execute_tool("find", {"a": 1, "b": 2}) == (True, None)


def test_a_failure_is_tried_again_and_a_success_before_it_still_counts() -> None:
    failed = ran(success=False, error="timeout")

    assert tracked(failed).should_execute_tool("search", {"q": "x"}) == (True, None)
    assert tracked(ran(result="found"), failed).should_execute_tool("search", {"q": "x"}) == (False, "found")


@pytest.mark.parametrize("name", sorted(ALWAYS_FRESH))
def test_a_result_that_does_not_last_is_never_reused(name: str) -> None:
    assert tracked(ran(name, result="12:00")).should_execute_tool(name, {"q": "x"}) == (True, None)


def test_an_empty_result_is_a_result() -> None:
    assert tracked(ran(result="")).should_execute_tool("search", {"q": "x"}) == (False, "")


def test_the_hash_is_that_of_the_tool_and_its_sorted_arguments() -> None:
    assert result_hash("search", {"b": 2, "a": 1}) == hashlib.md5(b'search:{"a": 1, "b": 2}').hexdigest()  # noqa: S324
    with pytest.raises(InvalidInputError, match="not JSON"):
        result_hash("search", {"q": object()})


def test_a_long_result_is_cut_with_a_note() -> None:
    cut = cut_result("x" * 12_500)

    assert cut == "x" * 10_000 + "\n... [2,500 of 12,500 characters omitted]"
    assert cut_result("x" * 10_000) == "x" * 10_000


def test_a_step_is_stamped_when_it_begins_and_ends_and_collects_findings() -> None:
    tracker = tracked(
        planned(*steps_of("Look")), moved("step_0", "in_progress", "early"), moved("step_0", "completed", "late")
    )
    assert tracker.plan is not None
    step = tracker.plan.steps[0]

    assert (step.status, step.findings) == ("completed", ("early", "late"))
    assert step.started_at is not None
    assert step.completed_at == step.started_at + timedelta(seconds=1)
    assert tracker.plan.current_step_id == "step_0"
    assert tracker.findings() == ["early", "late"]
    assert tracker.evidence == {"early": (4,), "late": (5,)}


def test_updates_of_no_plan_or_an_unknown_step_change_nothing() -> None:
    assert tracked(moved("step_0")) == tracked()
    assert tracked(planned(*steps_of("Look")), moved("step_9")) == tracked(planned(*steps_of("Look")))


def test_a_revision_is_counted_and_a_dynamic_step_is_not_one() -> None:
    added = ev.StepAdded(research_id="r", step=ev.PlanStep(id="step_dynamic_0_0", description="More"), after="step_0")
    lost = ev.StepAdded(research_id="r", step=ev.PlanStep(id="step_dynamic_0_1", description="Last"), after="step_9")
    tracker = tracked(planned(*steps_of("Look", "See")), added, lost, planned(*steps_of("Look")))
    before = tracked(planned(*steps_of("Look", "See")), added, lost)
    assert tracker.plan is not None
    assert before.plan is not None

    assert (tracker.plan.revision_count, before.plan.revision_count) == (1, 0)
    assert [step.id for step in before.plan.steps] == ["step_0", "step_dynamic_0_0", "step_1", "step_dynamic_0_1"]
    assert before.plan.created_by == "light_planning"


def test_an_evaluation_becomes_gaps_feedback_and_improvements() -> None:
    verdict = EvaluationResult(
        is_complete=False, reasoning="Too thin", missing_aspects=("cost", "cost"), additional_queries=("What cost?",)
    )
    insights = AccumulatedInsights().add_from_evaluation(verdict)

    assert insights.knowledge_gaps == ("cost",)
    assert insights.quality_feedback == ("Too thin",)
    assert insights.recommended_improvements == ("What cost?",)


def test_a_stored_judgement_of_another_shape_is_no_judgement() -> None:
    tracker = tracked(attempt(), ended(evaluation={"a": 1}))
    odd = track(make_journal([ev.ResearchStarted(research_id="r", query="?", complexity={"complexity_level": 3})]), "r")
    assert odd is not None

    assert tracker.attempts[0].evaluation is None
    assert odd.complexity == ComplexityAnalysis()


def test_a_tracker_is_json_and_comes_back_with_its_strategy_attempt_and_cache() -> None:
    tracker = deep_tracker()
    again = ResearchProgressTracker.from_dict(json.loads(json.dumps(tracker.to_dict())))

    assert again == tracker
    assert again.current_strategy == "light_planning"
    assert again.current_attempt == tracker.current_attempt is not None
    assert again.should_execute_tool("search", {"q": "x"}) == (False, "slow queries")
    assert {"query", "complexity", "created_at", "attempts", "tool_executions", "plan", "insights"} <= set(
        tracker.to_dict()
    )


@given(histories())
def test_any_history_makes_trackers_that_survive_json_and_can_be_read(journal: list[Entry]) -> None:
    started = [entry.event.research_id for entry in journal if isinstance(entry.event, ev.ResearchStarted)]
    for research_id in started:
        tracker = track(journal, research_id)
        assert tracker is not None
        assert ResearchProgressTracker.from_dict(json.loads(json.dumps(tracker.to_dict()))) == tracker
        assert tracker.to_context_text("deep_reasoning", "full").startswith("# Research Progress Context")
        assert tracker.generate_progress_report()


# --- as text


@pytest.mark.parametrize(
    ("strategy", "sections"),
    [
        ("direct", ["## Previous Execution Attempts"]),
        ("light_planning", "all"),
        ("deep_reasoning", "all"),
    ],
)
def test_the_strategy_decides_how_much_is_told(strategy: ev.Strategy, sections: list[str] | str) -> None:
    everything = [
        "## Previous Execution Attempts",
        "## Research Plan Progress",
        "## Tool Execution History",
        "## Accumulated Insights",
        "## Guidance for Current Execution",
    ]
    text = deep_tracker().to_context_text(strategy)

    assert [line for line in text.splitlines() if line.startswith("## ")] == (
        everything if sections == "all" else sections
    )


def test_a_first_attempt_is_told_only_the_question() -> None:
    assert tracked(attempt("deep_reasoning"), ran(result="found")).to_context_text() == snapshot("""\
# Research Progress Context

**Query**: Why is it slow?
**Complexity**: medium
**Current Execution Level**: deep_reasoning\
""")


def test_the_progress_in_medium_detail() -> None:
    assert deep_tracker().to_medium_context() == snapshot("""\
# Research Progress Context

**Query**: Why is it slow?
**Complexity**: medium
**Current Execution Level**: light_planning

## Previous Execution Attempts

### Attempt 1: direct (escalated, quality 0.50, Escalated due to low quality)
- Evaluation: Too thin
- Missing: a, b, c

## Research Plan Progress

1/3 steps completed

✓ Measure the API
  - fast on Sundays
  - p99 is 2 s
→ Read the logs
○ Ask the team

## Tool Execution History

Total: 2 calls (1 successful, 1 failed)
- search (1x): slow queries

Failed:
- fetch: timeout

## Accumulated Insights

Knowledge gaps:
- the database

Quality feedback:
- Too thin

## Guidance for Current Execution

- Review the completed steps and build on what they found
- Focus on the knowledge gaps
- Avoid redundant tool calls: reuse the results above
- Address the quality feedback

Recommended improvements:
- Ask about indexes\
""")


def test_the_progress_in_full() -> None:
    assert deep_tracker().to_context_text("deep_reasoning", "full") == snapshot("""\
# Research Progress Context

**Query**: Why is it slow?
**Complexity**: medium
**Current Execution Level**: deep_reasoning

## Previous Execution Attempts

### Attempt 1: direct (escalated, quality 0.50, Escalated due to low quality)
- Evaluation: Too thin
- Missing: a, b, c, d

## Research Plan Progress

1/3 steps completed

✓ Measure the API
  - slow on Mondays
  - fast on Sundays
  - p99 is 2 s
→ Read the logs
○ Ask the team

## Tool Execution History

Total: 2 calls (1 successful, 1 failed)
- search (1x): slow queries

Failed:
- fetch: timeout

## Accumulated Insights

Confirmed facts:
- p99 is 2 s

Knowledge gaps:
- the database

Quality feedback:
- Too thin

## Guidance for Current Execution

- Review the completed steps and build on what they found
- Focus on the knowledge gaps
- Avoid redundant tool calls: reuse the results above
- Address the quality feedback

Recommended improvements:
- Ask about indexes\
""")


def test_the_progress_in_a_line() -> None:
    tracker = deep_tracker()
    gaps = tracked(*(insight("knowledge_gaps", gap) for gap in "abcd"))

    assert tracker.to_compact_context() == (
        "Progress: 2 attempts, 2 tool calls, 1/3 steps done | Gaps: the database | Cached: 1 results"
    )
    assert gaps.to_compact_context() == "Progress: 0 attempts, 0 tool calls | Gaps: a, b, c"
    assert tracker.to_minimal_context() == "Query: Why is it slow?\nComplexity: medium"


def test_what_is_long_is_cut_unless_all_is_asked_for() -> None:
    verdict = EvaluationResult(is_complete=False, reasoning="e" * 300, missing_aspects=("a", "b", "c", "d"))
    tracker = tracked(
        attempt(),
        ended(evaluation=verdict.to_dict()),
        ran(result="r" * 300),
        insight("quality_feedback", "f" * 300),
        *(insight("knowledge_gaps", f"gap {number}") for number in range(7)),
    )
    medium, full = tracker.to_medium_context(), tracker.to_context_text("direct", "full")

    assert ("e" * 200 + "..." in medium, "e" * 300 in full) == (True, True)
    assert ("r" * 100 + "..." in medium, "r" * 200 + "..." in full) == (True, True)
    assert ("f" * 150 + "..." in medium, "f" * 300 in full) == (True, True)
    assert (medium.count("- gap"), full.count("- gap")) == (5, 7)
    assert ("Missing: a, b, c\n" in medium, "Missing: a, b, c, d\n" in full) == (True, True)


def test_as_many_attempts_and_runs_as_asked_for() -> None:
    tries = [event for _ in range(5) for event in (attempt(), ended(), ran(result="found"))]
    tracker = tracked(*tries)

    assert tracker.to_context_text("direct").count("### Attempt") == 2
    assert tracker.to_context_text("direct", "full").count("### Attempt") == 3
    assert tracker.to_context_text("direct", max_attempts=0).count("### Attempt") == 0
    assert "search (2x)" in tracker.to_context_text("direct", "full", max_tool_executions=2)


def test_tokens_are_estimated_at_four_characters_each() -> None:
    tracker = deep_tracker()

    assert ResearchProgressTracker.estimate_token_count("12345678") == 2
    assert tracker.get_context_token_count("direct", "full") == len(tracker.to_context_text("direct", "full")) // 4


def test_a_report_tells_a_person_what_there_is() -> None:
    assert deep_tracker().generate_progress_report() == snapshot("""\
Research: Why is it slow?
Complexity: medium
Started: 2030-01-01T00:00:02+00:00
Ended: not yet
Tool calls: 2 (1 successful, 1 failed, 1 reusable)

Attempts: 2
  1. direct (escalated, quality 0.50, Escalated due to low quality)
  2. light_planning (in_progress)

Plan: 1/3 steps completed
  [completed] Measure the API
  [in_progress] Read the logs
  [pending] Ask the team

Confirmed facts:
  - p99 is 2 s

Knowledge gaps:
  - the database\
""")


def test_statistics_count_everything() -> None:
    assert deep_tracker().get_statistics() == {
        "attempts": 2,
        "tool_calls": 2,
        "tool_calls_successful": 1,
        "tool_calls_failed": 1,
        "tool_results_cached": 1,
        "plan_steps": 3,
        "plan_steps_completed": 1,
        "plan_steps_pending": 1,
        "knowledge_gaps": 1,
        "quality_feedback": 1,
        "recommended_improvements": 1,
    }


def test_a_question_is_simple_unless_an_analysis_says_otherwise() -> None:
    assert not ComplexityAnalysis().reasoning_required
    assert MEDIUM.reasoning_required
