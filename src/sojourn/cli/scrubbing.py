"""`sojourn scrub`: find keys and passwords in what is stored, and take them out for good."""

from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

import click

from sojourn.cli.frame import Result, on_store
from sojourn.cli.output import Strong, write_lines
from sojourn.cli.place import Place
from sojourn.cli.progress import progress
from sojourn.cli.prompting import agrees, can_ask
from sojourn.desk.references import short
from sojourn.desk.rows import session_name
from sojourn.desk.wording import count
from sojourn.store.protocol import Store

if TYPE_CHECKING:  # whoever asks for help does not wait for the engine
    from sojourn.engine.app import Sojourn
    from sojourn.engine.scrubbing import Finding, Scrubbing
    from sojourn.engine.secret_finder import SecretFinder

_ENTRIES: Final = 12
"""Entries of a kind that are named one by one."""
_HINTS: Final = 5


@click.command("scrub")
@click.argument("references", metavar="[SESSION]...", nargs=-1)
@click.option("--all", "-a", "everything", is_flag=True, help="In every session, archived and thrown away ones too.")
@click.option("--pattern", "patterns", metavar="REGEX", multiple=True, help="Find this, too; its first group, if any.")
@click.option("--dry-run", is_flag=True, help="Only show what there is, and ask nothing.")
@click.option("--yes", "-y", is_flag=True, help="Take them out. Without it you are asked, or shown what there is.")
@on_store
async def scrub(
    place: Place, *, references: tuple[str, ...], everything: bool, patterns: tuple[str, ...], dry_run: bool, yes: bool
) -> Result:
    """Find secrets in each SESSION, by default in the one used last, and in the forks that share entries with it.

    With --yes each is replaced by [redacted:kind] for good, also in the search index and in logs; the rest of what was
    said stays. A secret is never shown: only its kind, where it is, and its first letters.
    """
    if everything and references:
        raise click.UsageError("name sessions, or give --all, not both")
    if dry_run and yes:
        raise click.UsageError("--dry-run only shows, and --yes does it: give one of them")
    from sojourn.engine.scrubbing import Scrubbing, find_scope  # noqa: PLC0415
    from sojourn.engine.secret_finder import SecretFinder, compile_patterns  # noqa: PLC0415

    finder = SecretFinder(compile_patterns(patterns))
    async with place.app() as app:
        named = None if everything else await place.find_all(app.store, references or ("@last",))
        scope = await find_scope(app.store, None if named is None else [header.session_id for header in named])
        with progress("looking", total=2 * scope.entries) as bar:
            work = Scrubbing(app.store, scope, finder)
            found = tuple((await work.look(bar.advance)).findings)
        lines = [line async for line in _lines(app.store, found, finder)]
        does_it = bool(found) and not dry_run and _confirmed(lines, found, yes=yes)
        if does_it:
            await _take_out(app, work, scope.entries)
    was_shown = bool(found) and not dry_run and not yes and can_ask()
    return Result(
        data=_data(found, work, scrubbed=does_it),
        lines=[] if was_shown else lines,
        notes=_notes(found, work, scrubbed=does_it),
        trouble=next(iter(work.done.damaged.values()), None),
    )


def _confirmed(lines: list[str], found: "Sequence[Finding]", *, yes: bool) -> bool:
    if yes or not can_ask():
        return yes
    write_lines(lines)
    return agrees(f"take {count(len(found), 'secret')} out for good?")


async def _take_out(app: "Sojourn", work: "Scrubbing", entries: int) -> None:
    from sojourn.agent.logs.projection import let_logs_forget  # noqa: PLC0415

    let_logs_forget(app)
    with progress("scrubbing", total=entries) as bar:
        async for session_id, payloads in work.rewrites(bar.advance):
            await app.rewrite(session_id, payloads)


async def _lines(store: Store, found: "Sequence[Finding]", finder: "SecretFinder") -> AsyncIterator[str]:
    for session_id, inside in groupby(found, key=lambda one: one.session_id):
        header = (await store.get_session(session_id)).header
        yield Strong(f"{short(session_id)}  {finder.text(session_name(header))}")
        for line in _kinds(list(inside)):
            yield line


def _kinds(found: "list[Finding]") -> Iterator[str]:
    """Yield a line for each kind: how many, how they begin, and at which entries."""
    for kind in dict.fromkeys(one.kind for one in found):
        these = [one for one in found if one.kind == kind]
        seqs = list(dict.fromkeys(one.seq for one in these))
        named = ", ".join(map(str, seqs[:_ENTRIES])) + (f" and {len(seqs) - _ENTRIES} more" if seqs[_ENTRIES:] else "")
        hints = list(dict.fromkeys(one.hint for one in these))[:_HINTS]
        where = "entry" if len(seqs) == 1 else "entries"
        yield f"  {len(these):,} {kind.replace('_', ' ')}  {' '.join(hints)}  {where} {named}"


def _data(found: "Sequence[Finding]", work: "Scrubbing", *, scrubbed: bool) -> dict[str, Any]:
    return {
        "scrubbed": scrubbed,
        "found": [{"session_id": one.session_id, "seq": one.seq, "kind": one.kind, "hint": one.hint} for one in found],
        "rewritten": work.done.rewritten,
        "damaged": list(work.done.damaged),
    }


def _notes(found: "Sequence[Finding]", work: "Scrubbing", *, scrubbed: bool) -> list[str]:
    if not found:
        return [f"no secrets were found{' in what can be read' if work.done.damaged else ''}"]
    sessions = count(len({one.session_id for one in found}), "session")
    if not scrubbed:
        return [f"{count(len(found), 'secret')} in {sessions}; nothing was changed; --yes takes them out"]
    entries = work.done.rewritten
    where = f"{entries:,} {'entry' if entries == 1 else 'entries'} of {sessions}"
    told = f"{count(len(found), 'secret')} taken out of {where}"
    return [told, "whoever saw them may have kept them: replace keys and passwords that were real"]
