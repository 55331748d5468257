"""Columns of a terminal: how many there are, how many a text takes, and the part of it that fits."""

import os
import sys
import unicodedata
from collections.abc import Iterator
from typing import Final

_ELLIPSIS: Final = "…"
_JOINER: Final = "\u200d"
_JOINERS: Final = {"\u200c", _JOINER}
_TONES: Final = {chr(code) for code in range(0x1F3FB, 0x1F400)}
"""Colours of skin: they change the emoji before them."""
_LEAST: Final = 20
"""A terminal that says it is narrower is not believed."""


def terminal_columns() -> int | None:
    """Return how wide lines may be; None if nobody said so, as when a program reads them."""
    said = os.environ.get("COLUMNS", "")
    if said.isascii() and said.isdigit() and int(said) > 0:
        return max(_LEAST, int(said))
    try:
        found = os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):  # it is no terminal, or it is closed
        return None
    return max(_LEAST, found) if found > 0 else None


def width(text: str) -> int:
    """Return how many columns *text* takes: two for a wide character, none for a mark above or below another."""
    return len(text) if text.isascii() else sum(_widths(text))


def fit(text: str, columns: int) -> str:
    """Return *text*, or as much of it as *columns* hold, with a sign that it goes on. No character is cut in two."""
    if width(text) <= columns:
        return text
    kept, used = [], 1
    for character, columns_of_it in zip(text, _widths(text), strict=True):
        used += columns_of_it
        if used > columns:
            break
        kept.append(character)
    return "".join(kept) + _ELLIPSIS


def pad(text: str, columns: int) -> str:
    """Return *text* with spaces behind it, so that it takes at least *columns*."""
    return text + " " * (columns - width(text))


def _widths(text: str) -> Iterator[int]:
    """Yield how many columns each character adds: what is joined to the one before it adds none."""
    before = ""
    for character in text:
        is_tone = character in _TONES and before != ""
        yield 0 if before == _JOINER or is_tone else _width(character)
        before = character


def _width(character: str) -> int:
    if character in _JOINERS or unicodedata.category(character) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
