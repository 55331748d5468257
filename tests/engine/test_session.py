"""A live session: its state follows the journal, whoever writes it."""

import asyncio
from pathlib import Path

import pytest

from sojourn import Message, Session, events, open_store
from sojourn.engine.session import SNAPSHOT_EVERY
from sojourn.errors import ConflictError
from sojourn.model.state import replay
from sojourn.store.protocol import Store

pytestmark = pytest.mark.anyio


def said(text: str) -> events.MessageAdded:
    return events.MessageAdded(message=Message(role="user", content=text))


async def replayed(store: Store, session_id: str) -> object:
    return replay(await store.read(session_id, limit=10_000))


async def test_the_state_holds_what_was_appended() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store)
        await session.append(said("hello"), events.FocusChanged(focus_type="task", focus_id="t1"))

        assert session.state.conversation.message_count == 1
        assert session.state.focus_id == "t1"
        assert session.state == await replayed(store, session.id)


async def test_a_state_that_was_taken_does_not_change_under_its_reader() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store)
        before = session.state
        await session.append(said("hello"))

        assert before.conversation.message_count == 0


async def test_two_open_sessions_on_one_journal_see_each_others_entries(tmp_path: Path) -> None:
    async with open_store(tmp_path / "s.db") as store:
        one = await Session.create(store, "s")
        other = await Session.open(store, "s")
        await one.append(said("a"))
        await other.append(said("b"))
        await one.refresh()

        assert one.state == other.state == await replayed(store, "s")
        assert one.state.conversation.message_count == 2


async def test_tasks_that_append_at_once_leave_a_state_like_the_journal(tmp_path: Path) -> None:
    async with open_store(tmp_path / "s.db") as store:
        session = await Session.create(store, "s")
        stranger = await Session.open(store, "s")
        await asyncio.gather(*(who.append(said(f"{i}")) for i in range(50) for who in (session, stranger)))
        await session.refresh()

        assert session.state == await replayed(store, "s")
        assert session.state.conversation.message_count == 100


async def test_an_append_at_an_expected_head_is_refused_when_another_was_first() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        stranger = await Session.open(store, "s")
        await stranger.append(said("first"))

        with pytest.raises(ConflictError):
            await session.append(said("second"), expected=session.head)
        await session.refresh()
        await session.append(said("second"), expected=session.head)
        assert session.state.conversation.message_count == 2


async def test_a_snapshot_is_kept_every_so_many_entries_and_gives_the_same_state() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        for _ in range(SNAPSHOT_EVERY // 50 + 1):
            await session.append(*(said("x") for _ in range(50)))
        loaded = await store.load("s")

        assert loaded.snapshot is not None
        assert len(loaded.tail) < SNAPSHOT_EVERY
        assert (await Session.open(store, "s")).state == session.state == await replayed(store, "s")


async def test_a_closed_session_is_opened_from_a_snapshot() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.append(*(said("x") for _ in range(200)))
        await session.close()

        assert (await store.load("s")).tail == ()
        assert (await Session.open(store, "s")).state == session.state


async def test_a_snapshot_of_another_version_is_ignored() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.append(*(said("x") for _ in range(200)))
        await session.close()
        snapshot = (await store.load("s")).snapshot
        assert snapshot is not None
        other = type(snapshot)(seq=snapshot.seq, data=snapshot.data.replace(b'"version":1', b'"version":999', 1))
        await store.save_snapshot("s", other, epoch=0)

        assert (await Session.open(store, "s")).state == session.state


async def test_a_fork_begins_with_the_state_at_its_place_and_goes_its_own_way() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        first = await session.append(said("one"))
        await session.append(said("two"))
        fork = await session.fork("f", at=first.last)
        await fork.append(said("another two"))

        assert fork.state.header.forked_from == "s"
        assert fork.state.conversation.message_count == session.state.conversation.message_count == 2
        texts = [entry.event.message.text for entry in await fork.last_messages()]  # type: ignore[union-attr]  # messages
        assert texts == ["one", "another two"]
        assert fork.state == await replayed(store, "f")


async def test_a_session_whose_past_was_forgotten_is_made_anew() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        secret = await session.append(said("secret"))
        await session.append(events.FactLearned(fact_id="f", content="secret"), causes=[secret.last])
        await store.redact("s", [secret.last])
        await session.refresh()

        assert session.state.conversation.message_count == 0
        assert session.state.knowledge_base.facts == {}
        assert session.state == await replayed(store, "s")


async def texts(session: Session, limit: int) -> list[str]:
    entries = await session.last_messages(limit)
    return [entry.event.message.text for entry in entries if isinstance(entry.event, events.MessageAdded)]


async def test_the_last_messages_are_the_same_from_memory_and_from_the_store(tmp_path: Path) -> None:
    async with open_store(tmp_path / "s.db") as store:
        session = await Session.create(store, "s")
        for i in range(100):
            await session.append(said(f"{i}"), events.UsageRecorded())
        stranger = await Session.open(store, "s")
        await stranger.append(said("from another"))
        assert await texts(session, 2) == ["98", "99"]
        await session.refresh()

        for limit in (1, 20, 64, 65, 101):
            assert await session.last_messages(limit) == await store.last_messages("s", limit)
        fresh = await Session.open(store, "s")
        assert await fresh.last_messages(20) == await fresh.last_messages(20) == await store.last_messages("s", 20)


async def test_a_long_or_forgotten_message_is_not_held_in_memory() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        for text in ("a", "x" * 200_000, "b", "c"):
            await session.append(said(text))
        assert [len(text) for text in await texts(session, 3)] == [200_000, 1, 1]
        assert await texts(session, 2) == ["b", "c"]

        await store.redact("s", [session.head])
        await session.refresh()
        assert await texts(session, 2) == ["x" * 200_000, "b"]
