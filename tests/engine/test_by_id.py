"""Sessions by id, when they vanish at the worst moment; and what is decided on a state that others move."""

from typing import Any

import pytest

from sojourn import Session, open_store
from sojourn.clock import SystemClock
from sojourn.engine.by_id import SessionsById
from sojourn.engine.deciding import append_decided
from sojourn.engine.state_service import SessionStateService
from sojourn.errors import LeaseLostError
from sojourn.model.events import Event, TopicChanged
from sojourn.model.ids import DEFAULT_TENANT
from sojourn.model.state import SessionState
from sojourn.store.protocol import Loaded, Receipt
from sojourn.store.sql.sqlite_driver import SqliteDriver
from sojourn.store.sql.store import SqlStore
from sojourn.testing.clock import FakeClock

pytestmark = pytest.mark.anyio


class Vanishing(SqlStore):
    """A store in memory where somebody else purges a session right before the call that *before* names."""

    before = ""

    async def load(self, session_id: str, **options: Any) -> Loaded:
        if self.before == "load":
            await self.purge_session(session_id)
        return await super().load(session_id, **options)

    async def append(self, session_id: str, events: Any, **options: Any) -> Receipt:
        if self.before == "append":
            await self.purge_session(session_id)
        return await super().append(session_id, events, **options)


@pytest.mark.parametrize("call", ["load", "append"])
async def test_a_session_that_is_purged_meanwhile_is_unknown(call: str) -> None:
    store = Vanishing(SqliteDriver(None), clock=SystemClock(), tenant=DEFAULT_TENANT, open_copy=open_store)
    async with store:
        service = SessionStateService(store)
        for attempt in (service.increment_turn, service.delete):
            await service.get_or_create("s", "u")
            store.before = call
            assert not await attempt("s")
            store.before = ""

        assert await SessionsById(store).find("s") is None


async def test_what_was_decided_on_an_old_state_is_decided_anew() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        other = await Session.open(store, "s")
        topics: list[str | None] = []

        async def decide(state: SessionState) -> list[Event]:
            topics.append(state.interaction_context.current_topic)
            if len(topics) < 3:
                await other.append(TopicChanged(topic=f"theirs {len(topics)}"))
            return [TopicChanged(topic="ours")]

        receipt = await append_decided(session, decide)

        assert topics == [None, "theirs 1", "theirs 2"]
        assert receipt is not None
        assert receipt.last == session.head == 4


async def test_a_question_is_not_answered_for_ever_in_a_turn_that_was_lost() -> None:
    clock = FakeClock()
    async with open_store("memory:", clock=clock) as store:
        session = await Session.create(store, "s")
        raised = await session.interrupts.confirm("Sure?")
        other = await Session.open(store, "s")

        async def sleep_too_long() -> None:
            async with session.turn():
                clock.advance(seconds=31)
                async with other.turn():
                    pass
                await session.interrupts.answer(raised.interrupt_id, approved=True)

        with pytest.raises(LeaseLostError):
            await sleep_too_long()
        assert (await other.interrupts.get(raised.interrupt_id)).status == "pending"
