"""What people say with "my": birthday, time zone, native language, goal; and when they were born."""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.about_user_facts import fact, vehicle
from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS, MARKS
from sojourn.memory.extraction.rules.lexicon_people import (
    TONGUES,
    ZONES,
)  # fmt: skip
from sojourn.memory.extraction.rules.profile_clause import Line, Predicate
from sojourn.memory.extraction.rules.profile_draft import Draft
from sojourn.memory.extraction.rules.profile_phrase import phrase, text_of

TRIGGERS: Final = words(
    "birthday anniversary timezone zone language pronouns car goal goals dream email allergic allergy native"
)


def born(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I was born on May 3", "I was born in 1990"."""
    at = predicate.rest
    if line.word(at) in {"on", "in"}:
        value = _date(line, at + 1)
        if value:
            slot = "user/birthday" if line.word(at) == "on" or not line.words[value[0]].isdigit() else "user/birth year"
            text = text_of(line, value)
            yield fact(line, slot, text, f"The user was born {line.word(at)} {text}", (predicate.start, value[1]))


_MONTHS: Final = words(
    "january february march april may june july august september october november december jan feb mar apr jun "
    "jul aug sep sept oct nov dec"
)


def _date(line: Line, at: int) -> tuple[int, int] | None:
    """Return the date at *at*: "May 3", "the 3rd of May 1990", "1990-05-03", "christmas"."""
    while line.word(at) in {"the", "on", "in"}:
        at += 1
    last = at
    seen = False
    while last < line.end and last - at < 6:
        word = line.words[last]
        numeric = word.rstrip("stndrh").replace("/", "").replace("-", "").replace(".", "").isdigit()
        if word in _MONTHS or numeric or word in {"christmas", "halloween", "eve", "valentine's"}:
            seen = True
        elif word not in {"of", ",", "the", "day"}:
            break
        last += 1
    while last > at and line.words[last - 1] in words("of , the - /"):
        last -= 1
    return (at, last) if seen and last > at else None


def stated_facts(line: Line) -> Iterator[Draft]:
    """Yield facts that begin with "my": birthday, time zone, native language, pronouns, car, goal."""
    for place, word in enumerate(line.words):
        clause = line.clause(place)
        if (
            clause.is_question
            or clause.is_hypothetical
            or clause.is_reported
            or line.word(place + 1) not in {"is", "are", ":"}
        ):
            continue
        before = line.words[max(0, place - 3) : place]
        if "my" not in before and not (word == "anniversary" and "our" in before):
            continue
        yield from _mine(line, place, word, before)


def _mine(line: Line, place: int, word: str, before: list[str]) -> Iterator[Draft]:
    start, at = max(0, place - len(before)), place + 2
    while line.words[start] not in {"my", "our"}:
        start += 1
    value, last = "", at + 1
    name = {"bday": "birthday", "timezone": "time zone", "zone": "time zone", "email": "e-mail address"}.get(word, word)
    if word in {"birthday", "anniversary", "bday"}:
        date = _date(line, at)
        value, last = (text_of(line, date), date[1]) if date else ("", last)
    elif word in {"timezone", "zone", "pronouns"} and at < line.end:
        last = line.end if line.end - at < 4 or word == "pronouns" else at + 1
        value = line.original(at, last)
    elif word in {"language", "tongue"} and {"native", "first", "mother"} & set(before) and line.word(at) in TONGUES:
        name, value = "native language", line.words[at].title()
    elif word == "email" and "@" in line.original(at, max(line.end, at + 1)):
        value, last = line.original(at, line.end).split()[0], line.end
    elif word in {"car", "truck", "bike"} and line.word(at) in {"a", "an"}:
        item = phrase(line, at, most=5)
        if item:
            yield vehicle(line, item, start)
    elif word in {"goal", "dream", "plan", "resolution"} and line.word(at) in {"to", "becoming"}:
        yield from _aim(line, at, word, start)
    if value:
        slot = "user/email" if word == "email" else f"user/{name}"
        verb = "are" if word == "pronouns" else "is"
        yield fact(line, slot, value, f"The user's {name} {verb} {value}", (start, last))


def _aim(line: Line, at: int, word: str, start: int) -> Iterator[Draft]:
    last = at
    while last < line.end and last - at < 12 and line.words[last] not in MARKS | {"but", "because", "so"}:
        last += 1
    to = line.word(at) == "to"
    if last > at + int(to):
        aim = text_of(line, (at + int(to), last))
        yield fact(line, f"user/{word}", aim, f"The user's {word} is {'to ' if to else ''}{aim}", (start, last))


def zones(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I'm in CET", "I'm on Pacific time", "I'm in UTC+2"."""
    if predicate.negated or predicate.past or predicate.modal or predicate.subject != "i":
        return
    at = predicate.rest
    while line.word(at) in ADVERBS:
        at += 1
    if line.word(at) not in {"in", "on", "at"}:
        return
    at += 2 if line.word(at + 1) == "the" else 1
    zone = line.word(at).rstrip("+-0123456789:")
    if zone not in ZONES:
        return
    if zone in {"pacific", "eastern", "central", "mountain"} and line.word(at + 1) not in {
        "time",
        "timezone",
        "standard",
        "daylight",
    }:
        return
    last = at + 1
    while line.word(last) in words("+ - time standard daylight") or line.word(last).isdigit():
        last += 1
    value = line.original(at, last)
    yield fact(line, "user/time zone", value, f"The user's time zone is {value}", (predicate.start, last))
