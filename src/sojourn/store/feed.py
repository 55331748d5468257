"""News of journals that grew, for those who follow them.

Whoever appends in this process publishes at once. What other processes append is noticed by asking: a follower that
hears nothing for *poll_seconds* looks the head up itself. News may be merged, and is never out of order.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from sojourn.model.ids import Seq, SessionId, TenantId

_Place = tuple[TenantId, SessionId]


class Feed:
    """Who follows which session. Lives as long as its store, on one event loop."""

    def __init__(self) -> None:
        self._followers: dict[_Place, set[_Follower]] = {}

    def publish(self, tenant: TenantId, session_id: SessionId, head: Seq) -> None:
        """Tell the followers of this session that its head is now *head*."""
        for follower in self._followers.get((tenant, session_id), ()):
            follower.hear(head)

    @asynccontextmanager
    async def follow(
        self,
        tenant: TenantId,
        session_id: SessionId,
        *,
        find_head: Callable[[], Awaitable[Seq]],
        poll_seconds: float,
    ) -> AsyncIterator[AsyncIterator[Seq]]:
        """Give an iterator over the heads that the session reaches from now on."""
        follower = _Follower()
        followers = self._followers.setdefault((tenant, session_id), set())
        followers.add(follower)
        try:
            follower.seen = await find_head()
            yield follower.heads(find_head, poll_seconds)
        finally:
            followers.discard(follower)
            if not followers:
                self._followers.pop((tenant, session_id), None)


class _Follower:
    def __init__(self) -> None:
        import anyio  # noqa: PLC0415 - who follows nobody does not wait for it

        self.seen = Seq(0)
        self._heard = Seq(0)
        self._news = anyio.Event()

    def hear(self, head: Seq) -> None:
        self._heard = max(self._heard, head)
        self._news.set()

    async def heads(self, find_head: Callable[[], Awaitable[Seq]], poll_seconds: float) -> AsyncIterator[Seq]:
        import anyio  # noqa: PLC0415

        while True:
            with anyio.move_on_after(poll_seconds) as waiting:
                await self._news.wait()
            self._news = anyio.Event()
            if waiting.cancelled_caught:
                found = await find_head()  # meanwhile it may hear of more than is found
                self._heard = max(self._heard, found)
            if self._heard > self.seen:
                self.seen = self._heard
                yield self.seen
