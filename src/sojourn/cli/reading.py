"""What is piped in, and where answers go. It may be closed, endless, or no text: it is read as far as it is."""

import os
import sys
from pathlib import Path


def open_what_is_closed() -> None:
    """Put an empty stream in the place of each that the program was started without.

    Else the first files that are opened get their numbers, and whatever writes to a stream by its number writes there.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):  # the lowest free number comes first
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115 - open for as long as the program is


def read_anything() -> None:
    """Let what is piped in hold bytes that are no text: they become question marks, and the rest is read."""
    reconfigure = getattr(sys.stdin, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


def piped_in(most: int) -> str:
    """Return what is piped in, or nothing at a terminal; of what is longer than *most* characters, one more."""
    read_anything()
    return "" if sys.stdin.isatty() else sys.stdin.read(most + 1).strip()
