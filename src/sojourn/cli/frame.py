"""What the commands on sessions have in common: how they are asked, and how they answer.

A command's body is an async function that gets a `Place` and what was typed, and returns a `Result`: data for programs
and lines for people. It neither prints nor opens anything that it does not need.
"""

import asyncio
import functools
import os
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

import click

from sojourn.cli import diagnostics
from sojourn.cli.output import write_json, write_json_error, write_lines
from sojourn.cli.place import Place
from sojourn.desk.home import here, store_location
from sojourn.desk.visible import safe
from sojourn.desk.wording import advice, complaint
from sojourn.errors import SojournError, outside


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a command found or did: *data* for programs, *lines* for people, *notes* about it for whoever watches.

    With *trouble* it did not do all that was asked, and the exit code says so.
    """

    data: Any
    lines: Iterable[str] = ()
    notes: Iterable[str] = ()
    trouble: SojournError | None = None


Body = Callable[..., Awaitable[Result]]


def on_store(body: Body) -> Callable[..., int]:
    """Make *body* the callback of a click command that also takes `--json` and `--store`."""

    @click.option("--store", metavar="LOCATION", help="Where sessions are kept; a file of your own by default.")
    @click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
    @functools.wraps(body)
    def run(*, store: str | None, as_json: bool, **given: Any) -> int:
        place = Place(store_location(store, os.environ), here(), typed=store)
        return _tell(asyncio.run(_finished(body(place, **given))), as_json=as_json)

    return run


def off_store(body: Callable[..., Result]) -> Callable[..., int]:
    """Make *body*, which needs no store and is no coroutine, the callback of a click command that takes `--json`."""

    @click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
    @functools.wraps(body)
    def run(*, as_json: bool, **given: Any) -> int:
        return _tell(body(**given), as_json=as_json)

    return run


async def _finished(working: Awaitable[Result]) -> Result:
    return await working


def _tell(result: Result, *, as_json: bool) -> int:
    command = click.get_current_context().command_path.partition(" ")[2]
    # The doctor sends nobody to himself.
    hints = advice(result.trouble) if result.trouble is not None and command != "doctor" else []
    if as_json and result.trouble is not None:
        write_json_error(command, result.trouble, hints=hints, data=result.data)
    elif as_json:
        write_json(command, result.data)
    else:
        write_lines(result.lines)
        for note in result.notes:
            diagnostics.note(safe(note))
        if result.trouble is not None:
            diagnostics.complain(complaint(result.trouble), hints=hints)
    return 0 if result.trouble is None else outside(result.trouble).exit
