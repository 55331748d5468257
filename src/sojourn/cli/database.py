"""`sojourn db`: the database itself. Where it is, how large, what is in it, a copy of it, and its care."""

import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import click

from sojourn.cli.frame import Result, on_store
from sojourn.cli.groups import Group
from sojourn.cli.output import Dim, Strong
from sojourn.cli.place import Place
from sojourn.cli.progress import progress
from sojourn.cli.taking_stock import Stock, take_stock
from sojourn.clock import SystemClock
from sojourn.desk.columns import fit, pad, terminal_columns, width
from sojourn.desk.home import shown
from sojourn.desk.rows import session_rows
from sojourn.desk.visible import safe
from sojourn.desk.wording import ago, count, money, size
from sojourn.errors import CorruptError, InvalidInputError
from sojourn.store.answer import Answer
from sojourn.store.location import read_location
from sojourn.store.protocol import CanTidy
from sojourn.store.querying import MAX_ROWS, query
from sojourn.store.sizes import Sizes, measure

_BETWEEN: Final = "  "
_LEAST: Final = 4
"""Columns that a value has at least: where there are so many that they do not fit, the line is cut."""
_MOST_SECONDS: Final = 3600.0


@click.group("db", cls=Group, usual="stats")
def database() -> None:
    """Look after the database: where it is, what is in it, and a copy of it. Alone it says how much is kept."""


@database.command("path")
@on_store
async def path(place: Place) -> Result:
    """Print where sessions are kept, for other programs: sqlite3 "$(sojourn db path)"."""
    text = shown(place.location)
    kind, file = read_location(place.location)
    where = text if file is None else str(file)
    return Result(data={"path": where, "kind": kind, "location": text}, lines=[where])


@database.command("stats")
@on_store
async def stats(place: Place) -> Result:
    """Say how much is kept: sessions, messages, tokens, cost, room on the disk, and the largest sessions."""
    async with place.store() as store:
        stock = await take_stock(store)
    sizes = await measure(place.location)
    data = {"location": shown(place.location), **stock.to_data(), "bytes": {**asdict(sizes), "total": sizes.total}}
    return Result(data=data, lines=_stock_lines(shown(place.location), stock, sizes, SystemClock().now()))


@database.command("query")
@click.argument("sql", metavar="SQL")
@click.option(
    "-n", "number", metavar="N", type=click.IntRange(1, MAX_ROWS), default=100, help="At most so many rows; 100."
)
@click.option(
    "--timeout",
    "seconds",
    metavar="SECONDS",
    type=click.FloatRange(0.001, _MOST_SECONDS),
    default=10.0,
    help="Give up after this time; 10 seconds.",
)
@on_store
async def ask(place: Place, *, sql: str, number: int, seconds: float) -> Result:
    """Ask the database in SQL, on SQLite or PostgreSQL. SQL is one SELECT, or - to read it from stdin.

    Nothing can be changed this way. Besides the tables there are the views messages, events, metadata and
    session_state. A terminal gets columns that fit; a pipe gets whole values with tabs between them.
    """
    place.require()
    answer = await query(place.location, _piped() if sql == "-" else sql, limit=number, seconds=seconds)
    return Result(
        data={"columns": answer.columns, "rows": answer.rows, "more": answer.more},
        lines=_table(answer),
        notes=[f"there are more than {count(number, 'row')}: -n shows more"] if answer.more else [],
    )


@database.command("backup")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@on_store
async def backup(place: Place, *, file: Path) -> Result:
    """Copy everything to FILE while it is in use, then read the copy back to see that it is whole.

    FILE must not exist. A store of files is copied to a folder of that name, a PostgreSQL store to a SQLite file;
    --store FILE (or files:FILE) opens it. The search index is not copied: it is made anew.
    """
    place.require()
    async with place.store() as store:
        with progress("copying") as bar:
            try:
                report = await store.backup(file, on_progress=lambda done, total: bar.reach(done, total=total))
            except CorruptError as error:
                if not _is_there(file):
                    raise
                note = "the copy is made, and is as damaged as what it was made of: keep it until that is repaired"
                return Result(data={"path": str(file)}, lines=[str(file)], notes=[note], trouble=error)
    data = {"path": str(report.path), "sessions": report.sessions, "entries": report.entries}
    told = f"{count(report.sessions, 'session')}, entries: {report.entries:,}; read back and whole"
    return Result(data=data, lines=[str(report.path)], notes=[told])


@database.command("rebuild")
@on_store
async def rebuild(place: Place) -> Result:
    """Make anew what is derived from the journals: the list of sessions, saved states, and the search index.

    The journals themselves are not touched. Damaged sessions are left as they are and named.
    """
    place.require()
    async with place.app() as app:
        rebuilt, trouble = await _all_but_damaged("rebuilding sessions", app.store.rebuild)
        indexed, more = await _all_but_damaged("indexing", app.memory.rebuild)
    data = {"sessions": rebuilt, "indexed": indexed}
    told = [f"{name}: {'all but the damaged ones' if made is None else f'{made:,}'}" for name, made in data.items()]
    return Result(data=data, lines=told, trouble=trouble or more)


@database.command("vacuum")
@on_store
async def vacuum(place: Place) -> Result:
    """Give back room that deleted sessions left. SQLite needs as much free space as the file has while it works."""
    place.require()
    before = (await measure(place.location)).total
    async with place.store() as store:
        if not isinstance(store, CanTidy):
            raise InvalidInputError("a store of files leaves no gaps: there is nothing to do")
        with progress("writing the database anew"):
            await store.tidy()
    after = (await measure(place.location)).total
    return Result(data={"before": before, "after": after}, lines=[f"{size(before)} before, {size(after)} now"])


def _piped() -> str:
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"what is piped in is no text: {error.reason} at byte {error.start + 1}") from error


Work = Callable[..., Awaitable[int]]


async def _all_but_damaged(label: str, work: Work) -> tuple[int | None, CorruptError | None]:
    """Do *work* on every session; return for how many, or what is damaged. The others are done all the same."""
    with progress(label) as bar:
        try:
            return await work(on_progress=lambda done, total: bar.reach(done, total=total)), None
        except CorruptError as error:
            return None, error


def _is_there(file: Path) -> bool:
    return file.exists()


def _stock_lines(location: str, stock: Stock, sizes: Sizes, now: datetime) -> list[str]:
    aside = [f"{number:,} {name}" for name, number in stock.aside.items() if number]
    room = [f"{name} {size(number)}" for name, number in asdict(sizes).items() if number]
    lines = [
        f"store     {location}",
        f"sessions  {stock.sessions:,}{_beside(aside)}",
        f"messages  {stock.messages:,}",
        f"entries   {stock.entries:,}",
        f"tokens    {stock.tokens:,}",
        f"cost      {money(stock.cost_micros)}",
        f"room      {size(sizes.total)}{_beside(room)}",
    ]
    if stock.oldest is not None and stock.newest is not None:
        lines.append(f"oldest    begun {ago(stock.oldest, now)}; last activity {ago(stock.newest, now)}")
    if stock.largest:
        lines += ["", Strong("the largest"), *session_rows(stock.largest, now)]
    return lines


def _beside(parts: Sequence[str]) -> str:
    return f" ({', '.join(parts)})" if parts else ""


def _table(answer: Answer) -> list[str]:
    """Return the rows as lines: columns that fit into a terminal, or whole values with tabs between them."""
    cells = [[_cell(value) for value in row] for row in answer.rows]
    columns = terminal_columns()
    if columns is None:
        return ["\t".join(row) for row in (answer.columns, *cells)]
    rows = [[safe(cell) for cell in row] for row in (answer.columns, *cells)]
    widths = _fitting([max(map(width, column)) for column in zip(*rows, strict=True)], columns)
    head, *rest = [fit(_line(row, widths), columns) for row in rows]
    return [Dim(head), *rest]


def _fitting(widths: Sequence[int], columns: int) -> list[int]:
    """Return *widths* made narrower, the widest first, until a line of them fits into *columns*."""
    fitting = list(widths)
    while sum(fitting) + len(_BETWEEN) * (len(fitting) - 1) > columns and max(fitting) > _LEAST:
        fitting[fitting.index(max(fitting))] -= 1
    return fitting


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return _BETWEEN.join(pad(fit(cell, wide), wide) for cell, wide in zip(row, widths, strict=True)).rstrip()


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bytes():
            return f"<{count(len(value), 'byte')}>"
        case _:
            return " ".join(str(value).split())
