"""When two sentences say the same: words compared whole, without case, plural or punctuation.

Numbers and negations always tell sentences apart: "the limit is 100" is not "the limit is 1000", and "likes tea" is not
"does not like tea", however many words they share.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

_WORD: Final = re.compile(r"[^\W_]+(?:['’.:/@-][^\W_]+)*", re.UNICODE)
_NEGATIONS: Final = frozenset({"no", "not", "never", "none", "without", "cannot", "nor", "neither"})
_FILLERS: Final = frozenset({"a", "an", "the", "is", "are", "was", "were", "be", "been", "of", "to", "in", "on", "at"})
SAME: Final = 0.85
"""How many of all their words two sentences must share to count as one."""


def words(text: str) -> list[str]:
    """Return the words of *text* in order, in one case, singular."""
    return [_stem(word) for word in _found(text)]


def normalised(text: str) -> str:
    """Return *text* without case, punctuation and spacing: what makes two spellings of a sentence one."""
    return " ".join(_found(text))


class Sentence(NamedTuple):
    """A sentence taken apart, to be compared with many others."""

    plain: str
    """It without case, punctuation and spacing."""
    meaning: frozenset[str]
    """Its words, singular, without fillers."""
    apart: tuple[tuple[str, ...], bool]
    """What no paraphrase changes: the numbers, in order, and whether there is an odd number of negations."""

    def says_the_same(self, other: "Sentence", *, least: float = SAME) -> bool:
        """Tell whether the other sentence says the same: *least* is the share of all their words to have in common."""
        if self.plain == other.plain:
            return True
        if self.apart != other.apart or not self.meaning or not other.meaning:
            return False
        return len(self.meaning & other.meaning) / len(self.meaning | other.meaning) >= least


@lru_cache(maxsize=4096)
def sentence(text: str) -> Sentence:
    """Take *text* apart. The last few thousand are remembered: the same facts are compared with whatever is learned."""
    found = _found(text)
    stems = [_stem(word) for word in found]
    numbers = tuple(word for word in stems if any(character.isdigit() for character in word))
    negations = sum(word in _NEGATIONS or word.endswith("n't") for word in stems)
    return Sentence(" ".join(found), frozenset(stems) - _FILLERS, (numbers, negations % 2 == 1))


def says_the_same(one: str, other: str, *, least: float = SAME) -> bool:
    """Tell whether the two sentences say the same in nearly the same words: at least this share of all of them."""
    return sentence(one).says_the_same(sentence(other), least=least)


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


def _found(text: str) -> list[str]:
    return _WORD.findall(text.casefold().replace("’", "'"))


def _stem(word: str) -> str:
    word = word.removesuffix("'s")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
