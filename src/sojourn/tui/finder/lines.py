"""How a session looks in the list: when it was used, how long it is, what it cost, and its title.

The title comes last, so that it may be long, or written from right to left, without moving anything else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from rich.text import Text

from sojourn.desk.columns import pad
from sojourn.desk.visible import safe
from sojourn.desk.wording import ago, money, one_line
from sojourn.engine.project import Project
from sojourn.model.header import SessionHeader
from sojourn.model.ids import SessionId
from sojourn.tui.finder.matches import Match

_AGE: Final = 9
_MESSAGES: Final = 7
_COST: Final = 9
_FORKS: Final = 5
_PROJECT: Final = 12
_MIDDLE: Final = 60
"""Columns from which on there is room for more than the age."""
_WIDE: Final = 84
"""Columns from which on there is room for everything."""
_DEEP: Final = 6
"""How deep forks are indented."""
_NARROW_INDENT: Final = 2
_TITLE: Final = 200
_CONTEXT: Final = 10
"""Characters before a word that was found, where there is little room."""
_FOUND: Final = "bold underline"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLine:
    """A session in the list, with what was found in it. *here* is the project that the person is in."""

    header: SessionHeader
    now: datetime
    here: Project
    depth: int = 0
    forks: int = 0
    damage: str | None = None
    match: Match | None = None
    words: str = ""
    is_open: bool = False
    shows_project: bool = False

    @property
    def key(self) -> SessionId:
        """The session's id."""
        return self.header.session_id

    @property
    def height(self) -> int:
        """One line, or two if something was found in what was said."""
        return 1 if self.match is None else 2

    def draw(self, columns: int) -> Sequence[Text]:
        """Return the session, and below it what was found."""
        front = _front(self._cells(), columns, shows_project=self.shows_project)
        line = Text.assemble((front, "dim"), self._title())
        line.truncate(columns, overflow="ellipsis")
        if self.match is None:
            return [line]
        indent = " " * (len(front) if columns >= _MIDDLE else _NARROW_INDENT)
        found = Text.assemble(indent, _snippet(self.match, columns - len(indent)))
        found.truncate(columns, overflow="ellipsis")
        return [line, found]

    def _cells(self) -> tuple[str, str, str, str, str]:
        header = self.header
        return (
            ago(header.updated_at, self.now),
            f"{header.message_count:,}",
            money(header.cost_micros) if header.cost_micros else "",
            f"{self.forks:,}" if self.forks else "",
            project_name(header, self.here),
        )

    def _title(self) -> Text:
        header = self.header
        title = Text()
        if self.depth:
            title.append("  " * (min(self.depth, _DEEP) - 1) + "└ ", style="dim")
        name = safe(one_line(header.title or "no title", most=_TITLE))
        title.append(name, style="" if header.title else "dim italic")
        start = name.casefold().find(self.words.casefold()) if self.words else -1
        if start >= 0:
            title.stylize(_FOUND, len(title) - len(name) + start, len(title) - len(name) + start + len(self.words))
        if header.title_source == "user":
            title.append(" ✎", style="dim")
        for tag in header.tags:
            title.append(f" #{safe(one_line(tag, most=30))}", style="italic dim")
        if self.is_open:
            title.append("  ← you are here", style="bold")
        for mark in _marks(header, self.damage):
            title.append(f"  ({mark})", style="dim")
        return title


def heading(columns: int, *, shows_project: bool) -> str:
    """Return what stands above the columns."""
    return _front(("used", "msgs", "cost", "forks", "project"), columns, shows_project=shows_project) + "title"


def project_name(header: SessionHeader, here: Project) -> str:
    """Return what a session's project is called: by its folder if one is in it, else by its id."""
    if header.project is None:
        return "–"
    return safe(one_line(here.name if header.project == here.id else header.project, most=_PROJECT))


def _front(cells: tuple[str, str, str, str, str], columns: int, *, shows_project: bool) -> str:
    used, messages, cost, forks, project = cells
    front = f"{used:<{_AGE}} "
    if columns >= _MIDDLE:
        front += f"{messages:>{_MESSAGES}}  "
    if columns >= _WIDE:
        front += f"{cost:>{_COST}}  {forks:>{_FORKS}}  "
        front += f"{pad(project, _PROJECT)}  " if shows_project else ""
    return front


def _marks(header: SessionHeader, damage: str | None) -> list[str]:
    marks = ["archived"] if header.archived_at is not None else []
    marks += ["in the trash"] if header.trashed_at is not None else []
    marks += ["left behind by a rewind"] if header.superseded_by is not None else []
    return [*marks, "damaged: sojourn doctor says more"] if damage is not None else marks


def _snippet(match: Match, columns: int) -> Text:
    """Return what was said, with the words that match; nothing of it moves the cursor or begins a line.

    Where there is little room it begins shortly before the first of these words.
    """
    text = Text().append(f"{'you' if match.role == 'user' else match.role}: ", style="dim")
    # Not by `one_line`: the places of the words must stay what they are.
    flat = "".join(" " if character.isspace() else character for character in match.snippet)
    at = 0
    if match.highlights and match.highlights[0][1] > columns - len(text.plain):
        at = max(0, match.highlights[0][0] - _CONTEXT)
        text.append("…")
    for start, end in match.highlights:
        text.append(safe(flat[at:start]))
        text.append(safe(flat[start:end]), style=_FOUND)
        at = end
    text.append(safe(flat[at:]))
    if match.more:
        text.append(f"   {match.more} more", style="dim")
    return text
