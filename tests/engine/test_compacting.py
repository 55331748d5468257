"""Compacting a session: a summary stands for its older messages, in one append that can be taken back."""

from pathlib import Path

import pytest

import sojourn
from sojourn import Session, Settings, open_store
from sojourn.engine.compacting import ContextCompactor
from sojourn.engine.compaction import CompactionSettings
from sojourn.engine.learner import INJECTED
from sojourn.errors import ModelError, NotFoundError
from sojourn.model.events import (
    Compacted,
    MessageAdded,
    UsageRecorded,
)
from sojourn.model.message import ToolCall
from sojourn.model.usage import Usage
from sojourn.testing import Backend, FakeClock
from tests.engine.written_summaries import SMALL, Writing, count_messages, talk

pytestmark = pytest.mark.anyio


async def test_a_short_session_is_not_compacted() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 30, chars=100)
        writing = Writing()
        compactor = ContextCompactor(session, writing)
        before = session.state

        assert not await compactor.due()
        done = await compactor.compact()

        assert not done.compacted
        assert "within the 15,000" in done.reason
        assert done.to_reply() == {"compacted": False, "reason": done.reason}
        assert (done.tokens_saved, done.notice) == (0, "")
        assert session.state == before
        assert writing.shown == []


async def test_a_long_session_is_summarised_but_for_its_newest_twenty_messages(tmp_path: Path) -> None:
    async with open_store(tmp_path / "s.db") as store:
        session = await Session.create(store, "s")
        await talk(session, 60)
        writing = Writing("They spoke of things.")
        compactor = ContextCompactor(session, writing)

        assert await compactor.due()
        done = await compactor.compact()

        assert done.compacted
        assert done.tokens_before > 15_000
        assert done.tokens_after < 7_000
        assert done.notice == f"[Context compacted: {done.tokens_saved:,} tokens reclaimed]"
        assert done.to_reply() == {
            "compacted": True,
            "tokens_before": done.tokens_before,
            "tokens_after": done.tokens_after,
            "tokens_saved": done.tokens_before - done.tokens_after,
        }
        assert session.state.working_set.summary == "They spoke of things."
        assert session.state.conversation.window_messages == 20
        window = await session.messages.window(100)
        assert len(window) == 20
        assert await count_messages(session) == 60
        assert (await Session.open(store, "s")).state == session.state


async def test_right_after_it_the_estimate_is_lower_and_nothing_more_is_done() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 60)
        writing = Writing()
        compactor = ContextCompactor(session, writing)

        first = await compactor.compact()
        head = session.head
        second = await compactor.compact()

        assert not await compactor.due()
        assert not second.compacted
        assert second.tokens_before == first.tokens_after < first.tokens_before
        assert len(writing.shown) == 1
        assert session.head == head


async def test_everything_is_written_in_one_append_that_says_what_it_stands_for() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 60)
        head = session.head
        messages = [entry.seq async for entry in session.messages.all()]

        done = await ContextCompactor(session, Writing(usage=Usage(input_tokens=5))).compact()

        entries = await store.read("s", after=head)
        assert [type(entry.event) for entry in entries] == [Compacted, UsageRecorded]
        assert len({entry.at for entry in entries}) == 1
        event = entries[0].event
        assert isinstance(event, Compacted)
        assert event.through == done.through == messages[39]
        assert entries[0].causes == tuple(messages[:40])
        assert (event.kept, event.tokens_before, event.tokens_after) == (20, done.tokens_before, done.tokens_after)


async def test_large_newest_messages_are_summarised_too_but_never_apart_from_their_call() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 6, chars=1_000)
        await session.messages.assistant(
            "looking", tool_calls=[ToolCall(id="1", name="ls"), ToolCall(id="2", name="cat")]
        )
        await session.messages.tool("1", "x" * 600)
        await session.messages.tool("2", "y" * 600)

        done = await ContextCompactor(session, Writing(), settings=SMALL).compact()

        assert done.compacted
        kept = [
            entry for entry in await session.messages.last(9) if entry.seq > session.state.conversation.window_start
        ]
        roles = [entry.event.message.role for entry in kept if isinstance(entry.event, MessageAdded)]
        assert roles == ["assistant", "tool", "tool"]
        assert session.state.conversation.window_messages == 3


async def test_one_group_that_is_too_large_alone_is_left_alone() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.messages.user("x" * 10_000)
        await session.messages.assistant(tool_calls=[ToolCall(id="1", name="dump")])
        await session.messages.tool("1", "y" * 10_000)
        compactor = ContextCompactor(session, Writing(), settings=SMALL)
        assert (await compactor.compact()).compacted

        assert not await compactor.due()
        assert (await compactor.compact()).reason == "there are no older messages"


async def test_instructions_and_what_is_pinned_are_never_summarised() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.working_set.pin("The deadline is 3 May.")
        await session.messages.system("Answer in French.\nNever guess.")
        await talk(session, 30, chars=400)
        writing = Writing("First.", "Second.")
        compactor = ContextCompactor(session, writing, settings=SMALL)

        await compactor.compact()
        await session.messages.system("Be brief.")
        await talk(session, 30, chars=400, first=30)
        await compactor.compact()

        summary = session.state.working_set.summary
        assert summary.startswith("Second.")
        assert "Answer in French.\nNever guess." in summary
        assert "Be brief." in summary
        assert session.state.working_set.pinned_facts == ("The deadline is 3 May.",)
        shown = "".join(previous + "".join(line.message.text for line in lines) for previous, lines in writing.shown)
        assert "French" not in shown
        assert "brief" not in shown


async def test_a_call_that_waits_for_its_result_stays_in_the_turn_that_made_it() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 10, chars=400)
        async with session.turn():
            await session.messages.assistant(tool_calls=[ToolCall(id="slow", name="build")])
            for number in range(30):
                await session.messages.user(f"and {number} more".ljust(400, "."))

            done = await ContextCompactor(session, Writing(), settings=SMALL).compact(in_turn=True)

            assert done.compacted
            (call,) = session.state.conversation.open_calls
            assert session.state.conversation.window_start < call.asked_at


async def test_it_can_be_taken_back_and_nothing_is_lost() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 30, chars=400)
        compactor = ContextCompactor(session, Writing("First.", "Second."), settings=SMALL)
        await compactor.compact()
        first = session.state
        await talk(session, 30, chars=400, first=30)
        await compactor.compact()
        await talk(session, 2, chars=40, first=60)

        undone = await compactor.undo()

        conversation = session.state.conversation
        assert undone.tokens_after > undone.tokens_before
        assert session.state.working_set.summary == "First."
        assert conversation.window_start == first.conversation.window_start
        assert conversation.window_messages == first.conversation.window_messages + 32
        assert conversation.compactions == 1

        await compactor.undo()
        assert session.state.working_set.summary == ""
        assert session.state.conversation.window_messages == 62
        assert session.state.conversation.window_start == 0
        assert (await Session.open(store, "s")).state == session.state
        with pytest.raises(NotFoundError):
            await compactor.undo()

        assert (await compactor.compact()).compacted
        assert (await compactor.undo()).reason == "undone"
        assert session.state.conversation.window_messages == 62


async def test_no_secret_reaches_a_summariser() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.working_set.summarise("The password=hunter2 was set.")
        await session.messages.user("connect with postgresql://app:s3cr3t@db/main")
        await session.messages.assistant(tool_calls=[ToolCall(id="1", name="run", arguments={"password": "hunter2"})])
        await session.messages.tool("1", "Authorization: Bearer abcdef123456")
        await talk(session, 30, chars=400)
        writing = Writing()

        await ContextCompactor(session, writing, settings=SMALL).compact()

        shown = repr(writing.shown)
        assert all(secret not in shown for secret in ("hunter2", "s3cr3t", "abcdef123456"))
        assert "[redacted:credentials]" in shown


async def test_what_sojourn_put_into_a_message_is_not_summarised() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.messages.user("<memory>likes tea</memory> Hello", metadata={INJECTED: [[0, 26]]})
        await talk(session, 30, chars=400)
        writing = Writing()

        await ContextCompactor(session, writing, settings=SMALL).compact()

        assert writing.shown[0][1][0].message.text == " Hello"


async def test_the_next_summary_goes_on_from_the_last() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        writing = Writing("First.", "Second.")
        compactor = ContextCompactor(session, writing, settings=SMALL)
        await talk(session, 30, chars=400)
        await compactor.compact()
        await talk(session, 30, chars=400, first=30)
        await compactor.compact()

        (before, old), (previous, new) = writing.shown
        assert (before, previous) == ("", "First.")
        assert not {line.seq for line in old} & {line.seq for line in new}
        first, second = [entry for entry in await store.read("s") if isinstance(entry.event, Compacted)]
        assert first.seq in second.causes


async def test_a_long_history_comes_in_parts_and_each_is_paid() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 60, chars=1_200)
        usage = Usage(model="m", input_tokens=3_000, output_tokens=50, cost_micros=12)
        writing = Writing("One.", "Two.", "Three.", "Four.", most_tokens=3_100, usage=usage)

        done = await ContextCompactor(session, writing).compact()

        assert [previous for previous, _ in writing.shown] == ["", "One.", "Two.", "Three."]
        assert sum(len(lines) for _, lines in writing.shown) == 40
        assert done.summary == "Four."
        assert session.state.metadata.tokens_by_purpose == {"summarisation": 4 * 3_050}
        assert session.state.metadata.cost_micros == {"summarisation": 48}


async def test_a_summary_that_is_too_long_is_shortened() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 60)
        settings = CompactionSettings(summary_tokens=100)

        done = await ContextCompactor(session, Writing("word " * 5_000), settings=settings).compact()

        assert done.compacted
        assert len(done.summary) // 4 <= 100


async def test_a_models_window_decides_when_it_is_due() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 30, chars=400)
        small = ContextCompactor(session, settings=CompactionSettings(window=4_000))
        large = ContextCompactor(session, settings=CompactionSettings(window=200_000))

        assert await small.due()
        assert not await large.due()
        assert CompactionSettings(window=102_000).limit == 90_000


async def test_it_can_be_forced_while_there_is_something_to_gain() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 8, chars=400)
        compactor = ContextCompactor(session)

        assert not (await compactor.compact()).compacted
        forced = await compactor.compact(force=True)

        assert forced.compacted
        assert 1 <= session.state.conversation.window_messages < 8
        more = [(await compactor.compact(force=True)).compacted for _ in range(8)]
        assert not more[-1]


async def test_one_message_is_never_compacted() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.messages.user("x" * 100_000)

        assert (await ContextCompactor(session).compact(force=True)).reason == "there are too few messages"


async def test_the_message_that_stands_for_a_summary_says_when_it_was_made() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        compactor = ContextCompactor(session, Writing("All about </context> tea."), settings=SMALL)
        assert await compactor.summary_message() is None
        await talk(session, 30, chars=400)
        await compactor.compact()

        message = await compactor.summary_message()

        assert message is not None
        assert message.role == "user"
        at = next(entry.at for entry in await store.read("s") if isinstance(entry.event, Compacted))
        assert message.text.startswith(f"[CONTEXT SUMMARY - Generated: {at:%Y-%m-%d %H:%M}]\n\nAll about ")
        assert "</context>" not in message.text


async def test_every_store_keeps_it_and_a_fork_has_it_too(backend: Backend, clock: FakeClock, tmp_path: Path) -> None:
    async with backend.make_store(tmp_path, clock) as store:
        session = await Session.create(store, "s")
        await talk(session, 30, chars=400)
        await ContextCompactor(session, Writing("First."), settings=SMALL).compact()
        fork = await session.fork("f")
        await talk(fork, 30, chars=400, first=30)

        assert (await ContextCompactor(fork, Writing("Second."), settings=SMALL).compact()).compacted
        assert (await Session.open(store, "s")).state.working_set.summary == "First."
        assert (await Session.open(store, "f")).state == fork.state
        await ContextCompactor(fork, settings=SMALL).undo()
        assert fork.state.working_set.summary == "First."
        await ContextCompactor(fork, settings=SMALL).undo()
        assert (await Session.open(store, "f")).state.conversation.window_messages == 60
        assert session.state.conversation.compactions == 1


async def test_long_instructions_do_not_make_it_due_with_every_message() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.messages.system("Always be kind to birds. " * 300)
        await talk(session, 30, chars=400)
        compactor = ContextCompactor(session, Writing(), settings=SMALL)

        assert (await compactor.compact()).compacted
        await talk(session, 4, chars=40, first=30)

        assert "kind to birds" in session.state.working_set.summary
        assert not await compactor.due()


async def test_after_a_clear_nothing_of_before_is_shown_and_undo_brings_it_back() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        compactor = ContextCompactor(session, Writing("They spoke."), settings=SMALL)
        assert (await compactor.clear()).reason == "there is nothing to clear"
        await talk(session, 30, chars=400)
        await compactor.compact()
        await session.focus.remember("a running summary")
        before = session.state

        done = await compactor.clear()

        assert done.compacted
        assert done.tokens_after == 0
        assert session.state.working_set.summary == ""
        assert session.state.short_term_memory is None
        assert await session.messages.window() == []
        assert await compactor.summary_message() is None
        assert await count_messages(session) == 30
        await talk(session, 2, chars=40, first=30)
        assert session.state.conversation.window_messages == 2

        await compactor.undo()
        assert session.state.working_set.summary == before.working_set.summary
        assert session.state.conversation.window_messages == before.conversation.window_messages + 2


async def test_an_app_compacts_its_sessions_without_a_model() -> None:
    async with sojourn.open("memory:", settings=Settings(embeddings="off")) as app:
        session = await app.sessions.create("s")
        await session.working_set.pin("Never deploy on Fridays")
        for number in range(60):
            await session.messages.user(
                f"We decided on plan {number}. " + "It rains and we talk about the weather. " * 30
            )
        done = await app.compact(session)

        assert (done.compacted, done.tokens_after < done.tokens_before) == (True, True)
        assert not (await app.compact(session)).compacted
        context = await session.context("What was decided?", budget=4000)
        assert "Never deploy on Fridays" in context.system


async def test_a_session_of_2000_messages_keeps_what_is_pinned() -> None:
    quiet = Settings(embeddings="off", learning="off")
    async with sojourn.open("memory:", settings=quiet) as app:
        session = await app.ingest(
            (
                {"role": ("user", "assistant")[n % 2], "content": f"Message {n} about the harbour and its boats."}
                for n in range(2_000)
            ),
            session_id="s",
        )
        pinned = [f"Rule {number}: never sail at night" for number in range(5)]
        for text in pinned:
            await session.working_set.pin(text)
        done = await ContextCompactor(session).compact()

        assert (done.compacted, list(session.state.working_set.pinned_facts)) == (True, pinned)
        context = await session.context("May we sail?", budget=3_000)
        assert all(text in context.system for text in pinned)


async def test_after_five_turns_the_short_term_memory_is_written_by_itself() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        for number in range(5):
            async with session.turn():
                await session.messages.user(f"Question {number} about the harbour master and his keys?")
                await session.messages.assistant(f"Answer {number}: the harbour master keeps them at the office.")
        await app.learn_later()

        assert session.state.short_term_memory
        assert session.state.turn_count == 5


async def test_the_short_term_memory_is_left_alone_if_that_is_wanted() -> None:
    async with sojourn.open("memory:", settings=Settings(summarise_turns_every=None)) as app:
        session = await app.sessions.create()
        for _ in range(5):
            async with session.turn():
                await session.messages.user("Something to be said about the harbour.")
                await session.messages.assistant("And an answer to it.")
        await app.learn_later()

        assert session.state.short_term_memory is None


async def test_a_proposal_says_what_would_go_and_changes_nothing() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 60)
        writing = Writing("They spoke of things.")
        compactor = ContextCompactor(session, writing)
        before = session.state

        proposal = await compactor.propose()

        assert (session.state, writing.shown, proposal.reason) == (before, [], "")
        done = await compactor.compact()
        assert done.through == proposal.old[-1]
        assert (len(proposal.old), len(proposal.kept), proposal.limit) == (40, 20, 15_000)
        assert proposal.tokens_before == done.tokens_before == proposal.old_tokens + proposal.kept_tokens


async def test_a_proposal_for_a_short_session_says_why_nothing_would_be_done() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 4, chars=100)

        assert "within the 15,000" in (await ContextCompactor(session).propose()).reason


async def test_an_app_lets_a_given_summariser_write_and_nobody_else() -> None:
    failures: list[str] = []
    async with sojourn.open("memory:", settings=Settings(learning="off", embeddings="off")) as app:
        session = await app.sessions.create("s")
        await talk(session, 60)

        failing = Writing(fails=ModelError("gone"))
        done = await app.compactor(
            session, summariser=failing, on_failure=lambda what, _: failures.append(what)
        ).compact()
        assert (done.compacted, failures) == (False, ["summarising what was said"])

        assert (await app.compactor(session, summariser=Writing("Mine.")).compact()).summary == "Mine."
