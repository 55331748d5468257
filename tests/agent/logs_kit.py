"""What the tests of logs share: a log that follows a session, and what is in it."""

from pathlib import Path

import apsw

from sojourn.agent.logs.config import LogConfig, LogStream
from sojourn.agent.logs.logger import SessionLogger
from sojourn.agent.logs.projection import JournalLog
from sojourn.agent.logs.storage import MessageRow
from sojourn.engine.app import Sojourn
from sojourn.engine.session import Session
from sojourn.engine.settings import Settings
from sojourn.model.events import (
    MessageAdded,
)
from sojourn.model.message import Message
from sojourn.store.protocol import MAX_PAGE
from sojourn.testing.clock import FakeClock

QUIET = Settings(keep_profile="yes", learning="off", embeddings="off")


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
