"""Conversations are forked, rewound, compared and merged from the command line."""

import asyncio
import io
import shlex
from pathlib import Path

import pytest

import sojourn
from sojourn.desk.columns import width
from tests.cli.typed import Type


@pytest.fixture
def talk(anywhere: Path, type_: Type) -> tuple[str, list[int]]:
    """A session with four messages: its id, and where they stand."""
    session_id = type_("new", "Trip", "--tag", "travel").lines[0]

    async def keep(location: str | Path) -> list[int]:
        async with sojourn.open(location, settings=sojourn.Settings(learning="off", embeddings="off")) as app:
            session = await app.sessions.open(session_id)
            first = await session.messages.user("By train?")
            second = await session.messages.assistant("Yes, at night.")
            await session.variables.set("budget", 100)
            third = await session.messages.user("How much?")
            fourth = await session.messages.assistant("39 EUR.")
            return [entry.seq for entry in (first, second, third, fourth)]

    kept = anywhere / "kept"
    return session_id, asyncio.run(keep(f"files:{kept}" if kept.exists() else anywhere / "home" / "sojourn.db"))


def texts(type_: Type, reference: str) -> list[str]:
    return [one["text"] for one in type_("show", reference, "--json").data["messages"]]


def change(folder: Path, session_id: str, **values: object) -> None:
    """Set variables in a session."""

    async def keep(location: str | Path) -> None:
        async with sojourn.open(location, settings=sojourn.Settings(learning="off", embeddings="off")) as app:
            session = await app.sessions.open(session_id, exact=True)
            for name, value in values.items():
                await session.variables.set(name, value)

    kept = folder / "kept"
    asyncio.run(keep(f"files:{kept}" if kept.exists() else folder / "home" / "sojourn.db"))


def test_a_fork_continues_from_an_entry_and_leaves_the_rest_alone(talk: tuple[str, list[int]], type_: Type) -> None:
    session_id, places = talk

    forked = type_("fork", "Trip", "--at", str(places[1]), "-n", "By plane")

    assert forked.code == 0
    assert f"shares entries 1 to {places[1]} with Trip" in forked.err
    assert texts(type_, forked.lines[0]) == ["By train?", "Yes, at night."]
    assert len(texts(type_, session_id)) == 4
    data = type_("fork", "Trip", "--json").data["session"]
    assert (data["forked_from"], data["title"], data["message_count"]) == (session_id, "Trip", 4)


@pytest.mark.parametrize("words", [("--at", "0"), ("--at", "999"), ("--at", "two"), ("-n", " "), ("-n", "x" * 201)])
def test_a_fork_that_cannot_be_is_not_begun(talk: tuple[str, list[int]], type_: Type, words: tuple[str, ...]) -> None:
    refused = type_("fork", "Trip", *words)

    assert (refused.code, refused.out) == (2, "")
    assert len(type_("ls", "--json").data["sessions"]) == 1


def test_the_tree_shows_each_fork_once_and_where_one_is(talk: tuple[str, list[int]], type_: Type) -> None:
    session_id, places = talk
    child = type_("fork", session_id, "--at", str(places[2]), "-n", "Child").lines[0]
    grandchild = type_("fork", child, "--at", str(places[1]), "-n", "Grandchild").lines[0]
    type_("fork", session_id, "-n", "Second")

    shown = type_("tree", "Child").lines

    assert len(shown) == 4
    assert [line for line in shown if "← here" in line] == [line for line in shown if "Child #" in line]
    assert shown[0].endswith("Trip #travel")
    tree = type_("tree", grandchild, "--json").data
    assert tree["session_id"] == grandchild
    assert (tree["tree"][0]["depth"], tree["tree"][0]["session"]["title"]) == (0, "Trip")
    assert sorted(one["session"]["title"] for one in tree["tree"]) == ["Child", "Grandchild", "Second", "Trip"]


def test_the_tree_fits_a_narrow_terminal(
    talk: tuple[str, list[int]], type_: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    type_("fork", "Trip", "-n", "A very long title about trains and planes and ships")
    monkeypatch.setenv("COLUMNS", "40")

    shown = type_("tree", "@last").lines

    assert len(shown) == 2
    assert [line for line in shown if width(line) > 40] == []


def test_going_back_keeps_what_was_said_after(talk: tuple[str, list[int]], type_: Type) -> None:
    session_id, places = talk

    rewound = type_("rewind", "Trip", "--to", str(places[1]))

    assert rewound.code == 0
    assert f"went back to entry {places[1]}" in rewound.err
    assert texts(type_, "@last") == texts(type_, rewound.lines[0]) == ["By train?", "Yes, at night."]
    assert texts(type_, "Trip") == ["By train?", "Yes, at night."]
    assert len(texts(type_, session_id)) == 4
    assert [one["session_id"] for one in type_("ls", "--json").data["sessions"]] == rewound.lines
    assert any("(rewound)" in line for line in type_("tree", session_id).lines)


@pytest.mark.parametrize("words", [(), ("--to", "0"), ("--to", "999"), ("--to", "yesterday")])
def test_going_back_to_nowhere_is_refused(talk: tuple[str, list[int]], type_: Type, words: tuple[str, ...]) -> None:
    refused = type_("rewind", "Trip", *words, "--json")

    assert refused.code == 2
    assert refused.error["message"]
    assert len(type_("ls", "--json").data["sessions"]) == 1


def test_two_branches_are_compared(anywhere: Path, talk: tuple[str, list[int]], type_: Type) -> None:
    session_id, places = talk
    branch = type_("fork", "Trip", "--at", str(places[1]), "-n", "Branch").lines[0]
    change(anywhere, branch, budget=200)

    told, data = type_("diff", "Trip", "Branch"), type_("diff", session_id, branch, "--json").data

    assert told.code == 0
    assert told.lines[0] == f"they share entries 1 to {places[1]}"
    assert any(line.startswith(f"- [{places[3]}] assistant: 39 EUR.") for line in told.lines)
    assert "- 100" in told.lines
    assert "+ 200" in told.lines
    assert data["common"] == {"session_id": session_id, "seq": places[1]}
    assert [one["text"] for one in data["ours"]["messages"]] == ["How much?", "39 EUR."]
    assert [(one["name"], one["ours"], one["theirs"]) for one in data["differences"]] == [("budget", 100, 200)]


def test_what_shares_nothing_cannot_be_compared(talk: tuple[str, list[int]], type_: Type) -> None:
    type_("new", "Other")

    assert type_("diff", "Trip", "Other").code == 2
    assert type_("diff", "Trip", "Trip").code == 2
    assert type_("diff", "Trip").code == 2
    assert type_("merge", "Trip", "Nobody").code == 3


def test_what_a_branch_has_learned_comes_home(anywhere: Path, talk: tuple[str, list[int]], type_: Type) -> None:
    branch = type_("fork", "Trip", "-n", "Branch").lines[0]
    change(anywhere, branch, seats=2)

    merged = type_("merge", "Trip", "Branch")

    assert (merged.code, merged.lines) == (0, ["+ variables: seats"])
    assert type_("diff", "Trip", "Branch", "--json").data["differences"] == []


def test_what_both_changed_waits_for_a_decision(anywhere: Path, talk: tuple[str, list[int]], type_: Type) -> None:
    session_id, _ = talk
    branch = type_("fork", "Trip", "-n", "Branch").lines[0]
    change(anywhere, branch, budget=200)
    change(anywhere, session_id, budget=300)

    asked, answered = type_("merge", "Trip", "Branch"), type_("merge", "Trip", "Branch", "--json")

    assert asked.code == answered.code == 4
    assert asked.lines == ["! variables: budget", "  ours    300", "  theirs  200"]
    assert "nothing was changed" in asked.err
    assert "--strategy" in asked.err
    assert "--strategy" in answered.error["message"]
    assert answered.answer["data"]["conflicts"][0]["theirs"] == 200
    assert type_("merge", "Trip", "Branch", "--strategy", "guess").code == 2
    assert type_("merge", "Trip", "Branch", "--strategy", "theirs", "--json").data["merged"] is True
    assert type_("diff", "Trip", "Branch", "--json").data["differences"] == []


def test_what_is_said_to_type_goes_on_there(folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    store = str(folder / "my own.db")
    for words in (("new", "Trip"), ("fork", "Trip", "-n", "By plane"), ("rewind", "Trip", "--to", "1")):
        made = type_(*words, "--store", store)
        hint = shlex.split(made.err.splitlines()[-1].partition(": ")[2])

        assert hint == ["sojourn", "-r", made.lines[0][-8:], "--store", store]
        assert type_(*hint[1:], "-p", "-m", "scripted:Yes.", "Ready?").out == "Yes.\n"
