"""How a fact looks in the list: what it says, and below it how sure that is, who said so, and when."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from rich.console import Group
from rich.table import Table
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


def fact_row(known: Known, *, now: datetime, is_pinned: bool, is_chosen: bool) -> Table:
    """Return a fact as two lines or a few more, if it is long."""
    fact = known.fact
    row = Table.grid(expand=True, padding=(0, 1, 0, 0))
    row.add_column(width=3)
    row.add_column(ratio=1, overflow="fold")
    style = "strike dim" if fact.status == "retired" else ""
    said = Text(safe(one_line(fact.content, most=_MOST)), style=style)
    if is_pinned:
        said.append("  ⚑ pinned", style="bold not strike not dim")
    sign = "❯" if is_chosen else " "
    row.add_row(f"{sign} {MARKS[fact.status]}", Group(said, Text(safe(" · ".join(_told(known, now))), style="dim")))
    return row


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
