"""What people say they study, learn and want to become."""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.about_user_facts import closes, fact
from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS, MARKS, STOPS
from sojourn.memory.extraction.rules.lexicon_people import (
    TONGUES,
)  # fmt: skip
from sojourn.memory.extraction.rules.lexicon_tastes import VAGUE
from sojourn.memory.extraction.rules.lexicon_tech import TECHNOLOGY
from sojourn.memory.extraction.rules.profile_clause import Line, Predicate
from sojourn.memory.extraction.rules.profile_draft import Draft
from sojourn.memory.extraction.rules.profile_name import spelled
from sojourn.memory.extraction.rules.profile_phrase import phrase, text_of
from sojourn.memory.extraction.rules.profile_place import place_at
from sojourn.memory.extraction.rules.profile_work import title

_SCHOOL: Final = words("university college school academy institute")


def studies_being(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I am studying law", "I am in high school"."""
    if predicate.negated or predicate.modal or predicate.wanted or predicate.past or predicate.subject != "i":
        return
    place = predicate.rest
    while line.word(place) in ADVERBS:
        place += 1
    word = line.word(place)
    if word in {"studying", "majoring"}:
        yield from _subject(line, place + (2 if line.word(place + 1) == "in" else 1), predicate.start)
    elif word == "in" and line.words[place + 1 : place + 3] == ["high", "school"]:
        yield fact(line, "user/education", "high school", "The user is in high school", (predicate.start, place + 3))
    elif word == "in" and line.word(place + 1) in {"college", "university", "med"} and closes(line, place + 2):
        yield fact(
            line,
            "user/education",
            line.words[place + 1],
            f"The user is in {line.words[place + 1]}",
            (predicate.start, place + 2),
        )


def _subject(line: Line, at: int, start: int) -> Iterator[Draft]:
    item = phrase(line, at, most=4)
    if (
        item is None
        or line.words[item[0]] in VAGUE | words("hard abroad exam exams lot")
        or line.words[item[0]] in TECHNOLOGY
    ):
        return
    value = text_of(line, item)
    yield fact(line, "user/field of study", value, f"The user studies {value}", (start, item[1]))
    if line.word(item[1]) == "at":
        school = phrase(line, item[1] + 1, most=6)
        if school:
            yield fact(
                line,
                "user/school",
                text_of(line, school),
                f"The user studies at {text_of(line, school)}",
                (start, school[1]),
            )


def studies(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I study law at Leiden", "I majored in physics", "I graduated from MIT", "I attend Oslo University"."""
    if predicate.modal or predicate.wanted or predicate.negated:
        return
    verb, at = predicate.verb, predicate.rest
    after = line.word(at)
    if verb == "study" and after == "at" and not predicate.past:
        yield from _school(line, at + 1, predicate.start, "studies at")
    elif verb == "study" and not predicate.past and after not in STOPS:
        yield from _subject(line, at, predicate.start)
    elif verb in {"study", "major"} and (predicate.past or verb == "major"):
        item = phrase(line, at + int(after == "in"), most=4)
        first = line.words[item[0]] if item else ""
        if item and item[0] - at <= 1 and first not in VAGUE | {"hard", "abroad"} and first not in TECHNOLOGY:
            value = text_of(line, item)
            yield fact(line, "user/field of study", value, f"The user studied {value}", (predicate.start, item[1]))
    elif verb == "graduate" and after == "from" and line.word(at + 1) not in {"college", "high"}:
        yield from _school(line, at + 1, predicate.start, "graduated from")
    elif verb == "attend" and not predicate.past:
        yield from _school(line, at, predicate.start, "attends")
    elif verb == "go" and after == "to" and not predicate.past:
        yield from _school(line, at + 1, predicate.start, "goes to")


def _school(line: Line, at: int, start: int, verb: str) -> Iterator[Draft]:
    """Read the school at *at*; where anything else may follow the verb, its name must say that it is one."""
    item = phrase(line, at, most=6)
    if item is None:
        return
    is_school = bool(set(line.words[item[0] : item[1]]) & _SCHOOL)
    if verb == "goes to" and (not is_school or item[1] - item[0] < 2):
        return
    if verb == "attends" and not is_school:
        return
    value = text_of(line, item)
    yield fact(line, "user/school", value, f"The user {verb} {value}", (start, item[1]))


def wants(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read plans and dreams: "I want to be a pilot", "I'd love to live in Kyoto", "I plan to run a marathon"."""
    if predicate.negated or predicate.past or predicate.subject != "i" or line.clause(predicate.at).is_question:
        return
    start, at = predicate.start, predicate.rest
    if predicate.verb in {"be", "become"}:
        item = title(line, at) if line.word(at) in {"a", "an", "the"} else None
        if item:
            value = text_of(line, item)
            yield fact(line, "user/career goal", value, f"The user wants to be a {value}", (start, item[1]))
        return
    if predicate.verb in words("live move relocate retire visit travel"):
        step = at + 1 if line.word(at) in {"to", "in"} else at
        item = place_at(line, step, sure=False)
        if item:
            value = spelled(text_of(line, item))
            attribute = "travel wish" if predicate.verb in {"visit", "travel"} else "wish to live in"
            verb = f"{predicate.verb} {line.word(at)}" if step > at else predicate.verb
            yield fact(line, f"user/{attribute}", value, f"The user would like to {verb} {value}", (start, item[1]))
    elif predicate.verb in words("learn run lose save start open write publish buy get quit improve climb"):
        last = predicate.rest
        while (
            last < line.end
            and last - at < 8
            and line.words[last] not in MARKS
            and line.words[last] not in words("and but so because i that it this when if")
        ):
            last += 1
        goal = set(line.words[at:last])
        long_term = goal & words(
            "language guitar piano marathon weight novel book house business company smoking phd degree "
            "restaurant shop triathlon retirement bakery cafe half-marathon masters"
        ) or (predicate.verb == "learn" and goal & (TONGUES | frozenset(TECHNOLOGY)))
        if long_term:
            value = text_of(line, (predicate.at, last))
            yield fact(line, f"user/goal to {value.lower()}", "yes", f"The user wants to {value}", (start, last))


def learns(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I'm learning Japanese", "I'm training for a marathon"."""
    if predicate.negated or predicate.past or predicate.modal or not predicate.ongoing:
        return
    at = predicate.rest
    if predicate.verb == "train":
        if line.word(at) != "for":
            return
        at += 1
    item = phrase(line, at + (1 if line.word(at) == "to" else 0), most=4)
    if item is None or line.words[item[0]] in VAGUE | {"lot", "curve", "new"}:
        return
    value = text_of(line, item)
    verb = "learning" if predicate.verb == "learn" else "training for"
    yield fact(line, f"user/{verb} {value.lower()}", "yes", f"The user is {verb} {value}", (predicate.start, item[1]))
