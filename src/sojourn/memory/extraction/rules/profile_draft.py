"""A statement before it is one: what the grammar found, where, and by which kind of pattern.

A confidence is the share of what a kind of pattern finds that is right, counted by labels and by hand in two sorts of
text: small talk, where people tell of themselves, and questions to an assistant, where they only mention themselves.
Told outright ("I live in Oslo", "I love jazz"), it is right nearly always in both. What is shown and not told ("I'm
reading a novel", "I like the second one") is right in small talk and every other time elsewhere, so it stands in
between. To change a confidence, measure again (`benchmarks/memory_profile.py`).
"""

from dataclasses import dataclass
from typing import Final

from sojourn.memory.extraction.statement import Trust

MEASURED: Final[dict[str, float]] = {
    **dict.fromkeys(("name_am", "name_is", "name_call", "name_called", "answer", "age_am", "age_old"), 0.97),
    **dict.fromkeys(("name_here", "name_signed", "corrected", "removed", "forget"), 0.9),
    **dict.fromkeys(("location_live", "location_moved", "location_where", "location_in", "location_here"), 0.95),
    **dict.fromkeys(("location_from", "location_trailing", "location_mention", "location_kind"), 0.92),
    **dict.fromkeys(("work_am", "work_as", "work_field", "work_job", "work_own", "work_status"), 0.96),
    **dict.fromkeys(("work_at", "work_verb", "work_serve", "work_known"), 0.9),
    **dict.fromkeys(("likes", "likes_to", "likes_we", "favorite", "is_into", "does_object", "does_go"), 0.95),
    **dict.fromkeys(("does", "does_consume", "engaged", "watches", "favorite_apposed", "interested"), 0.85),
    **dict.fromkeys(("likes_the", "likes_new", "likes_it", "prefers", "consumes"), 0.8),
    **dict.fromkeys(("wants", "mentions"), 0.65),
    "style_once": 0.75,
}
_OTHERWISE: Final = 0.95
"""Of what else is told outright: skills, projects, facts of life."""
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
