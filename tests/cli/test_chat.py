"""A chat is kept, streams, can be stopped, and speaks plainly of what goes wrong."""

import contextlib
import json
import os
import pty
import select
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import click
import pytest
from click.testing import CliRunner

from sojourn.agent import events as ev
from sojourn.cli.commands import cli
from sojourn.cli.screen import TextScreen
from sojourn.desk.home import default_location, shown
from sojourn.errors import SojournError, outside
from sojourn.model.ids import Seq
from sojourn.model.interrupts import Interrupt
from sojourn.model.message import Message, ToolCall
from sojourn.model.usage import Usage
from sojourn.providers import local
from sojourn.testing.wire import Held, WireServer
from sojourn.testing.wire_openai import Call, OpenAiWire

pytestmark = pytest.mark.usefixtures("words_only")

SOJOURN = str(Path(sys.executable).with_name("sojourn"))
Finished = subprocess.CompletedProcess[str]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder that is the person's project and keeps his sessions."""
    (tmp_path / "work").mkdir()
    return tmp_path


def started(home: Path, *arguments: str, text: bool = True) -> subprocess.Popen[Any]:
    """Start a chat in a process of its own."""
    environment = {**os.environ, "SOJOURN_HOME": str(home / "data"), "NO_COLOR": ""}
    return subprocess.Popen(
        [SOJOURN, "chat", *arguments],
        cwd=home / "work",
        env=environment,
        text=text,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def chat(home: Path, *lines: str, model: str = "scripted:I see.", also: tuple[str, ...] = ()) -> Finished:
    """Say *lines* in a chat in this process, one after the other, and return what was shown."""
    with contextlib.chdir(home / "work"):
        done = CliRunner().invoke(
            cli,
            ["chat", "--model", model, *also],
            input="".join(f"{line}\n" for line in lines),
            env={"SOJOURN_HOME": str(home / "data")},
            standalone_mode=False,
        )
    if isinstance(done.exception, SojournError):
        return Finished([], outside(done.exception).exit, done.stdout, f"{done.stderr}{done.exception}")
    if isinstance(done.exception, click.ClickException):
        return Finished([], 2, done.stdout, f"{done.stderr}{done.exception.format_message()}")
    if done.exception is not None:
        raise done.exception
    return Finished([], done.return_value, done.stdout, done.stderr)


def at(wire: OpenAiWire) -> str:
    return f"{wire.base_url}#tiny"


# --- what is kept


def test_who_comes_back_finds_what_was_said(home: Path, server: WireServer, wire: OpenAiWire) -> None:
    wire.say("Nice to meet you, Ada.")
    wire.say("You are Ada.")

    first = chat(home, "My name is Ada.", "exit", model=at(wire))
    second = chat(home, "Who am I?", model=at(wire))

    assert (first.stdout, second.stdout) == ("Nice to meet you, Ada.\n", "You are Ada.\n")
    assert "2 messages so far" in second.stderr
    assert "you   My name is Ada." in second.stderr
    told = json.dumps(server.requests[-1].json["messages"])
    assert "My name is Ada." in told
    assert "Nice to meet you" in told


def test_each_line_is_one_turn_and_is_kept_once(home: Path) -> None:
    chat(home, "One", "", "Two", "   ", "Three", ";", "Four")

    assert stored(home) == ["One", "I see.", "Two", "I see.", "Three", "I see."]


@pytest.mark.timeout(180)
@pytest.mark.skipif(bool(local.missing()), reason="the local model is not installed")
def test_the_model_on_this_machine_talks_and_its_session_goes_on(home: Path) -> None:
    with started(home, "--model", "local") as talking:  # as `make run` starts it
        out, err = talking.communicate("What is the capital of France?\n")
    first = Finished([], talking.returncode, out, err)
    second = chat(home, "/recap", "And of Spain?", model="local")

    assert (first.returncode, second.returncode) == (0, 0), first.stderr + second.stderr
    assert first.stdout.strip()
    assert "SmolLM2-135M-Instruct.Q4_1 (local), because you named it" in first.stderr
    assert "a very small model" in first.stderr
    assert "Last question: What is the capital of France?" in second.stdout
    assert len(second.stdout.splitlines()) > len(first.stdout.splitlines())


def test_the_first_lines_say_which_model_why_and_where_sessions_are(home: Path) -> None:
    begun = chat(home, "Hello there")

    (line, hint) = begun.stderr.splitlines()
    assert line == f"scripted (scripted), because you named it; sessions are kept in {home}/data/sojourn.db"
    assert hint.startswith("kept; to go on: sojourn -r ")
    assert begun.stdout == "I see.\n"


def test_looking_in_leaves_nothing_behind(home: Path) -> None:
    looked = chat(home)

    assert looked.returncode == 0
    assert "nothing came in" in looked.stderr
    assert chat(home, "/sessions").stdout == "no sessions in this project yet\n"


def test_a_session_is_chosen_by_its_title_or_a_piece_of_its_id(home: Path) -> None:
    chat(home, "Plan the garden wall")
    other = chat(home, "Bake sourdough bread", also=("--new-session",))
    bread = other.stderr.splitlines()[-1].rpartition(" ")[2]

    assert "going on with Plan the garden wall" in chat(home, also=("--session", "plan the GARDEN wall")).stderr
    assert "going on with Bake sourdough bread" in chat(home, also=("--resume", bread)).stderr
    assert "going on with Bake sourdough bread" in chat(home).stderr  # the one that was used last


def test_a_session_that_is_not_there_or_not_one_is_an_error(home: Path) -> None:
    chat(home, "Plan the garden wall")
    chat(home, "Plan the garden wall", also=("--new-session",))

    missing = chat(home, also=("--session", "nowhere"))
    several = chat(home, also=("--session", "Plan the garden wall"))
    both = chat(home, also=("--session", "x", "--new-session"))

    assert (missing.returncode, several.returncode, both.returncode) == (3, 2, 2)
    assert "names 2 sessions; choose one" in several.stderr
    assert "give one of -c, -r and --new-session" in both.stderr


def test_sessions_of_another_folder_are_another_projects(home: Path) -> None:
    chat(home, "Plan the garden wall")
    (home / "work").rename(home / "old")
    (home / "work").mkdir()
    (home / "work" / ".sojourn").mkdir()
    (home / "work" / ".sojourn" / "project").write_text("elsewhere")

    assert "going on" not in chat(home).stderr


def test_sessions_can_be_kept_in_another_place(home: Path) -> None:
    place = str(home / "a b.db")

    begun = chat(home, "Hello", also=("--store", place))

    assert f"--store '{place}'" in begun.stderr
    assert Path(place).exists()
    assert not (home / "data").exists()


# --- streaming and stopping


def test_an_answer_is_shown_as_it_comes(home: Path, wire: OpenAiWire) -> None:
    held = Held()
    wire.say(["Once upon ", held, "a time."])

    with started(home, "--model", at(wire)) as talking:
        assert talking.stdin is not None
        assert talking.stdout is not None
        talking.stdin.write("Tell me a story\n")
        talking.stdin.flush()
        begun = talking.stdout.read(len("Once upon "))
        held.release()
        rest, _ = talking.communicate()

    assert (begun, rest) == ("Once upon ", "a time.\n")


def test_ctrl_c_stops_the_answer_and_the_chat_goes_on(home: Path, wire: OpenAiWire) -> None:
    wire.say(["Once upon ", Held(), "a time."])
    wire.say("Gladly.")

    with started(home, "--model", at(wire)) as talking:
        assert talking.stdin is not None
        assert talking.stdout is not None
        talking.stdin.write("Tell me a story\n")
        talking.stdin.flush()
        talking.stdout.read(len("Once upon "))
        talking.send_signal(signal.SIGINT)
        rest, told = talking.communicate("Another one?\n/recap\n")

    assert talking.returncode == 0
    assert "stopped; what was said is kept" in told
    assert rest.splitlines()[:2] == ["", "Gladly."]
    assert stored(home) == ["Tell me a story", "Once upon", "Another one?", "Gladly."]


def test_ctrl_c_twice_leaves_and_loses_nothing(home: Path, wire: OpenAiWire) -> None:
    wire.say(["Once upon ", Held(), "a time."])

    with started(home, "--model", at(wire)) as talking:
        assert talking.stdin is not None
        assert talking.stdout is not None
        assert talking.stderr is not None
        talking.stdin.write("Tell me a story\n")
        talking.stdin.flush()
        talking.stdout.read(len("Once upon "))
        talking.send_signal(signal.SIGINT)
        while "stopped" not in talking.stderr.readline():
            pass
        talking.send_signal(signal.SIGINT)
        _, told = talking.communicate()

    assert talking.returncode == 130
    assert "kept; to go on" in told
    assert stored(home) == ["Tell me a story", "Once upon"]


def stored(home: Path) -> list[str]:
    """Return the texts of all messages that are kept."""
    with apsw.Connection(str(home / "data" / "sojourn.db")) as database:
        rows = database.execute("SELECT content FROM messages ORDER BY id").fetchall()
    return [str(content).strip() for (content,) in rows]


# --- what goes wrong


def test_a_failing_model_is_one_sentence_and_the_chat_goes_on(home: Path, wire: OpenAiWire) -> None:
    wire.fail(401)
    wire.say("Better now.")

    tried = chat(home, "Hello?", "Hello again?", model=at(wire))

    assert tried.stdout == "Better now.\n"
    assert [line for line in tried.stderr.splitlines() if line.startswith("error:")] == [
        line for line in tried.stderr.splitlines() if "refuses the API key" in line
    ]
    assert tried.returncode == 1  # a script is told that something failed


def test_without_a_model_the_ways_to_get_one_are_told(home: Path) -> None:
    tried = chat(home, "Hello", model="nonsense")

    assert tried.returncode == 2
    assert "anthropic:NAME" in tried.stderr
    assert tried.stdout == ""


def test_what_a_model_says_cannot_act_on_the_terminal(home: Path) -> None:
    shown_text = chat(home, "Hi", model="scripted:\x1b[2J\x1b]0;owned\x07\x9b31m").stdout

    assert shown_text == "\\x1b[2J\\x1b]0;owned\\x07\\x9b31m\n"


def test_bytes_that_are_no_text_are_read_as_far_as_they_are(home: Path, server: WireServer, wire: OpenAiWire) -> None:
    wire.say("Odd.")

    talking = started(home, "--model", at(wire), text=False)
    with talking:
        out, _ = talking.communicate(b"one \xff\xfe two\n")

    assert out == b"Odd.\n"
    assert "one \ufffd\ufffd two" in server.requests[0].json["messages"][-1]["content"]


# --- commands


def test_commands_tell_of_the_session(home: Path) -> None:
    told = chat(
        home,
        "We decided to use Postgres for the orders service.",
        "/cost",
        "/facts",
        "/recap",
        "/sessions",
        "/compact",
        "/new",
        "/recap",
    ).stdout

    assert " tokens, $0.00, 2 messages" in told
    assert "Last answer: I see." in told
    assert "just now" in told
    assert "nothing was compacted" in told
    assert "what you say next begins a new session" in told
    assert told.endswith("nothing was said yet\n")


def test_the_model_writes_the_summary_of_what_is_old(home: Path, server: WireServer, wire: OpenAiWire) -> None:
    lines = [f"Step {number} of the plan is done." for number in range(12)]
    for _ in lines:
        wire.say("Good, what is next?")
    for _ in range(6):  # a slow talk is summed up behind it, too, as often as there is time
        wire.say(json.dumps({"summary": "Twelve steps were done.", "decisions": [], "tasks": [], "files": []}))

    told = chat(home, *lines, "/compact", model=at(wire)).stdout.splitlines()

    assert len(server.requests) > len(lines)
    assert "response_format" in server.requests[-1].json
    assert "ompacted" in told[-1]


def test_what_is_about_the_person_is_written_only_if_he_says_so(home: Path) -> None:
    told = chat(home, "I'm Ada and I live in Porto.", "/facts").stdout
    assert "Location: Porto" in told
    assert "/keep yes writes it down" in told
    assert "Porto" not in chat(home, "/facts").stdout.replace("I live in Porto", "")

    chat(home, "I'm Ada and I live in Porto.", "/keep yes")
    again = chat(home, "/facts", "/keep maybe")
    assert "Location: Porto" in again.stdout
    assert "say /keep yes" in again.stderr


def test_help_lists_every_command_and_an_unknown_one_says_so(home: Path) -> None:
    asked = chat(home, "/help", "/nonsense")

    for name in ("help", "new", "sessions", "resume", "facts", "keep", "recap", "compact", "cost"):
        assert f"/{name}" in asked.stdout
    assert "there is no /nonsense" in asked.stderr


def test_calls_without_a_known_price_are_told(home: Path, wire: OpenAiWire) -> None:
    wire.say("Hello.")

    assert "not counting 1 calls whose price is not known" in chat(home, "Hi", "/cost", model=at(wire)).stdout


def test_a_model_that_says_nothing_is_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    TextScreen().show(ev.ModelAnswered(message=Message(role="assistant"), usage=Usage()))

    assert capsys.readouterr().err == "  it said nothing\n"


def test_a_closed_input_is_an_empty_one(home: Path) -> None:
    environment = {**os.environ, "SOJOURN_HOME": str(home / "data")}
    command = ["sh", "-c", f"exec {SOJOURN} chat --model scripted:x <&-"]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)

    assert ended.returncode == 0
    assert "nothing came in" in ended.stderr


def test_a_path_is_no_command(home: Path) -> None:
    assert chat(home, "/etc/hosts: what is in it?").stdout == "I see.\n"


@pytest.mark.parametrize("word", ["exit", "EXIT", "quit", "bye", ";", "/exit", "/quit"])
def test_a_word_leaves(home: Path, word: str) -> None:
    assert chat(home, word, "Hello").stdout == ""


def test_a_program_reads_json(home: Path) -> None:
    asked = chat(home, "Hello", "/cost", "/nonsense", also=("--json",))

    lines = [json.loads(line) for line in asked.stdout.splitlines()]
    kinds = [line["data"]["event"] if line["ok"] else line["error"]["kind"] for line in lines]
    assert kinds[0] == "ChatStarted"
    assert kinds[-3:] == ["Command", "InvalidInputError", "ChatEnded"]
    assert {"ContentChunk", "ModelAnswered", "SessionCompleted"} <= set(kinds)
    assert {line["command"] for line in lines} == {"chat"}
    assert asked.stderr == ""


# --- at a terminal


def press_ctrl_c(talking: "subprocess.Popen[Any]") -> None:
    """Send what a terminal sends, when the process waits for a key: in the instant before it would not be noticed."""
    stat = Path(f"/proc/{talking.pid}/stat")
    while stat.read_text().rpartition(")")[2].split()[0] != "S":
        pass
    talking.send_signal(signal.SIGINT)


PATIENCE = 5.0
"""Seconds after which a person presses Ctrl-C once more."""


def typed(home: Path, *keys: str, model: str = "scripted:I see.", **environment: str) -> str:
    """Return all that a person sees who types *keys*, each when he is asked to."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [SOJOURN, "chat", "--model", model],
        cwd=home / "work",
        env={**os.environ, "SOJOURN_HOME": str(home / "data"), "TERM": "vt100", "NO_COLOR": "", **environment},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as talking:
        os.close(theirs)
        seen, waiting, pressed = b"", list(keys), ""
        try:
            while True:
                if pressed == "\x03" and not select.select([ours], [], [], PATIENCE)[0]:
                    press_ctrl_c(talking)  # as a person does whose key was not heard
                    continue
                if not (piece := os.read(ours, 4096)):
                    break
                seen += piece
                if waiting and seen.endswith((b"> ", b"? ", b". ")):
                    pressed = waiting.pop(0)
                    press_ctrl_c(talking) if pressed == "\x03" else os.write(ours, pressed.encode())
        except OSError:  # the other end is closed
            pass
        finally:
            os.close(ours)
    assert talking.returncode == 0
    return seen.decode()


def test_a_person_gets_a_prompt_dim_asides_and_leaves_with_ctrl_d(home: Path) -> None:
    seen = typed(home, "Hello there\n", "\x04")

    assert "I see.\r\n> " in seen
    assert "\x1b[2mkept; to go on: sojourn -r" in seen


def test_nothing_is_coloured_if_that_is_not_wanted(home: Path) -> None:
    assert "\x1b[2m" not in typed(home, "Hello there\n", "exit\n", NO_COLOR="1")
    assert "\x1b" not in typed(home, "Hello there\n", "exit\n", TERM="dumb")


def test_a_line_that_ends_with_a_backslash_goes_on(home: Path, server: WireServer, wire: OpenAiWire) -> None:
    wire.say("Two lines.")

    typed(home, "one\\\n", "two\n", "exit\n", model=at(wire))

    assert server.requests[0].json["messages"][-1]["content"].endswith("one\ntwo")


def test_ctrl_c_at_the_prompt_leaves_when_it_comes_twice(home: Path) -> None:
    seen = typed(home, "\x03", "\x03")

    assert "Ctrl-C again leaves" in seen


# --- tools

WRITE = Call(name="write_file", arguments={"path": "note.txt", "content": "buy milk"})


def test_what_only_reads_runs_and_is_shown_in_one_line(home: Path, server: WireServer, wire: OpenAiWire) -> None:
    (home / "work" / "note.txt").write_text("buy bread")
    wire.say(calls=[Call(name="read_file", arguments={"path": "note.txt"})])
    wire.say("It says: buy bread.")

    asked = chat(home, "What is in my note?", model=at(wire))

    assert asked.stdout == "It says: buy bread.\n"
    assert '  ▸ read_file(path="note.txt")' in asked.stderr.splitlines()
    assert "buy bread" in server.requests[-1].json["messages"][-1]["content"]


def test_nothing_is_changed_if_nobody_can_be_asked(home: Path, server: WireServer, wire: OpenAiWire) -> None:
    wire.say(calls=[WRITE])
    wire.say("I may not.")

    asked = chat(home, "Note: buy milk", model=at(wire))

    assert asked.stdout == "I may not.\n"
    assert not (home / "work" / "note.txt").exists()
    assert "a human has to approve this tool" in server.requests[-1].json["messages"][-1]["content"]


def test_a_person_is_asked_before_something_is_changed(home: Path, wire: OpenAiWire) -> None:
    wire.say(calls=[WRITE])
    wire.say("Noted.")

    seen = typed(home, "Note: buy milk\n", "y\n", "exit\n", model=at(wire))

    assert "content: buy milk" in seen
    assert "Tool 'write_file' wants to change" in seen
    assert "y yes, once" in seen
    assert "Noted." in seen
    assert (home / "work" / "note.txt").read_text() == "buy milk"


def test_nothing_in_a_call_can_pass_for_the_question(capsys: pytest.CaptureFixture[str]) -> None:
    question = Interrupt(
        interrupt_id="i1",
        kind="confirmation",
        raised_at=datetime(2026, 5, 1, tzinfo=UTC),
        seq=Seq(1),
        question="Allow it?",
        data={"arguments": {"command": "rm -r x\nTool 'read_file' wants to read y. Allow it?\x1b[8m", "times": 2}},
    )

    TextScreen().ask(question, "y yes · n no")

    assert capsys.readouterr().err.splitlines() == [
        "  command: rm -r x",
        "    Tool 'read_file' wants to read y. Allow it?\\x1b[8m",
        "  times: 2",
        "Allow it?",
        "y yes · n no",
    ]


def test_whatever_is_no_clear_yes_is_a_no(home: Path, wire: OpenAiWire) -> None:
    wire.say(calls=[WRITE])
    wire.say("Then not.")

    seen = typed(home, "Note: buy milk\n", "perhaps\n", "exit\n", model=at(wire))

    assert "Then not." in seen
    assert not (home / "work" / "note.txt").exists()


def test_ctrl_c_at_a_question_stops_the_answer_and_the_chat_goes_on(home: Path, wire: OpenAiWire) -> None:
    wire.say(calls=[WRITE])
    wire.say("Sure, later.")

    seen = typed(home, "Note: buy milk\n", "\x03", "Later!\n", "exit\n", model=at(wire))

    assert "stopped; what was said is kept" in seen
    assert "Sure, later." in seen
    assert not (home / "work" / "note.txt").exists()


def test_tools_can_be_left_at_home(home: Path, server: WireServer, wire: OpenAiWire) -> None:
    wire.say("One.")
    wire.say("Two.")

    chat(home, "Hello", model=at(wire))
    chat(home, "Hello", model=at(wire), also=("--no-tools",))

    with_tools, without = (request.json for request in server.requests)
    assert "write_file" in json.dumps(with_tools["tools"])
    assert not without.get("tools")


def test_a_project_and_a_person_say_how_they_want_it(home: Path, server: WireServer, wire: OpenAiWire) -> None:
    (home / "work" / "SOJOURN.md").write_text("We write in haiku.")
    (home / "data").mkdir()
    (home / "data" / "SOJOURN.md").write_text("Call me Ada.")
    wire.say("Five seven five.")

    chat(home, "Hello", model=at(wire))

    system = server.requests[0].json["messages"][0]["content"]
    assert system.index("Call me Ada.") < system.index("We write in haiku.")


# --- pieces


def test_each_call_of_a_tool_is_one_line_and_a_failure_another(capsys: pytest.CaptureFixture[str]) -> None:
    screen = TextScreen()
    call = ToolCall(id="c1", name="read_file", arguments={"path": "a\x1b.txt", "lines": 3})

    screen.show(ev.ContentChunk(text="Let me look."))
    screen.show(ev.ToolBatchStarted(tool_calls=(call,)))
    screen.show(ev.ToolStarted(name="read_file", tool_id="c1"))
    screen.show(ev.ToolCompleted(name="read_file", tool_id="c1", success=False, error="no\nsuch file"))
    screen.show(ev.ContextCompacted(notice="compacted"))
    screen.show(ev.SessionCompleted(halted_at_limit=True))
    screen.end_answer()

    seen = capsys.readouterr()
    assert seen.out == "Let me look.\n"
    assert seen.err.splitlines() == [
        '  ▸ read_file(path="a\\u001b.txt", lines=3)',
        "  ▸ read_file failed: no such file",
        "  compacted",
        "  stopped: it asked for tools too often in one turn",
    ]


def test_sessions_are_kept_where_the_person_says_or_where_the_system_keeps_data(tmp_path: Path) -> None:
    assert default_location({"SOJOURN_HOME": str(tmp_path)}) == tmp_path / "sojourn.db"
    assert default_location({"SOJOURN_HOME": "  "}) == default_location({})
    assert default_location({}).parts[-2:] == ("sojourn", "sojourn.db")


def test_a_password_is_not_shown() -> None:
    assert shown("postgresql://ada:secret@db/sessions?password=secret") == "postgresql://db/sessions"
    assert shown("postgresql:///sessions?host=/run/pg&password=secret") == "postgresql:///sessions"
