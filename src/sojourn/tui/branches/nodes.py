"""How the nodes of the tree look: something that was said, another branch, and what was not read yet."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from rich.text import Text

from sojourn.desk.visible import safe
from sojourn.desk.wording import count, one_line
from sojourn.model.ids import SessionId
from sojourn.tui.branches.offshoots import Offshoot
from sojourn.tui.chat.items import Item
from sojourn.tui.chat.views import call_line

_SIGNS: Final = {"user": "❯", "assistant": "●", "tool": "▹", "system": "⚙", "compaction": "⊟", "note": "·"}
_MOST: Final = 300
_DEEP: Final = 8
"""How deep branches are indented."""
_HERE: Final = "  ← you are here"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Something that was said, in the session that is open or in another branch, *branch*."""

    item: Item
    now: datetime
    session_id: SessionId
    branch: Offshoot | None = None
    is_here: bool = False

    @property
    def key(self) -> tuple[str, int]:
        """The session and the entry."""
        return self.session_id, self.item.seq

    @property
    def height(self) -> int:
        return 1

    def draw(self, columns: int) -> Sequence[Text]:
        """Return it in one line: when, who, what."""
        depth = 0 if self.branch is None else min(self.branch.depth, _DEEP) + 1
        style = "bold" if self.item.is_prompt else "dim" if self.item.kind in {"tool", "note", "system"} else ""
        line = Text.assemble((f"{_when(self.item.at, self.now)}  {'│ ' * depth}", "dim"))
        line.append(f"{_SIGNS[self.item.kind]} {_said(self.item)}", style=style)
        line.truncate(columns - (len(_HERE) if self.is_here else 0), overflow="ellipsis")
        if self.is_here:
            line.append(_HERE, style="bold")
        return [line]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Another branch, where it parts."""

    branch: Offshoot
    now: datetime
    beside: str = ""
    """What the open session is called."""
    is_open: bool = False

    @property
    def key(self) -> tuple[str, int]:
        """The session; no entry."""
        return self.branch.header.session_id, 0

    @property
    def height(self) -> int:
        return 1

    def draw(self, columns: int) -> Sequence[Text]:
        """Return it in one line: when it was used, its name, what was said in it first, and how much."""
        one = self.branch
        indent = "│ " * min(one.depth, _DEEP)
        line = Text.assemble(
            (f"{_when(one.header.updated_at, self.now)}  {indent}├─{'▾' if self.is_open else '▸'} ", "dim")
        )
        first = safe(one_line(one.first_prompt or "", most=_MOST))
        name = safe(one_line(one.header.title or "no title", most=60))
        if name != self.beside or not first:  # most forks are called like what they were forked from
            line.append(f"{name}  ", style="italic")
        if first and first.casefold() != name.casefold() and not self.is_open:
            line.append(f"❯ {first}  ")
        said = f"{count(one.messages, 'message')}{' and more' if one.is_more else ''}" if one.said else "nothing since"
        line.append("  ".join([said, *_marks(one)]), style="dim")
        line.truncate(columns, overflow="ellipsis")
        return [line]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """What stands above and was not read yet."""

    branches: int = 0

    @property
    def key(self) -> tuple[str, int]:
        """The same, however much it is."""
        return "", 0

    @property
    def height(self) -> int:
        return 1

    def draw(self, columns: int) -> Sequence[Text]:
        """Return one line that says so."""
        others = (
            f", {self.branches:,} {'branch' if self.branches == 1 else 'branches'} among them" if self.branches else ""
        )
        line = Text(f"⋯ earlier messages{others} (go up to read on)", style="dim")
        line.truncate(columns, overflow="ellipsis")
        return [line]


Node = Said | Parts | Rest


def _when(at: datetime, now: datetime) -> str:
    """Return the time of day, or the day if it was another one; always five columns."""
    local, today = at.astimezone(), now.astimezone()
    return f"{local:%H:%M}" if local.date() == today.date() else f"{local:%m-%d}"


def _marks(one: Offshoot) -> list[str]:
    header = one.header
    marks = ["(archived)"] if header.archived_at is not None else []
    marks += ["(in the trash)"] if header.trashed_at is not None else []
    return [*marks, "(left behind)"] if header.superseded_by is not None else marks


def _said(item: Item) -> str:
    message = item.message
    text = item.text
    if message is not None and not text.strip():
        text = ", ".join(call_line(call) for call in message.tool_calls) or "…"
    if item.kind == "tool" and message is not None:
        text = f"{message.name or 'tool'}: {text}"
    if item.kind == "compaction":
        text = f"a summary stands for what is above: {text}"
    return safe(one_line(text, most=_MOST))
