"""Commands in processes of their own, forked from a server that has the program loaded: to run many, and to kill them.

What a command writes goes to files, so that what it said before it was killed can be read.
"""

import os
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from sojourn.cli.commands import main
from tests.cli.typed import Typed
from tests.faults.processes import Child
from tests.faults.shell import Shell

KILLED: Final = -9
PATIENCE: Final = 60.0


class Command:
    """A command that runs. It was typed in *shell*."""

    def __init__(self, shell: Shell, *words: str, says: str = "", number: int = 0) -> None:
        """Type *words*, with *says* piped in; the *number* tells it from others that run at the same time."""
        self._words = words
        self._streams = [shell.folder.parent / f"std{name}-{number}" for name in ("in", "out", "err")]
        for stream in self._streams:
            stream.write_text("")
        self._streams[0].write_text(says)
        self._child = Child(_type, words, str(shell.folder), shell.environment(), [str(one) for one in self._streams])

    def ends_within(self, seconds: float) -> Typed | None:
        """Wait so long, and return what came of the command; None if it is still at work."""
        code = next(self._child.listen(seconds), None)
        return None if code is None else self._ended(code)

    def end(self) -> Typed:
        """Wait for it, and return what came of it."""
        told = self.ends_within(PATIENCE)
        assert told is not None, f"{self._words} takes too long"
        return told

    def kill(self) -> Typed:
        """Kill it, and return what it had said."""
        self._child.kill()
        return self._ended(KILLED)

    def _ended(self, code: int) -> Typed:
        self._child.join()
        return Typed(code, *[stream.read_text() for stream in self._streams[1:]])


def run(shell: Shell, *words: str, says: str = "") -> Typed:
    """Type a command, and return what came of it."""
    return Command(shell, *words, says=says).end()


def _type(
    pipe: Connection, words: tuple[str, ...], folder: str, environment: dict[str, str], streams: list[str]
) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, (path, flags) in enumerate(zip(streams, (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY), strict=True)):
        os.dup2(os.open(path, flags), number)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - for as long as the process lives
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    try:
        main(words)
    except SystemExit as end:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        pipe.send(end.code)


def store_of(shell: Shell) -> Path:
    """Return where the sessions of *shell* are kept."""
    return shell.home / "sojourn.db"
