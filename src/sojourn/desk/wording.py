"""How things are said to people: when something was, what it cost, what went wrong, and a text in one line."""

import re
from datetime import datetime
from typing import Final

from sojourn.errors import (
    AccessError,
    ConflictError,
    CorruptError,
    InvalidInputError,
    NotFoundError,
    SessionNotFoundError,
    SojournError,
)

_TOLD_BY_DETAIL: Final = {AccessError, ConflictError, InvalidInputError, NotFoundError, SessionNotFoundError}
"""Errors that are raised for many reasons: their own sentence says less than what they are about."""
_VALUES: Final = re.compile(r"\w+=\S+(?: \w+=\S+)*")

_DOCTOR: Final = "sojourn doctor says what is damaged and what can be done"
_UNITS: Final = (("y", 365 * 86_400), ("d", 86_400), ("h", 3_600), ("min", 60))


def ago(then: datetime, now: datetime) -> str:
    """Return how long ago something was, in the largest unit that it fills."""
    seconds = max(0, int((now - then).total_seconds()))
    return next((f"{seconds // size}{unit} ago" for unit, size in _UNITS if seconds >= size), "just now")


def money(micros: int) -> str:
    """Return an amount as people read it."""
    if micros == 0:
        return "$0.00"
    return f"${micros / 1_000_000:,.2f}" if micros >= 10_000 else "<$0.01"


def complaint(error: SojournError) -> str:
    """Return what went wrong, in a sentence: what the error is about alone, where that is one and says it all."""
    detail = error.detail
    says_all = type(error) in _TOLD_BY_DETAIL and detail and not _VALUES.fullmatch(detail)
    return detail if says_all else str(error)


def advice(error: Exception) -> list[str]:
    """Return what may help, a line each: what was noted on the error, and for damage where more is said of it."""
    return [*getattr(error, "__notes__", ()), *([_DOCTOR] if isinstance(error, CorruptError) else ())]


def count(number: int, noun: str) -> str:
    """Return how many there are of something, with an s unless it is one."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def size(number: int) -> str:
    """Return how many bytes there are, in the largest unit that they fill."""
    amount = float(number)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:,.1f} TiB"


def one_line(text: str, most: int = 90) -> str:
    """Return *text* in one line of at most *most* characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
