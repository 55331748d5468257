"""What can be done in a chat beside talking."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.typed import Type, Typed

pytestmark = pytest.mark.usefixtures("words_only")

Chat = Callable[..., Typed]
DECIDED = "We decided to use Postgres for the orders service."


@pytest.fixture
def chat(folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch) -> Chat:
    """Says lines in a chat, one after the other, and returns what was shown."""

    def said(*lines: str, also: tuple[str, ...] = ()) -> Typed:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return type_("chat", "-m", "scripted:I see.", *also)

    return said


def test_a_session_is_renamed_and_tagged(chat: Chat, type_: Type) -> None:
    told = chat(DECIDED, "/rename Orders database", "/tag work db", "/tag -db", "/tag")

    assert told.lines[1:] == ["it is called Orders database", "#work #db", "#work", "#work"]
    assert type_("ls", "--json").data["sessions"][0]["title_source"] == "user"


def test_a_fork_goes_on_and_the_tree_shows_both(chat: Chat) -> None:
    told = chat(DECIDED, "/fork Try MySQL", "And MySQL?", "/tree")

    assert "stays as it is" in told.lines[1]
    assert told.lines[3].endswith("use Postgres for the orders service") or "Postgres" in told.lines[3]
    assert told.lines[4].startswith("└─ ")
    assert told.lines[4].endswith("Try MySQL  ← here")


def test_one_goes_back_to_an_earlier_message(chat: Chat, type_: Type) -> None:
    listed = chat(DECIDED, "A mistake", "/rewind").lines
    number = next(line for line in listed if line.endswith("assistant: I see.")).partition("]")[0][1:]

    told = chat(f"/rewind {number}", "/rewind")

    assert "what came after it is kept in" in told.lines[0]
    assert "A mistake" not in told.out
    assert "A mistake" not in type_("show").out
    assert chat("/rewind 0").code == 2
    assert chat("/rewind now").code == 2
    assert chat("/rewind 999999").code != 0


def test_what_was_said_is_found_in_the_project(chat: Chat) -> None:
    chat(DECIDED)

    told = chat("/search postgres", "/search unicorns", "/search", also=("--new-session",))

    assert "[3] user, just now: We decided to use Postgres" in told.lines[0]
    assert told.lines[1] == "nothing was found in this project"
    assert "say /search WORDS" in told.err


def test_the_context_is_told_in_short_or_in_full(chat: Chat) -> None:
    told = chat(DECIDED, "/context", "/context all", "/context some")

    assert " of a window of 32,000" in told.lines[1]
    assert any(line.startswith("messages: ") for line in told.lines)
    assert any("[said lately" in line for line in told.lines)
    assert "say /context, or /context all" in told.err


def test_a_session_is_written_to_a_file_once(chat: Chat, folder: Path) -> None:
    told = chat(DECIDED, "/export notes.md", "/export notes.md", "/export all.json")

    assert "Postgres" in (folder / "work" / "notes.md").read_text()
    assert json.loads((folder / "work" / "all.json").read_text())
    assert told.lines[1] == f"written to {folder / 'work' / 'notes.md'}"
    assert "exists already" in told.err


def test_another_model_goes_on_in_the_same_session(chat: Chat, type_: Type) -> None:
    told = chat(
        "Hello there friend", "/model", "/model scripted:Gladly.", "And you?", "/model nonsense", "Still there?"
    )

    assert told.lines == [
        "I see.",
        "scripted (scripted), because you named it",
        "scripted (scripted), because you named it",
        "Gladly.",
        "Gladly.",
    ]
    assert "model 'nonsense': give" in told.err
    assert type_("ls", "--json").data["sessions"][0]["message_count"] == 6


def test_a_focus_is_set_shown_and_cleared(chat: Chat) -> None:
    told = chat(DECIDED, "/focus", "/focus the login page", "/focus", "/focus clear")

    assert told.lines[1].startswith("nothing in particular is in focus")
    assert told.lines[2:4] == ["in focus: the login page"] * 2
    assert told.lines[4].startswith("nothing in particular")


def test_a_belief_is_explained_by_what_was_said(chat: Chat) -> None:
    told = chat("My dog is called Rex.", "/facts", "/why 3", "/why unicorns", "/why")

    assert any("[3] user: My dog is called Rex." in line for line in told.lines)
    assert "no fact says 'unicorns'" in told.err
    assert "say /why with" in told.err


def test_forgetting_shows_first_what_would_go(chat: Chat, type_: Type) -> None:
    shown = chat("The password is swordfish.", "/forget message 3")
    assert "this would remove " in shown.out
    assert "/forget message 3 yes does it" in shown.out
    assert "swordfish" in type_("show", "--all").out

    done = chat("/forget message 3 yes", "/forget", "/forget message four", "/forget field nothing")

    assert "forgotten for good: " in done.out
    assert "swordfish" not in type_("show", "--all").out
    assert done.err.count("say /forget fact WORDS") == 2


def test_a_summary_can_be_taken_back(chat: Chat) -> None:
    lines = [f"Step {number} of the plan is done." for number in range(15)]

    told = chat(*lines, "/compact", "/compact undo", "/compact undo", "/compact please")

    assert "ompacted" in told.lines[15]
    assert told.lines[16].startswith("the latest summary is taken back")
    assert "say /compact, or /compact undo" in told.err


def test_a_talk_that_is_cleared_begins_anew_in_the_same_session(chat: Chat, type_: Type, folder: Path) -> None:
    told = chat(DECIDED, "/clear", "What now?", "/clear", "/compact undo", "/clear", "/clear")

    shown = [line for line in told.lines if line != "I see."]
    assert shown[0].startswith("the model sees nothing of what was said before")
    assert shown[-1] == "nothing was cleared: there is nothing to clear"
    assert DECIDED in type_("show", "@last").out
    assert DECIDED not in type_("context", "--bare", "--payload", "openai-chat").out
    assert "Cleared: from here on" in type_("export", "@last").out
    type_("export", "@last", "-f", "html", "-o", "talk.html")
    assert "Cleared: from here on" in (folder / "work" / "talk.html").read_text("utf-8")


@pytest.mark.parametrize(
    "command", ["rename x", "tag x", "fork", "rewind", "tree", "context", "export", "focus", "why 1", "forget session"]
)
def test_where_nothing_was_said_there_is_nothing_to_do_it_with(chat: Chat, command: str) -> None:
    told = chat(f"/{command}")

    assert (told.code, told.out) == (2, "")
    assert "nothing was said yet" in told.err


def test_every_command_is_in_the_help(chat: Chat) -> None:
    told = chat("/help").out

    for name in ("rename", "tag", "fork", "rewind", "context", "search", "export", "model", "focus", "compact", "tree"):
        assert f"/{name} " in told
    assert "/go " in told
    assert max(map(len, told.splitlines())) < 80


def test_there_is_nothing_to_go_on_with_if_no_turn_was_cut_off(chat: Chat) -> None:
    chat(DECIDED)

    assert chat("/go").code == 2
    assert "nothing was said yet" in chat("/go", also=("--new-session",)).err
