"""A turn that is put aside keeps its tool calls, and another one can go on with them."""

import asyncio
from pathlib import Path

import pytest

from sojourn import Session, open_store
from sojourn.context.validity import CANCELLED
from sojourn.engine.repair import CANCELLED_BEFORE, NOT_RUN, UNKNOWN
from sojourn.model.events import MessageAdded, TurnEnded, TurnStarted
from sojourn.model.message import Message, ToolCall

pytestmark = pytest.mark.anyio

TWO_CALLS = (ToolCall(id="c1", name="rm"), ToolCall(id="c2", name="ls"))


async def said_after(session: Session, seq: int) -> list[Message]:
    entries = await session.store.read(session.id, after=seq)
    return [entry.event.message for entry in entries if isinstance(entry.event, MessageAdded)]


async def outcomes(session: Session) -> list[tuple[str, str]]:
    entries = await session.store.read(session.id)
    return [(e.event.turn_id, e.event.outcome) for e in entries if isinstance(e.event, TurnEnded)]


def open_calls(session: Session) -> list[tuple[str, bool]]:
    return [(call.call_id, call.started) for call in session.state.conversation.open_calls]


async def test_a_turn_that_is_put_aside_ends_as_waiting_and_keeps_its_calls() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        async with session.turn("one") as turn:
            await session.messages.user("clean up")
            await session.messages.assistant(tool_calls=TWO_CALLS)
            before = session.head
            turn.put_aside()

        assert await outcomes(session) == [("one", "waiting")]
        assert open_calls(session) == [("c1", False), ("c2", False)]
        assert await said_after(session, before) == []
        assert turn.turn_id == "one"


async def test_a_turn_that_resumes_finds_the_calls_and_can_run_them() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        async with session.turn("one") as turn:
            await session.messages.assistant(tool_calls=TWO_CALLS)
            turn.put_aside()

        async with session.turn("two", resume=True):
            assert open_calls(session) == [("c1", False), ("c2", False)]
            for call in TWO_CALLS:
                await session.messages.tool_started(call.id, call.name)
                await session.messages.tool(call.id, "done", name=call.name)

        assert await outcomes(session) == [("one", "waiting"), ("two", "completed")]
        assert open_calls(session) == []


async def test_any_other_turn_closes_the_calls_as_not_run() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        async with session.turn() as turn:
            await session.messages.assistant(tool_calls=TWO_CALLS)
            before = session.head
            turn.put_aside()
        async with session.turn():
            assert [m.text for m in await said_after(session, before)] == [NOT_RUN, NOT_RUN]
            assert open_calls(session) == []


async def test_resuming_a_dead_turn_keeps_what_never_started_and_closes_what_did() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.append(TurnStarted(turn_id="dead"))  # and its process is gone
        await session.messages.assistant(tool_calls=TWO_CALLS)
        await session.messages.tool_started("c1", "rm")
        before = session.head

        async with session.turn("next", resume=True):
            assert [(m.tool_call_id, m.text) for m in await said_after(session, before)] == [("c1", UNKNOWN)]
            assert open_calls(session) == [("c2", False)]
            await session.messages.tool("c2", "listed", name="ls")
        assert await outcomes(session) == [("dead", "interrupted"), ("next", "completed")]


async def test_text_that_was_streamed_behind_the_calls_is_saved_and_closes_them() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.append(TurnStarted(turn_id="dead"))
        await session.messages.assistant(tool_calls=TWO_CALLS)
        await store.save_partial("s", "Never mind, I")
        before = session.head

        async with session.turn(resume=True):
            said = [(m.role, m.text) for m in await said_after(session, before)]
        assert said == [("tool", NOT_RUN), ("tool", NOT_RUN), ("assistant", "Never mind, I")]
        assert await store.find_partial("s") is None


async def test_resuming_saves_the_streamed_text_where_no_call_is_open() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.append(TurnStarted(turn_id="dead"))
        await session.messages.user("tell me")
        await store.save_partial("s", "Once upon")
        async with session.turn(resume=True):
            [entry] = await session.messages.last(1)
        assert isinstance(entry.event, MessageAdded)
        assert (entry.event.message.text, entry.event.message.partial) == ("Once upon", True)


async def test_an_error_after_it_was_put_aside_fails_the_turn() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")

        async def fail() -> None:
            async with session.turn("one") as turn:
                await session.messages.assistant(tool_calls=TWO_CALLS)
                turn.put_aside()
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await fail()
        assert await outcomes(session) == [("one", "failed")]
        assert open_calls(session) == []


async def test_a_cancel_says_which_call_was_interrupted_and_which_was_not_started() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        reached = asyncio.Event()

        async def work() -> None:
            async with session.turn():
                await session.messages.assistant(tool_calls=TWO_CALLS)
                await session.messages.tool_started("c1", "rm")
                reached.set()
                await asyncio.Event().wait()

        task = asyncio.ensure_future(work())
        await reached.wait()
        before = session.head
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        said = await said_after(session, before)
        assert [(m.text, m.error) for m in said] == [(CANCELLED, True), (CANCELLED_BEFORE, True)]
        assert CANCELLED == "Cancelled by user: tool execution was interrupted"
        assert CANCELLED_BEFORE == "Cancelled by user: the tool was not started"


async def test_a_turn_that_waits_lets_go_of_the_session(tmp_path: Path) -> None:
    async with open_store(tmp_path / "s.db") as store:
        session, other = await Session.create(store, "s"), await Session.open(store, "s")
        async with session.turn() as turn:
            turn.put_aside()
        async with other.turn("two", resume=True):
            pass
        assert [outcome for _, outcome in await outcomes(session)] == ["waiting", "completed"]
