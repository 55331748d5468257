"""What models write for the reasoning loop: read by pattern, with a fallback for whatever is missing, never failing."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn.agent.reasoning.analyser import read_analysis
from sojourn.agent.reasoning.config import ReasoningConfig
from sojourn.agent.reasoning.evaluator import read_evaluation
from sojourn.agent.reasoning.judge import read_judgement
from sojourn.agent.reasoning.labelled import items, ratio, sections, verdict, whole_number
from sojourn.agent.reasoning.planner import read_subtasks
from sojourn.agent.reasoning.synthesiser import read_choice
from sojourn.model.reasoning import ComplexityAnalysis, EvaluationResult

ANALYSIS = """\
Here is my analysis.

**Complexity Level:** COMPLEX
**Recommended Strategy:** DEEP_REASONING
**Estimated Iterations:** 4
**Confidence:** 0.85
**Requires Research:** Yes
**Requires Synthesis:** yes
**Multi-Part Query:** No
**Tool Count Estimate:** 3
**Reasoning:** It asks for causes,
and for costs."""

MISSING = ComplexityAnalysis(
    complexity_level="medium", recommended_strategy="light_planning", estimated_iterations=2, confidence=0.5
)

garbage = st.one_of(
    st.text(),
    st.lists(
        st.sampled_from([
            "**Complexity Level:**", "Confidence Score:", "**Confidence:** ", "1e999", "NaN", "9" * 30, "-1", "0,5",
            "80%", "8/0", "\n- ", "\n1. [HIGH PRIORITY] ", "Tools: ,", "Depends on: 1, 99", "**Missing Aspects:**\n",
            "INCOMPLETE", "SUFFICIENT|INSUFFICIENT", "Additional Queries Needed", "\n", "**", "not", "complete", "٣",
            "\ud800", "#" * 50,
        ])
    ).map(" ".join),
)  # fmt: skip


# --- the analyser


def test_an_analysis_in_the_asked_form_is_read_whole() -> None:
    assert read_analysis(ANALYSIS) == ComplexityAnalysis(
        complexity_level="complex",
        recommended_strategy="deep_reasoning",
        rationale="It asks for causes,\nand for costs.",
        estimated_iterations=4,
        confidence=0.85,
        requires_research=True,
        requires_synthesis=True,
        multi_part_query=False,
        tool_count_estimate=3,
    )


@pytest.mark.parametrize(
    ("text", "level", "strategy", "iterations", "confidence"),
    [
        ("", "medium", "light_planning", 2, 0.5),
        ("I cannot judge this.", "medium", "light_planning", 2, 0.5),
        ("**Complexity Level:** SIMPLE", "simple", "light_planning", 2, 0.5),
        ("complexity level: simple\nrecommended strategy: direct", "simple", "direct", 2, 0.5),
        ("Recommended Strategy: light planning, Confidence: 70%", "medium", "light_planning", 2, 0.7),
        ("## Complexity Level\nCOMPLEX\n## Confidence\n0.9", "complex", "light_planning", 2, 0.9),
        ("**Complexity Level**: SIMPLE, MEDIUM or COMPLEX", "medium", "light_planning", 2, 0.5),
        ("**Recommended Strategy:** directly", "medium", "light_planning", 2, 0.5),
        ("Estimated Iterations: 0", "medium", "light_planning", 2, 0.5),
        ("Estimated Iterations: 999999", "medium", "light_planning", 10, 0.5),
        ("Confidence: 0", "medium", "light_planning", 2, 0.0),
        ("Confidence Score: 0.3", "medium", "light_planning", 2, 0.3),
        ("Complexity Score: 0.1", "simple", "light_planning", 2, 0.5),
        ("Complexity Score: 0.5", "medium", "light_planning", 2, 0.5),
        ("Complexity Score: 0.7", "complex", "light_planning", 2, 0.5),
    ],
)
def test_what_an_analysis_does_not_say_is_medium(
    text: str, level: str, strategy: str, iterations: int, confidence: float
) -> None:
    analysis = read_analysis(text)
    read = (
        analysis.complexity_level,
        analysis.recommended_strategy,
        analysis.estimated_iterations,
        analysis.confidence,
    )
    assert read == (level, strategy, iterations, confidence)


# --- the planner

PLAN = """\
Plan:
1. [HIGH PRIORITY] Measure the latency of the API
   Tools: curl, `search`
2. [LOW] Ask the team
3. **[MEDIUM PRIORITY]** Read the logs
   - Depends on: 1, 7
That is all."""


def test_a_plan_in_the_asked_form_is_read_whole() -> None:
    first, second, third = read_subtasks(PLAN, most=5)

    assert (first.query, first.priority, first.tool_hints) == (
        "Measure the latency of the API", 1, ("curl", "search"),
    )  # fmt: skip
    assert (second.query, second.priority, second.tool_hints) == ("Ask the team", 3, None)
    assert (third.query, third.priority, third.dependencies) == ("Read the logs", 2, (first.query,))


def test_the_most_important_parts_are_kept_in_their_order() -> None:
    assert [part.query for part in read_subtasks(PLAN, most=2)] == ["Measure the latency of the API", "Read the logs"]


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("1. Look\n2. Think", ["Look", "Think"]),
        ("1) Look\n  2) Think", ["Look", "Think"]),
        ("1. [NOT A PRIORITY] Look\n2. Think", ["Think"]),
        ("No plan is needed.", []),
        ("Tools: curl\nDepends on: 1", []),
        ("1.", []),
        ("", []),
    ],
)
def test_a_plain_numbered_list_is_a_plan_and_nothing_else_is(text: str, queries: list[str]) -> None:
    assert [part.query for part in read_subtasks(text, most=5)] == queries


# --- the evaluator

EVALUATION = """\
## Completeness Assessment
INCOMPLETE

**Confidence Score:** 0.9
**Reasoning:** The cost is open.
**Missing Aspects:**
- the cost
* the time
**Additional Queries Needed:**
1. What does it cost?
2. None"""


def test_an_evaluation_in_the_asked_form_is_read_whole() -> None:
    assert read_evaluation(EVALUATION) == EvaluationResult(
        is_complete=False,
        confidence=0.9,
        reasoning="The cost is open.",
        missing_aspects=("the cost", "the time"),
        additional_queries=("What does it cost?",),
    )


@pytest.mark.parametrize(
    ("text", "complete", "confidence"),
    [
        ("**Completeness Assessment:** COMPLETE", True, 0.5),
        ("**Completeness Assessment:** INCOMPLETE\n**Confidence Score:** 0.95", False, 0.95),
        ("Completeness Assessment: incomplete, for the most part", False, 0.5),
        ("Completeness Assessment: NOT COMPLETE", False, 0.5),
        ("Completeness Assessment: The results aren't quite complete.", False, 0.5),
        ("Completeness Assessment: partially complete", False, 0.5),
        ("Completeness Assessment: COMPLETE or INCOMPLETE", False, 0.5),
        ("Completeness Assessment: completely open", False, 0.5),
        ("Completeness Assessment: UNCOMPLETE", False, 0.5),
        ("Confidence Score: 0.7", True, 0.7),
        ("Confidence Score: 0.69", False, 0.69),
        ("The answer is complete.", False, 0.5),
        ("", False, 0.5),
    ],
)
def test_incomplete_never_reads_as_complete(text: str, complete: bool, confidence: float) -> None:
    evaluation = read_evaluation(text)
    assert (evaluation.is_complete, evaluation.confidence) == (complete, confidence)


# --- the judge

JUDGEMENT = """\
**Quality Assessment:** SUFFICIENT
**Confidence Score:** 0.65
**Reasoning:** Fine.
**Missing Aspects:**
- None"""


def test_a_judgement_below_the_gate_is_insufficient_whatever_it_says() -> None:
    good = EvaluationResult(is_complete=True, confidence=0.65, reasoning="Fine.")

    assert read_judgement(JUDGEMENT, gate=0.6) == good
    assert read_judgement(JUDGEMENT, gate=0.65) == good
    assert read_judgement(JUDGEMENT, gate=0.7).is_complete is False


@pytest.mark.parametrize(
    ("text", "sufficient", "confidence"),
    [
        ("**Quality Assessment:** INSUFFICIENT\n**Confidence Score:** 0.9", False, 0.9),
        ("**Quality Assessment:** not sufficient\n**Confidence Score:** 0.9", False, 0.9),
        ("**Quality Assessment:** INSUFFICIENT", False, 0.5),
        ("**Quality Assessment:** SUFFICIENT", True, 0.5),
        ("**Quality Assessment:** SUFFICIENT|INSUFFICIENT", True, 0.5),
        ("**Confidence Score:** 0.9", True, 0.9),
        ("**Confidence Score:** 0.3", False, 0.3),
        ("What a nice answer.", True, 0.5),
        ("", True, 0.5),
    ],
)
def test_a_judgement_that_cannot_be_read_lets_the_answer_through(
    text: str, sufficient: bool, confidence: float
) -> None:
    judged = read_judgement(text, gate=0.6)
    assert (judged.is_complete, judged.confidence) == (sufficient, confidence)


# --- their parts


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0.8", 0.8), (".75", 0.75), ("85%", 0.85), ("8/10", 0.8), ("85", 0.85), ("7", 0.7), ("1", 1.0), ("1.0", 1.0),
        ("0,6", 0.6), ("-0.3", 0.0), ("150%", 1.0), ("9/0", 1.0), ("about 0.4, maybe", 0.4), ("High", 0.9),
        ("low", 0.3), ("high or low", None), ("none", None), ("", None), (None, None),
    ],
)  # fmt: skip
def test_a_score_is_a_share_however_it_is_written(text: str | None, number: float | None) -> None:
    assert ratio(text) == number


def test_sections_end_where_the_next_begins_and_the_first_that_says_something_counts() -> None:
    text = "Reasoning:\n**Confidence Score:** 0.5 **Reasoning:** because\nof this. Reasoning: again"
    assert sections(text, ("Confidence Score", "Reasoning", "Missing Aspects")) == {
        "Confidence Score": "0.5",
        "Reasoning": "because\nof this.",
    }


def test_results_are_chosen_by_number_each_once() -> None:
    assert read_choice("**Relevant Results:** 3, 1, 3, 99, 0", of=4) == [2, 0]
    assert read_choice("2 and 4", of=4) == [1, 3]
    assert read_choice("all of them", of=4) == []


@given(garbage)
def test_no_text_at_all_makes_reading_fail_or_leave_its_range(text: str) -> None:
    analysis = read_analysis(text)
    assert ComplexityAnalysis.from_dict(analysis.to_dict()) == analysis if _is_storable(text) else True
    assert 0.0 <= analysis.confidence <= 1.0
    assert 1 <= analysis.estimated_iterations <= 10
    for evaluation in (read_evaluation(text), read_judgement(text, gate=0.6)):
        assert 0.0 <= evaluation.confidence <= 1.0
        assert all(item.strip() and len(item) <= 500 for item in evaluation.missing_aspects)
        assert len(evaluation.additional_queries) <= 5
    parts = read_subtasks(text, most=3)
    assert len(parts) <= 3
    assert all(part.query.strip() and 1 <= part.priority <= 3 for part in parts)
    assert all(0 <= place < 5 for place in read_choice(text, of=5))
    assert (whole_number(text, most=10) or 0) <= 10
    assert len(items(text)) <= 10


def _is_storable(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


@given(st.text(), st.floats(0, 1))
def test_a_text_without_a_judgement_is_never_held_against_the_answer(text: str, gate: float) -> None:
    if not sections(text, ("Quality Assessment", "Confidence Score")):
        assert read_judgement(text, gate=gate).is_complete


@given(st.sampled_from(["", "It is ", "**", "(", "Verdict - "]), st.sampled_from([".", "", "!", " as far as I see"]))
def test_a_word_with_its_negation_inside_is_never_its_opposite(before: str, after: str) -> None:
    assert verdict(f"{before}INCOMPLETE{after}", yes="complete", no="incomplete") is False
    assert verdict(f"{before}Complete{after}", yes="complete", no="incomplete") is True


def test_settings_that_cannot_be_are_refused() -> None:
    mistakes: list[dict[str, Any]] = [
        {"min_quality_direct": 1.5}, {"max_iterations": 0}, {"min_subtasks": 9}, {"analysis_cache_ttl": -1.0},
        {"simple_threshold": 0.9}, {"force_strategy": "luck"},
    ]  # fmt: skip
    for wrong in mistakes:
        with pytest.raises(ValueError, match=r"_|use one of"):
            ReasoningConfig(**wrong)
