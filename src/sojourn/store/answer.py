"""What a database answers to a question in SQL, whichever database it is."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a SELECT found: the names of its columns, and rows of as many values. *more*: there were others."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    more: bool = False
