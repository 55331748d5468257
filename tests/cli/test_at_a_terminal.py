"""At a terminal the app opens; where it cannot, the chat goes line by line and says what is missing."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from sojourn.testing.wire import WireServer
from sojourn.testing.wire_openai import Call, OpenAiWire

PROGRAM = "import sys\nfrom sojourn.cli.commands import main\nmain(sys.argv[1:])"
NO_APP = "import sys; sys.modules['textual'] = None\nfrom sojourn.cli.commands import main\nmain(sys.argv[1:])"


Keys = tuple[str | tuple[bytes, str], ...]


def seen(folder: Path, *words: str, keys: Keys = (), code: str = NO_APP, **environment: str) -> str:
    """Return all that a person sees who types *keys*, each when he is asked to, in a program that is *code*.

    A key may say what has to be seen first.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    with subprocess.Popen(
        [sys.executable, "-c", code, *words],
        cwd=folder / "work",
        env={**os.environ, "SOJOURN_HOME": str(folder / "home"), "TERM": "xterm", "NO_COLOR": "1", **environment},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as program:
        os.close(theirs)
        shown, waiting = b"", list(keys)
        try:
            while piece := os.read(ours, 4096):
                shown += piece
                key = waiting[0] if waiting else None
                if isinstance(key, str) and shown.endswith((b"> ", b"? ")):
                    os.write(ours, key.encode())
                    waiting.pop(0)
                elif isinstance(key, tuple) and key[0] in shown:
                    os.write(ours, key[1].encode())
                    waiting.pop(0)
        except OSError:  # the other end is closed
            program.wait()
        finally:
            program.kill()  # it has ended, or this test has failed
            os.close(ours)
    return shown.decode()


def test_without_the_app_the_chat_goes_line_by_line_and_says_what_it_needs(folder: Path) -> None:
    shown = seen(folder, "-m", "scripted:I see.", keys=("Hello\n", "exit\n"))

    assert "pip install 'sojourn[tui]'" in shown
    assert "I see." in shown
    assert "kept; to go on: sojourn -r " in shown


def test_a_prompt_is_said_first_and_the_chat_goes_on(folder: Path) -> None:
    shown = seen(folder, "Plan", "the", "wall", "-m", "scripted:I see.", keys=("And then?\n", "exit\n"))

    assert shown.count("I see.") == 2


def test_without_the_app_nobody_can_choose_from_a_list(folder: Path) -> None:
    seen(folder, "-m", "scripted:x", keys=("Plan the garden wall\n", "exit\n"))

    shown = seen(folder, "-r")

    assert "Plan the garden wall" in shown
    assert "name a session" in shown


def test_who_wants_to_be_asked_begins_anew_where_he_cannot_be(folder: Path) -> None:
    seen(folder, "-m", "scripted:x", keys=("Plan the garden wall\n", "exit\n"))

    shown = seen(folder, "-m", "scripted:x", keys=("exit\n",), SOJOURN_RESUME="ask")

    assert "/resume goes on with one" in shown
    assert "going on with" not in shown


@pytest.mark.parametrize("setting", ["auto", "never"])
def test_the_last_session_goes_on_if_that_is_wanted(folder: Path, setting: str) -> None:
    seen(folder, "-m", "scripted:x", keys=("Plan the garden wall\n", "exit\n"))

    shown = seen(folder, "-m", "scripted:x", keys=("exit\n",), SOJOURN_RESUME=setting)

    assert ("going on with Plan the garden wall" in shown) is (setting == "auto")


def test_what_waits_for_a_yes_is_asked_when_somebody_is_there(folder: Path) -> None:
    with WireServer() as server:
        wire = OpenAiWire(server)
        model = ("-m", f"{wire.base_url}#tiny")
        wire.say(calls=[Call(name="write_file", arguments={"path": "note.txt", "content": "buy milk"})])
        waits = subprocess.run(
            [sys.executable, "-c", PROGRAM, "-p", "Note: buy milk", *model],
            cwd=folder / "work",
            env={**os.environ, "SOJOURN_HOME": str(folder / "home")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        wire.say("Noted.")
        shown = seen(folder, "-c", *model, keys=("/go\n", "y\n", "exit\n"))

    assert waits.returncode == 4
    assert "asks you, and goes on" in waits.stderr
    assert "the last turn was cut off; /go goes on with it" in shown
    assert "Tool 'write_file' wants to change" in shown
    assert "Noted." in shown
    assert (folder / "work" / "note.txt").read_text() == "buy milk"


def test_a_dumb_terminal_gets_no_app(folder: Path) -> None:
    shown = seen(folder, "-m", "scripted:I see.", keys=("Hello\n", "exit\n"), code=PROGRAM, TERM="dumb")

    assert "I see." in shown
    assert "\x1b[?1049h" not in shown


def test_the_app_opens_at_a_terminal_and_tells_how_to_come_back(folder: Path) -> None:
    pytest.importorskip("textual")
    keys = ((b"I see.", "\x11"),)  # Ctrl-Q, once the answer is shown

    shown = seen(folder, "Plan the wall", "-m", "scripted:I see.", keys=keys, code=PROGRAM)

    assert "\x1b[?1049h" in shown
    assert "kept; to go on: sojourn -r " in shown.rpartition("\x1b[?1049l")[2]


def test_the_list_to_choose_from_opens_at_a_terminal_and_can_be_left(folder: Path) -> None:
    pytest.importorskip("textual")
    seen(folder, "-m", "scripted:x", keys=("Plan the garden wall\n", "exit\n"))

    shown = seen(folder, "-r", "-m", "scripted:x", keys=((b"garden", "\x11"),), code=PROGRAM)

    assert "\x1b[?1049h" in shown
    assert "Error" not in shown.rpartition("\x1b[?1049l")[2]
