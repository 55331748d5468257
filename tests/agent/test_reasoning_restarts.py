"""Errors, cancels and restarts in the middle of a research, and going on after them."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from sojourn import Session, open_store
from sojourn.agent.gate import Waiting
from sojourn.agent.reasoning.callbacks import ReasoningCallbacks
from sojourn.agent.reasoning.loop import AdaptiveReasoningLoop
from sojourn.engine.session import SessionOptions
from sojourn.errors import ModelUnavailableError
from sojourn.model.events import Strategy
from sojourn.model.state import replay
from sojourn.providers.scripted import ScriptedProvider
from sojourn.testing import FakeClock
from tests.agent.reasoning_kit import COMPLETE, INCOMPLETE, PLAN, QUERY, Hands, analysed, judged, loop_of

pytestmark = pytest.mark.anyio


@pytest.fixture
async def session() -> AsyncIterator[Session]:
    async with open_store("memory:") as store:
        yield await Session.create(store, "s")


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


async def test_the_judge_sees_the_tools_that_ran_before_a_restart(session: Session) -> None:
    research = await session.research.start(QUERY)
    await research.start_attempt("direct")
    await research.log_tool_execution("search", {"q": "disk"}, success=True, result="full")
    await research.log_tool_execution("ping", {}, success=False, error="no route")
    provider = ScriptedProvider([judged(0.9)])
    await loop_of(session, Hands("The disk."), provider=provider).run(QUERY)
    shown = provider.requests[0].messages[0].text

    assert '- search({"q": "disk"}) -> full\n- ping({}) -> ERROR: no route' in shown


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
    address = tmp_path / "sessions.db"

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


KILLED = """
import asyncio, os, signal, sys
from sojourn import Session, open_store
from tests.agent.reasoning_kit import INCOMPLETE, PLAN, QUERY, Hands, analysed, loop_of

async def die(text):
    os.kill(os.getpid(), signal.SIGKILL)

async def main():
    async with open_store(sys.argv[1]) as store:
        session = await Session.create(store, "s")
        await loop_of(session, Hands("p99 is 2 s", die), [analysed("deep_reasoning"), PLAN, INCOMPLETE]).run(QUERY)

asyncio.run(main())
"""


async def test_a_research_whose_process_was_killed_is_gone_on_with_by_the_next(tmp_path: Path) -> None:
    address = tmp_path / "sessions.db"
    root = Path(__file__).parents[2]
    process = await anyio.run_process([sys.executable, "-c", KILLED, str(address)], check=False, cwd=root)
    assert process.returncode == -signal.SIGKILL, process.stderr.decode()

    async with open_store(address) as store:
        session = await Session.open(store, "s")
        hands = Hands("The disk is full")
        outcome = await loop_of(session, hands, [PLAN, COMPLETE, "The disk.", judged(0.8)]).run(QUERY)
        tracker = await session.research.get(outcome.research_id or "")

    assert [text.partition("\n")[0] for text in hands.asked] == ["Read the logs"]
    assert "p99 is 2 s" in hands.asked[0]
    assert [(one.strategy, one.status) for one in tracker.attempts] == [
        ("deep_reasoning", "failed"), ("deep_reasoning", "completed"),
    ]  # fmt: skip
    assert tracker.findings() == ["p99 is 2 s", "The disk is full"]


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
