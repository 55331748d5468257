"""The database of a log: exactly the documented tables, and what can be done with them."""

import re
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from sojourn.agent.logs.storage import EventRow, MessageRow, SessionStorage
from sojourn.errors import AccessError, CorruptError, InvalidInputError, NewerVersionError, NotFoundError

DOCUMENTED = """
CREATE TABLE schema_version (version INTEGER PRIMARY KEY);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, role TEXT NOT NULL, content TEXT NOT NULL, name TEXT, tool_call_id TEXT,
    tool_calls TEXT, tokens INTEGER, timestamp REAL NOT NULL, in_context INTEGER DEFAULT 1, summary_of TEXT);
CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, message_id INTEGER, event_type TEXT NOT NULL, data TEXT,
    timestamp REAL NOT NULL, FOREIGN KEY (message_id) REFERENCES messages(id));
CREATE INDEX idx_messages_in_context ON messages(in_context);
CREATE INDEX idx_messages_role ON messages(role);
CREATE INDEX idx_events_type ON events(event_type);
CREATE INDEX idx_events_message ON events(message_id);
"""


def squeezed(sql: str) -> str:
    return re.sub(r"\s+", "", re.sub(r"--[^\n]*", "", sql))


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[SessionStorage]:
    opened = SessionStorage(tmp_path / "session.db")
    yield opened
    opened.close()


def test_the_tables_and_indexes_are_the_documented_ones(storage: SessionStorage) -> None:
    other = apsw.Connection(str(storage.path), flags=apsw.SQLITE_OPEN_READONLY)
    found = other.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'").fetchall()
    version = other.execute("SELECT version FROM schema_version").fetchall()
    other.close()

    assert {squeezed(str(sql)) for (sql,) in found} == {squeezed(one) for one in DOCUMENTED.split(";") if one.strip()}
    assert version == [(1,)]


def test_a_message_comes_back_as_it_was_added(storage: SessionStorage) -> None:
    number = storage.insert_message(
        "tool", "no", name="read", tool_call_id="c1", tokens=3, timestamp=1.5, flags=["error"]
    )
    row = MessageRow(
        id=number,
        role="tool",
        content="no",
        name="read",
        tool_call_id="c1",
        tokens=3,
        timestamp=1.5,
        flags=frozenset({"error"}),
    )
    assert number == 1
    assert storage.get_message(number) == row
    assert storage.get_messages() == [row]


def test_messages_are_counted_from_one_and_a_number_is_never_used_again(storage: SessionStorage) -> None:
    numbers = [storage.insert_message("user", text, timestamp=0.0) for text in "abc"]
    storage.delete_message(3)
    assert numbers == [1, 2, 3]
    assert storage.insert_message("user", "d", timestamp=0.0) == 4


def test_only_what_is_in_context_counts(storage: SessionStorage) -> None:
    for text, tokens in (("a", 5), ("b", None), ("c", 7)):
        storage.insert_message("user", text, tokens=tokens, timestamp=0.0)
    assert storage.get_token_count() == 12

    storage.update_context_status([1], in_context=False)
    assert storage.get_token_count() == 7
    assert [row.content for row in storage.get_messages()] == ["b", "c"]
    assert [row.content for row in storage.get_messages(in_context_only=False)] == ["a", "b", "c"]

    storage.update_context_status([1], in_context=True)
    assert storage.get_token_count() == 12


def test_a_summary_takes_what_it_stands_for_out_of_the_context(storage: SessionStorage) -> None:
    for text in "abcs":
        storage.insert_message("user", text, tokens=1, timestamp=0.0)
    storage.mark_as_summary(4, [3, 1, 2])

    assert [row.id for row in storage.get_messages()] == [4]
    assert storage.get_message(4).summary_of == (1, 2, 3)
    assert storage._execute("SELECT summary_of FROM messages WHERE id = 4") == [("1,2,3",)]
    assert storage.get_token_count() == 1


@pytest.mark.parametrize(
    ("summary", "replaced", "error"),
    [(9, [1], NotFoundError), (3, [1, 9], NotFoundError), (3, [1, 3], InvalidInputError)],
)
def test_a_summary_that_cannot_be_changes_nothing(
    storage: SessionStorage, summary: int, replaced: list[int], error: type[Exception]
) -> None:
    for text in "abc":
        storage.insert_message("user", text, timestamp=0.0)
    before = storage.get_messages(in_context_only=False)
    with pytest.raises(error):
        storage.mark_as_summary(summary, replaced)
    assert storage.get_messages(in_context_only=False) == before


def test_a_message_that_is_not_there_is_not_found(storage: SessionStorage) -> None:
    with pytest.raises(NotFoundError):
        storage.get_message(1)


def test_metadata_is_kept_by_key(storage: SessionStorage) -> None:
    storage.set_metadata("a", "1")
    storage.set_metadata("a", "2")
    storage.set_metadata("b", "")
    assert (storage.get_metadata("a"), storage.get_metadata("c")) == ("2", None)
    assert storage.get_all_metadata() == {"a": "2", "b": ""}


def test_events_are_found_by_type_and_by_message(storage: SessionStorage) -> None:
    number = storage.insert_message("user", "a", timestamp=0.0)
    storage.insert_event("thinking", {"content": "hm"}, timestamp=1.0, message_id=number)
    storage.insert_event("timing", {"operation": "x"}, timestamp=2.0)

    thinking = EventRow(id=1, message_id=1, event_type="thinking", data={"content": "hm"}, timestamp=1.0)
    timing = EventRow(id=2, event_type="timing", data={"operation": "x"}, timestamp=2.0)
    assert storage.get_events() == [thinking, timing]
    assert storage.get_events("timing") == [timing]
    assert storage.get_events(message_id=number) == [thinking]


def test_a_transaction_that_fails_leaves_nothing(storage: SessionStorage) -> None:
    def fail() -> None:
        with storage.transaction():
            storage.insert_message("user", "a", timestamp=0.0)
            storage.set_metadata("k", "v")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert (storage.get_messages(), storage.get_all_metadata()) == ([], {})


def test_a_database_can_be_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "session.db"
    first = SessionStorage(path)
    first.insert_message("user", "Straße 👩‍👩‍👧 \0 \u2028", timestamp=0.25)
    first.close()
    first.close()
    again = SessionStorage(path)
    assert [row.content for row in again.get_messages()] == ["Straße 👩‍👩‍👧 \0 \u2028"]
    again.close()


def test_a_newer_log_another_database_and_a_text_are_refused_and_left_alone(tmp_path: Path) -> None:
    newer = tmp_path / "newer.db"
    opened = SessionStorage(newer)
    opened._execute("UPDATE schema_version SET version = 2")
    opened.close()
    other = tmp_path / "other.db"
    connection = apsw.Connection(str(other))
    connection.execute("CREATE TABLE messages (x)")
    connection.close()
    text = tmp_path / "text.db"
    text.write_text("not a database, but long enough to be taken for one " * 40)
    link = tmp_path / "link.db"
    link.symlink_to(other)
    before = [path.read_bytes() for path in (newer, other, text)]

    for path, error in (
        (newer, NewerVersionError), (other, CorruptError), (text, CorruptError), (link, AccessError)
    ):  # fmt: skip
        with pytest.raises(error):
            SessionStorage(path)
    assert [path.read_bytes() for path in (newer, other, text)] == before
