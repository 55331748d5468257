"""Figures as people read them: amounts of tokens, shares, and bars."""

from collections.abc import Sequence
from typing import Final

_STEPS: Final = "▁▂▃▄▅▆▇█"


def amount(number: int) -> str:
    """Return a number in at most five characters or so: 950, 2.6k, 44M."""
    if number < 1_000:
        return str(number)
    for unit, size in (("k", 1_000), ("M", 1_000_000), ("G", 1_000_000_000)):
        value = number / size
        if value < 9.95:
            return f"{value:.1f}{unit}"
        if value < 999.5 or unit == "G":
            return f"{value:,.0f}{unit}"
    raise AssertionError("the last unit has no end")


def percent(part: int, whole: int) -> str:
    """Return how much *part* is of *whole* in percent; nothing, if there is no whole."""
    return f"{part / whole:.0%}" if whole > 0 else ""


def sparkline(values: Sequence[int]) -> str:
    """Return a small bar for each value, the highest for the largest; whatever is more than nothing is seen."""
    most = max(values, default=0)
    last = len(_STEPS) - 1
    return "".join(_STEPS[-(-value * last // most)] if value > 0 else _STEPS[0] for value in values)


def gauge(parts: Sequence[tuple[str, int]], whole: int, columns: int) -> str:
    """Return a bar in which each part of *whole* has its share, drawn in its own sign; what is left is dotted.

    A part that is there has a column at least, as long as there are any.
    """
    drawn, passed = "", 0
    for sign, part in parts:
        passed += part
        reached = min(columns, round(columns * passed / max(whole, 1)))
        drawn += sign * max(reached - len(drawn), int(part > 0 and len(drawn) < columns))
    return drawn + "·" * (columns - len(drawn))
