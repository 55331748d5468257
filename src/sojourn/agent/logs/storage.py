"""The database of one log: its messages, its events and a few facts about it, in tables that people can read.

A message's row also says whether it is still part of what the model sees, and which messages it summarises. What the
tables have no column for is in the metadata, under the message's number: that a tool failed, or an answer was cut off.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec

from sojourn.errors import BusyError, CorruptError, InvalidInputError, NewerVersionError, NotFoundError
from sojourn.model.message import Role
from sojourn.model.value import Value
from sojourn.store.filesystem import create_private_file, is_network_path
from sojourn.store.sql.sqlite_driver import BUSY_TIMEOUT_MS, keep_journal
from sojourn.store.sql.sqlite_errors import translated
from sojourn.store.sql.sqlite_schema import transaction

SCHEMA_VERSION: Final = 1
_NO_LINK: Final = getattr(apsw, "SQLITE_OPEN_NOFOLLOW", 0)
_FLAGS: Final = "flags/"
_MESSAGE: Final = """
    SELECT m.id, m.role, m.content, m.name, m.tool_call_id, m.tool_calls, m.tokens, m.timestamp, m.in_context,
        m.summary_of, (SELECT value FROM metadata WHERE key = 'flags/' || m.id)
    FROM messages AS m"""


class MessageRow(Value, frozen=True, kw_only=True):
    """A row of `messages`. *flags* are `error` (a tool that failed) and `partial` (an answer that was cut off)."""

    id: int
    role: Role
    content: str
    name: str | None = None
    tool_call_id: str | None = None
    tool_calls: str | None = None
    tokens: int | None = None
    timestamp: float
    in_context: bool = True
    summary_of: tuple[int, ...] | None = None
    flags: frozenset[str] = frozenset()


class EventRow(Value, frozen=True, kw_only=True):
    """A row of `events`; *data* is its JSON."""

    id: int
    message_id: int | None = None
    event_type: str
    data: dict[str, Any] = {}
    timestamp: float


class SessionStorage:
    """One log's `session.db`, open until `close`. Used by one thread at a time, whichever that is."""

    def __init__(self, path: Path) -> None:
        """Open the database at *path*; it is made if it is not there.

        Raises:
            CorruptError: the file is no log.
            NewerVersionError: a newer Sojourn wrote it.
            AccessError: it cannot be opened, or is a link.
        """
        self.path = path
        with translated(path):
            if not path.is_symlink():
                create_private_file(path)
            self._connection = self._opened()

    def __repr__(self) -> str:
        return f"SessionStorage({str(self.path)!r})"

    def _opened(self) -> apsw.Connection:
        # The folder may well lie behind a link, the file and the folder of the log may not.
        real = self.path.parent.parent.resolve() / self.path.parent.name / self.path.name
        connection = apsw.Connection(str(real), flags=apsw.SQLITE_OPEN_READWRITE | _NO_LINK)
        try:
            connection.set_busy_timeout(BUSY_TIMEOUT_MS)
            is_new = _is_empty(connection, self.path)
            connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
            connection.pragma("trusted_schema", False)
            connection.pragma("secure_delete", True)
            connection.pragma("foreign_keys", True)
            connection.pragma("synchronous", "normal")  # a killed process loses nothing, a power cut the last moment
            keep_journal(connection, "truncate" if is_network_path(self.path) else "wal")
            if is_new:
                with transaction(connection):
                    if _is_empty(connection, self.path):
                        connection.execute(resources.files(__package__).joinpath("schema.sql").read_text("utf-8"))
        except BaseException:
            connection.close(True)
            raise
        return connection

    def close(self) -> None:
        """Close the database. Closing twice is fine."""
        with translated(self.path):
            self._connection.close(True)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all of the block or nothing; within another one it is part of that."""
        with translated(self.path):
            if self._connection.in_transaction:
                yield
                return
            with transaction(self._connection):
                yield

    def _execute(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        with translated(self.path):
            return self._connection.execute(sql, values).fetchall()

    # --- messages

    def insert_message(
        self,
        role: Role,
        content: str,
        *,
        timestamp: float,
        name: str | None = None,
        tool_call_id: str | None = None,
        tool_calls: str | None = None,
        tokens: int | None = None,
        flags: Iterable[str] = (),
        message_id: int | None = None,
    ) -> int:
        """Add a message and return its number: the next one, or *message_id*."""
        with self.transaction():
            [(number,)] = self._execute(
                "INSERT INTO messages (id, role, content, name, tool_call_id, tool_calls, tokens, timestamp)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
                (message_id, role, content, name, tool_call_id, tool_calls, tokens, timestamp),
            )
            if marked := ",".join(sorted(flags)):
                self.set_metadata(f"{_FLAGS}{number}", marked)
        return int(number)

    def get_messages(self, *, in_context_only: bool = True) -> list[MessageRow]:
        """Return the messages in the order of their numbers: those still in context, or all."""
        return list(self.each_message(in_context_only=in_context_only))

    def each_message(self, *, in_context_only: bool = False) -> Iterator[MessageRow]:
        """Yield the messages in the order of their numbers."""
        where = "WHERE m.in_context = 1" if in_context_only else ""
        with translated(self.path):
            for row in self._connection.execute(f"{_MESSAGE} {where} ORDER BY m.id"):
                yield _message_row(row)

    def get_message(self, message_id: int) -> MessageRow:
        """Return one message.

        Raises:
            NotFoundError: there is none of this number.
        """
        found = self._execute(f"{_MESSAGE} WHERE m.id = ?", (message_id,))
        if not found:
            raise NotFoundError(f"message {message_id} of {self.path}")
        return _message_row(found[0])

    def has_message(self, message_id: int) -> bool:
        """Tell whether there is a message of this number."""
        return bool(self._execute("SELECT 1 FROM messages WHERE id = ?", (message_id,)))

    def delete_message(self, message_id: int) -> None:
        """Remove one message, and what is known about it."""
        with self.transaction():
            self._execute("UPDATE events SET message_id = NULL WHERE message_id = ?", (message_id,))
            self._execute("DELETE FROM metadata WHERE key = ?", (f"{_FLAGS}{message_id}",))
            self._execute("DELETE FROM messages WHERE id = ?", (message_id,))

    def delete_messages(self, *, after: int = 0) -> None:
        """Remove every message whose number is higher than *after*, and what is known about it; the next follows it."""
        with self.transaction():
            self._execute("UPDATE events SET message_id = NULL WHERE message_id > ?", (after,))
            self._execute(
                "DELETE FROM metadata WHERE key GLOB 'flags/*' AND CAST(substr(key, 7) AS INTEGER) > ?", (after,)
            )
            self._execute("DELETE FROM messages WHERE id > ?", (after,))
            self._execute(
                "UPDATE sqlite_sequence SET seq = (SELECT coalesce(max(id), 0) FROM messages) WHERE name = 'messages'"
            )

    def update_context_status(self, message_ids: Iterable[int], in_context: bool) -> None:
        """Note that these messages are part of what the model sees, or are not any more."""
        with self.transaction():
            self._connection.executemany(
                "UPDATE messages SET in_context = ? WHERE id = ?", [(int(in_context), one) for one in message_ids]
            )

    def mark_as_summary(self, summary_id: int, message_ids: Iterable[int]) -> None:
        """Note that one message stands for others, which are no longer in context: both or neither.

        Raises:
            NotFoundError: there is no such message.
            InvalidInputError: it would stand for itself.
        """
        replaced = sorted(set(message_ids))
        if summary_id in replaced:
            raise InvalidInputError(f"message {summary_id} cannot be a summary of itself")
        with self.transaction():
            for one in (summary_id, *replaced):
                if not self.has_message(one):
                    raise NotFoundError(f"message {one} of {self.path}")
            self._execute(
                "UPDATE messages SET summary_of = ?, in_context = 1 WHERE id = ?",
                (",".join(map(str, replaced)), summary_id),
            )
            self.update_context_status(replaced, in_context=False)

    def get_summaries(self) -> dict[int, tuple[int, ...]]:
        """Return which messages each summary stands for, the oldest summary first."""
        found = self._execute("SELECT id, summary_of FROM messages WHERE summary_of IS NOT NULL ORDER BY id")
        return {number: _numbers(replaced) for number, replaced in found}

    def find_context(
        self, *, through: int | None = None, summaries: bool = False, role: Role | None = None
    ) -> list[int]:
        """Return the numbers of the messages in context: up to number *through*, of one *role*, or all.

        With *summaries*, those that are summaries are among them in any case.
        """
        found = self._execute(
            "SELECT id FROM messages WHERE in_context = 1"
            " AND ((id <= ?1 AND (?2 IS NULL OR role = ?2)) OR (?3 AND summary_of IS NOT NULL)) ORDER BY id",
            (2**62 if through is None else through, role, summaries),
        )
        return [number for (number,) in found]

    def restore_context(self, *, after: int, summary: int | None = None) -> None:
        """Put the messages after number *after* back into context, and of the summaries only this one."""
        with self.transaction():
            self._execute("UPDATE messages SET in_context = 0 WHERE in_context = 1 AND summary_of IS NOT NULL")
            self._execute("UPDATE messages SET in_context = 1 WHERE id > ? AND summary_of IS NULL", (after,))
            self._execute("UPDATE messages SET in_context = 1 WHERE id = ?", (summary,))

    def get_token_count(self) -> int:
        """Return the tokens of what is in context."""
        [(total,)] = self._execute("SELECT coalesce(sum(tokens), 0) FROM messages WHERE in_context = 1")
        return int(total)

    # --- metadata

    def set_metadata(self, key: str, value: str) -> None:
        """Keep *value* under *key*, in place of what is there."""
        self._execute("INSERT OR REPLACE INTO metadata (key, value) VALUES (?, ?)", (key, value))

    def get_metadata(self, key: str) -> str | None:
        """Return what is kept under *key*, or None."""
        found = self._execute("SELECT value FROM metadata WHERE key = ?", (key,))
        return found[0][0] if found else None

    def delete_metadata(self, key: str) -> None:
        """Keep nothing under *key*."""
        self._execute("DELETE FROM metadata WHERE key = ?", (key,))

    def get_all_metadata(self) -> dict[str, str]:
        """Return all that is known about the log and its messages."""
        return dict(self._execute("SELECT key, value FROM metadata ORDER BY key"))

    # --- events

    def insert_event(
        self, event_type: str, data: dict[str, Any], *, timestamp: float, message_id: int | None = None
    ) -> int:
        """Add an event, about a message or not, and return its number."""
        [(number,)] = self._execute(
            "INSERT INTO events (message_id, event_type, data, timestamp) VALUES (?, ?, ?, ?) RETURNING id",
            (message_id, event_type, msgspec.json.encode(data).decode(), timestamp),
        )
        return int(number)

    def get_events(self, event_type: str | None = None, *, message_id: int | None = None) -> list[EventRow]:
        """Return the events in the order of their numbers: all, of one type, about one message."""
        return list(self.each_event(event_type, message_id=message_id))

    def each_event(self, event_type: str | None = None, *, message_id: int | None = None) -> Iterator[EventRow]:
        """Yield the events in the order of their numbers."""
        with translated(self.path):
            for number, about, kind, data, timestamp in self._connection.execute(
                "SELECT id, message_id, event_type, data, timestamp FROM events"
                " WHERE (?1 IS NULL OR event_type = ?1) AND (?2 IS NULL OR message_id = ?2) ORDER BY id",
                (event_type, message_id),
            ):
                read = msgspec.json.decode(data or "{}", type=dict[str, Any])
                yield EventRow(id=number, message_id=about, event_type=kind, data=read, timestamp=timestamp)

    def delete_events(self, *, derived_only: bool) -> None:
        """Remove the events that were derived from a journal, or all."""
        with self.transaction():
            self._execute("DELETE FROM events WHERE NOT ? OR data ->> '$.seq' IS NOT NULL", (derived_only,))
            self._execute(
                "UPDATE sqlite_sequence SET seq = (SELECT coalesce(max(id), 0) FROM events) WHERE name = 'events'"
            )

    def scrub(self) -> None:
        """Leave nothing of what was removed in the file that keeps the last changes.

        Raises:
            BusyError: somebody else reads it now.
        """
        [(busy, *_)] = self._execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if busy:
            raise BusyError(f"{self.path}: it is removed, but another program reads the log that holds it; try again")


def _is_empty(connection: apsw.Connection, path: Path) -> bool:
    """Tell whether there is nothing in the file yet; a file that is no log of this version is refused."""
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema").fetchall()}
    if not names:
        return True
    if not {"schema_version", "messages", "metadata", "events"} <= names:
        raise CorruptError(f"{path} is no log of a session")
    newer = connection.execute("SELECT version FROM schema_version WHERE version > ?", (SCHEMA_VERSION,)).fetchall()
    if newer:
        raise NewerVersionError(f"{path}: schema {newer[0][0]}, this Sojourn knows {SCHEMA_VERSION}")
    return False


def _message_row(row: tuple[Any, ...]) -> MessageRow:
    number, role, content, name, call_id, calls, tokens, timestamp, in_context, summary_of, flags = row
    return MessageRow(
        id=number,
        role=role,
        content=content,
        name=name,
        tool_call_id=call_id,
        tool_calls=calls,
        tokens=tokens,
        timestamp=timestamp,
        in_context=bool(in_context),
        summary_of=None if summary_of is None else _numbers(summary_of),
        flags=frozenset(flags.split(",")) if flags else frozenset(),
    )


def _numbers(listed: str) -> tuple[int, ...]:
    return tuple(int(one) for one in listed.split(",") if one)
