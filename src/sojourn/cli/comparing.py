"""`sojourn diff` and `sojourn merge`: what two branches hold differently, and bringing one home."""

from collections.abc import Iterator
from typing import Any, Final, get_args

import click
import msgspec

from sojourn.cli.frame import Result, on_store
from sojourn.cli.output import Dim, Strong
from sojourn.cli.place import Place
from sojourn.cli.transcript import message_data, message_of
from sojourn.desk.rows import session_name
from sojourn.desk.wording import count, one_line
from sojourn.engine.branches import Comparison
from sojourn.engine.merge import MergeResult, Strategy
from sojourn.errors import ConflictError
from sojourn.model.header import SessionHeader
from sojourn.store.protocol import Store

_SHOWN: Final = 20
"""Messages of each side that are shown."""


@click.command("diff")
@click.argument("ours", metavar="SESSION")
@click.argument("theirs", metavar="OTHER")
@on_store
async def diff(place: Place, *, ours: str, theirs: str) -> Result:
    """Say where SESSION and OTHER part, what was said last in each since, and what they hold differently."""
    async with place.app() as app:
        here, there = await place.find(app.store, ours), await place.find(app.store, theirs)
        compared = await app.sessions.compare(here.session_id, there.session_id)
        said = [await _said_since(app.store, header, compared.common.seq) for header in (here, there)]
    data = {
        "common": {"session_id": compared.common.session_id, "seq": compared.common.seq},
        "ours": {"session": msgspec.to_builtins(here), "entries": compared.our_entries, "messages": said[0]},
        "theirs": {"session": msgspec.to_builtins(there), "entries": compared.their_entries, "messages": said[1]},
        "differences": msgspec.to_builtins(compared.differences),
    }
    return Result(data=data, lines=list(_lines(here, there, compared, said)))


@click.command("merge")
@click.argument("ours", metavar="SESSION")
@click.argument("theirs", metavar="BRANCH")
@click.option(
    "--strategy",
    type=click.Choice(get_args(Strategy)),
    default="ask",
    show_default=True,
    help="Which side decides what both have changed; ask changes nothing if there is such a thing.",
)
@on_store
async def merge(place: Place, *, ours: str, theirs: str, strategy: Strategy) -> Result:
    """Bring home to SESSION what BRANCH has learned since they parted.

    Facts, decisions, tasks, variables and the like come home. Messages stay where they were said.
    """
    async with place.app() as app:
        here, there = await place.find(app.store, ours), await place.find(app.store, theirs)
        merged = await app.sessions.merge(here.session_id, there.session_id, strategy=strategy)
    return Result(
        data=msgspec.to_builtins(merged),
        lines=list(_merge_lines(merged)),
        notes=[f"merged into {session_name(here)}" if merged.merged else "nothing was changed"],
        trouble=None if merged.merged else _unresolved(merged),
    )


def _unresolved(merged: MergeResult) -> ConflictError:
    changed = count(len(merged.conflicts), "thing")
    return ConflictError(f"{changed} changed on both sides: say with --strategy which side decides")


async def _said_since(store: Store, header: SessionHeader, seq: int) -> list[dict[str, Any]]:
    entries = await store.last_messages(header.session_id, _SHOWN)
    found = [(entry, message_of(entry)) for entry in entries if entry.seq > seq]
    said = [message_data(entry, message, "names") for entry, message in found if message is not None]
    return [data for data in said if data is not None]


def _lines(
    here: SessionHeader, there: SessionHeader, compared: Comparison, said: list[list[dict[str, Any]]]
) -> Iterator[str]:
    yield f"they share entries 1 to {compared.common.seq}"
    for sign, header, messages, entries in (
        ("-", here, said[0], compared.our_entries),
        ("+", there, said[1], compared.their_entries),
    ):
        yield ""
        yield Strong(f"{sign} {session_name(header)}: {entries} entries since")
        for message in messages:
            yield f"{sign} [{message['seq']}] {message['role']}: {one_line(message.get('text', ''))}"
    for difference in compared.differences:
        yield ""
        yield Dim(one_line(f"{difference.component}: {difference.name}"))
        for sign, value in (("-", difference.ours), ("+", difference.theirs)):
            if value is not None:
                yield f"{sign} {_value(value)}"


def _merge_lines(merged: MergeResult) -> Iterator[str]:
    for component, name in merged.brought:
        yield f"+ {component}: {one_line(name)}"
    for conflict in merged.conflicts:
        yield f"! {conflict.component}: {one_line(conflict.name)}"
        yield f"  ours    {_value(conflict.ours)}"
        yield f"  theirs  {_value(conflict.theirs)}"


def _value(value: Any) -> str:
    return one_line(value if isinstance(value, str) else msgspec.json.encode(value).decode())
