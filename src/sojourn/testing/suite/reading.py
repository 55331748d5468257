"""Reading: pages in both directions, the last messages, the tail to load."""

from itertools import product

from sojourn.model.entry import Entry
from sojourn.model.events import Event, MessageAdded
from sojourn.model.state import SessionState, decode_snapshot, encode_snapshot, replay
from sojourn.store.protocol import Loaded, Order, Snapshot, Store
from sojourn.testing.expectations import expect, expect_equal
from sojourn.testing.factories import noted, one_of_each, said
from sojourn.testing.fingerprint import read_all
from sojourn.testing.suite.check import on_store

PLACES = (-1, 0, 1, 2, 5, 6, 7, 8, 11, 12, 13, 100)


def _page(
    entries: list[Entry], *, after: int, before: int | None, limit: int, order: Order = Order.OLDEST_FIRST
) -> list[Entry]:
    """Return what `read` should return, made from the whole journal."""
    found = [entry for entry in entries if entry.seq > after and (before is None or entry.seq < before)]
    if order is Order.NEWEST_FIRST:
        found.reverse()
    return found[:limit]


async def _expect_every_page(store: Store, session_id: str, entries: list[Entry]) -> None:
    for after, before, limit, order in product(PLACES, (None, *PLACES), (1, 3, 100), Order):
        wanted = _page(entries, after=after, before=before, limit=limit, order=order)
        page = await store.read(session_id, after=after, before=before, limit=limit, order=order)
        expect_equal(page, wanted, f"read(after={after}, before={before}, limit={limit}, order={order})")


@on_store
async def every_page_is_that_part_of_the_journal(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", [noted(number) for number in range(11)])
    await _expect_every_page(store, "s", await read_all(store, "s"))


@on_store
async def every_page_of_a_fork_is_that_part_of_its_journal(store: Store) -> None:
    await store.create_session("a")
    await store.append("a", [noted(number) for number in range(9)])
    await store.fork_session("a", "b", at=7)
    await store.append("b", [said("b")])
    await store.fork_session("b", "c", at=8)
    await store.append("c", [said("c"), said("d"), said("e")])
    entries = await read_all(store, "c")
    expect_equal([entry.seq for entry in entries], list(range(1, 13)), "the seqs")
    expect_equal({entry.session_id for entry in entries}, {"c"}, "the session that the entries are read through")
    await _expect_every_page(store, "c", entries)


@on_store
async def a_long_journal_is_read_page_by_page(store: Store) -> None:
    await store.create_session("s")
    for start in range(0, 2_000, 1_000):
        await store.append("s", [noted(number) for number in range(start, start + 1_000)])
    expect_equal(len(await store.read("s")), 1_000, "the size of a page by default")
    expect_equal([entry.seq for entry in await store.read("s", limit=10_000)], list(range(1, 2_002)), "all seqs")
    newest = await store.read("s", limit=2, order=Order.NEWEST_FIRST)
    expect_equal([entry.seq for entry in newest], [2_001, 2_000], "the newest seqs")


@on_store
async def the_last_messages_come_oldest_first(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", [said(str(number)) for number in range(5)])
    found = await store.last_messages("s", limit=3)
    expect_equal([entry.event for entry in found], [said("2"), said("3"), said("4")], "the messages")


@on_store
async def the_last_messages_are_found_among_many_other_events(store: Store) -> None:
    await store.create_session("s")
    events: list[Event] = []
    for number in range(4):
        events += [said(str(number)), *(noted(other) for other in range(100))]
    await store.append("s", events)
    entries = await read_all(store, "s")
    messages = [entry for entry in entries if isinstance(entry.event, MessageAdded)]
    for limit, before in product((1, 2, 4, 20), (None, 1, 2, 3, 103, 104, 304, 10_000)):
        wanted = [entry for entry in messages if before is None or entry.seq < before][-limit:]
        expect_equal(await store.last_messages("s", limit, before=before), wanted, f"limit={limit} before={before}")


@on_store
async def the_last_messages_reach_through_forks(store: Store) -> None:
    await store.create_session("a")
    await store.append("a", [said("1"), noted(1), said("2"), said("not shared")])
    await store.fork_session("a", "b", at=4)
    await store.append("b", [said("3"), noted(2)])
    await store.fork_session("b", "c")
    await store.append("c", [said("4")])
    found = await store.last_messages("c", limit=10)
    expect_equal([entry.event for entry in found], [said("1"), said("2"), said("3"), said("4")], "the messages")
    expect_equal(
        [entry.event for entry in await store.last_messages("c", limit=2, before=found[-1].seq)],
        [said("2"), said("3")],
        "the messages before the last",
    )


@on_store
async def a_new_session_has_no_messages(store: Store) -> None:
    await store.create_session("s")
    expect_equal(await store.last_messages("s"), [], "the messages")


@on_store
async def loading_without_snapshots_gives_the_whole_journal(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", one_of_each())
    loaded = await store.load("s")
    expect_equal(loaded.row, await store.get_session("s"), "the row")
    expect_equal((loaded.snapshot, list(loaded.tail)), (None, await read_all(store, "s")), "snapshot and tail")


@on_store
async def loading_at_an_entry_ends_there(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", one_of_each())
    entries = await read_all(store, "s")
    for at in (1, 2, 30, len(entries)):
        loaded = await store.load("s", at=at)
        expect_equal(list(loaded.tail), entries[:at], f"the tail at {at}")


@on_store
async def a_snapshot_shortens_what_is_loaded(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", one_of_each())
    snapshot = await _save_snapshot(store, "s", at=20)
    loaded = await store.load("s")
    expect_equal(loaded.snapshot, snapshot, "the snapshot")
    expect_equal(list(loaded.tail), await store.read("s", after=20), "the tail")


@on_store
async def the_nearest_snapshot_at_or_before_the_place_is_loaded(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", one_of_each())
    for at in (30, 10, 20):
        await _save_snapshot(store, "s", at=at)
    for at, nearest in ((9, None), (10, 10), (11, 10), (19, 10), (20, 20), (29, 20), (30, 30), (40, 30)):
        loaded = await store.load("s", at=at)
        expect_equal(loaded.snapshot.seq if loaded.snapshot else None, nearest, f"the snapshot for {at}")
        expect_equal([entry.seq for entry in loaded.tail], list(range((nearest or 0) + 1, at + 1)), f"the tail at {at}")


@on_store
async def a_fork_loads_the_snapshots_of_what_it_reads(store: Store) -> None:
    await store.create_session("a")
    await store.append("a", one_of_each())
    await _save_snapshot(store, "a", at=10)
    await _save_snapshot(store, "a", at=30)
    await store.fork_session("a", "b", at=20)
    inherited = await store.load("b", at=20)
    expect_equal(inherited.snapshot.seq if inherited.snapshot else None, 10, "the snapshot")
    expect_equal(list(inherited.tail), (await read_all(store, "b"))[10:20], "the tail")
    expect_equal(state_of(await store.load("b")), replay(await read_all(store, "b")), "the state at the head")


@on_store
async def the_state_is_the_same_with_and_without_snapshots(store: Store) -> None:
    await store.create_session("a")
    await store.append("a", one_of_each())
    await store.fork_session("a", "b", at=25)
    await store.append("b", one_of_each())
    whole = replay(await read_all(store, "b"))
    for session_id, at in (("a", 5), ("a", 25), ("b", 26), ("b", 60)):
        await _save_snapshot(store, session_id, at=at)
        expect_equal(state_of(await store.load("b")), whole, f"the state with a snapshot at {at}")


@on_store
async def a_snapshot_at_the_same_place_replaces_the_first(store: Store) -> None:
    await store.create_session("s")
    snapshot = await _save_snapshot(store, "s", at=1)
    other = Snapshot(seq=snapshot.seq, data=snapshot.data + b" ")
    await store.save_snapshot("s", other, epoch=0)
    expect_equal((await store.load("s")).snapshot, other, "the snapshot")


@on_store
async def a_snapshot_of_an_earlier_epoch_is_not_kept(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", [said("secret"), noted(1)])
    state = replay(await read_all(store, "s"))
    await store.redact("s", [2])
    expect(state is not None, "there is a state")
    if state is not None:
        await store.save_snapshot("s", Snapshot(seq=state.head, data=encode_snapshot(state)), epoch=0)
    expect_equal((await store.load("s")).snapshot, None, "the snapshot")


def state_of(loaded: Loaded) -> SessionState | None:
    """Return the state that *loaded* adds up to."""
    return replay(loaded.tail, state=decode_snapshot(loaded.snapshot.data) if loaded.snapshot else None)


async def _save_snapshot(store: Store, session_id: str, *, at: int) -> Snapshot:
    loaded = await store.load(session_id, at=at)
    state = replay((await read_all(store, session_id))[:at])
    if state is None:
        raise AssertionError(f"session {session_id} has no entries")
    snapshot = Snapshot(seq=state.head, data=encode_snapshot(state))
    await store.save_snapshot(session_id, snapshot, epoch=loaded.row.epoch)
    return snapshot
