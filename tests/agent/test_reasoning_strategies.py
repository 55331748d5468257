"""What each strategy asks, does and uses again: steps, findings, and what tools gave."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from sojourn import Session, open_store
from sojourn.agent.batch import ToolMemory
from sojourn.agent.reasoning.config import ReasoningConfig
from sojourn.agent.reasoning.execution import Executed, ToolUse
from sojourn.agent.reasoning.strategies import MAX_PROGRESS
from sojourn.errors import ModelUnavailableError
from sojourn.model.events import Strategy
from sojourn.providers.protocol import ModelRequest
from sojourn.providers.scripted import Reply, ScriptedProvider
from tests.agent.reasoning_kit import COMPLETE, INCOMPLETE, PLAN, QUERY, Hands, analysed, judged, loop_of

pytestmark = pytest.mark.anyio


@pytest.fixture
async def session() -> AsyncIterator[Session]:
    async with open_store("memory:") as store:
        yield await Session.create(store, "s")


# --- what the strategies ask


async def test_a_direct_answer_gets_the_question_as_it_is_and_later_a_line_on_what_was_tried(session: Session) -> None:
    hands = Hands("The disk.")
    first = loop_of(session, Hands(ModelUnavailableError("busy")), [analysed("direct")])
    with pytest.raises(ModelUnavailableError):
        await first.run(QUERY)
    await loop_of(session, hands, [judged(0.9)]).run(QUERY)

    assert hands.asked == [f"{QUERY}\n\n[Previous attempt context: Progress: 2 attempts, 0 tool calls]"]


async def test_a_light_step_is_shown_what_was_found_and_what_is_missing(session: Session) -> None:
    hands = Hands("bad", "p99 is 2 s", "The disk is full")
    replies = [
        analysed("direct", iterations=2), judged(0.1, missing="the cost"), PLAN, "It is the disk.", judged(0.9),
    ]  # fmt: skip
    outcome = await loop_of(session, hands, replies).run(QUERY)

    assert outcome.text == "It is the disk."
    assert hands.asked[1].startswith("Measure the API\n\n<context")
    assert "the cost" in hands.asked[1]
    assert hands.asked[2].startswith("Read the logs\n\n<context")
    assert "p99 is 2 s" in hands.asked[2]
    assert "# Research Progress Context" not in hands.asked[2]


async def test_light_planning_takes_as_many_steps_as_the_analysis_expects(session: Session) -> None:
    hands = Hands("p99 is 2 s")
    outcome = await loop_of(session, hands, [analysed("light_planning", iterations=1), PLAN, judged(0.9)]).run(QUERY)

    assert outcome.text == "p99 is 2 s"
    assert len(hands.asked) == 1


@pytest.mark.parametrize("strategy", ["light_planning", "deep_reasoning"])
async def test_without_parts_a_plan_is_the_question_itself(session: Session, strategy: Strategy) -> None:
    config = ReasoningConfig(force_strategy=strategy, min_subtasks=0)
    hands = Hands("The disk.")
    loop = loop_of(session, hands, ["Nothing to plan.", judged(0.9)], config=config)
    outcome = await loop.run(QUERY)

    assert outcome.text == "The disk."
    assert [text.partition("\n")[0] for text in hands.asked] == [QUERY]
    assert (repr(loop), loop.can_reason) == ("AdaptiveReasoningLoop('s')", True)


async def test_a_deep_step_carries_the_whole_progress_and_what_is_missing_becomes_a_step(session: Session) -> None:
    hands = Hands("p99 is 2 s", "Two dollars", "The disk")
    more = f"{INCOMPLETE}\n**Additional Queries Needed:**\n1. What does a disk cost?\n2. read the logs"
    replies = [analysed("deep_reasoning"), PLAN, more, INCOMPLETE, INCOMPLETE, "All of it.", judged(0.9)]
    outcome = await loop_of(session, hands, replies).run(QUERY)
    tracker = await session.research.get(outcome.research_id or "")

    assert outcome.text == "All of it."
    assert tracker.plan is not None
    assert [(step.id, step.description, step.spawned_from) for step in tracker.plan.steps] == [
        ("step_0", "Measure the API", None),
        ("step_dynamic_1_0", "What does a disk cost?", "step_0"),
        ("step_1", "Read the logs", None),
    ]
    assert all("# Research Progress Context" in text for text in hands.asked)
    assert hands.asked[1].startswith("What does a disk cost?")
    assert "p99 is 2 s" in hands.asked[1]


async def test_a_deep_step_stays_small_however_much_was_found(session: Session) -> None:
    hands = Hands(*("long " * 4_000 for _ in range(5)))
    parts = "\n".join(f"{number}. Look at part number {number}" for number in range(1, 6))
    replies = [analysed("deep_reasoning"), parts, *[INCOMPLETE] * 5, "1, 2", "Done.", judged(0.9)]
    await loop_of(session, hands, replies, config=ReasoningConfig(max_iterations=5)).run(QUERY)

    assert max(map(len, hands.asked)) < MAX_PROGRESS + 500
    assert all(text.endswith("Address the quality feedback\n</context>") for text in hands.asked)


async def test_what_an_evaluation_between_steps_says_is_kept_and_asked_in_its_order(session: Session) -> None:
    thin = f"{INCOMPLETE}\n**Reasoning:** Thin.\n**Missing Aspects:**\n- the cost\n- the time"
    more = f"{thin}\n**Additional Queries Needed:**\n1. What does a disk cost?\n2. How long does that take?"
    replies = [analysed("deep_reasoning"), PLAN, more, COMPLETE, "Both.", judged(0.9)]
    outcome = await loop_of(session, Hands("p99 is 2 s", "Ten dollars"), replies).run(QUERY)
    tracker = await session.research.get(outcome.research_id or "")
    assert tracker.plan is not None

    assert [(step.description, step.status) for step in tracker.plan.steps] == [
        ("Measure the API", "completed"),
        ("What does a disk cost?", "completed"),
        ("How long does that take?", "pending"),
        ("Read the logs", "pending"),
    ]
    assert tracker.insights.knowledge_gaps == ("the cost", "the time")
    assert "Thin." in tracker.insights.quality_feedback


async def test_deep_reasoning_stops_when_the_results_are_complete(session: Session) -> None:
    hands = Hands("p99 is 2 s")
    outcome = await loop_of(session, hands, [analysed("deep_reasoning"), PLAN, COMPLETE, judged(0.9)]).run(QUERY)

    assert outcome.text == "p99 is 2 s"
    assert len(hands.asked) == 1


async def test_deep_reasoning_goes_on_after_incomplete(session: Session) -> None:
    hands = Hands("p99 is 2 s", "The disk")
    replies = [analysed("deep_reasoning"), PLAN, INCOMPLETE, COMPLETE, "Both.", judged(0.9)]
    await loop_of(session, hands, replies).run(QUERY)

    assert len(hands.asked) == 2


async def test_many_results_are_filtered_before_they_are_put_together(session: Session) -> None:
    parts = "\n".join(f"{n}. Look at part number {n}" for n in range(1, 6))
    chosen: list[ModelRequest] = []

    def put_together(request: ModelRequest) -> str:
        chosen.append(request)
        return "Done."

    replies: list[Reply] = [
        analysed("deep_reasoning"),
        parts,
        *[INCOMPLETE] * 5,
        "**Relevant Results:** 5, 2",
        put_together,
        judged(0.9),
    ]
    config = ReasoningConfig(max_iterations=5)
    await loop_of(session, Hands(*"abcde"), replies, config=config).run(QUERY)

    assert 'source="result 1">\ne\n' in chosen[0].messages[0].text
    assert 'source="result 2">\nb\n' in chosen[0].messages[0].text
    assert "result 3" not in chosen[0].messages[0].text


async def test_steps_that_light_planning_completed_are_not_done_again(session: Session) -> None:
    hands = Hands("p99 is 2 s", "The disk is full", "Ten dollars")
    replies = [
        analysed("light_planning"), PLAN, "Disk.", judged(0.5),
        "1. measure the API\n2. Ask for the price", COMPLETE, "Disk, ten dollars.", judged(0.9),
    ]  # fmt: skip
    outcome = await loop_of(session, hands, replies).run(QUERY)

    assert [text.split("\n")[0] for text in hands.asked] == ["Measure the API", "Read the logs", "Ask for the price"]
    assert outcome.text == "Disk, ten dollars."


async def test_deep_reasoning_does_something_even_if_every_part_is_done(session: Session) -> None:
    hands = Hands("p99 is 2 s", "Look closer: the disk")
    replies = [
        analysed("light_planning"), "1. Measure the API", judged(0.5), "1. Measure the API", "Both.", judged(0.9),
    ]  # fmt: skip
    outcome = await loop_of(session, hands, replies).run(QUERY)

    assert outcome.text == "Both."
    assert hands.asked[1].startswith(QUERY)


async def test_independent_steps_of_a_light_plan_may_run_side_by_side(session: Session) -> None:
    both = asyncio.Barrier(2)

    async def together(text: str) -> str:
        await both.wait()
        return text.partition("\n")[0]

    config = ReasoningConfig(parallel_execution=True)
    loop = loop_of(
        session, Hands(together, together), [analysed("light_planning"), PLAN, "Both.", judged(0.9)], config=config
    )
    outcome = await loop.run(QUERY)
    tracker = await session.research.get(outcome.research_id or "")

    assert outcome.text == "Both."
    assert tracker.findings() == ["Measure the API", "Read the logs"]


async def test_a_step_that_fails_side_by_side_fails_the_attempt_with_its_own_error(session: Session) -> None:
    config = ReasoningConfig(parallel_execution=True)
    hands = Hands(ModelUnavailableError("busy"), "found")
    with pytest.raises(ModelUnavailableError, match="busy"):
        await loop_of(session, hands, [analysed("light_planning"), PLAN], config=config).run(QUERY)


# --- tools


async def test_a_tool_that_ran_in_light_planning_is_not_run_again_in_deep_reasoning(session: Session) -> None:
    ran: list[str] = []

    async def with_tools(text: str) -> Executed:
        memory: ToolMemory = loop.tool_memory
        uses = []
        for name in ("search", "get_current_time"):
            known = memory.find(name, {"q": "api"})
            if known is None:
                ran.append(name)
                known = f"{name} {len(ran)}"
                await memory.note(name, {"q": "api"}, success=True, result=known, seconds=0.5)
            uses.append(ToolUse(name=name, arguments={"q": "api"}, result=known))
        return Executed(text=f"{text.partition(' ')[0]}: {uses[0].result}", tools=tuple(uses))

    replies = [
        analysed("light_planning"), "1. Measure", judged(0.5), "1. Calculate the price", COMPLETE, "Both.", judged(0.9),
    ]  # fmt: skip
    loop = loop_of(session, Hands(with_tools, with_tools), replies)
    outcome = await loop.run(QUERY)
    tracker = await session.research.get(outcome.research_id or "")

    assert ran == ["search", "get_current_time", "get_current_time"]
    assert [(run.tool_name, run.strategy, run.execution_time_ms) for run in tracker.tool_executions] == [
        ("search", "light_planning", 500.0),
        ("get_current_time", "light_planning", 500.0),
        ("get_current_time", "deep_reasoning", 500.0),
    ]
    assert tracker.plan is not None
    assert tracker.plan.steps[0].tools_used == ("search", "get_current_time")
    assert loop.tool_memory.find("search", {"q": "api"}) is None


async def test_a_model_that_repeats_a_call_in_one_talk_gets_a_new_result(session: Session) -> None:
    async def test_edit_test(text: str) -> str:
        memory = loop.tool_memory
        await memory.note("run_tests", {}, success=True, result="1 failed")
        assert memory.find("run_tests", {}) is None
        await memory.note("edit", {"file": "a"}, success=True, result="done", changes=True)
        return "edited"

    async def later(text: str) -> str:
        memory = loop.tool_memory
        assert memory.find("edit", {"file": "a"}) == "done"
        assert memory.find("run_tests", {}) is None
        await memory.note("run_tests", {}, success=True, result="passed")
        return "passed"

    async def at_last(text: str) -> str:
        assert loop.tool_memory.find("run_tests", {}) == "passed"
        return "still passed"

    replies = [analysed("direct"), judged(0.1), PLAN, "Fixed.", judged(0.9)]
    loop = loop_of(session, Hands(test_edit_test, later, at_last), replies)

    assert (await loop.run(QUERY)).text == "Fixed."


async def test_tools_that_nobody_noted_are_written_down_all_the_same(session: Session) -> None:
    uses = (
        ToolUse(name="search", arguments={"q": 1}, result="found", seconds=1.0),
        ToolUse(name="search", arguments={"q": 2}, success=False, result="no network"),
        ToolUse(name="search", arguments={"q": 2}, result="found later"),
    )
    loop = loop_of(session, Hands(Executed(text="Yes.", tools=uses)), [analysed("direct"), judged(0.9)])
    outcome = await loop.run(QUERY)
    tracker = await session.research.get(outcome.research_id or "")

    assert [(run.arguments, run.success, run.result or run.error) for run in tracker.tool_executions] == [
        ({"q": 1}, True, "found"), ({"q": 2}, False, "no network"), ({"q": 2}, True, "found later"),
    ]  # fmt: skip


async def test_without_a_research_nothing_is_remembered(session: Session) -> None:
    memory = loop_of(session, Hands()).tool_memory
    await memory.note("search", {}, success=True, result="found")

    assert memory.find("search", {}) is None
    assert session.head == 1


async def test_the_judge_sees_the_tools_of_this_question_and_no_others(session: Session) -> None:
    provider = ScriptedProvider([analysed("direct"), judged(0.9), analysed("direct"), judged(0.9)])
    first = Executed(text="a", tools=(ToolUse(name="old_tool", result="x"),))
    second = Executed(text="y" * 5_000, tools=(ToolUse(name="search", arguments={"q": "api"}, result="z" * 900),))
    loop = loop_of(session, Hands(first, second), provider=provider)
    await loop.run("first question")
    await loop.run("second question")
    shown = provider.requests[-1].messages[0].text

    assert "old_tool" not in shown
    assert 'search({"q": "api"})' in shown
    assert "z" * 300 in shown
    assert "z" * 301 not in shown
    assert "y" * 2_000 in shown
    assert "y" * 2_001 not in shown
