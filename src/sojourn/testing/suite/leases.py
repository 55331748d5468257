"""Leases and partial text: what goes with a turn."""

import anyio

from sojourn.errors import ConflictError, InvalidInputError, LeaseLostError, LockedError, SessionNotFoundError
from sojourn.store.protocol import Claim, Lease, Store
from sojourn.testing.expectations import expect, expect_equal, expect_raises
from sojourn.testing.factories import ODD_TEXTS, said
from sojourn.testing.suite.check import Storage, on_shared_storage, on_store


@on_store
async def a_lease_is_held_by_one(store: Store) -> None:
    await store.create_session("s")
    lease = await store.acquire_lease("s", "one")
    expect_equal((lease.session_id, lease.holder), ("s", "one"), "the lease")
    for holder in ("two", "one"):
        with expect_raises(LockedError):
            await store.acquire_lease("s", holder)


@on_store
async def leases_of_two_sessions_are_apart(store: Store) -> None:
    await store.create_session("s")
    await store.create_session("t")
    await store.acquire_lease("s", "one")
    lease = await store.acquire_lease("t", "two")
    expect_equal(lease.holder, "two", "the other session's holder")


@on_store
async def of_many_that_ask_at_once_one_gets_the_lease(store: Store) -> None:
    await store.create_session("s")
    outcomes: list[str] = []

    async def ask(number: int) -> None:
        try:
            await store.acquire_lease("s", f"holder {number}")
            outcomes.append("got it")
        except LockedError:
            outcomes.append("locked")

    async with anyio.create_task_group() as group:
        for number in range(8):
            group.start_soon(ask, number)
    expect_equal(sorted(outcomes), ["got it"] + ["locked"] * 7, "the outcomes")


@on_store
async def whoever_holds_the_lease_is_found(store: Store) -> None:
    await store.create_session("s")
    expect_equal(await store.find_lease("s"), None, "the lease of a new session")
    lease = await store.acquire_lease("s", "one")
    expect_equal(await store.find_lease("s"), lease, "the lease")
    await store.release_lease(lease)
    expect_equal(await store.find_lease("s"), None, "a lease that was given back")
    await store.acquire_lease("s", "two", ttl=0)
    expect_equal(await store.find_lease("s"), None, "a lease that has expired")
    with expect_raises(SessionNotFoundError):
        await store.find_lease("nowhere")


@on_store
async def a_released_lease_is_free(store: Store) -> None:
    await store.create_session("s")
    await store.release_lease(await store.acquire_lease("s", "one"))
    lease = await store.acquire_lease("s", "two")
    expect_equal(lease.holder, "two", "the holder")


@on_store
async def an_expired_lease_is_free_and_the_token_grows(store: Store) -> None:
    await store.create_session("s")
    leases = [await store.acquire_lease("s", "me", ttl=0) for _ in range(3)]
    tokens = [lease.token for lease in leases]
    expect(tokens[0] < tokens[1] < tokens[2], "the tokens grow")
    await store.release_lease(leases[-1])
    after = await store.acquire_lease("s", "you")
    expect(after.token > tokens[-1], "the token grows after a release, too")


@on_store
async def a_renewed_lease_is_held_on(store: Store) -> None:
    await store.create_session("s")
    lease = await store.acquire_lease("s", "one", ttl=0)
    await store.renew_lease(lease, ttl=60)
    with expect_raises(LockedError):
        await store.acquire_lease("s", "two")
    await store.append("s", [said()], lease=lease)


@on_store
async def a_lease_renewed_for_no_time_is_free(store: Store) -> None:
    await store.create_session("s")
    lease = await store.acquire_lease("s", "one")
    await store.renew_lease(lease, ttl=0)
    expect_equal((await store.acquire_lease("s", "two")).holder, "two", "the holder")


@on_store
async def a_lost_lease_can_not_be_renewed_or_used(store: Store) -> None:
    await store.create_session("s")
    old = await store.acquire_lease("s", "same name", ttl=0)
    new = await store.acquire_lease("s", "same name")
    with expect_raises(LeaseLostError):
        await store.renew_lease(old)
    with expect_raises(LeaseLostError):
        await store.append("s", [said()], lease=old)
    await store.append("s", [said()], lease=new)


@on_store
async def releasing_a_lost_lease_does_nothing(store: Store) -> None:
    await store.create_session("s")
    old = await store.acquire_lease("s", "one", ttl=0)
    new = await store.acquire_lease("s", "two")
    await store.release_lease(old)
    await store.release_lease(Lease(session_id=new.session_id, holder="three", token=new.token))
    with expect_raises(LockedError):
        await store.acquire_lease("s", "four")
    await store.renew_lease(new)


@on_store
async def a_released_lease_is_lost_to_its_holder(store: Store) -> None:
    await store.create_session("s")
    lease = await store.acquire_lease("s", "one")
    await store.release_lease(lease)
    await store.release_lease(lease)
    with expect_raises(LeaseLostError):
        await store.renew_lease(lease)
    with expect_raises(LeaseLostError):
        await store.append("s", [said()], lease=lease)


@on_store
async def the_turn_is_taken_together_with_an_append(store: Store) -> None:
    await store.create_session("s")
    before = await store.acquire_lease("s", "before", ttl=0)
    receipt = await store.append("s", [said()], expected=1, lease=Claim(holder="one"))
    lease = receipt.lease
    expect_equal((receipt.first, lease and lease.holder, lease and lease.token), (2, "one", before.token + 1), "it")
    with expect_raises(LockedError):
        await store.acquire_lease("s", "two")
    if lease is not None:
        await store.renew_lease(lease)
        await store.append("s", [said()], lease=lease)


@on_store
async def a_claim_on_a_turn_that_is_held_appends_nothing(store: Store) -> None:
    await store.create_session("s")
    lease = await store.acquire_lease("s", "one")
    with expect_raises(LockedError):
        await store.append("s", [said()], lease=Claim(holder="two"))
    expect_equal((await store.get_session("s")).header.head, 1, "the head")
    await store.renew_lease(lease)


@on_store
async def a_claim_that_expects_another_head_takes_nothing(store: Store) -> None:
    await store.create_session("s")
    with expect_raises(ConflictError):
        await store.append("s", [said()], expected=7, lease=Claim(holder="one"))
    with expect_raises(SessionNotFoundError):
        await store.append("nowhere", [said()], lease=Claim(holder="one"))
    expect_equal((await store.acquire_lease("s", "two")).holder, "two", "the holder")


@on_store
async def a_claim_does_not_pass_over_text_that_was_left_unfinished(store: Store) -> None:
    await store.create_session("s")
    await store.save_partial("s", "It was a")
    with expect_raises(ConflictError):
        await store.append("s", [said()], lease=Claim(holder="one"))
    expect_equal((await store.get_session("s")).header.head, 1, "the head")
    receipt = await store.append("s", [said()], lease=Claim(holder="two"), clear_partial=True)
    expect_equal(receipt.lease and receipt.lease.holder, "two", "the holder")
    expect_equal(await store.find_partial("s"), None, "the text")


@on_store
async def of_many_that_claim_the_turn_at_once_one_appends(store: Store) -> None:
    await store.create_session("s")
    outcomes: list[str] = []

    async def claim(number: int) -> None:
        try:
            await store.append("s", [said()], lease=Claim(holder=f"holder {number}"))
            outcomes.append("got it")
        except LockedError:
            outcomes.append("locked")

    async with anyio.create_task_group() as group:
        for number in range(8):
            group.start_soon(claim, number)
    expect_equal(sorted(outcomes), ["got it"] + ["locked"] * 7, "the outcomes")
    expect_equal((await store.get_session("s")).header.head, 2, "the head")


@on_store
async def the_turn_is_given_back_together_with_an_append(store: Store) -> None:
    await store.create_session("s")
    lease = await store.acquire_lease("s", "one")
    await store.append("s", [said()], lease=lease, release=True)
    with expect_raises(LeaseLostError):
        await store.append("s", [said()], lease=lease, release=True)
    expect_equal((await store.get_session("s")).header.head, 2, "the head")
    other = await store.append("s", [said()], lease=Claim(holder="two"))
    expect_equal(other.lease and other.lease.holder, "two", "the holder")


@on_store
async def a_turn_is_not_taken_twice_nor_given_back_unheld(store: Store) -> None:
    await store.create_session("s")
    for options in ({"lease": Claim(holder="one"), "key": "k"}, {"lease": Claim(holder="one"), "release": True}):
        with expect_raises(InvalidInputError):
            await store.append("s", [said()], **options)  # type: ignore[arg-type]
    for lease in (Claim(holder=""), Claim(holder="one", ttl=-1.0)):
        with expect_raises(InvalidInputError):
            await store.append("s", [said()], lease=lease)
    with expect_raises(InvalidInputError):
        await store.append("s", [said()], release=True)
    expect_equal((await store.get_session("s")).header.head, 1, "the head")


@on_shared_storage
async def a_lease_holds_against_other_stores(storage: Storage) -> None:
    async with storage.open() as one, storage.open() as two:
        await one.create_session("s")
        lease = await one.acquire_lease("s", "one")
        with expect_raises(LockedError):
            await two.acquire_lease("s", "two")
        await one.release_lease(lease)
        await two.acquire_lease("s", "two")
        with expect_raises(LeaseLostError):
            await one.append("s", [said()], lease=lease)


@on_store
async def partial_text_is_kept_until_it_is_replaced(store: Store) -> None:
    await store.create_session("s")
    expect_equal(await store.find_partial("s"), None, "the text of a new session")
    texts: list[str | None] = []
    written = [text for text in ODD_TEXTS if "\0" not in text]
    for text in written:
        await store.save_partial("s", text)
        partial = await store.find_partial("s")
        texts.append(partial.text if partial else None)
    expect_equal(texts, written, "the texts")


@on_store
async def partial_text_is_no_activity_and_no_entry(store: Store) -> None:
    before = await store.create_session("s")
    await store.save_partial("s", "text")
    expect_equal(await store.get_session("s"), before, "the row")
    expect_equal(len(await store.read("s")), 1, "the number of entries")
