"""`sojourn project`: what a folder's sessions are kept under, and how they follow when that changes."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from sojourn.cli.frame import Result, on_store
from sojourn.cli.groups import Group
from sojourn.cli.output import Dim
from sojourn.cli.place import Place
from sojourn.cli.taking_stock import Stock, inherited, take_stock
from sojourn.clock import SystemClock
from sojourn.desk.columns import fit, pad, terminal_columns, width
from sojourn.desk.rows import session_rows
from sojourn.desk.visible import safe
from sojourn.desk.wording import ago, count, money, one_line
from sojourn.engine.project import ID_FILE, Project, find_project, name_project, path_id
from sojourn.errors import AccessError, CorruptError, InvalidInputError, NotFoundError
from sojourn.store.all_sessions import all_sessions
from sojourn.store.protocol import SessionQuery, Store

_WHY: Final = {
    "file": f"the file {ID_FILE.as_posix()} says so",
    "git": "its git repository begins with this commit",
    "path": "it is no git repository, so its path names it: moving the folder changes that",
}
_NONE: Final = "no project"
_LEAST: Final = 4


@click.group("project", cls=Group, usual="info")
def project() -> None:
    """See which project a folder belongs to, and let sessions follow it. Alone it tells of this folder."""


@project.command("info")
@click.argument("folder", metavar="[FOLDER]", default=".", type=click.Path(path_type=Path))
@on_store
async def info(place: Place, *, folder: Path) -> Result:
    """Say which project FOLDER, by default this one, belongs to, why, and what was said there."""
    found = _project_of(folder)
    async with place.store() as store:
        stock = await take_stock(store, project=found.id)
    now = SystemClock().now()
    lines = [
        f"project   {found.name}",
        f"id        {found.id}",
        f"why       {_WHY[found.source]}",
        f"folder    {found.path}",
        f"sessions  {stock.sessions:,}",
        f"messages  {stock.messages:,}",
        f"tokens    {stock.tokens:,}",
        f"cost      {money(stock.cost_micros)}",
        *([f"last      {ago(stock.newest, now)}"] if stock.newest is not None else []),
    ]
    return Result(data={**_data(found), **stock.to_data()}, lines=lines)


@project.command("ls")
@on_store
async def ls(place: Place) -> Result:
    """List every project that has sessions, the one used last first; a star marks this one."""
    here = (await place.project()).id
    async with place.store() as store:
        stocks = await _by_project(store)
    named = sorted(stocks.items(), key=lambda one: (one[1].newest is not None, one[1].newest), reverse=True)
    data = [{"id": name, "here": name == here, **stock.to_data()} for name, stock in named]
    return Result(
        data={"projects": data},
        lines=_rows(named, here),
        notes=[] if named else ["nothing is kept yet, in any project"],
    )


@project.command("relink")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW", default=".")
@click.option("--yes", "-y", is_flag=True, help="Move them. Without it they are only listed.")
@on_store
async def relink(place: Place, *, old: str, new: str, yes: bool) -> Result:
    """Let the sessions of project OLD belong to NEW, by default to the project of this folder.

    Both are a folder or an id, as project ls shows them. OLD may be the path of a folder that is not there any more.
    Archived and trashed sessions come along. Without --yes nothing is changed.
    """
    place.require()
    from sojourn.engine.relinking import relink as move  # noqa: PLC0415 - it comes with the engine

    async with place.app() as app:
        known = [name for name in await _by_project(app.store) if name is not None]
        source, target = _meant(old, known), _meant(new, known, must_be_known=False)
        moved = await move(app.store, app.sessions, source, target, dry_run=not yes)
    told = f"{count(len(moved.sessions), 'session')} moved to {target}"
    if not yes:
        told = f"nothing was changed; --yes moves {count(len(moved.sessions), 'session')} from {source} to {target}"
    damaged = ", ".join(moved.damaged)
    return Result(
        data={
            "moved": yes,
            "from": source,
            "to": target,
            "sessions": [msgspec.to_builtins(header) for header in moved.sessions],
            "damaged": list(moved.damaged),
        },
        lines=session_rows(moved.sessions, SystemClock().now()),
        notes=[told if moved.sessions else f"there are no sessions of {source}"],
        trouble=CorruptError(f"these cannot be written to, and stay where they are: {damaged}") if damaged else None,
    )


@project.command("name")
@click.argument("project_id", metavar="ID")
@click.argument("folder", metavar="[FOLDER]", default=".", type=click.Path(path_type=Path))
@on_store
async def name(place: Place, *, project_id: str, folder: Path) -> Result:
    """Give FOLDER, by default this one, an identity of its own: the file .sojourn/project.

    It holds for the folders in it, and wins over git and over the path. Sessions that are kept under the old identity
    stay there until project relink moves them.
    """
    before = _project_of(folder)
    try:
        named = name_project(before.path if before.source == "file" else folder, project_id)
    except OSError as error:
        raise AccessError(f"{error.filename or folder}: {error.strerror or error}") from error
    async with place.store() as store:
        left = (await take_stock(store, project=before.id)).sessions if before.id != named.id else 0
    notes = [f"{count(left, 'session')} kept as {before.id}: sojourn project relink {before.id} --yes moves them"]
    return Result(data=_data(named), lines=[named.id], notes=notes if left else [])


def _project_of(folder: Path) -> Project:
    if not folder.is_dir():
        raise NotFoundError(f"there is no folder {str(folder)!r:.200}")
    return find_project(folder)


def _data(found: Project) -> dict[str, Any]:
    return {"id": found.id, "name": found.name, "source": found.source, "path": str(found.path)}


def _meant(wanted: str, known: list[str], *, must_be_known: bool = True) -> str:
    """Return the id of the project that was typed: an id or its beginning, a folder, or where a folder once was.

    Raises:
        NotFoundError: no session belongs to such a project, and *must_be_known*; or it is a path that leads nowhere.
        InvalidInputError: it begins several ids.
    """
    if wanted in known:
        return wanted
    beginnings = [one for one in known if len(wanted) >= _LEAST and one.startswith(wanted)]
    if len(beginnings) > 1:
        error = InvalidInputError(f"{wanted!r:.100} begins {len(beginnings)} ids; type more of it")
        for one in beginnings[:5]:
            error.add_note(one)
        raise error
    if beginnings:
        return beginnings[0]
    folder = Path(wanted).expanduser()
    if folder.is_dir():
        return find_project(folder).id
    gone = path_id(folder.absolute())
    if gone in known:
        return gone
    if must_be_known or "/" in wanted or "\\" in wanted:
        raise NotFoundError(f"there is no project {wanted!r:.200}; sojourn project ls lists them")
    return wanted


async def _by_project(store: Store) -> dict[str | None, Stock]:
    """Return what is kept under each project's id; under None, what belongs to no project."""
    stocks: dict[str | None, Stock] = {}
    async for row in all_sessions(store, SessionQuery(archived=None, trashed=None)):
        stock = stocks.setdefault(row.header.project, Stock())
        stock.add(row, inherited=await inherited(store, row))
        if not stock.largest and row.header.title:  # the newest comes first: people know a project by it
            stock.largest = [row.header]
    return stocks


def _rows(named: Iterable[tuple[str | None, Stock]], here: str) -> list[str]:
    now, columns = SystemClock().now(), terminal_columns()
    cells = [
        [
            f"{'*' if name == here else ' '} {name or _NONE}",
            f"{stock.sessions:,}",
            ago(stock.newest, now) if stock.newest is not None else "",
            money(stock.cost_micros),
            one_line(stock.largest[0].title or "") if stock.largest else "",
        ]
        for name, stock in named
    ]
    if not cells:
        return []
    head = ["  project", "sessions", "last", "cost", "newest session"]
    table = [[safe(cell) for cell in row] for row in (head, *cells)]
    widths = [max(map(width, column)) for column in zip(*table, strict=True)]
    lines = ["  ".join(pad(cell, wide) for cell, wide in zip(row, widths, strict=True)).rstrip() for row in table]
    first, *rest = lines if columns is None else [fit(line, columns) for line in lines]
    return [Dim(first), *rest]
