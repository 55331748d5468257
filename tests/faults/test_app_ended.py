"""The system ends the app: the terminal, a narrow one, is given back as it was, and nothing is lost."""

import os
import signal
import termios
from pathlib import Path
from typing import Final

import pytest

from sojourn.store import open_store
from tests.faults.test_terminal_killed import Terminal

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(120)]

USUAL_SCREEN: Final = b"\x1b[?1049l"
"""What gives a terminal back as it was before a program took all of it."""


class Narrow(Terminal):
    """A terminal of 40 columns."""

    def __init__(self, arguments: list[str], *, folder: Path, home: Path) -> None:
        super().__init__(arguments, folder=folder, home=home)
        termios.tcsetwinsize(self._master, (24, 40))

    def end(self) -> tuple[int, bytes]:
        """End the app as the system does, and return how it ended, and what it wrote last."""
        self._process.send_signal(signal.SIGTERM)
        written = b""
        try:
            while piece := os.read(self._master, 65_536):
                written += piece
        except OSError:  # the other end is closed
            pass
        os.close(self._master)
        return self._process.wait(30), written


async def test_a_narrow_terminal_is_given_back_when_the_system_ends_the_app(tmp_path: Path) -> None:
    folder, home = tmp_path / "work", tmp_path / "home"
    folder.mkdir()
    terminal = Narrow(["--model", "scripted:Gladly."], folder=folder, home=home)
    terminal.wait_for("ready")
    terminal.type("Will you?\r")
    terminal.wait_for("Gladly.")

    code, written = terminal.end()

    assert code == 143, written[-600:]
    assert USUAL_SCREEN in written
    async with open_store(home / "sojourn.db") as store:
        (row,) = (await store.list_sessions()).rows
        assert (row.header.message_count, (await store.check()).ok) == (2, True)
