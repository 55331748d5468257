"""What is shown of the session that is chosen: how it began, where it stands, and how to get it back."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from rich.text import Text
from textual.widgets import Static

from sojourn.desk.references import short
from sojourn.desk.visible import safe
from sojourn.desk.wording import ago, count, money, one_line
from sojourn.model.entry import Entry
from sojourn.model.events import MessageAdded
from sojourn.model.header import SessionHeader
from sojourn.model.message import Message
from sojourn.store.protocol import Store
from sojourn.tui.finder.lines import SessionLine, project_name

_LAST: Final = 24
"""Messages that are read from the end, to find what the person said last."""
_FIRST: Final = 40
"""Entries that are read from the beginning, to find what he said first."""
_BEFORE: Final = 3
"""Messages that are shown before one that matches."""
_SHOWN: Final = 12
_SIGNS: Final = {"user": "❯", "assistant": "●", "tool": "▹", "system": "⚙"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """What a look into a session found. *around* are the last messages, or those around entry *at*."""

    first: str | None
    last: str | None
    model: str | None
    around: tuple[Entry, ...]
    at: int | None = None


async def glance_at(store: Store, header: SessionHeader, *, at: int | None = None) -> Glance:
    """Look into a session, without opening it. With *at*, look at what was said around that entry."""
    ending = await store.last_messages(header.session_id, _LAST)
    beginning = await store.read(header.session_id, limit=_FIRST)
    said = [message for entry in ending if (message := _message(entry)) is not None]
    first = next((one for entry in beginning if (one := _message(entry)) is not None and one.role == "user"), None)
    last = next((one for one in reversed(said) if one.role == "user"), None)
    around = ending[-_SHOWN:]
    if at is not None:
        before = await store.last_messages(header.session_id, _BEFORE, before=at)
        after = await store.read(header.session_id, after=at - 1, limit=_FIRST)
        around = [*before, *[entry for entry in after if _message(entry) is not None]][:_SHOWN]
    return Glance(
        first=first.text if first is not None else None,
        last=last.text if last is not None else None,
        model=next((one.model for one in reversed(said) if one.model is not None), None),
        around=tuple(around),
        at=at,
    )


def _message(entry: Entry) -> Message | None:
    return entry.event.message if isinstance(entry.event, MessageAdded) else None


class GlanceView(Static):
    """The pane below the list. `is_large` shows what was said, too."""

    DEFAULT_CSS = """
    GlanceView {
        height: 6; padding: 0 1; color: $text;
        border: round $primary 40%; border-title-color: $text-muted;
    }
    GlanceView.large { height: 60%; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - textual's name
        super().__init__("", id=id, markup=False)
        self.border_title = "preview"

    @property
    def is_large(self) -> bool:
        """Whether what was said is shown, too."""
        return self.has_class("large")

    def show(self, line: SessionLine, glance: Glance) -> None:
        """Show what was found in a session."""
        wide = max(20, self.size.width - 4)
        text = Text("\n").join([*_summary(line, glance), *(_talk(glance) if self.is_large else [])])
        lines = text.split("\n")
        for one in lines:
            one.truncate(wide, overflow="ellipsis")
        self.update(Text("\n").join(lines), layout=False)


def _summary(line: SessionLine, glance: Glance) -> list[Text]:
    header, now = line.header, line.now
    facts = [
        f"begun {ago(header.created_at, now)}",
        f"used {ago(header.updated_at, now)}",
        count(header.message_count, "message"),
        money(header.cost_micros),
        one_line(glance.model or "no model", most=40),
        project_name(header, line.here),
        short(header.session_id),
    ]
    lines = [_quoted("last ", glance.last), _quoted("first", glance.first), Text(safe(" · ".join(facts)), style="dim")]
    way_back = _way_back(header, now)
    return [*lines, Text(way_back, style="bold")] if way_back else lines


def _way_back(header: SessionHeader, now: datetime) -> str:
    if header.trashed_at is not None:
        return f"thrown away {ago(header.trashed_at, now)}: d takes it out of the trash"
    if header.archived_at is not None:
        return f"archived {ago(header.archived_at, now)}: a takes it out of the archive"
    if header.superseded_by is not None:
        return "left behind by a rewind: enter goes on with it in a fork"
    return ""


def _quoted(label: str, said: str | None) -> Text:
    text = Text().append(f"{label} ", style="dim")
    text.append(f"“{safe(one_line(said, most=300))}”" if said else "nothing was said yet", style="" if said else "dim")
    return text


def _talk(glance: Glance) -> list[Text]:
    lines = [Text("")]
    for entry in glance.around:
        message = _message(entry)
        if message is None:
            continue
        said = one_line(message.text or ", ".join(f"▸ {call.name}" for call in message.tool_calls), most=300)
        found = entry.seq == glance.at
        lines.append(
            Text(
                safe(f"{_SIGNS[message.role]} {said}"),
                style="bold" if found else "dim" if message.role != "user" else "",
            )
        )
    return lines
