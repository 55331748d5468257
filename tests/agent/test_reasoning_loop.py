"""The reasoning loop: answers are judged, tried harder, and only the one that is given leaves it."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sojourn import Session, events, open_store
from sojourn.agent.reasoning.callbacks import ReasoningCallbacks
from sojourn.agent.reasoning.config import ReasoningConfig
from sojourn.agent.reasoning.execution import Executed, ToolUse
from sojourn.agent.reasoning.loop import AdaptiveReasoningLoop, ReasoningOutcome
from sojourn.agent.reasoning.thresholds import ReasoningRun, run_of
from sojourn.context.budget import Limits
from sojourn.context.models import ModelCatalog, ModelInfo
from sojourn.errors import BudgetExceededError, InvalidInputError, LockedError, ModelError
from sojourn.model.events import Strategy
from sojourn.model.reasoning import ComplexityAnalysis
from sojourn.model.state import replay
from sojourn.model.usage import Usage
from sojourn.providers.protocol import ModelRequest
from sojourn.providers.scripted import ScriptedProvider
from tests.agent.reasoning_kit import COMPLETE, INCOMPLETE, PLAN, QUERY, Hands, Recorder, analysed, judged, loop_of

pytestmark = pytest.mark.anyio


@pytest.fixture
async def session() -> AsyncIterator[Session]:
    async with open_store("memory:") as store:
        yield await Session.create(store, "s")


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
