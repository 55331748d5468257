"""More sessions than a page holds are gone through to the last."""

import pytest

from sojourn.model import events as ev
from sojourn.store import open_store
from sojourn.store.all_sessions import all_sessions
from sojourn.store.listing import MAX_SESSIONS
from sojourn.store.protocol import SessionQuery

pytestmark = pytest.mark.anyio


async def test_every_session_comes_once_however_many_there_are() -> None:
    wanted = {f"s{number}" for number in range(MAX_SESSIONS + 5)}
    async with open_store("memory:") as store:
        for name in wanted:
            await store.create_session(name, ev.SessionCreated(user_id="u"))
        await store.create_session("other", ev.SessionCreated(user_id="v"))

        found = [row.header.session_id async for row in all_sessions(store, SessionQuery(user_id="u", limit=3))]

    assert len(found) == len(wanted)
    assert set(found) == wanted
