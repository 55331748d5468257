"""Sessions as lines of a list: the same everywhere where people choose one."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from sojourn.desk.columns import fit, pad, terminal_columns, width
from sojourn.desk.references import short
from sojourn.desk.visible import safe
from sojourn.desk.wording import ago
from sojourn.model.header import SessionHeader

_NARROW: Final = 60
"""Columns below which the number of messages is left out."""
_LEAST: Final = 8


def session_rows(headers: Sequence[SessionHeader], now: datetime) -> list[str]:
    """Return a line for each session: the end of its id, its age, how many messages, and its title.

    The title comes last, so that it may be long, or written from right to left, without moving anything else.
    """
    columns = terminal_columns()
    cells = [[short(header.session_id), ago(header.updated_at, now), _messages(header)] for header in headers]
    if columns is not None and columns < _NARROW:
        cells = [row[:2] for row in cells]
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row, header in zip(cells, headers, strict=True):
        front = "  ".join(pad(cell, size) for cell, size in zip(row, widths, strict=True)) + "  "
        title = session_name(header)
        lines.append(front + (title if columns is None else fit(title, max(_LEAST, columns - width(front)))))
    return lines


def session_name(header: SessionHeader) -> str:
    """Return a session's title in one line, with what should be known of it: its tags, and where it was put."""
    marks = [f"#{tag}" for tag in header.tags]
    marks += ["(archived)"] if header.archived_at is not None else []
    marks += ["(in the trash)"] if header.trashed_at is not None else []
    marks += ["(rewound)"] if header.superseded_by is not None else []
    return safe(" ".join(" ".join([header.title or "no title", *marks]).split()))


def _messages(header: SessionHeader) -> str:
    return f"{header.message_count:,} msgs" if header.message_count != 1 else "1 msg"
