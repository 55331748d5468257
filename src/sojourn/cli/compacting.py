"""`sojourn compact`: let a summary stand for the older messages of a session, see first what would go, or undo it."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click
import msgspec

from sojourn.cli.evidence import entry_line
from sojourn.cli.frame import Result, on_store
from sojourn.cli.output import Dim
from sojourn.cli.place import Place
from sojourn.cli.progress import progress
from sojourn.cli.subject import changing
from sojourn.desk.wording import count
from sojourn.errors import ModelError

if TYPE_CHECKING:  # whoever asks for help does not wait for the engine
    from sojourn.context.compaction.summariser import Summariser
    from sojourn.engine.compacting import ContextCompactor
    from sojourn.engine.compaction import CompactionSettings, Proposal
    from sojourn.engine.session import Session

_SHOWN: Final = 20
"""Messages that are shown one by one."""
_UNDO: Final = "every message is kept; sojourn compact --undo takes the summary back"


@click.command("compact")
@click.argument("reference", metavar="[SESSION]", default="@last")
@click.option("--keep", metavar="N", type=click.IntRange(1, 10_000), help="Messages that stay as they are; 20.")
@click.option("--focus", metavar="TEXT", default="", help="What matters most, and must be in the summary.")
@click.option(
    "--model", "-m", metavar="NAME", help="Let this model write it; without one it is made of the talk's own sentences."
)
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@click.option("--undo", is_flag=True, help="Take the latest summary back: its messages are shown to models again.")
@on_store
async def compact(
    place: Place, *, reference: str, keep: int | None, focus: str, model: str | None, dry_run: bool, undo: bool
) -> Result:
    """Let a summary stand for the older messages of SESSION when a model is asked.

    Nothing is removed: show, search and export have every message as before, and --undo takes the summary back.
    """
    if undo and (dry_run or focus or keep is not None or model is not None):
        raise click.UsageError("--undo takes the latest summary back as it was: leave the other options out")
    async with changing(place, reference) as (app, session), _summariser(session, model, focus) as summariser:
        failures: list[Exception] = []
        compactor = app.compactor(
            session,
            settings=_settings(keep),
            summariser=summariser,
            on_failure=lambda _, error: failures.append(error),
        )
        if undo:
            return await _undone(session, compactor)
        proposal = _kept_to(await compactor.propose(force=True), keep)
        if dry_run or proposal.reason:
            lines = [] if proposal.reason else await _lines(session, proposal)
            return Result(
                data={"session_id": session.id, "compacted": False, "proposal": msgspec.to_builtins(proposal)},
                lines=lines,
                notes=[f"nothing was compacted: {proposal.reason}"] if proposal.reason else [_planned(proposal)],
            )
        result = await _done(session, compactor, proposal, by_model=model is not None)
    told = str(result.trouble or "")
    return replace(result, notes=[*result.notes, *[str(error) for error in failures if str(error) not in told]])


async def _done(session: "Session", compactor: "ContextCompactor", proposal: "Proposal", *, by_model: bool) -> Result:
    with progress(f"summarising {count(len(proposal.old), 'message')}"):
        done = await compactor.compact(force=True)
    data = {"session_id": session.id, "proposal": msgspec.to_builtins(proposal), **msgspec.to_builtins(done)}
    if not done.compacted:
        told = f"nothing was compacted: {done.reason}"
        return Result(data=data, trouble=ModelError(told)) if by_model else Result(data=data, notes=[told])
    told = (
        f"a summary stands for {count(len(proposal.old), 'message')} now: {done.tokens_before:,} tokens became"
        f" {done.tokens_after:,}"
    )
    return Result(data=data, lines=done.summary.splitlines(), notes=[told, _UNDO])


async def _undone(session: "Session", compactor: "ContextCompactor") -> Result:
    done = await compactor.undo()
    told = f"the summary was taken back: {done.tokens_before:,} tokens became {done.tokens_after:,}"
    return Result(data={"session_id": session.id, **msgspec.to_builtins(done)}, notes=[told])


def _kept_to(proposal: "Proposal", keep: int | None) -> "Proposal":
    """Return *proposal*; with a reason against it, if all the messages that there are were asked to stay."""
    messages = len(proposal.old) + len(proposal.kept)
    if proposal.reason or keep is None or messages > keep:
        return proposal
    told = f"--keep {keep} leaves {count(messages, 'message')} as they are, and there are no more"
    return msgspec.structs.replace(
        proposal,
        old=(),
        old_tokens=0,
        kept=(*proposal.old, *proposal.kept),
        kept_tokens=proposal.old_tokens + proposal.kept_tokens,
        reason=told,
    )


def _settings(keep: int | None) -> "CompactionSettings":
    from sojourn.engine.compaction import CompactionSettings  # noqa: PLC0415

    return CompactionSettings() if keep is None else CompactionSettings(keep=keep)


@asynccontextmanager
async def _summariser(session: "Session", model: str | None, focus: str) -> AsyncIterator["Summariser"]:
    """Open who writes the summary."""
    from sojourn.context.compaction.extractive import ExtractiveSummariser  # noqa: PLC0415
    from sojourn.context.compaction.written_by_model import ModelSummariser  # noqa: PLC0415
    from sojourn.providers.choosing import choose  # noqa: PLC0415
    from sojourn.providers.structured import StructuredByProvider  # noqa: PLC0415

    if model is None:
        yield ExtractiveSummariser(focus=focus)
        return
    choice = choose(model, environment=os.environ)
    provider = choice.open()
    try:
        yield ModelSummariser(
            StructuredByProvider(provider),
            price=lambda usage: session.models.priced(usage).cost_micros if choice.costs else 0,
            focus=focus,
        )
    finally:
        await provider.close()


def _planned(proposal: "Proposal") -> str:
    return (
        f"a summary of at most {proposal.summary_tokens:,} tokens would stand for {count(len(proposal.old), 'message')}"
        f" of {proposal.old_tokens:,}; {count(len(proposal.kept), 'message')} of {proposal.kept_tokens:,} would stay"
    )


async def _lines(session: "Session", proposal: "Proposal") -> list[str]:
    """Return the messages that a summary would stand for, the newest of them last."""
    shown = proposal.old[-_SHOWN:]
    entries = await session.store.last_messages(session.id, len(shown), before=shown[-1] + 1)
    hidden = len(proposal.old) - len(shown)
    lines: list[str] = [Dim(f"{count(hidden, 'earlier message')}, and")] if hidden else []
    return [*lines, *map(entry_line, entries)]
