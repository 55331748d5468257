"""The program as a shell starts it, in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.cli.typed import Typed

SOJOURN: Final = str(Path(sys.executable).with_name("sojourn"))
MODEL: Final = ("--model", "scripted:Yes.")
PATIENCE: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """A folder to type in, and a home of one's own."""

    folder: Path
    home: Path

    @classmethod
    def at(cls, place: Path) -> "Shell":
        (place / "work").mkdir()
        return cls(folder=place / "work", home=place / "home")

    def environment(self, **more: str) -> dict[str, str]:
        """Return what the program finds around it; nothing of the machine's own Sojourn is seen."""
        hidden = {"SOJOURN_STORE", "SOJOURN_MODEL", "COLUMNS"}
        seen = {name: value for name, value in os.environ.items() if name not in hidden}
        return {**seen, "SOJOURN_HOME": str(self.home), "NO_COLOR": "1", **more}

    def type(self, *words: str, says: str = "", before: Callable[[], None] | None = None, **more: str) -> Typed:
        """Type a command, with *says* piped into it, and return what came of it.

        *before* runs in its process before it begins.
        """
        done = subprocess.run(
            [SOJOURN, *words],
            input=says,
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            env=self.environment(**more),
            timeout=PATIENCE,
            preexec_fn=before,
        )
        return Typed(done.returncode, done.stdout, done.stderr)

    def start(self, *words: str, **more: str) -> "subprocess.Popen[str]":
        """Type a command, and return it while it runs."""
        return subprocess.Popen(
            [SOJOURN, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env=self.environment(**more),
        )

    def said(self, reference: str = "@last", *more: str) -> list[str]:
        """Return what the person said in a session."""
        shown = self.type("show", reference, "--json", *more).data
        return [one["text"] for one in shown["messages"] if one["role"] == "user"]


def is_one_sentence(told: Typed, *, codes: Sequence[int]) -> bool:
    """Tell whether a command ended with one of *codes* and complained in one line, with no trace of its insides."""
    complaints = [line for line in told.err.splitlines() if line.startswith("error: ")]
    return told.code in codes and len(complaints) == 1 and "Traceback" not in told.err + told.out
