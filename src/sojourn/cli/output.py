"""Results: the only place that writes to stdout.

Text that was stored by a user, a model or a tool goes through `safe` on its way to a terminal: it must not be able to
move the cursor, change colours, or hide what it says.
"""

import os
import unicodedata
from typing import Any, Final

import click
import msgspec

from sojourn.errors import SojournError

_KEPT: Final = {"\n", "\t"}
_HIDDEN: Final = {"Cc", "Cf", "Co", "Cs"}


def color_wanted() -> bool | None:
    """Return whether to use colours: never if NO_COLOR is set, else only on a terminal (None lets click decide)."""
    return False if os.environ.get("NO_COLOR") else None


def safe(text: str) -> str:
    """Return *text* with every control and invisible character made visible as its code."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character if character in _KEPT or unicodedata.category(character) not in _HIDDEN else _shown(character)
        for character in text
    )


def write_json(command: str, data: dict[str, Any]) -> None:
    """Write a result as one JSON object, always of the same shape."""
    click.echo(msgspec.json.encode({"ok": True, "command": command, "data": data}).decode())


def write_json_error(command: str, error: SojournError) -> None:
    """Write what went wrong as one JSON object, always of the same shape."""
    told = {"kind": type(error).__name__, "message": str(error)}
    click.echo(msgspec.json.encode({"ok": False, "command": command, "error": told}).decode())


def write_piece(text: str) -> None:
    """Write a piece of a line, at once."""
    click.echo(text, nl=False, color=color_wanted())


def write(text: str = "") -> None:
    """Write a line of a result for people."""
    click.echo(text, color=color_wanted())


def give_up() -> None:
    """Write nowhere from now on: stdout takes no more, and what is still buffered would fail again at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def heading(text: str) -> None:
    """Write the heading of a section."""
    write()
    write(click.style(text, bold=True))


def _shown(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"
