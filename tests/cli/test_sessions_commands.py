"""Sessions are begun, listed, shown, found, named and put away, for people and for programs."""

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

import sojourn
from sojourn.desk.columns import width
from sojourn.engine.project import find_project
from sojourn.model.message import Message, ToolCall
from sojourn.testing.clock import FakeClock
from tests.cli.typed import Type, Typed

HOSTILE = "evil\x1b[2J\x9b31m\u202etitle"


def said(folder: Path, *texts: str, title: str | None = None, days_ago: float = 0, **also: object) -> str:
    """Keep a session in which *texts* were said in turn, and return its id."""

    async def keep() -> str:
        clock = FakeClock(now=datetime.now(UTC) - timedelta(days=days_ago), tick=0.001)
        quiet = sojourn.Settings(learning="off", embeddings="off")
        async with sojourn.open(folder / "home" / "sojourn.db", settings=quiet, clock=clock) as app:
            project = str(also.get("project") or find_project(folder / "work").id)
            session = await app.sessions.create(title=title, project=project)
            for number, text in enumerate(texts):
                await session.messages.add(Message(role="assistant" if number % 2 else "user", content=text))
            return session.id

    (folder / "home").mkdir(exist_ok=True)
    return asyncio.run(keep())


def titles(listed: Typed) -> list[str | None]:
    return [session["title"] for session in listed.data["sessions"]]


# --- begin


def test_a_new_session_is_named_tagged_and_the_last_one(anywhere: Path, type_: Type) -> None:
    begun = type_("new", "Trip to Lisbon", "--tag", "travel", "--tag", "may")

    assert begun.code == 0
    assert "to talk in it: sojourn -r" in begun.err
    shown = type_("show", "@last", "--json").data["session"]
    assert (shown["session_id"], shown["title"], shown["tags"]) == (begun.lines[0], "Trip to Lisbon", ["travel", "may"])


def test_an_id_may_be_chosen_and_is_taken_once(anywhere: Path, type_: Type) -> None:
    assert type_("new", "--session-id", "mine").out == "mine\n"

    again = type_("new", "--session-id", "mine")
    assert (again.code, again.out) == (4, "")
    assert "exists already" in again.err
    assert type_("new", "--session-id", "../up").code == 2


def test_two_titles_are_refused_and_nothing_is_begun(folder: Path, type_: Type) -> None:
    refused = type_("new", "One", "--name", "Two", "--json")

    assert (refused.code, refused.error["kind"]) == (2, "UsageError")
    assert not (folder / "home" / "sojourn.db").exists()


# --- list


def test_looking_at_nothing_makes_nothing(folder: Path, type_: Type) -> None:
    listed = type_("ls")

    assert (listed.code, listed.out) == (0, "")
    assert "no sessions in this project" in listed.err
    assert not (folder / "home").exists()
    assert type_("ls", "--json").data == {"sessions": [], "more": False, "cursor": None, "hidden": {}}


def test_sessions_of_this_project_are_listed_and_all_when_asked(folder: Path, type_: Type) -> None:
    said(folder, "hello", title="Here", days_ago=2)
    said(folder, "hello", title="Elsewhere", project="other")

    assert titles(type_("ls", "--json")) == ["Here"]
    assert titles(type_("sessions", "--all", "--json")) == ["Elsewhere", "Here"]
    (line,) = type_("ls").lines
    assert line.split("  ")[1:] == ["2d ago", "1 msg", "Here"]


def test_pages_follow_each_other_by_their_cursor(folder: Path, type_: Type) -> None:
    for number in range(5):
        said(folder, title=f"Talk {number}", days_ago=10 - number)

    first = type_("ls", "-n", "2", "--json")
    second = type_("ls", "-n", "2", "--json", "--cursor", first.data["cursor"])
    third = type_("ls", "-n", "2", "--json", "--cursor", second.data["cursor"])

    assert titles(first) + titles(second) + titles(third) == [f"Talk {number}" for number in (4, 3, 2, 1, 0)]
    assert (first.data["more"], third.data["more"], third.data["cursor"]) == (True, False, None)
    assert first.data["cursor"] in type_("ls", "-n", "2").err


def test_the_order_can_be_chosen(folder: Path, type_: Type) -> None:
    said(folder, "a", "b", "c", title="banana", days_ago=3)
    said(folder, "a", title="Apple", days_ago=2)
    said(folder, title="cherry", days_ago=1)

    assert titles(type_("ls", "--sort", "title", "--json")) == ["Apple", "banana", "cherry"]
    assert titles(type_("ls", "--sort", "messages", "--json")) == ["banana", "Apple", "cherry"]
    assert titles(type_("ls", "--sort", "created", "-n", "1", "--json")) == ["cherry"]
    assert type_("ls", "--sort", "title", "--cursor", "1_a").code == 2


@pytest.mark.parametrize(
    "words",
    [("--sort", "colour"), ("-n", "0"), ("-n", "many"), ("--cursor", "rubbish"), ("--what",), ("stray",)],
)
def test_what_cannot_be_asked_of_a_list_is_one_sentence(folder: Path, type_: Type, words: Sequence[str]) -> None:
    type_("new", "One")

    told, answered = type_("ls", *words), type_("ls", *words, "--json")

    sentence, *hints = told.err.splitlines()
    assert (told.code, told.out, sentence[:7]) == (2, "", "error: ")
    assert hints in ([], ["  sojourn ls --help says what it takes"])
    assert (answered.code, answered.answer["command"]) == (2, "ls")
    assert answered.error["message"]


@pytest.mark.parametrize(
    "title", ["日本語の長い題名" * 20, "שלום עולם " * 30, "e\u0301" * 150, HOSTILE * 8, "plain " * 30]
)
def test_no_line_is_wider_than_forty_columns(
    folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch, title: str
) -> None:
    type_("new", title[:200])
    monkeypatch.setenv("COLUMNS", "40")

    (line,) = type_("ls").lines

    assert width(line) <= 40
    assert line.endswith("…")


# --- show


def test_a_session_in_which_nothing_was_said_is_shown_by_its_name(anywhere: Path, type_: Type) -> None:
    session_id = type_("new", "Empty").lines[0]

    assert type_("show", session_id).lines[0] == "Empty"
    assert type_("show", "Empty", "--json").data["messages"] == []


def test_the_last_messages_are_shown_and_the_rest_is_counted(folder: Path, type_: Type) -> None:
    said(folder, "one", "two", "three", "four", title="Talk")

    shown = type_("show", "Talk", "--last", "2")

    assert "three" in shown.out
    assert "two" not in shown.out
    assert "2 earlier messages; --all shows them" in shown.err
    data = type_("show", "Talk", "--last", "2", "--json").data
    assert [(one["role"], one["text"]) for one in data["messages"]] == [("user", "three"), ("assistant", "four")]
    assert data["earlier"] == 2


def test_it_can_be_shown_from_an_entry_on_or_as_a_whole(folder: Path, type_: Type) -> None:
    said(folder, *[f"line {number}" for number in range(60)], title="Long")

    everything = type_("show", "Long", "--all", "--json").data["messages"]
    later = type_("show", "Long", "--from", str(everything[57]["seq"]), "--json").data["messages"]

    assert len(everything) == 60
    assert len(type_("show", "Long", "--json").data["messages"]) == 50
    assert [one["text"] for one in later] == ["line 57", "line 58", "line 59"]
    assert type_("show", "Long", "--all", "--last", "3").code == 2
    assert type_("show", "Long", "--from", "0").code == 2


def test_tools_are_left_out_named_or_shown_in_full(folder: Path, type_: Type) -> None:
    async def keep() -> None:
        (folder / "home").mkdir()
        async with sojourn.open(folder / "home" / "sojourn.db") as app:
            session = await app.sessions.create(title="Tools")
            await session.messages.user("Look it up")
            call = ToolCall(id="c1", name="look", arguments={"word": "\x1b[31mred"})
            await session.messages.assistant(tool_calls=[call])
            await session.messages.tool("c1", "a colour", name="look")

    asyncio.run(keep())

    none, names, full = (type_("show", "Tools", "--tools", how) for how in ("none", "names", "full"))

    assert "look" not in none.out
    assert "▸ look" in names.out
    assert "a colour" not in names.out
    assert "a colour" in full.out
    assert '"word"' in full.out
    assert "\x1b" not in full.out
    asked = type_("show", "Tools", "--tools", "full", "--json").data["messages"][1]
    assert asked["tool_calls"] == [{"id": "c1", "name": "look", "arguments": {"word": "\x1b[31mred"}}]


def test_what_was_stored_cannot_act_on_the_terminal(folder: Path, type_: Type) -> None:
    said(folder, f"{HOSTILE}\r\nsecond", title=HOSTILE)

    for words in (("ls",), ("show", "@last"), ("tree", "@-1"), ("search", "second"), ("tag", "@last", HOSTILE)):
        shown = type_(*words).out
        assert [sign for sign in ("\x1b", "\x9b", "\u202e", "\r") if sign in shown] == [], words
        answer = type_(*words, "--json")
        assert answer.out.removesuffix("\n").isprintable()
    assert type_("ls", "--json").data["sessions"][0]["title"] == HOSTILE


def test_showing_changes_nothing(folder: Path, type_: Type) -> None:
    said(folder, "My name is Ada", "Hello Ada", title="Talk")
    before = type_("ls", "--json").data

    type_("show", "Talk")
    type_("search", "Ada")
    type_("tree", "Talk")

    assert type_("ls", "--json").data == before


# --- search


def test_a_search_that_finds_nothing_is_no_failure(anywhere: Path, type_: Type) -> None:
    assert type_("search", "anything").code == 0
    assert "nothing was found in this project" in type_("search", "anything").err


def test_a_hit_tells_where_it_stands(folder: Path, type_: Type) -> None:
    session_id = said(folder, "I like trains", "So do I", "And the hedgehog?", "It sleeps", title="Animals")
    said(folder, "A hedgehog elsewhere", project="other")

    (hit,) = type_("search", "hedgehog", "--json", "-C", "1").data["hits"]

    assert (hit["session_id"], hit["title"], hit["role"]) == (session_id, "Animals", "user")
    assert [one["text"] for one in (*hit["before"], *hit["after"])] == ["So do I", "It sleeps"]
    start, end = hit["highlights"][0]
    assert hit["snippet"][start:end] == "hedgehog"
    assert len(type_("search", "hedgehog", "--all", "--json").data["hits"]) == 2
    assert "And the hedgehog?" in type_("search", "hedgehog", "--session", session_id).out


def test_a_search_is_narrowed_by_role_and_age(folder: Path, type_: Type) -> None:
    said(folder, "old hedgehog", title="Old", days_ago=30)
    said(folder, "hello", "new hedgehog", title="New")

    def found(*words: str) -> list[str]:
        return [hit["snippet"] for hit in type_("search", "hedgehog", *words, "--json").data["hits"]]

    assert found("--since", "7d") == ["new hedgehog"]
    assert found("--role", "user") == ["old hedgehog"]
    assert found("--tag", "none") == []
    assert type_("search", "hedgehog", "--since", "soon").code == 2
    assert type_("search", "hedgehog", "--role", "judge").code == 2
    assert type_("search", "hedgehog", "--all", "--session", "Old").code == 2
    assert type_("search").code == 2


# --- name, put aside, throw away


def test_a_title_is_replaced_and_the_old_one_told(anywhere: Path, type_: Type) -> None:
    type_("new", "First")

    renamed = type_("rename", "First", "Second")

    assert (renamed.out, renamed.err) == ("Second\n", "it was called First\n")
    assert type_("rename", "Second", "Third", "--json").data["before"] == "Second"
    assert type_("rename", "Third", "  ").code == 2
    assert type_("rename", "Third", "x" * 201).code == 2
    assert type_("rename", "First", "Fourth").code == 3


def test_tags_are_added_removed_and_listed(anywhere: Path, type_: Type) -> None:
    type_("new", "Talk")

    assert "no tags" in type_("tag", "Talk").err
    assert type_("tag", "Talk", "a", "b").lines == ["a", "b"]
    assert type_("tag", "Talk", "c", "--remove", "a", "--json").data["session"]["tags"] == ["b", "c"]
    assert titles(type_("ls", "--tag", "c", "--json")) == ["Talk"]
    assert titles(type_("ls", "--tag", "a", "--json")) == []
    assert type_("tag", "Talk", "").code == 2


def test_the_archive_hides_and_gives_back(anywhere: Path, type_: Type) -> None:
    type_("new", "One")
    type_("new", "Two")

    put = type_("archive", "One", "Two")

    assert put.code == 0
    assert "2 sessions archived" in put.err
    assert titles(type_("ls", "--json")) == []
    assert sorted(str(one) for one in titles(type_("ls", "--archived", "--json"))) == ["One", "Two"]
    assert "(archived)" in type_("ls", "--archived").out
    assert type_("unarchive", "One", "--json").data["sessions"][0]["archived_at"] is None
    assert titles(type_("ls", "--json")) == ["One"]


def test_the_trash_gives_back_what_was_thrown_away(anywhere: Path, type_: Type) -> None:
    type_("new", "One")
    type_("new", "Two")

    thrown = type_("delete", "One", "@last", "Two", "--json")

    assert len(thrown.data["sessions"]) == 2
    assert titles(type_("ls", "--json")) == []
    lost = type_("show", "One")
    assert lost.code == 3
    assert "in the trash: sojourn restore" in lost.err
    assert type_("restore", "One", "Two").code == 0
    assert sorted(str(one) for one in titles(type_("ls", "--json"))) == ["One", "Two"]
    assert type_("restore", "One").code == 3


def test_one_bad_name_among_several_changes_nothing(anywhere: Path, type_: Type) -> None:
    type_("new", "One")

    refused = type_("delete", "One", "Nobody")

    assert (refused.code, refused.out) == (3, "")
    assert titles(type_("ls", "--json")) == ["One"]
    assert type_("delete").code == 2


def test_pruning_lists_first_and_removes_when_told(folder: Path, type_: Type) -> None:
    said(folder, "a", title="Old and archived", days_ago=100)
    said(folder, "a", title="Old and kept", days_ago=100)
    said(folder, "a", title="New and archived")
    type_("archive", "Old and archived", "New and archived")

    listed = type_("prune", "--older-than", "90d")

    assert "Old and archived" in listed.out
    assert "kept" not in listed.out
    assert "nothing was removed; --yes removes these" in listed.err
    assert type_("show", "Old and archived").code == 0
    removed = type_("prune", "--older-than", "90d", "--yes", "--json").data
    assert (removed["removed"], titles_of(removed)) == (True, ["Old and archived"])
    assert type_("show", "Old and archived").code == 3
    assert type_("show", "Old and kept").code == 0
    assert "no archived or trashed session" in type_("prune", "--older-than", "12w").err
    assert type_("prune").code == 2
    assert type_("prune", "--older-than", "a while").code == 2


def titles_of(data: dict[str, list[dict[str, str]]]) -> list[str]:
    return [session["title"] for session in data["sessions"]]


# --- places


def test_the_store_is_named_by_the_option_then_by_the_variable(
    folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOJOURN_STORE", str(folder / "variable.db"))
    type_("new", "By variable")
    type_("new", "By option", "--store", f"files:{folder / 'option'}")

    assert titles(type_("ls", "--json")) == ["By variable"]
    assert titles(type_("ls", "--json", "--store", f"files:{folder / 'option'}")) == ["By option"]
    assert not (folder / "home").exists()
    assert type_("ls", "--store", "ftp://nowhere").code == 2
    assert type_("ls", "--store", "").code == 2


@pytest.mark.parametrize("words", [("new", "\udcff"), ("rename", "@last", "a\udcff"), ("tag", "@last", "\udcff")])
def test_bytes_that_are_no_text_are_refused(folder: Path, type_: Type, words: Sequence[str]) -> None:
    type_("new", "Talk")

    assert type_(*words).code == 2
    assert "\udcff" not in type_(*words, "--json").error["message"]
    assert titles(type_("ls", "--json")) == ["Talk"]


def test_a_message_of_five_megabytes_is_shown_whole(folder: Path, type_: Type) -> None:
    said(folder, "日本 \x1b\n" * 1_000_000, title="Pasted")

    assert type_("show", "Pasted").out.count("日本 \\x1b\n") == 1_000_000


def test_a_folder_that_is_gone_is_told_of(folder: Path, type_: Type) -> None:
    (folder / "work").rmdir()

    told = type_("ls")

    assert (told.code, told.out) == (2, "")
    assert "does not exist any more" in told.err


def test_a_damaged_store_sends_to_the_doctor(folder: Path, type_: Type) -> None:
    broken = folder / "broken.db"
    broken.write_bytes(b"this is no database, but somebody's homework " * 200)

    for words in (("ls",), ("show", "@last"), ("rename", "a", "b"), ("new",)):
        told = type_(*words, "--store", str(broken))
        assert (told.code, told.out) == (5, ""), told.err
        assert "sojourn doctor" in told.err
        answered = type_(*words, "--store", str(broken), "--json")
        assert (answered.code, answered.error["kind"]) == (5, "CorruptError")
        assert "sojourn doctor" in answered.error["hint"]


def test_a_damaged_session_is_told_of_and_the_others_are_as_they_were(folder: Path, type_: Type) -> None:
    damaged = said(folder, "one", "two", title="Damaged")
    said(folder, "three", title="Whole")
    location = folder / "home" / "sojourn.db"
    database = apsw.Connection(str(location))
    database.execute("UPDATE journal SET payload = replace(payload, 'two', 'six') WHERE session_id = ?", (damaged,))
    database.close()

    shown = type_("show", "Damaged")

    assert shown.code == 5
    assert "sojourn doctor" in shown.err
    assert type_("show", "Whole").code == 0

    async def check() -> None:
        async with sojourn.open_store(location) as store:
            await store.check()

    asyncio.run(check())
    assert f"{damaged[-8:]} is damaged" in type_("ls").err
    listed = {one["title"]: one for one in type_("ls", "--json").data["sessions"]}
    assert listed["Damaged"]["damage"]
    assert "damage" not in listed["Whole"]


# --- what is loaded


def test_the_version_and_the_help_load_neither_engine_nor_database() -> None:
    code = """
import sys
from sojourn.cli import main
try:
    main([sys.argv[1]])
except SystemExit:
    heavy = [name for name in sys.modules if name.startswith(("sojourn.engine", "sojourn.store", "sojourn.model"))]
    print([*heavy, *({"apsw", "msgspec", "asyncio", "platformdirs"} & set(sys.modules))], file=sys.stderr)
"""
    for option in ("--version", "--help"):
        loaded = subprocess.run([sys.executable, "-c", code, option], capture_output=True, text=True, check=True)
        assert loaded.stderr == "[]\n"
        assert "sojourn" in loaded.stdout


def test_a_list_loads_the_store_and_not_the_engine(folder: Path) -> None:
    code = """
import sys
from sojourn.cli import main
try:
    main(["ls", "--json"])
except SystemExit:
    rooms = ("sojourn.agent", "sojourn.context", "sojourn.memory", "sojourn.providers", "sojourn.engine.session")
    print([name for name in sys.modules if name.startswith(rooms)], file=sys.stderr)
"""
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert loaded.stderr.splitlines()[-1] == "[]"


def test_a_folder_is_no_store_unless_it_is_said_to_be_one_of_files(folder: Path, type_: Type) -> None:
    refused = type_("ls", "--store", str(folder))

    assert (refused.code, refused.out) == (2, "")
    assert (
        refused.err
        == f"error: {folder} is a folder: name a file for the store, or files:{folder} for a store of files\n"
    )
