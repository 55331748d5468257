"""`session.research`: a research that is written as it goes on, survives a restart, and leaves what it found."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from sojourn import Session, events, open_store
from sojourn.engine.nouns.live_research import LiveResearch
from sojourn.errors import AccessError, InvalidInputError, NotFoundError
from sojourn.model.reasoning import ComplexityAnalysis, EvaluationResult, ResearchPlan, SubTask
from sojourn.model.state import replay
from sojourn.model.tracker import ResearchProgressTracker

pytestmark = pytest.mark.anyio

QUERY = "Why is the API slow?"
COMPLEX = ComplexityAnalysis(complexity_level="complex", recommended_strategy="deep_reasoning")


@pytest.fixture
async def session() -> AsyncIterator[Session]:
    async with open_store("memory:") as store:
        yield await Session.create(store, "s")


def plan(*queries: str) -> ResearchPlan:
    return ResearchPlan(original_query=QUERY, subtasks=tuple(SubTask(query=query) for query in queries))


async def investigated(session: Session, *, score: float | None = 0.8) -> LiveResearch:
    """Return a research with a plan of two steps, one of them done, and judged if there is a *score*."""
    research = await session.research.start(QUERY, COMPLEX)
    await research.start_attempt("light_planning")
    await research.set_plan(plan("Measure the API", "Read the logs"), "light_planning")
    await research.update_step_status("step_0", "in_progress")
    await research.update_step_status("step_0", "completed", ["The p99 latency is 2 s"], tools_used=["curl"])
    if score is not None:
        await research.end_attempt("Quality sufficient", response="The disk.", quality_score=score)
    return research


async def test_the_tracker_is_what_the_journal_says(session: Session) -> None:
    research = await investigated(session)
    reopened = await (await Session.open(session.store, "s")).research.active()
    assert reopened is not None

    assert reopened.tracker == research.tracker == await session.research.get(research.research_id)
    assert session.state == replay(await session.store.read("s"))


async def test_every_entry_of_a_research_derives_from_its_beginning(session: Session) -> None:
    asked = await session.messages.user(QUERY)
    research = await session.research.start(QUERY, causes=[asked.seq])
    await research.start_attempt("direct")
    await research.log_tool_execution("search", {}, success=True, result="found")
    entries = await session.store.read("s", after=asked.seq)

    assert [entry.causes for entry in entries] == [(asked.seq,), (entries[0].seq,), (entries[0].seq,)]


async def test_forgetting_the_question_forgets_the_research(session: Session) -> None:
    asked = await session.messages.user(QUERY)
    research = await session.research.start(QUERY, causes=[asked.seq])
    await research.start_attempt("direct")
    await session.store.redact("s", [asked.seq])
    await session.reload()

    assert session.state.active_research is None
    with pytest.raises(InvalidInputError, match="over"):
        await research.start_attempt("direct")


async def test_what_was_forgotten_in_between_leaves_the_tracker(session: Session) -> None:
    research = await session.research.start(QUERY)
    await research.add_insight("knowledge_gaps", "a secret")
    await session.store.redact("s", [session.head])
    await research.add_insight("knowledge_gaps", "the cost")

    assert research.tracker.insights.knowledge_gaps == ("the cost",)


async def test_two_workers_on_one_research_see_each_others_work(session: Session) -> None:
    one = await session.research.start(QUERY)
    other = await (await Session.open(session.store, "s")).research.active()
    assert other is not None
    await one.start_attempt("direct")
    await session.messages.user("something in between")
    await other.log_tool_execution("search", {"q": 1}, success=True, result="found")
    await one.refresh()

    assert one.tracker == other.tracker
    assert one.should_execute_tool("search", {"q": 1}) == (False, "found")


async def test_tools_that_run_side_by_side_are_each_logged_once(session: Session) -> None:
    research = await session.research.start(QUERY)
    await asyncio.gather(
        *(research.log_tool_execution("search", {"q": n}, success=True, result=str(n)) for n in range(20)),
        *(session.messages.user("meanwhile") for _ in range(20)),
    )

    assert sorted(run.result or "" for run in research.tracker.tool_executions) == sorted(map(str, range(20)))
    assert research.tracker == await session.research.get(research.research_id)


@pytest.mark.parametrize(
    ("strategy", "score", "status"),
    [
        ("direct", 0.6, "completed"),
        ("direct", 0.59, "escalated"),
        ("light_planning", 0.65, "escalated"),
        ("light_planning", 0.7, "completed"),
        ("deep_reasoning", 0.5, "completed"),
        ("deep_reasoning", None, "escalated"),
    ],
)
async def test_an_attempt_is_judged_by_the_gate_of_its_own_strategy(
    session: Session, strategy: events.Strategy, score: float | None, status: str
) -> None:
    research = await session.research.start(QUERY)
    await research.start_attempt(strategy)
    attempt = await research.end_attempt("judged", quality_score=score)

    assert attempt is not None
    assert attempt.status == status


async def test_an_insight_and_an_evaluation_that_say_nothing_new_write_nothing(session: Session) -> None:
    research = await session.research.start(QUERY)
    await research.add_insight("knowledge_gaps", "cost")
    head = session.head
    await research.add_insight("knowledge_gaps", "cost")
    await research.add_evaluation(EvaluationResult(is_complete=False, missing_aspects=("cost", " ")))

    assert session.head == head
    assert repr(research) == f"LiveResearch({research.research_id!r})"


async def test_ending_no_attempt_writes_nothing(session: Session) -> None:
    research = await session.research.start(QUERY)
    head = session.head

    assert await research.end_attempt("Quality sufficient", quality_score=1.0) is None
    assert session.head == head


async def test_an_error_fails_the_attempt_and_a_new_one_fails_the_one_before(session: Session) -> None:
    research = await session.research.start(QUERY)
    await research.start_attempt("direct")
    await research.end_attempt("Error occurred", status="failed")
    await research.start_attempt("light_planning")
    await research.start_attempt("deep_reasoning")

    assert [attempt.status for attempt in research.tracker.attempts] == ["failed", "failed", "in_progress"]


async def test_an_evaluation_feeds_the_insights(session: Session) -> None:
    verdict = EvaluationResult(
        is_complete=False, reasoning="Too thin", missing_aspects=("cost",), additional_queries=("What cost?",)
    )
    research = await session.research.start(QUERY)
    await research.start_attempt("direct")
    await research.end_attempt("Escalated due to low quality", evaluation=verdict, quality_score=0.3)
    await research.add_evaluation(verdict)
    active = session.state.active_research
    assert active is not None

    assert research.tracker.attempts[0].evaluation == verdict
    assert research.tracker.insights.knowledge_gaps == active.insights["knowledge_gaps"] == ("cost",)
    assert research.tracker.insights.recommended_improvements == ("What cost?",)


async def test_a_plan_is_refined_and_grows(session: Session) -> None:
    research = await investigated(session, score=None)
    skeleton = await research.set_plan(plan("1. measure the API", "Ask the team"), "deep_reasoning")
    more = await research.add_dynamic_step("Look at the disk", after="step_0", iteration=1)

    assert (skeleton.revision_count, skeleton.created_by, skeleton.query) == (1, "light_planning", QUERY)
    assert [(step.id, step.status) for step in skeleton.steps] == [
        ("step_0", "completed"), ("step_1", "skipped"), ("step_2", "pending"),
    ]  # fmt: skip
    assert (more.id, more.spawned_from) == ("step_dynamic_1_0", "step_0")
    assert research.tracker.plan is not None
    assert [step.id for step in research.tracker.plan.steps] == ["step_0", "step_dynamic_1_0", "step_1", "step_2"]
    active = session.state.active_research
    assert active is not None
    assert [step.id for step in active.steps] == [step.id for step in research.tracker.plan.steps]


async def test_moving_a_step_that_is_not_there_writes_nothing(session: Session) -> None:
    research = await session.research.start(QUERY)
    assert await research.update_step_status("step_0", "completed") is None
    await research.set_plan(plan("Look"), "light_planning")
    head = session.head

    assert await research.update_step_status("step_9", "completed") is None
    assert session.head == head


async def test_ending_leaves_facts_a_header_and_nothing_active(session: Session) -> None:
    research = await investigated(session)
    header = await session.research.end("The disk is slow.")
    fact = session.facts.search("latency")[0]
    found_in = await session.store.read("s", after=fact.evidence[0] - 1, limit=1)

    assert (fact.content, fact.source, fact.confidence) == ("The p99 latency is 2 s", "research", 0.9)
    assert (fact.research_id, fact.status) == (research.research_id, "active")
    assert isinstance(found_in[0].event, events.StepUpdated)
    assert header is not None
    assert (header.steps_completed, header.steps, header.attempts) == (1, 2, 1)
    assert header.confirmed_facts == ("The p99 latency is 2 s",)
    assert session.state.active_research is None
    assert session.research.history == (header,)


async def test_ending_nothing_does_nothing(session: Session) -> None:
    assert await session.research.end("done") is None
    assert await session.research.active() is None
    assert session.head == 1


@pytest.mark.parametrize(
    ("score", "response", "status"),
    [(0.2, "The disk.", "candidate"), (None, None, "candidate"), (None, "The disk.", "active")],
)
async def test_findings_that_nobody_found_good_enough_are_candidates(
    session: Session, score: float | None, response: str | None, status: str
) -> None:
    await investigated(session, score=score)
    await session.research.end(response)

    assert [fact.status for fact in session.facts] == [status]


async def test_a_finding_that_is_known_reinforces_the_fact(session: Session) -> None:
    known = await session.facts.learn("The p99 latency is 2 s", confidence=0.5)
    await investigated(session)
    await session.research.end()

    assert [(fact.fact_id, fact.sources) for fact in session.facts] == [(known.fact_id, ("conversation", "research"))]
    assert session.facts.get(known.fact_id).research_id is not None


async def test_a_finding_too_long_for_a_fact_is_cut(session: Session) -> None:
    research = await session.research.start(QUERY)
    await research.set_plan(plan("Look"), "light_planning")
    await research.update_step_status("step_0", "completed", "x" * 50_000)
    await session.research.end("done")

    assert [len(fact.content) < 10_000 for fact in session.facts] == [True]


async def test_a_new_research_ends_the_one_before(session: Session) -> None:
    first = await investigated(session, score=None)
    second = await session.research.start("What does it cost?")

    assert [header.research_id for header in session.research.history] == [first.research_id]
    assert session.state.active_research is not None
    assert session.state.active_research.research_id == second.research_id
    with pytest.raises(InvalidInputError, match="over"):
        await first.start_attempt("direct")


async def test_the_same_question_twice_is_two_researches(session: Session) -> None:
    first = await investigated(session)
    await session.research.end("The disk.")
    second = await session.research.start(QUERY)
    await session.research.end("The network.")

    assert first.research_id.startswith("query_")
    assert len(first.research_id) == len("query_") + 16
    assert second.research_id.startswith(f"{first.research_id}_")
    assert (await session.research.get(first.research_id)).response == "The disk."
    assert (await session.research.get(second.research_id)).response == "The network."


async def test_a_research_that_left_the_state_is_found_in_the_journal(session: Session) -> None:
    first = await session.research.start(QUERY)
    for number in range(12):
        await session.research.start(f"question {number}")
    again = await session.research.start(QUERY)

    assert all(header.research_id != first.research_id for header in session.research.history)
    assert (await session.research.get(first.research_id)).seq == first.tracker.seq
    assert again.research_id != first.research_id


async def test_a_research_is_exported_as_json(session: Session, tmp_path: Path) -> None:
    research = await investigated(session)
    path = await session.research.export_to_json(tmp_path / "research.json")

    assert ResearchProgressTracker.from_dict(json.loads(path.read_text())) == research.tracker
    with pytest.raises(AccessError):
        await session.research.export_to_json(tmp_path / "no" / "such" / "folder.json")
    await session.research.end()
    with pytest.raises(NotFoundError, match="no research"):
        await session.research.export_to_json(path)
    assert await session.research.export_to_json(path, research.research_id) == path


async def test_the_state_stays_small_however_much_a_research_finds(session: Session) -> None:
    research = await session.research.start(QUERY)
    await research.set_plan(plan("Look"), "light_planning")
    for number in range(40):
        await research.update_step_status("step_0", "in_progress", f"{number} {'x' * 20_000}")
        await research.log_tool_execution("search", {"q": number}, success=True, result="y" * 20_000)
        await research.add_insight("partial_findings", f"{number} {'z' * 5_000}")

    assert len(json.dumps(session.state.to_dict())) < 150_000
    assert len(research.tracker.tool_executions) == 40


MISTAKES: list[tuple[str, Callable[[Session, LiveResearch], Awaitable[Any]]]] = [
    ("question", lambda session, _: session.research.start("")),
    ("characters", lambda session, _: session.research.start("x" * 1_000_000)),
    ("complexity", lambda session, _: session.research.start("x", {"complexity_level": "hard"})),
    ("complexity", lambda session, _: session.research.start("x", 7)),  # type: ignore[arg-type]  # on purpose
    ("strategy", lambda _, research: research.start_attempt("luck")),  # type: ignore[arg-type]  # on purpose
    ("from 0 to 1", lambda _, research: research.end_attempt("good", quality_score=7)),
    ("step", lambda _, research: research.set_plan(plan(""), "direct")),
    ("50", lambda _, research: research.set_plan(plan(*(f"part {n}" for n in range(51))), "direct")),
    ("plan", lambda _, research: research.add_dynamic_step("Look")),
    ("status", lambda _, research: research.update_step_status("step_0", "done")),  # type: ignore[arg-type]  # on purpose
    ("kind", lambda _, research: research.add_insight("rumours", "x")),  # type: ignore[arg-type]  # on purpose
    ("name", lambda _, research: research.log_tool_execution("", {}, success=True)),
    ("object", lambda _, research: research.log_tool_execution("search", {"q": object()}, success=True)),
    (
        "execution_time_ms",
        lambda _, research: research.log_tool_execution("search", {}, success=True, execution_time_ms=-1.0),
    ),
]


@pytest.mark.parametrize(("word", "mistake"), MISTAKES)
async def test_what_cannot_be_used_is_refused_in_a_sentence(
    session: Session, word: str, mistake: Callable[[Session, LiveResearch], Awaitable[Any]]
) -> None:
    research = await session.research.start(QUERY)
    await research.start_attempt("direct")
    head = session.head

    with pytest.raises(InvalidInputError, match=word):
        await mistake(session, research)
    assert session.head == head


async def test_a_research_that_never_was_is_not_found(session: Session) -> None:
    with pytest.raises(NotFoundError, match="query_x"):
        await session.research.get("query_x")
