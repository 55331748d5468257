"""Compacting when something comes between: failures, crashes, others who write, and budgets."""

import asyncio
import contextlib
import random
from pathlib import Path

import pytest

from sojourn import Session, open_store
from sojourn.context.budget import Limits
from sojourn.context.compaction.extractive import ExtractiveSummariser
from sojourn.engine.budgeting import SessionBudget
from sojourn.engine.compacting import ContextCompactor
from sojourn.engine.compaction import CompactionSettings
from sojourn.errors import ConflictError, InvalidInputError, LeaseLostError, LockedError, ModelError, NotFoundError
from sojourn.model.events import (
    MessageAdded,
)
from sojourn.model.message import ToolCall
from sojourn.model.usage import Usage
from sojourn.testing.clock import FakeClock
from tests.engine.written_summaries import SMALL, Writing, talk

pytestmark = pytest.mark.anyio


def ignored(what: str, error: Exception) -> None:
    """Say nothing about a failure that the test wants."""


async def test_a_summariser_that_fails_changes_nothing_but_what_was_paid() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 30, chars=400)
        before = session.state
        failures: list[str] = []
        compactor = ContextCompactor(
            session,
            Writing(fails=ModelError("no answer")),
            settings=SMALL,
            on_failure=lambda what, error: failures.append(f"{what}: {error}"),
        )

        done = await compactor.compact()

        assert not done.compacted
        assert "no answer" in done.reason
        assert len(failures) == 1
        assert session.state == before
        async with session.turn():
            await session.messages.user("the turn is free again")


async def test_an_answer_that_cannot_be_used_was_paid_all_the_same() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 30, chars=400)
        before = session.state
        writing = Writing("  ", usage=Usage(model="m", input_tokens=100, output_tokens=7))

        done = await ContextCompactor(session, writing, settings=SMALL).compact()

        assert done.reason == "the summariser gave no summary"
        assert session.state.conversation == before.conversation
        assert session.state.working_set.summary == ""
        assert session.state.metadata.tokens_by_purpose == {"summarisation": 107}


async def test_a_fallback_writes_if_the_first_cannot() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 30, chars=400)
        compactor = ContextCompactor(
            session,
            Writing(fails=ModelError("no answer")),
            settings=SMALL,
            fallback=ExtractiveSummariser(),
            on_failure=ignored,
        )

        done = await compactor.compact()

        assert done.compacted
        assert "Message 0 says something." in done.summary


async def test_a_summary_that_would_be_no_shorter_is_not_used() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.messages.system("Rule. " * 700)
        await talk(session, 4, chars=40)
        await session.messages.user("x" * 2_000)
        writing = Writing("y" * 400)

        done = await ContextCompactor(session, writing, settings=SMALL).compact()

        assert done.reason == "a summary would be no shorter"
        assert session.state.working_set.summary == ""


async def test_a_crash_in_the_middle_leaves_the_session_as_it_was(tmp_path: Path) -> None:
    async with open_store(tmp_path / "s.db") as store:
        session = await Session.create(store, "s")
        await talk(session, 30, chars=400)
        before = session.state
        writing = Writing()
        writing.hold()

        task = asyncio.create_task(ContextCompactor(session, writing, settings=SMALL).compact())
        await writing.asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        assert session.state == before
        assert (await Session.open(store, "s")).state == before
        async with session.turn():
            await session.messages.user("the turn is free again")


async def test_what_others_append_meanwhile_is_kept() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 30, chars=400)
        other = await Session.open(store, "s")
        writing = Writing()
        writing.hold()

        task = asyncio.create_task(ContextCompactor(session, writing, settings=SMALL).compact())
        await writing.asked.wait()
        await other.messages.user("one more thing")
        await other.facts.learn("The sky is blue.")
        writing.may_answer.set()
        done = await task

        assert done.compacted
        window = [entry for entry in await session.messages.last(40) if entry.seq > (done.through or 0)]
        assert session.state.conversation.window_messages == len(window)
        last = window[-1].event
        assert isinstance(last, MessageAdded)
        assert last.message.text == "one more thing"
        assert len(session.facts) == 1


async def test_a_summary_that_another_overtook_is_dropped() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 30, chars=400)
        other = await Session.open(store, "s")
        writing = Writing(usage=Usage(input_tokens=9))
        writing.hold()

        task = asyncio.create_task(ContextCompactor(session, writing, settings=SMALL).compact())
        await writing.asked.wait()
        await other.working_set.summarise("What somebody else wrote.")
        writing.may_answer.set()
        done = await task

        assert done.reason == "another summary came first"
        assert session.state.working_set.summary == "What somebody else wrote."
        assert session.state.conversation.compactions == 0
        assert session.state.metadata.tokens_by_purpose == {"summarisation": 9}


async def test_what_is_forgotten_meanwhile_comes_back_in_no_summary() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 30, chars=400)
        seq = [entry.seq async for entry in session.messages.all()][2]
        writing = Writing("Message 2 says something.")
        writing.hold()

        task = asyncio.create_task(ContextCompactor(session, writing, settings=SMALL).compact())
        await writing.asked.wait()
        await (await Session.open(store, "s")).forget("message", seq)
        writing.may_answer.set()
        done = await task

        assert done.reason == "something was forgotten meanwhile"
        assert session.state.working_set.summary == ""


async def test_forgetting_a_summarised_message_forgets_the_summary_and_shows_the_others_again() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 30, chars=400)
        seq = [entry.seq async for entry in session.messages.all()][2]
        compactor = ContextCompactor(session, Writing("Message 2 says something.", "More."), settings=SMALL)
        await compactor.compact()
        await talk(session, 30, chars=400, first=30)
        await compactor.compact()
        await compactor.undo()

        await session.forget("message", seq)

        assert session.state.working_set.summary == ""
        assert session.state.conversation.window_start == 0
        assert session.state.conversation.window_messages == 59
        with pytest.raises(NotFoundError):
            await compactor.undo()


async def test_it_is_refused_while_another_turn_runs() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 30, chars=400)
        other = await Session.open(store, "s")
        before = session.state
        async with other.turn():
            with pytest.raises(LockedError):
                await ContextCompactor(session, settings=SMALL).compact()
            with pytest.raises(LockedError):
                await ContextCompactor(other, settings=SMALL).compact()
            with pytest.raises(LockedError):
                await ContextCompactor(session, settings=SMALL).undo()
        assert session.state == before

        with pytest.raises(InvalidInputError):
            await ContextCompactor(session, settings=SMALL).compact(in_turn=True)


async def test_nobody_can_take_the_turn_while_it_works_and_it_is_no_turn_itself() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 30, chars=400)
        other = await Session.open(store, "s")
        writing = Writing()
        writing.hold()

        task = asyncio.create_task(ContextCompactor(session, writing, settings=SMALL).compact())
        await writing.asked.wait()
        with pytest.raises(LockedError):
            async with other.turn():
                pass
        writing.may_answer.set()
        await task

        assert session.state.turn_count == 0
        async with other.turn():
            pass


async def test_in_a_turn_it_works_under_the_turns_lease() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 30, chars=400)
        async with session.turn():
            assert (await ContextCompactor(session, Writing(), settings=SMALL).compact(in_turn=True)).compacted
            assert (await ContextCompactor(session, settings=SMALL).undo(in_turn=True)).reason == "undone"
        turn = session.state.conversation.turn
        assert turn is not None
        assert turn.outcome == "completed"


async def test_a_model_is_not_asked_when_the_budget_does_not_allow_it() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 30, chars=400)
        budget = SessionBudget(session, Limits(session_tokens=500))
        writing = Writing()

        done = await ContextCompactor(session, writing, settings=SMALL, budget=budget).compact()

        assert done.reason == "Session budget exceeded: 0/500 tokens used."
        assert writing.shown == []
        assert (await ContextCompactor(session, settings=SMALL, budget=budget).compact()).compacted


async def test_parts_that_are_paid_but_not_recorded_count_against_the_budget() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 60)
        budget = SessionBudget(session, Limits(session_tokens=9_000))
        writing = Writing(most_tokens=3_100, usage=Usage(input_tokens=3_000, output_tokens=50))

        done = await ContextCompactor(session, writing, budget=budget).compact()

        assert len(writing.shown) == 2
        assert not done.compacted
        assert budget.spent.tokens == 6_100
        assert session.state.conversation.compactions == 0


async def test_a_turn_that_was_taken_over_meanwhile_is_noticed() -> None:
    clock = FakeClock()
    async with open_store("memory:", clock=clock) as store:
        session = await Session.create(store, "s")
        await talk(session, 30, chars=400)
        writing = Writing()
        writing.hold()

        task = asyncio.create_task(ContextCompactor(session, writing, settings=SMALL).compact())
        await writing.asked.wait()
        clock.advance(seconds=31)
        async with (await Session.open(store, "s")).turn():
            writing.may_answer.set()
            with pytest.raises(LeaseLostError):
                await task

        assert session.state.conversation.compactions == 0


class Jostled(Session):
    """A session that others append to right after it has looked, as often as a test wants."""

    times = 0

    async def refresh(self) -> None:
        await super().refresh()
        if self.times:
            self.times -= 1
            await (await Session.open(self.store, self.id)).messages.user("out of my way")


@pytest.mark.parametrize(("times", "lands"), [(1, True), (3, True), (100, False)])
async def test_others_may_be_quicker_a_few_times(times: int, lands: bool) -> None:
    async with open_store("memory:") as store:
        session = await Jostled.create(store, "s")
        await talk(session, 30, chars=400)
        writing = Writing()
        writing.hold()

        task = asyncio.create_task(ContextCompactor(session, writing, settings=SMALL).compact())
        await writing.asked.wait()
        session.times = times
        writing.may_answer.set()
        done = await task

        session.times = 0
        await session.refresh()
        assert done.compacted == lands
        assert session.state.conversation.compactions == lands
        assert done.reason == ("" if lands else "others kept writing to the session")
        window = [entry for entry in await session.messages.last(60) if entry.seq > (done.through or 0)]
        assert session.state.conversation.window_messages == len(window)


@pytest.mark.parametrize(("times", "lands"), [(2, True), (100, False)])
async def test_it_is_taken_back_even_if_others_are_quicker_a_few_times(times: int, lands: bool) -> None:
    async with open_store("memory:") as store:
        session = await Jostled.create(store, "s")
        await talk(session, 30, chars=400)
        compactor = ContextCompactor(session, Writing(), settings=SMALL)
        await compactor.compact()

        session.times = times
        if lands:
            await compactor.undo()
        else:
            with pytest.raises(ConflictError):
                await compactor.undo()

        session.times = 0
        await session.refresh()
        assert session.state.conversation.compactions == (0 if lands else 1)
        if lands:
            assert session.state.conversation.window_messages == 30 + times


@pytest.mark.parametrize("seed", range(12))
async def test_whatever_is_done_in_whatever_order_the_window_is_what_the_journal_says(seed: int) -> None:
    chance = random.Random(seed)
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        compactor = ContextCompactor(session, settings=CompactionSettings(threshold=chance.choice([300, 1_000])))
        for step in range(25):
            match chance.choice(["talk", "talk", "tool", "compact", "force", "undo", "clear", "system", "summary"]):
                case "talk":
                    await talk(session, chance.randint(1, 12), chars=chance.choice([40, 400]))
                case "tool":
                    await session.messages.assistant(tool_calls=[ToolCall(id=f"call {step}", name="look")])
                    await session.messages.tool(f"call {step}", "seen " * chance.randint(1, 80))
                case "compact" | "force" as how:
                    await compactor.compact(force=how == "force")
                case "undo":
                    with contextlib.suppress(NotFoundError):
                        await compactor.undo()
                case "clear":
                    await compactor.clear()
                case "system":
                    await session.messages.system(f"rule {step}")
                case "summary":
                    await session.working_set.summarise(f"what somebody wrote at {step}")
            conversation = session.state.conversation
            messages = [entry.seq async for entry in session.messages.all()]
            assert conversation.window_messages == sum(seq > conversation.window_start for seq in messages)
            assert (await Session.open(store, "s")).state == session.state
