"""What a panel is made of: rows with a mark before the text, and a figure behind it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.style import Style
from rich.table import Table
from rich.text import Text

from sojourn.desk.figures import gauge
from sojourn.desk.visible import safe
from sojourn.desk.wording import one_line
from sojourn.tui.host import Host

MOST: Final = 80
"""Characters of a stored text that a panel shows."""
_GAP: Final = 2
ROW: Final = "row"
"""What the mouse finds under it: the number of a row."""

Act = Callable[[Host], Awaitable[None]]
"""What happens when a row is chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line, or a few if the text is long. A row that can *act* can be chosen."""

    text: RenderableType
    mark: str = ""
    right: str = ""
    style: str = ""
    mark_style: str = ""
    act: Act | None = None


class Gauge:
    """A bar as wide as there is room: each part of *whole* in its own sign, the rest dotted."""

    def __init__(self, parts: Sequence[tuple[str, int]], whole: int, *, style: str = "") -> None:
        self._parts = parts
        self._whole = whole
        self._style = style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(gauge(self._parts, self._whole, options.max_width), style=self._style, no_wrap=True)


class Flow:
    """Short pieces, as many in each line as there is room for; none is broken in two, unless it fills a line alone."""

    def __init__(self, pieces: Sequence[Text]) -> None:
        self._pieces = pieces

    @property
    def plain(self) -> str:
        """What they say, one after the other."""
        return "  ".join(piece.plain for piece in self._pieces)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        line = Text()
        for piece in self._pieces:
            if line and line.cell_len + _GAP + piece.cell_len > options.max_width:
                yield line
                line = Text()
            line = line.append(" " * _GAP).append_text(piece) if line else piece.copy()
        yield line


def written(text: str, *, most: int = MOST) -> str:
    """Return a stored text as a panel shows it: in one line, cut, and harmless."""
    return safe(one_line(text, most=most))


def drawn(rows: Sequence[Row], *, chosen: int | None) -> Table:
    """Return *rows* as a table. The row with the number *chosen*, counted from 0, is the one that the cursor is on."""
    table = Table.grid(expand=True, padding=(0, 1, 0, 0))
    table.add_column(width=1, no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    figures = any(row.right for row in rows)
    if figures:
        table.add_column(justify="right", no_wrap=True)
    for number, row in enumerate(rows):
        meta = Style(meta={ROW: number})
        text = Text(row.text) if isinstance(row.text, str) else row.text
        cells: list[RenderableType] = [Text(row.mark, style=row.mark_style), text]
        if figures:
            cells.append(Text(row.right))
        style = Style.parse(row.style) + meta
        table.add_row(*cells, style=style + Style(reverse=True) if number == chosen else style)
    return table
