"""`sojourn show`: what was said in a session. Reading changes nothing."""

from collections import deque
from collections.abc import AsyncIterator, Sequence
from typing import Final, NamedTuple

import click
import msgspec

from sojourn.cli.frame import Result, on_store
from sojourn.cli.output import Dim, Strong
from sojourn.cli.place import Place
from sojourn.cli.transcript import TOOLS, Tools, message_data, message_lines, message_of
from sojourn.desk.rows import session_name
from sojourn.desk.wording import count, money
from sojourn.errors import CorruptError
from sojourn.model.entry import Entry
from sojourn.model.header import SessionHeader
from sojourn.model.message import Message
from sojourn.store.protocol import MAX_PAGE, SessionRow, Store

_PAGE: Final = 500
_LAST: Final = 50
"""Messages that are shown if nothing else is said."""


@click.command("show")
@click.argument("reference", metavar="[SESSION]", default="@last")
@click.option(
    "--tools",
    type=click.Choice(TOOLS),
    default="names",
    show_default=True,
    help="What of tool calls to show: nothing, which tools, or all.",
)
@click.option(
    "--last", metavar="N", type=click.IntRange(1, MAX_PAGE), help="The last N messages (50, unless you say otherwise)."
)
@click.option("--from", "first", metavar="SEQ", type=click.IntRange(1), help="From this entry on.")
@click.option("--all", "whole", is_flag=True, help="All that was said.")
@on_store
async def show(
    place: Place, *, reference: str, tools: Tools, last: int | None, first: int | None, whole: bool
) -> Result:
    """Show the messages of SESSION, by default of the one used last, the oldest first.

    The number before each is its entry in the journal: fork --at and rewind --to take it. Of a damaged session, what
    was said before the damage is shown.
    """
    if sum(given is not None for given in (last, first, whole or None)) > 1:
        raise click.UsageError("give one of --last, --from and --all")
    async with place.store() as store:
        header = await place.find(store, reference)
        row = await store.get_session(header.session_id)
        found = await _found(store, row, last=None if first or whole else last or _LAST, first=first or 1)
    said = [(entry, message) for entry in found.entries if (message := message_of(entry)) is not None]
    messages = [data for entry, message in said if (data := message_data(entry, message, tools)) is not None]
    notes = [f"{count(found.earlier, 'earlier message')}; --all shows them"] if found.earlier > 0 else []
    if found.damage is not None:
        notes.append("what was said before the damage is shown")
    return Result(
        data={"session": msgspec.to_builtins(header), "messages": messages, "earlier": found.earlier},
        lines=_lines(header, said, tools),
        notes=notes,
        trouble=found.damage,
    )


class _Found(NamedTuple):
    """Messages, how many there are before them that were not asked for, and what was in the way of more."""

    entries: Sequence[Entry]
    earlier: int = 0
    damage: CorruptError | None = None


async def _found(store: Store, row: SessionRow, *, last: int | None, first: int) -> _Found:
    """Return the *last* messages, or those from entry *first* on: of a damaged session, those before the damage."""
    header = row.header
    if last is not None and row.quarantined is None:
        try:
            entries = await store.last_messages(header.session_id, last)
        except CorruptError:
            pass  # it is read from its beginning, as far as that goes
        else:
            return _Found(entries, header.message_count - len(entries))
    kept: deque[Entry] = deque(maxlen=last)
    number = 0
    try:
        async for entry in _messages_from(store, header, first):
            kept.append(entry)
            number += 1
    except CorruptError as error:
        return _Found(kept, number - len(kept), error)
    damage = None if row.quarantined is None else CorruptError(f"session={header.session_id}: {row.quarantined}")
    return _Found(kept, number - len(kept), damage)


def _lines(header: SessionHeader, said: list[tuple[Entry, Message]], tools: Tools) -> list[str]:
    facts = [count(header.message_count, "message"), f"{header.total_tokens:,} tokens", money(header.cost_micros)]
    lines: list[str] = [Strong(session_name(header)), Dim(f"{header.session_id} · {' · '.join(facts)}")]
    for entry, message in said:
        shown = list(message_lines(entry, message, tools))
        lines += ["", *shown] if shown else []
    return lines


async def _messages_from(store: Store, header: SessionHeader, first: int) -> AsyncIterator[Entry]:
    """Yield the entries from *first* on that are messages, page by page, and near damage one by one.

    Raises:
        CorruptError: an entry is damaged; those before it were given.
    """
    after, limit = first - 1, _PAGE
    while True:
        try:
            entries = await store.read(header.session_id, after=after, limit=limit)
        except CorruptError:
            if limit == 1:
                raise
            limit = 1
            continue
        if not entries:
            return
        for entry in entries:
            if message_of(entry) is not None:
                yield entry
        after = entries[-1].seq
