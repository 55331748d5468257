"""`sojourn context`: what a model would see next, part by part, with what it costs and why it is there."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast, get_args

import anyio.to_thread
import click
import msgspec

from sojourn.cli.context_view import Beside, Seen, account, breakdown_lines, item_lines, part_data
from sojourn.cli.frame import Result, on_store
from sojourn.cli.place import Place
from sojourn.cli.subject import changing, settled
from sojourn.desk.visible import escaped
from sojourn.errors import NotFoundError
from sojourn.model.events import UsageRecorded
from sojourn.providers.payloads import Form
from sojourn.store.protocol import Order, Store

if TYPE_CHECKING:  # whoever asks for help does not wait for the engine
    from sojourn.engine.session import Session

_ROOMY: Final = 16_000
"""Tokens that a model must take for a chat to tell it of tools and how to work."""
_LOOKED_AT: Final = 500
"""Entries at the end of a session in which the last call of a model is looked for."""


@click.command("context")
@click.argument("reference", metavar="[SESSION]", default="@last")
@click.argument("question", metavar="[QUESTION]", default="")
@click.option("--model", "-m", metavar="NAME", help="As this model counts and takes it; the one that answered last.")
@click.option("--budget", metavar="N", type=click.IntRange(1), help="Tokens that it may cost; what fits the model.")
@click.option("--payload", "form", type=click.Choice(get_args(Form)), help="Print it as this API takes it.")
@click.option("--why", "item", metavar="ITEM", help="All about one part, or the entry with this number.")
@click.option("--bare", is_flag=True, help="Without the instructions and tools that sojourn chat adds.")
@on_store
async def context(
    place: Place,
    *,
    reference: str,
    question: str,
    model: str | None,
    budget: int | None,
    form: Form | None,
    item: str | None,
    bare: bool,
) -> Result:
    """Show what a model would see of SESSION to answer QUESTION, or what was said last: what it costs, and why.

    A number that begins with ~ is an estimate. Nothing is asked of a model, and nothing is changed.
    """
    if form is not None and item is not None:
        raise click.UsageError("give --payload or --why, not both")
    async with changing(place, reference) as (_, session):
        last = await _last_call(session.store, session.id)
        name = model or (last.model if last is not None else None)
        window = await anyio.to_thread.run_sync(session.models.window, name)
        told = _Told() if bare else await _told(session, window, tools=settled(place).tools)
        made = await session.context(
            question,
            system=told.system,
            budget=budget,
            model=name,
            beside=told.beside.tokens if told.beside is not None else 0,
        )
    if form is not None:
        payload = made.payload(form)
        text = escaped(msgspec.json.format(msgspec.json.encode(payload), indent=2).decode())
        return Result(
            data={"session_id": session.id, "form": form, "payload": payload},
            lines=text.splitlines(),
            notes=[f"{told.beside.name} are sent beside it"] if told.beside is not None else [],
        )
    seen = Seen(session_id=session.id, context=made, model=name, beside=told.beside, last=last)
    if item is not None:
        return _why(seen, item)
    return Result(data=account(seen), lines=list(breakdown_lines(seen)), notes=list(told.notes))


class _Told(NamedTuple):
    """What a chat adds to a context: what it tells the model, and what it lets it do."""

    system: str = ""
    beside: Beside | None = None
    notes: tuple[str, ...] = ()


async def _told(session: "Session", window: int | None, *, tools: bool) -> _Told:
    """Return what `sojourn chat` would add in this folder, for a model that takes so much."""
    # An agent is much to load, and only what it adds is wanted.
    from sojourn.agent.instructions import load_instructions  # noqa: PLC0415
    from sojourn.agent.journal_talk import tokens_of  # noqa: PLC0415
    from sojourn.desk.conversation import INSTRUCTIONS  # noqa: PLC0415
    from sojourn.desk.equipment import equip  # noqa: PLC0415
    from sojourn.desk.home import instructions_file  # noqa: PLC0415

    if window is not None and window < _ROOMY:
        return _Told(system=INSTRUCTIONS)
    folder = Path.cwd()
    loaded = await load_instructions(user_file=instructions_file(os.environ), folder=folder)
    if not tools:
        return _Told(loaded.text, None, loaded.notes)
    offered = equip(session, folder=folder, environment=os.environ, approver=None).skills.definitions()
    return _Told(loaded.text, Beside(name=f"{len(offered)} tools", tokens=tokens_of(offered)), loaded.notes)


async def _last_call(store: Store, session_id: str) -> UsageRecorded | None:
    """Return what the last answer of a model took, as its provider reported it."""
    entries = await store.read(session_id, limit=_LOOKED_AT, order=Order.NEWEST_FIRST)
    calls = (entry.event for entry in entries if isinstance(entry.event, UsageRecorded))
    return next((call for call in calls if call.purpose == "conversation"), None)


def _why(seen: Seen, item: str) -> Result:
    """Return all about the parts that *item* names: by the name of a section, an entry, or words of it."""
    wanted = item.strip().casefold()
    sections = seen.context.sections
    found = [one for section in sections if _is_named(section.name, wanted) for one in section.items]
    out = [one for one in seen.context.dropped if _is_named(one.section, wanted)]
    if not found and not out and wanted.isdigit():
        found = [one for section in sections for one in section.items if int(wanted) in one.seqs]
        out = [one for one in seen.context.dropped if int(wanted) in one.seqs]
    elif not found and not out and wanted:
        found = [one for section in sections for one in section.items if wanted in one.text.casefold()]
        out = [one for one in seen.context.dropped if wanted in one.text.casefold()]
    if not found and not out:
        names = ", ".join(dict.fromkeys([section.name for section in sections]))
        raise NotFoundError(f"{item!r:.100} is not in this context; its parts are {names or 'none'}")
    data: dict[str, Any] = {
        "session_id": seen.session_id,
        "items": [part_data(one) for one in found],
        "dropped": [cast("dict[str, Any]", msgspec.to_builtins(one)) for one in out],
    }
    return Result(data=data, lines=list(item_lines(found, out)))


def _is_named(section: str, wanted: str) -> bool:
    return wanted in (section, section.replace("_", " "))
