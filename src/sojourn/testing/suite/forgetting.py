"""Forgetting: content goes for good, with all that was derived from it, wherever it can be read."""

from sojourn.errors import InvalidEventError, InvalidInputError
from sojourn.model.entry import Draft
from sojourn.model.events import FactLearned, Forgotten, SessionCreated, SessionRenamed, UsageRecorded
from sojourn.model.ids import Seq
from sojourn.model.state import encode_snapshot, replay
from sojourn.store.protocol import Snapshot, Store
from sojourn.testing.expectations import expect, expect_equal, expect_raises
from sojourn.testing.factories import noted, said
from sojourn.testing.fingerprint import fingerprint, read_all
from sojourn.testing.suite.check import Storage, on_storage, on_store

SECRET = "the word is swordfish"  # noqa: S105 - the content whose going is checked


def _derived(*causes: int) -> Draft:
    learned = FactLearned(fact_id="f", content=f"learned: {SECRET}")
    return Draft(event=learned, causes=tuple(map(Seq, causes)))


async def _tombstones(store: Store, session_id: str) -> list[int]:
    return [entry.seq for entry in await read_all(store, session_id) if isinstance(entry.event, Forgotten)]


async def _expect_gone(store: Store) -> None:
    everything = repr(await fingerprint(store))
    for session_id in (await fingerprint(store)).rows:
        everything += repr(await store.last_messages(session_id, limit=100)) + repr(await store.load(session_id))
    expect("swordfish" not in everything, "the content cannot be read by any call")


@on_store
async def a_forgotten_entry_becomes_a_tombstone_in_its_place(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", [said("a"), said(SECRET), said("c")])
    before = await read_all(store, "s")
    redaction = await store.redact("s", [3])
    after = await read_all(store, "s")
    expect_equal(redaction.tombstones, {"s": (3,)}, "the tombstones reported")
    expect_equal(redaction.sessions, ("s",), "the sessions reported")
    expect_equal((after[2].seq, after[2].at), (3, before[2].at), "place and time of the tombstone")
    expect_equal((after[2].event, after[2].causes), (Forgotten(was="message_added"), ()), "the tombstone")
    expect_equal([after[0], after[1], after[3]], [before[0], before[1], before[3]], "the other entries")
    await _expect_gone(store)


@on_store
async def what_was_derived_at_any_remove_goes_too(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", [said(SECRET), said("fine")])
    await store.append("s", [_derived(2), _derived(4), Draft(event=noted(1), causes=(Seq(3),)), _derived(3, 5)])
    redaction = await store.redact("s", [2])
    expect_equal(redaction.tombstones, {"s": (2, 4, 5, 7)}, "the tombstones reported")
    expect_equal(await _tombstones(store, "s"), [2, 4, 5, 7], "the tombstones")
    await _expect_gone(store)


@on_store
async def several_entries_are_forgotten_at_once(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", [said(SECRET) for _ in range(5)])
    await store.redact("s", iter([6, 2, 4, 2]))
    expect_equal(await _tombstones(store, "s"), [2, 4, 6], "the tombstones")


@on_store
async def forgetting_twice_changes_nothing_more(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", [said(SECRET)])
    await store.redact("s", [2])
    before = await read_all(store, "s")
    again = await store.redact("s", [2])
    expect_equal(again.tombstones, {}, "the tombstones reported the second time")
    expect_equal(await read_all(store, "s"), before, "the entries")


@on_store
async def the_epoch_grows_and_the_row_is_made_anew(store: Store) -> None:
    await store.create_session("s", SessionCreated(title=SECRET, user_id="ada"))
    usage = UsageRecorded(input_tokens=5)
    await store.append("s", [said("a"), said(SECRET), usage, usage, SessionRenamed(title=f"{SECRET}!")])
    await store.redact("s", [1, 3, 5, 6])
    row = await store.get_session("s")
    header = row.header
    expect(row.epoch > 0, "the epoch has grown")
    expect_equal((header.title, header.user_id, header.head), (None, None, 6), "what was forgotten in the row")
    expect_equal((header.message_count, header.total_tokens), (1, 5), "the totals")
    state = replay(await read_all(store, "s"))
    expect_equal(state.header if state else None, header, "the header by replay")
    await _expect_gone(store)


@on_store
async def receipts_tell_of_the_new_epoch(store: Store) -> None:
    await store.create_session("s")
    first = await store.append("s", [said(SECRET)], key="k")
    await store.redact("s", [2])
    epoch = (await store.get_session("s")).epoch
    repeated = await store.append("s", [said(SECRET)], key="k")
    after = await store.append("s", [said("b")])
    expect_equal((first.epoch, repeated.epoch, after.epoch), (0, epoch, epoch), "the epochs")
    expect_equal(repeated.repeated, True, "that the key is known still")
    await _expect_gone(store)


@on_store
async def snapshots_and_partial_text_that_could_hold_it_go(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", [said("a"), said(SECRET), said("c")])
    for at in (2, 3, 4):
        state = replay((await read_all(store, "s"))[:at])
        if state is not None:
            await store.save_snapshot("s", Snapshot(seq=state.head, data=encode_snapshot(state)), epoch=0)
    await store.save_partial("s", f"I heard that {SECRET}")
    await store.redact("s", [3])
    loaded = await store.load("s")
    expect_equal(loaded.snapshot.seq if loaded.snapshot else None, 2, "the snapshot left")
    expect_equal(await store.find_partial("s"), None, "the partial text")
    await _expect_gone(store)


@on_store
async def forgetting_in_a_parent_reaches_what_its_forks_derived(store: Store) -> None:
    await store.create_session("a")
    await store.append("a", [said(SECRET), said("fine")])
    await store.fork_session("a", "b")
    await store.append("b", [_derived(2), said("ours")])
    await store.fork_session("b", "c")
    await store.append("c", [_derived(5)])
    redaction = await store.redact("a", [2])
    expect_equal(redaction.tombstones, {"a": (2,), "b": (5,), "c": (8,)}, "the tombstones reported")
    expect_equal(set(redaction.sessions), {"a", "b", "c"}, "the sessions reported")
    expect_equal(await _tombstones(store, "c"), [2, 5, 8], "the tombstones that the last fork reads")
    await _expect_gone(store)


@on_store
async def forgetting_in_a_fork_reaches_its_parent_and_its_siblings(store: Store) -> None:
    await store.create_session("a")
    await store.append("a", [said(SECRET), said("fine")])
    await store.fork_session("a", "b")
    await store.fork_session("a", "sibling")
    await store.append("a", [_derived(2)])
    await store.append("sibling", [_derived(2)])
    await store.redact("b", [2])
    expect_equal(await _tombstones(store, "a"), [2, 4], "the parent's tombstones")
    expect_equal(await _tombstones(store, "sibling"), [2, 5], "the sibling's tombstones")
    expect_equal(await _tombstones(store, "b"), [2], "the fork's tombstones")
    await _expect_gone(store)


@on_store
async def a_fork_that_does_not_read_it_is_left_alone(store: Store) -> None:
    await store.create_session("a")
    await store.append("a", [said("fine")])
    await store.fork_session("a", "early")
    await store.append("a", [said(SECRET)])
    await store.append("early", [noted(1), noted(2)])
    before = (await store.get_session("early"), await read_all(store, "early"))
    redaction = await store.redact("a", [3])
    expect_equal(redaction.sessions, ("a",), "the sessions reported")
    expect_equal((await store.get_session("early"), await read_all(store, "early")), before, "the early fork")


@on_store
async def a_forks_own_entries_are_forgotten_in_the_fork_alone(store: Store) -> None:
    await store.create_session("a")
    await store.append("a", [said("fine")])
    await store.fork_session("a", "b")
    await store.append("b", [said(SECRET)])
    before = await read_all(store, "a")
    redaction = await store.redact("b", [4])
    expect_equal((redaction.tombstones, redaction.sessions), ({"b": (4,)}, ("b",)), "what is reported")
    expect_equal(await read_all(store, "a"), before, "the parent's entries")


@on_store
async def every_fork_that_reads_a_tombstone_is_of_a_new_epoch(store: Store) -> None:
    await store.create_session("a")
    await store.append("a", [said(SECRET)])
    await store.fork_session("a", "b")
    await store.fork_session("b", "c")
    state = replay(await read_all(store, "c"))
    if state is not None:
        await store.save_snapshot("c", Snapshot(seq=state.head, data=encode_snapshot(state)), epoch=0)
    await store.redact("a", [2])
    for session_id in ("a", "b", "c"):
        row = await store.get_session(session_id)
        expect(row.epoch > 0, f"the epoch of {session_id} has grown")
        expect_equal(row.header.message_count, 0, f"the number of messages of {session_id}")
    expect_equal((await store.load("c")).snapshot, None, "the fork's snapshot")


@on_store
async def the_beginning_of_a_fork_has_nothing_to_forget(store: Store) -> None:
    await store.create_session("a")
    await store.fork_session("a", "b")
    await store.append("b", [_derived(2)])
    redaction = await store.redact("b", [2])
    header = (await store.get_session("b")).header
    expect_equal(redaction.tombstones, {"b": (3,)}, "the tombstones reported")
    expect_equal((header.forked_from, header.forked_at), ("a", 1), "where the fork came from")


@on_store
async def a_session_goes_on_after_forgetting(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", [said(SECRET)])
    await store.redact("s", [1, 2])
    receipt = await store.append("s", [said("b")], expected=2)
    expect_equal(receipt.first, 3, "the next place")
    expect_equal([entry.event for entry in await store.last_messages("s")], [said("b")], "the messages")
    expect((await store.check()).ok, "the store is whole")


@on_storage
async def a_backup_made_after_forgetting_does_not_hold_it(storage: Storage) -> None:
    async with storage.open() as store:
        await store.create_session("s")
        await store.append("s", [said(SECRET), _derived(2)])
        await store.redact("s", [2])
        await store.backup(storage.folder / "backup")
    for path in [storage.folder / "backup", *(storage.folder / "backup").rglob("*")]:
        expect(not path.is_file() or b"swordfish" not in path.read_bytes(), f"{path.name} does not hold the content")


# --- a part of an entry


_CLEAN = '{"kind":"message_added","message":{"role":"user","content":"the word is gone"}}'


@on_store
async def a_part_of_an_entry_is_forgotten_and_the_rest_stays(store: Store) -> None:
    await store.create_session("s", SessionCreated(title=SECRET))
    await store.append("s", [said(SECRET), said("b")])
    await store.append("s", [Draft(event=noted(1), causes=(Seq(2),))])
    before = await read_all(store, "s")
    redaction = await store.rewrite("s", {1: '{"kind":"session_created","title":"fine"}', 2: _CLEAN})
    after = await read_all(store, "s")
    expect_equal(redaction.tombstones, {"s": (1, 2)}, "the entries reported")
    expect_equal([entry.payload for entry in after[1:2]], [_CLEAN], "what the entry says now")
    expect_equal([(one.seq, one.at, one.causes) for one in after], [(one.seq, one.at, one.causes) for one in before],
                 "places, times and causes")  # fmt: skip
    expect_equal(after[2:], before[2:], "the other entries, what was derived from it among them")
    row = await store.get_session("s")
    expect_equal((row.header.title, row.epoch > 0), ("fine", True), "the row")
    state = replay(after)
    expect_equal(state.header if state else None, row.header, "the header by replay")
    await _expect_gone(store)
    expect((await store.check()).ok, "the store is whole")


@on_store
async def a_part_of_an_entry_is_forgotten_wherever_it_is_read(store: Store) -> None:
    await store.create_session("a")
    await store.append("a", [said(SECRET), said("a")])
    await store.fork_session("a", "b")
    await store.append("b", [said("b")])
    await store.fork_session("b", "c")
    for session_id in ("a", "b", "c"):
        await store.save_partial(session_id, SECRET)
    redaction = await store.rewrite("c", {2: _CLEAN, 3: _CLEAN, 5: _CLEAN})
    expect_equal(redaction.tombstones, {"a": (2, 3), "b": (5,)}, "who stores the entries")
    expect_equal(set(redaction.sessions), {"a", "b", "c"}, "who reads them")
    for session_id in ("a", "b", "c"):
        expect_equal((await read_all(store, session_id))[1].payload, _CLEAN, "the entry")
        expect_equal(await store.find_partial(session_id), None, "the partial text")
    await _expect_gone(store)
    expect((await store.check()).ok, "the store is whole")


@on_store
async def an_entry_is_rewritten_as_its_own_kind_or_not_at_all(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", [said("a"), said(SECRET)])
    await store.redact("s", [3])
    before = await fingerprint(store)
    for broken in ("{", "[]", '{"kind":"topic_changed","topic":null}', '{"kind":"message_added"}'):
        with expect_raises(InvalidEventError):
            await store.rewrite("s", {2: broken})
    for outside in ({}, {0: _CLEAN}, {4: _CLEAN}):
        with expect_raises(InvalidInputError):
            await store.rewrite("s", outside)
    expect_equal(await fingerprint(store), before, "everything")
    redaction = await store.rewrite("s", {3: _CLEAN})
    expect_equal(redaction.tombstones, {}, "what of a tombstone was changed")
