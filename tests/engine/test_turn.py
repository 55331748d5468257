"""A turn is exclusive, ends one way or the other, and leaves a conversation that a model accepts."""

import asyncio
from pathlib import Path
from typing import Any

import anyio
import pytest

from sojourn import Session, open_store
from sojourn.context.validity import CANCELLED
from sojourn.engine.holding import kept
from sojourn.engine.repair import CANCELLED_BEFORE
from sojourn.engine.session import SessionOptions
from sojourn.errors import BusyError, LeaseLostError, LockedError, TooLargeError, UnavailableError
from sojourn.model.entry import Entry
from sojourn.model.events import MessageAdded, TurnEnded, VariableSet
from sojourn.model.message import Message, ToolCall
from sojourn.store.protocol import Store
from sojourn.testing.clock import FakeClock
from sojourn.testing.suite.check import Backend

pytestmark = pytest.mark.anyio


def last_turn_outcome(session: Session) -> str | None:
    turn = session.state.conversation.turn
    assert turn is not None
    return turn.outcome


async def spoken(store: Store, session_id: str) -> list[Message]:
    entries = await store.last_messages(session_id, 100)
    return [entry.event.message for entry in entries if isinstance(entry.event, MessageAdded)]


async def test_a_turn_is_counted_and_completed() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        async with session.turn():
            await session.messages.user("hi")
            await session.messages.assistant("hello")

        assert last_turn_outcome(session) == "completed"
        assert session.state.turn_count == 1
        assert session.state.metadata.response_count == 1


async def test_what_opens_a_turn_and_what_ends_it_can_be_one_append_each() -> None:
    async with open_store("memory:") as store:
        appended: list[list[str]] = []

        async def note(_: Session, entries: tuple[Entry, ...]) -> None:
            appended.append([type(entry.event).__name__ for entry in entries])

        session = await Session.create(store, "s", options=SessionOptions(on_append=note))
        question = MessageAdded(message=Message(role="user", content="hi"))
        async with session.turn(opening=[question]) as turn:
            answer = MessageAdded(message=Message(role="assistant", content="hello"))
            await session.append(answer, turn.completed())

        assert appended == [["TurnStarted", "MessageAdded"], ["MessageAdded", "TurnEnded"]]
        assert last_turn_outcome(session) == "completed"


async def test_a_turn_takes_the_session_and_gives_it_back_with_what_is_said_in_it() -> None:
    async with open_store("memory:") as store:
        asked: list[str] = []
        session = await Session.create(store, "s")
        other = await Session.open(store, "s")
        for name in ("acquire_lease", "release_lease"):
            setattr(store, name, lambda *_, name=name, **__: asked.append(name))

        async with session.turn(opening=[MessageAdded(message=Message(role="user", content="hi"))]) as turn:
            await session.append(turn.completed(), release=True)
            held_by_itself = session.in_turn
            await other.refresh()
            async with other.turn():  # it is free at once
                await other.append(VariableSet(name="x", value=1), release=True)

        assert asked == []
        assert not held_by_itself
        assert last_turn_outcome(other) == "completed"


async def test_a_turn_that_was_given_back_does_not_end_the_one_behind_it() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        given_back, may_leave = asyncio.Event(), asyncio.Event()

        async def first() -> None:
            async with session.turn() as turn:
                await session.append(turn.completed(), release=True)
                given_back.set()
                await may_leave.wait()

        leaving = asyncio.create_task(first())
        await given_back.wait()
        async with session.turn():
            may_leave.set()
            await leaving

            assert session.in_turn
            with pytest.raises(LockedError):
                await store.acquire_lease("s", "somebody else")
        assert not session.in_turn


async def test_a_turn_begins_behind_what_others_said_meanwhile() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        other = await Session.open(store, "s")
        await other.messages.user("said elsewhere")

        async with session.turn():
            assert session.in_turn
            assert [message.text for message in await spoken(store, "s")] == ["said elsewhere"]
            assert session.state.conversation.message_count == 1
            with pytest.raises(LockedError):
                async with other.turn():
                    pass

        assert last_turn_outcome(session) == "completed"


@pytest.mark.parametrize("whole_task", [True, False])
async def test_a_turn_that_is_cancelled_as_it_begins_is_closed_and_free(
    backend: Backend, tmp_path: Path, clock: FakeClock, *, whole_task: bool
) -> None:
    async with backend.make_store(tmp_path, clock) as store:
        session = await Session.create(store, "s")

        async def talk(scope: anyio.CancelScope) -> None:
            with scope:
                async with session.turn():
                    await anyio.sleep_forever()

        for steps in range(60):  # wherever the beginning is then: a lease that stayed would never expire by this clock
            scope = anyio.CancelScope()
            task = asyncio.create_task(talk(scope))
            for _ in range(steps):
                await asyncio.sleep(0)
            (task if whole_task else scope).cancel()
            await asyncio.wait([task])

            assert task.cancelled() or not whole_task
            assert await store.find_lease("s") is None
            await session.refresh()
            turn = session.state.conversation.turn
            assert turn is None or turn.outcome == "cancelled"
        async with session.turn():
            await session.messages.user("the next one can begin")


async def test_a_turn_ends_if_something_fails_right_after_it_was_taken() -> None:
    async with open_store("memory:") as store:
        fails = True

        async def told(_: Session, __: tuple[Entry, ...]) -> None:
            nonlocal fails
            if fails:
                fails = False
                raise ZeroDivisionError

        session = await Session.create(store, "s", options=SessionOptions(on_append=told))
        with pytest.raises(ZeroDivisionError):
            async with session.turn():
                raise AssertionError("it did not begin")

        assert not session.in_turn
        assert last_turn_outcome(session) == "failed"
        async with session.turn():
            await session.messages.user("the next one can begin")


async def test_a_turn_that_cannot_begin_behind_others_holds_nothing() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        other = await Session.open(store, "s")
        await other.messages.user("said elsewhere")
        too_much = MessageAdded(message=Message(role="user", content="x" * 17_000_000))

        with pytest.raises(TooLargeError):
            async with session.turn(opening=[too_much]):
                pass

        assert not session.in_turn
        async with other.turn():
            await other.messages.user("the turn is free")


async def test_a_turn_that_is_complete_stays_so_if_its_body_is_left_by_an_error() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")

        async def work() -> None:
            async with session.turn() as turn:
                await session.append(turn.completed())
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await work()

        assert last_turn_outcome(session) == "completed"
        async with session.turn():
            await session.messages.user("the next one can begin")


async def test_a_second_turn_is_refused_while_one_goes_on(tmp_path: Path) -> None:
    async with open_store(tmp_path / "s.db") as store:
        session = await Session.create(store, "s")
        other = await Session.open(store, "s")
        async with session.turn():
            with pytest.raises(LockedError):
                async with other.turn():
                    pass

        async with other.turn():
            await other.messages.user("now it is free")
        assert other.state.turn_count == 2


async def test_an_error_fails_the_turn_and_comes_out_as_it_is() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        with pytest.raises(ZeroDivisionError):
            async with session.turn():
                raise ZeroDivisionError

        assert last_turn_outcome(session) == "failed"


async def test_a_cancelled_turn_closes_its_calls_and_keeps_the_streamed_text() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        reached = asyncio.Event()

        async def work() -> None:
            async with session.turn():
                await session.messages.user("delete it")
                calls = (ToolCall(id="c1", name="rm"), ToolCall(id="c2", name="ls"))
                await session.messages.assistant(tool_calls=calls)
                await session.messages.tool_started("c1", "rm")
                await store.save_partial("s", "I was say")
                reached.set()
                await asyncio.Event().wait()

        task = asyncio.ensure_future(work())
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        messages = await spoken(store, "s")
        assert last_turn_outcome(session) == "cancelled"
        assert [(m.role, m.text, m.partial) for m in messages[2:]] == [
            ("tool", CANCELLED, False),
            ("tool", CANCELLED_BEFORE, False),
            ("assistant", "I was say", True),
        ]
        assert session.state.conversation.open_calls == ()
        assert await store.find_partial("s") is None


async def test_a_turn_that_fell_silent_is_marked_interrupted_by_the_next() -> None:
    clock = FakeClock()
    async with open_store("memory:", clock=clock) as store:
        silent = await Session.create(store, "s")
        survivor = await Session.open(store, "s")

        async def fall_silent() -> None:
            async with silent.turn("silent"):
                await silent.messages.user("are you there?")
                clock.advance(seconds=31)
                async with survivor.turn("next"):
                    pass
                await silent.messages.user("I was only asleep")

        with pytest.raises(LeaseLostError):
            await fall_silent()
        ended = [entry.event for entry in await store.read("s") if isinstance(entry.event, TurnEnded)]
        assert [(turn.turn_id, turn.outcome) for turn in ended] == [("silent", "interrupted"), ("next", "completed")]


async def test_an_append_beside_a_turn_that_ends_meanwhile_is_made_all_the_same() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        turn = session.turn()
        await turn.__aenter__()
        lease, real = session._lease, store.append

        async def slowly(*arguments: Any, **options: Any) -> Any:
            if options.get("lease") is lease and lease is not None:
                store.append = real  # type: ignore[method-assign]  # once
                await turn.__aexit__(None, None, None)
            return await real(*arguments, **options)

        store.append = slowly  # type: ignore[method-assign]  # it waits just so long
        await session.append(VariableSet(name="x", value=1))

        assert session.variables.to_dict() == {"x": 1}
        assert last_turn_outcome(session) == "completed"


class Renewing:
    """A store whose leases are renewed with what *ends* says: an error, or None if all is well."""

    def __init__(self, *ends: Exception | None) -> None:
        self.ends = list(ends)

    async def renew_lease(self, lease: Any, *, ttl: float) -> Any:
        end = self.ends.pop(0)
        if end is not None:
            raise end
        return lease


async def held(*ends: Exception | None, given_back: bool = False) -> bool:
    """Hold a lease until it was renewed with all of *ends*; tell whether it was kept so long.

    With *given_back* it is, while it is being renewed for the last time.
    """
    store: Any = Renewing(*ends)
    renewed = asyncio.Event()

    async def pause(_: float) -> None:
        if not store.ends:
            renewed.set()
            await asyncio.Event().wait()

    async with kept(store, store, is_held=lambda: bool(store.ends) or not given_back, after=0, pause=pause):
        await renewed.wait()
    return True


async def test_a_lease_that_cannot_be_renewed_for_a_moment_is_kept() -> None:
    gone = UnavailableError("gone")

    assert await held(gone, BusyError("busy"), None, gone, gone, None)


async def test_a_lease_that_was_given_back_is_not_missed() -> None:
    assert await held(None, LeaseLostError("given back"), given_back=True)


@pytest.mark.parametrize("ends", [[LeaseLostError("taken")], [UnavailableError("gone")] * 3])
async def test_a_lease_that_is_lost_or_ran_out_ends_the_turn(ends: list[Exception]) -> None:
    with pytest.raises(type(ends[0])):
        await held(*ends, None)
