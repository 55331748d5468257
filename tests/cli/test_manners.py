"""The command line behaves as people and scripts expect of one."""

import os
import pty
import subprocess
import sys
import termios
from pathlib import Path

from sojourn.desk.columns import width

SOJOURN = str(Path(sys.executable).with_name("sojourn"))


def on_terminal(**environment: str) -> str:
    """Return what the demo writes to a terminal of 60 columns."""
    ours, theirs = pty.openpty()
    size = {"COLUMNS": "60", "LINES": "24"}
    with subprocess.Popen(
        [SOJOURN, "demo"], stdout=theirs, stderr=subprocess.DEVNULL, env={**os.environ, **size, **environment}
    ):
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 4096):
                shown += piece
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    return shown.decode()


def test_asked_for_help_it_tells_which_commands_there_are() -> None:
    asked = subprocess.run([SOJOURN, "--help"], capture_output=True, text=True, check=False)

    assert asked.returncode == 0
    assert asked.stdout.startswith("Usage:")
    assert asked.stderr == ""


def test_a_terminal_gets_colours_unless_they_are_not_wanted() -> None:
    assert "\x1b[1mWhat was kept\x1b[0m" in on_terminal(NO_COLOR="", TERM="xterm")
    assert "\x1b" not in on_terminal(NO_COLOR="1")


def test_no_line_is_wider_than_a_narrow_terminal() -> None:
    shown = on_terminal(NO_COLOR="1").splitlines()

    assert len(shown) > 20
    assert [line for line in shown if len(line) > 60] == []


def test_a_list_fits_the_terminal_that_it_is_written_to(tmp_path: Path) -> None:
    location = str(tmp_path / "sojourn.db")
    subprocess.run([SOJOURN, "new", "日本語の長い題名" * 9, "--store", location], capture_output=True, check=True)
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 40))
    without = {name: value for name, value in os.environ.items() if name != "COLUMNS"}

    subprocess.run([SOJOURN, "ls", "--store", location], stdout=theirs, env=without, check=True)
    line = os.read(ours, 4096).decode().rstrip()
    os.close(theirs)
    os.close(ours)

    assert line.endswith("…")
    assert 38 <= width(line) <= 40


def test_a_reader_that_goes_away_is_not_complained_about() -> None:
    with subprocess.Popen([SOJOURN, "demo"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as asked:
        assert asked.stdout is not None
        assert asked.stderr is not None
        asked.stdout.close()
        said = asked.stderr.read()

    assert asked.returncode == 1
    assert "Traceback" not in said
    assert "Exception" not in said
    assert "error:" not in said


def test_a_result_that_cannot_be_written_is_one_sentence() -> None:
    with Path("/dev/full").open("w") as full:
        asked = subprocess.run([SOJOURN, "--help"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)

    assert asked.returncode == 1
    assert asked.stderr == "error: cannot write the result: No space left on device\n"


def test_what_was_typed_cannot_act_on_the_terminal() -> None:
    asked = subprocess.run([SOJOURN, "--\x1b[2J"], capture_output=True, text=True, check=False)

    assert asked.returncode == 2
    assert "\x1b" not in asked.stderr
