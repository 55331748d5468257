"""A list of which only the lines that are seen are drawn: ten thousand rows cost as much as ten.

Rows draw themselves, in one line or several. One of them is chosen, which a sign in front of it tells as well as the
colour. Who fills the list hears when its beginning or end comes near, and may add more.
"""

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from itertools import accumulate
from typing import ClassVar, Final, Generic, Protocol, TypeVar

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

_SIGN: Final = "❯ "
_NEAR: Final = 10
"""Rows from an edge at which more are asked for."""


class Row(Protocol):
    """One row: what names it, how many lines it takes, and how these look in so many columns."""

    @property
    def key(self) -> Hashable: ...
    @property
    def height(self) -> int: ...
    def draw(self, columns: int) -> Sequence[Text]:
        """Return *height* lines."""
        ...


RowT = TypeVar("RowT", bound=Row)


class RowList(ScrollView, Generic[RowT], can_focus=True):
    """Rows, one of them chosen. Lives as long as its screen; `show` replaces what it holds."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"row-list--chosen", "row-list--empty"}
    DEFAULT_CSS = """
    RowList { height: 1fr; background: $background; scrollbar-size-vertical: 1; overflow-x: hidden; }
    RowList > .row-list--chosen { background: $panel; color: $text; }
    RowList:focus > .row-list--chosen { background: $primary 30%; color: $text; }
    RowList > .row-list--empty { color: $text-muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "step(-1)", "up", show=False),
        Binding("down,j", "step(1)", "down", show=False),
        Binding("pageup", "page(-1)", "a page up", show=False),
        Binding("pagedown", "page(1)", "a page down", show=False),
        Binding("home", "edge(-1)", "first", show=False),
        Binding("end", "edge(1)", "last", show=False),
        Binding("enter", "pick", "open", show=False),
    ]

    class Moved(Message):
        """Another row is chosen, or none."""

    class Picked(Message):
        """The chosen row is wanted: by enter, or by a double click."""

    class NearEnd(Message):
        """The last rows are near."""

    class NearStart(Message):
        """The first rows are near."""

    def __init__(self, *, empty: str = "", id: str | None = None) -> None:  # noqa: A002 - textual's name
        """Show *empty* while there are no rows."""
        super().__init__(id=id)
        self._empty = empty
        self._rows: tuple[RowT, ...] = ()
        self._tops: list[int] = [0]
        self._index: int | None = None

    # --- what it holds

    @property
    def rows(self) -> tuple[RowT, ...]:
        """What it holds, the first row first."""
        return self._rows

    @property
    def chosen(self) -> RowT | None:
        """The row that is chosen; None if there are none."""
        return None if self._index is None else self._rows[self._index]

    def show(self, rows: Sequence[RowT], *, choose: Hashable | None = None, empty: str | None = None) -> None:
        """Hold *rows* instead. The row with the key *choose* is chosen, else the one that was chosen, else the first.

        The chosen row stays in its line of the screen, whatever is added above it.
        """
        before, line = self.chosen, self._line()
        self._rows = tuple(rows)
        self._tops = list(accumulate((row.height for row in self._rows), initial=0))
        self._empty = self._empty if empty is None else empty
        self.virtual_size = Size(0, self._tops[-1])
        places = {row.key: index for index, row in enumerate(self._rows)}
        kept = places.get(before.key) if before is not None and choose is None else None
        self._index = kept if kept is not None else places.get(choose, 0 if self._rows else None)
        if kept is not None:
            self.scroll_to(y=max(0, self._tops[kept] - line), animate=False, immediate=True)
        else:
            self.call_after_refresh(self._reveal)
        self.refresh()
        self.post_message(self.Moved())

    def choose(self, key: Hashable) -> None:
        """Choose the row that *key* names, if it is there."""
        for index, row in enumerate(self._rows):
            if row.key == key:
                self._go(index)
                return

    def _line(self) -> int:
        """Return in which line of the screen the chosen row begins."""
        return 0 if self._index is None else self._tops[self._index] - self.scroll_offset.y

    # --- how it is drawn

    def render_line(self, y: int) -> Strip:
        columns = self.scrollable_content_region.width
        line = self.scroll_offset.y + y
        if not self._rows and y == 1:
            text = Text(f"  {self._empty}")
            return self._strip([text], columns, "row-list--empty")
        if line >= self._tops[-1]:
            return Strip.blank(columns, self.rich_style)
        index = bisect_right(self._tops, line) - 1
        row, part = self._rows[index], line - self._tops[index]
        is_chosen = index == self._index
        drawn = row.draw(max(1, columns - len(_SIGN)))
        front = Text(_SIGN if is_chosen and part == 0 else " " * len(_SIGN), style="bold")
        return self._strip([front, drawn[part]], columns, "row-list--chosen" if is_chosen else None)

    def _strip(self, texts: Sequence[Text], columns: int, component: str | None) -> Strip:
        style = self.rich_style if component is None else self.rich_style + self.get_component_rich_style(component)
        segments: list[Segment] = [one for text in texts for one in text.render(self.app.console, end="")]
        return Strip(Segment.apply_style(segments, style)).adjust_cell_length(columns, style)

    # --- moving in it

    def action_step(self, by: int) -> None:
        """Choose the row above or below."""
        if self._index is not None:
            self._go(self._index + by)

    def action_page(self, by: int) -> None:
        """Choose a row that is a screen away."""
        if self._index is not None:
            line = self._tops[self._index] + by * max(1, self.scrollable_content_region.height - 1)
            self._go(bisect_right(self._tops, max(0, line)) - 1)

    def action_edge(self, by: int) -> None:
        """Choose the first or the last row."""
        self._go(0 if by < 0 else len(self._rows) - 1)

    def action_pick(self) -> None:
        """Take the chosen row."""
        if self._index is not None:
            self.post_message(self.Picked())

    def on_click(self, event: events.Click) -> None:
        line = self.scroll_offset.y + event.y
        if 0 <= line < self._tops[-1]:
            self._go(bisect_right(self._tops, line) - 1)
            if event.chain > 1:
                self.action_pick()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if new_value > old_value and new_value + self.size.height * 2 >= self._tops[-1]:
            self.post_message(self.NearEnd())

    def _go(self, index: int) -> None:
        if not self._rows:
            return
        asked, index = index, min(len(self._rows) - 1, max(0, index))
        if index != self._index:
            self._index = index
            self.refresh()
            self._reveal()
            self.post_message(self.Moved())
        if index >= len(self._rows) - _NEAR:
            self.post_message(self.NearEnd())
        if asked < _NEAR:
            self.post_message(self.NearStart())

    def _reveal(self) -> None:
        """Let the chosen row be seen."""
        if self._index is not None:
            row = self._rows[self._index]
            self.scroll_to_region(Region(0, self._tops[self._index], 1, row.height), animate=False, immediate=True)
