"""Questions that a command asks the person who typed it, before it does what cannot be taken back."""

import os
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import click

from sojourn.cli import diagnostics
from sojourn.desk.visible import safe

_YES: Final = frozenset({"y", "yes"})


def can_ask() -> bool:
    """Tell whether somebody is there to answer: a terminal on both sides, and nobody asked for JSON."""
    ctx = click.get_current_context(silent=True)
    wants_json = ctx is not None and bool(ctx.params.get("as_json"))
    return not wants_json and sys.stdin.isatty() and sys.stderr.isatty()


def ask(question: str) -> str | None:
    """Return what is typed to *question*; None at the end of the input. Ctrl-C ends the command at once."""
    # The event loop would only take note of a Ctrl-C, and wait for the line all the same. Who sees the question may
    # press it at once, so this comes first.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with _woken_by_signals() as wakes:
            diagnostics.prompt(safe(question))
            select.select([sys.stdin, wakes], [], [])
        line = sys.stdin.readline()
    finally:
        signal.signal(signal.SIGINT, handler)
    if not line.endswith("\n"):
        diagnostics.note("")
    return line.strip() if line else None


def agrees(question: str) -> bool:
    """Tell whether the person says yes to *question*; anything else is a no."""
    return (ask(f"{question} [y/N] ") or "").casefold() in _YES


@contextmanager
def _woken_by_signals() -> Iterator[int]:
    """Yield what can be read as soon as a signal came in the body.

    A signal that comes just before a line is waited for, or to another thread, does not end that wait by itself.
    """
    wakes, written = os.pipe()
    os.set_blocking(written, False)
    before = signal.set_wakeup_fd(written, warn_on_full_buffer=False)
    try:
        yield wakes
    finally:
        signal.set_wakeup_fd(before)
        os.close(wakes)
        os.close(written)
