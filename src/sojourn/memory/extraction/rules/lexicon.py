"""How the word lists of the rules are written: words apart by spaces, phrases apart by line breaks or semicolons."""

from functools import cache


@cache
def words(text: str) -> frozenset[str]:
    """Return the words of *text*: the same set each time, so that a list may stand where it is used."""
    return frozenset(text.split())


def phrases(text: str) -> frozenset[str]:
    """Return the phrases of *text*, one a line or apart by semicolons."""
    return frozenset(phrase for part in text.splitlines() for piece in part.split(";") if (phrase := piece.strip()))
