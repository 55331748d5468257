"""Where sessions go that are not needed now: the archive, the trash, and, when they are old enough, nowhere."""

import os
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import click
import msgspec

from sojourn.cli.frame import Result, on_store
from sojourn.cli.place import Place
from sojourn.clock import SystemClock
from sojourn.desk.periods import period
from sojourn.desk.references import Among
from sojourn.desk.rows import session_rows
from sojourn.desk.wording import count
from sojourn.model.header import SessionHeader

if TYPE_CHECKING:
    from sojourn.engine.sessions import SessionManager


@click.command("archive")
@click.argument("references", metavar="SESSION...", nargs=-1, required=True)
@on_store
async def archive(place: Place, *, references: tuple[str, ...]) -> Result:
    """Put each SESSION aside. It is kept, found by its name, and listed with ls --archived."""
    return await _move(place, references, lambda sessions, id_: sessions.archive(id_), "archived")


@click.command("unarchive")
@click.argument("references", metavar="SESSION...", nargs=-1, required=True)
@on_store
async def unarchive(place: Place, *, references: tuple[str, ...]) -> Result:
    """Take each SESSION out of the archive."""
    return await _move(place, references, lambda sessions, id_: sessions.unarchive(id_), "taken out of the archive")


@click.command("delete")
@click.argument("references", metavar="SESSION...", nargs=-1, required=True)
@on_store
async def delete(place: Place, *, references: tuple[str, ...]) -> Result:
    """Throw each SESSION into the trash. Nothing is lost: restore takes it out again."""
    moved = "thrown into the trash; sojourn restore takes it out"
    return await _move(place, references, lambda sessions, id_: sessions.delete(id_), moved)


@click.command("restore")
@click.argument("references", metavar="SESSION...", nargs=-1, required=True)
@on_store
async def restore(place: Place, *, references: tuple[str, ...]) -> Result:
    """Take each SESSION out of the trash."""
    return await _move(
        place, references, lambda sessions, id_: sessions.restore(id_), "taken out of the trash", among="trash"
    )


@click.command("prune")
@click.option("--older-than", "age", metavar="AGE", help="Last used, or thrown away, before then: 90d, 12w or 48h.")
@click.option("--yes", "-y", is_flag=True, help="Remove them. Without it they are only listed.")
@on_store
async def prune(place: Place, *, age: str | None, yes: bool) -> Result:
    """List the archived and trashed sessions that are older than AGE; remove them for good with --yes.

    A session is as old as its last use; in the trash it is as old as when it was thrown away. Without AGE the setting
    retention_days counts. What is neither archived nor in the trash is never removed, nor is a session that others were
    forked from.
    """
    days = period(age) / timedelta(days=1) if age is not None else _retention(place)
    async with place.app(retention_days=days) as app:
        found = await app.sessions.prune(dry_run=not yes)
    told = f"{count(len(found), 'session')} removed for good" if yes else "nothing was removed; --yes removes these"
    return Result(
        data={"removed": yes, "sessions": [msgspec.to_builtins(header) for header in found]},
        lines=session_rows(found, SystemClock().now()),
        notes=[told if found else f"no archived or trashed session is older than {age or f'{days:g}d'}"],
    )


def _retention(place: Place) -> float:
    """Return how many days the person keeps what he has put aside."""
    from sojourn.desk.config import load_config  # noqa: PLC0415 - who says it himself does not wait for it

    days = load_config(os.environ, place.folder).config.retention_days
    if days is None:
        raise click.UsageError("say how old: --older-than 90d, or for good: sojourn config set retention_days 90")
    return days


async def _move(
    place: Place,
    references: tuple[str, ...],
    act: "Callable[[SessionManager, str], Awaitable[SessionHeader]]",
    moved: str,
    *,
    among: Among = "kept",
) -> Result:
    """Find every session, then move one after the other."""
    async with place.app() as app:
        found = await place.find_all(app.store, references, among=among)
        headers = [await act(app.sessions, header.session_id) for header in found]
    return Result(
        data={"sessions": [msgspec.to_builtins(header) for header in headers]},
        lines=session_rows(headers, SystemClock().now()),
        notes=[f"{count(len(headers), 'session')} {moved}"],
    )
