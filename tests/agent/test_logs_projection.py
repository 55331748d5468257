"""A log that follows a journal: complete, never double, rebuilt at will, and forgetting what the journal forgets."""

import logging
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

import anyio
import apsw
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import sojourn
from sojourn.agent.logs.config import LogConfig, LogStream
from sojourn.agent.logs.logger import SessionLogger
from sojourn.agent.logs.projection import JournalLog, forget_in_logs, let_logs_forget, open_log
from sojourn.agent.logs.storage import MessageRow, SessionStorage
from sojourn.engine.app import Sojourn
from sojourn.engine.compacting import ContextCompactor
from sojourn.engine.compaction import CompactionSettings
from sojourn.engine.session import Session
from sojourn.engine.settings import Settings
from sojourn.errors import AccessError, CorruptError, InvalidInputError, NotFoundError
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
from sojourn.store.protocol import MAX_PAGE, Redaction
from sojourn.testing.clock import FakeClock
from sojourn.testing.factories import one_of_each, said

pytestmark = pytest.mark.anyio
QUIET = Settings(keep_profile="yes", learning="off", embeddings="off")
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


def config(folder: Path, streams: LogStream = LogStream.ALL) -> LogConfig:
    return LogConfig(base_dir=folder / "logs", streams=streams, clock=FakeClock())


async def attached(app: Sojourn, session: Session, folder: Path) -> JournalLog:
    log = JournalLog(session, SessionLogger(config(folder)))
    log.attach(app)
    return log


def rows(log: JournalLog) -> list[MessageRow]:
    return log.logger.folder.storage.get_messages(in_context_only=False)


def in_context(log: JournalLog) -> list[str]:
    return [message.text for message in log.logger.get_context_messages()]


def dump(folder: Path) -> dict[str, object]:
    """Return all that a log holds: its tables and its texts."""
    connection = apsw.Connection(str(folder / "session.db"), flags=apsw.SQLITE_OPEN_READONLY)
    names = [str(name) for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    held: dict[str, object] = {
        name: connection.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall() for name in names
    }
    connection.close()
    return held | {path.name: path.read_bytes() for path in folder.glob("*.md")}


async def messages_of(session: Session) -> dict[int, Message]:
    entries = await session.store.read(session.id, limit=MAX_PAGE)
    return {entry.seq: entry.event.message for entry in entries if isinstance(entry.event, MessageAdded)}


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


# --- rebuilding, and going on


async def test_a_rebuilt_log_is_the_same(app: Sojourn, tmp_path: Path) -> None:
    session = await app.sessions.create("s")
    log = await attached(app, session, tmp_path)
    log.logger.log_system("Be kind")
    await session.append(*one_of_each())
    await session.append(*(MessageAdded(message=message) for message in TALK))
    await app.background.drain()
    before = dump(log.logger.session_dir)
    await log.rebuild()
    assert dump(log.logger.session_dir) == before

    log.logger.log_thinking("noted by hand", rows(log)[-1].id)
    await log.rebuild()
    assert "noted by hand" in (log.logger.session_dir / "verbose.md").read_text("utf-8")
    assert dump(log.logger.session_dir)["context.md"] == before["context.md"]
    await log.close()


async def test_a_log_that_is_attached_late_needs_no_further_message(app: Sojourn, tmp_path: Path) -> None:
    session = await app.sessions.create("s")
    await session.append(said("one"))
    log = await attached(app, session, tmp_path)
    await app.background.drain()
    assert in_context(log) == ["one"]
    await log.close()


async def test_an_app_that_is_closed_before_the_log_has_written_all_of_it(tmp_path: Path) -> None:
    async with sojourn.open("memory:", settings=QUIET) as app:
        session = await app.sessions.create("s")
        log = await attached(app, session, tmp_path)
        await session.append(said("one"), said("two"))
    assert in_context(log) == ["one", "two"]
    await log.close()
    assert log.logger.folder.is_closed
    await log.close()


async def test_instructions_that_change_stand_once_at_the_beginning(app: Sojourn, tmp_path: Path) -> None:
    session = await app.sessions.create("s")
    log = await attached(app, session, tmp_path)
    for turn in range(3):
        log.logger.log_system(f"It is {turn} o'clock")
        await session.append(said(f"turn {turn}"))
        await app.background.drain()
    text = (log.logger.session_dir / "context.md").read_text("utf-8")
    assert text.count("## System") == 1
    assert text.index("It is 2 o'clock") < text.index("turn 0") < text.index("turn 2")
    assert in_context(log) == ["It is 2 o'clock", "turn 0", "turn 1", "turn 2"]
    log.logger.log_system("Bye")
    await log.close()
    assert "Bye" in (log.logger.session_dir / "context.md").read_text("utf-8")


async def test_a_damaged_text_and_lost_rows_come_back_when_it_is_rebuilt(app: Sojourn, tmp_path: Path) -> None:
    session = await app.sessions.create("s")
    await session.append(*(MessageAdded(message=message) for message in TALK))
    log = await open_log(session, config(tmp_path))
    before = dump(log.logger.session_dir)
    storage = log.logger.folder.storage
    storage.update_context_status([2, 3], in_context=False)
    storage.delete_message(4)
    (log.logger.session_dir / "context.md").write_text("scribbled")
    await log.rebuild()
    assert dump(log.logger.session_dir) == before
    await log.close()


async def test_a_log_is_found_again_and_goes_on_where_it_was(tmp_path: Path) -> None:
    async with sojourn.open(tmp_path / "s.db", settings=QUIET) as app:
        session = await app.sessions.create("s")
        await session.append(said("one"))
        log = await open_log(session, config(tmp_path))
        await log.close()
        await session.append(said("two"))
    async with sojourn.open(tmp_path / "s.db", settings=QUIET) as app:
        session = await app.sessions.open("s")
        again = await open_log(session, config(tmp_path))
        assert again.logger.session_dir.name == log.logger.session_dir.name
        assert in_context(again) == ["one", "two"]
        await again.close()

        shutil.rmtree(again.logger.session_dir)
        anew = await open_log(session, config(tmp_path))
        assert in_context(anew) == ["one", "two"]
        await anew.close()
        elsewhere = await open_log(session, config(tmp_path / "elsewhere"))
        assert elsewhere.logger.session_dir.is_relative_to(tmp_path / "elsewhere")
        await elsewhere.close()


WRITER = """
import asyncio, sys
from pathlib import Path
import sojourn
from sojourn.agent.logs.config import LogConfig, LogStream
from sojourn.agent.logs.projection import open_log
from sojourn.engine.settings import Settings
from sojourn.testing.factories import said

async def main(folder):
    quiet = Settings(keep_profile="yes", learning="off", embeddings="off")
    async with sojourn.open(folder / "s.db", settings=quiet) as app:
        found = await app.store.find_session("s")
        session = await (app.sessions.create("s") if found is None else app.sessions.open("s"))
        log = await open_log(session, LogConfig(base_dir=folder / "logs", streams=LogStream.ALL))
        log.attach(app)
        while True:
            await session.append(said(f"message after {session.head}"))
            print(session.head, flush=True)

asyncio.run(main(Path(sys.argv[1])))
"""


def killed_after(lines: int, program: str, folder: Path) -> list[str]:
    """Let a process run until it has printed so many lines, kill it, and return them."""
    child = subprocess.Popen([sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    printed = [child.stdout.readline() for _ in range(lines)]
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    return printed


@pytest.mark.parametrize("lines", [1, 7, 60, 200])
async def test_a_process_that_is_killed_while_it_logs_leaves_nothing_out_and_nothing_twice(
    tmp_path: Path, lines: int
) -> None:
    killed_after(lines, WRITER, tmp_path)
    killed_after(lines, WRITER, tmp_path)

    async with sojourn.open(tmp_path / "s.db", settings=QUIET) as app:
        session = await app.sessions.open("s")
        log = await open_log(session, config(tmp_path))
        expected = await messages_of(session)
        assert len(expected) >= 2 * lines
        assert {row.id: row.content for row in rows(log)} == {seq: one.text for seq, one in expected.items()}
        text = (log.logger.session_dir / "context.md").read_text("utf-8")
        shown = [line for line in text.splitlines() if line.startswith("message after ")]
        assert shown == [one.text for one in expected.values()]
        assert text.count("## User [") == len(expected)
        await log.close()


async def test_two_who_follow_the_same_journal_into_one_log_write_nothing_twice(app: Sojourn, tmp_path: Path) -> None:
    session = await app.sessions.create("s")
    first = JournalLog(session, SessionLogger(config(tmp_path)))
    second = JournalLog(session, SessionLogger.reopen(first.logger.session_dir, config(tmp_path)))
    for turn in range(20):
        await session.append(*(said(f"m{turn}-{number}") for number in range(5)))
        async with anyio.create_task_group() as group:
            group.start_soon(first.catch_up)
            group.start_soon(second.catch_up)
    await second.close()
    await first.close()

    expected = [f"m{turn}-{number}" for turn in range(20) for number in range(5)]
    text = (first.logger.session_dir / "context.md").read_text("utf-8")
    assert [line for line in text.splitlines() if line.startswith("m")] == expected
    with SessionLogger.reopen(first.logger.session_dir) as again:
        assert [message.text for message in again.get_context_messages()] == expected


FULL = """
import asyncio, logging, resource, signal, sys
from pathlib import Path
import sojourn
from sojourn.agent.logs.config import LogConfig, LogStream
from sojourn.agent.logs.projection import open_log
from sojourn.engine.settings import Settings
from sojourn.testing.factories import said

class Counting(logging.Handler):
    told = 0
    def emit(self, record):
        self.told += 1

async def main(folder):
    counting = Counting()
    logging.getLogger("sojourn").addHandler(counting)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    quiet = Settings(keep_profile="yes", learning="off", embeddings="off")
    async with sojourn.open("memory:", settings=quiet) as app:
        session = await app.sessions.create("s")
        log = await open_log(session, LogConfig(base_dir=folder, streams=LogStream.ALL))
        log.attach(app)
        resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, resource.RLIM_INFINITY))
        for number in range(100):
            await session.append(said(f"m{number} " + "x" * 5_000))
            await app.background.drain()
            log.logger.log_raw_chunk({"text": "x" * 5_000})
        print(counting.told, len(log.logger.get_context_messages()) < 100)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        await session.append(said("the last"))
        await app.background.drain()
        said_now = [message.text.split()[0] for message in log.logger.get_context_messages()]
        print(said_now == [f"m{number}" for number in range(100)] + ["the"])
        text = (log.logger.session_dir / "context.md").read_text("utf-8")
        print(text.count("## User ["), counting.told)
        await log.close()

asyncio.run(main(Path(sys.argv[1])))
"""


def test_a_full_disk_is_reported_once_and_what_was_missed_is_written_later(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.stdout.splitlines(), done.stderr, done.returncode) == (["1 True", "True", "101 1"], "", 0)


DIRECT = """
import sys
from pathlib import Path
from sojourn.agent.logs.config import LogConfig, LogStream
from sojourn.agent.logs.logger import SessionLogger

logger = SessionLogger(LogConfig(base_dir=Path(sys.argv[1]), streams=LogStream.ALL))
while True:
    print(logger.log_user("message"), flush=True)
    logger.log_thinking("thought")
"""


@pytest.mark.parametrize("lines", [1, 40, 300])
def test_a_process_that_is_killed_loses_no_message_that_has_its_number(tmp_path: Path, lines: int) -> None:
    printed = killed_after(lines, DIRECT, tmp_path)
    assert printed == [f"{number}\n" for number in range(1, lines + 1)]
    [folder] = tmp_path.iterdir()
    with SessionLogger.reopen(folder, LogConfig(streams=LogStream.ALL)) as again:
        number = again.log_user("message")
        assert number > lines
        assert len(again.get_context_messages()) == number
        events = len(again.folder.storage.get_events())
    assert (folder / "context.md").read_text("utf-8").count("```\nmessage\n```\n") == number
    assert (folder / "verbose.md").read_text("utf-8").count("```\nthought\n```\n") == events


async def test_a_log_that_was_used_otherwise_is_refused(app: Sojourn, tmp_path: Path) -> None:
    ann, bob = await app.sessions.create("ann"), await app.sessions.create("bob")
    with SessionLogger(config(tmp_path)) as used:
        used.log_user("hello")
        with pytest.raises(InvalidInputError, match="holds messages"):
            JournalLog(ann, used)
    with SessionLogger(config(tmp_path)) as logger:
        JournalLog(ann, logger)
        with pytest.raises(InvalidInputError, match="follows session ann"):
            JournalLog(bob, logger)
        with pytest.raises(InvalidInputError, match="append the message there"):
            logger.log_user("hello")
        assert [logger.log_system("Be kind"), logger.log_system("Be kinder")] == [1, 1]
        assert [message.text for message in logger.get_context_messages()] == ["Be kinder"]
    assert (logger.session_dir / "context.md").read_text("utf-8").count("## System") == 1


async def test_a_removed_folder_is_reported_once_and_the_session_goes_on(
    app: Sojourn, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    session = await app.sessions.create("s")
    log = await attached(app, session, tmp_path)
    await session.append(said("one"))
    await app.background.drain()
    shutil.rmtree(log.logger.session_dir)
    with caplog.at_level(logging.WARNING):
        for text in ("two", "three"):
            await session.append(said(text))
            await app.background.drain()
        await session.forget("message", 2)
        await log.close()
    assert [record.name for record in caplog.records] == ["sojourn.agent.logs.folder"]


# --- forgetting


SECRET = "the treasure lies under the old oak"


def holding(folder: Path) -> list[str]:
    """Return the files in which the secret can be found."""
    return [path.name for path in folder.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


async def fill(session: Session, log: JournalLog) -> int:
    log.logger.log_system(f"The user once said: {SECRET}")
    told = await session.append(said(SECRET))
    await session.append(
        MessageAdded(message=Message(role="assistant", content=(ThinkingPart(text=SECRET), TextPart(text=SECRET)))),
        causes=[told.first],
    )
    await session.append(Compacted(summary=SECRET, through=told.first), causes=[told.first])
    await session.append(said("harmless"))
    log.logger.log_thinking(SECRET)
    log.logger.log_timing("search", 1.0, {"query": SECRET})
    log.logger.log_raw_request("/v1", {"messages": [SECRET]})
    return told.first


async def test_what_is_forgotten_is_in_no_file_any_more(app: Sojourn, tmp_path: Path) -> None:
    session = await app.sessions.create("s")
    log = await attached(app, session, tmp_path)
    seq = await fill(session, log)
    await app.background.drain()
    folder = log.logger.session_dir
    assert {"context.md", "verbose.md", "raw.jsonl"} <= set(holding(folder))

    await session.forget("message", seq)
    assert holding(folder) == []
    assert in_context(log) == ["harmless"]
    assert "harmless" in (folder / "context.md").read_text("utf-8")

    log.logger.log_system("Be kind")
    await session.append(said("and on it goes"))
    await app.background.drain()
    assert in_context(log) == ["Be kind", "harmless", "and on it goes"]
    await log.close()
    assert holding(folder) == []


async def test_a_log_that_is_closed_forgets_as_long_as_its_app_is_open(app: Sojourn, tmp_path: Path) -> None:
    session, other = await app.sessions.create("s"), await app.sessions.create("other")
    log, purged = await attached(app, session, tmp_path), await attached(app, other, tmp_path)
    seq = await fill(session, log)
    await fill(other, purged)
    await log.close()
    await purged.close()
    assert holding(log.logger.session_dir)
    await session.append(said("not logged any more"))

    await session.forget("message", seq)
    await app.sessions.purge("other")
    assert holding(tmp_path / "logs") == []
    text = (log.logger.session_dir / "context.md").read_text("utf-8")
    assert "harmless" in text

    shutil.rmtree(tmp_path / "logs")
    await session.forget("session")
    assert not (tmp_path / "logs").exists()


@pytest.mark.parametrize("step", ["delete_messages", "delete_events", "scrub", "delete_metadata"])
async def test_a_crash_while_something_is_removed_is_made_up_for(
    app: Sojourn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    session = await app.sessions.create("s")
    log = JournalLog(session, SessionLogger(config(tmp_path)))
    seq = await fill(session, log)
    await log.catch_up()
    redaction = await session.forget("message", seq)

    def crash(*_arguments: object, **_more: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(SessionStorage, step, crash)
        with pytest.raises(KeyboardInterrupt):
            await log.forget(redaction)
    log.logger.close()

    again = JournalLog(session, SessionLogger.reopen(log.logger.session_dir, config(tmp_path)))
    await again.catch_up()
    assert holding(tmp_path / "logs") == []
    assert in_context(again) == ["harmless"]
    await again.close()


async def test_what_is_forgotten_while_nobody_logs_is_removed_by_the_next_who_does(tmp_path: Path) -> None:
    async with sojourn.open(tmp_path / "s.db", settings=QUIET) as app:
        session = await app.sessions.create("s")
        log = await open_log(session, config(tmp_path))
        seq = await fill(session, log)
        await log.close()
        folder = log.logger.session_dir
        assert holding(folder)

        await session.forget("message", seq)
        again = await open_log(session, config(tmp_path, LogStream.CONTEXT))
        assert in_context(again) == ["harmless"]
        await again.close()
        assert holding(folder) == []


async def test_every_log_of_a_session_forgets_also_those_of_earlier_runs(tmp_path: Path) -> None:
    folders, seq = [], 0
    for run in range(3):
        async with sojourn.open(tmp_path / "s.db", settings=QUIET) as app:
            session = await (app.sessions.open("s") if run else app.sessions.create("s"))
            log = await attached(app, session, tmp_path / str(run))
            if not run:
                seq = await fill(session, log)
                await session.append(UsageRecorded(input_tokens=10), causes=[session.head])
            await log.close()
            folders.append(log.logger.session_dir)
    assert [len(holding(folder)) > 0 for folder in folders] == [True, True, True]
    shutil.rmtree(folders[1])
    (folders[2] / "context.md").unlink()

    async with sojourn.open(tmp_path / "s.db", settings=QUIET) as app:
        session = await app.sessions.open("s")
        let_logs_forget(app)
        let_logs_forget(app)
        await session.forget("message", seq)
        assert len(await app.store.documents.list_keys("log/s/")) == 2
    assert holding(tmp_path / "0") == holding(tmp_path / "2") == []
    assert "harmless" in (folders[0] / "context.md").read_text("utf-8")
    assert "prompt=10" in (folders[0] / "verbose.md").read_text("utf-8")
    assert not folders[1].exists()


async def test_a_log_that_nobody_has_open_can_be_told_to_forget(tmp_path: Path) -> None:
    async with sojourn.open(tmp_path / "s.db", settings=QUIET) as app:
        session, other = await app.sessions.create("s"), await app.sessions.create("without-a-log")
        log = await open_log(session, config(tmp_path))
        seq = await fill(session, log)
        await log.close()
        redaction = await session.forget("message", seq)
        assert holding(log.logger.session_dir)

        await forget_in_logs(app.store, redaction)
        assert holding(log.logger.session_dir) == []
        await other.append(said(SECRET))
        await forget_in_logs(app.store, await other.forget("message", other.head))


async def test_a_damaged_log_does_not_keep_others_from_forgetting(tmp_path: Path) -> None:
    async with sojourn.open(tmp_path / "s.db", settings=QUIET) as app:
        session = await app.sessions.create("s")
        first, second = [await attached(app, session, tmp_path / name) for name in ("a", "b")]
        seq = await fill(session, first)
        await first.close()
        await second.close()
        (second.logger.session_dir / "session.db").write_bytes(b"damaged " * 1_000)
        with pytest.raises(CorruptError):
            await session.forget("message", seq)
    assert holding(tmp_path / "a") == []


async def test_a_purged_session_leaves_an_empty_log(app: Sojourn, tmp_path: Path) -> None:
    session = await app.sessions.create("s")
    log = await attached(app, session, tmp_path)
    await fill(session, log)
    await app.background.drain()
    await app.sessions.purge("s")
    assert holding(log.logger.session_dir) == []
    assert in_context(log) == []
    await log.close()


async def test_forgetting_in_another_session_leaves_the_log_alone(app: Sojourn, tmp_path: Path) -> None:
    session, other = await app.sessions.create("s"), await app.sessions.create("other")
    log = await attached(app, session, tmp_path)
    await fill(session, log)
    await other.append(said("x"))
    await app.background.drain()
    before = dump(log.logger.session_dir)
    await other.forget("message", 2)
    assert dump(log.logger.session_dir) == before
    assert "raw.jsonl" in holding(log.logger.session_dir)
    await log.close()


async def test_one_who_cannot_forget_stops_no_other_and_is_not_passed_over_in_silence(
    app: Sojourn, tmp_path: Path
) -> None:
    async def refuse(redaction: Redaction) -> None:
        raise AccessError(f"{len(redaction.tombstones)} session")

    async def idle(session: Session) -> None:
        assert session.id

    app.background.follow("refuses", idle, forget=refuse)
    session = await app.sessions.create("s")
    log = await attached(app, session, tmp_path)
    seq = await fill(session, log)
    await app.background.drain()
    with pytest.raises(AccessError, match="1 session"):
        await session.forget("message", seq)
    assert holding(log.logger.session_dir) == []
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
