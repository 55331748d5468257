"""`sojourn fork`, `tree` and `rewind`: other ways that a conversation could go on."""

import click
import msgspec

from sojourn.cli.frame import Result, on_store
from sojourn.cli.place import Place
from sojourn.desk.columns import terminal_columns
from sojourn.desk.references import short
from sojourn.desk.rows import session_name
from sojourn.desk.tree import drawn, find_whole_tree
from sojourn.engine.inputs import MAX_NAME, check_text


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
        notes=[
            f"shares entries 1 to {header.forked_at} with {session_name(found)}",
            f"to go on: {place.again(header.session_id)}",
        ],
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
        notes=[
            f"went back to entry {at}; what came after it is kept in {short(found.session_id)}",
            f"to go on: {place.again(header.session_id)}",
        ],
    )


@click.command("tree")
@click.argument("reference", metavar="[SESSION]", default="@last")
@on_store
async def tree(place: Place, *, reference: str) -> Result:
    """Show SESSION among the sessions it was forked from and those that were forked from it."""
    async with place.store() as store:
        header = await place.find(store, reference)
        lines = await find_whole_tree(store, header)
    columns = terminal_columns()
    return Result(
        data={
            "session_id": header.session_id,
            "tree": [{"depth": line.depth, "session": msgspec.to_builtins(line.branch.header)} for line in lines],
        },
        lines=[drawn(line, header.session_id, columns) for line in lines],
    )
