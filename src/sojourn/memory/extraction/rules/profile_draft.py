"""A statement before it is one: what the grammar found, where, and by which kind of pattern.

`MEASURED` gives each kind of pattern its confidence: the share that was right, by labels and by hand count, of what it
found. A pattern has no opinion of its own; to change a confidence, measure again (`benchmarks/memory_profile.py`).
"""

from dataclasses import dataclass
from typing import Final

from sojourn.memory.extraction.statement import Trust

MEASURED: Final[dict[str, float]] = {}
_OTHERWISE: Final = 0.85
_GUESSED: Final = 0.6
"""What the assistant says of the user is right less often, and never taken as true."""


def confidence_of(family: str, trust: Trust) -> float:
    """Return how often what this kind of pattern finds is right."""
    measured = MEASURED.get(family, _OTHERWISE)
    return measured if trust == "user" else round(measured * _GUESSED, 2)


@dataclass(slots=True)
class Draft:
    """What was found in words *start* to *end* of the text. With a *field* it is of the profile, else a fact."""

    family: str
    value: str | int | None
    start: int
    end: int
    field: str = ""
    slot: str | None = None
    content: str = ""
    removes: bool = False
    former: str | int | None = None
    tags: tuple[str, ...] = ()
