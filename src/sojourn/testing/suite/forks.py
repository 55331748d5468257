"""Forks: a beginning shared, never copied until asked for, and never changed by what its parent does later."""

from sojourn.errors import AlreadyExistsError, ForksExistError, SessionNotFoundError
from sojourn.model.entry import Entry
from sojourn.model.events import (
    SessionArchived,
    SessionCreated,
    SessionForked,
    SessionRenamed,
    SessionTrashed,
    UsageRecorded,
)
from sojourn.model.header import SessionHeader
from sojourn.model.ids import Seq, SessionId
from sojourn.model.state import replay
from sojourn.store.protocol import Store
from sojourn.testing.expectations import expect, expect_equal, expect_raises
from sojourn.testing.factories import NEWER_TOPIC, UNKNOWN, noted, one_of_each, said
from sojourn.testing.fingerprint import fingerprint, read_all
from sojourn.testing.suite.check import on_store
from sojourn.testing.suite.reading import state_of


def _content(entries: list[Entry]) -> list[tuple[object, ...]]:
    """Return what a fork's entries have in common with those they were forked from."""
    return [(entry.seq, entry.at, entry.event, entry.causes, entry.payload) for entry in entries]


async def _topics(store: Store, count: int, session_id: str = "a") -> None:
    await store.create_session(session_id)
    await store.append(session_id, [noted(number) for number in range(count - 1)])


async def _header(store: Store, session_id: str) -> SessionHeader:
    return (await store.get_session(session_id)).header


@on_store
async def a_fork_reads_what_its_parent_had(store: Store) -> None:
    await _topics(store, 10)
    for at in (1, 5, 10):
        row = await store.fork_session("a", f"f{at}", at=at)
        *shared, own = await read_all(store, f"f{at}")
        expect_equal(_content(shared), _content((await read_all(store, "a"))[:at]), f"the shared entries at {at}")
        forked = SessionForked(session_id=SessionId(f"f{at}"), forked_from=SessionId("a"), at=Seq(at))
        expect_equal((own.seq, own.event), (at + 1, forked), "the fork's own entry")
        expect_equal(row, await store.get_session(f"f{at}"), "the row")


@on_store
async def a_fork_without_a_place_is_at_the_head(store: Store) -> None:
    await _topics(store, 4)
    row = await store.fork_session("a", "f")
    header = row.header
    expect_equal((header.head, header.forked_from, header.forked_at), (5, "a", 4), "where it stands")


@on_store
async def what_the_parent_does_later_stays_out_of_the_fork(store: Store) -> None:
    await _topics(store, 3)
    await store.fork_session("a", "f")
    before = await read_all(store, "f")
    await store.append("a", [said("later")])
    expect_equal(await read_all(store, "f"), before, "the fork's entries")
    expect_equal(await store.last_messages("f"), [], "the fork's messages")


@on_store
async def what_the_fork_does_stays_out_of_the_parent(store: Store) -> None:
    await _topics(store, 3)
    before = await read_all(store, "a")
    await store.fork_session("a", "f")
    await store.append("f", [said("mine")])
    expect_equal(await read_all(store, "a"), before, "the parent's entries")


@on_store
async def a_forks_row_has_the_totals_of_the_fork_point(store: Store) -> None:
    await store.create_session("a", SessionCreated(user_id="ada", title="T", tags=("x",)))
    await store.append("a", [said(), UsageRecorded(input_tokens=5, cost_micros=7)])
    await store.append("a", [said(), UsageRecorded(input_tokens=50, cost_micros=70), SessionRenamed(title="Later")])
    header = (await store.fork_session("a", "f", at=3)).header
    expect_equal((header.message_count, header.total_tokens, header.cost_micros), (1, 5, 7), "the totals")
    expect_equal((header.title, header.user_id, header.tags), ("T", "ada", ("x",)), "what it inherits")
    state = replay(await read_all(store, "f"))
    expect_equal(state.header if state else None, header, "the header by replay")


@on_store
async def a_fork_of_a_trashed_session_is_not_trashed(store: Store) -> None:
    await _topics(store, 2)
    await store.append("a", [SessionArchived(), SessionTrashed()])
    header = (await store.fork_session("a", "f")).header
    expect_equal((header.archived_at, header.trashed_at), (None, None), "the marks")


@on_store
async def a_fork_may_be_forked_below_its_own_start(store: Store) -> None:
    await _topics(store, 10)
    await store.fork_session("a", "b", at=8)
    row = await store.fork_session("b", "c", at=4)
    await store.append("c", [said("c")])
    entries = await read_all(store, "c")
    expect_equal(_content(entries[:4]), _content((await read_all(store, "a"))[:4]), "the shared entries")
    expect_equal((row.header.forked_from, row.header.forked_at), ("b", 4), "where it came from")
    expect_equal(await store.list_forks("a"), ["b", "c"], "who reads from the first")
    expect_equal(await store.list_forks("b"), [], "who reads from the second")


@on_store
async def a_chain_of_fifty_forks_reads_as_one_journal(store: Store) -> None:
    await store.create_session("f0")
    for depth in range(1, 51):
        await store.append(f"f{depth - 1}", [said(str(depth))])
        await store.fork_session(f"f{depth - 1}", f"f{depth}")
    entries = await read_all(store, "f50")
    expect_equal([entry.seq for entry in entries], list(range(1, 102)), "the seqs")
    messages = [entry.event for entry in await store.last_messages("f50", limit=100)]
    expect_equal(messages, [said(str(depth)) for depth in range(1, 51)], "the messages")
    expect_equal((await _header(store, "f50")).message_count, 50, "the number of messages")
    expect_equal(state_of(await store.load("f50")), replay(entries), "the state that is loaded")


@on_store
async def a_taken_id_is_no_name_for_a_fork(store: Store) -> None:
    await _topics(store, 2)
    await store.create_session("b")
    for taken in ("a", "b"):
        with expect_raises(AlreadyExistsError):
            await store.fork_session("a", taken)


@on_store
async def a_session_with_forks_is_not_purged_and_they_are_named(store: Store) -> None:
    await _topics(store, 3)
    await store.fork_session("a", "c")
    await store.fork_session("a", "b", at=1)
    before = await fingerprint(store)
    with expect_raises(ForksExistError) as caught:
        await store.purge_session("a")
    error = caught.error
    expect_equal(error.forks if isinstance(error, ForksExistError) else None, ("b", "c"), "the forks named")
    expect_equal(await fingerprint(store), before, "everything")


@on_store
async def a_session_with_forks_can_be_trashed(store: Store) -> None:
    await _topics(store, 3)
    await store.fork_session("a", "f")
    await store.append("a", [SessionTrashed()])
    expect_equal(len(await read_all(store, "f")), 4, "the number of the fork's entries")


@on_store
async def detaching_changes_nothing_that_can_be_read(store: Store) -> None:
    await store.create_session("a")
    await store.append("a", [*one_of_each(), UNKNOWN, NEWER_TOPIC])
    await store.fork_session("a", "b", at=30)
    await store.append("b", [said("b")])
    await store.fork_session("b", "c", at=20)
    await store.fork_session("b", "d")
    before = await fingerprint(store)
    expect_equal(await store.detach_forks("a"), ["b", "c"], "who was detached")
    after = await fingerprint(store)
    expect_equal((after.rows, after.entries), (before.rows, before.entries), "rows and entries")
    expect_equal(after.forks, {"a": (), "b": ("d",), "c": (), "d": ()}, "who reads from whom")


@on_store
async def a_detached_fork_outlives_its_parent(store: Store) -> None:
    await store.create_session("a")
    await store.append("a", [*one_of_each(), UNKNOWN, NEWER_TOPIC])
    await store.fork_session("a", "b")
    before = await read_all(store, "b")
    await store.detach_forks("a")
    await store.purge_session("a")
    expect_equal(await read_all(store, "b"), before, "the fork's entries")
    expect_equal(await store.find_session("a"), None, "the parent")


@on_store
async def purging_with_detach_keeps_every_fork_whole(store: Store) -> None:
    await _topics(store, 6)
    await store.fork_session("a", "b", at=4)
    await store.append("b", [said("b")])
    await store.fork_session("b", "c")
    before = await fingerprint(store)
    await store.purge_session("a", detach=True)
    after = await fingerprint(store)
    expect_equal(set(after.rows), {"b", "c"}, "the sessions left")
    left = {name: entries for name, entries in before.entries.items() if name != "a"}
    expect_equal(after.entries, left, "their entries")
    await store.append("b", [said("goes on")])
    await store.fork_session("c", "d", at=2)


@on_store
async def a_purged_session_leaves_nothing_behind(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", [said()], key="k")
    await store.save_partial("s", "text")
    lease = await store.acquire_lease("s", "me")
    await store.purge_session("s")
    with expect_raises(SessionNotFoundError):
        await store.read("s")
    await store.create_session("s")
    expect_equal(await store.find_partial("s"), None, "the partial text of a new session with the id")
    expect(not (await store.append("s", [said()], key="k")).repeated, "the idempotency key is forgotten")
    expect_equal((await store.get_session("s")).header.head, 2, "the head")
    again = await store.acquire_lease("s", "you")
    expect(again.holder == "you" and lease.holder == "me", "the lease is free")


@on_store
async def a_purged_fork_leaves_its_parent_free(store: Store) -> None:
    await _topics(store, 3)
    await store.fork_session("a", "f")
    await store.purge_session("f")
    await store.purge_session("a")
    expect_equal(await store.find_session("a"), None, "the parent")


@on_store
async def a_fork_has_no_lease_key_or_partial_text_of_its_parent(store: Store) -> None:
    await _topics(store, 2)
    await store.append("a", [said()], key="k")
    await store.save_partial("a", "text")
    await store.acquire_lease("a", "me")
    await store.fork_session("a", "f")
    await store.acquire_lease("f", "you")
    expect_equal(await store.find_partial("f"), None, "the fork's partial text")
    expect(not (await store.append("f", [said()], key="k")).repeated, "the key is new to the fork")


@on_store
async def an_unknown_kind_is_inherited_to_the_letter(store: Store) -> None:
    await store.create_session("a")
    await store.append("a", [UNKNOWN, NEWER_TOPIC])
    await store.fork_session("a", "f")
    await store.fork_session("f", "g")
    expect_equal(_content((await read_all(store, "g"))[:3]), _content(await read_all(store, "a")), "the entries")
