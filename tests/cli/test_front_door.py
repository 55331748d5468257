"""`sojourn` alone, with a prompt, and for one answer: what is typed is understood, or refused in one sentence."""

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sojourn.testing.wire import Held, WireServer
from sojourn.testing.wire_openai import Call, OpenAiWire
from tests.cli.typed import Pipe

pytestmark = pytest.mark.usefixtures("words_only")

SOJOURN = str(Path(sys.executable).with_name("sojourn"))
MODEL = ("-m", "scripted:I see.")
WRITE = Call(name="write_file", arguments={"path": "note.txt", "content": "buy milk"})


def at(wire: OpenAiWire) -> tuple[str, str]:
    return ("-m", f"{wire.base_url}#tiny")


def asked(server: WireServer) -> str:
    """Return what the model was told last."""
    told: str = server.requests[-1].json["messages"][-1]["content"]
    return told


def started(folder: Path, *words: str) -> subprocess.Popen[str]:
    """Start the program in a process of its own."""
    return subprocess.Popen(
        [SOJOURN, *words],
        cwd=folder / "work",
        env={**os.environ, "SOJOURN_HOME": str(folder / "home"), "NO_COLOR": "1"},
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def sessions(pipe: Pipe) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pipe("ls", "--json").data["sessions"]
    return found


# --- one answer


def test_nothing_but_the_answer_is_printed_and_the_way_back_is_told_beside_it(pipe: Pipe) -> None:
    printed = pipe("-p", "Plan the garden wall", *MODEL)

    assert (printed.code, printed.out) == (0, "I see.\n")
    (header,) = sessions(pipe)
    assert printed.err == f"kept; to go on: sojourn -r {header['session_id'][-8:]}\n"
    assert header["title"] == "Plan the garden wall"


@pytest.mark.parametrize("words", [("-p", "Sum it up:"), ("Sum it up:",), ("Sum", "it", "up:", "-p")])
def test_what_is_piped_in_is_part_of_the_question(pipe: Pipe, server: WireServer, wire: OpenAiWire, words: Any) -> None:
    wire.say("Two lines.")

    printed = pipe(*words, *at(wire), text="first\nsecond\n")

    assert printed.out == "Two lines.\n"
    assert asked(server).endswith("Sum it up:\n\nfirst\nsecond")


def test_the_input_alone_may_be_the_question(pipe: Pipe) -> None:
    assert pipe("-p", *MODEL, text="What is it?").out == "I see.\n"
    assert pipe("-p", *MODEL, text="  \n").code == 2


def test_what_was_said_while_tools_ran_is_no_part_of_the_answer(pipe: Pipe, folder: Path, wire: OpenAiWire) -> None:
    (folder / "work" / "note.txt").write_text("buy bread")
    wire.say("Let me look.", calls=[Call(name="read_file", arguments={"path": "note.txt"})])
    wire.say("It says: buy bread.")

    printed = pipe("-p", "What is in my note?", *at(wire))

    assert printed.out == "It says: buy bread.\n"


def test_a_program_reads_one_object_with_answer_session_usage_and_cost(pipe: Pipe, wire: OpenAiWire) -> None:
    wire.say("Hello.")

    data = pipe("-p", "Hi", *at(wire), "--json").data

    assert data["answer"] == "Hello."
    assert data["outcome"] == "completed"
    assert data["session_id"] == sessions(pipe)[0]["session_id"]
    assert data["usage"]["output_tokens"] > 0
    assert (data["cost_micros"], data["currency"], data["unpriced_calls"]) == (0, "USD", 1)
    assert data["again"].startswith("sojourn -r ")


def test_a_program_may_follow_event_by_event(pipe: Pipe) -> None:
    printed = pipe("-p", "Hi", *MODEL, "--output-format", "stream-json")

    told = [json.loads(line)["data"] for line in printed.lines]
    assert [one["event"] for one in told][-2:] == ["SessionCompleted", "Result"]
    assert told[-1]["answer"] == "I see."
    assert "ContentChunk" in {one["event"] for one in told}


def test_a_failure_is_an_object_too_and_keeps_what_was_said(pipe: Pipe, wire: OpenAiWire) -> None:
    wire.fail(401)

    failed = pipe("-p", "Hi", *at(wire), "--output-format", "json")

    assert failed.code == 1
    assert failed.error["kind"] == "ModelError"
    assert failed.answer["data"]["outcome"] == "failed"
    assert failed.answer["data"]["session_id"] == sessions(pipe)[0]["session_id"]


def test_a_tool_that_a_human_has_to_allow_waits_in_the_session(pipe: Pipe, folder: Path, wire: OpenAiWire) -> None:
    wire.say(calls=[WRITE])

    refused = pipe("-p", "Note: buy milk", *at(wire), "--json")

    assert refused.code == 4
    assert refused.error["kind"] == "ApprovalNeededError"
    assert "write_file" in refused.error["message"]
    assert refused.answer["data"]["outcome"] == "waiting"
    assert refused.answer["data"]["question"]["status"] == "pending"
    assert not (folder / "work" / "note.txt").exists()

    wire.say("Then not.")
    later = pipe("chat", "-c", *at(wire), text="/go\n")
    assert "the last turn was cut off; /go goes on with it" in later.err
    assert later.out == "Then not.\n"  # nobody can be asked in a pipe, so the model hears no


def test_ctrl_c_ends_with_130_and_keeps_what_there_was(folder: Path, wire: OpenAiWire, pipe: Pipe) -> None:
    wire.say(["Once upon ", Held(), "a time."])

    with started(folder, "-p", "Tell me a story", *at(wire), "--no-tools") as printing:
        assert printing.stdin is not None
        assert printing.stdout is not None
        printing.stdin.close()
        begun = printing.stdout.read(len("Once upon "))
        printing.send_signal(signal.SIGINT)
        rest, told = printing.stdout.read(), printing.stderr.read() if printing.stderr is not None else ""

    assert printing.returncode == 130
    assert begun + rest == "Once upon \n"
    assert "stopped; what was said is kept" in told
    assert "kept; to go on: sojourn -r " in told
    assert "Once upon" in pipe("show", "@last").out


def test_verbose_shows_what_tools_put_out_beside_the_answer(pipe: Pipe, folder: Path, wire: OpenAiWire) -> None:
    (folder / "work" / "note.txt").write_text("buy bread")
    wire.say(calls=[Call(name="read_file", arguments={"path": "note.txt"})])
    wire.say("Done.")

    printed = pipe("-p", "What is in my note?", *at(wire), "--verbose")

    assert printed.out == "Done.\n"
    assert '▸ read_file(path="note.txt")' in printed.err
    assert "buy bread" in printed.err


# --- which session


def test_each_prompt_begins_a_session_unless_it_is_told_to_go_on(
    pipe: Pipe, server: WireServer, wire: OpenAiWire
) -> None:
    for answer in ("One.", "Two.", "Three."):
        wire.say(answer)
    pipe("-p", "My name is Ada", *at(wire))
    pipe("-p", "Something else", *at(wire))
    first = sessions(pipe)[-1]["session_id"]

    pipe("-p", "-r", first, "Who am I?", *at(wire))

    assert "My name is Ada" in json.dumps(server.requests[-1].json["messages"])
    assert len(sessions(pipe)) == 2
    assert pipe("-p", "-c", "And now?", *MODEL, "--json").data["session_id"] == first


def test_a_fork_leaves_the_session_as_it_is(pipe: Pipe) -> None:
    before = pipe("-p", "Plan the wall", *MODEL, "--json").data["session_id"]

    forked = pipe("-p", "-c", "--fork", "-n", "Another way", "--session-id", "wall-2", "Try wood", *MODEL, "--json")

    assert forked.data["session_id"] == "wall-2"
    assert "Try wood" not in pipe("show", before).out
    assert {header["title"] for header in sessions(pipe)} == {"Plan the wall", "Another way"}


def test_a_session_gets_the_name_and_the_id_that_are_given(pipe: Pipe) -> None:
    pipe("-p", "Hello there", "-n", "Mine", "--session-id", "my-session", *MODEL)

    (header,) = sessions(pipe)
    assert (header["session_id"], header["title"], header["title_source"]) == ("my-session", "Mine", "user")
    taken = pipe("-p", "Again", "--session-id", "my-session", *MODEL)
    assert (taken.code, taken.out) == (4, "")
    assert "go on with it by -r my-session" in taken.err


@pytest.mark.parametrize("also", [("-n", "Mine"), ("--session-id", "mine")])
def test_who_names_a_session_begins_one(pipe: Pipe, also: tuple[str, str]) -> None:
    pipe("chat", *MODEL, text="Plan the garden wall\n")

    pipe("chat", *MODEL, *also, text="Something else\n")

    assert len(sessions(pipe)) == 2
    pipe("-c", *MODEL, "-n", "Renamed", text="More of it\n")
    assert [header["title"] for header in sessions(pipe)] == ["Renamed", "Plan the garden wall"]


def test_without_a_session_nothing_is_kept(pipe: Pipe, folder: Path) -> None:
    printed = pipe("-p", "A secret", "--no-session", *MODEL)

    assert (printed.out, printed.err) == ("I see.\n", "")
    assert not (folder / "home").exists()
    assert pipe("-p", "A secret", "--no-session", *MODEL, "--json").data["session_id"] is None


def test_nobody_can_choose_from_a_list_in_a_pipe(pipe: Pipe) -> None:
    pipe("-p", "Plan the garden wall", *MODEL)

    listed = pipe("-r")

    assert listed.code == 2
    assert "Plan the garden wall" in listed.out
    assert "sojourn -r SESSION goes on with one" in listed.err
    found = pipe("--resume", "--json")
    assert (found.code, found.answer["data"]["sessions"][0]["title"]) == (2, "Plan the garden wall")


def test_to_go_on_there_must_be_something(pipe: Pipe) -> None:
    nothing = pipe("-p", "-c", "Hi", *MODEL)
    nowhere = pipe("-p", "-r", "nowhere", "Hi", *MODEL)

    assert (nothing.code, nowhere.code) == (3, 3)
    assert "there is no session in this project yet" in nothing.err
    assert pipe("-p", "-c", "Hi", *MODEL, "--json").error["kind"] == "SessionNotFoundError"


# --- what is typed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--fork", "-p", "x"), "with -c or -r SESSION"),
        (("-c", "-r", "x", "-p", "y"), "give one of -c, -r and --new-session"),
        (("-c", "--new-session"), "give one of -c, -r and --new-session"),
        (("--no-session", "-c", "-p", "x"), "there is no session to go on with"),
        (("-c", "--session-id", "a", "-p", "x"), "add --fork"),
        (("-n", "Mine", "-r"), "say which session it is about"),
        (("--fork", "-r"), "say which session it is about"),
        (("-p", "x", "--session-id", "../etc"), "letters, digits"),
        (("-p", "x", "-n", ""), "a title"),
        (("-p", "x", "--max-budget-usd", "much"), "no amount of dollars"),
        (("-p", "x", "--max-budget-usd", "-1"), "no amount of dollars"),
        (("-p", "x", "--max-budget-usd", "nan"), "no amount of dollars"),
        (("-p", "x", "--output-format", "yaml"), "yaml"),
        (("-p", "x", "--store", ""), "--store names no place"),
        (("serach",), "did you mean search?"),
        (("serach", "cookies"), "did you mean search?"),
        (("-m", "scripted:x", "ls"), "ls is a command: write it first"),
    ],
)
def test_what_does_not_go_together_is_refused_before_anything_happens(
    pipe: Pipe, folder: Path, words: tuple[str, ...], said: str
) -> None:
    refused = pipe(*words)

    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err
    assert len(refused.err.splitlines()) == 1
    assert not (folder / "home").exists()


def test_a_program_is_told_in_json_that_options_do_not_go_together(pipe: Pipe) -> None:
    assert "with -c or -r" in pipe("--fork", "--output-format", "stream-json").error["message"]
    assert "with -c or -r" in pipe("--fork", "--output-format=json").error["message"]
    assert "--json is" in pipe("-p", "x", "--json", "--output-format", "text").error["message"]


def test_a_word_that_is_nearly_a_command_can_still_be_said(pipe: Pipe) -> None:
    assert pipe(*MODEL, "--", "serach").out == "I see.\n"
    assert pipe("-p", "serach", *MODEL).out == "I see.\n"
    assert pipe(*MODEL, "hello").out == "I see.\n"


def test_without_a_terminal_each_line_of_the_input_is_a_message(pipe: Pipe) -> None:
    talked = pipe(*MODEL, text="One\nTwo\n")

    assert talked.out == "I see.\nI see.\n"
    assert sessions(pipe)[0]["message_count"] == 4


def test_without_a_model_the_ways_to_get_one_are_told(pipe: Pipe, folder: Path) -> None:
    tried = pipe("-p", "Hello", "-m", "nonsense")

    assert (tried.code, tried.out) == (2, "")
    assert "anthropic:NAME" in tried.err
    assert not (folder / "home").exists()


def test_an_address_in_the_environment_goes_with_the_model_there(
    pipe: Pipe, wire: OpenAiWire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOJOURN_MODEL", "tiny")
    monkeypatch.setenv("SOJOURN_BASE_URL", wire.base_url)
    wire.say("From there.")

    assert pipe("-p", "Hi").out == "From there.\n"
    assert pipe("-p", "Hi", *MODEL).out == "I see.\n"


# --- bad days


def test_five_megabytes_in_one_line_are_refused_and_begin_no_session(pipe: Pipe) -> None:
    huge = "x" * 5_000_000

    printed = pipe("-p", *MODEL, text=huge)
    talked = pipe("chat", *MODEL, text=f"{huge}\nHello\n")

    assert (printed.code, printed.out) == (2, "")
    assert "4,000,000 is the most" in printed.err
    assert len(printed.err) < 300
    assert talked.out == "I see.\n"
    assert len(sessions(pipe)) == 1


def test_three_megabytes_in_one_line_are_taken(pipe: Pipe) -> None:
    assert pipe("-p", *MODEL, text="word " * 600_000).out == "I see.\n"


def test_control_characters_are_kept_and_cannot_act_on_the_terminal(pipe: Pipe) -> None:
    nasty = "a\x1b[2Jb\x00c\u202ed"

    printed = pipe("-p", nasty, "-m", f"scripted:{nasty}")

    assert printed.out == "a\\x1b[2Jb\\x00c\\u{202e}d\n"
    assert "\x1b" not in printed.err
    assert pipe("-p", "x", "-m", f"scripted:{nasty}", "--json").data["answer"] == nasty


def test_a_damaged_database_is_told_of_with_who_can_help(pipe: Pipe, folder: Path) -> None:
    pipe("-p", "Hello", *MODEL)
    store = folder / "home" / "sojourn.db"
    for aside in (store.with_name("sojourn.db-wal"), store.with_name("sojourn.db-shm")):
        aside.unlink(missing_ok=True)
    store.write_bytes(b"this is no database at all" * 400)

    tried = pipe("-p", "Hello again", *MODEL)

    assert (tried.code, tried.out) == (5, "")
    assert "sojourn doctor says what is damaged" in tried.err


@pytest.mark.parametrize("words", [("-p", "Hi"), ("chat",), ("config", "list"), ("ls",), ("-r",)])
def test_a_folder_that_was_removed_is_told_of(
    pipe: Pipe, folder: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    (folder / "gone").mkdir()
    monkeypatch.chdir(folder / "gone")
    (folder / "gone").rmdir()

    tried = pipe(*words)

    assert (tried.code, tried.out) == (2, "")
    assert "the folder that you are in does not exist any more" in tried.err


def test_a_full_disk_is_one_sentence(folder: Path, pipe: Pipe) -> None:
    pipe("-p", "Hello", *MODEL)
    size = (folder / "home" / "sojourn.db").stat().st_size

    def no_more_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    full = subprocess.run(
        [SOJOURN, "-p", "Hello again", *MODEL],
        cwd=folder / "work",
        env={**os.environ, "SOJOURN_HOME": str(folder / "home")},
        input="long " * 200_000,
        capture_output=True,
        text=True,
        preexec_fn=no_more_room,  # the limit holds for that process alone
        check=False,
    )

    assert full.returncode == 1
    assert "no space left" in full.stderr
    assert "Traceback" not in full.stderr
    assert pipe("-p", "And now?", *MODEL).out == "I see.\n"


# --- money and logs


def test_a_chat_stops_when_its_budget_is_spent(pipe: Pipe, folder: Path, wire: OpenAiWire) -> None:
    (folder / "home").mkdir()
    (folder / "home" / "config.toml").write_text("[prices.tiny]\ninput = 1000000\noutput = 1000000\n")
    wire.say("Dear.")

    talked = pipe("chat", *at(wire), "--max-budget-usd", "0.01", text="One\nTwo\n/new\nThree\n")

    assert talked.out == "Dear.\nwhat you say next begins a new session\n"
    assert talked.err.count("This would cost more than was allowed") == 2
    assert talked.code == 1
    assert pipe("chat", *at(wire), "--max-budget-usd", "0.01").code == 0  # each chat has its own


def test_a_budget_that_cannot_be_kept_is_told(pipe: Pipe, wire: OpenAiWire) -> None:
    wire.say("Hello.")

    assert "nobody knows what tiny costs" in pipe("-p", "Hi", *at(wire), "--max-budget-usd", "1").err


def test_a_log_goes_on_with_its_session(pipe: Pipe, folder: Path, wire: OpenAiWire) -> None:
    logs = folder / "logs"
    for answer in ("One.", "Two."):
        wire.say(answer)

    pipe("-p", "First question", *at(wire), "--log-dir", str(logs), "--raw-log")
    pipe("-p", "-c", "Second question", *at(wire), "--log-dir", str(logs), "--raw-log")

    (log,) = logs.iterdir()
    text = (log / "context.md").read_text()
    assert text.index("First question") < text.index("One.") < text.index("Second question") < text.index("Two.")
    kinds = {json.loads(line)["type"] for line in (log / "raw.jsonl").read_text().splitlines()}
    assert "request" in kinds


def test_a_log_that_cannot_be_written_is_told(pipe: Pipe, folder: Path) -> None:
    (folder / "taken").write_text("a file")

    tried = pipe("-p", "Hi", *MODEL, "--log-dir", str(folder / "taken"))

    assert (tried.code, tried.out) == (1, "")
    assert "taken" in tried.err
