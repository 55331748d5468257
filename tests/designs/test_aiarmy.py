"""AIarmy: sessions that are saved by themselves, resumed by default, listed, and kept small by a working set."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

import sojourn
from sojourn import Session, events
from sojourn.engine.app import Sojourn
from sojourn.engine.settings import Settings
from sojourn.errors import InvalidSessionIdError, SessionNotFoundError
from sojourn.model.events import MessageAdded
from sojourn.model.message import ToolCall
from sojourn.testing.clock import FakeClock

pytestmark = pytest.mark.anyio


def read(path: Path) -> Any:
    return json.loads(path.read_text())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
async def app(home: Path) -> AsyncIterator[Sojourn]:
    async with sojourn.open(f"files:{home}", settings=Settings(keep_profile="yes"), clock=FakeClock(tick=1)) as opened:
        yield opened


async def exchange(session: Session, question: str, answer: str) -> None:
    await session.messages.user(question)
    await session.messages.assistant(answer)


async def test_a_session_is_saved_without_being_told_to_and_resumed_by_default(home: Path) -> None:
    async with sojourn.open(f"files:{home}") as app:
        session = await app.sessions.create("session-abc123")
        await app.sessions.switch(session.id)
        await exchange(session, "hello", "hi")

    async with sojourn.open(f"files:{home}") as app:
        resumed = await app.sessions.last()
        assert resumed is not None
        assert (resumed.id, resumed.state.conversation.message_count) == ("session-abc123", 2)
        assert (home / "current_session").read_text().strip() == "session-abc123"


async def test_the_session_folder_has_the_files_that_people_know(app: Sojourn, home: Path) -> None:
    session = await app.sessions.create("session-abc123")
    await exchange(session, "hello", "hi")
    await session.messages.used(input_tokens=40, output_tokens=2)
    await session.working_set.pin("Project: AIarmy")
    await session.working_set.decide("use SQLite")
    await session.working_set.open_task("write the tests")
    await session.working_set.touch_file("/src/a.py")
    await app.close()

    folder = home / "sessions" / "session-abc123"
    working, metadata = read(folder / "working.json"), read(folder / "metadata.json")
    assert [message["content"] for message in read(folder / "full.json")["messages"]] == ["hello", "hi"]
    assert working["pinned_facts"] == ["Project: AIarmy"]
    assert working["decisions"] == ["use SQLite"]
    assert working["open_tasks"] == ["write the tests"]
    assert working["files_touched"] == ["/src/a.py"]
    assert working["token_budget"]["used"] == 42
    assert (metadata["session_id"], metadata["message_count"], metadata["token_count"]) == ("session-abc123", 2, 42)
    assert {"created_at", "tokens_used", "runs"} <= read(folder / "state.json").keys()


async def test_sessions_are_listed_newest_first(app: Sojourn) -> None:
    for name in ("one", "two", "three"):
        await app.sessions.create(name)
    await (await app.sessions.open("one")).messages.user("I am back")

    listed = [row.header.session_id for row in (await app.sessions.list()).rows]
    assert listed == ["one", "three", "two"]


async def test_a_pointer_to_a_session_that_is_gone_is_ignored(app: Sojourn) -> None:
    await app.sessions.create("gone")
    await app.sessions.switch("gone")
    await app.sessions.purge("gone")

    assert await app.sessions.last() is None


async def test_one_shot_sessions_do_not_move_the_pointer(app: Sojourn) -> None:
    """The original's `ask` did, and the next start resumed the one-shot."""
    await app.sessions.create("main")
    await app.sessions.switch("main")
    await exchange(await app.sessions.create("single-1"), "quick question", "quick answer")

    last = await app.sessions.last()
    assert last is not None
    assert last.id == "main"


async def test_an_unknown_session_is_a_clear_error_and_not_a_none(app: Sojourn) -> None:
    with pytest.raises(SessionNotFoundError, match="List the sessions"):
        await app.sessions.open("nobody")


@pytest.mark.parametrize("bad", ["../x", "a/b", "", ".hidden", "x" * 129, "a\n"])
async def test_a_session_id_cannot_leave_the_folder(app: Sojourn, home: Path, bad: str) -> None:
    with pytest.raises(InvalidSessionIdError):
        await app.sessions.open(bad)
    assert not (home.parent / "x").exists()


async def test_created_at_survives_every_save(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    created = session.state.created_at
    await exchange(session, "a", "b")

    assert (await app.store.get_session("s")).header.created_at == created
    assert session.state.updated_at > created


async def test_the_working_set_has_no_duplicates_and_keeps_its_order(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    for text in ("first", "second", "first"):
        await session.working_set.decide(text)
        await session.working_set.pin(text)
        await session.working_set.open_task(text)
        await session.working_set.touch_file(f"/{text}")

    held = session.state.working_set
    assert [decision.text for decision in held.decisions] == ["first", "second"]
    assert held.pinned_facts == ("first", "second")
    assert [task.text for task in held.open_tasks] == ["first", "second"]
    assert [file.path for file in held.files_touched] == ["/second", "/first"]


async def test_the_working_set_does_not_grow_without_limit(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    await session.append(*(events.DecisionMade(text=f"decision {i}") for i in range(120)))
    await session.append(*(events.FactPinned(text=f"fact {i}") for i in range(120)))

    assert [decision.text for decision in session.state.working_set.decisions][-1] == "decision 119"
    assert len(session.state.working_set.decisions) == len(session.state.working_set.pinned_facts) == 50


async def test_the_window_is_the_last_20_and_begins_with_the_user(app: Sojourn) -> None:
    """The original's could begin with an assistant's message, which strict providers refuse."""
    session = await app.sessions.create("s")
    await session.messages.user("start")
    for i in range(15):
        await exchange(session, f"q{i}", f"a{i}")
    await session.messages.assistant("an afterthought")

    window = await session.messages.window(20)
    roles = [entry.event.message.role for entry in window if isinstance(entry.event, MessageAdded)]
    assert len(roles) <= 20
    assert roles[0] == "user"
    assert len([entry async for entry in session.messages.all()]) == 32


async def test_the_window_never_cuts_a_tool_result_from_its_call(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    await session.messages.user("read it")
    await session.messages.assistant(tool_calls=[ToolCall(id="c1", name="file_read")])
    await session.messages.tool("c1", "contents")
    await session.messages.assistant("done")
    await session.messages.user("thanks")

    roles = [
        entry.event.message.role for entry in await session.messages.window(3) if isinstance(entry.event, MessageAdded)
    ]
    assert roles == ["user"]


async def test_compacted_messages_leave_the_window_and_stay_in_the_history(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    for i in range(10):
        await exchange(session, f"q{i}", f"a{i}")
    through = (await session.messages.last(4))[0].seq - 1
    await session.append(events.Compacted(summary="They talked.", through=sojourn.model.ids.Seq(through), kept=4))

    assert session.state.working_set.summary == "They talked."
    assert session.state.conversation.window_messages == 4
    assert len(await session.messages.window(20)) == 4
    assert len([entry async for entry in session.messages.all()]) == 20


async def test_the_budget_survives_a_restart(home: Path) -> None:
    async with sojourn.open(f"files:{home}") as app:
        session = await app.sessions.create("s")
        await session.working_set.limit_tokens(100_000)
        await session.messages.used(input_tokens=99_000, output_tokens=990)

    async with sojourn.open(f"files:{home}") as app:
        budget = (await app.sessions.open("s")).state.working_set.token_budget
        assert (budget.used, budget.limit) == (99_990, 100_000)


async def test_a_damaged_metadata_file_does_not_break_the_list(app: Sojourn, home: Path) -> None:
    for name in ("one", "two"):
        await exchange(await app.sessions.create(name), "q", "a")
    (home / "sessions" / "one" / "metadata.json").write_text("{broken")

    async with sojourn.open(f"files:{home}") as again:
        assert sorted(row.header.session_id for row in (await again.sessions.list()).rows) == ["one", "two"]


async def test_branches_share_their_past_and_diverge(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    await exchange(session, "plan A or B?", "choose")
    branch = await app.sessions.fork("s", "b")
    await exchange(branch, "B", "fine")

    assert session.state.conversation.message_count == 2
    assert branch.state.conversation.message_count == 4
    assert (await app.sessions.tag("s", add=["planning"])).tags == ("planning",)
