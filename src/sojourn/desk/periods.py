"""Periods of time as people type them: 90d, 12w, 48h."""

import re
from datetime import timedelta
from typing import Final

from sojourn.errors import InvalidInputError

_TYPED: Final = re.compile(r"([0-9]{1,5})([hdw])")
_UNITS: Final = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


def period(text: str) -> timedelta:
    """Return how long the period is that was typed.

    Raises:
        InvalidInputError: it is none.
    """
    read = _TYPED.fullmatch(text.strip())
    if read is None:
        raise InvalidInputError(f"{text!r:.50} is no period: write 90d for days, 12w for weeks or 48h for hours")
    return int(read[1]) * _UNITS[read[2]]
