"""Results: the only place that writes to stdout.

Text that was stored by a user, a model or a tool goes through `safe` on its way to a terminal: it must not be able to
move the cursor, change colours, or hide what it says. JSON holds the same text to the letter, with such characters as
escapes. It is loaded by every command, so what only some need is imported by the function that needs it.
"""

import os
from collections.abc import Iterable
from typing import Any, Final

import click

from sojourn.desk.visible import escaped, safe
from sojourn.desk.wording import complaint
from sojourn.errors import SojournError

SCHEMA: Final = "sojourn/1"
"""Names the shape of what `--json` prints; a program may rely on what it read there once."""


class Strong(str):
    """A line that leads."""

    __slots__ = ()


class Dim(str):
    """A line that stands back."""

    __slots__ = ()


def color_wanted() -> bool | None:
    """Return whether to use colours: never if NO_COLOR is set or the terminal knows none, else only on a terminal.

    None lets click find out what is a terminal.
    """
    return False if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" else None


def sentence(error: SojournError | click.ClickException) -> str:
    """Return what an error has to say."""
    return error.format_message() if isinstance(error, click.ClickException) else complaint(error)


def write_json(command: str, data: Any) -> None:
    """Write a result as one JSON object, always of the same shape."""
    _write_object({"schema": SCHEMA, "ok": True, "command": command, "data": data})


def write_json_error(
    command: str, error: SojournError | click.ClickException, *, hints: Iterable[str] = (), data: Any = None
) -> None:
    """Write what went wrong as one JSON object, always of the same shape; *data* is what was found all the same."""
    told = {"kind": type(error).__name__, "message": safe(sentence(error))}
    hint = "\n".join(hints)
    if hint:
        told["hint"] = safe(hint)
    envelope = {"schema": SCHEMA, "ok": False, "command": command, "error": told}
    _write_object(envelope if data is None else {**envelope, "data": data})


def write_piece(text: str) -> None:
    """Write a piece of a line, at once."""
    click.echo(text, nl=False, color=color_wanted())


def write(text: str = "") -> None:
    """Write a line of a result for people."""
    click.echo(text, color=color_wanted())


def write_lines(lines: Iterable[str]) -> None:
    """Write lines of a result for people, whatever is in them: nothing of it can act on the terminal."""
    for line in lines:
        match line:
            case Strong():
                write(click.style(safe(line), bold=True))
            case Dim():
                write(click.style(safe(line), dim=True))
            case _:
                write(safe(line))


def give_up() -> None:
    """Write nowhere from now on: stdout takes no more, and what is still buffered would fail again at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def heading(text: str) -> None:
    """Write the heading of a section."""
    write()
    write(click.style(text, bold=True))


def _write_object(envelope: dict[str, Any]) -> None:
    import msgspec  # noqa: PLC0415

    click.echo(escaped(msgspec.json.encode(envelope).decode()))
