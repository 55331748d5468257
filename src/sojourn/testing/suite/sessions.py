"""Sessions: created once, found again, and described by a row that follows their events."""

from sojourn.errors import AlreadyExistsError, SessionNotFoundError
from sojourn.model.events import (
    Event,
    SessionArchived,
    SessionCreated,
    SessionMoved,
    SessionRenamed,
    SessionRestored,
    SessionSuperseded,
    SessionTagged,
    SessionTrashed,
    SessionUnarchived,
    UsageRecorded,
)
from sojourn.model.header import SessionHeader
from sojourn.model.ids import SessionId
from sojourn.store.protocol import SessionQuery, Store
from sojourn.testing.expectations import expect, expect_equal, expect_raises
from sojourn.testing.factories import said
from sojourn.testing.suite.check import on_store

CREATED = SessionCreated(
    user_id="ada", title="Tea", project="home", tags=("a", "b", "a"), parent=SessionId("p"), metadata={"k": [1, None]}
)


async def _header(store: Store, session_id: str = "s") -> SessionHeader:
    return (await store.get_session(session_id)).header


async def _after(store: Store, *events: Event) -> SessionHeader:
    await store.append("s", events)
    return await _header(store)


@on_store
async def a_session_begins_with_one_entry(store: Store) -> None:
    row = await store.create_session("s", CREATED)
    [entry] = await store.read("s")
    expect_equal((entry.seq, entry.event, entry.session_id), (1, CREATED, "s"), "the entry")
    expect_equal(await store.get_session("s"), row, "the row")
    header = row.header
    expect_equal((header.session_id, header.head, row.epoch, row.quarantined), ("s", 1, 0, None), "where it stands")
    expect_equal((header.user_id, header.project, header.title), ("ada", "home", "Tea"), "what it is")
    expect_equal((header.title_source, header.tags, header.parent), ("user", ("a", "b"), "p"), "what belongs to it")
    expect_equal((header.created_at, header.updated_at), (entry.at, entry.at), "its times")


@on_store
async def a_session_needs_no_description(store: Store) -> None:
    header = (await store.create_session("s")).header
    expect_equal((header.user_id, header.title, header.title_source, header.tags), (None, None, None, ()), "the row")


@on_store
async def a_taken_id_is_refused(store: Store) -> None:
    row = await store.create_session("s", CREATED)
    with expect_raises(AlreadyExistsError):
        await store.create_session("s")
    expect_equal(await store.get_session("s"), row, "the first session")


@on_store
async def an_id_in_the_trash_is_taken(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", [SessionTrashed()])
    with expect_raises(AlreadyExistsError):
        await store.create_session("s")


@on_store
async def ids_that_differ_in_case_only_are_two_sessions(store: Store) -> None:
    for session_id in ("Session", "session", "SESSION", "con", "CON", "a.b", "a-b", "a_b", "9" * 128):
        await store.create_session(session_id)
        await store.append(session_id, [said(session_id)])
    for session_id in ("Session", "session", "SESSION", "con", "CON", "a.b", "a-b", "a_b", "9" * 128):
        [entry] = await store.last_messages(session_id)
        expect_equal(entry.event, said(session_id), "the message")


@on_store
async def a_session_that_is_not_there_is_none_or_an_error(store: Store) -> None:
    expect_equal(await store.find_session("nobody"), None, "what is found")
    with expect_raises(SessionNotFoundError):
        await store.get_session("nobody")


@on_store
async def a_user_can_rename_a_session_again_and_again(store: Store) -> None:
    await store.create_session("s")
    titles = [(await _after(store, SessionRenamed(title=title))).title for title in ("One", "Two", "")]
    expect_equal(titles, ["One", "Two", ""], "the titles")


@on_store
async def only_a_user_replaces_the_title_that_a_user_gave(store: Store) -> None:
    await store.create_session("s")
    auto = await _after(store, SessionRenamed(title="auto", source="auto"))
    agent = await _after(store, SessionRenamed(title="agent", source="agent"))
    user = await _after(store, SessionRenamed(title="user"))
    kept = await _after(store, SessionRenamed(title="agent", source="agent"), SessionRenamed(title="x", source="auto"))
    expect_equal([auto.title, agent.title, user.title, kept.title], ["auto", "agent", "user", "user"], "the titles")
    expect_equal(kept.title_source, "user", "who gave it")


@on_store
async def tags_are_added_and_removed_without_doubles(store: Store) -> None:
    await store.create_session("s", SessionCreated(tags=("a", "b")))
    header = await _after(store, SessionTagged(added=("c", "a", "ß"), removed=("b", "not there")))
    expect_equal(header.tags, ("a", "c", "ß"), "the tags")
    header = await _after(store, SessionTagged(removed=("a", "c", "ß")))
    expect_equal(header.tags, (), "the tags")


@on_store
async def a_session_moves_to_another_project_and_is_listed_there(store: Store) -> None:
    await store.create_session("s", SessionCreated(project="old"))
    header = await _after(store, SessionMoved(project="new"))
    expect_equal(header.project, "new", "the project")
    listed = {
        project: [row.header.session_id for row in (await store.list_sessions(SessionQuery(project=project))).rows]
        for project in ("old", "new")
    }
    expect_equal(listed, {"old": [], "new": ["s"]}, "what is listed where")
    expect_equal((await _after(store, SessionMoved(project=None))).project, None, "the project afterwards")


@on_store
async def archiving_and_trashing_can_be_undone(store: Store) -> None:
    await store.create_session("s")
    gone = await _after(store, SessionArchived(), SessionTrashed())
    back = await _after(store, SessionUnarchived(), SessionRestored())
    expect(gone.archived_at and gone.trashed_at, "it is archived and trashed")
    expect_equal((back.archived_at, back.trashed_at), (None, None), "the marks afterwards")


@on_store
async def a_session_in_the_trash_is_still_whole(store: Store) -> None:
    await store.create_session("s")
    await store.append("s", [said("a"), SessionTrashed()])
    await store.append("s", [said("b")])
    expect_equal([entry.event for entry in await store.last_messages("s")], [said("a"), said("b")], "the messages")


@on_store
async def a_superseded_session_names_its_successor(store: Store) -> None:
    await store.create_session("s")
    header = await _after(store, SessionSuperseded(by=SessionId("t")))
    expect_equal(header.superseded_by, "t", "the successor")


@on_store
async def housekeeping_is_not_activity(store: Store) -> None:
    created = (await store.create_session("s")).header.updated_at
    housekeeping: tuple[Event, ...] = (
        SessionRenamed(title="t"),
        SessionTagged(added=("x",)),
        SessionMoved(project="p"),
        SessionArchived(),
        SessionUnarchived(),
        SessionTrashed(),
        SessionRestored(),
        SessionSuperseded(by=SessionId("t")),
    )
    times = {(await _after(store, event)).updated_at for event in housekeeping}
    expect_equal(times, {created}, "the last activity")
    expect((await _after(store, said())).updated_at > created, "a message is activity")


@on_store
async def totals_add_up(store: Store) -> None:
    await store.create_session("s")
    usage = UsageRecorded(input_tokens=1, output_tokens=2, cache_creation_tokens=3, cache_read_tokens=4, cost_micros=5)
    header = await _after(store, said(), usage, said(), usage, UsageRecorded(input_tokens=10, cost_micros=None))
    expect_equal((header.message_count, header.total_tokens, header.cost_micros), (2, 30, 10), "the totals")
