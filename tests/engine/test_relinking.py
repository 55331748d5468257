"""Sessions follow a project whose identity has changed."""

from collections.abc import AsyncIterator

import pytest

import sojourn
from sojourn.engine.app import Sojourn
from sojourn.engine.relinking import relink
from sojourn.errors import InvalidInputError
from sojourn.store.protocol import SessionQuery

pytestmark = pytest.mark.anyio

QUIET = sojourn.Settings(learning="off", embeddings="off", summarise_turns_every=None)


@pytest.fixture
async def app() -> AsyncIterator[Sojourn]:
    async with sojourn.open("memory:", settings=QUIET) as app:
        for name in ("one", "two", "put-aside"):
            session = await app.sessions.create(name, project="old")
            await session.messages.user(f"hedgehog {name}")
        await app.sessions.create("elsewhere", project="other")
        await app.sessions.archive("put-aside")
        await app.sessions.delete("put-aside")
        yield app


async def listed(app: Sojourn, project: str) -> set[str]:
    page = await app.sessions.list(SessionQuery(project=project, archived=None, trashed=None))
    return {row.header.session_id for row in page.rows}


async def test_a_dry_run_tells_and_changes_nothing(app: Sojourn) -> None:
    told = await relink(app.store, app.sessions, "old", "new")

    assert {header.session_id for header in told.sessions} == {"one", "two", "put-aside"}
    assert await listed(app, "old") == {"one", "two", "put-aside"}


async def test_every_session_moves_and_no_activity_is_seen(app: Sojourn) -> None:
    before = (await app.store.get_session("one")).header.updated_at

    await relink(app.store, app.sessions, "old", "new", dry_run=False)

    assert await listed(app, "new") == {"one", "two", "put-aside"}
    assert await listed(app, "old") == set()
    assert await listed(app, "other") == {"elsewhere"}
    assert (await app.store.get_session("one")).header.updated_at == before


async def test_what_was_said_is_found_in_the_new_project(app: Sojourn) -> None:
    await app.memory.catch_up()
    await relink(app.store, app.sessions, "old", "new", dry_run=False)
    await app.memory.catch_up()

    assert len(await app.memory.search("hedgehog", project="new")) == 2
    assert await app.memory.search("hedgehog", project="old") == []


async def test_an_open_session_knows_where_it_belongs(app: Sojourn) -> None:
    session = await app.sessions.open("one")

    await relink(app.store, app.sessions, "old", "new", dry_run=False)

    assert session.state.project == "new"


async def test_the_session_used_last_comes_along_unless_there_is_one(app: Sojourn) -> None:
    await app.sessions.switch("one", project="old")
    await app.sessions.switch("elsewhere", project="other")

    await relink(app.store, app.sessions, "old", "new", dry_run=False)
    await relink(app.store, app.sessions, "new", "other", dry_run=False)

    by_new, by_other = await app.sessions.last(project="new"), await app.sessions.last(project="other")
    assert (by_new and by_new.id, by_other and by_other.id) == ("one", "elsewhere")


async def test_a_project_is_not_moved_onto_itself(app: Sojourn) -> None:
    for old, new in (("old", "old"), ("", "new"), ("old", " ")):
        with pytest.raises(InvalidInputError):
            await relink(app.store, app.sessions, old, new, dry_run=False)


async def test_going_back_does_not_bring_the_old_project_back(app: Sojourn) -> None:
    await relink(app.store, app.sessions, "old", "new", dry_run=False)

    rewound = await app.sessions.rewind("one", at=2)
    forked = await (await app.sessions.open("two")).fork(at=2)

    assert [session.state.project for session in (rewound, forked)] == ["new", "new"]
