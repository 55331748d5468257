"""Cuts a text into the pieces that are embedded, each by itself.

A vector of a long text is near to nothing in particular, so what is longer than `SIZE` characters is cut at the ends of
sentences, and the pieces overlap so that no sentence is known by half of it only. A document is then as near to a
question as its nearest piece.
"""

import re
from typing import Final

SIZE: Final = 512
OVERLAP: Final = 50
LOOK_BACK: Final = 100
"""Within so many characters of its end a piece is cut after a sentence, or else at a space."""

_SENTENCE_END: Final = re.compile(r"[.!?](?=\s|$)|[。！？]")
_SPACE: Final = re.compile(r"\s")


def texts_to_embed(text: str) -> list[str]:
    """Return the pieces of *text* to embed, in order; none if there is nothing but space in it."""
    return [piece for first, last in spans(text) if (piece := text[first:last].strip())]


def spans(text: str, *, size: int = SIZE, overlap: int = OVERLAP) -> list[tuple[int, int]]:
    """Return the (start, end) of pieces of at most *size* characters that cover all of *text*, in order.

    Each begins at most *overlap* characters before the end of the one before it, at the beginning of a word if there is
    one in that stretch.
    """
    found = []
    start = 0
    while len(text) - start > size:
        end = _cut(text, start, start + size)
        found.append((start, end))
        start = _restart(text, max(start + 1, end - overlap), end)
    return [*found, (start, len(text))] if text else []


def _cut(text: str, start: int, limit: int) -> int:
    earliest = max(start + 1, limit - LOOK_BACK)
    for boundary in (_SENTENCE_END, _SPACE):
        ends = [match.end() for match in boundary.finditer(text, earliest, limit)]
        if ends:
            return ends[-1]
    return limit


def _restart(text: str, earliest: int, end: int) -> int:
    if text[earliest - 1].isspace():
        return earliest
    space = _SPACE.search(text, earliest, end)
    return space.end() if space else earliest
