"""`sojourn new`: begin a session before anything is said in it."""

import click
import msgspec

from sojourn.cli.frame import Result, on_store
from sojourn.cli.place import Place


@click.command("new")
@click.argument("title", required=False)
@click.option("--name", "-n", metavar="TITLE", help="The title, if it is not given as the argument.")
@click.option("--tag", "tags", metavar="TAG", multiple=True, help="A tag; may be given several times.")
@click.option("--session-id", metavar="ID", help="Its id, instead of one that is made.")
@on_store
async def new(
    place: Place, *, title: str | None, name: str | None, tags: tuple[str, ...], session_id: str | None
) -> Result:
    """Begin a session in this project, and print its id. It is @last from then on."""
    if title is not None and name is not None:
        raise click.UsageError("a session has one title: give TITLE or --name, not both")
    project = await place.project()
    async with place.app(create=True) as app:
        begun = await app.sessions.create(session_id, title=title or name, project=project.id, tags=tags)
        await app.sessions.switch(begun.id, project=project.id)
        header = begun.state.header
    return Result(
        data={"session": msgspec.to_builtins(header)},
        lines=[header.session_id],
        notes=[f"to talk in it: {place.again(header.session_id)}"],
    )
