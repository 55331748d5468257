"""`sojourn forget`: remove something for good, with all that was derived from it. First it is shown what would go.

What remains is a note that something stood there. Logs and the search index forget it, too.
"""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import click

from sojourn.cli.evidence import entry_line, gist, who
from sojourn.cli.fact_names import find_fact
from sojourn.cli.frame import Result, on_store
from sojourn.cli.groups import Group
from sojourn.cli.output import write_lines
from sojourn.cli.place import Place
from sojourn.cli.prompting import agrees, can_ask
from sojourn.cli.subject import Opened, changing, session_option
from sojourn.desk.references import short
from sojourn.desk.rows import session_name
from sojourn.desk.wording import count, one_line
from sojourn.errors import NotFoundError
from sojourn.model.events import MessageAdded, kind_of
from sojourn.store.all_sessions import all_sessions
from sojourn.store.protocol import Redaction, SessionQuery

if TYPE_CHECKING:  # whoever asks for help does not wait for the engine
    from sojourn.engine.app import Sojourn
    from sojourn.engine.forgetting import Foreseen, What

_SHOWN: Final = 20
"""Entries that are shown one by one."""
_ONLY_SHOWN: Final = "nothing was forgotten; --yes forgets it"

yes_option: Final = click.option("--yes", "-y", is_flag=True, help="Forget it. Without it you are asked, or shown it.")


@click.group("forget", cls=Group)
def forget() -> None:
    """Remove something for good, with all that was derived from it."""


@forget.command("message")
@click.argument("seq", metavar="SEQ", type=click.IntRange(1))
@session_option
@yes_option
@on_store
async def message(place: Place, *, seq: int, reference: str, yes: bool) -> Result:
    """Forget the message at entry SEQ, as show numbers it, and what was learned from it."""
    async with changing(place, reference) as opened:
        return await _forget(opened, "message", seq, yes=yes)


@forget.command("fact")
@click.argument("name", metavar="FACT")
@session_option
@yes_option
@on_store
async def fact(place: Place, *, name: str, reference: str, yes: bool) -> Result:
    """Forget FACT, by its number, its id or its words: that it was ever believed, too.

    What was said stays, so it may be learned again; facts retire prevents that.
    """
    async with changing(place, reference) as opened:
        return await _forget(opened, "fact", find_fact(opened.session, name, by_piece=False).fact_id, yes=yes)


@forget.command("value")
@click.argument("field", metavar="FIELD")
@session_option
@yes_option
@on_store
async def value(place: Place, *, field: str, reference: str, yes: bool) -> Result:
    """Forget what is known about you under FIELD, such as name, and all that it ever was."""
    async with changing(place, reference) as opened:
        return await _forget(opened, "field", field, yes=yes)


@forget.command("session")
@click.argument("reference", metavar="SESSION")
@yes_option
@on_store
async def session(place: Place, *, reference: str, yes: bool) -> Result:
    """Forget all that SESSION holds. An empty session remains, which delete throws away."""
    async with changing(place, reference, whole=True) as opened:
        return await _forget(opened, "session", None, yes=yes)


@forget.command("user")
@click.argument("user_id", metavar="USER")
@yes_option
@on_store
async def user(place: Place, *, user_id: str, yes: bool) -> Result:
    """Forget all that the sessions of USER hold, archived and thrown away ones too."""
    async with place.app() as app:
        theirs = SessionQuery(user_id=user_id, archived=None, trashed=None)
        headers = [row.header async for row in all_sessions(app.store, theirs)]
        if not headers:
            raise NotFoundError(f"no session is of the user {user_id!r:.100}")
        lines = [f"  {short(header.session_id)}  {session_name(header)}" for header in headers]
        told = f"all of {count(len(headers), 'session')} of {one_line(user_id)}"
        data: dict[str, Any] = {"user_id": user_id, "sessions": [header.session_id for header in headers]}
        if not _confirmed(lines, told, yes=yes):
            return _only_shown(lines, data)
        await _let_logs_forget(app)
        redactions = await app.forget_user(user_id)
    entries = sum(len(gone) for one in redactions for gone in one.tombstones.values())
    return Result(
        data={"forgotten": True, "entries": entries, **data},
        notes=[f"forgotten: {told}, {entries:,} entries"],
    )


async def _forget(opened: Opened, what: "What", name: str | int | None, *, yes: bool) -> Result:
    """Show what would go; let it go if the person agrees."""
    from sojourn.engine.forgetting import foresee  # noqa: PLC0415

    app, subject = opened
    foreseen = await foresee(subject, what, name)
    lines = list(_lines(foreseen))
    told = _summary(foreseen)
    data = {"session_id": subject.id, **_data(foreseen)}
    if not _confirmed(lines, told, yes=yes):
        return _only_shown(lines, data, told)
    await _let_logs_forget(app)
    redaction = await subject.forget(what, name)
    return Result(
        data={"forgotten": True, **data, "removed": {one: list(gone) for one, gone in redaction.tombstones.items()}},
        notes=[f"forgotten for good: {_removed(redaction)}"],
    )


def _confirmed(lines: list[str], told: str, *, yes: bool) -> bool:
    """Tell whether to do it: it was said, or the person says so now, who sees what would go."""
    if yes or not can_ask():
        return yes
    write_lines(lines)
    return agrees(f"forget {told} for good?")


def _only_shown(lines: list[str], data: dict[str, Any], *notes: str) -> Result:
    """Return what would go; to who was asked, it was shown before the question."""
    if can_ask():
        return Result(data=None, notes=["nothing was forgotten"])
    return Result(data={"forgotten": False, **data}, lines=lines, notes=[*notes, _ONLY_SHOWN])


async def _let_logs_forget(app: "Sojourn") -> None:
    from sojourn.agent.logs.projection import let_logs_forget  # noqa: PLC0415

    let_logs_forget(app)


def _summary(foreseen: "Foreseen") -> str:
    messages = sum(isinstance(entry.event, MessageAdded) for entry in foreseen.entries)
    derived = len(foreseen.entries) - messages
    parts = [count(messages, "message")] if messages else []
    parts += [f"{derived:,} {'entry' if derived == 1 else 'entries'} of what is known"] if derived else []
    told = " and ".join(parts) or "nothing"
    if foreseen.others:
        told += f", also in {count(len(foreseen.others), 'session')} that {_share(len(foreseen.others))} them"
    return told


def _share(number: int) -> str:
    return "shares" if number == 1 else "share"


def _removed(redaction: Redaction) -> str:
    entries = sum(map(len, redaction.tombstones.values()))
    told = f"{entries:,} {'entry' if entries == 1 else 'entries'}"
    return told if len(redaction.tombstones) < 2 else f"{told} of {count(len(redaction.tombstones), 'session')}"


def _data(foreseen: "Foreseen") -> dict[str, Any]:
    return {
        "entries": [
            {"seq": entry.seq, "kind": kind_of(entry.event), "text": gist(entry)} for entry in foreseen.entries
        ],
        "also_in": list(foreseen.others),
    }


def _lines(foreseen: "Foreseen") -> Iterator[str]:
    for entry in foreseen.entries[:_SHOWN]:
        yield entry_line(entry)
    rest = foreseen.entries[_SHOWN:]
    if rest:
        kinds = Counter(who(entry) for entry in rest)
        yield f"and {len(rest):,} more: {', '.join(f'{number:,} {kind}' for kind, number in kinds.most_common())}"
    for session_id in foreseen.others:
        yield f"also in {session_id}"
