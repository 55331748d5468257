"""`sojourn import`: sessions from another Sojourn, from Claude Code and from Codex."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from sojourn.cli.frame import Result, on_store
from sojourn.cli.place import Place
from sojourn.cli.progress import progress
from sojourn.desk.columns import fit, terminal_columns
from sojourn.desk.references import short
from sojourn.desk.visible import safe
from sojourn.desk.wording import count, one_line
from sojourn.engine.project import find_project
from sojourn.errors import AccessError, InvalidInputError, SojournError

if TYPE_CHECKING:  # the table of commands waits for none of it
    from sojourn.desk.importing.finding import Writer
    from sojourn.desk.importing.importer import Imported

_FROM: Final = ("auto", "sojourn", "claude-code", "codex")
_NAMED: Final = 10
_SIGNS: Final = {"added": "+", "grown": "^", "same": "=", "left": "-"}


@click.command("import")
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option(
    "--from",
    "source",
    type=click.Choice(_FROM),
    default="auto",
    show_default=True,
    help="Who wrote the files; by default that is seen by how they begin.",
)
@click.option("--dry-run", is_flag=True, help="Say what would come, and store nothing.")
@click.option(
    "--project", metavar="FOLDER", help="Put other programs' sessions into this project, not into that of their folder."
)
@click.option("--new-ids", is_flag=True, help="Give exported sessions other ids, to have them beside those here.")
@on_store
async def import_(
    place: Place, *, paths: tuple[str, ...], source: str, dry_run: bool, project: str | None, new_ids: bool
) -> Result:
    """Take in the sessions in each PATH, a file or a folder: exports of Sojourn, of Claude Code and of Codex.

    What is here already does not come twice, and what has grown adds the rest. Without a PATH, --from claude-code and
    --from codex look where these programs keep their sessions.
    """
    from sojourn.desk.importing.bundles import BundleKeeper  # noqa: PLC0415
    from sojourn.desk.importing.finding import find_files  # noqa: PLC0415
    from sojourn.desk.importing.importer import import_files  # noqa: PLC0415
    from sojourn.desk.importing.keeping import TalkKeeper  # noqa: PLC0415

    named = _named(paths, source)
    files = await asyncio.to_thread(find_files, named)
    projects = _Projects(await asyncio.to_thread(_chosen_project, project))
    async with place.app(create=not dry_run) as app:
        talks = TalkKeeper(app.store, now=app.clock.now(), project_of=projects, dry_run=dry_run)
        bundles = BundleKeeper(app.store, dry_run=dry_run, new_ids=new_ids)
        with progress("importing", total=len(files)) as bar:
            done = await import_files(
                files,
                writer=None if source == "auto" else _writer(source),
                talks=talks,
                bundles=bundles,
                on_file=bar.advance,
            )
    return Result(
        data=_data(done, dry_run=dry_run),
        lines=list(_lines(done)),
        notes=list(_notes(done, named, dry_run=dry_run)),
        trouble=_trouble(done),
    )


def _named(paths: tuple[str, ...], source: str) -> list[Path]:
    from sojourn.desk.importing.finding import HOMES  # noqa: PLC0415

    if paths:
        return [Path(path).expanduser() for path in paths]
    if source not in HOMES:
        raise click.UsageError("name a file or a folder, or say --from claude-code or --from codex")
    return [HOMES[_writer(source)].expanduser()]


def _writer(source: str) -> "Writer":
    match source:
        case "claude-code" | "codex" | "sojourn":
            return source
    raise InvalidInputError(f"nobody is called {source!r:.50}")


def _chosen_project(named: str | None) -> str | None:
    if named is None:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        raise AccessError(f"{folder} is no folder; a project is named by its folder")
    return find_project(folder).id


class _Projects:
    """Says which project a folder belongs to, and looks at each folder once. Lives for one import."""

    def __init__(self, chosen: str | None) -> None:
        self._chosen = chosen
        self._known: dict[str, str | None] = {}

    async def __call__(self, folder: str | None) -> str | None:
        if self._chosen is not None or folder is None:
            return self._chosen
        if folder not in self._known:
            self._known[folder] = await asyncio.to_thread(self._look, folder)
        return self._known[folder]

    @staticmethod
    def _look(folder: str) -> str | None:
        try:
            return find_project(Path(folder)).id
        except (OSError, ValueError, SojournError):  # a folder of another machine, or none that can be
            return None


def _data(done: "Imported", *, dry_run: bool) -> dict[str, Any]:
    return {
        "stored": not dry_run,
        "sessions": [
            {
                "session_id": one.session_id,
                "action": one.action,
                "messages": one.messages,
                "title": one.title,
                **({"reason": one.reason} if one.reason else {}),
            }
            for one in done.kept
        ],
        "messages": done.messages(),
        "not_understood": done.not_understood,
        "failed": [{"path": str(one.path), "message": str(one.error)} for one in done.failed],
        "unknown_files": [str(path) for path in done.strange],
    }


def _lines(done: "Imported") -> Iterator[str]:
    columns = terminal_columns()
    for one in done.kept:
        if one.action == "same" or not (one.messages or one.action == "left"):
            continue
        title = one_line(one.title or "no title", 60)
        told = f"{title}: {one.reason}" if one.action == "left" else f"{count(one.messages, 'message')}  {title}"
        line = safe(f"{_SIGNS[one.action]} {short(one.session_id)}  {told}")
        yield line if columns is None or one.action == "left" else fit(line, columns)


def _notes(done: "Imported", named: list[Path], *, dry_run: bool) -> Iterator[str]:
    for failed in done.failed[:_NAMED]:
        yield f"{failed.path}: {failed.error}"
    if len(done.failed) > _NAMED:
        yield f"and {count(len(done.failed) - _NAMED, 'more file')} that could not be imported"
    for path in done.strange:
        if path in named:
            yield f"{path}: no sessions that are known here"
    others = sum(path not in named for path in done.strange)
    if others:
        yield f"{count(others, 'file')} without sessions left alone"
    came = [one for one in done.kept if one.action in {"added", "grown"}]
    parts = [count(len(came), "session"), count(done.messages(), "message")]
    same = sum(one.action == "same" for one in done.kept)
    parts += [f"{count(same, 'session')} here already"] if same else []
    parts += [f"{count(done.not_understood, 'line')} not understood"] if done.not_understood else []
    yield f"{', '.join(parts)}{'; nothing was stored' if dry_run else ''}"


def _trouble(done: "Imported") -> SojournError | None:
    if done.failed:
        return done.failed[0].error
    if not done.kept:
        return InvalidInputError("no session was found there")
    return None
