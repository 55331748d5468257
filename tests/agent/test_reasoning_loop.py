"""The reasoning loop: answers are judged, tried harder, and only the one that is given leaves it."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sojourn import Session, events, open_store
from sojourn.agent.batch import ToolMemory
from sojourn.agent.gate import Waiting
from sojourn.agent.reasoning.callbacks import ReasoningCallbacks
from sojourn.agent.reasoning.config import ReasoningConfig
from sojourn.agent.reasoning.execution import Executed, ToolUse
from sojourn.agent.reasoning.loop import AdaptiveReasoningLoop, ReasoningOutcome
from sojourn.agent.reasoning.strategies import MAX_PROGRESS
from sojourn.agent.reasoning.thresholds import ReasoningRun, run_of
from sojourn.context.budget import Limits
from sojourn.context.models import ModelCatalog, ModelInfo
from sojourn.engine.session import SessionOptions
from sojourn.errors import BudgetExceededError, InvalidInputError, LockedError, ModelError, ModelUnavailableError
from sojourn.model.events import Strategy
from sojourn.model.reasoning import ComplexityAnalysis
from sojourn.model.state import replay
from sojourn.model.usage import Usage
from sojourn.providers.protocol import ModelRequest
from sojourn.providers.scripted import Reply, ScriptedProvider
from sojourn.testing import FakeClock

pytestmark = pytest.mark.anyio

QUERY = "Why is the API slow, and what would it cost to fix?"
PLAN = "1. [HIGH PRIORITY] Measure the API\n2. [HIGH PRIORITY] Read the logs"
INCOMPLETE = "**Completeness Assessment:** INCOMPLETE\n**Confidence Score:** 0.4"
COMPLETE = "**Completeness Assessment:** COMPLETE\n**Confidence Score:** 0.9"


@pytest.fixture
async def session() -> AsyncIterator[Session]:
    async with open_store("memory:") as store:
        yield await Session.create(store, "s")


def judged(score: float, word: str = "SUFFICIENT", missing: str = "None") -> str:
    return (
        f"**Quality Assessment:** {word}\n**Confidence Score:** {score}\n**Reasoning:** So so.\n"
        f"**Missing Aspects:**\n- {missing}"
    )


def analysed(strategy: Strategy, *, iterations: int = 2) -> str:
    return (
        f"**Complexity Level:** COMPLEX\n**Recommended Strategy:** {strategy}\n**Estimated Iterations:** {iterations}"
    )


class Hands:
    """Stands for the agent: answers what it is asked in turn, and says which tools it used."""

    def __init__(self, *answers: str | Executed | BaseException | Callable[[str], Any]) -> None:
        self.asked: list[str] = []
        self._answers = list(answers)

    async def __call__(self, text: str) -> Executed:
        self.asked.append(text)
        answer = self._answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        if callable(answer):
            answer = await answer(text)
        return answer if isinstance(answer, Executed) else Executed(text=answer)


def loop_of(
    session: Session,
    hands: Hands,
    replies: Sequence[Reply] = (),
    *,
    enabled: bool = True,
    config: ReasoningConfig | None = None,
    **options: Any,
) -> AdaptiveReasoningLoop:
    callbacks = ReasoningCallbacks(is_reasoning_enabled=lambda: enabled)
    provider = options.pop("provider", None) or ScriptedProvider(replies)
    return AdaptiveReasoningLoop.of(session, hands, provider, config=config, callbacks=callbacks, **options)


class Recorder:
    """Listens to everything, with plain and async callbacks in turn."""

    NAMES = tuple(name for name in ReasoningCallbacks.__dataclass_fields__ if name.startswith("on_"))

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        listening: dict[str, Any] = {name: self._plain(name) for name in self.NAMES[::2]}
        listening |= {name: self._async(name) for name in self.NAMES[1::2]}
        self.callbacks = ReasoningCallbacks(**listening)

    def _plain(self, name: str) -> Callable[..., None]:
        return lambda *arguments: self.calls.append((name, *arguments))

    def _async(self, name: str) -> Callable[..., Any]:
        async def record(*arguments: Any) -> None:
            await asyncio.sleep(0)
            self.calls.append((name, *arguments))

        return record

    def names(self) -> list[str]:
        return [str(call[0]) for call in self.calls]

    def of(self, name: str) -> list[tuple[Any, ...]]:
        return [call[1:] for call in self.calls if call[0] == name]


# --- escalation


async def test_answers_that_are_not_good_enough_are_tried_harder_up_to_deep_reasoning(session: Session) -> None:
    hands = Hands("The disk.", "It is the disk, measured.", "Measured again.", "Logged.")
    replies = [
        analysed("direct", iterations=1),
        judged(0.5), "1. Measure the API", judged(0.65), PLAN, INCOMPLETE, "It is the disk; 100 dollars.", judged(0.4),
    ]  # fmt: skip
    recorder = Recorder()
    outcome = await loop_of(session, hands, replies).run(QUERY, callbacks=recorder.callbacks)

    assert outcome == ReasoningOutcome(
        text="It is the disk; 100 dollars.",
        strategy="deep_reasoning",
        attempts=3,
        quality=0.4,
        escalated=True,
        research_id=outcome.research_id,
    )
    tracker = await session.research.get(outcome.research_id or "")
    assert [(one.strategy, one.status, one.quality_score) for one in tracker.attempts] == [
        ("direct", "escalated", 0.5), ("light_planning", "escalated", 0.65), ("deep_reasoning", "escalated", 0.4),
    ]  # fmt: skip
    assert recorder.of("on_auto_escalation") == [
        ("direct", "light_planning", "So so.", 0.5), ("light_planning", "deep_reasoning", "So so.", 0.65),
    ]  # fmt: skip
    assert session.state == replay(await session.store.read("s"))


async def test_the_callbacks_come_in_their_order(session: Session) -> None:
    hands = Hands("The disk.", "Measured.")
    replies = [analysed("direct"), judged(0.5), "1. Measure the API", judged(0.8)]
    recorder = Recorder()
    await loop_of(session, hands, replies).run(QUERY, callbacks=recorder.callbacks)

    assert recorder.names() == [
        "on_analysis_start", "on_analysis_complete",
        "on_strategy_selected", "on_direct_execution", "on_response_for_judgment", "on_quality_check_start",
        "on_quality_check_complete", "on_auto_escalation",
        "on_strategy_selected", "on_light_planning", "on_planning", "on_planning_complete", "on_iteration",
        "on_step_progress", "on_step_progress", "on_response_for_judgment", "on_quality_check_start",
        "on_quality_check_complete",
        "on_stream_chunk", "on_stream_complete", "on_final_response", "on_tracker_complete",
    ]  # fmt: skip
    assert recorder.of("on_final_response") == [("light_planning", 2, 0.8, True)]
    assert recorder.of("on_iteration") == [(1, 1, "Measure the API")]
    assert [status for _, status, _ in recorder.of("on_step_progress")] == ["in_progress", "completed"]
    ((tracker, query),) = recorder.of("on_tracker_complete")
    assert (tracker.response, query) == ("Measured.", QUERY)


async def test_only_the_answer_that_is_given_is_streamed_in_small_pieces(session: Session) -> None:
    answer = "x" * 45
    recorder = Recorder()
    loop = loop_of(session, Hands("bad", answer), [analysed("direct"), judged(0.1), "1. Look", judged(0.9)])
    await loop.run(QUERY, callbacks=recorder.callbacks)

    assert recorder.of("on_stream_chunk") == [("x" * 20,), ("x" * 20,), ("x" * 5,)]


async def test_without_streaming_nobody_gets_pieces(session: Session) -> None:
    recorder = Recorder()
    loop = loop_of(session, Hands("The disk."), [analysed("direct"), judged(0.9)])
    await loop.run(QUERY, callbacks=recorder.callbacks, use_streaming=False)

    assert not recorder.of("on_stream_chunk")
    assert not recorder.of("on_stream_complete")


async def test_nothing_that_was_tried_enters_the_conversation(session: Session) -> None:
    await session.messages.user(QUERY)
    await loop_of(session, Hands("bad", "good"), [analysed("direct"), judged(0.1), "1. Look", judged(0.9)]).run(QUERY)

    assert [entry.event.message.text async for entry in session.messages.all()] == [QUERY]  # type: ignore[union-attr]


async def test_an_answer_at_the_gate_of_light_planning_is_given_and_one_below_it_is_not(session: Session) -> None:
    light = ReasoningConfig(force_strategy="light_planning")
    at = await loop_of(session, Hands("a"), ["1. Look", judged(0.7)], config=light).run("at the gate")
    below = await loop_of(
        session, Hands("a", "b"), ["1. Look", judged(0.69), "1. Look at the logs", COMPLETE, "a and b", judged(0.5)],
        config=light,
    ).run("below the gate")  # fmt: skip

    assert (at.strategy, at.escalated) == ("light_planning", False)
    assert (below.strategy, below.escalated) == ("deep_reasoning", True)


async def test_gates_are_those_of_the_settings(session: Session) -> None:
    strict = ReasoningConfig().with_profile("strict")
    replies = [analysed("direct"), judged(0.75), "1. Look", judged(0.9)]
    outcome = await loop_of(session, Hands("a", "b"), replies, config=strict).run(QUERY)
    tracker = await session.research.get(outcome.research_id or "")

    assert [one.status for one in tracker.attempts] == ["escalated", "completed"]


# --- how a question begins


@pytest.mark.parametrize("enabled", [False, None])
async def test_without_reasoning_a_question_is_answered_directly_and_nobody_analyses_it(
    session: Session, enabled: bool | None
) -> None:
    provider = ScriptedProvider([judged(0.9)])
    callbacks = None if enabled is None else ReasoningCallbacks(is_reasoning_enabled=lambda: bool(enabled))
    recorder = Recorder()
    loop = AdaptiveReasoningLoop.of(session, Hands("Yes."), provider, callbacks=callbacks)
    outcome = await loop.run(QUERY, callbacks=recorder.callbacks)
    tracker = await session.research.get(outcome.research_id or "")

    assert (outcome.text, outcome.strategy, tracker.complexity.complexity_level) == ("Yes.", "direct", "simple")
    assert not recorder.of("on_analysis_start")


@pytest.mark.parametrize(
    ("chosen", "strategy"), [("light_planning", "light_planning"), (None, "direct"), ("luck", "direct")]
)
async def test_a_human_may_choose_another_strategy_than_the_analysis(
    session: Session, chosen: Any, strategy: Strategy
) -> None:
    shown: list[Strategy] = []

    async def choose(analysis: ComplexityAnalysis) -> Any:
        shown.append(analysis.recommended_strategy)
        return chosen

    plan = ["1. Look"] if strategy == "light_planning" else []
    loop = loop_of(session, Hands("Yes."), [analysed("direct"), *plan, judged(0.9)])
    outcome = await loop.run(QUERY, callbacks=ReasoningCallbacks(choose_strategy=choose))

    assert (outcome.strategy, shown) == (strategy, ["direct"])


async def test_a_forced_strategy_needs_no_analysis(session: Session) -> None:
    config = ReasoningConfig(force_strategy="deep_reasoning")
    loop = loop_of(session, Hands("Found."), ["1. Look", COMPLETE, judged(0.9)], config=config)
    outcome = await loop.run(QUERY)
    tracker = await session.research.get(outcome.research_id or "")

    assert (outcome.strategy, outcome.attempts, outcome.escalated) == ("deep_reasoning", 1, False)
    assert (tracker.complexity.complexity_level, tracker.complexity.confidence) == ("complex", 1.0)


@pytest.mark.parametrize("provider", [None, ScriptedProvider(takes_tools=False)])
async def test_without_a_capable_model_a_question_is_answered_directly_at_no_cost(
    session: Session, provider: ScriptedProvider | None
) -> None:
    callbacks = ReasoningCallbacks(is_reasoning_enabled=lambda: True)
    loop = AdaptiveReasoningLoop.of(session, Hands("Yes."), provider, callbacks=callbacks)
    outcome = await loop.run(QUERY)
    tracker = await session.research.get(outcome.research_id or "")

    assert (outcome.text, outcome.strategy, outcome.attempts, outcome.quality) == ("Yes.", "direct", 1, 0.5)
    assert "directly" in tracker.complexity.rationale
    assert provider is None or not provider.requests
    assert session.state.metadata.tokens_by_purpose == {}


async def test_inside_its_own_execution_the_loop_only_has_the_query_answered(session: Session) -> None:
    async def ask_again(text: str) -> str:
        return f"inner: {(await loop.run('inner question')).text}"

    hands = Hands(ask_again, "plain")
    loop = loop_of(session, hands, [analysed("direct"), judged(0.9)])
    outcome = await loop.run(QUERY)

    assert outcome.text == "inner: plain"
    assert len(session.research.history) == 1


async def test_a_second_question_meanwhile_is_refused(session: Session) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def wait(text: str) -> str:
        begun.set()
        await go_on.wait()
        return "done"

    loop = loop_of(session, Hands(wait), [analysed("direct"), judged(0.9)])
    first = asyncio.create_task(loop.run(QUERY))
    await begun.wait()
    with pytest.raises(LockedError, match="another question"):
        await loop.run("and this?")
    go_on.set()

    assert (await first).text == "done"


@pytest.mark.parametrize("query", ["", "  ", None])
async def test_an_empty_question_is_refused_and_writes_nothing(session: Session, query: Any) -> None:
    with pytest.raises(InvalidInputError, match="question"):
        await loop_of(session, Hands()).run(query)
    assert session.head == 1


async def test_a_very_long_question_is_executed_whole_and_kept_in_part(session: Session) -> None:
    hands = Hands("Yes.")
    await loop_of(session, hands, [analysed("direct"), judged(0.9)]).run("x" * 50_000)

    assert hands.asked == ["x" * 50_000]
    assert len(session.research.history[0].query) < 10_000


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


# --- what is left


async def test_what_the_steps_found_becomes_facts_once_the_answer_is_good(session: Session) -> None:
    asked = await session.messages.user(QUERY)
    hands = Hands("The p99 latency is 2 s", "The disk is full")
    replies = [analysed("light_planning"), PLAN, "The disk.", judged(0.9)]
    outcome = await loop_of(session, hands, replies).run(QUERY, causes=(asked.seq,))

    assert sorted((fact.content, fact.source, fact.status, fact.research_id) for fact in session.facts) == [
        ("The disk is full", "research", "active", outcome.research_id),
        ("The p99 latency is 2 s", "research", "active", outcome.research_id),
    ]
    header = session.research.history[0]
    assert (header.response_preview, header.steps_completed) == ("The disk.", 2)
    assert session.state.active_research is None


async def test_what_a_poor_answer_rests_on_is_a_candidate(session: Session) -> None:
    config = ReasoningConfig(force_strategy="deep_reasoning")
    loop = loop_of(session, Hands("Rumours"), ["1. Look", COMPLETE, judged(0.2)], config=config)
    await loop.run(QUERY)

    assert [fact.status for fact in session.facts] == ["candidate"]


async def test_forgetting_the_question_forgets_the_research(session: Session) -> None:
    asked = await session.messages.user(QUERY)
    await loop_of(session, Hands("a"), [analysed("direct"), judged(0.9)]).run(QUERY, causes=(asked.seq,))
    await session.forget("message", asked.seq)

    assert session.research.history == ()


async def test_blank_answers_are_no_answers(session: Session) -> None:
    hands = Hands(" ", "", "")
    replies = [analysed("direct"), "1. Look", "1. Look harder", COMPLETE]
    with pytest.raises(ModelError, match="no answer in 3 attempts"):
        await loop_of(session, hands, replies).run(QUERY)

    assert session.state.active_research is None


async def test_an_earlier_answer_is_given_if_the_last_is_blank(session: Session) -> None:
    hands = Hands("The disk, I guess.", "", "")
    replies = [analysed("direct"), judged(0.3), "1. Look", "1. Look harder", COMPLETE]

    assert (await loop_of(session, hands, replies).run(QUERY)).text == "The disk, I guess."


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


# --- errors, cancels and restarts


async def test_an_error_ends_the_attempt_as_failed_and_the_research_can_be_gone_on_with(session: Session) -> None:
    hands = Hands("p99 is 2 s", ModelUnavailableError("busy"))
    with pytest.raises(ModelUnavailableError):
        await loop_of(session, hands, [analysed("light_planning"), PLAN]).run(QUERY)
    research = await session.research.active()
    assert research is not None
    assert research.tracker.plan is not None

    assert [(one.status, one.outcome) for one in research.tracker.attempts] == [("failed", "Error occurred")]
    assert [step.status for step in research.tracker.plan.steps] == ["completed", "failed"]

    again = Hands("The disk is full")
    outcome = await loop_of(session, again, [PLAN, "The disk.", judged(0.9)]).run(QUERY)
    assert (outcome.text, outcome.attempts, outcome.escalated) == ("The disk.", 2, False)
    assert len(again.asked) == 1
    assert "p99 is 2 s" in again.asked[0]


async def test_a_cancel_ends_the_attempt_as_failed(session: Session) -> None:
    begun = asyncio.Event()

    async def forever(text: str) -> str:
        begun.set()
        await asyncio.Event().wait()
        return "never"

    task = asyncio.create_task(loop_of(session, Hands(forever), [analysed("direct")]).run(QUERY))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    research = await session.research.active()
    assert research is not None

    assert [(one.status, one.outcome) for one in research.tracker.attempts] == [("failed", "Cancelled")]


async def test_a_research_survives_a_restart_in_the_middle_and_goes_on(tmp_path: Path) -> None:
    address = f"sqlite:{tmp_path / 'sessions.db'}"

    async def die(text: str) -> str:
        async with open_store(address) as other:
            reopened = await Session.open(other, "s")
            research = await reopened.research.active()
            assert research is not None
            found.append(research.tracker)
        raise ModelUnavailableError("gone")

    found: list[Any] = []
    async with open_store(address) as store:
        session = await Session.create(store, "s")
        loop = loop_of(session, Hands("p99 is 2 s", die), [analysed("deep_reasoning"), PLAN, INCOMPLETE])
        with pytest.raises(ModelUnavailableError):
            await loop.run(QUERY)
    (tracker,) = found
    assert (tracker.query, tracker.current_strategy) == (QUERY, "deep_reasoning")
    assert [step.status for step in tracker.plan.steps] == ["completed", "in_progress"]
    assert tracker.findings() == ["p99 is 2 s"]

    async with open_store(address) as store:
        session = await Session.open(store, "s")
        hands = Hands("The disk is full")
        outcome = await loop_of(session, hands, [PLAN, COMPLETE, "The disk.", judged(0.8)]).run(QUERY)

        assert (outcome.text, outcome.strategy, outcome.attempts) == ("The disk.", "deep_reasoning", 2)
        assert [text.split("\n")[0] for text in hands.asked] == ["Read the logs"]
        assert session.state == replay(await session.store.read("s"))


@pytest.mark.parametrize(
    ("strategy", "score", "replies", "text", "answered_by"),
    [
        ("direct", 0.9, [], "old", "direct"),
        ("deep_reasoning", 0.2, [], "old", "deep_reasoning"),
        ("direct", 0.2, ["1. Look", judged(0.9)], "new", "light_planning"),
    ],
)
async def test_a_restart_between_two_attempts_goes_on_behind_the_last(
    session: Session, *, strategy: Strategy, score: float, replies: list[str], text: str, answered_by: str
) -> None:
    research = await session.research.start(QUERY)
    await research.start_attempt(strategy)
    await research.end_attempt("judged", response="old", quality_score=score)
    outcome = await loop_of(session, Hands("new"), replies).run(QUERY)

    assert (outcome.text, outcome.strategy) == (text, answered_by)
    assert outcome.research_id == research.research_id
    assert session.state.active_research is None


async def test_a_step_that_was_under_way_when_the_process_ended_is_done_again(session: Session) -> None:
    hands = Hands("p99 is 2 s")
    loop = loop_of(session, hands, ["1. Measure the API", judged(0.9)])
    research = await session.research.start(
        QUERY, {"recommended_strategy": "light_planning", "estimated_iterations": 2}
    )
    await research.start_attempt("light_planning")
    plan = await loop._components.planner.plan(QUERY, mode="light")
    await research.set_plan(plan, "light_planning")
    await research.update_step_status("step_0", "in_progress")
    loop = loop_of(session, hands, ["1. Measure the API", judged(0.9)])
    outcome = await loop.run(QUERY)

    assert (outcome.text, outcome.attempts) == ("p99 is 2 s", 2)


async def test_a_fresh_run_begins_anew(session: Session) -> None:
    with pytest.raises(ModelUnavailableError):
        await loop_of(session, Hands(ModelUnavailableError("busy")), [analysed("direct")]).run(QUERY)
    outcome = await loop_of(session, Hands("Yes."), [analysed("direct"), judged(0.9)]).run(QUERY, fresh=True)

    assert outcome.attempts == 1
    assert len(session.research.history) == 2


async def test_a_research_that_broke_off_long_ago_is_not_gone_on_with(clock: FakeClock) -> None:
    async with open_store("memory:", clock=clock) as store:
        session = await Session.create(store, "s", options=SessionOptions(clock=clock))
        for seconds, attempts in ((3600.0, 2), (3601.0, 1)):
            with pytest.raises(ModelUnavailableError):
                await loop_of(session, Hands(ModelUnavailableError("busy")), [analysed("direct")]).run(QUERY)
            clock.advance(seconds=seconds)
            replies = [judged(0.9)] if attempts == 2 else [analysed("direct"), judged(0.9)]
            outcome = await loop_of(session, Hands("Yes."), replies).run(QUERY)
            assert outcome.attempts == attempts


async def test_a_research_that_waits_for_a_human_is_gone_on_with_at_any_time(clock: FakeClock) -> None:
    async with open_store("memory:", clock=clock) as store:
        session = await Session.create(store, "s", options=SessionOptions(clock=clock))
        interrupt = await session.interrupts.raise_("confirmation", question="May I?")
        with pytest.raises(Waiting):
            await loop_of(session, Hands(Waiting(interrupt)), [analysed("direct")]).run(QUERY)
        clock.advance(seconds=100_000)
        outcome = await loop_of(session, Hands("Yes."), [judged(0.9)]).run(QUERY)
        tracker = await session.research.get(outcome.research_id or "")

    assert [(one.status, one.outcome) for one in tracker.attempts] == [
        ("failed", "Put aside until a human answers"), ("completed", "Quality sufficient"),
    ]  # fmt: skip


async def test_another_question_ends_the_research_before(session: Session) -> None:
    with pytest.raises(ModelUnavailableError):
        await loop_of(session, Hands(ModelUnavailableError("busy")), [analysed("direct")]).run("something else")
    outcome = await loop_of(session, Hands("Yes."), [analysed("direct"), judged(0.9)]).run(QUERY)

    assert [header.query for header in session.research.history] == ["something else", QUERY]
    assert outcome.attempts == 1


async def test_a_callback_that_fails_is_logged_and_stops_nothing(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("no display")

    callbacks = ReasoningCallbacks(on_strategy_selected=fail, is_reasoning_enabled=fail)  # type: ignore[arg-type]
    loop = AdaptiveReasoningLoop.of(session, Hands("Yes."), ScriptedProvider([judged(0.9)]), callbacks=callbacks)

    assert (await loop.run(QUERY)).text == "Yes."
    assert "on_strategy_selected" in caplog.text


# --- what it costs


async def test_what_reasoning_costs_is_recorded_under_its_purpose(session: Session) -> None:
    provider = ScriptedProvider(
        [analysed("direct"), judged(0.1), "1. Look", judged(0.9)],
        usage=Usage(model="m", input_tokens=100, output_tokens=10, cache_read_tokens=5),
    )
    models = ModelCatalog({"m": ModelInfo(input_price=1.0, output_price=5.0)})
    await session.messages.used(purpose="conversation", input_tokens=7, cost_micros=3)
    await loop_of(session, Hands("a", "b"), provider=provider, models=models).run(QUERY)

    assert session.state.metadata.cost_micros == {"conversation": 3, "reasoning": 4 * (100 + 50 + 5)}
    assert session.state.metadata.tokens_by_purpose == {"conversation": 7, "reasoning": 4 * 115}
    used = [entry.event for entry in await session.store.read("s") if isinstance(entry.event, events.UsageRecorded)]
    assert len(used) == 5


async def test_a_question_that_may_not_cost_more_is_stopped(session: Session) -> None:
    provider = ScriptedProvider([analysed("direct")], usage=Usage(model="m", input_tokens=1_200))
    loop = loop_of(session, Hands("a"), provider=provider, limits=Limits(run_tokens=2_000))
    with pytest.raises(BudgetExceededError, match="Run budget"):
        await loop.run(QUERY)
    research = await session.research.active()
    assert research is not None

    assert [one.status for one in research.tracker.attempts] == ["failed"]
    assert len(provider.requests) == 1


# --- whatever the models say


@settings(max_examples=60)
@given(
    scores=st.lists(st.floats(0, 1), min_size=3, max_size=3),
    texts=st.lists(st.sampled_from(["", PLAN, INCOMPLETE, COMPLETE, "1. Look\n2. Look", "\ud800", "**", "The disk"])),
    answers=st.lists(st.sampled_from(["The disk.", " ", "A guess \ud83d", "x" * 15_000]), min_size=1),
    strategy=st.sampled_from(["direct", "light_planning", "deep_reasoning"]),
)
def test_whatever_the_models_say_the_loop_ends_and_the_journal_tells_it(
    scores: list[float], texts: list[str], answers: list[str], strategy: Strategy
) -> None:
    said, told, given_scores = itertools.cycle(texts or ["?"]), itertools.cycle(answers), iter(scores)
    answered: list[str] = []

    def advise(request: ModelRequest) -> str:
        return judged(next(given_scores)) if "Quality Assessment" in request.system else next(said)

    async def answer(text: str) -> Executed:
        answered.append(next(told))
        return Executed(text=answered[-1], tools=(ToolUse(name="search", arguments={"q": len(text)}, result="found"),))

    async def run() -> None:
        async with open_store("memory:") as store:
            session = await Session.create(store, "s")
            config = ReasoningConfig(force_strategy=strategy)
            loop = AdaptiveReasoningLoop.of(session, answer, ScriptedProvider(otherwise=advise), config=config)
            try:
                outcome = await loop.run(QUERY)
            except ModelError:
                assert not any(one.strip() for one in answered)
            else:
                assert outcome.text.strip()
                assert 1 <= outcome.attempts <= 3
                tracker = await session.research.get(outcome.research_id or "")
                assert json.loads(json.dumps(tracker.to_dict()))["response"] == outcome.text
            assert session.state.active_research is None
            assert session.state == replay(await session.store.read("s", limit=1_000))

    asyncio.run(run())


async def test_how_a_question_went_is_read_from_its_research(session: Session) -> None:
    good = await loop_of(session, Hands("a"), [analysed("direct"), judged(0.9)]).run("first")
    poor = await loop_of(session, Hands("a", "b"), [analysed("direct"), judged(0.1), "1. Look", judged(0.7)]).run(
        "next"
    )
    runs = [run_of(await session.research.get(one.research_id or "")) for one in (good, poor)]

    assert [(run.quality, run.escalated) for run in runs] == [(0.9, False), (0.7, True)]
    assert all(run.seconds >= 0 for run in runs)
    research = await session.research.start("an open one")
    assert run_of(research.tracker) == ReasoningRun(quality=0.0, seconds=0.0)
