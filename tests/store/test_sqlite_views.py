"""The documented views of a SQLite file, for people with sqlite3 or Datasette."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from sojourn.model import events as ev
from sojourn.model.entry import Draft
from sojourn.model.ids import Seq, SessionId
from sojourn.model.message import DataPart, MediaPart, Message, TextPart, ToolCall
from sojourn.store import open_store
from sojourn.testing import FakeClock
from sojourn.testing.factories import NEW_YEAR, said

COLUMNS = {
    "messages": "tenant session_id id role content name tool_call_id tool_calls tokens timestamp in_context summary_of",
    "events": "tenant session_id id message_id event_type data causes timestamp",
    "metadata": "tenant session_id key value",
    "session_state": "tenant session_id user_id focus_type focus_id focus_context referenced_entities short_term_memory"
    " turn_count created_at updated_at",
}


def read_view(path: Path, sql: str) -> list[dict[str, Any]]:
    """Read with the standard library, on a file that nobody has open, as a stranger would."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    try:
        return [dict(row) for row in connection.execute(sql)]
    finally:
        connection.close()


@pytest.fixture
async def database(tmp_path: Path, anyio_backend: str) -> Path:
    """A file with one session `s` of tenant `default`, another tenant's session, and a fork."""
    path = tmp_path / "sojourn.db"
    call = ToolCall(id="c1", name="search", arguments={"q": "tea"})
    parts = (TextPart(text="see"), MediaPart(media_type="image/png", data=b"\0"), DataPart(data=[1]))
    async with open_store(path, clock=FakeClock()) as store:
        await store.create_session("s", ev.SessionCreated(user_id="ada", title="Tea", parent=SessionId("p")))
        await store.append(
            "s",
            [
                said("Ist das Tee? ☕"),
                ev.MessageAdded(message=Message(role="assistant", content=parts, tool_calls=(call,), tokens=12)),
                ev.MessageAdded(message=Message(role="tool", content="yes", tool_call_id="c1", name="search")),
                ev.MessageAdded(message=Message(role="assistant")),
            ],
        )
        await store.append(
            "s",
            [
                Draft(event=ev.TopicChanged(topic="tea"), causes=(Seq(2), Seq(4))),
                ev.TurnStarted(turn_id="t1"),
                ev.TurnStarted(turn_id="t2"),
                ev.FocusChanged(focus_type="task", focus_id="7", context={"board": "home"}),
                *(ev.EntityReferenced(entity_type="person", entity_id=str(n % 25), title=f"P{n}") for n in range(50)),
                ev.ShortTermMemoryUpdated(text="talks of tea"),
                ev.Compacted(summary="They talked.", through=Seq(3)),
            ],
        )
        await store.fork_session("s", "f")
        await store.for_tenant("other").create_session("s")
    return path


@pytest.mark.anyio
@pytest.mark.parametrize("view", COLUMNS)
async def test_a_view_has_its_documented_columns(database: Path, view: str) -> None:
    columns = [row["name"] for row in read_view(database, f"PRAGMA table_info({view})")]

    assert columns == COLUMNS[view].split()


@pytest.mark.anyio
async def test_messages_show_who_said_what_and_whether_the_model_still_sees_it(database: Path) -> None:
    rows = read_view(database, "SELECT * FROM messages ORDER BY id")

    assert [(row["tenant"], row["session_id"], row["id"], row["role"]) for row in rows] == [
        ("default", "s", 2, "user"),
        ("default", "s", 3, "assistant"),
        ("default", "s", 4, "tool"),
        ("default", "s", 5, "assistant"),
    ]
    assert rows[0]["content"] == "Ist das Tee? ☕"
    assert json.loads(rows[1]["content"])[0] == {"type": "text", "text": "see"}
    assert json.loads(rows[1]["tool_calls"]) == [{"id": "c1", "name": "search", "arguments": {"q": "tea"}}]
    assert (rows[1]["tokens"], rows[2]["tool_call_id"], rows[2]["name"]) == (12, "c1", "search")
    assert rows[3]["content"] == ""
    assert [row["in_context"] for row in rows] == [0, 0, 1, 1]
    assert {row["timestamp"] for row in rows} == {NEW_YEAR.timestamp()}


@pytest.mark.anyio
async def test_events_show_everything_that_is_no_message(database: Path) -> None:
    rows = read_view(database, "SELECT * FROM events WHERE session_id = 's' AND tenant = 'default' ORDER BY id")

    assert [row["event_type"] for row in rows[:3]] == ["session_created", "topic_changed", "turn_started"]
    assert (rows[1]["id"], rows[1]["message_id"], rows[1]["causes"]) == (6, 2, "[2,4]")
    assert json.loads(rows[1]["data"]) == {"kind": "topic_changed", "topic": "tea"}


@pytest.mark.anyio
async def test_metadata_shows_a_session_by_keys(database: Path) -> None:
    rows = read_view(database, "SELECT key, value FROM metadata WHERE session_id = 's' AND tenant = 'default'")
    fork = read_view(database, "SELECT value FROM metadata WHERE session_id = 'f' AND key = 'parent_id'")

    assert {row["key"]: row["value"] for row in rows} == {
        "session_id": "s",
        "created_at": "2030-01-01T00:00:00.000Z",
        "updated_at": "2030-01-01T00:00:00.000Z",
        "title": "Tea",
        "parent_id": "p",
    }
    assert fork == [{"value": "p"}]


@pytest.mark.anyio
async def test_session_state_shows_the_working_memory(database: Path) -> None:
    [row] = read_view(database, "SELECT * FROM session_state WHERE session_id = 's' AND tenant = 'default'")
    entities = json.loads(row["referenced_entities"])

    assert (row["user_id"], row["focus_type"], row["focus_id"]) == ("ada", "task", "7")
    assert json.loads(row["focus_context"]) == {"board": "home"}
    assert (row["short_term_memory"], row["turn_count"]) == ("talks of tea", 2)
    assert row["created_at"] == row["updated_at"] == "2030-01-01T00:00:00.000Z"
    assert [entity["id"] for entity in entities] == [str(n) for n in range(5, 25)]
    assert entities[0] == {"type": "person", "id": "5", "title": "P5", "referenced_at": "2030-01-01T00:00:00.000Z"}


@pytest.mark.anyio
async def test_a_session_without_focus_is_in_general_focus(database: Path) -> None:
    [row] = read_view(database, "SELECT * FROM session_state WHERE tenant = 'other'")

    assert (row["focus_type"], row["focus_id"], row["referenced_entities"], row["turn_count"]) == (
        "general",
        None,
        "[]",
        0,
    )


@pytest.mark.anyio
async def test_an_encrypted_row_shows_no_content(database: Path) -> None:
    connection = sqlite3.connect(database)
    connection.execute("UPDATE journal SET key_id = 'k', payload = 'not JSON' WHERE session_id = 's'")
    connection.commit()
    connection.close()

    messages = read_view(database, "SELECT role, content, tool_calls, in_context FROM messages")
    events = read_view(database, "SELECT data FROM events WHERE session_id = 's'")
    [state] = read_view(database, "SELECT * FROM session_state WHERE session_id = 's' AND tenant = 'default'")

    assert {tuple(row.values())[:3] for row in messages} == {(None, None, None)}
    assert {row["data"] for row in events} == {None}
    assert state["focus_type"] == "general"
