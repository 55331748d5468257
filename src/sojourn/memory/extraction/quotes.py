"""Finding the words that a model says it read. It quotes, but does not know where; so what it quotes is looked for.

A quote may differ from the text in case, spacing and the form of quotation marks and dashes, which models change as
they copy, and in nothing else.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from sojourn.memory.extraction.statement import Heard
from sojourn.model.events import Span

MIN_QUOTE: Final = 2
"""Letters and digits that a quote has at least; less stands everywhere and proves nothing."""
MAX_END: Final = 10_000
"""Characters of each end of a long message in which a quote that was changed is looked for."""
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


def forget_texts() -> None:
    """Forget the messages that were looked through; called when all quotes of an exchange are found."""
    _folded_message.cache_clear()


def _places(quote: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield each (start, end) at which *quote* stands in *text* as whole words, first where it does to the letter."""
    plain = quote.strip(_AROUND)
    if sum(character.isalnum() for character in plain) < MIN_QUOTE:
        return
    for at in _occurrences(plain, text):
        yield at, at + len(plain)
    wanted, _ = _folded(plain)
    for first, part in _ends(text):
        folded, origins = _folded_message(part)
        for at in _occurrences(wanted, folded):
            yield first + origins[at], first + origins[at + len(wanted) - 1] + 1


def _occurrences(wanted: str, text: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        if _is_boundary(text, at) and _is_boundary(text, at + len(wanted)):
            yield at
        at = text.find(wanted, at + 1)


def _ends(text: str) -> list[tuple[int, str]]:
    """Return the parts of *text* that a model is shown, and where they begin: all of it, or both ends of a long one."""
    if len(text) <= 2 * MAX_END:
        return [(0, text)]
    return [(0, text[:MAX_END]), (len(text) - MAX_END, text[-MAX_END:])]


def _is_boundary(text: str, at: int) -> bool:
    return not (0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum() and text[at].isascii())


@lru_cache(maxsize=32)
def _folded_message(text: str) -> tuple[str, list[int]]:
    return _folded(text)


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
