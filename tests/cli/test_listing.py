"""A list of sessions goes on in every order, and says what it leaves out."""

import asyncio
from pathlib import Path

import pytest

import sojourn
from sojourn.engine.project import find_project
from tests.cli.typed import Type

QUIET = sojourn.Settings(learning="off", embeddings="off", summarise_turns_every=None)
TITLES = ("Delta", "alpha", "Charlie", "bravo", None)


@pytest.fixture
def listed(anywhere: Path) -> Path:
    """Five sessions of this project, two more put aside or thrown away, and one elsewhere."""
    (anywhere / "home").mkdir()
    here = find_project(anywhere / "work").id

    async def keep(location: str | Path) -> None:
        async with sojourn.open(location, settings=QUIET) as app:
            for number, title in enumerate(TITLES):
                session = await app.sessions.create(f"s{number}", title=title, project=here)
                for _ in range(number % 3):
                    await session.messages.user("hello")
            await app.sessions.create("far", title="Far", project="other")
            for name in ("put-aside", "thrown"):
                await app.sessions.create(name, title=name, project=here)
            await app.sessions.archive("put-aside")
            await app.sessions.delete("thrown")

    asyncio.run(keep(anywhere / "home" / "sojourn.db"))
    asyncio.run(keep(f"files:{anywhere / 'kept'}"))
    return anywhere


@pytest.mark.parametrize("sort", ["updated", "created", "messages", "cost", "title"])
def test_pages_follow_each_other_in_every_order(listed: Path, type_: Type, sort: str) -> None:
    whole = [one["session_id"] for one in type_("ls", "--sort", sort, "--json").data["sessions"]]
    page = type_("ls", "--sort", sort, "-n", "2", "--json").data
    found = [one["session_id"] for one in page["sessions"]]
    while page["more"]:
        page = type_("ls", "-n", "2", "--cursor", page["cursor"], "--json").data  # the cursor knows the order
        found += [one["session_id"] for one in page["sessions"]]

    assert found == whole
    assert len(whole) == 5
    assert page["cursor"] is None


def test_a_cursor_is_not_taken_for_one_of_another_order(listed: Path, type_: Type) -> None:
    cursor = type_("ls", "--sort", "title", "-n", "2", "--json").data["cursor"]

    refused = type_("ls", "--sort", "messages", "--cursor", cursor)

    assert (refused.code, refused.out) == (2, "")
    assert "--sort title" in refused.err
    assert type_("ls", "--sort", "title", "--cursor", cursor).code == 0
    assert type_("ls", "--cursor", "title_gone").code == 2


def test_what_is_not_listed_is_counted_with_the_reason(listed: Path, type_: Type) -> None:
    told = type_("ls")

    assert "not listed: 1 archived (--archived), 1 in the trash (--trash), 1 of other projects (--all)" in told.err
    assert type_("ls", "--json").data["hidden"] == {"archived": 1, "trash": 1, "elsewhere": 1}
    assert type_("ls", "--all", "--json").data["hidden"] == {"archived": 1, "trash": 1}
    assert type_("ls", "--archived", "--json").data["hidden"] == {"trash": 1}
    assert type_("ls", "--trash", "--json").data["hidden"] == {}


def test_while_there_are_more_nothing_else_is_said(listed: Path, type_: Type) -> None:
    told = type_("ls", "-n", "2")

    assert "there are more" in told.err
    assert "not listed" not in told.err


def test_an_empty_list_says_where_the_sessions_are(listed: Path, type_: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    (listed / "elsewhere").mkdir()
    monkeypatch.chdir(listed / "elsewhere")

    told = type_("ls")

    assert told.out == ""
    assert "no sessions in this project" in told.err
    assert "6 of other projects (--all)" in told.err


def test_a_session_that_was_rewound_is_listed_once(listed: Path, type_: Type) -> None:
    type_("rewind", "s2", "--to", "2")

    listed_now = type_("ls", "--json", "-n", "5").data

    assert len(listed_now["sessions"]) == 5
    assert "s2" not in [one["session_id"] for one in listed_now["sessions"]]
    assert not listed_now["more"]


def test_what_agents_were_started_for_is_listed_when_asked_for(anywhere: Path, type_: Type) -> None:
    (anywhere / "home").mkdir()
    here = find_project(anywhere / "work").id

    async def keep(location: str | Path) -> None:
        async with sojourn.open(location, settings=QUIET) as app:
            await app.sessions.create("caller", title="Caller", project=here)
            await app.sessions.create("called", title="Called", project=here, parent="caller", tags=["agent"])

    asyncio.run(keep(anywhere / "home" / "sojourn.db"))
    asyncio.run(keep(f"files:{anywhere / 'kept'}"))

    plain, whole = type_("ls"), type_("ls", "--agents", "--json").data

    assert "Called" not in plain.out
    assert plain.err == "not listed: 1 of agents that others started (--agents)\n"
    assert [one["session_id"] for one in whole["sessions"]] == ["called", "caller"]
    assert whole["hidden"] == {}
    assert "Called" in type_("ls", "--tag", "agent").out
    assert type_("show", "@last", "--json").data["session"]["session_id"] == "caller"
    assert type_("show", "called").code == 0
    assert [one["session_id"] for one in type_("-r", "--json").answer["data"]["sessions"]] == ["caller"]
