"""Making a long text short: its middle is left out, where everybody can see it, and never within a character."""

import unicodedata
from typing import Final

from sojourn.context.tokens import TokenCounter

_JOINER: Final = "\u200d"
_NEAR: Final = 24
"""So far from where it must be cut, a space is looked for."""


def cut_middle(text: str, tokens: int, counter: TokenCounter) -> str:
    """Return *text*, shortened in the middle to at most *tokens* tokens if it is longer; at least the mark remains."""
    if counter.count(text) <= tokens:
        return text
    low, high = 0, len(text)
    while low < high:  # the most characters that fit
        middle = (low + high + 1) // 2
        if counter.count(_shortened(text, middle)) <= tokens:
            low = middle
        else:
            high = middle - 1
    return _shortened(text, low)


def _shortened(text: str, kept: int) -> str:
    head, tail = _boundary(text, (kept + 1) // 2), _boundary(text, len(text) - kept // 2, forward=True)
    left_out = tail - head
    return f"{text[:head].rstrip()}\n[... {left_out:,} characters left out ...]\n{text[tail:].lstrip()}".strip()


def _boundary(text: str, place: int, *, forward: bool = False) -> int:
    """Return the nearest place at or before (or after) *place* where a word, or at least a character, begins."""
    step = 1 if forward else -1
    for distance in range(_NEAR):
        here = place + step * distance
        if not 0 < here < len(text):
            return min(max(here, 0), len(text))
        if text[here - 1].isspace():
            return here
    while 0 < place < len(text) and _continues(text, place):
        place += step
    return place


def _continues(text: str, place: int) -> bool:
    """Tell whether the code point at *place* belongs to the character before it."""
    here, before = text[place], text[place - 1]
    return (
        unicodedata.combining(here) != 0
        or _JOINER in (here, before)
        or unicodedata.category(here) in {"Mn", "Me", "Sk"}
    )
