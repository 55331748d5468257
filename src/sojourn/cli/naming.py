"""`sojourn rename` and `sojourn tag`: what a session is called, and what it is found by."""

import click
import msgspec

from sojourn.cli.frame import Result, on_store
from sojourn.cli.place import Place
from sojourn.desk.rows import session_name


@click.command("rename")
@click.argument("reference", metavar="SESSION")
@click.argument("title")
@on_store
async def rename(place: Place, *, reference: str, title: str) -> Result:
    """Give SESSION a title. One that you gave is never replaced by a made one."""
    async with place.app() as app:
        found = await place.find(app.store, reference)
        header = await app.sessions.rename(found.session_id, title)
    return Result(
        data={"session": msgspec.to_builtins(header), "before": found.title},
        lines=[session_name(header)],
        notes=[f"it was called {found.title}"] if found.title is not None else [],
    )


@click.command("tag")
@click.argument("reference", metavar="SESSION")
@click.argument("tags", metavar="[TAG]...", nargs=-1)
@click.option("--remove", "removed", metavar="TAG", multiple=True, help="A tag to remove; may be given several times.")
@on_store
async def tag(place: Place, *, reference: str, tags: tuple[str, ...], removed: tuple[str, ...]) -> Result:
    """Add each TAG to SESSION, and print the tags that it has then. Without a TAG they are only printed."""
    async with place.app() as app:
        header = await place.find(app.store, reference)
        if tags or removed:
            header = await app.sessions.tag(header.session_id, add=tags, remove=removed)
    return Result(
        data={"session": msgspec.to_builtins(header)},
        lines=header.tags,
        notes=[] if header.tags else ["it has no tags"],
    )
