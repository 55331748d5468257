"""`sojourn export`: sessions as files that people, programs and other Sojourns read."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from sojourn.cli.frame import Result, on_store
from sojourn.cli.output import write_piece
from sojourn.cli.place import Place
from sojourn.cli.progress import progress
from sojourn.cli.transcript import TOOLS, Tools
from sojourn.clock import SystemClock
from sojourn.desk.exporting.forms import FORMS, FormName, file_name, write_file
from sojourn.desk.exporting.redaction import Redactor
from sojourn.desk.exporting.source import Source
from sojourn.desk.visible import escaped
from sojourn.desk.wording import count
from sojourn.errors import AccessError, AlreadyExistsError
from sojourn.model.header import SessionHeader
from sojourn.store.all_sessions import all_sessions
from sojourn.store.protocol import SessionQuery, Store


@click.command("export")
@click.argument("references", metavar="[SESSION]...", nargs=-1)
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(tuple(FORMS)),
    default="md",
    show_default=True,
    help="Markdown, a web page, all of it (json, jsonl), or the messages as an API takes them.",
)
@click.option("-o", "--output", metavar="PATH", help="The file to write, or the folder; without it, stdout.")
@click.option("--redact/--no-redact", default=True, help="Leave secrets out, as is usual, or let them in.")
@click.option("--tools", type=click.Choice(TOOLS), help="What of tool calls to show, in md and html: all, by default.")
@click.option("--all", "-a", "everything", is_flag=True, help="Every session of every project, archived ones too.")
@click.option("--force", is_flag=True, help="Replace files that are there.")
@on_store
async def export(
    place: Place,
    *,
    references: tuple[str, ...],
    form: FormName,
    output: str | None,
    redact: bool,
    tools: Tools | None,
    everything: bool,
    force: bool,
) -> Result:
    """Write each SESSION, by default the one used last, as a file that others can read.

    json is the whole session, to the letter: sojourn import takes it in elsewhere. Several sessions go into a folder.
    Keys, passwords and tokens are left out unless you say --no-redact; nothing is sent anywhere.
    """
    output = None if output == "-" else output
    _check(form, output, tools, everything=everything, references=references)
    async with place.store() as store:
        headers = await _chosen(place, store, references, everything=everything)
        redactor = Redactor(active=redact)
        sources = [
            Source(store=store, header=header, saved_at=SystemClock().now(), redactor=redactor, tools=tools or "full")
            for header in headers
        ]
        if output is None:
            return await _print(sources, form, redactor)
        paths = await asyncio.to_thread(_paths, output, headers, form, many=everything or len(headers) > 1)
        await asyncio.to_thread(_refuse_taken, paths, force=force)
        with progress("exporting", total=sum(header.head for header in headers)) as bar:
            for source, path in zip(sources, paths, strict=True):
                await write_file(replace(source, read=bar.advance), form, path, replace=force)
    files = [_file(header, path, form) for header, path in zip(headers, paths, strict=True)]
    return Result(
        data={"files": files, "redacted": dict(redactor.found)},
        lines=[str(path) for path in paths],
        notes=[*_redacted(redactor), *([] if paths else ["there are no sessions to export"])],
    )


def _check(
    form: FormName, output: str | None, tools: Tools | None, *, everything: bool, references: tuple[str, ...]
) -> None:
    if everything and references:
        raise click.UsageError("name sessions, or give --all, not both")
    if tools is not None and not FORMS[form].has_tools:
        raise click.UsageError(f"--tools is for md and html; {form} holds everything")
    if output is None and (everything or len(references) > 1):
        raise click.UsageError("several sessions go into a folder: name it with -o")
    if output is None and click.get_current_context().params["as_json"]:
        raise click.UsageError("--json tells of the files that were written: name one with -o")
    if output is not None and not output.strip():
        raise click.UsageError("-o names no file")


async def _chosen(
    place: Place, store: Store, references: tuple[str, ...], *, everything: bool
) -> tuple[SessionHeader, ...]:
    if not everything:
        return await place.find_all(store, references or ("@last",))
    return tuple([row.header async for row in all_sessions(store, SessionQuery(archived=None))])


async def _print(sources: Iterable[Source], form: FormName, redactor: Redactor) -> Result:
    # JSON means the same with escapes, and a terminal may be at the end of a pipe, too.
    shown = str if FORMS[form].has_tools else escaped
    for source in sources:
        async for piece in FORMS[form].write(source):
            write_piece(shown(piece))
    return Result(data=None, notes=_redacted(redactor))


def _paths(output: str, headers: tuple[SessionHeader, ...], form: FormName, *, many: bool) -> list[Path]:
    """Return where each session goes: into the file that was named, or into the folder, which is made if need be."""
    target = Path(output).expanduser()
    try:
        if not (many or output.endswith("/") or target.is_dir()):
            return [target]
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AccessError(f"{target}: {error.strerror or error}") from error
    names: dict[str, int] = {}
    paths = []
    for header in headers:
        name = file_name(header, form)
        names[name] = names.get(name, 0) + 1
        stem, dot, suffix = name.partition(".")
        paths.append(target / (name if names[name] == 1 else f"{stem}-{names[name]}{dot}{suffix}"))
    return paths


def _refuse_taken(paths: list[Path], *, force: bool) -> None:
    taken = [] if force else [path for path in paths if path.exists() or path.is_symlink()]
    if taken:
        more = f" and {len(taken) - 1} more" if len(taken) > 1 else ""
        error = AlreadyExistsError(f"{taken[0]}{more}")
        error.add_note("--force replaces what is there")
        raise error


def _file(header: SessionHeader, path: Path, form: FormName) -> dict[str, Any]:
    return {
        "path": str(path),
        "session_id": header.session_id,
        "format": form,
        "messages": header.message_count,
        "entries": header.head,
    }


def _redacted(redactor: Redactor) -> list[str]:
    if not redactor.found:
        return []
    kinds = ", ".join(f"{number} {kind.replace('_', ' ')}" for kind, number in sorted(redactor.found.items()))
    return [f"{count(redactor.found.total(), 'secret')} left out: {kinds}; --no-redact lets them in"]
