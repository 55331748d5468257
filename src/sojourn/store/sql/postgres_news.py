"""News of journals that grew, between all processes that share a PostgreSQL database, by LISTEN and NOTIFY.

What was committed is announced right after the commit, in a transaction of its own, many sessions at a time. Within
the commit itself it would cost too much: PostgreSQL lets only one transaction with a notification commit at a time,
and makes it wait for the disk while it holds that lock, so that sessions which have nothing to do with each other
would queue up. If a process dies between the commit and the announcement, followers notice by their polling.

Two tasks belong to a `News`, in a task group inside one task that `open` starts and `close` awaits; a task group
entered in `open` itself would have to be left by the same caller. After a lost connection each tries again every
second: news is a hint, never the only way to learn of an entry.
"""

import asyncio
import hashlib
from contextlib import suppress
from typing import Final

import anyio
import psycopg

from sojourn.errors import StoreError
from sojourn.model.ids import Seq, SessionId, TenantId
from sojourn.store.feed import Feed
from sojourn.store.sql.postgres_connections import Connections, Line

RETRY_SECONDS: Final = 1.0
_FAREWELL_SECONDS: Final = 1.0
_REST_SECONDS: Final = 0.01
_LINES: Final = 25  # in one notification, which holds at most 8,000 bytes; a line has at most 278
# An announcement that a power cut takes away is no loss, so it need not wait for the disk.
_NOTIFY: Final = b"""
WITH hurried AS (SELECT set_config('synchronous_commit', 'off', true))
SELECT pg_notify(%s, lines) FROM hurried, unnest(%s::text[]) AS lines
"""


class News:
    """Hears what other processes append, and tells them. Lives from `open` to `close`, on one event loop."""

    def __init__(self, connections: Connections, *, schema: str, feed: Feed) -> None:
        """Publish to *feed* what is appended to *schema* elsewhere."""
        self._connections = connections
        self._channel = f"sojourn_{hashlib.sha256(schema.encode()).hexdigest()[:16]}"
        self._feed = feed
        self._heads: dict[tuple[TenantId, SessionId], Seq] = {}
        self._pending = anyio.Event()
        self._closing = anyio.Event()
        self._owner: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Begin to listen; from when this returns no announcement is missed while the connection lasts.

        Raises:
            StoreError: the server cannot be used.
        """
        line = await self._subscribe()
        self._owner = asyncio.create_task(self._run(line), name="sojourn-news")

    async def close(self) -> None:
        """Announce what is pending, and stop listening. Raises what went wrong in the meantime, if anything."""
        owner, self._owner = self._owner, None
        if owner is not None:
            self._closing.set()
            self._pending.set()
            await owner

    def announce(self, heads: dict[tuple[TenantId, SessionId], Seq]) -> None:
        """Tell the others soon that these sessions have these heads."""
        for place, head in heads.items():
            self._heads[place] = max(head, self._heads.get(place, head))
        if heads:
            self._pending.set()

    async def _run(self, line: Line) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._listen, line)
            await self._speak()
            tasks.cancel_scope.cancel()

    # --- listening

    async def _listen(self, line: Line) -> None:
        while True:
            try:
                with suppress(psycopg.Error):  # the connection is lost
                    async for notification in line.connection.notifies():
                        self._publish(notification.payload)
            finally:
                await line.connection.close()
            line = await self._subscribe_again()

    def _publish(self, lines: str) -> None:
        for line in lines.splitlines():
            head, tenant, session_id = line.split()
            self._feed.publish(TenantId(tenant), SessionId(session_id), Seq(int(head)))

    async def _subscribe(self) -> Line:
        line = await self._connections.connect()
        try:
            if not line.is_standby:  # which hears nothing: its followers poll
                await line.connection.execute(f'LISTEN "{self._channel}"'.encode())
        except BaseException:
            await line.connection.close()
            raise
        return line

    async def _subscribe_again(self) -> Line:
        while True:
            await anyio.sleep(RETRY_SECONDS)
            try:
                return await self._subscribe()
            except (psycopg.Error, StoreError):
                continue  # followers poll meanwhile

    # --- speaking

    async def _speak(self) -> None:
        while not self._closing.is_set():
            await self._pending.wait()
            self._pending = anyio.Event()
            announced = await self._announce_now()
            with anyio.move_on_after(_REST_SECONDS if announced else RETRY_SECONDS):
                await self._closing.wait()
            if not announced:
                self._pending.set()
        with anyio.move_on_after(_FAREWELL_SECONDS):
            await self._announce_now()

    async def _announce_now(self) -> bool:
        """Announce what is pending; tell whether that worked. What did not stays pending."""
        heads, self._heads = self._heads, {}
        if not heads:
            return True
        lines = [f"{head} {tenant} {session_id}" for (tenant, session_id), head in heads.items()]
        payloads = ["\n".join(lines[start : start + _LINES]) for start in range(0, len(lines), _LINES)]
        try:
            async with self._connections.lend() as line:
                await line.connection.execute(_NOTIFY, [self._channel, payloads])
        except (psycopg.Error, StoreError):
            self.announce(heads)
            return False
        return True
