"""Care: check, rebuild and backup, and what a store does at the end of its life."""

import anyio

from sojourn.errors import AlreadyExistsError, ClosedError, SojournError
from sojourn.model.entry import Draft
from sojourn.model.events import SessionArchived, SessionCreated, SessionTagged, SessionTrashed
from sojourn.model.ids import Seq
from sojourn.store.protocol import SessionQuery, Snapshot, Store
from sojourn.testing.expectations import expect, expect_equal, expect_raises
from sojourn.testing.factories import NEWER_TOPIC, UNKNOWN, make_journal, noted, one_of_each, said
from sojourn.testing.fingerprint import Fingerprint, fingerprint, read_all
from sojourn.testing.suite.check import Storage, on_shared_storage, on_storage, on_store


async def _fill(store: Store) -> None:
    await store.create_session("a", SessionCreated(user_id="ada", title="Straße", tags=("x",)))
    await store.append("a", [*one_of_each(), UNKNOWN, NEWER_TOPIC], key="k")
    await store.append("a", [Draft(event=noted(1), causes=(Seq(2), Seq(3)))])
    await store.fork_session("a", "b", at=20)
    await store.append("b", [said("b"), SessionTagged(added=("y",)), SessionArchived()])
    await store.create_session("c")
    await store.append("c", [said("secret"), SessionTrashed()])
    await store.redact("c", [2])
    await store.documents.save("k/ß", {"a": [1, None]})


def _lasting(everything: Fingerprint) -> list[object]:
    """Return what a copy must have: all but the partial text and how far forks are detached."""
    rows = {name: (row.header, row.epoch) for name, row in everything.rows.items()}
    return [rows, everything.entries, everything.documents]


@on_store
async def a_whole_store_passes_its_check(store: Store) -> None:
    await _fill(store)
    report = await store.check()
    expect_equal((report.ok, report.problems, report.sessions), (True, (), 3), "the report")
    own = len(await read_all(store, "a")) + len(await read_all(store, "b")) - 20 + len(await read_all(store, "c"))
    expect_equal(report.entries, own, "the number of stored entries")


@on_store
async def an_empty_store_passes_its_check(store: Store) -> None:
    report = await store.check()
    expect_equal((report.ok, report.sessions, report.entries), (True, 0, 0), "the report")
    expect_equal(await store.rebuild(), 0, "the number of sessions rebuilt")


@on_store
async def checking_changes_nothing(store: Store) -> None:
    await _fill(store)
    before = await fingerprint(store)
    await store.check()
    expect_equal(await fingerprint(store), before, "everything")


@on_store
async def rebuilding_gives_the_same_again(store: Store) -> None:
    await _fill(store)
    before = await fingerprint(store)
    expect_equal(await store.rebuild(), 3, "the number of sessions rebuilt")
    expect_equal(await fingerprint(store), before, "everything")
    expect((await store.append("a", [said()], key="k")).repeated, "the idempotency keys are kept")
    listed = [row.header.session_id for row in (await store.list_sessions(SessionQuery(text="strasse"))).rows]
    expect_equal(listed, ["a"], "what a search for a title finds")


@on_storage
async def long_work_tells_how_far_it_is(storage: Storage) -> None:
    heard: list[tuple[int, int]] = []
    async with storage.open() as store:
        await _fill(store)
        await store.check(on_progress=lambda *far: heard.append(far))
        await store.rebuild(on_progress=lambda *far: heard.append(far))
        await store.backup(storage.folder / "backup", on_progress=lambda *far: heard.append(far))
    expect_equal(heard, [(1, 3), (2, 3), (3, 3)] * 3, "what was heard")


@on_store
async def rebuilding_drops_snapshots(store: Store) -> None:
    await store.create_session("s")
    await store.save_snapshot("s", Snapshot(seq=Seq(1), data=b"{}"), epoch=0)
    await store.rebuild()
    expect_equal((await store.load("s")).snapshot, None, "the snapshot")


@on_storage
async def a_backup_holds_everything(storage: Storage) -> None:
    target = storage.folder / "backup"
    async with storage.open() as store:
        await _fill(store)
        before = await fingerprint(store)
        checked = await store.check()
        report = await store.backup(target)
    expect_equal((report.path, report.sessions, report.entries), (target, 3, checked.entries), "the report")
    async with storage.open_backup(target) as copy:
        after = await fingerprint(copy)
        expect((await copy.check()).ok, "the copy is whole")
        await copy.append("b", [said("the copy goes on")])
    expect_equal(_lasting(after), _lasting(before), "what the copy holds")


@on_storage
async def a_backup_never_replaces_anything(storage: Storage) -> None:
    target = storage.folder / "precious"
    target.write_text("mine")
    async with storage.open() as store:
        await store.create_session("s")
        with expect_raises(AlreadyExistsError):
            await store.backup(target)
    expect_equal(target.read_text(), "mine", "the file that was there")


@on_storage
async def a_backup_is_made_while_writers_run(storage: Storage) -> None:
    target = storage.folder / "backup"
    async with storage.open() as store:
        for name in ("one", "two"):
            await store.create_session(name)
            await store.append(name, [noted(number) for number in range(100)])
        stop = anyio.Event()

        async def write(session_id: str) -> None:
            number = 0
            while not stop.is_set():
                await store.append(session_id, [noted(number), noted(number)])
                number += 1

        async with anyio.create_task_group() as group:
            group.start_soon(write, "one")
            group.start_soon(write, "two")
            report = await store.backup(target)
            stop.set()
        written = {name: await read_all(store, name) for name in ("one", "two")}
        expect((await store.check()).ok, "the store is whole")
    async with storage.open_backup(target) as copy:
        for name, entries in written.items():
            copied = await read_all(copy, name)
            expect(len(copied) >= 101 and len(copied) % 2 == 1, "the copy holds whole appends only")
            expect_equal(copied, entries[: len(copied)], "the copy's entries")
        expect_equal((await copy.check()).entries, report.entries, "the number of entries reported")


@on_storage
async def closing_twice_is_fine(storage: Storage) -> None:
    store = storage.open()
    async with store:
        await store.create_session("s")
        await store.close()
        await store.close()
    await store.close()


@on_storage
async def a_closed_store_refuses_every_call(storage: Storage) -> None:
    store = storage.open()
    async with store:
        await store.create_session("s")
        lease = await store.acquire_lease("s", "me")
    view = store.for_tenant("other")
    for call in (
        store.create_session("t"),
        store.import_session("t", make_journal([said()])),
        store.get_session("s"),
        store.find_session("s"),
        store.list_sessions(),
        store.fork_session("s", "f"),
        store.list_forks("s"),
        store.detach_forks("s"),
        store.purge_session("s"),
        store.append("s", [said()]),
        store.read("s"),
        store.last_messages("s"),
        store.load("s"),
        store.redact("s", [1]),
        store.save_snapshot("s", Snapshot(seq=Seq(1), data=b"{}"), epoch=0),
        store.acquire_lease("s", "me"),
        store.find_lease("s"),
        store.renew_lease(lease),
        store.release_lease(lease),
        store.save_partial("s", "text"),
        store.find_partial("s"),
        store.backup(storage.folder / "backup"),
        store.check(),
        store.rebuild(),
        store.documents.save("k", {}),
        store.documents.load("k"),
        store.documents.exists("k"),
        store.documents.delete("k"),
        store.documents.list_keys(),
        view.get_session("s"),
    ):
        with expect_raises(ClosedError):
            await call
    with expect_raises(ClosedError):
        async with store.subscribe("s"):
            expect(False, "a closed store cannot be followed")
    expect(not (storage.folder / "backup").exists(), "no backup was begun")


@on_storage
async def a_store_that_was_never_opened_refuses_calls(storage: Storage) -> None:
    store = storage.open()
    with expect_raises(ClosedError):
        await store.create_session("s")
    await store.close()


@on_storage
async def closing_waits_for_the_appends_that_were_asked_for(storage: Storage) -> None:
    outcomes: list[str] = []

    async def write(store: Store, number: int) -> None:
        try:
            await store.append("s", [noted(number)])
            outcomes.append("written")
        except SojournError as error:
            outcomes.append(type(error).__name__)

    async with storage.open() as store, anyio.create_task_group() as group:
        await store.create_session("s")
        for number in range(10):
            group.start_soon(write, store, number)
        await anyio.lowlevel.checkpoint()
        await store.close()
    expect_equal(len(outcomes), 10, "the number of outcomes")
    expect(set(outcomes) <= {"written", "ClosedError"}, f"each append is written or refused, not {set(outcomes)}")


@on_shared_storage
async def what_was_written_is_there_when_it_is_opened_again(storage: Storage) -> None:
    async with storage.open() as store:
        await _fill(store)
        await store.save_partial("a", "hel")
        before = await fingerprint(store)
    async with storage.open() as store:
        expect_equal(await fingerprint(store), before, "everything")
        expect((await store.append("a", [said()], key="k")).repeated, "the idempotency key is known")
        expect((await store.check()).ok, "the store is whole")


@on_shared_storage
async def two_stores_on_the_same_storage_see_each_other(storage: Storage) -> None:
    async with storage.open() as one, storage.open() as two:
        await one.create_session("s")
        await two.append("s", [said("two")])
        await one.append("s", [said("one")], expected=2)
        expect_equal(await read_all(one, "s"), await read_all(two, "s"), "the entries")
        await two.documents.save("k", {"a": 1})
        expect_equal(await one.documents.load("k"), {"a": 1}, "the document")


@on_shared_storage
async def writers_through_two_stores_keep_every_append_once(storage: Storage) -> None:
    async with storage.open() as one, storage.open() as two:
        await one.create_session("s")

        async def write(store: Store, start: int) -> None:
            for number in range(start, start + 10):
                await store.append("s", [noted(number)], key=str(number))
                await store.append("s", [noted(number)], key=str(number))

        async with anyio.create_task_group() as group:
            group.start_soon(write, one, 0)
            group.start_soon(write, two, 100)
            group.start_soon(write, two, 0)
        topics = [entry.event for entry in (await read_all(one, "s"))[1:]]
    for start in (0, 100):
        wanted = [noted(number) for number in range(start, start + 10)]
        expect_equal([topic for topic in topics if topic in wanted], wanted, "each writer's events in order")
