"""The stem that the forms of an English word share, and where words with given stems stand in a text.

The stems are those of M. F. Porter's algorithm ("An algorithm for suffix stripping", 1980), which the databases use as
well, so that what a database finds is what ranking counts and a snippet shows. A word in another script is its own
stem.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

_RUN: Final = re.compile("v+c+")
_SECOND: Final = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "logi": "log",
}  # fmt: skip
_THIRD: Final = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_FOURTH: Final = dict.fromkeys(
    ("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion",
     "ou", "ism", "ate", "iti", "ous", "ive", "ize"), ""
)  # fmt: skip
LONGEST_WORD: Final = 64
"""A longer run of letters is data; it has no stem but itself."""


def fold(text: str) -> str:
    """Return *text* in one case, without accents if that leaves every character at its place."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(one.lower() if len(one.lower()) == 1 else one for one in text)
    if lower.isascii():
        return lower
    return "".join(unicodedata.normalize("NFD", one)[0] if _may_have_accent(one) else one for one in lower)


def _may_have_accent(one: str) -> bool:
    # Latin letters only: in Hangul and kana the same decomposition makes another letter.
    return "\u00c0" <= one <= "\u024f" or "\u1e00" <= one <= "\u1eff"


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the stem of a *word* in lower case."""
    if len(word) <= 2 or len(word) > LONGEST_WORD or not (word.isascii() and word.isalpha()):
        return word
    word = _without_ending(_without_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _SECOND, runs=1)
    word = _replaced(word, _THIRD, runs=1)
    word = _replaced(word, _FOURTH, runs=2)
    if word.endswith("e"):
        runs = _runs(word[:-1])
        if runs > 1 or (runs == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _runs(word) > 1 else word


def occurrences(folded: str, stems: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, which of *stems*) for each word of *folded* that has one of these stems, in no fixed order.

    It looks at the words that begin like one of them: for many stems, look at every word instead.
    """
    for which, wanted in enumerate(stems):
        # Stemming changes the last letters only: what all forms begin with is looked for, then each form is compared.
        begin = wanted[:-1] if len(wanted) > 3 or wanted.endswith("i") else wanted
        at = folded.find(begin)
        while at >= 0:
            if at and folded[at - 1].isalnum():
                at = folded.find(begin, at + 1)
                continue
            end = _word_end(folded, at)
            if end - at <= LONGEST_WORD and stem(folded[at:end]) == wanted:
                yield at, end, which
            at = folded.find(begin, end)


def _word_end(text: str, start: int) -> int:
    end = start
    while end < len(text) and text[end].isalnum():
        end += 1
    return max(end, start + 1)


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_ending(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _runs(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        rest = word.removesuffix(ending)
        if rest != word and _has_vowel(rest):
            return _mended(rest)
    return word


def _mended(word: str) -> str:
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if len(word) > 1 and word[-1] == word[-2] and _shape(word).endswith("c") and word[-1] not in "lsz":
        return word[:-1]
    return word + "e" if _runs(word) == 1 and _ends_short(word) else word


def _replaced(word: str, endings: dict[str, str], *, runs: int) -> str:
    for length in range(min(7, len(word)), 1, -1):
        ending = word[-length:]
        if ending in endings:
            rest = word[:-length]
            if _runs(rest) < runs or (ending == "ion" and rest[-1:] not in ("s", "t")):
                return word
            return rest + endings[ending]
    return word


def _shape(word: str) -> str:
    """Return a letter for each letter of *word*: v for a vowel, c for a consonant. A y after a consonant is a vowel."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _runs(word: str) -> int:
    return len(_RUN.findall(_shape(word)))


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _ends_short(word: str) -> bool:
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"
