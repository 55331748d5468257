"""Tables as wide as the terminal is: what matters less goes first where there is no room."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from sojourn.desk.columns import fit, pad, terminal_columns, width
from sojourn.desk.visible import safe

_GAP: Final = "  "
_LEAST: Final = 8
"""Columns of the last cell that are shown however narrow the terminal is."""
_WANTED: Final = 40
"""Columns that a text at the end should have, before those that may go get theirs."""


class Column(NamedTuple):
    """A column of a table: its title, whether its cells are numbers, and whether it may go where there is no room."""

    title: str
    number: bool = False
    may_go: bool = False


def table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a line of titles and one for each row, as wide as the terminal is; nothing, if there are no rows.

    Where there is no room, columns that may go do, the last of them first; then the last column is cut. A column
    without a single cell is left out.
    """
    if not rows:
        return []
    rows = [[safe(cell) for cell in row] for row in rows]  # what is made visible takes room, too
    kept = [place for place in range(len(columns)) if any(row[place] for row in rows)]
    most = terminal_columns()
    widths = {place: max([width(columns[place].title), *[width(row[place]) for row in rows]]) for place in kept}
    for place in reversed(kept):
        if most is not None and columns[place].may_go and _needed(columns, kept, widths) > most:
            kept.remove(place)
    titles = [column.title for column in columns]
    return [_line(row, columns, kept, widths, most) for row in (titles, *rows)]


def _needed(columns: Sequence[Column], kept: Sequence[int], widths: dict[int, int]) -> int:
    """Return how wide the table should be: a text at its end may be cut, but not to a few words."""
    last = widths[kept[-1]] if columns[kept[-1]].number else min(widths[kept[-1]], _WANTED)
    return sum(widths[place] + len(_GAP) for place in kept[:-1]) + last


def _line(
    row: Sequence[str], columns: Sequence[Column], kept: Sequence[int], widths: dict[int, int], most: int | None
) -> str:
    cells = [_cell(row[place], widths[place], number=columns[place].number) for place in kept[:-1]]
    front = "".join(f"{cell}{_GAP}" for cell in cells)
    last = _cell(row[kept[-1]], widths[kept[-1]], number=columns[kept[-1]].number)
    room = None if most is None else max(_LEAST, most - width(front))
    return f"{front}{last.rstrip() if room is None else fit(last.rstrip(), room)}".rstrip()


def _cell(text: str, size: int, *, number: bool) -> str:
    return " " * (size - width(text)) + text if number else pad(text, size)
