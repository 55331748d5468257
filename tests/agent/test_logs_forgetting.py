"""What is forgotten in a journal is in no log any more, whoever wrote it and whether it is open or not."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import sojourn
from sojourn.agent.logs.config import LogStream
from sojourn.agent.logs.logger import SessionLogger
from sojourn.agent.logs.projection import JournalLog, forget_in_logs, let_logs_forget, open_log
from sojourn.agent.logs.storage import SessionStorage
from sojourn.engine.app import Sojourn
from sojourn.engine.session import Session
from sojourn.errors import AccessError, CorruptError
from sojourn.model.events import (
    Compacted,
    MessageAdded,
    UsageRecorded,
)
from sojourn.model.message import Message, TextPart, ThinkingPart
from sojourn.store.protocol import Redaction
from sojourn.testing.clock import FakeClock
from sojourn.testing.factories import said
from tests.agent.logs_kit import QUIET, attached, config, dump, in_context

pytestmark = pytest.mark.anyio
SECRET = "the treasure lies under the old oak"


@pytest.fixture
async def app() -> AsyncIterator[Sojourn]:
    async with sojourn.open("memory:", settings=QUIET, clock=FakeClock(tick=1)) as opened:
        yield opened


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
