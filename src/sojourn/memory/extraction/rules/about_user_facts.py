"""What people say of themselves that is no field of the profile: diet, health, languages, car."""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS, STOPS
from sojourn.memory.extraction.rules.lexicon_people import (
    BELONGINGS,
    CARS,
    CONDITIONS,
    DIETS,
    FAITHS,
    MARITAL,
    NATIONS,
    STATES,
    TONGUES,
)  # fmt: skip
from sojourn.memory.extraction.rules.lexicon_tastes import DRINKS, FOODS, VAGUE
from sojourn.memory.extraction.rules.profile_clause import Line, Predicate
from sojourn.memory.extraction.rules.profile_draft import Draft
from sojourn.memory.extraction.rules.profile_name import name_at, spelled
from sojourn.memory.extraction.rules.profile_phrase import listing, phrase, text_of

_EATEN: Final = FOODS | DRINKS | words("gluten dairy sugar alcohol animals shellfish lactose seafood caffeine carbs")


def fact(
    line: Line, slot: str | None, value: str, content: str, span: tuple[int, int], *, removes: bool = False
) -> Draft:
    """Return the draft of a fact about the user that words *span* of the line state."""
    return Draft(
        family="fact",
        slot=slot,
        value=value,
        content=content,
        start=line.starts[span[0]],
        end=line.ends[span[1] - 1],
        removes=removes,
    )


def facts_after_be(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I am vegan", "I am allergic to nuts", "I am married to Ana", "I am German", "I am diabetic"."""
    if predicate.modal or predicate.wanted or predicate.past or predicate.subject != "i":
        return
    place = predicate.rest
    while line.word(place) in ADVERBS | words("not strictly mildly severely deathly highly half"):
        place += 1
    start = predicate.start
    if line.word(place) == "allergic" and line.word(place + 1) == "to":
        yield from _allergies(line, place + 2, start, negated=predicate.negated)
        return
    for length in (4, 3, 2, 1):
        text = " ".join(line.words[place : place + length])
        if place + length > line.end or not closes(line, place + length):
            continue
        plain = text.removeprefix("a ").removeprefix("an ")
        for table, slot, kind in _TABLES:
            if text in table or (table is NATIONS and plain in table and length <= 2):
                if table is NATIONS and line.word(place + length) in {"literature", "history", "teacher", "student"}:
                    return
                if predicate.negated:
                    yield fact(line, slot, plain, f"not {plain}", (start, place + length), removes=True)
                else:
                    text, plain = (text.title(), plain.title()) if table is NATIONS else (text, plain)
                    yield fact(line, slot, plain, f"The user is {text}", (start, place + length))
                    if kind == "marital":
                        yield from _married_to(line, place + length, start)
                return
    yield from _speaks_being(line, predicate, place)


def becomes(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I got married", "we got divorced last year"."""
    if predicate.modal or predicate.wanted or predicate.negated or not predicate.past:
        return
    state = line.word(predicate.rest)
    if state in words("married divorced engaged widowed separated") and line.word(predicate.rest + 1) not in {
        "to",
        "in",
    }:
        yield fact(line, "user/marital status", state, f"The user is {state}", (predicate.start, predicate.rest + 1))
    elif state in {"married", "engaged"} and line.word(predicate.rest + 1) == "to":
        yield fact(line, "user/marital status", state, f"The user is {state}", (predicate.start, predicate.rest + 1))
        yield from _married_to(line, predicate.rest + 1, predicate.start)


_TABLES: Final = (
    (DIETS, "user/diet", ""),
    (STATES, "user/health", ""),
    (MARITAL, "user/marital status", "marital"),
    (FAITHS, "user/religion", ""),
    (NATIONS, "user/nationality", ""),
)


def closes(line: Line, place: int) -> bool:
    return line.is_end(place) or line.word(place) in STOPS or line.word(place) in ADVERBS


def _married_to(line: Line, place: int, start: int) -> Iterator[Draft]:
    if line.word(place) != "to":
        return
    item = name_at(line, place + 1, sure=False) or (
        name_at(line, place + 1, sure=True) if line.has_capital(min(place + 1, line.end - 1)) else None
    )
    if item:
        name = spelled(text_of(line, item))
        yield fact(line, "user spouse/name", name, f"The user's spouse is called {name}", (start, item[1]))


def _allergies(line: Line, at: int, start: int, *, negated: bool) -> Iterator[Draft]:
    for item in listing(line, at):
        value = text_of(line, item)
        slot = "user/allergies"
        if negated:
            yield fact(line, slot, value, f"allergic to {value}", (start, item[1]), removes=True)
        elif line.words[item[0]] not in VAGUE:
            yield fact(line, slot, value, f"The user is allergic to {value}", (start, item[1]))


def _speaks_being(line: Line, predicate: Predicate, place: int) -> Iterator[Draft]:
    if line.word(place) == "fluent" and line.word(place + 1) == "in":
        yield from _tongues(line, place + 2, predicate)
    elif line.word(place) in {"a", "bilingual"}:
        at = next((step for step in range(place, min(line.end, place + 5)) if line.words[step] in TONGUES), 0)
        if at and "native" in line.words[place:at] and line.word(at + 1) in {"speaker", ""}:
            yield fact(
                line,
                "user/native language",
                line.words[at].title(),
                f"The user's native language is {line.words[at].title()}",
                (predicate.start, at + 1),
            )


def _tongues(line: Line, place: int, predicate: Predicate) -> Iterator[Draft]:
    known = []
    step = place
    while step < line.end and (
        line.words[step] in TONGUES
        or line.words[step] in words(", and some fluent a little both also as well basic bit of & only") | ADVERBS
    ):
        if line.words[step] in TONGUES:
            known.append(step)
        step += 1
    for at in known:
        name = line.words[at].title() if line.words[at] != "asl" else "ASL"
        if predicate.negated:
            yield fact(line, None, name, f"The user does not speak {name}", (predicate.start, at + 1))
        else:
            yield fact(line, "user/languages", name, f"The user speaks {name}", (predicate.start, at + 1))


def speaks(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I speak German and a little Dutch"."""
    if (
        not predicate.wanted
        and not predicate.past
        and (not predicate.modal or "can" in line.words[predicate.start : predicate.at])
    ):
        yield from _tongues(line, predicate.rest, predicate)


def has_facts(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I have asthma", "I have a degree in law", "I have a Honda", "I have a nut allergy"."""
    if predicate.modal or predicate.wanted or predicate.negated:
        return
    if predicate.past and line.words[predicate.at] != "got":
        return
    place = predicate.rest
    while line.word(place) in ADVERBS | words("severe mild chronic bad got") and not _condition(line, place):
        place += 1
    last = _condition(line, place)
    if last:
        text = " ".join(line.words[place:last])
        yield fact(line, f"user/has {text}", "yes", f"The user has {text}", (predicate.start, last))
    elif line.word(place) in words("a an my two 2"):
        item = phrase(line, place, most=6)
        if item:
            yield from _possession(line, item, predicate.start)


def _condition(line: Line, place: int) -> int:
    """Return where the illness named at *place* ends, 0 if there is none."""
    for length in (4, 3, 2, 1):
        if place + length <= line.end and " ".join(line.words[place : place + length]) in CONDITIONS:
            return place + length if closes(line, place + length) else 0
    return 0


def _possession(line: Line, item: tuple[int, int], start: int) -> Iterator[Draft]:
    found = line.words[item[0] : item[1]]
    value = text_of(line, item)
    if _DEGREES & {found[0], found[-1]}:
        last = item[1]
        subject = phrase(line, last + 1, most=4) if line.word(last) in {"in", "from"} else None
        last = subject[1] if subject else last
        value = text_of(line, (item[0], last))
        yield fact(line, "user/degree", value, f"The user has a {value}", (start, last))
    elif found[-1] in {"allergy", "allergies"} and len(found) > 1:
        cause = text_of(line, (item[0], item[1] - 1))
        yield fact(line, "user/allergies", cause, f"The user is allergic to {cause}", (start, item[1]))
    elif line.word(item[0] - 1) != "my" and (
        found[-1] in CARS
        or (len(found) <= 4 and CARS & set(found[:-1]) - {"car", "mini", "seat"} and not _THINGS & set(found))
    ):
        yield vehicle(line, item, start)
    elif found[-1] in BELONGINGS:
        yield fact(line, "user/owns", value, f"The user has a {value}", (start, item[1]))


_THINGS: Final = words(
    "payment accident problem question license driver crash amp guitar vinyl model toy poster signed key keys jacket"
)
_DEGREES: Final = words("degree masters master's bachelors bachelor's phd doctorate mba")


def vehicle(line: Line, item: tuple[int, int], start: int) -> Draft:
    value = text_of(line, item)
    return fact(line, "user/vehicle", value, f"The user's vehicle is a {value}", (start, item[1]))


def drives(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I drive a red Honda", "I own a boat"."""
    if predicate.modal or predicate.wanted or predicate.negated or predicate.past or predicate.infinitive:
        return
    if line.word(predicate.rest) not in words("a an my the two"):
        return
    item = phrase(line, predicate.rest, most=6)
    if item is None:
        return
    found = set(line.words[item[0] : item[1]])
    if (
        found & CARS
        and (predicate.verb != "drive" or line.words[predicate.rest] != "the")
        and not (predicate.verb == "drive" and found == {"car"})
    ):
        yield vehicle(line, item, predicate.start)
    elif predicate.verb == "own" and line.words[predicate.rest] != "the" and found & BELONGINGS:
        yield fact(
            line, "user/owns", text_of(line, item), f"The user owns a {text_of(line, item)}", (predicate.start, item[1])
        )


def eats(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I don't eat meat", "I don't drink alcohol"."""
    if (
        not predicate.negated
        or (predicate.modal and "can" not in line.words[predicate.start : predicate.at])
        or predicate.past
        or predicate.wanted
    ):
        return
    for item in listing(line, predicate.rest):
        if set(line.words[item[0] : item[1]]) & _EATEN and len(line.words[item[0] : item[1]]) < 4:
            value = text_of(line, item)
            yield fact(
                line,
                f"user/{predicate.verb}s {value.lower()}",
                "no",
                f"The user does not {predicate.verb} {value}",
                (predicate.start, item[1]),
            )
    if (
        predicate.verb == "drink"
        and closes(line, predicate.rest)
        and line.word(predicate.rest) not in {"and", "it", "that"}
    ):
        yield fact(
            line, "user/drinks alcohol", "no", "The user does not drink alcohol", (predicate.start, predicate.rest)
        )
