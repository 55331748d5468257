"""Amounts of money as people type them: dollars, and at most six digits behind the point."""

from decimal import Decimal, InvalidOperation
from typing import Final

from sojourn.errors import InvalidInputError

_MICROS: Final = 1_000_000
_MOST: Final = 1_000_000
"""Dollars: whoever types more has typed too much."""


def micros(text: str) -> int:
    """Return how many millionths of a dollar *text* is.

    Raises:
        InvalidInputError: it is no amount, or not more than nothing.
    """
    try:
        amount = Decimal(text.strip().removeprefix("$"))
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or not 0 < amount <= _MOST:
        raise InvalidInputError(f"{text!r:.50} is no amount of dollars: write one above 0, as in 0.50")
    return max(1, int(amount * _MICROS))
