"""A log that follows a journal: rebuilt at will, complete and never double, whatever comes between."""

import logging
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest

import sojourn
from sojourn.agent.logs.config import LogConfig, LogStream
from sojourn.agent.logs.logger import SessionLogger
from sojourn.agent.logs.projection import JournalLog, open_log
from sojourn.engine.app import Sojourn
from sojourn.errors import InvalidInputError
from sojourn.model.events import (
    MessageAdded,
)
from sojourn.model.message import Message, ToolCall
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
