"""Finding the words that a model says it read. It quotes, but does not know where; so what it quotes is looked for.

A quote may differ from the text in case, spacing and the form of quotation marks and dashes, which models change as
they copy, and in nothing else.
"""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.statement import Heard
from sojourn.model.events import Span

MIN_QUOTE: Final = 2
"""Letters and digits that a quote has at least; less stands everywhere and proves nothing."""
_ALIKE: Final = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‑": "-", "…": "."})
_AROUND: Final = " \t\r\n\"'“”‘’…."


def locate(quote: str, heard: Heard) -> Span | None:
    """Return where *quote* first stands in the message, outside of what was injected; None if it does not."""
    for start, end in _places(quote, heard.text):
        if not any(start < last and first < end for first, last in heard.injected):
            return Span(seq=heard.seq, start=start, end=end)
    return None


def stands_in(quote: str, text: str) -> bool:
    """Tell whether *quote* is anywhere in *text*."""
    return next(_places(quote, text), None) is not None


def _places(quote: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield each (start, end) at which *quote* stands in *text*, as whole words, from the first on."""
    wanted, _ = _folded(quote.strip(_AROUND))
    if sum(character.isalnum() for character in wanted) < MIN_QUOTE:
        return
    folded, origins = _folded(text)
    at = folded.find(wanted)
    while at >= 0:
        after = at + len(wanted)
        if _is_boundary(folded, at) and _is_boundary(folded, after):
            yield origins[at], origins[after - 1] + 1
        at = folded.find(wanted, at + 1)


def _is_boundary(text: str, at: int) -> bool:
    return not (0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum() and text[at].isascii())


def _folded(text: str) -> tuple[str, list[int]]:
    """Return *text* in one spelling, and for each character of that the place in *text* that it comes from."""
    characters: list[str] = []
    origins: list[int] = []
    for place, character in enumerate(text):
        if character.isspace():
            if characters and characters[-1] == " ":
                continue
            folded = " "
        else:
            folded = character.casefold().translate(_ALIKE)
        characters.extend(folded)
        origins.extend([place] * len(folded))
    return "".join(characters), origins
