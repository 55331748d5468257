"""News of journals that grew."""

import anyio
import pytest

from sojourn.model.ids import DEFAULT_TENANT, Seq, SessionId, TenantId
from sojourn.store.feed import Feed

pytestmark = pytest.mark.anyio


async def test_news_that_comes_while_a_follower_looks_itself_is_not_lost() -> None:
    feed, tenant, session_id = Feed(), TenantId(DEFAULT_TENANT), SessionId("s")
    looks = 0

    async def find_head() -> Seq:
        """Find what was there before the news, as a reader that began earlier does."""
        nonlocal looks
        looks += 1
        if looks == 2:
            feed.publish(tenant, session_id, Seq(3))
        return Seq(2)

    with anyio.fail_after(10):
        async with feed.follow(tenant, session_id, find_head=find_head, poll_seconds=0.0) as heads:
            assert await anext(heads) == 3
