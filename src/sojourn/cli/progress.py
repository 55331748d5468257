"""How far long work has come: one line on stderr, for who watches it, gone when the work is done.

Programs get none of it: not with `--json`, and not where stderr is no terminal.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import click

from sojourn.desk.columns import fit
from sojourn.desk.visible import safe

_WIDE: Final = 80
_BAR: Final = 20
_ERASE: Final = "\r\x1b[K"


class Bar:
    """A line that is drawn anew when there is something new to see. Lives as long as the work."""

    def __init__(self, label: str, *, total: int | None, shown: bool) -> None:
        """Tell of *total* steps of work, or of steps without a known end. Nothing is drawn unless *shown*."""
        self._label = safe(label)
        self._total = total
        self._shown = shown
        self._done = 0
        self._drawn = ""

    @property
    def done(self) -> int:
        """How many steps are done."""
        return self._done

    def advance(self, steps: int = 1) -> None:
        """Say that *steps* more are done."""
        self.reach(self._done + steps)

    def reach(self, done: int, *, total: int | None = None) -> None:
        """Say that *done* steps are done, and how many there are, if that is known by now."""
        self._done = done
        self._total = self._total if total is None else total
        self.draw()

    def draw(self) -> None:
        """Draw the line, if it is to be seen and would look different."""
        line = self._line() if self._shown else ""
        if line != self._drawn:
            self._drawn = line
            click.echo(_ERASE + line, nl=False, err=True, color=True)

    def erase(self) -> None:
        """Leave the terminal as it was."""
        if self._drawn:
            self._drawn = ""
            click.echo(_ERASE, nl=False, err=True, color=True)

    def _line(self) -> str:
        if self._total == 0:
            return ""
        if self._total is None:
            return fit(f"{self._label} {self._done:,}" if self._done else f"{self._label} …", _columns() - 1)
        share = min(1.0, self._done / self._total)
        full = int(share * _BAR)
        return fit(f"{self._label} [{'#' * full}{'.' * (_BAR - full)}] {share:4.0%}", _columns() - 1)


@contextmanager
def progress(label: str, *, total: int | None = None) -> Iterator[Bar]:
    """Show how far the work inside has come: `with progress("importing", total=n) as bar: bar.advance(1)`.

    Without *total* it counts; with none to do, nothing is drawn. What else is written to the terminal belongs behind
    the work.
    """
    bar = Bar(label, total=total, shown=is_watched())
    bar.draw()
    try:
        yield bar
    finally:
        bar.erase()


def is_watched() -> bool:
    """Tell whether a person watches: stderr is a terminal, and nobody asked for JSON."""
    ctx = click.get_current_context(silent=True)
    wants_json = ctx is not None and bool(ctx.params.get("as_json"))
    return not wants_json and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _WIDE
    except (OSError, ValueError):  # it is no terminal, or it is closed
        return _WIDE
