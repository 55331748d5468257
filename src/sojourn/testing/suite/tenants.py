"""Tenants: the same names, and no way across."""

from sojourn.errors import ForksExistError, LeaseLostError, SessionNotFoundError
from sojourn.model.events import SessionCreated
from sojourn.store.protocol import Snapshot, Store
from sojourn.testing.expectations import expect, expect_equal, expect_raises
from sojourn.testing.factories import said
from sojourn.testing.fingerprint import fingerprint
from sojourn.testing.suite.check import Storage, on_storage, on_store


async def _fill(store: Store, word: str) -> None:
    await store.create_session("s", SessionCreated(user_id="u", title=word, tags=("t",)))
    await store.append("s", [said(word)], key="k")
    await store.save_partial("s", word)
    await store.documents.save("k", {"word": word})
    await store.fork_session("s", "f")
    await store.append("f", [said(f"fork {word}")])


@on_store
async def a_view_says_whose_it_is(store: Store) -> None:
    other = store.for_tenant("other")
    expect_equal((store.tenant, other.tenant, other.for_tenant("third").tenant), ("default", "other", "third"), "whose")
    expect_equal(other.index_location, store.index_location, "where the search index of the storage belongs")


@on_store
async def two_tenants_with_the_same_ids_are_apart(store: Store) -> None:
    other = store.for_tenant("other")
    await _fill(store, "mine")
    expect_equal((await fingerprint(other)).rows, {}, "what the other tenant sees")
    await _fill(other, "theirs")
    expect("theirs" not in repr(await fingerprint(store)), "nothing of theirs is here")
    expect("mine" not in repr(await fingerprint(other)), "nothing of mine is there")


@on_store
async def no_change_reaches_the_other_tenant(store: Store) -> None:
    other = store.for_tenant("other")
    await _fill(store, "mine")
    await _fill(other, "theirs")
    before = await fingerprint(other)
    await store.append("s", [said("more")], clear_partial=True)
    await store.save_snapshot("s", Snapshot(seq=(await store.get_session("s")).header.head, data=b"{}"), epoch=0)
    await store.redact("s", [2])
    await store.detach_forks("s")
    await store.purge_session("s", detach=True)
    await store.purge_session("f")
    await store.documents.delete("k")
    expect_equal(await fingerprint(other), before, "the other tenant's data")
    expect_equal((await other.load("s")).snapshot, None, "the other tenant's snapshot")
    expect((await other.append("s", [said()], key="k")).repeated, "the other tenant's key is still known")


@on_store
async def the_other_tenants_sessions_do_not_exist_here(store: Store) -> None:
    other = store.for_tenant("other")
    await other.create_session("theirs")
    for call in (
        store.get_session("theirs"),
        store.read("theirs"),
        store.append("theirs", [said()]),
        store.fork_session("theirs", "mine"),
        store.purge_session("theirs"),
    ):
        with expect_raises(SessionNotFoundError):
            await call
    await store.create_session("theirs")
    expect_equal(len(await other.read("theirs")), 1, "the other tenant's entries")


@on_store
async def leases_of_two_tenants_are_apart(store: Store) -> None:
    other = store.for_tenant("other")
    await store.create_session("s")
    await other.create_session("s")
    mine = await store.acquire_lease("s", "me")
    theirs = await other.acquire_lease("s", "them")
    for lease, stranger in ((mine, other), (theirs, store)):
        with expect_raises(LeaseLostError):
            await stranger.append("s", [said()], lease=lease)
    await store.release_lease(mine)
    await other.renew_lease(theirs)


@on_store
async def forks_of_the_other_tenant_do_not_count(store: Store) -> None:
    other = store.for_tenant("other")
    await store.create_session("s")
    await other.create_session("s")
    await other.fork_session("s", "f")
    expect_equal(await store.list_forks("s"), [], "the forks here")
    await store.purge_session("s")
    with expect_raises(ForksExistError):
        await other.purge_session("s")


@on_storage
async def one_backup_holds_every_tenant(storage: Storage) -> None:
    async with storage.open() as store:
        other = store.for_tenant("other")
        await _fill(store, "mine")
        await _fill(other, "theirs")
        report = await store.backup(storage.folder / "backup")
        before = await fingerprint(store), await fingerprint(other)
        checked = await store.check()
        rebuilt = await store.rebuild()
    expect_equal((report.sessions, report.entries), (4, 8), "what the report counts")
    expect_equal((checked.sessions, checked.entries, rebuilt), (4, 8, 4), "what check and rebuild count")
    async with storage.open_backup(storage.folder / "backup") as copy:
        after = await fingerprint(copy), await fingerprint(copy.for_tenant("other"))
    expect_equal([one.entries for one in after], [one.entries for one in before], "the entries of the copy")
    expect_equal([one.documents for one in after], [one.documents for one in before], "the documents of the copy")
