"""`sojourn facts`: what was learned, put right by who knows better.

A fact is named by its number in `facts ls`, by its id or the beginning of it, or by its words. The numbers are the same
whatever a list leaves out.
"""

import re
from typing import TYPE_CHECKING, Any, Final

import click

from sojourn.cli.evidence import explanation_data, explanation_lines
from sojourn.cli.fact_names import Meant, find_fact_anywhere, numbered, short_id
from sojourn.cli.fact_review import review
from sojourn.cli.fact_rows import fact_data, fact_lines, fact_rows
from sojourn.cli.frame import Result, on_store
from sojourn.cli.groups import Group
from sojourn.cli.place import Place
from sojourn.cli.subject import Opened, changing, looking_at, session_option
from sojourn.clock import SystemClock
from sojourn.desk.wording import count, one_line
from sojourn.errors import ConflictError, InvalidInputError
from sojourn.model.events import FactScope, FactStatus
from sojourn.model.knowledge import SCOPES, Fact
from sojourn.model.wording import coverage, terms

if TYPE_CHECKING:  # whoever asks for help does not wait for the engine
    from collections.abc import Awaitable, Callable

    from sojourn.engine.session import Session
    from sojourn.memory.shared import SharedFact

_STATUSES: Final[tuple[FactStatus, ...]] = ("active", "candidate", "retired")
_SELF: Final = re.compile(r"I(?:['’](?:m|ve|d|ll))?\b")
"""How somebody begins who tells about himself."""
_NOTHING: Final = "nothing was learned in this session; sojourn profile keep says whether what tells about you is"
_PRIVATE: Final = "this tells about you, and nothing about you is written down; sojourn profile keep yes allows it"


@click.group("facts", cls=Group, usual="ls")
def facts() -> None:
    """What was learned in a session, and what its project and its user share. Alone it lists that."""


@facts.command("ls")
@session_option
@click.option(
    "--scope",
    type=click.Choice(["session", "project", "user"]),
    default="session",
    help="What the session holds, or what the sessions of its project or of its user share.",
)
@click.option(
    "--status",
    type=click.Choice([*_STATUSES, "all"]),
    default="active",
    help="Those that hold, those that wait to be accepted, those that hold no more, or all.",
)
@click.option("--search", "words", metavar="WORDS", help="Only those that share a word with these, the best first.")
@on_store
async def ls(place: Place, *, reference: str, scope: str, status: str, words: str | None) -> Result:
    """List facts. ? marks a candidate, which waits to be accepted, and ✗ one that holds no more."""
    if scope != "session":
        if status != "active":
            raise click.UsageError("what is shared are facts that hold: leave --status out, or --scope")
        return await _shared(place, reference, scope, words)
    async with looking_at(place, reference) as session:
        held, numbers = list(session.facts), numbered(session)
        older = session.state.knowledge_base.learned_count - len(held)
    found = _searched([fact for fact in held if status in ("all", fact.status)], words)
    waiting = sum(fact.status == "candidate" for fact in held)
    notes = [] if found else ["no such facts" if held else _NOTHING]
    if waiting and status == "active":
        notes.append(f"{count(waiting, 'candidate')} to look at: sojourn facts review")
    if older > 0:
        notes.append(f"{count(older, 'fact')} of less worth are not at hand any more; each is found by its whole id")
    return Result(
        data={
            "session_id": session.id,
            "facts": [fact_data(fact, number=numbers[fact.fact_id]) for fact in found],
            "older": max(older, 0),
            "counts": {one: sum(fact.status == one for fact in held) for one in _STATUSES},
        },
        lines=fact_rows(found, SystemClock().now(), numbers=numbers),
        notes=notes,
    )


async def _shared(place: Place, reference: str, scope: str, words: str | None) -> Result:
    """List what holds beyond one session."""
    async with changing(place, reference) as (app, session):
        state, numbers = session.state, numbered(session)
        shared: tuple[SharedFact, ...] = ()
        if scope == "user":
            shared = await app.memory.user_facts(state.user_id)
        elif state.project is not None:
            shared = await app.memory.project_facts(state.project, user_id=state.user_id)
    sessions = {one.fact.fact_id: one.sessions for one in shared}
    found = _searched([one.fact for one in shared], words)
    return Result(
        data={
            "session_id": session.id,
            "facts": [
                fact_data(fact, number=numbers.get(fact.fact_id), sessions=sessions[fact.fact_id]) for fact in found
            ],
        },
        lines=fact_rows(found, SystemClock().now(), numbers=numbers, sessions=sessions),
        notes=[] if found else [f"the sessions of this {scope} share no such facts"],
    )


@facts.command("show")
@click.argument("name", metavar="FACT")
@session_option
@on_store
async def show(place: Place, *, name: str, reference: str) -> Result:
    """Show all that is known of FACT, and what its question was answered with before."""
    async with changing(place, reference) as opened:
        meant = await find_fact_anywhere(opened, name)
        owner = await _owner(opened, meant)
        earlier = [one for one in await owner.facts.history(meant.fact.fact_id) if one.fact_id != meant.fact.fact_id]
    now = SystemClock().now()
    lines = fact_lines(meant.fact, now)
    if earlier:
        lines += ["", "before it, or beside it:", *[line for one in earlier for line in fact_lines(one, now)]]
    data = {"fact": fact_data(meant.fact, sessions=meant.sessions), "history": [fact_data(one) for one in earlier]}
    return Result(data=data, lines=lines)


@facts.command("add")
@click.argument("content", metavar="TEXT")
@session_option
@click.option("--scope", type=click.Choice(SCOPES), default="session", help="Where it holds; only in this session.")
@click.option("--tag", "tags", metavar="TAG", multiple=True, help="A tag; may be given several times.")
@click.option("--from", "causes", metavar="SEQ", type=click.IntRange(1), multiple=True, help="An entry that says so.")
@on_store
async def add(
    place: Place, *, content: str, reference: str, scope: FactScope, tags: tuple[str, ...], causes: tuple[int, ...]
) -> Result:
    """Let the session know TEXT, and print the id of the fact. What contradicts it is retired."""
    async with changing(place, reference) as (app, session):
        known = {fact.fact_id: fact for fact in session.facts}

        async def learned(where: "Session") -> Fact:
            about = "user" if _SELF.match(content.lstrip()) else None
            return await where.facts.learn(
                content, source="user", confidence=1.0, scope=scope, tags=tags, causes=causes, about=about
            )

        if not app.keeps_profile:
            await _check_not_private(session, learned)
        fact = await learned(session)
        gone = [one for one in session.facts if one.superseded_by == fact.fact_id]
    if fact.status == "retired":
        raise ConflictError(f"this was retired; sojourn facts restore {short_id(fact.fact_id)} brings it back")
    notes = [f"in place of: {one_line(one.content)}" for one in gone if known.get(one.fact_id, one).status != "retired"]
    if fact.fact_id in known:
        notes.append(f"it was known already: {one_line(fact.content)}")
    return Result(data={"fact": fact_data(fact), "known": fact.fact_id in known}, lines=[fact.fact_id], notes=notes)


@facts.command("edit")
@click.argument("name", metavar="FACT")
@click.argument("content", metavar="TEXT")
@session_option
@on_store
async def edit(place: Place, *, name: str, content: str, reference: str) -> Result:
    """Let FACT say TEXT, and accept it. What contradicts it is retired."""

    async def corrected(session: "Session", fact: Fact) -> Fact:
        return await session.facts.correct(fact.fact_id, content)

    return await _changed(place, reference, (name,), corrected, "put right")


@facts.command("retire")
@click.argument("names", metavar="FACT...", nargs=-1, required=True)
@session_option
@click.option("--reason", metavar="TEXT", default="", help="Why it does not hold.")
@on_store
async def retire(place: Place, *, names: tuple[str, ...], reference: str, reason: str) -> Result:
    """Let each FACT hold no more. It is kept, so that it is not learned again from what was said before."""

    async def retired(session: "Session", fact: Fact) -> Fact:
        return await session.facts.retire(fact.fact_id, reason)

    return await _changed(place, reference, names, retired, "retired; sojourn facts restore brings it back")


@facts.command("restore")
@click.argument("names", metavar="FACT...", nargs=-1, required=True)
@session_option
@on_store
async def restore(place: Place, *, names: tuple[str, ...], reference: str) -> Result:
    """Let each FACT hold again, or accept it. What contradicts it is retired."""

    async def activated(session: "Session", fact: Fact) -> Fact:
        return await session.facts.activate(fact.fact_id)

    return await _changed(place, reference, names, activated, "holds")


@facts.command("why")
@click.argument("name", metavar="FACT")
@session_option
@on_store
async def why(place: Place, *, name: str, reference: str) -> Result:
    """Show what FACT rests on: the entries behind it, and the words that were said."""
    async with changing(place, reference) as opened:
        meant = await find_fact_anywhere(opened, name)
        owner = await _owner(opened, meant)
        fact = owner.facts.find(meant.fact.fact_id) or meant.fact
        explained = await owner.why(fact)
    return Result(
        data={
            "session_id": owner.id,
            "fact": fact_data(fact, sessions=meant.sessions),
            **explanation_data(explained, fact.spans),
        },
        lines=list(explanation_lines(explained, fact.spans, about=fact_lines(fact, SystemClock().now()))),
    )


facts.add_command(review)


async def _owner(opened: Opened, meant: Meant) -> "Session":
    """Return the session that said so last."""
    return await opened.app.sessions.open(meant.sessions[0], exact=True)


async def _check_not_private(session: "Session", learned: "Callable[[Session], Awaitable[Fact]]") -> None:
    """Refuse what would only be kept in memory, which ends with the command: it is tried without writing anything."""
    from sojourn.engine.private import Private  # noqa: PLC0415
    from sojourn.engine.rehearsal import Rehearsal  # noqa: PLC0415

    rehearsal = Rehearsal(session)
    await learned(rehearsal)
    if any(Private().concerns(draft.event) for draft in rehearsal.drafts):
        raise InvalidInputError(_PRIVATE)


async def _changed(
    place: Place,
    reference: str,
    names: tuple[str, ...],
    change: "Callable[[Session, Fact], Awaitable[Fact]]",
    done: str,
) -> Result:
    """Find every fact, then change one after the other, in each session that holds it."""
    async with changing(place, reference) as opened:
        meant = [await find_fact_anywhere(opened, name) for name in names]
        changed: dict[str, Fact] = {}
        told: list[dict[str, Any]] = []
        for one in meant:
            if one.fact.fact_id in changed:
                continue
            for session_id in one.sessions:
                session = await opened.app.sessions.open(session_id, exact=True)
                changed[one.fact.fact_id] = await change(session, one.fact)
            told.append(fact_data(changed[one.fact.fact_id], sessions=one.sessions))
        numbers = numbered(opened.session)
    return Result(
        data={"facts": told},
        lines=fact_rows(list(changed.values()), SystemClock().now(), numbers=numbers),
        notes=[f"{count(len(changed), 'fact')} {done}"],
    )


def _searched(found: list[Fact], words: str | None) -> list[Fact]:
    """Return the facts that share a word with *words*, those that share most first."""
    if words is None:
        return found
    asked = terms(words)
    scored = [(coverage(asked, fact.content), fact) for fact in found]
    return [fact for share, fact in sorted(scored, key=lambda one: -one[0]) if share > 0]
