"""A log that follows a journal: what is in it, and what of it is in context."""

from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import sojourn
from sojourn.agent.logs.logger import SessionLogger
from sojourn.agent.logs.projection import JournalLog
from sojourn.engine.app import Sojourn
from sojourn.engine.compacting import ContextCompactor
from sojourn.engine.compaction import CompactionSettings
from sojourn.engine.session import Session
from sojourn.errors import NotFoundError
from sojourn.model.events import (
    Compacted,
    CompactionUndone,
    MessageAdded,
    SummaryUpdated,
    ToolRan,
    TurnEnded,
    UsageRecorded,
)
from sojourn.model.ids import Seq
from sojourn.model.message import MediaPart, Message, TextPart, ThinkingPart, ToolCall
from sojourn.testing.clock import FakeClock
from sojourn.testing.factories import one_of_each, said
from tests.agent.logs_kit import QUIET, attached, config, dump, in_context, messages_of, rows

pytestmark = pytest.mark.anyio
CALL = ToolCall(id="c1", name="read", arguments={"path": "a"})
TALK = (
    Message(role="user", content="Read a"),
    Message(role="assistant", content="I look.", tool_calls=(CALL,)),
    Message(role="tool", content="no such file", tool_call_id="c1", name="read", error=True),
    Message(role="assistant", content="It is not the", partial=True),
)


@pytest.fixture
async def app() -> AsyncIterator[Sojourn]:
    async with sojourn.open("memory:", settings=QUIET, clock=FakeClock(tick=1)) as opened:
        yield opened


# --- following


async def test_what_is_appended_is_in_the_log_with_the_number_of_its_entry(app: Sojourn, tmp_path: Path) -> None:
    session = await app.sessions.create("s")
    log = await attached(app, session, tmp_path)
    await session.append(*(MessageAdded(message=message) for message in TALK))
    await app.background.drain()

    assert log.logger.get_context_messages() == list(TALK)
    assert [row.id for row in rows(log)] == list(await messages_of(session))
    text = (log.logger.session_dir / "context.md").read_text("utf-8")
    assert "### Tool Result: read (error)" in text
    assert "(cut off)" in text
    await log.close()


async def test_what_was_said_before_the_log_began_is_in_it(app: Sojourn, tmp_path: Path) -> None:
    session = await app.sessions.create("s")
    await session.append(*(said(f"m{number}") for number in range(700)))
    await session.append(*(said(f"m{number}") for number in range(700, 1_203)))
    log = JournalLog(session, SessionLogger(config(tmp_path)))
    await log.catch_up()
    await log.catch_up()
    assert in_context(log) == [f"m{number}" for number in range(1_203)]
    await log.close()
    await log.close()


async def test_a_session_is_followed_and_no_other(app: Sojourn, tmp_path: Path) -> None:
    ann, bob = await app.sessions.create("ann"), await app.sessions.create("bob")
    of_ann, of_bob = await attached(app, ann, tmp_path), await attached(app, bob, tmp_path)
    await ann.append(said("I am Ann"))
    await bob.append(said("I am Bob"))
    await app.background.drain()
    assert (in_context(of_ann), in_context(of_bob)) == (["I am Ann"], ["I am Bob"])

    await of_ann.close()
    await ann.append(said("unseen"))
    await bob.append(said("seen"))
    await app.background.drain()
    assert in_context(of_bob) == ["I am Bob", "seen"]
    assert b"unseen" not in (of_ann.logger.session_dir / "context.md").read_bytes()
    await of_bob.close()


async def test_every_kind_of_event_can_be_followed(app: Sojourn, tmp_path: Path) -> None:
    session = await app.sessions.create("s")
    log = await attached(app, session, tmp_path)
    await session.append(*one_of_each())
    await app.background.drain()
    assert len(rows(log)) >= 3
    await log.close()


async def test_a_fork_has_a_log_of_all_that_it_reads(app: Sojourn, tmp_path: Path) -> None:
    session = await app.sessions.create("s")
    await session.append(said("shared"), said("dropped"))
    fork = await app.sessions.fork("s", at=2)
    await fork.append(said("own"))
    log = JournalLog(fork, SessionLogger(config(tmp_path)))
    await log.catch_up()
    assert in_context(log) == ["shared", "own"]
    await log.close()


async def test_thinking_usage_and_timings_are_in_the_verbose_stream(app: Sojourn, tmp_path: Path) -> None:
    session = await app.sessions.create("s")
    log = await attached(app, session, tmp_path)
    parts = (ThinkingPart(text="say hi"), TextPart(text="Hi"), MediaPart(media_type="image/png", name="a.png"))
    await session.append(
        MessageAdded(message=Message(role="assistant", content=parts)),
        UsageRecorded(input_tokens=10, cache_read_tokens=5, output_tokens=2, model="m", cost_micros=7),
        ToolRan(call_id="c1", name="read", success=False, seconds=0.5),
        TurnEnded(turn_id="t", seconds=1.25),
    )
    await app.background.drain()
    text = (log.logger.session_dir / "verbose.md").read_text("utf-8")
    assert "```\nsay hi\n```" in text
    assert "prompt=15, completion=2, total=17, purpose=conversation, model=m, cost_micros=7\n" in text
    assert "**tool:read**" in text
    assert "500.0ms (success=false)" in text
    assert "1250.0ms (outcome=completed)" in text
    assert in_context(log) == ["Hi\n[image/png a.png]"]
    await log.close()


# --- what is in context


async def test_a_compaction_takes_messages_out_of_the_context_and_undoing_it_brings_them_back(
    app: Sojourn, tmp_path: Path
) -> None:
    session = await app.sessions.create("s")
    log = await attached(app, session, tmp_path)
    await session.append(*(said(f"We talk about subject number {number} at some length") for number in range(12)))
    await app.background.drain()
    before = in_context(log)
    compactor = app.compactor(session, settings=CompactionSettings(keep=4))
    done = await compactor.compact(force=True)
    await app.background.drain()

    assert done.through is not None
    kept = [row.content for row in rows(log) if row.id > done.through and row.summary_of is None]
    [summary] = [row for row in rows(log) if row.summary_of is not None]
    assert summary.content.startswith("[CONTEXT SUMMARY - Generated: 2030-01-01 ")
    assert summary.summary_of == tuple(row.id for row in rows(log) if row.id <= done.through)
    assert in_context(log) == [summary.content, *kept]

    await compactor.undo()
    await app.background.drain()
    assert in_context(log) == before
    await log.close()


async def test_a_second_compaction_replaces_the_first_and_undoing_it_brings_the_first_back(
    app: Sojourn, tmp_path: Path
) -> None:
    session = await app.sessions.create("s")
    log = await attached(app, session, tmp_path)
    log.logger.log_system("Be kind")
    await session.append(*(said(text) for text in "abcd"))  # entries 2 to 5
    await session.append(Compacted(summary="a and b", through=Seq(3), kept=2))  # 6
    await session.append(said("e"))  # 7
    await session.append(Compacted(summary="a to d", through=Seq(5), kept=1))  # 8
    await app.background.drain()
    assert [text[-6:] for text in in_context(log)] == ["e kind", "a to d", "e"]
    assert [(row.id, row.summary_of) for row in rows(log) if row.summary_of is not None] == [
        (6, (2, 3)),
        (8, (4, 5, 6)),
    ]

    await session.append(CompactionUndone(summary="a and b", through=Seq(3), kept=3), causes=(8, 6))
    await app.background.drain()
    assert [text[-7:] for text in in_context(log)] == ["Be kind", "a and b", "c", "d", "e"]

    # The summary that is in force by now stands in the entry that brought it back.
    await session.append(Compacted(summary="all", through=Seq(7)), causes=(9, 4, 5, 7))  # 10
    await session.append(CompactionUndone(summary="a and b", through=Seq(3), kept=3), causes=(10, 9))  # 11
    await app.background.drain()
    assert [text[-7:] for text in in_context(log)] == ["Be kind", "a and b", "c", "d", "e"]

    await session.append(CompactionUndone(summary="", through=Seq(0), kept=5), causes=(6,))
    await app.background.drain()
    assert in_context(log) == ["Be kind", *"abcde"]
    await log.close()


async def test_clearing_the_talk_and_writing_another_summary_are_followed(app: Sojourn, tmp_path: Path) -> None:
    session = await app.sessions.create("s")
    log = await attached(app, session, tmp_path)
    await session.append(said("a"), said("b"), Compacted(summary="a", through=Seq(2), kept=1))
    await session.append(SummaryUpdated(text="something else"))
    await app.background.drain()
    assert [text.split("\n")[-1] for text in in_context(log)] == ["something else", "b"]

    await session.append(Compacted(summary="", through=Seq(3)), said("c"))
    await app.background.drain()
    assert in_context(log) == ["c"]
    await log.close()


class Step(NamedTuple):
    """Something that happens in a session; *where* is a place in its journal, from 0 to 1."""

    what: Literal["say", "compact", "clear", "undo", "summarise", "forget", "follow"]
    where: float = 0.0


steps = st.builds(
    Step,
    st.sampled_from([*["say"] * 4, *["compact"] * 3, *["undo"] * 3, "clear", "summarise", "forget", "follow"]),
    st.floats(0, 1),
)


async def take(step: Step, session: Session, compactor: ContextCompactor, log: JournalLog) -> None:
    seq = Seq(2 + int(step.where * (session.head - 2))) if session.head > 2 else Seq(1)
    match step.what:
        case "say":
            await session.append(said(f"message {session.head}"))
        case "compact":
            start = session.state.conversation.window_start
            if seq > start:
                kept = [one for one in await messages_of(session) if one > seq]
                summary = f"summary {session.head}"
                await session.append(Compacted(summary=summary, through=seq, kept=len(kept)), causes=range(1, seq + 1))
        case "clear":
            await compactor.clear()
        case "undo":
            with suppress(NotFoundError):
                await compactor.undo()
        case "summarise":
            await session.append(SummaryUpdated(text=f"other summary {session.head}"))
        case "forget":
            if seq in await messages_of(session):
                await log.forget(await session.forget("message", seq))
        case "follow":
            await log.catch_up()


@settings(max_examples=60, phases=[Phase.generate])  # to look for a shorter one takes minutes
@given(st.lists(steps, min_size=12, max_size=30))
async def test_what_is_in_context_is_what_the_state_says_whatever_happened(happened: list[Step]) -> None:
    with TemporaryDirectory() as folder:
        async with sojourn.open("memory:", settings=QUIET) as app:
            session = await app.sessions.create("s")
            log = JournalLog(session, SessionLogger(config(Path(folder))))
            for step in happened:
                await take(step, session, app.compactor(session), log)
            await log.catch_up()

            state = session.state
            window = {seq for seq in await messages_of(session) if seq > state.conversation.window_start}
            shown = log.logger.folder.storage.get_messages()
            assert {row.id for row in shown if row.summary_of is None} == window
            summaries = [row.content.split("\n\n")[1] for row in shown if row.summary_of is not None]
            assert summaries == ([state.working_set.summary] if state.working_set.summary else [])
            assert {row.id for row in rows(log) if row.summary_of is None} == set(await messages_of(session))
            if summaries:
                assert in_context(log)[0].endswith(summaries[0])
            before = dump(log.logger.session_dir)
            await log.rebuild()
            assert dump(log.logger.session_dir) == before
            await log.close()
