"""The time from the start of a program to the first thing that it paints on a terminal.

The terminal is a pseudo-terminal that answers nothing, as a slow line would for a while. The program is killed as soon
as what it was to show is there.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

BARE_APP: Final = """
from textual.app import App
from textual.widgets import Static


class Bare(App):
    def compose(self):
        yield Static("painted")


Bare().run()
"""
"""The least that a Textual app is."""
_PATIENCE: Final = 60.0
_ROWS, _COLUMNS = 34, 120


def paint(words: Sequence[str], until: bytes, *, folder: Path, seen: Mapping[str, str]) -> None:
    """Run a program in *folder* with what is *seen* as its environment, and return when it has shown *until*.

    Raises:
        RuntimeError: it ended before, or took a minute.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
    environment = {**seen, "TERM": "xterm-256color"}
    program = subprocess.Popen(
        [*words], cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    try:
        _wait(ours, until)
    finally:
        os.killpg(program.pid, signal.SIGKILL)
        program.wait()
        os.close(ours)


def _wait(terminal: int, until: bytes) -> None:
    shown, end = b"", time.monotonic() + _PATIENCE
    while until not in shown:
        if not select.select([terminal], [], [], max(0.0, end - time.monotonic()))[0]:
            raise RuntimeError(f"nothing like {until!r} was shown within a minute")
        try:
            shown += os.read(terminal, 65_536)
        except OSError as error:  # Linux says so at the end
            raise RuntimeError(f"it ended before it showed {until!r}: {shown[-500:]!r}") from error
