"""`sojourn focus`: what a session is about right now, and what was mentioned in it lately."""

from collections.abc import Iterator
from typing import Any, Final

import click
import msgspec

from sojourn.cli.frame import Result, on_store
from sojourn.cli.groups import Group
from sojourn.cli.output import Dim, Strong
from sojourn.cli.place import Place
from sojourn.cli.subject import changing, looking_at, session_option
from sojourn.clock import SystemClock
from sojourn.desk.wording import ago, one_line
from sojourn.model.state import SessionState

_GOAL: Final = "task"
"""The type of a focus that is only told in words."""
_WORDS: Final = 500


@click.group("focus", cls=Group, usual="show")
def focus() -> None:
    """What a session is about right now. Alone it shows that."""


@focus.command("show")
@session_option
@on_store
async def show(place: Place, *, reference: str) -> Result:
    """Show what is in focus, what was mentioned lately, and the short-term memory."""
    async with looking_at(place, reference) as session:
        state = session.state
    return Result(data=_data(state), lines=list(_lines(state)))


@focus.command("set")
@click.argument("what", metavar="TYPE|GOAL")
@click.argument("focus_id", metavar="[ID]", required=False)
@click.option("--label", metavar="TEXT", help="What people call it.")
@session_option
@on_store
async def set_(place: Place, *, what: str, focus_id: str | None, label: str | None, reference: str) -> Result:
    """Put something in focus: a GOAL in words, or the thing of a TYPE that has this ID.

    A TYPE is one of general, task, journal, planning, exploration, exploring, entity, fact, message and clarification.
    """
    from sojourn.engine.inputs import FOCUS_TYPES, MAX_NAME, check_text  # noqa: PLC0415

    is_goal = focus_id is None and what not in FOCUS_TYPES
    if is_goal and label is not None:
        raise click.UsageError("a goal is its own label: give a TYPE and an ID, or leave --label out")
    told = what if is_goal else label
    if told is not None:
        check_text(told, "a goal" if is_goal else "a label", most=_WORDS if is_goal else MAX_NAME)
    async with changing(place, reference) as (_, session):
        await session.focus.set(
            _GOAL if is_goal else what, focus_id, context={} if told is None else {"label": told.strip()}
        )
        state = session.state
    return Result(data=_data(state), lines=[_named(state)])


@focus.command("clear")
@session_option
@on_store
async def clear(place: Place, *, reference: str) -> Result:
    """Put nothing in particular in focus."""
    async with changing(place, reference) as (_, session):
        before = _named(session.state)
        await session.focus.clear()
        state = session.state
    return Result(data=_data(state), notes=[f"it was {before}"])


def _data(state: SessionState) -> dict[str, Any]:
    return {
        "session_id": state.session_id,
        "focus": {"type": state.focus_type, "id": state.focus_id, "context": msgspec.to_builtins(state.focus_context)},
        "entities": [msgspec.to_builtins(one) for one in state.referenced_entities],
        "short_term_memory": state.short_term_memory,
    }


def _named(state: SessionState) -> str:
    """Return what is in focus, in one line."""
    if state.focus_type == "general" and state.focus_id is None and not state.focus_context:
        return "nothing in particular"
    label = state.focus_context.get("label") or state.focus_context.get("title")
    words = [state.focus_type, *([state.focus_id] if state.focus_id else []), *([str(label)] if label else [])]
    return one_line(" ".join(words), _WORDS)


def _lines(state: SessionState) -> Iterator[str]:
    yield Strong(_named(state))
    for name, value in state.focus_context.items():
        if name not in ("label", "title"):
            shown = value if isinstance(value, str) else msgspec.json.encode(value).decode()
            yield Dim(f"  {one_line(name)}: {one_line(shown)}")
    now = SystemClock().now()
    if state.referenced_entities:
        yield ""
        yield "mentioned lately"
        for one in reversed(state.referenced_entities):
            title = f"  {one_line(one.title)}" if one.title else ""
            yield f"  {one_line(one.type)} {one_line(one.id)}{title}, {ago(one.referenced_at, now)}"
    if state.short_term_memory:
        yield ""
        yield "so far"
        yield f"  {one_line(state.short_term_memory, _WORDS)}"
