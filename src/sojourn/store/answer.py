"""What a database answers to a question in SQL, whichever database it is."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from sojourn.errors import StoreError

MAX_BYTES: Final = 256 << 20
"""How large an answer may be, by its texts and bytes: it is in memory, and so is what is printed of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a SELECT found: the names of its columns, and rows of as many values. *more*: there were others."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    more: bool = False


class Room:
    """The room that is left for an answer. Lives while its rows come in."""

    def __init__(self) -> None:
        self._left = MAX_BYTES

    def take(self, row: Iterable[Any]) -> None:
        """Make room for a row.

        Raises:
            StoreError: there is none left.
        """
        self._left -= sum(len(value) for value in row if isinstance(value, str | bytes))
        if self._left < 0:
            raise StoreError(f"the answer is larger than {MAX_BYTES >> 20} MiB; ask for less at once")
