"""`sojourn fork`, `tree` and `rewind`: other ways that a conversation could go on."""

from collections.abc import Iterator
from typing import Final

import click
import msgspec

from sojourn.cli.columns import fit, terminal_columns, width
from sojourn.cli.frame import Result, on_store
from sojourn.cli.place import Place
from sojourn.cli.references import short
from sojourn.cli.rows import session_name
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
    return Result(
        data={"session_id": header.session_id, "tree": _data(root)}, lines=list(_lines(root, header.session_id))
    )


async def _root(store: Store, header: SessionHeader) -> SessionHeader:
    """Return the oldest session that this one comes from and that is still there."""
    while header.forked_from is not None:
        parent = await store.find_session(header.forked_from)
        if parent is None:
            break
        header = parent.header
    return header


def _data(branch: Branch) -> dict[str, object]:
    return {"session": msgspec.to_builtins(branch.header), "forks": [_data(fork) for fork in branch.forks]}


def _lines(branch: Branch, here: str, front: str = "", below: str = "") -> Iterator[str]:
    header = branch.header
    where = f" at {header.forked_at}" if header.forked_at is not None else ""
    mark = "  ← here" if header.session_id == here else ""
    line, columns = f"{front}{short(header.session_id)}{where}  ", terminal_columns()
    name = session_name(header)
    room = max(_LEAST, columns - width(line) - width(mark)) if columns is not None else width(name)
    yield f"{line}{fit(name, room)}{mark}"
    for fork in branch.forks:
        is_last = fork is branch.forks[-1]
        yield from _lines(fork, here, below + ("└─ " if is_last else "├─ "), below + ("   " if is_last else "│  "))
