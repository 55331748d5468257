"""When two sentences say the same: words compared whole, without case, plural or punctuation.

Numbers and negations always tell sentences apart: "the limit is 100" is not "the limit is 1000", and "likes tea" is not
"does not like tea", however many words they share.
"""

import re
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+(?:['’.:/@-][^\W_]+)*", re.UNICODE)
_NEGATIONS: Final = frozenset({"no", "not", "never", "none", "without", "cannot", "nor", "neither"})
_FILLERS: Final = frozenset({"a", "an", "the", "is", "are", "was", "were", "be", "been", "of", "to", "in", "on", "at"})
SAME: Final = 0.85
"""How many of all their words two sentences must share to count as one."""


def words(text: str) -> list[str]:
    """Return the words of *text* in order, in one case, singular."""
    return [_stem(word) for word in _WORD.findall(text.casefold().replace("’", "'"))]


def normalised(text: str) -> str:
    """Return *text* without case, punctuation and spacing: what makes two spellings of a sentence one."""
    return " ".join(_WORD.findall(text.casefold().replace("’", "'")))


def says_the_same(one: str, other: str, *, least: float = SAME) -> bool:
    """Tell whether the two sentences say the same in nearly the same words: at least this share of all of them."""
    if normalised(one) == normalised(other):
        return True
    first, second = words(one), words(other)
    if _apart(first) != _apart(second):
        return False
    left, right = set(first) - _FILLERS, set(second) - _FILLERS
    return bool(left and right) and len(left & right) / len(left | right) >= least


def terms(query: str) -> frozenset[str]:
    """Return the words of *query* that tell texts apart; all of them, if none does."""
    asked = frozenset(words(query))
    return asked - _FILLERS or asked


def coverage(asked: frozenset[str], text: str) -> float:
    """Return which share of the terms *asked* stands in *text*, from 0 to 1."""
    return len(asked.intersection(words(text))) / len(asked) if asked else 0.0


def overlap(query: str, text: str) -> float:
    """Return which share of the words of *query* stands in *text*, from 0 to 1."""
    return coverage(terms(query), text)


def _stem(word: str) -> str:
    word = word.removesuffix("'s")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _apart(found: list[str]) -> tuple[list[str], bool]:
    """Return what no paraphrase changes: the numbers, in order, and whether there is an odd number of negations."""
    numbers = [word for word in found if any(character.isdigit() for character in word)]
    negations = sum(word in _NEGATIONS or word.endswith("n't") for word in found)
    return numbers, negations % 2 == 1
