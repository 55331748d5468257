"""`sojourn ls`: which sessions there are. Needs the store and nothing else, so that it is there at once."""

from collections.abc import Callable
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
from sojourn.store.all_sessions import all_sessions
from sojourn.store.listing import MAX_SESSIONS
from sojourn.store.protocol import SessionQuery, SessionRow, Store

_UPDATED: Final = "updated"
_REASONS: Final = {
    "archived": "{:,} archived (--archived)",
    "trash": "{:,} in the trash (--trash)",
    "agents": "{:,} of agents that others started (--agents)",
    "elsewhere": "{:,} of other projects (--all)",
}
"""Why a session is not in the list, and what lists it."""
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
    agents: bool,
    tag: str | None,
    sort: str | None,
    number: int,
    cursor: str | None,
) -> Result:
    """List the sessions of this project, newest activity first.

    Sessions that were rewound are left out: what goes on in their place is listed. So are those of agents that another
    one started for a part of its work, unless --agents or a tag asks for them. When there are more, the last line
    says how to see them; when there are none, it says what is not listed, and how to see that.
    """
    order = _order(sort, cursor)
    query = SessionQuery(
        project=None if everywhere else (await place.project()).id,
        tag=tag,
        archived=None if trash else archived,
        trashed=trash,
        superseded=False,
        nested=None if agents or trash or tag is not None else False,
    )
    async with place.store() as store:
        page = await (_page if order == _UPDATED else _sorted)(store, query, number, order, cursor)
        hidden = {} if page.more else await _hidden(store, query)
    return Result(
        data={
            "sessions": [_data(row) for row in page.rows],
            "more": page.more,
            "cursor": page.cursor,
            "hidden": hidden,
        },
        lines=session_rows([row.header for row in page.rows], SystemClock().now()),
        notes=_notes(page, hidden, everywhere=everywhere),
    )


def _command(name: str) -> click.Command:
    """Return the command under one of its two names."""
    options = (
        click.option("--all", "-a", "everywhere", is_flag=True, help="Those of every project."),
        click.option("--archived", is_flag=True, help="Those that were put aside."),
        click.option("--trash", is_flag=True, help="Those that were thrown away and not yet removed."),
        click.option("--agents", is_flag=True, help="Those of agents that others started, too."),
        click.option("--tag", metavar="TAG", help="Only those with this tag."),
        click.option(
            "--sort", type=click.Choice([_UPDATED, "title", *_SORTS]), help="In which order; by the last activity."
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
    """Some sessions, whether there are more, and where those begin."""

    rows: list[SessionRow]
    more: bool = False
    cursor: str | None = None


def _order(sort: str | None, cursor: str | None) -> str:
    """Return in which order to list: a cursor knows its own.

    Raises:
        InvalidInputError: the cursor is of another order.
    """
    named = next((name for name in ("title", *_SORTS) if cursor is not None and cursor.startswith(f"{name}_")), None)
    of_cursor = named or (_UPDATED if cursor is not None else sort or _UPDATED)
    if sort is not None and sort != of_cursor:
        raise InvalidInputError(f"this cursor goes on in the order of --sort {of_cursor}, not of {sort}")
    return of_cursor


async def _hidden(store: Store, query: SessionQuery) -> dict[str, int]:
    """Return how many sessions are not listed, by the reason; those without any are left out."""
    kept = replace(query, archived=None, trashed=False)
    counted = {
        "archived": await store.count_sessions(replace(kept, archived=True)) if query.archived is False else 0,
        "trash": 0 if query.trashed else await store.count_sessions(replace(kept, nested=None, trashed=True)),
        "agents": await store.count_sessions(replace(query, nested=True)) if query.nested is False else 0,
    }
    if query.project is not None:
        everywhere = await store.count_sessions(replace(query, project=None))
        counted["elsewhere"] = everywhere - await store.count_sessions(query)
    return {name: number for name, number in counted.items() if number}


def _data(row: SessionRow) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.to_builtins(row.header)
    return data if row.quarantined is None else {**data, "damage": row.quarantined}


def _notes(page: _Page, hidden: dict[str, int], *, everywhere: bool) -> list[str]:
    notes = [
        f"{short(row.header.session_id)} is damaged ({row.quarantined}): sojourn doctor says more"
        for row in page.rows
        if row.quarantined is not None
    ]
    if page.more:
        notes.append(f"there are more: --cursor {page.cursor}")
    elif not page.rows:
        notes.append("no sessions" if everywhere else "no sessions in this project")
    if hidden:
        named = [_REASONS[reason].format(number) for reason, number in hidden.items()]
        notes.append(f"not listed: {', '.join(named)}")
    return notes


async def _page(store: Store, query: SessionQuery, number: int, _order: str, cursor: str | None) -> _Page:
    """Return *number* sessions in the store's own order."""
    page = await store.list_sessions(replace(query, limit=number, cursor=cursor))
    return _Page(list(page.rows), more=page.cursor is not None, cursor=page.cursor)


async def _sorted(store: Store, query: SessionQuery, number: int, order: str, cursor: str | None) -> _Page:
    """Return *number* sessions in another order, behind the one that the cursor names.

    Raises:
        InvalidInputError: there is no such session in the list any more.
    """
    rows = [row async for row in all_sessions(store, query)]
    if order == "title":
        rows.sort(
            key=lambda row: (row.header.title is None, (row.header.title or "").casefold(), row.header.session_id)
        )
    else:
        rows.sort(key=lambda row: (_SORTS[order](row.header), row.header.session_id), reverse=True)
    first = 0
    if cursor is not None:
        last = cursor.removeprefix(f"{order}_")
        first = next((place for place, row in enumerate(rows, 1) if row.header.session_id == last), 0)
        if first == 0:
            raise InvalidInputError(f"cursor={cursor!r:.100}: that session is not in the list any more; begin anew")
    some = rows[first : first + number]
    more = len(rows) > first + number
    return _Page(some, more=more, cursor=f"{order}_{some[-1].header.session_id}" if more else None)
