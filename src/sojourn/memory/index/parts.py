"""What a text is made of, for search: its words, and the grams of what is not written in words.

A word search cannot look inside `max_retry_count`, a path, or a sentence in a script without spaces. Such runs are
cut into grams (three characters of an identifier; one and two of a script without spaces), and a part of a run is
found where all of its grams stand. Prose has no grams.

Everything is compared in one case and one form (NFKC); all that separates in an identifier counts as one and the same
character, so `main_window`, `main-window` and `main/window` are one part.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

MAX_WORD: Final = 255
"""A longer run of letters and digits is no word."""
MAX_RUN: Final = 512
"""Characters of one identifier that are cut into grams: what is longer is data, not a name."""
SEPARATOR: Final = "·"
"""What stands for one or more separators within a run. No gram holds a space or other ASCII punctuation."""

_WORD: Final = re.compile(r"[^\W_]+")
_ACCENTS: Final = re.compile("[\u0300-\u036f]+")

# Thai to Myanmar, Khmer, kana, Han, Hangul (its words have endings), Yi, Han beyond the first plane.
_DENSE: Final = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua000-\ua48f\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
_DENSE_RUN: Final = re.compile(f"[{_DENSE}]+")
_NAME_RUN: Final = re.compile(rf"(?:(?![{_DENSE}])[\w./\\:@#+~=?&%$-])+")
# What tells an identifier from prose: an underscore, a separator inside, a digit by a letter, a capital inside.
_NAME: Final = re.compile(
    r"\w_\w|_\w|[^\W_][./\\:@#+~=?&%$]+[^\W_]|[^\W\d_]\d|\d[^\W\d_]|\d-\w|\w-\d|[a-z][A-Z]|[A-Z]{2}[a-z]"
)
_APARTS: Final = re.compile(r"(?:[^\w]|_)+")


def words_of(text: str) -> list[str]:
    """Return the words of *text* in order: runs of letters and digits, in one case, without accents."""
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    folded = unicodedata.normalize("NFC", plain).casefold()
    return [word for word in _WORD.findall(folded) if len(word) <= MAX_WORD]


def grams_of(text: str) -> list[str]:
    """Return the grams of the runs in *text* that are not words of prose, each once, in order."""
    found: dict[str, None] = {}
    normal = unicodedata.normalize("NFKC", text)
    for run in _NAME_RUN.finditer(normal):
        if _NAME.search(run[0]):
            found.update(dict.fromkeys(_threes(_name(run[0])[:MAX_RUN])))
    for run in _DENSE_RUN.finditer(normal):
        found.update(dict.fromkeys(_ones_and_twos(run[0])))
    return list(found)


def grams_of_part(part: str) -> list[str]:
    """Return the grams that a text with *part* in one of its runs must hold; none if it is too short to be found."""
    found: dict[str, None] = {}
    normal = unicodedata.normalize("NFKC", part)
    for run in _NAME_RUN.finditer(normal):
        found.update(dict.fromkeys(_threes(_name(run[0])[:MAX_RUN])))
    for run in _DENSE_RUN.finditer(normal):
        found.update(dict.fromkeys(_ones_and_twos(run[0])))
    return list(found)


def holds_part(text: str, part: str) -> bool:
    """Tell whether *part* stands in *text*, as grams compare them."""
    wanted = _name(unicodedata.normalize("NFKC", part))
    return bool(wanted) and wanted in _name(unicodedata.normalize("NFKC", text))


def _name(run: str) -> str:
    return _APARTS.sub(SEPARATOR, run.casefold()).strip(SEPARATOR)


def _threes(name: str) -> Iterator[str]:
    return (name[start : start + 3] for start in range(len(name) - 2))


def _ones_and_twos(run: str) -> Iterator[str]:
    yield from run
    yield from (run[start : start + 2] for start in range(len(run) - 1))
