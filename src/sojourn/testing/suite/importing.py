"""Importing: a journal from elsewhere becomes a session, to the letter."""

from msgspec import structs

from sojourn.errors import (
    AlreadyExistsError,
    ConflictError,
    InvalidEventError,
    InvalidInputError,
    SessionNotFoundError,
)
from sojourn.model.entry import Entry
from sojourn.model.ids import Seq, SessionId
from sojourn.model.state import replay
from sojourn.store.protocol import Store
from sojourn.testing.expectations import expect, expect_equal, expect_raises
from sojourn.testing.factories import NEWER_TOPIC, UNKNOWN, make_journal, noted, one_of_each, said
from sojourn.testing.fingerprint import fingerprint, read_all
from sojourn.testing.suite.check import on_store
from sojourn.testing.suite.reading import state_of


def _content(entries: list[Entry]) -> list[tuple[object, ...]]:
    return [(entry.seq, entry.at, entry.event, entry.causes, entry.payload, entry.version) for entry in entries]


async def _expect_whole(store: Store, session_id: str, entries: list[Entry]) -> None:
    read = await read_all(store, session_id)
    expect_equal(_content(read), _content(entries), "the entries")
    state = replay(read)
    expect_equal(state_of(await store.load(session_id)), state, "the state that is loaded")
    expect_equal((await store.get_session(session_id)).header, state.header if state else None, "the header")
    expect((await store.check()).ok, "the store is whole")


@on_store
async def an_imported_journal_is_read_back_to_the_letter(store: Store) -> None:
    entries = make_journal([*one_of_each(), UNKNOWN, NEWER_TOPIC], session_id="elsewhere")
    row = await store.import_session("s", entries)
    expect_equal(row, await store.get_session("s"), "the row")
    await _expect_whole(store, "s", entries)


@on_store
async def an_imported_session_goes_on_like_any_other(store: Store) -> None:
    entries = make_journal([said("a"), noted(1)])
    await store.import_session("s", entries)
    receipt = await store.append("s", [said("b")], expected=3)
    await store.fork_session("s", "f", at=2)
    expect_equal(receipt.first, 4, "the next place")
    expect_equal([entry.event for entry in await store.last_messages("s")], [said("a"), said("b")], "the messages")
    expect_equal([entry.event for entry in await store.last_messages("f")], [said("a")], "the fork's messages")


@on_store
async def the_whole_journal_of_a_fork_is_a_session_of_its_own(store: Store) -> None:
    await store.create_session("a")
    await store.append("a", [said("secret"), noted(1)])
    await store.fork_session("a", "b")
    await store.append("b", [said("b")])
    await store.redact("a", [2])
    entries = await read_all(store, "b")
    await store.import_session("c", entries)
    await _expect_whole(store, "c", entries)
    expect_equal(await store.list_forks("a"), ["b"], "who reads from the first")


@on_store
async def a_long_journal_is_imported_whole(store: Store) -> None:
    entries = make_journal([noted(number) for number in range(2_500)])
    await store.import_session("s", entries)
    await _expect_whole(store, "s", entries)


@on_store
async def a_taken_id_is_not_imported_into(store: Store) -> None:
    await store.create_session("s")
    before = await fingerprint(store)
    with expect_raises(AlreadyExistsError):
        await store.import_session("s", make_journal([said()]))
    expect_equal(await fingerprint(store), before, "everything")


@on_store
async def what_is_not_a_whole_journal_is_not_imported(store: Store) -> None:
    entries = make_journal([said("a"), noted(1), said("b")])
    for broken in (
        [],
        entries[1:],
        [entries[0], entries[2]],
        [*entries, entries[-1]],
        [entries[0], structs.replace(entries[1], payload="{")],
        [entries[0], structs.replace(entries[1], payload='{"no":"kind"}')],
        [entries[0], structs.replace(entries[1], version=0)],
        [entries[0], structs.replace(entries[1], version=2**70)],
        [entries[0], structs.replace(entries[1], payload='{"kind":"turn_started"}')],
        [entries[0], structs.replace(entries[1], causes=(entries[2].seq,))],
    ):
        with expect_raises(InvalidEventError):
            await store.import_session("s", broken)
    expect_equal((await fingerprint(store)).rows, {}, "the sessions")


@on_store
async def an_imported_session_goes_on_with_more_from_elsewhere(store: Store) -> None:
    entries = make_journal([*one_of_each(), UNKNOWN, NEWER_TOPIC, said("last")])
    await store.import_session("s", entries[:3])
    row = await store.extend_session("s", entries[3:9])
    row = await store.extend_session("s", entries[9:])
    expect_equal(row, await store.get_session("s"), "the row")
    await _expect_whole(store, "s", entries)
    receipt = await store.append("s", [said("here")])
    expect_equal(receipt.first, len(entries) + 1, "the next place")


@on_store
async def a_fork_from_elsewhere_begins_when_it_began_and_goes_on(store: Store) -> None:
    entries = make_journal([said("a"), said("b"), said("c")])
    await store.import_session("s", entries)
    began_at = entries[1].at
    row = await store.fork_session("s", "f", at=2, began_at=began_at)
    expect_equal((row.header.created_at, row.header.updated_at), (began_at, began_at), "when it began")
    more = structs.replace(entries[3], seq=Seq(4), session_id=SessionId("f"))
    row = await store.extend_session("f", [more])
    expect_equal(row.header.updated_at, more.at, "its last activity")
    expect_equal([entry.event for entry in await store.last_messages("f")], [said("a"), said("c")], "its messages")
    expect_equal(await store.list_forks("s"), ["f"], "who reads from the first")
    expect((await store.check()).ok, "the store is whole")


@on_store
async def a_session_does_not_go_on_with_what_does_not_follow(store: Store) -> None:
    entries = make_journal([said("a"), noted(1), said("b"), noted(2)])
    await store.import_session("s", entries[:3])
    before = await fingerprint(store)
    for conflicting in (entries[2:], entries[4:]):
        with expect_raises(ConflictError):
            await store.extend_session("s", conflicting)
    for broken in (
        [],
        entries[:1],
        [entries[3], entries[3]],
        [structs.replace(entries[3], payload="{")],
        [structs.replace(entries[3], causes=(entries[4].seq,))],
    ):
        with expect_raises(InvalidEventError):
            await store.extend_session("s", broken)
    many = make_journal([noted(number) for number in range(1_100)])
    with expect_raises(InvalidInputError):
        await store.extend_session("s", many[3:])
    with expect_raises(SessionNotFoundError):
        await store.extend_session("t", entries[3:])
    expect_equal(await fingerprint(store), before, "everything")
