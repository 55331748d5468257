"""What is piped in. It may be closed, endless, or no text: it is read as far as it is."""

import os
import sys
from pathlib import Path


def read_anything() -> None:
    """Let what is piped in hold bytes that are no text: they become question marks, and the rest is read."""
    if sys.stdin is None:  # it was closed: nothing will come
        sys.stdin = Path(os.devnull).open()  # noqa: SIM115 - open for as long as the program reads
    reconfigure = getattr(sys.stdin, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


def piped_in(most: int) -> str:
    """Return what is piped in, or nothing at a terminal; of what is longer than *most* characters, one more."""
    read_anything()
    return "" if sys.stdin.isatty() else sys.stdin.read(most + 1).strip()
