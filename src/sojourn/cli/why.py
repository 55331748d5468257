"""`sojourn why`: what something that a session believes rests on, down to the words that were said."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from sojourn.cli.evidence import entry_line, explanation_data, explanation_lines, gist
from sojourn.cli.fact_names import find_fact
from sojourn.cli.fact_rows import fact_data, fact_lines
from sojourn.cli.frame import Result, on_store
from sojourn.cli.place import Place
from sojourn.cli.subject import looking_at
from sojourn.clock import SystemClock
from sojourn.errors import NotFoundError
from sojourn.model.entry import Entry
from sojourn.model.events import Span, kind_of
from sojourn.model.knowledge import Fact

if TYPE_CHECKING:  # whoever asks for help does not wait for the engine
    from sojourn.engine.session import Session
    from sojourn.engine.why import Explanation


@click.command("why")
@click.argument("thing", metavar="THING")
@click.argument("reference", metavar="[SESSION]", default="@last")
@on_store
async def why(place: Place, *, thing: str, reference: str) -> Result:
    """Show what THING rests on: the entries behind it, and the words that were said; of a message, what came of it.

    THING is the number of an entry or message, a fact (its id, or the beginning of it, or its words), a field of the
    profile, the words of a decision or task, or "summary".
    """
    async with looking_at(place, reference) as session:
        explained, fact = await _explained(session, thing.strip())
        derived = await _derived(session, thing.strip())
    spans: Sequence[Span] = fact.spans if fact is not None else ()
    data: dict[str, Any] = {"session_id": session.id, **explanation_data(explained, spans)}
    data["derived"] = [{"seq": entry.seq, "kind": kind_of(entry.event), "text": gist(entry)} for entry in derived]
    about: Sequence[str] = ()
    if fact is not None:
        data["fact"] = fact_data(fact)
        about = fact_lines(fact, SystemClock().now())
    lines = list(explanation_lines(explained, spans, about=about))
    if derived:
        lines += ["", "what came of it:", *[f"  {entry_line(entry)}" for entry in derived]]
    return Result(data=data, lines=lines)


async def _derived(session: "Session", thing: str) -> "tuple[Entry, ...]":
    """Return what was derived from a message, if *thing* is the number of one."""
    from sojourn.engine.forgetting import foresee  # noqa: PLC0415

    if not (thing.isascii() and thing.isdigit()):
        return ()
    try:
        foreseen = await foresee(session, "message", int(thing))
    except NotFoundError:
        return ()
    return foreseen.entries[1:]


async def _explained(session: "Session", thing: str) -> "tuple[Explanation, Fact | None]":
    """Return why *thing* is believed, and the fact that it is, if it is one."""
    if thing.isascii() and thing.isdigit():
        return await session.why(int(thing)), None
    try:
        explained = await session.why(thing)
    except NotFoundError as missing:
        try:
            fact = find_fact(session, thing)
        except NotFoundError:
            raise missing from None
        return await session.why(fact), fact
    return explained, session.facts.find(thing)
