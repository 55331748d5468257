"""A project is seen, named, and followed by its sessions when it has changed."""

import asyncio
from pathlib import Path

import apsw
import pytest

import sojourn
from sojourn.desk.columns import width
from sojourn.engine.project import find_project, path_id
from tests.cli.typed import Type

QUIET = sojourn.Settings(learning="off", embeddings="off", summarise_turns_every=None)


def kept(folder: Path, **projects: str) -> None:
    """Keep a session of one message for each name, which belongs to the project that is given for it."""

    async def keep() -> None:
        (folder / "home").mkdir(exist_ok=True)
        async with sojourn.open(folder / "home" / "sojourn.db", settings=QUIET) as app:
            for name, project in projects.items():
                session = await app.sessions.create(name, title=name.title(), project=project)
                await session.messages.user("The hedgehog sleeps")

    asyncio.run(keep())


def listed(type_: Type, *words: str) -> set[str]:
    return {one["session_id"] for one in type_("ls", "--json", *words).data["sessions"]}


def test_a_project_says_what_it_is_and_why(folder: Path, type_: Type) -> None:
    here = find_project(folder / "work")
    kept(folder, one=here.id, two=here.id, other="elsewhere")

    told = type_("project", "info")
    data = type_("project", "info", "--json").data

    assert f"id        {path_id((folder / 'work').resolve())}" in told.lines
    assert any(line.startswith("why       it is no git repository") for line in told.lines)
    assert (data["source"], data["sessions"], data["messages"]) == ("path", 2, 2)


def test_every_project_is_listed_with_what_it_holds(folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    here = find_project(folder / "work").id
    kept(folder, one=here, two=here, other="elsewhere")

    data = type_("project", "ls", "--json").data["projects"]
    monkeypatch.setenv("COLUMNS", "40")
    lines = type_("project", "ls").lines

    assert [(one["id"], one["here"], one["sessions"]) for one in data] == [("elsewhere", False, 1), (here, True, 2)]
    assert lines[2].startswith(f"* {here}")
    assert max(map(width, lines)) <= 40


def test_where_nothing_is_kept_there_are_no_projects(folder: Path, type_: Type) -> None:
    told = type_("project", "ls")

    assert (told.code, told.out) == (0, "")
    assert "nothing is kept yet" in told.err
    assert not (folder / "home").exists()


def test_sessions_follow_a_folder_that_has_moved(folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    type_("new", "Before", "--session-id", "before")
    (folder / "work").rename(folder / "moved")
    monkeypatch.chdir(folder / "moved")
    assert listed(type_) == set()

    dry = type_("project", "relink", str(folder / "work"))
    assert "nothing was changed" in dry.err
    assert listed(type_) == set()
    done = type_("project", "relink", str(folder / "work"), ".", "--yes")

    assert (dry.code, done.code) == (0, 0)
    assert listed(type_) == {"before"}
    assert type_("show", "@last", "--json").data["session"]["session_id"] == "before"


def test_what_was_said_is_found_where_it_belongs_now(folder: Path, type_: Type) -> None:
    kept(folder, one="old-identity")
    assert type_("search", "hedgehog").out == ""

    type_("project", "relink", "old-", "--yes")

    assert "hedgehog" in type_("search", "hedgehog").out


def test_a_name_of_its_own_wins_and_says_what_stays_behind(folder: Path, type_: Type) -> None:
    type_("new", "Before", "--session-id", "before")
    (folder / "work" / "src").mkdir()

    named = type_("project", "name", "web-app")

    assert named.lines == ["web-app"]
    assert "1 session kept as path-" in named.err
    assert type_("project", "info", "src", "--json").data["id"] == "web-app"
    old = path_id((folder / "work").resolve())
    assert type_("project", "relink", old, "--yes").code == 0
    assert listed(type_) == {"before"}
    assert type_("project", "name", "web-app-2", "src").lines == ["web-app-2"]
    assert not (folder / "work" / "src" / ".sojourn").exists()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("relink", "nobody"), 3),
        (("relink", "alpha", "./nowhere"), 3),
        (("relink", "alpha", "alpha"), 2),
        (("relink", "alph"), 2),
        (("name", ""), 2),
        (("name", "two\nlines"), 2),
        (("name", "fine", "no-such-folder"), 3),
        (("info", "no-such-folder"), 3),
        (("what",), 2),
    ],
)
def test_what_cannot_be_meant_is_one_sentence_and_changes_nothing(
    folder: Path, type_: Type, words: tuple[str, ...], code: int
) -> None:
    kept(folder, one="alpha", two="alphabet")

    told, answered = type_("project", *words), type_("project", *words, "--json")

    assert (told.code, told.out, answered.code) == (code, "", code)
    assert answered.error["message"]
    assert {one["id"] for one in type_("project", "ls", "--json").data["projects"]} == {"alpha", "alphabet"}
    assert not (folder / "work" / ".sojourn").exists()


def test_a_damaged_session_stays_and_is_named(folder: Path, type_: Type) -> None:
    kept(folder, one="old", two="old")
    connection = apsw.Connection(str(folder / "home" / "sojourn.db"))
    connection.execute("UPDATE sessions SET quarantined = 'torn' WHERE session_id = 'one'")
    connection.close()

    told = type_("project", "relink", "old", "--yes")

    assert told.code == 5
    assert "one" in told.err
    assert listed(type_) == {"two"}
