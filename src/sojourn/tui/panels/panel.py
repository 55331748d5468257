"""One panel: a heading, and rows below it that can be folded away."""

from typing import ClassVar

from rich.console import Group, RenderableType
from rich.style import Style
from rich.text import Text
from textual.widgets import Static

from sojourn.tui.panels.glance import Glance
from sojourn.tui.panels.rows import ROW, Row, drawn

HEADING = -1
"""The number of the heading, where rows are counted from 0."""


class Panel(Static):
    """Shows a part of a session. It is drawn anew only when that part changed, and takes no room while it is empty.

    What is folded stays so for the run: the panel lives as long as the screen.
    """

    DEFAULT_CSS = """
    Panel { height: auto; margin: 0 0 1 0; }
    """
    NAME: ClassVar[str] = ""

    def __init__(self) -> None:
        super().__init__("", markup=False)
        self._seen: tuple[object, ...] | None = None
        self._rows: list[Row] = []
        self._head = ""
        self._chosen: int | None = None
        self._heading_style = "bold"
        self.is_folded = False
        self.display = False

    # --- what a panel says

    def concern(self, glance: Glance) -> tuple[object, ...]:
        """Return what the panel is drawn from, always as many things: it is drawn anew when one of them changed."""
        raise NotImplementedError

    def head(self, glance: Glance) -> str:
        """Return what stands behind the name; nothing, by default."""
        del glance
        return ""

    def rows(self, glance: Glance) -> list[Row]:
        """Return what stands below the heading; nothing makes the panel vanish."""
        raise NotImplementedError

    # --- how it is shown

    def show(self, glance: Glance) -> bool:
        """Draw what changed since the last look; tell whether anything did."""
        seen = (*self.concern(glance), glance.colours)
        if self._seen is not None and all(a is b or a == b for a, b in zip(self._seen, seen, strict=True)):
            return False  # mostly they are the same objects; what is known in memory only is made anew each time
        self._seen = seen
        self._rows = self.rows(glance)
        self._head = self.head(glance)
        self._heading_style = f"bold {glance.colours.get('primary', '')}".strip()
        self.display = bool(self._rows)
        self._draw()
        return True

    @property
    def stops(self) -> list[int]:
        """Where the cursor may be: the heading, and each row that can be chosen."""
        if not self._rows:
            return []
        acting = [] if self.is_folded else [number for number, row in enumerate(self._rows) if row.act is not None]
        return [HEADING, *acting]

    def row(self, number: int) -> Row | None:
        """Return the row with this number; None for the heading."""
        return self._rows[number] if 0 <= number < len(self._rows) else None

    def line_of(self, number: int) -> int:
        """Return how many lines below the panel's top a row begins."""
        if number == HEADING or self.is_folded:
            return 0
        console = self.app.console
        options = console.options.update(width=max(1, self.content_size.width), height=None)
        for place, line in enumerate(console.render_lines(drawn(self._rows, chosen=None), options), 1):
            if any(part.style is not None and part.style.meta.get(ROW) == number for part in line):
                return place
        return 0

    def choose(self, number: int | None) -> None:
        """Put the cursor on the heading or on a row, or take it away."""
        if number != self._chosen:
            self._chosen = number
            self._draw()

    def fold(self, *, folded: bool) -> None:
        """Hide the rows, or show them again."""
        if folded != self.is_folded:
            self.is_folded = folded
            self._draw()

    @property
    def plain(self) -> str:
        """What it says, without how it looks."""
        lines = [f"{self.NAME} {self._head}".strip()]
        for row in [] if self.is_folded else self._rows:
            text = row.text if isinstance(row.text, str) else getattr(row.text, "plain", "")
            lines.append(" ".join(part for part in (row.mark, text, row.right) if part))
        return "\n".join(lines)

    def _draw(self) -> None:
        sign = "▸" if self.is_folded else "▾"
        heading = Text(no_wrap=True, overflow="ellipsis")
        heading.append(f"{sign} {self.NAME}", style=self._heading_style)
        if self._head:
            heading.append(f"  {self._head}", style="dim")
        heading.stylize(Style(meta={ROW: HEADING}))
        if self._chosen == HEADING:
            heading.stylize("reverse")
        parts: list[RenderableType] = [heading]
        if not self.is_folded and self._rows:
            parts.append(drawn(self._rows, chosen=self._chosen))
        self.update(Group(*parts))
