"""Names of sessions while they are typed: a shell that completes them asks here.

A title is offered before an id, the session used last before those used earlier. The store is only read, and whatever
goes wrong offers nothing: a person who presses Tab wants no error in his line.
"""

import asyncio
import os
import re
from collections import Counter
from pathlib import Path
from typing import Final

import click
from click.shell_completion import CompletionItem

from sojourn.errors import SojournError

_PARAMETERS: Final = frozenset({"reference", "references", "session", "also", "ours", "theirs"})
"""What the parameters are called that name sessions."""
_MOST: Final = 200
VARIABLE: Final = "_SOJOURN_COMPLETE"
"""Says which shell asks, and for what."""
_SPECIAL: Final = re.compile(r"[^\w@%+=:,./-]", re.ASCII)


def with_sessions(command: click.Command) -> click.Command:
    """Return *command*, whose parameters that name sessions complete them."""
    for parameter in command.params:
        if parameter.name in _PARAMETERS and isinstance(parameter.type, click.types.StringParamType):
            parameter.type = _SessionName()
    return command


class _SessionName(click.types.StringParamType):
    """Text that names a session."""

    def shell_complete(
        self,
        ctx: click.Context,
        param: click.Parameter,  # noqa: ARG002 - click's signature
        incomplete: str,
    ) -> list[CompletionItem]:
        found = offered(incomplete, ctx.params.get("store"))
        return [CompletionItem(_typed(name), help=about) for name, about in found]


def _typed(name: str) -> str:
    """Return *name* as the shell that asks wants it: bash takes it as if it were typed, the others quote it."""
    if not os.environ.get(VARIABLE, "").startswith("bash"):
        return name
    return _SPECIAL.sub(r"\\\g<0>", name)


def offered(incomplete: str, store: str | None) -> list[tuple[str, str]]:
    """Return names of sessions that go on from *incomplete*, each with what it is."""
    from sojourn.desk.home import store_location  # noqa: PLC0415 - only who presses Tab waits for it
    from sojourn.store.location import read_location  # noqa: PLC0415

    try:
        location = store_location(store, os.environ)
        path = read_location(location).path
        if path is not None and not path.exists():
            return []
        return asyncio.run(_offered(incomplete, location))
    except (SojournError, OSError):
        return []


async def _offered(incomplete: str, location: str | Path) -> list[tuple[str, str]]:
    from sojourn.clock import SystemClock  # noqa: PLC0415 - only who presses Tab waits for it
    from sojourn.desk.references import short  # noqa: PLC0415
    from sojourn.desk.visible import safe  # noqa: PLC0415
    from sojourn.desk.wording import ago  # noqa: PLC0415
    from sojourn.store import open_store  # noqa: PLC0415
    from sojourn.store.protocol import SessionQuery  # noqa: PLC0415

    async with open_store(location) as opened:
        page = await opened.list_sessions(SessionQuery(limit=_MOST))
    now, wanted = SystemClock().now(), incomplete.casefold()
    headers = [row.header for row in page.rows if row.header.superseded_by is None]
    titles = Counter((header.title or "").casefold() for header in headers)
    found: list[tuple[str, str]] = []
    for header in headers:
        title, piece = safe(header.title or ""), short(header.session_id)
        if title and title.casefold().startswith(wanted) and titles[title.casefold()] == 1:
            found.append((title, ago(header.updated_at, now)))
        elif piece.startswith(incomplete) or header.session_id.startswith(incomplete):
            name = piece if piece.startswith(incomplete) else header.session_id
            found.append((name, title or "no title"))
    return found
