"""How a fact looks in the list: what it says, and below it how sure that is, who said so, and when.

A list measures all its rows before it shows the first, so a row is laid out by hand: a table would take ten times as
long.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.text import Text

from sojourn.desk.visible import safe
from sojourn.desk.wording import ago, count, one_line
from sojourn.model.knowledge import Fact
from sojourn.tui.review.known import Known

MARKS: Final = {"active": "•", "candidate": "?", "retired": "✗"}
_SOURCES: Final = {
    "user": "you said so",
    "conversation": "from the talk",
    "assistant": "the assistant said so",
    "research": "from research",
    "tool": "from a tool",
    "file": "from a file",
    "model": "read by a model",
}
_MOST: Final = 300
_FRONT: Final = 4
"""Columns before what a fact says."""


class FactLines:
    """Texts, one below the other, with *front* before the first line. Rich draws it, in any width."""

    def __init__(self, front: str, *texts: Text) -> None:
        self._front = front
        self._texts = texts

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        front = self._front.ljust(_FRONT)
        for text in self._texts:
            for line in text.wrap(console, max(1, options.max_width - _FRONT), overflow="fold"):
                yield Segment(front)
                yield from line.render(console, end="\n")
                front = " " * _FRONT


def fact_row(known: Known, *, now: datetime, is_pinned: bool, is_chosen: bool) -> FactLines:
    """Return a fact as two lines or a few more, if it is long."""
    fact = known.fact
    style = "strike dim" if fact.status == "retired" else ""
    said = Text(safe(one_line(fact.content, most=_MOST)), style=style)
    if is_pinned:
        said.append("  ⚑ pinned", style="bold not strike not dim")
    sign = "❯" if is_chosen else " "
    return FactLines(f"{sign} {MARKS[fact.status]}", said, Text(safe(" · ".join(_told(known, now))), style="dim"))


def _told(known: Known, now: datetime) -> Iterable[str]:
    fact = known.fact
    yield f"{fact.confidence:.0%} sure"
    yield source_words(fact)
    yield ago(fact.updated_at, now)
    if fact.scope != "session":
        yield "for all sessions" if fact.scope == "global" else f"of the {fact.scope}"
    if len(known.sessions) > 1:
        yield f"in {count(len(known.sessions), 'session')}"
    elif not known.is_here:
        yield "from another session"
    if fact.uses:
        yield f"used {fact.uses:,}×"
    yield from (f"#{tag}" for tag in fact.tags)
    if fact.status == "retired":
        yield f"retired: {one_line(fact.retired_reason)}" if fact.retired_reason else "retired"


def source_words(fact: Fact) -> str:
    """Return who said so, in words."""
    names = [_SOURCES.get(source, f"from {one_line(source, most=30)}") for source in fact.sources]
    return " and ".join(dict.fromkeys(names[:2])) + (" and others" if len(names) > 2 else "")
