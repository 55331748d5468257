"""Reading what a model wrote under labels that it was asked to use: `**Confidence:** 0.8`, or a heading and a list.

Models write the labels with and without stars, as headings, in one line or in many. Whatever they write, reading it
never fails: what cannot be found is None or empty, numbers are within their range, and words are compared whole, so
that "INCOMPLETE" is never read as "complete".
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeVar

MAX_ITEMS: Final = 10
MAX_ITEM: Final = 500
"""Characters of one item of a list that are kept."""
_NUMBER: Final = re.compile(r"(-?)([0-9]{0,6}[.,]?[0-9]{1,9})\s*(%|/\s*([0-9]{1,4}))?")
_ITEM: Final = re.compile(r"^[ \t>]*(?:[-*•+]|\**\(?[0-9]{1,3}[.)]\**)[ \t]+(.+)$")
_LEVELS: Final = {"high": 0.9, "medium": 0.6, "moderate": 0.6, "low": 0.3}
_NOTHING: Final = frozenset({"", "none", "n/a", "na", "nothing", "no", "nil", "not applicable", "none needed"})
_NEGATION: Final = re.compile(
    r"(?:\b(?:not|never|no|neither|partially|partly|mostly|almost|nearly|barely|hardly|far from)|n['’]t)"
    r"\W+(?:[^\W_]+\W+){0,2}$",
    re.IGNORECASE,
)
Meaning = TypeVar("Meaning")


def sections(text: str, labels: Sequence[str]) -> dict[str, str]:
    """Return what stands behind each of *labels* in *text*, up to the next label; labels that are not there are not.

    Of a label that stands there twice, the first that says something counts.
    """
    found: dict[str, str] = {}
    marks = list(_pattern(tuple(labels)).finditer(text))
    for place, mark in enumerate(marks):
        end = marks[place + 1].start() if place + 1 < len(marks) else len(text)
        label = " ".join((mark["inline"] or mark["heading"]).casefold().replace("-", " ").split())
        said = text[mark.end() : end].strip().strip("*_").strip()
        if not found.get(label):
            found[label] = said
    return {label: found[key] for label in labels if (key := label.casefold().replace("-", " ")) in found}


@lru_cache(maxsize=32)
def _pattern(labels: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(r"[ \t-]+".join(map(re.escape, re.split(r"[ -]", label))) for label in labels)
    inline = rf"(?<![^\W_])(?P<inline>{names})[ \t*_]*:[ \t*_]*"
    heading = rf"^[ \t>*_#]*(?P<heading>{names})[ \t*_]*$"
    return re.compile(rf"{inline}|{heading}", re.IGNORECASE | re.MULTILINE)


def first_line(text: str | None) -> str:
    """Return the first line of *text* that says something."""
    return next((line.strip() for line in (text or "").splitlines() if line.strip(" \t*_-")), "")


def ratio(text: str | None) -> float | None:
    """Return the first number in *text* as a share from 0 to 1: `0.8`, `80%`, `8/10`, `80`, or "high"; None if none."""
    line = first_line(text)
    match = _NUMBER.search(line)
    if match is None:
        return one_of(line, _LEVELS)
    sign, digits, unit, whole = match.groups()
    number = float(digits.replace(",", "."))
    if sign:
        return 0.0
    if unit == "%":
        number /= 100
    elif whole:
        number /= max(int(whole), 1)
    elif number > 1:
        number /= 10 if number <= 10 else 100
    return min(max(number, 0.0), 1.0)


def whole_number(text: str | None, *, most: int) -> int | None:
    """Return the first whole number in *text*, at most *most*; None if there is none."""
    match = re.search(r"(?<![0-9.])[0-9]{1,6}", first_line(text))
    return None if match is None else min(int(match.group()), most)


def said_yes(text: str | None) -> bool:
    """Tell whether *text* begins with yes, or true."""
    return re.match(r"\W*(?:yes|true)\b", text or "", re.IGNORECASE) is not None


def one_of(text: str | None, words: Mapping[str, Meaning]) -> Meaning | None:
    """Return the meaning of the word of *words* that stands in the first line of *text*; None if several differ.

    A model that repeats all of its choices has chosen none.
    """
    line = first_line(text).casefold()
    meanings = [words[word] for word in words if re.search(rf"(?<![^\W_]){word}(?![^\W_])", line)]
    return meanings[0] if meanings and all(one == meanings[0] for one in meanings) else None


def verdict(text: str | None, *, yes: str, no: str) -> bool | None:
    """Return True if *text* begins by saying *yes*, False for *no* or "not *yes*"; None if it says neither, or both."""
    line = first_line(text)
    said: set[bool] = set()
    for match in re.finditer(rf"(?<![^\W_])(?:({no})|{yes})(?![^\W_])", line, re.IGNORECASE):
        negated = _NEGATION.search(line[max(match.start() - 80, 0) : match.start()]) is not None
        said.add(bool(match.group(1)) == negated)
    return said.pop() if len(said) == 1 else None


def items(text: str | None, *, most: int = MAX_ITEMS) -> tuple[str, ...]:
    """Return the items of the list in *text*, bulleted or numbered, each once, without those that say "none"."""
    listed: Iterable[str] = (match.group(1) for line in (text or "").splitlines() if (match := _ITEM.match(line)))
    clean = (item.strip().strip("*_").strip()[:MAX_ITEM].rstrip() for item in listed)
    return tuple(dict.fromkeys(item for item in clean if item.casefold().strip(" .-") not in _NOTHING))[:most]
