"""How people say how old they are."""

import re
from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS
from sojourn.memory.extraction.rules.profile_clause import Line, Predicate
from sojourn.memory.extraction.rules.profile_draft import Draft

YOUNGEST, OLDEST = 4, 110
TRIGGERS: Final = words("age aged old yo as")
_UNITS: Final = {
    word: number
    for number, word in enumerate((
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
        "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    ))
}  # fmt: skip
_TENS: Final = {
    word: 10 * number
    for number, word in enumerate(("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), 2)
}
_GLUED: Final = re.compile(r"(\d{1,3})(?:-\w+-old|-year-old|yo|y/o|yr-old)")
_AFTER: Final = words(
    "and now so but btw today this male female m f with living i who as or actually too lol currently from by not "
    "just , ) ( ; - — – /"
)
_YEARS: Final = words("year years yr yrs y/o yo y.o year-old years-old yrs-old")


def number_at(line: Line, place: int) -> tuple[int, int] | None:
    """Return the number at *place* and where it ends: "31", "thirty one", "thirty-one"."""
    word = line.word(place)
    if word.isascii() and word.isdigit():
        return (int(word), place + 1) if len(word) < 4 else None
    tens, _, unit = word.partition("-")
    if tens in _TENS:
        if unit:
            return (_TENS[tens] + _UNITS[unit], place + 1) if unit in _UNITS else None
        if line.word(place + 1) == "-" and line.word(place + 2) in _UNITS:
            return _TENS[tens] + _UNITS[line.words[place + 2]], place + 3
        following = _UNITS.get(line.word(place + 1), 0)
        return (_TENS[tens] + following, place + 2) if 0 < following < 10 else (_TENS[tens], place + 1)
    return (_UNITS[word], place + 1) if word in _UNITS else None


def draft(line: Line, value: int, family: str, first: int, last: int) -> Iterator[Draft]:
    """Yield the age, if somebody can be so old."""
    if YOUNGEST <= value <= OLDEST:
        yield Draft(field="age", value=value, family=family, start=line.starts[first], end=line.ends[last - 1])


def age_after_be(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I am 31", "I'm a 31 year old nurse", "I'm thirty-one"."""
    if predicate.modal or predicate.wanted or predicate.past or predicate.subject != "i":
        return
    place = predicate.rest
    while line.word(place) in ADVERBS | words("a an age aged at the"):
        place += 1
    glued = _GLUED.fullmatch(line.word(place))
    if glued:
        yield from draft(line, int(glued[1]), "age_old", predicate.start, place + 1)
        return
    found = number_at(line, place)
    last = _end_of_age(line, found[1]) if found else 0
    if found is None or not last:
        return
    for found_age in draft(line, found[0], "age_am" if last == found[1] else "age_old", predicate.start, last):
        if predicate.negated:
            found_age.removes, found_age.family = True, "removed"
        yield found_age


def _end_of_age(line: Line, last: int) -> int:
    """Return where an age ends whose number ends at *last*: past "years old"; 0 if the number counts something else."""
    word = line.word(last)
    if word == "old":
        return last + 1
    if word in _YEARS or (word == "-" and line.word(last + 1) in _YEARS):
        old = next((at for at in range(last, min(line.end, last + 4)) if line.words[at] in {"old", "young"}), 0)
        if old:
            return old + 1
        of_age = line.words[last : last + 3] == ["years", "of", "age"]
        return last + 1 if of_age or word not in {"year", "years"} else 0
    if word in {"-", "/"} and line.word(last + 1).isdigit():
        return 0
    return last if line.is_end(last) or word in _AFTER else 0


def age_after_name(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read the number in "I'm Ana, 31, and live in Oslo"."""
    comma = next(
        (at for at in range(predicate.rest, min(line.end, predicate.rest + 4)) if line.words[at] in {",", "("}), 0
    )
    found = number_at(line, comma + 1) if comma else None
    if found and (line.is_end(found[1]) or line.word(found[1]) in words("and years from yo y/o")):
        yield from draft(line, found[0], "age_am", predicate.start, found[1])


def turns(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I just turned 31"."""
    if not predicate.past or predicate.modal or predicate.wanted or predicate.negated or predicate.subject != "i":
        return
    found = number_at(line, predicate.rest)
    if (
        (
            found
            and (line.is_end(found[1]) or line.word(found[1]) not in words("into down of percent %"))
            and not {"when", "before", "until"} & set(line.words[: predicate.at])
        )
        and "ago" not in line.words
        and not any(word.isdigit() and len(word) == 4 for word in line.words)
    ):
        yield from draft(line, found[0], "age_old", predicate.start, found[1])


def ages(line: Line) -> Iterator[Draft]:
    """Yield ages stated without "I am": "my age is 31", "age: 31", "as a 31 year old, I"."""
    for place, word in enumerate(line.words):
        clause = line.clause(place)
        if clause.is_question or clause.is_hypothetical or clause.is_reported:
            continue
        if (
            word == "age"
            and (line.word(place - 1) == "my" or place == 0 or line.word(place - 1) in {",", ";"})
            and line.word(place + 1) in {"is", ":", "="}
        ):
            found = number_at(line, place + 2)
            if found:
                yield from draft(line, found[0], "age_old", max(0, place - 1), found[1])
        elif word == "as" and line.word(place + 1) == "a" and "i" in line.words[place:]:
            glued = line.word(place + 2).partition("-")
            if glued[0].isdigit() and len(glued[0]) < 4 and glued[2].endswith("old"):
                yield from draft(line, int(glued[0]), "age_old", place, place + 3)
            found = number_at(line, place + 2)
            if found and line.word(found[1]) in _YEARS | {"-"} and "old" in line.words[found[1] : found[1] + 4]:
                yield from draft(line, found[0], "age_old", place, found[1] + 2)
