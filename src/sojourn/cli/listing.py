"""`sojourn ls`: which sessions there are. Needs the store and nothing else, so that it is there at once."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any, Final, NamedTuple

import click
import msgspec

from sojourn.cli.frame import Result, on_store
from sojourn.cli.place import Place
from sojourn.cli.rows import session_rows
from sojourn.clock import SystemClock
from sojourn.errors import InvalidInputError
from sojourn.model.header import SessionHeader
from sojourn.store.listing import MAX_SESSIONS, cursor_after
from sojourn.store.protocol import SessionQuery, Store

_SORTS: Final[dict[str, Callable[[SessionHeader], Any]]] = {
    "created": lambda header: header.created_at,
    "messages": lambda header: header.message_count,
    "cost": lambda header: header.cost_micros,
}
"""How to sort, the most first, beside "updated", which is the store's own order, and "title", which begins with A."""


async def _ls(
    place: Place,
    *,
    everywhere: bool,
    archived: bool,
    trash: bool,
    tag: str | None,
    sort: str,
    number: int,
    cursor: str | None,
) -> Result:
    """List the sessions of this project, newest activity first.

    Sessions that were rewound are left out: what goes on in their place is listed. When there are more, the last line
    says how to see them.
    """
    if cursor is not None and sort != "updated":
        raise InvalidInputError("--cursor goes on in the order of the last activity: leave --sort out")
    query = SessionQuery(
        project=None if everywhere else (await place.project()).id,
        tag=tag,
        archived=None if trash else archived,
        trashed=trash,
        cursor=cursor,
    )
    async with place.store() as store:
        page = await (_page(store, query, number) if sort == "updated" else _sorted(store, query, number, sort))
    notes = []
    if page.more:
        notes = [f"there are more: --cursor {page.cursor}" if page.cursor else "there are more: -n lists them"]
    elif not page.headers:
        notes = ["no sessions" if everywhere else "no sessions in this project; --all looks into every project"]
    return Result(
        data={
            "sessions": [msgspec.to_builtins(header) for header in page.headers],
            "more": page.more,
            "cursor": page.cursor,
        },
        lines=session_rows(page.headers, SystemClock().now()),
        notes=notes,
    )


def _command(name: str) -> click.Command:
    """Return the command under one of its two names."""
    options = (
        click.option("--all", "-a", "everywhere", is_flag=True, help="Those of every project."),
        click.option("--archived", is_flag=True, help="Those that were put aside."),
        click.option("--trash", is_flag=True, help="Those that were thrown away and not yet removed."),
        click.option("--tag", metavar="TAG", help="Only those with this tag."),
        click.option(
            "--sort", type=click.Choice(["updated", "title", *_SORTS]), default="updated", help="In which order."
        ),
        click.option(
            "-n", "number", metavar="N", type=click.IntRange(1, MAX_SESSIONS), default=20, help="How many; 20."
        ),
        click.option("--cursor", metavar="CURSOR", help="Go on where the page before ended."),
    )
    callback = on_store(_ls)
    for option in reversed(options):
        callback = option(callback)
    return click.command(name)(callback)


ls = _command("ls")
sessions = _command("sessions")


class _Page(NamedTuple):
    """Some sessions, whether there are more, and where those begin, in the store's own order."""

    headers: list[SessionHeader]
    more: bool = False
    cursor: str | None = None


async def _page(store: Store, query: SessionQuery, number: int) -> _Page:
    """Return *number* sessions in the store's own order."""
    headers: list[SessionHeader] = []
    async for header in _living(store, replace(query, limit=min(number + 1, MAX_SESSIONS))):
        if len(headers) == number:
            return _Page(headers, more=True, cursor=cursor_after(headers[-1]))
        headers.append(header)
    return _Page(headers)


async def _sorted(store: Store, query: SessionQuery, number: int, sort: str) -> _Page:
    """Return the first *number* sessions in another order."""
    headers = [header async for header in _living(store, replace(query, limit=MAX_SESSIONS))]
    if sort == "title":
        headers.sort(key=lambda header: (header.title is None, (header.title or "").casefold()))
    else:
        headers.sort(key=_SORTS[sort], reverse=True)
    return _Page(headers[:number], more=len(headers) > number)


async def _living(store: Store, query: SessionQuery) -> AsyncIterator[SessionHeader]:
    """Yield the sessions that a query finds, page by page, without those that go on under another id."""
    while True:
        page = await store.list_sessions(query)
        for row in page.rows:
            if row.header.superseded_by is None:
                yield row.header
        if page.cursor is None:
            return
        query = replace(query, cursor=page.cursor)
