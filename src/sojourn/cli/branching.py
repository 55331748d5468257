"""`sojourn fork`, `tree` and `rewind`: other ways that a conversation could go on."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import click
import msgspec

from sojourn.cli.frame import Result, on_store
from sojourn.cli.place import Place
from sojourn.desk.columns import fit, terminal_columns, width
from sojourn.desk.references import short
from sojourn.desk.rows import session_name
from sojourn.engine.branches import Branch, find_tree
from sojourn.engine.inputs import MAX_NAME, check_text
from sojourn.model.header import SessionHeader
from sojourn.store.protocol import Store

_LEAST: Final = 8
"""Columns of a title that are shown however deep it hangs."""


@click.command("fork")
@click.argument("reference", metavar="[SESSION]", default="@last")
@click.option("--at", metavar="SEQ", type=click.IntRange(1), help="After this entry; after the last one by default.")
@click.option("--name", "-n", metavar="TITLE", help="The title of the new session.")
@on_store
async def fork(place: Place, *, reference: str, at: int | None, name: str | None) -> Result:
    """Begin a session that continues SESSION, and print its id. SESSION stays as it is."""
    async with place.app() as app:
        found = await place.find(app.store, reference)
        if name is not None:
            check_text(name, "a title", most=MAX_NAME)
        forked = await app.sessions.fork(found.session_id, at=at)
        header = forked.state.header if name is None else await app.sessions.rename(forked.id, name)
    return Result(
        data={"session": msgspec.to_builtins(header)},
        lines=[header.session_id],
        notes=[f"shares entries 1 to {header.forked_at} with {session_name(found)}"],
    )


@click.command("rewind")
@click.argument("reference", metavar="[SESSION]", default="@last")
@click.option("--to", "at", metavar="SEQ", type=click.IntRange(1), required=True, help="The last entry that counts.")
@on_store
async def rewind(place: Place, *, reference: str, at: int) -> Result:
    """Go back to entry SEQ of SESSION, and print the id under which it goes on.

    Nothing is removed: what was said after that entry stays in the old session, which show and tree still find.
    """
    async with place.app() as app:
        found = await place.find(app.store, reference)
        rewound = await app.sessions.rewind(found.session_id, at=at)
        header = rewound.state.header
    return Result(
        data={"session": msgspec.to_builtins(header), "before": found.session_id},
        lines=[header.session_id],
        notes=[f"went back to entry {at}; what came after it is kept in {short(found.session_id)}"],
    )


@click.command("tree")
@click.argument("reference", metavar="[SESSION]", default="@last")
@on_store
async def tree(place: Place, *, reference: str) -> Result:
    """Show SESSION among the sessions it was forked from and those that were forked from it."""
    async with place.store() as store:
        header = await place.find(store, reference)
        root = await find_tree(store, (await _root(store, header)).session_id)
    lines, columns = list(_walk(root)), terminal_columns()
    return Result(
        data={
            "session_id": header.session_id,
            "tree": [{"depth": line.depth, "session": msgspec.to_builtins(line.branch.header)} for line in lines],
        },
        lines=[_drawn(line, header.session_id, columns) for line in lines],
    )


async def _root(store: Store, header: SessionHeader) -> SessionHeader:
    """Return the oldest session that this one comes from and that is still there."""
    while header.forked_from is not None:
        parent = await store.find_session(header.forked_from)
        if parent is None:
            break
        header = parent.header
    return header


class _Line(NamedTuple):
    """A session in the tree, how deep it hangs, and the lines that lead to it: before it, and before what is below."""

    branch: Branch
    depth: int = 0
    front: str = ""
    below: str = ""


def _walk(root: Branch) -> Iterator[_Line]:
    """Yield every session of the tree in the order in which it is drawn. Not by recursion: a tree may be very deep."""
    waiting = [_Line(root)]
    while waiting:
        line = waiting.pop()
        yield line
        forks = line.branch.forks
        waiting += [
            _Line(
                fork,
                line.depth + 1,
                line.below + ("└─ " if fork is forks[-1] else "├─ "),
                line.below + ("   " if fork is forks[-1] else "│  "),
            )
            for fork in reversed(forks)
        ]


def _drawn(line: _Line, here: str, columns: int | None) -> str:
    header = line.branch.header
    where = f" at {header.forked_at}" if header.forked_at is not None else ""
    mark = "  ← here" if header.session_id == here else ""
    front, name = f"{line.front}{short(header.session_id)}{where}  ", session_name(header)
    room = max(_LEAST, columns - width(front) - width(mark)) if columns is not None else width(name)
    return f"{front}{fit(name, room)}{mark}"
