"""`sojourn show`: what was said in a session. Reading changes nothing."""

from collections.abc import AsyncIterator
from typing import Final

import click
import msgspec

from sojourn.cli.frame import Result, on_store
from sojourn.cli.output import Dim, Strong
from sojourn.cli.place import Place
from sojourn.cli.transcript import TOOLS, Tools, message_data, message_lines, message_of
from sojourn.desk.rows import session_name
from sojourn.desk.wording import count, money
from sojourn.model.entry import Entry
from sojourn.model.header import SessionHeader
from sojourn.model.message import Message
from sojourn.store.protocol import MAX_PAGE, Store

_PAGE: Final = 500


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

    The number before each is its entry in the journal: fork --at and rewind --to take it.
    """
    if sum(given is not None for given in (last, first, whole or None)) > 1:
        raise click.UsageError("give one of --last, --from and --all")
    async with place.store() as store:
        header = await place.find(store, reference)
        if first is None and not whole:
            entries = await store.last_messages(header.session_id, last or 50)
        else:
            entries = [entry async for entry in _messages_from(store, header, first or 1)]
    said = [(entry, message) for entry in entries if (message := message_of(entry)) is not None]
    earlier = header.message_count - len(said) if first is None else 0
    messages = [data for entry, message in said if (data := message_data(entry, message, tools)) is not None]
    return Result(
        data={"session": msgspec.to_builtins(header), "messages": messages, "earlier": earlier},
        lines=_lines(header, said, tools),
        notes=[f"{count(earlier, 'earlier message')}; --all shows them"] if earlier > 0 else [],
    )


def _lines(header: SessionHeader, said: list[tuple[Entry, Message]], tools: Tools) -> list[str]:
    facts = [count(header.message_count, "message"), f"{header.total_tokens:,} tokens", money(header.cost_micros)]
    lines: list[str] = [Strong(session_name(header)), Dim(f"{header.session_id} · {' · '.join(facts)}")]
    for entry, message in said:
        shown = list(message_lines(entry, message, tools))
        lines += ["", *shown] if shown else []
    return lines


async def _messages_from(store: Store, header: SessionHeader, first: int) -> AsyncIterator[Entry]:
    """Yield the entries from *first* on that are messages, page by page."""
    after = first - 1
    while entries := await store.read(header.session_id, after=after, limit=_PAGE):
        for entry in entries:
            if message_of(entry) is not None:
                yield entry
        after = entries[-1].seq
