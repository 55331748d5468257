"""The list of sessions to choose from, for who cannot be asked which one."""

import asyncio
import os
from typing import Final

import msgspec

from sojourn.cli import diagnostics, output
from sojourn.cli.place import Place
from sojourn.cli.wanted import Wanted
from sojourn.clock import SystemClock
from sojourn.desk.home import here, store_location
from sojourn.desk.rows import session_rows
from sojourn.errors import InvalidInputError, outside
from sojourn.model.header import SessionHeader
from sojourn.store.protocol import SessionQuery

_SHOWN: Final = 20


def list_sessions(wanted: Wanted) -> int:
    """Print the sessions of this project, say that one has to be named, and return the exit code for that."""
    headers = asyncio.run(_headers(Place(store_location(wanted.store, os.environ), here())))
    error = InvalidInputError("name a session: its id, a piece of its id, its title, or @last")
    if wanted.output != "text":
        output.write_json_error("sojourn", error, data={"sessions": msgspec.to_builtins(headers)})
    else:
        output.write_lines(session_rows(headers, SystemClock().now()))
        diagnostics.complain(error.detail, hints=["sojourn -r SESSION goes on with one"])
    return outside(error).exit


async def _headers(place: Place) -> list[SessionHeader]:
    async with place.store() as store:
        project = (await place.project()).id
        page = await store.list_sessions(SessionQuery(project=project, superseded=False, nested=False, limit=_SHOWN))
    return [row.header for row in page.rows]
