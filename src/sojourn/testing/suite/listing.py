"""Listing sessions: filters, order, and pages without gaps or repeats."""

from sojourn.model.events import (
    SessionArchived,
    SessionCreated,
    SessionRenamed,
    SessionSuperseded,
    SessionTagged,
    SessionTrashed,
)
from sojourn.model.ids import SessionId
from sojourn.store.protocol import SessionQuery, Store
from sojourn.testing.expectations import expect, expect_equal
from sojourn.testing.factories import said
from sojourn.testing.fingerprint import list_all
from sojourn.testing.suite.check import on_store


async def _listed(store: Store, query: SessionQuery | None = None) -> list[str]:
    return [row.header.session_id async for row in list_all(store, query or SessionQuery())]


@on_store
async def an_empty_store_lists_nothing(store: Store) -> None:
    page = await store.list_sessions()
    expect_equal((page.rows, page.cursor), ((), None), "the page")


@on_store
async def sessions_are_listed_newest_activity_first(store: Store) -> None:
    for session_id in ("a", "b", "c"):
        await store.create_session(session_id)
    await store.append("a", [said()])
    expect_equal(await _listed(store), ["a", "c", "b"], "the order")
    await store.append("b", [SessionRenamed(title="not activity")])
    expect_equal(await _listed(store), ["a", "c", "b"], "the order after a renaming")


@on_store
async def a_listed_row_is_the_row_itself(store: Store) -> None:
    await store.create_session("s", SessionCreated(user_id="ada", title="T", tags=("x", "ß"), project="p"))
    await store.append("s", [said(), SessionArchived()])
    page = await store.list_sessions(SessionQuery(archived=None))
    expect_equal(page.rows, (await store.get_session("s"),), "the rows")


@on_store
async def sessions_are_filtered_by_user_project_parent_and_tag(store: Store) -> None:
    await store.create_session("a", SessionCreated(user_id="ada", project="p", tags=("x", "y")))
    await store.create_session("b", SessionCreated(user_id="bob", project="p", tags=("y",), parent=SessionId("a")))
    await store.create_session("c", SessionCreated(user_id="ada", project="q", parent=SessionId("a")))
    await store.append("c", [SessionTagged(added=("x",))])
    for query, wanted in (
        (SessionQuery(user_id="ada"), ["c", "a"]),
        (SessionQuery(user_id="Ada"), []),
        (SessionQuery(project="p"), ["b", "a"]),
        (SessionQuery(parent=SessionId("a")), ["c", "b"]),
        (SessionQuery(tag="x"), ["c", "a"]),
        (SessionQuery(tag="y"), ["b", "a"]),
        (SessionQuery(tag="xy"), []),
        (SessionQuery(user_id="ada", project="p", tag="x"), ["a"]),
        (SessionQuery(user_id="bob", tag="x"), []),
    ):
        expect_equal(await _listed(store, query), wanted, f"{query}")


@on_store
async def text_is_found_in_titles_whatever_its_case(store: Store) -> None:
    titles = {"a": "Die STRASSE nach Ulm", "b": "ΑΘΗΝΑ 100%", "c": "under_score", "d": "Été"}
    for session_id, title in titles.items():
        await store.create_session(session_id, SessionCreated(title=title))
    await store.create_session("e")
    for text, wanted in (
        ("straße", ["a"]),
        ("ULM", ["a"]),
        ("αθηνα", ["b"]),
        ("été", ["d"]),
        ("%", ["b"]),
        ("_", ["c"]),
        ("s", ["c", "a"]),
        ("nowhere", []),
        ("'\"\\", []),
    ):
        expect_equal(await _listed(store, SessionQuery(text=text)), wanted, f"with {text!r}")


@on_store
async def a_renamed_session_is_found_by_its_new_title_only(store: Store) -> None:
    await store.create_session("s", SessionCreated(title="Before"))
    await store.append("s", [SessionRenamed(title="AFTER")])
    found = [await _listed(store, SessionQuery(text=text)) for text in ("before", "after")]
    expect_equal(found, [[], ["s"]], "what is found")


@on_store
async def archived_and_trashed_sessions_are_listed_on_request(store: Store) -> None:
    for session_id in ("plain", "old", "gone", "both"):
        await store.create_session(session_id)
    await store.append("old", [SessionArchived()])
    await store.append("gone", [SessionTrashed()])
    await store.append("both", [SessionArchived(), SessionTrashed()])
    for archived, trashed, wanted in (
        (False, False, {"plain"}),
        (True, False, {"old"}),
        (False, True, {"gone"}),
        (True, True, {"both"}),
        (None, False, {"plain", "old"}),
        (None, True, {"gone", "both"}),
        (False, None, {"plain", "gone"}),
        (None, None, {"plain", "old", "gone", "both"}),
    ):
        listed = await _listed(store, SessionQuery(archived=archived, trashed=trashed))
        expect_equal(set(listed), wanted, f"archived={archived} trashed={trashed}")


@on_store
async def pages_follow_one_another_without_gaps_or_repeats(store: Store) -> None:
    names = [f"s{number}" for number in range(23)]
    for session_id in names:
        await store.create_session(session_id)
    for limit in (1, 5, 22, 23, 24):
        expect_equal(await _listed(store, SessionQuery(limit=limit)), names[::-1], f"by pages of {limit}")
    page = await store.list_sessions(SessionQuery(limit=23))
    expect_equal(page.cursor, None, "the cursor of a last page that is full")


@on_store
async def sessions_added_between_two_pages_disturb_nothing(store: Store) -> None:
    names = [f"s{number}" for number in range(9)]
    for session_id in names:
        await store.create_session(session_id)
    seen: list[str] = []
    query = SessionQuery(limit=2)
    async for row in list_all(store, query):
        seen.append(row.header.session_id)
        await store.create_session(f"new{len(seen)}")
    expect_equal(seen, names[::-1], "the pages")


@on_store
async def filters_hold_on_every_page(store: Store) -> None:
    for number in range(12):
        created = SessionCreated(user_id="ada" if number % 3 else "bob", title=f"Nr. {number}")
        await store.create_session(f"s{number}", created)
    query = SessionQuery(user_id="ada", text="NR", limit=3)
    page = await store.list_sessions(query)
    expect_equal(len(page.rows), 3, "the size of a page")
    listed = await _listed(store, query)
    expect_equal(listed, [f"s{number}" for number in range(11, -1, -1) if number % 3], "the sessions")


@on_store
async def a_fork_counts_as_new_activity(store: Store) -> None:
    await store.create_session("a", SessionCreated(title="T", user_id="ada", tags=("x",)))
    await store.create_session("b")
    await store.fork_session("a", "c")
    expect_equal(await _listed(store), ["c", "b", "a"], "the order")
    expect_equal(await _listed(store, SessionQuery(user_id="ada", tag="x", text="t")), ["c", "a"], "what is inherited")


@on_store
async def purged_sessions_are_not_listed(store: Store) -> None:
    await store.create_session("a")
    await store.purge_session("a")
    expect(not await _listed(store, SessionQuery(archived=None, trashed=None)), "nothing is listed")


@on_store
async def sessions_that_go_on_elsewhere_are_listed_or_left_out(store: Store) -> None:
    for session_id in ("a", "b"):
        await store.create_session(session_id)
    await store.append("a", [SessionSuperseded(by=SessionId("b"))])
    listed = {which: await _listed(store, SessionQuery(superseded=which)) for which in (None, True, False)}
    expect_equal(listed, {None: ["b", "a"], True: ["a"], False: ["b"]}, "what is listed")


@on_store
async def sessions_of_subagents_are_listed_or_left_out(store: Store) -> None:
    await store.create_session("a")
    await store.create_session("b", SessionCreated(parent=SessionId("a")))
    listed = {which: await _listed(store, SessionQuery(nested=which)) for which in (None, True, False)}
    expect_equal(listed, {None: ["b", "a"], True: ["b"], False: ["a"]}, "what is listed")


@on_store
async def sessions_are_counted_as_they_are_listed(store: Store) -> None:
    for number in range(5):
        await store.create_session(f"s{number}", SessionCreated(project="p" if number % 2 else "q", title=f"T{number}"))
    await store.append("s0", [SessionArchived()])
    await store.append("s1", [SessionTrashed()])
    await store.append("s2", [SessionSuperseded(by=SessionId("s4"))])
    for query in (
        SessionQuery(limit=1),
        SessionQuery(archived=None, trashed=None),
        SessionQuery(archived=True),
        SessionQuery(trashed=True),
        SessionQuery(project="p", trashed=None),
        SessionQuery(superseded=False),
        SessionQuery(nested=False),
        SessionQuery(text="t3"),
        SessionQuery(tag="none"),
    ):
        expect_equal(await store.count_sessions(query), len(await _listed(store, query)), f"the number for {query}")
