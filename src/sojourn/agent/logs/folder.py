"""One log's folder: a database, and texts that say the same.

The database comes first. It also says how long each text then is; a text of another length (a crash came between, the
disk was full, somebody wrote into it) is written anew from the database. So no message is missing and none is double.
"""

import logging
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from sojourn.agent.logs.cleaning import TOO_DEEP, kept, kept_json, said
from sojourn.agent.logs.config import LogStream, SessionInfo
from sojourn.agent.logs.files import LogFile, OutOfStepError
from sojourn.agent.logs.markdown import CONTEXT_FILE, VERBOSE_FILE, MarkdownWriter, R
from sojourn.agent.logs.raw import RAW_FILE
from sojourn.agent.logs.storage import EventRow, MessageRow, SessionStorage
from sojourn.context.tokens import PER_MEDIA, TokenCounter, count_message
from sojourn.errors import AccessError, ClosedError, CorruptError, StoreError
from sojourn.model.message import MediaPart, Message, ToolCall

DATABASE: Final = "session.db"
JOURNAL: Final = "journal"
"""The metadata that names the session whose journal a log follows."""
_UNWRITTEN: Final = -2
_SIZE: Final = "size/"
_log: Final = logging.getLogger(__name__)


class Batch:
    """What is written together: in one transaction, and then in one piece of text."""

    def __init__(self, storage: SessionStorage, counter: TokenCounter, *, verbose: bool) -> None:
        self.storage = storage
        self.is_verbose = verbose
        self.messages: list[MessageRow] = []
        self.events: list[EventRow] = []
        self.rewrites = False
        """Whether the texts are to be written anew."""
        self._counter = counter

    def add_message(
        self, message: Message, *, at: datetime, tokens: int | None = None, message_id: int | None = None
    ) -> int:
        """Add a message and return its number. Tokens that nobody reports are counted."""
        known = message.tokens if tokens is None else tokens
        flags = {name for name, is_so in (("error", message.error), ("partial", message.partial)) if is_so}
        content, calls = kept(said(message)), _calls_text(message.tool_calls) if message.tool_calls else None
        row = MessageRow(
            id=message_id or 0,
            role=message.role,
            content=content,
            name=None if message.name is None else kept(message.name),
            tool_call_id=None if message.tool_call_id is None else kept(message.tool_call_id),
            tool_calls=calls,
            tokens=self._count(message, content, calls) if known is None else known,
            timestamp=at.timestamp(),
            flags=frozenset(flags),
        )
        number = self.storage.insert_message(
            row.role,
            row.content,
            timestamp=row.timestamp,
            name=row.name,
            tool_call_id=row.tool_call_id,
            tool_calls=row.tool_calls,
            tokens=row.tokens,
            flags=row.flags,
            message_id=message_id,
        )
        self.messages.append(replace(row, id=number))
        return number

    def _count(self, message: Message, content: str, calls: str | None) -> int:
        pictures = 0 if isinstance(message.content, str) else sum(isinstance(p, MediaPart) for p in message.content)
        written = Message(role=message.role, content=content, tool_calls=_calls(calls))
        return count_message(self._counter, written) + pictures * PER_MEDIA

    def add_event(self, event_type: str, data: dict[str, Any], *, at: datetime, message_id: int | None = None) -> None:
        """Add an event, if the log is verbose."""
        if not self.is_verbose:
            return
        clean = _cleaned(data)
        number = self.storage.insert_event(event_type, clean, timestamp=at.timestamp(), message_id=message_id)
        self.events.append(
            EventRow(id=number, message_id=message_id, event_type=event_type, data=clean, timestamp=at.timestamp())
        )


class LogFolder:
    """The files of one log, open until `close`. Any thread may write; one does at a time."""

    def __init__(self, info: SessionInfo, *, streams: LogStream, counter: TokenCounter) -> None:
        """Open the log in a folder, or begin it; texts that are out of step are written anew.

        Raises:
            StoreError: a file cannot be opened, or is none of a log.
        """
        self.info = info
        self._counter = counter
        self._is_verbose = LogStream.VERBOSE in streams
        self._lock = threading.RLock()
        self._is_closed = False
        self._is_in_trouble = False
        folder = info.session_dir
        self._context = MarkdownWriter.of_messages(folder, started=info.created_at)
        self._verbose = MarkdownWriter.of_events(folder, started=info.created_at)
        self.storage = SessionStorage(folder / DATABASE)
        self._inode = _inode(self.storage.path)
        try:
            if self.storage.get_metadata("session_id") is None:
                self._begin()
            self._mend()
        except BaseException:
            self.storage.close()
            raise

    def __repr__(self) -> str:
        return f"LogFolder({str(self.info.session_dir)!r})"

    def _begin(self) -> None:
        info = self.info
        with self.storage.transaction():
            self.storage.set_metadata("session_id", info.session_id)
            self.storage.set_metadata("created_at", info.created_at.isoformat())
            if info.parent_id is not None:
                self.storage.set_metadata("parent_id", info.parent_id)

    @property
    def is_closed(self) -> bool:
        """Whether the files are closed."""
        return self._is_closed

    @contextmanager
    def batch(self, *, texts: bool = True) -> Iterator[Batch]:
        """Give what collects messages and events; all of them are in the database when the block ends, or none is.

        Texts that cannot be written are reported, and written with the next batch. Without *texts* they wait for it.

        Raises:
            ClosedError: the log is closed.
            StoreError: the database could not be written.
        """
        with self.reading():
            if _inode(self.storage.path) != self._inode:
                raise AccessError(f"{self.info.session_dir}: the log was removed")
            batch = Batch(self.storage, self._counter, verbose=self._is_verbose)
            with self.storage.transaction():
                yield batch
                pieces = [self._prepared(self._context, batch.messages, batch.rewrites)]
                pieces.append(self._prepared(self._verbose, batch.events, batch.rewrites))
            if texts:
                for file, text, at in pieces:
                    self._append(file, text, at)
                self._try_to_mend()

    def _try_to_mend(self) -> None:
        try:
            self._mend()
        except StoreError as error:
            self.report(error)
        else:
            self._is_in_trouble = False

    def report(self, error: StoreError) -> None:
        """Tell that the log cannot be written: once, until it can be again."""
        if not self._is_in_trouble:
            _log.warning("the log %s cannot be written now; the session goes on: %s", self.info.session_dir, error)
        self._is_in_trouble = True

    @contextmanager
    def reading(self) -> Iterator[SessionStorage]:
        """Give the database for the time of a block, in which nobody writes.

        Raises:
            ClosedError: the log is closed.
        """
        with self._lock:
            if self._is_closed:
                raise ClosedError(f"the log {self.info.session_dir}")
            yield self.storage

    def mend(self) -> None:
        """Bring the texts in step with the database, and leave nothing in it of what was removed.

        Raises:
            StoreError: that could not be done.
        """
        with self.reading() as storage:
            self._mend()
            storage.scrub()

    def close(self) -> None:
        """Close the files. Closing twice is fine."""
        with self._lock:
            if self._is_closed:
                return
            if _inode(self.storage.path) == self._inode:
                self._try_to_mend()
            self._is_closed = True
            self.storage.close()

    # --- the texts

    def _mend(self) -> None:
        """Write each text anew that is out of step with the database."""
        if self._context.file.size() != self._size(CONTEXT_FILE):
            self._note_size(CONTEXT_FILE, self._context.rewrite(self.storage.each_message()))
        # What is there from a run that was verbose must stay in step, too: something may be forgotten in it.
        verbose = self._is_verbose or self._verbose.file.exists()
        if verbose and self._verbose.file.size() != self._size(VERBOSE_FILE):
            self._note_size(VERBOSE_FILE, self._verbose.rewrite(self.storage.each_event()))

    def _prepared(self, writer: MarkdownWriter[R], rows: list[R], anew: bool) -> tuple[LogFile, bytes, int]:
        """Return what is to be written into a text and where, after the database knows its length."""
        name, text = writer.file.path.name, b"" if anew else writer.rendered(rows)
        at = self._size(name)
        if anew:
            self._note_size(name, _UNWRITTEN)
        elif text and at != _UNWRITTEN:
            self._note_size(name, at + len(text))
        return writer.file, text, at

    def _append(self, file: LogFile, text: bytes, at: int) -> None:
        """Write a piece of text. If that fails, the file is out of step, and whoever mends it finds out why."""
        if text and at != _UNWRITTEN:
            with suppress(OutOfStepError, StoreError):
                file.append(text, at=at)

    def _size(self, name: str) -> int:
        noted = self.storage.get_metadata(f"{_SIZE}{name}")
        return _UNWRITTEN if noted is None else int(noted)

    def _note_size(self, name: str, size: int) -> None:
        self.storage.set_metadata(f"{_SIZE}{name}", str(size))


def read_info(folder: Path) -> SessionInfo:
    """Return what the log in *folder* says about itself.

    Raises:
        CorruptError: there is no log in it.
    """
    path = folder / DATABASE
    if folder.is_symlink() or not LogFile(path).exists():
        raise CorruptError(f"{folder} is no folder of a log")
    storage = SessionStorage(path)
    try:
        known = storage.get_all_metadata()
    finally:
        storage.close()
    if not {"session_id", "created_at"} <= known.keys():
        raise CorruptError(f"{folder} holds a log that was never begun")
    return SessionInfo(
        session_id=known["session_id"],
        session_dir=folder,
        created_at=datetime.fromisoformat(known["created_at"]),
        parent_id=known.get("parent_id"),
    )


def find_streams(folder: Path) -> LogStream:
    """Return what the log in *folder* was written with, by the files that are there."""
    verbose = LogStream.VERBOSE if LogFile(folder / VERBOSE_FILE).exists() else LogStream.NONE
    raw = LogStream.RAW if LogFile(folder / RAW_FILE).exists() else LogStream.NONE
    return LogStream.CONTEXT | verbose | raw


def context_of(storage: SessionStorage) -> list[Message]:
    """Return what a model sees: the instructions, and a summary where the first message stood that it replaces."""
    places: dict[int, int] = {}
    for summary, replaced in storage.get_summaries().items():
        places[summary] = min((places.get(one, one) for one in replaced), default=1)
    if storage.get_metadata(JOURNAL) is None:  # in a journal they may be part of the talk
        places |= dict.fromkeys(storage.find_context(role="system"), 0)
    rows = sorted(storage.get_messages(), key=lambda row: (places.get(row.id, row.id), row.id))
    return [_as_message(row) for row in rows]


def _as_message(row: MessageRow) -> Message:
    """Return a row as the message that it was, but for secrets and for what is no text."""
    return Message(
        role=row.role,
        content=row.content,
        tool_calls=_calls(row.tool_calls),
        tool_call_id=row.tool_call_id,
        name=row.name,
        error="error" in row.flags,
        partial="partial" in row.flags,
    )


def _calls(text: str | None) -> tuple[ToolCall, ...]:
    return msgspec.json.decode(text, type=tuple[ToolCall, ...]) if text else ()


def _calls_text(calls: Iterable[ToolCall]) -> str:
    told: list[dict[str, Any]] = []
    for call in calls:
        arguments = kept_json(call.arguments)
        is_too_deep = arguments == TOO_DEEP
        written = {"id": kept(call.id), "name": kept(call.name), "arguments": {} if is_too_deep else arguments}
        text = TOO_DEEP if is_too_deep else call.arguments_text
        told.append(written if text is None else written | {"arguments_text": kept(text)})
    return msgspec.json.encode(told).decode()


def _cleaned(data: dict[str, Any]) -> dict[str, Any]:
    """Return the data of an event as it may be written: each value by its name, so that none spoils the others."""
    told = {name: kept_json({name: value}) for name, value in data.items()}
    return {name: TOO_DEEP if value == TOO_DEEP else value[name] for name, value in told.items()}


def _inode(path: Path) -> int:
    try:
        return path.lstat().st_ino
    except OSError:
        return 0
