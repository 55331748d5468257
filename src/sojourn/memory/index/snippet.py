"""Cuts the stretch out of a text that shows best why it was found."""

from collections.abc import Sequence
from itertools import islice
from typing import Final

from sojourn.memory.index.spotting import Spot, Spotter

LENGTH: Final = 160
ELLIPSIS: Final = "…"
_SLACK: Final = 24
"""So far a cut is moved to reach a space."""
_JOINERS: Final = ("\u200d", "\ufe0e", "\ufe0f", "\u20e3")


def make_snippet(
    text: str, spotter: Spotter, *, weights: Sequence[float] = (), length: int = LENGTH
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return about *length* characters of *text* around the most telling words, and where these words stand in them.

    Each term counts once, by its weight (1 if there are none), so that a stretch with two different words is better
    than one with the same word twice. White space is written as single spaces. No word is cut unless it is longer than
    the snippet, and no emoji ever.
    """
    text = " ".join(text.split())
    spots = spotter.spots(text)
    start, end = _window(text, spots, weights, length)
    before = ELLIPSIS if start > 0 else ""
    shift = len(before) - start
    inside = [spot for spot in spots if start <= spot.start and spot.end <= end]
    after = ELLIPSIS if end < len(text) else ""
    return before + text[start:end] + after, _merged([(spot.start + shift, spot.end + shift) for spot in inside])


def _window(text: str, spots: Sequence[Spot], weights: Sequence[float], length: int) -> tuple[int, int]:
    if len(text) <= length:
        return 0, len(text)
    first, last = _densest(spots, weights, length)
    room = max(0, length - (last - first))
    start = max(0, min(first - room // 2, len(text) - length))
    end = min(len(text), start + length)
    return _begin_of_word(text, start, max(start, first)), _end_of_word(text, end, last)


def _densest(spots: Sequence[Spot], weights: Sequence[float], length: int) -> tuple[int, int]:
    best, span = 0.0, (0, 0)
    for number, first in enumerate(spots):
        weight, terms = 0.0, set[int]()
        for spot in islice(spots, number, None):
            if spot.end - first.start > length:
                break
            if spot.term not in terms:
                terms.add(spot.term)
                weight += weights[spot.term] if spot.term < len(weights) else 1.0
                if weight > best:
                    best, span = weight, (first.start, spot.end)
    return span


def _begin_of_word(text: str, start: int, latest: int) -> int:
    if start == 0:
        return 0
    space = text.find(" ", start - 1, min(latest, start + _SLACK))
    return space + 1 if space >= 0 else _whole(text, start)


def _end_of_word(text: str, end: int, earliest: int) -> int:
    if end >= len(text):
        return len(text)
    space = text.rfind(" ", max(earliest, end - _SLACK), end + 1)
    return space if space >= 0 else _whole(text, end)


def _whole(text: str, cut: int) -> int:
    """Return the nearest place before *cut* that does not divide an emoji, a flag or a letter from its accents."""
    while 0 < cut < len(text) and _belongs_together(text[cut - 1], text[cut]):
        cut -= 1
    return cut


def _belongs_together(left: str, right: str) -> bool:
    return (
        left == "\u200d"
        or right in _JOINERS
        or "\u0300" <= right <= "\u036f"
        or "\U0001f3fb" <= right <= "\U0001f3ff"
        or ("\U0001f1e6" <= left <= "\U0001f1ff" and "\U0001f1e6" <= right <= "\U0001f1ff")
        or ("\ud800" <= left <= "\udbff" and "\udc00" <= right <= "\udfff")
    )


def _merged(spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
