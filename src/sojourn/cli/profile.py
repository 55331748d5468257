"""`sojourn profile`: what is known about the person who talks, from where, and whether it may be written down."""

from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from sojourn.cli.frame import Result, on_store
from sojourn.cli.groups import Group
from sojourn.cli.output import Dim, Strong
from sojourn.cli.place import Place
from sojourn.cli.subject import changing, looking_at, session_option, settled
from sojourn.cli.tables import Column, table
from sojourn.clock import SystemClock
from sojourn.desk.wording import ago, one_line
from sojourn.errors import InvalidInputError
from sojourn.model.profile import LISTS, SCALARS, UserProfile

if TYPE_CHECKING:  # whoever asks for help does not wait for the engine
    from sojourn.engine.app import Sojourn

_NOT_KEPT: Final = "nothing about you is written down; sojourn profile keep yes allows it"
_FIELDS: Final = ", ".join((*SCALARS, *LISTS))
_COLUMNS: Final = (
    Column("field"),
    Column("entry", number=True),
    Column("sure", number=True, may_go=True),
    Column("from", may_go=True),
    Column("since", may_go=True),
    Column("value"),
)


@click.group("profile", cls=Group, usual="show")
def profile() -> None:
    """What is known about you, and whether it may be written down. Alone it shows that."""


@profile.command("show")
@session_option
@on_store
async def show(place: Place, *, reference: str) -> Result:
    """Show what a session knows about you, and where each value comes from. sojourn why FIELD tells more."""
    async with looking_at(place, reference) as session:
        known = session.profile()
    lines = _lines(known)
    return Result(
        data={"session_id": session.id, **_data(known)},
        lines=lines,
        notes=[]
        if lines
        else ["nothing is known about you in this session; sojourn profile keep says whether it is written"],
    )


@profile.command("set")
@click.argument("field", metavar="FIELD")
@click.argument("values", metavar="VALUE...", nargs=-1, required=True)
@session_option
@on_store
async def set_(place: Place, *, field: str, values: tuple[str, ...], reference: str) -> Result:
    """Set FIELD to VALUE; a field that is a list gets each VALUE in addition to those it has.

    The fields are name, age, location, occupation, expertise_level, communication_style and current_project; and, as
    lists, programming_languages, frameworks, interests and project_tech_stack.
    """
    async with changing(place, reference) as (app, session):
        _check_kept(app)
        known = await session.profile.set(field, _typed(field, values), confidence=1.0)
    return Result(data={"session_id": session.id, **_data(known)}, lines=_lines(known, only=field))


@profile.command("unset")
@click.argument("field", metavar="FIELD")
@click.argument("value", metavar="[VALUE]", required=False)
@session_option
@on_store
async def unset(place: Place, *, field: str, value: str | None, reference: str) -> Result:
    """Clear FIELD, or take one VALUE out of a list. That it was so stays in the journal, until forget value."""
    async with changing(place, reference) as (app, session):
        _check_kept(app)
        held = session.profile().holds(field, value)
        known = await session.profile.remove(field, value)
    return Result(
        data={"session_id": session.id, "removed": held, **_data(known)},
        lines=_lines(known, only=field),
        notes=[f"{field} is known no more" if value is None else f"{value} is out of {field}"]
        if held
        else ["it was not known: nothing was changed"],
    )


@profile.command("keep")
@click.argument("answer", type=click.Choice(["yes", "no"]), required=False)
@on_store
async def keep(place: Place, *, answer: str | None) -> Result:
    """Say whether what is learned about you may be written down, for good; without an answer, print what holds."""
    config = settled(place)
    if answer is not None and config.keep_profile not in ("ask", answer):
        raise InvalidInputError(f"the configuration says keep_profile = {config.keep_profile}, which goes before")
    async with place.app(create=answer is not None, config=config) as app:
        if answer is not None:
            await app.answer_keep_profile(keep=answer == "yes")
        kept = app.keeps_profile
    note = "what is learned about you is written down" if kept else "nothing more about you is written down"
    return Result(data={"keep": kept}, lines=["yes" if kept else "no"], notes=[note] if answer is not None else [])


def _check_kept(app: "Sojourn") -> None:
    if not app.keeps_profile:
        raise InvalidInputError(_NOT_KEPT)


def _typed(field: str, values: tuple[str, ...]) -> Any:
    """Return what was typed as the field takes it; what no field takes is refused by the session."""
    if field in LISTS:
        return list(values)
    text = " ".join(values)
    return int(text) if field == "age" and text.isascii() and text.isdigit() else text


def _data(known: UserProfile) -> dict[str, Any]:
    told = msgspec.to_builtins(known)
    return {
        "profile": {name: told[name] for name in (*SCALARS, *LISTS)},
        "origins": told["origins"],
        "former": told["former"],
    }


def _lines(known: UserProfile, *, only: str | None = None) -> list[str]:
    now, rows = SystemClock().now(), []
    for name in (*SCALARS, *LISTS):
        value, origin = getattr(known, name), known.origins.get(name)
        if not value or only not in (None, name):
            continue
        text = ", ".join(value) if isinstance(value, tuple) else str(value)
        about = ["", "", "", ""]
        if origin is not None:
            when = ago(origin.at, now) if origin.at is not None else ""
            about = [f"[{origin.seq}]", f"{origin.confidence:.2f}", one_line(origin.source, 16), when]
        rows.append([name, *about, one_line(text, 500)])
    lines = table(_COLUMNS, rows)
    lines = [Strong(lines[0]), *lines[1:]] if lines else []
    former = [one for one in reversed(known.former) if only in (None, one.field)]
    if former:
        lines += [
            *([""] if rows else []),
            *[Dim(f"until {ago(one.valid_to, now)}  {one.field}: {one_line(str(one.value))}") for one in former],
        ]
    return lines
