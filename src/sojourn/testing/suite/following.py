"""Following a session: whoever moves its head, the followers hear of it."""

from collections.abc import AsyncIterator

import anyio

from sojourn.errors import SessionNotFoundError
from sojourn.model.ids import Seq
from sojourn.store.protocol import Store
from sojourn.testing.expectations import expect, expect_equal, expect_raises
from sojourn.testing.factories import said
from sojourn.testing.suite.check import Storage, on_shared_storage, on_store

PATIENCE = 20.0


async def _heads_until(heads: AsyncIterator[Seq], last: int) -> list[int]:
    seen: list[int] = []
    with anyio.fail_after(PATIENCE):
        async for head in heads:
            seen.append(head)
            if head >= last:
                break
    return seen


@on_store
async def a_follower_hears_of_every_append(store: Store) -> None:
    await store.create_session("s")
    async with store.subscribe("s") as heads:
        for last in (2, 3, 4):
            await store.append("s", [said()])
            expect_equal(await _heads_until(heads, last), [last], "what the follower hears")


@on_store
async def news_may_be_merged_and_never_runs_backwards(store: Store) -> None:
    await store.create_session("s")
    async with store.subscribe("s") as heads, anyio.create_task_group() as group:
        for _ in range(10):
            group.start_soon(store.append, "s", [said(), said()])
        seen = await _heads_until(heads, 21)
        expect_equal(seen, sorted(set(seen)), "what the follower hears, without repeats")
        expect_equal(seen[-1], 21, "the last head")


@on_store
async def a_follower_hears_nothing_of_other_sessions_and_of_the_past(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", [said()])
    await store.create_session("t")
    async with store.subscribe("s") as heads:
        await store.append("t", [said(), said(), said(), said()])
        await store.append("s", [said()])
        expect_equal(await _heads_until(heads, 3), [3], "what the follower hears")


@on_store
async def two_followers_hear_the_same(store: Store) -> None:
    await store.create_session("s")
    async with store.subscribe("s") as one, store.subscribe("s") as two:
        await store.append("s", [said()])
        expect_equal((await _heads_until(one, 2), await _heads_until(two, 2)), ([2], [2]), "what they hear")


@on_store
async def an_unknown_session_cannot_be_followed(store: Store) -> None:
    with expect_raises(SessionNotFoundError):
        async with store.subscribe("nobody"):
            expect(False, "an unknown session cannot be followed")


@on_shared_storage
async def a_follower_hears_of_appends_through_another_store(storage: Storage) -> None:
    async with storage.open() as one, storage.open() as two:
        await one.create_session("s")
        async with two.subscribe("s") as heads:
            for last in (2, 3):
                await one.append("s", [said()])
                expect_equal(await _heads_until(heads, last), [last], "what the follower hears")
