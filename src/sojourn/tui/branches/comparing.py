"""Two branches side by side: where they part, what was said in each since, and what they hold differently."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import msgspec
from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from sojourn.desk.rows import session_name
from sojourn.desk.visible import safe
from sojourn.desk.wording import count, one_line
from sojourn.engine.branches import Comparison, Difference
from sojourn.engine.merge import Conflict
from sojourn.engine.sessions import SessionManager
from sojourn.model.events import MessageAdded
from sojourn.model.header import SessionHeader
from sojourn.model.message import Message
from sojourn.store.protocol import Store
from sojourn.tui.key_line import KeyLine

_SHOWN: Final = 40
"""Messages of each side that are shown: the last."""
_LONG: Final = 600
"""Characters of a message that are shown."""
_LINE: Final = 80
"""Characters of what a tool gave back."""
_VALUE: Final = 200
_WIDE: Final = 90
"""Columns from which on the two stand side by side."""
_SIGNS: Final = {"user": "❯", "assistant": "●", "tool": "▹", "system": "⚙"}
_NAMES: Final = {
    "user_profile": "profile",
    "variables": "variable",
}
_SAYS_ITSELF: Final = frozenset({"decision", "pinned", "task"})
"""Things of the working set whose name is their text, or an id that says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of two branches, and the last that was said in it since they part."""

    header: SessionHeader
    entries: int
    said: tuple[Message, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Two branches. *shared* is the last thing that was said in both."""

    ours: Side
    theirs: Side
    shared: Message | None
    comparison: Comparison


async def compare(sessions: SessionManager, store: Store, ours: str, theirs: str) -> Compared:
    """Compare two branches of one tree."""
    comparison = await sessions.compare(ours, theirs)
    seq = comparison.common.seq
    shared = await store.last_messages(ours, 1, before=seq + 1)
    return Compared(
        ours=await _side(store, ours, seq, comparison.our_entries),
        theirs=await _side(store, theirs, seq, comparison.their_entries),
        shared=shared[0].event.message if shared and isinstance(shared[0].event, MessageAdded) else None,
        comparison=comparison,
    )


async def _side(store: Store, session_id: str, seq: int, entries: int) -> Side:
    found = await store.last_messages(session_id, _SHOWN)
    said = [entry.event.message for entry in found if entry.seq > seq and isinstance(entry.event, MessageAdded)]
    return Side(header=(await store.get_session(session_id)).header, entries=entries, said=tuple(said))


class CompareScreen(Screen[None]):
    """Shows two branches. Lives until Esc."""

    DEFAULT_CSS = """
    CompareScreen #compare-title { height: 1; background: $panel; text-style: bold; padding: 0 1; }
    CompareScreen VerticalScroll { padding: 0 1; }
    CompareScreen #compare-body { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "app.pop_screen", "back"),
        Binding("down,j", "scroll(1)", "down", show=False),
        Binding("up,k", "scroll(-1)", "up", show=False),
    ]

    def __init__(self, compared: Compared) -> None:
        super().__init__()
        self._compared = compared

    def compose(self) -> ComposeResult:
        yield Static("Compare", id="compare-title", markup=False)
        with VerticalScroll():
            yield Static("", id="compare-body", markup=False)
        yield KeyLine()

    def on_resize(self) -> None:
        body = self.query_one("#compare-body", Static)
        body.update(_drawn(self._compared, is_wide=self.size.width >= _WIDE))

    def action_scroll(self, by: int) -> None:
        """Go up or down."""
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)


def _drawn(compared: Compared, *, is_wide: bool) -> RenderableType:
    parts: list[RenderableType] = [_parting(compared), Text("")]
    left, right = _column(compared.ours, "this session"), _column(compared.theirs, "the branch")
    if is_wide:
        table = Table.grid(expand=True, padding=(0, 2))
        table.add_column(ratio=1)
        table.add_column(ratio=1)
        table.add_row(Group(*left), Group(*right))
        parts.append(table)
    else:
        parts += [*left, Text(""), *right]
    parts += [Text(""), Rule(style="dim"), *_differences(compared, is_wide=is_wide)]
    return Group(*parts)


def _parting(compared: Compared) -> Text:
    shared = compared.shared
    said = f"“{one_line(shared.text, most=80)}”" if shared is not None and shared.text.strip() else "their beginning"
    return Text(safe(f"They part after {said} (entry {compared.comparison.common.seq})."))


def _column(side: Side, label: str) -> list[Text]:
    head = Text.assemble((f"{session_name(side.header)}", "bold"), (f"   {label}", "dim"))
    lines = [head]
    if not side.said:
        return [*lines, Text("nothing was said since", style="dim")]
    if len(side.said) == _SHOWN:
        lines.append(Text(f"the last {_SHOWN} messages; there may be more", style="dim"))
    return [*lines, *[_message(message) for message in side.said]]


def _message(message: Message) -> Text:
    calls = ", ".join(f"▸ {call.name}" for call in message.tool_calls)
    if message.role == "tool":
        return Text(safe(f"{_SIGNS['tool']} {one_line(message.text, most=_LINE)}"), style="dim")
    text = safe(message.text.strip() or calls or "…")
    more = f" … {len(text) - _LONG:,} more characters" if len(text) > _LONG else ""
    return Text(f"{_SIGNS[message.role]} {text[:_LONG]}{more}", style="bold" if message.role == "user" else "")


def _differences(compared: Compared, *, is_wide: bool) -> list[RenderableType]:
    found: Sequence[Difference] = compared.comparison.differences
    if not found:
        return [Text("They hold the same: facts, profile, decisions, tasks and variables do not differ.", style="dim")]
    head = Text(f"{count(len(found), 'thing')} held differently", style="bold")
    if is_wide:
        table = Table.grid(expand=True, padding=(0, 2))
        for ratio in (1, 2, 2):
            table.add_column(ratio=ratio)
        table.add_row(Text(""), Text("this session", style="dim"), Text("the branch", style="dim"))
        for one in found:
            table.add_row(Text(what(one), style="italic"), value(one, one.ours), value(one, one.theirs))
        return [head, table]
    lines: list[RenderableType] = [head]
    for one in found:
        lines += [
            Text(what(one), style="italic"),
            Text.assemble(("  here  ", "dim"), value(one, one.ours)),
            Text.assemble(("  there ", "dim"), value(one, one.theirs)),
        ]
    return lines


def what(one: Difference | Conflict) -> str:
    """Return what kind of thing two branches hold differently, and its name if the values do not say it."""
    kind, _, rest = one.name.partition(": ")
    if one.component == "knowledge_base":
        named = "fact"
    elif one.component == "working_set" and rest:
        named = kind if kind in _SAYS_ITSELF else f"{kind} {rest}"
    else:
        named = f"{_NAMES.get(one.component, '')} {one.name}"
    return safe(one_line(named.strip(), most=60))


def value(one: Difference | Conflict, held: Any) -> Text:
    """Return what one of them holds."""
    if held is None:
        return Text("–", style="dim")
    if one.component == "knowledge_base":
        status = "" if held["status"] == "active" else f" ({held['status']})"
        return Text(safe(one_line(f"{held['content']}{status}", most=_VALUE)))
    if held is True:
        return Text(safe(one_line(one.name.partition(": ")[2] or "yes", most=_VALUE)))
    plain = held if isinstance(held, str) else msgspec.json.encode(held).decode()
    return Text(safe(one_line(plain, most=_VALUE)) or "–")
