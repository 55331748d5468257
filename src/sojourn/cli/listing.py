"""`sojourn ls`: which sessions there are. Needs the store and nothing else, so that it is there at once."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any, Final, NamedTuple

import click
import msgspec

from sojourn.cli.frame import Result, on_store
from sojourn.cli.place import Place
from sojourn.clock import SystemClock
from sojourn.desk.references import short
from sojourn.desk.rows import session_rows
from sojourn.errors import InvalidInputError
from sojourn.model.header import SessionHeader
from sojourn.store.listing import MAX_SESSIONS, cursor_after
from sojourn.store.protocol import SessionQuery, SessionRow, Store

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
    return Result(
        data={"sessions": [_data(row) for row in page.rows], "more": page.more, "cursor": page.cursor},
        lines=session_rows([row.header for row in page.rows], SystemClock().now()),
        notes=_notes(page, everywhere=everywhere),
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

    rows: list[SessionRow]
    more: bool = False
    cursor: str | None = None


def _data(row: SessionRow) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.to_builtins(row.header)
    return data if row.quarantined is None else {**data, "damage": row.quarantined}


def _notes(page: _Page, *, everywhere: bool) -> list[str]:
    notes = [
        f"{short(row.header.session_id)} is damaged ({row.quarantined}): sojourn doctor says more"
        for row in page.rows
        if row.quarantined is not None
    ]
    if page.more:
        notes.append(f"there are more: --cursor {page.cursor}" if page.cursor else "there are more: -n lists them")
    elif not page.rows:
        notes.append("no sessions" if everywhere else "no sessions in this project; --all looks into every project")
    return notes


async def _page(store: Store, query: SessionQuery, number: int) -> _Page:
    """Return *number* sessions in the store's own order."""
    rows: list[SessionRow] = []
    async for row in _living(store, replace(query, limit=min(number + 1, MAX_SESSIONS))):
        if len(rows) == number:
            return _Page(rows, more=True, cursor=cursor_after(rows[-1].header))
        rows.append(row)
    return _Page(rows)


async def _sorted(store: Store, query: SessionQuery, number: int, sort: str) -> _Page:
    """Return the first *number* sessions in another order."""
    rows = [row async for row in _living(store, replace(query, limit=MAX_SESSIONS))]
    if sort == "title":
        rows.sort(key=lambda row: (row.header.title is None, (row.header.title or "").casefold()))
    else:
        rows.sort(key=lambda row: _SORTS[sort](row.header), reverse=True)
    return _Page(rows[:number], more=len(rows) > number)


async def _living(store: Store, query: SessionQuery) -> AsyncIterator[SessionRow]:
    """Yield the sessions that a query finds, page by page, without those that go on under another id."""
    while True:
        page = await store.list_sessions(query)
        for row in page.rows:
            if row.header.superseded_by is None:
                yield row
        if page.cursor is None:
            return
        query = replace(query, cursor=page.cursor)
