"""How a plan becomes steps, and what a new plan leaves of the old one."""

import pytest

from sojourn.model import events as ev
from sojourn.model.planning import dynamic_id, first_steps, refined_steps, without_label
from sojourn.model.reasoning import ResearchPlan, SubTask


def steps_of(*descriptions: str, status: ev.StepStatus = "pending") -> tuple[ev.PlanStep, ...]:
    return tuple(
        ev.PlanStep(id=f"step_{number}", description=text, status=status) for number, text in enumerate(descriptions)
    )


def plan(*queries: str | SubTask) -> ResearchPlan:
    subtasks = tuple(SubTask(query=query) if isinstance(query, str) else query for query in queries)
    return ResearchPlan(original_query="Why is it slow?", subtasks=subtasks)


def test_the_first_plan_numbers_its_parts_and_knows_what_depends_on_what() -> None:
    steps = first_steps(
        plan(
            "Measure the API",
            SubTask(query="Compare the numbers", dependencies=("measure the API", "step_9", "step_1")),
        )
    )

    assert [(step.id, step.status) for step in steps] == [("step_0", "pending"), ("step_1", "pending")]
    assert steps[1].depends_on == ("step_0",)


def test_what_is_done_or_under_way_stays_and_its_repetition_is_dropped() -> None:
    done = steps_of("Measure the API", status="completed")
    going = (ev.PlanStep(id="step_1", description="Read the logs", status="in_progress"),)
    steps = refined_steps((*done, *going), plan("Step 1: measure the api", "2. Read the logs", "Ask the team"))

    assert steps[:2] == (*done, *going)
    assert [(step.id, step.description) for step in steps[2:]] == [("step_2", "Ask the team")]


def test_a_step_still_to_do_takes_the_new_words() -> None:
    old = steps_of("Measure the latency of the public API in production")
    steps = refined_steps(old, plan("Measure the latency of the public API in production today"))

    assert [(step.id, step.description) for step in steps] == [
        ("step_0", "Measure the latency of the public API in production today")
    ]


@pytest.mark.parametrize("status", ["failed", "skipped"])
def test_a_failed_or_skipped_step_that_is_planned_again_is_to_do_again(status: ev.StepStatus) -> None:
    assert refined_steps(steps_of("Read the logs", status=status), plan("Read the logs"))[0].status == "pending"


def test_what_the_new_plan_leaves_out_is_skipped_and_never_deleted() -> None:
    failed = (ev.PlanStep(id="step_7", description="Ask the team", status="failed"),)
    steps = refined_steps((*steps_of("Read the logs"), *failed), plan("Buy a faster disk"), current_step_id="step_7")

    assert [(step.id, step.status) for step in steps] == [
        ("step_0", "skipped"), ("step_7", "failed"), ("step_2", "pending"),
    ]  # fmt: skip
    assert steps[-1].spawned_from == "step_7"


def test_steps_that_differ_in_a_number_are_different_steps() -> None:
    old = steps_of("Measure the latency of API endpoint 1", status="completed")

    assert len(refined_steps(old, plan("Measure the latency of API endpoint 2"))) == 2


def test_a_new_step_never_takes_an_id_that_is_taken() -> None:
    old = (ev.PlanStep(id="step_1", description="Read the logs", status="completed"),)
    dynamic = (ev.PlanStep(id="step_dynamic_2_0", description="Look again"),)

    assert refined_steps(old, plan("Buy a faster disk"))[-1].id == "step_2"
    assert (dynamic_id(dynamic, iteration=2), dynamic_id(dynamic, iteration=3)) == (
        "step_dynamic_2_1", "step_dynamic_3_0",
    )  # fmt: skip


def test_two_parts_that_say_the_same_are_one_step() -> None:
    assert len(first_steps(plan("Read the logs", "1. read the logs"))) == 1


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Step 2: Look", "Look"),
        ("task: Look", "Look"),
        ("3. Look", "Look"),
        ("3) Look", "Look"),
        ("- Look", "Look"),
        ("Tasks of the team", "Tasks of the team"),
        ("3 servers are slow", "3 servers are slow"),
        ("1.5 million users", "1.5 million users"),
    ],
)
def test_only_a_label_is_taken_off(text: str, bare: str) -> None:
    assert without_label(text) == bare


@pytest.mark.parametrize(("parts", "size"), [(0, "low"), (1, "low"), (3, "medium"), (4, "high")])
def test_a_plan_is_as_complex_as_it_has_parts(parts: int, size: str) -> None:
    made = plan(*(f"part {number}" for number in range(parts)))

    assert made.estimated_complexity == size
    assert made.current_step == (made.subtasks[0] if parts else None)
