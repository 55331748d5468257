"""What people say of themselves that is no field of the profile: diet, health, studies, languages, car, plans."""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS, MARKS, STOPS
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
    ZONES,
)  # fmt: skip
from sojourn.memory.extraction.rules.lexicon_tastes import DRINKS, FOODS, VAGUE
from sojourn.memory.extraction.rules.lexicon_tech import TECHNOLOGY
from sojourn.memory.extraction.rules.profile_clause import Line, Predicate
from sojourn.memory.extraction.rules.profile_draft import Draft
from sojourn.memory.extraction.rules.profile_name import name_at, spelled
from sojourn.memory.extraction.rules.profile_phrase import listing, phrase, text_of
from sojourn.memory.extraction.rules.profile_place import place_at
from sojourn.memory.extraction.rules.profile_work import title

TRIGGERS: Final = words(
    "birthday anniversary timezone zone language pronouns car goal goals dream email allergic allergy native"
)
_SCHOOL: Final = words("university college school academy institute")
_EATEN: Final = FOODS | DRINKS | words("gluten dairy sugar alcohol animals shellfish lactose seafood caffeine carbs")


def fact(
    line: Line, slot: str | None, value: str, content: str, first: int, last: int, *, removes: bool = False
) -> Draft:
    """Return the draft of a fact about the user."""
    return Draft(
        family="fact",
        slot=slot,
        value=value,
        content=content,
        start=line.starts[first],
        end=line.ends[last - 1],
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
        if place + length > line.end or not _closes(line, place + length):
            continue
        plain = text.removeprefix("a ").removeprefix("an ")
        for table, slot, kind in _TABLES:
            if text in table or (table is NATIONS and plain in table and length <= 2):
                if table is NATIONS and line.word(place + length) in {"literature", "history", "teacher", "student"}:
                    return
                if predicate.negated:
                    yield fact(line, slot, plain, f"not {plain}", start, place + length, removes=True)
                else:
                    yield fact(line, slot, plain, f"The user is {text}", start, place + length)
                    if kind == "marital":
                        yield from _married_to(line, place + length, start)
                return
    yield from _studies_being(line, predicate, place)
    yield from _speaks_being(line, predicate, place)


_TABLES: Final = (
    (DIETS, "user/diet", ""),
    (STATES, "user/health", ""),
    (MARITAL, "user/marital status", "marital"),
    (FAITHS, "user/religion", ""),
    (NATIONS, "user/nationality", ""),
)


def _closes(line: Line, place: int) -> bool:
    return line.is_end(place) or line.word(place) in STOPS or line.word(place) in ADVERBS


def _married_to(line: Line, place: int, start: int) -> Iterator[Draft]:
    if line.word(place) != "to":
        return
    item = name_at(line, place + 1, sure=False) or (
        name_at(line, place + 1, sure=True) if line.has_capital(min(place + 1, line.end - 1)) else None
    )
    if item:
        name = spelled(text_of(line, item))
        yield fact(line, "user spouse/name", name, f"The user's spouse is called {name}", start, item[1])


def _allergies(line: Line, at: int, start: int, *, negated: bool) -> Iterator[Draft]:
    for item in listing(line, at):
        value = text_of(line, item)
        slot = "user/allergies"
        if negated:
            yield fact(line, slot, value, f"allergic to {value}", start, item[1], removes=True)
        elif line.words[item[0]] not in VAGUE:
            yield fact(line, slot, value, f"The user is allergic to {value}", start, item[1])


def _studies_being(line: Line, predicate: Predicate, place: int) -> Iterator[Draft]:
    word = line.word(place)
    if predicate.negated:
        return
    if word in {"studying", "majoring"}:
        yield from _subject(line, place + (2 if line.word(place + 1) == "in" else 1), predicate.start)
    elif word == "in" and line.words[place + 1 : place + 3] == ["high", "school"]:
        yield fact(line, "user/education", "high school", "The user is in high school", predicate.start, place + 3)
    elif word == "in" and line.word(place + 1) in {"college", "university", "med"} and _closes(line, place + 2):
        yield fact(
            line,
            "user/education",
            line.words[place + 1],
            f"The user is in {line.words[place + 1]}",
            predicate.start,
            place + 2,
        )


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
                predicate.start,
                at + 1,
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
            yield fact(line, None, name, f"The user does not speak {name}", predicate.start, at + 1)
        else:
            yield fact(line, "user/languages", name, f"The user speaks {name}", predicate.start, at + 1)


def speaks(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I speak German and a little Dutch"."""
    if (
        not predicate.wanted
        and not predicate.past
        and (not predicate.modal or "can" in line.words[predicate.start : predicate.at])
    ):
        yield from _tongues(line, predicate.rest, predicate)


def _subject(line: Line, at: int, start: int) -> Iterator[Draft]:
    item = phrase(line, at, most=4)
    if (
        item is None
        or line.words[item[0]] in VAGUE | words("hard abroad exam exams lot")
        or line.words[item[0]] in TECHNOLOGY
    ):
        return
    value = text_of(line, item)
    yield fact(line, "user/field of study", value, f"The user studies {value}", start, item[1])
    if line.word(item[1]) == "at":
        school = phrase(line, item[1] + 1, most=6)
        if school:
            yield fact(
                line,
                "user/school",
                text_of(line, school),
                f"The user studies at {text_of(line, school)}",
                start,
                school[1],
            )


def studies(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I study law at Leiden", "I majored in physics", "I graduated from MIT", "I attend Oslo University"."""
    if predicate.modal or predicate.wanted or predicate.negated:
        return
    verb, at = predicate.verb, predicate.rest
    if verb == "study" and not predicate.past:
        if line.word(at) == "at":
            item = phrase(line, at + 1, most=6)
            if item:
                yield fact(
                    line,
                    "user/school",
                    text_of(line, item),
                    f"The user studies at {text_of(line, item)}",
                    predicate.start,
                    item[1],
                )
        elif line.word(at) not in STOPS or line.word(at) == "to":
            yield from _subject(line, at, predicate.start)
    elif verb in {"study", "major"} and (predicate.past or verb == "major"):
        item = phrase(line, at + (1 if line.word(at) == "in" else 0), most=4)
        if (
            item
            and item[0] - at <= 1
            and line.words[item[0]] not in VAGUE | {"hard", "abroad"}
            and line.words[item[0]] not in TECHNOLOGY
        ):
            yield fact(
                line,
                "user/field of study",
                text_of(line, item),
                f"The user studied {text_of(line, item)}",
                predicate.start,
                item[1],
            )
    elif verb == "graduate" and line.word(at) == "from":
        item = phrase(line, at + 1, most=6)
        if item and line.words[item[0]] not in {"college", "high"}:
            yield fact(
                line,
                "user/school",
                text_of(line, item),
                f"The user graduated from {text_of(line, item)}",
                predicate.start,
                item[1],
            )
    elif verb == "attend" and not predicate.past:
        item = phrase(line, at, most=6)
        if item and (set(line.words[item[0] : item[1]]) & _SCHOOL or line.has_capital(item[0])):
            yield fact(
                line,
                "user/school",
                text_of(line, item),
                f"The user attends {text_of(line, item)}",
                predicate.start,
                item[1],
            )
    elif verb == "go" and line.word(at) == "to" and not predicate.past:
        item = phrase(line, at + 1, most=6)
        if item and set(line.words[item[0] : item[1]]) & _SCHOOL and item[1] - item[0] > 1:
            yield fact(
                line,
                "user/school",
                text_of(line, item),
                f"The user goes to {text_of(line, item)}",
                predicate.start,
                item[1],
            )


def has_facts(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I have asthma", "I have a degree in law", "I have a Honda", "I have a birthday on May 3"."""
    if predicate.modal or predicate.wanted or (predicate.past and line.words[predicate.at] != "got"):
        return
    place = predicate.rest
    while (
        line.word(place) in ADVERBS | words("severe mild chronic bad got")
        and " ".join(line.words[place : place + 2]) not in CONDITIONS
    ):
        place += 1
    start = predicate.start
    for length in (4, 3, 2, 1):
        text = " ".join(line.words[place : place + length])
        if text in CONDITIONS and place + length <= line.end and _closes(line, place + length):
            if not predicate.negated:
                yield fact(line, f"user/has {text}", "yes", f"The user has {text}", start, place + length)
            return
    if predicate.negated:
        return
    if line.word(place) in words("a an my two 2"):
        item = phrase(line, place, most=6)
        if item is None:
            return
        found = line.words[item[0] : item[1]]
        if found[-1] in words("degree masters master's bachelors bachelor's phd doctorate mba") or found[0] in words(
            "degree phd masters mba master's bachelor's"
        ):
            last = item[1]
            if line.word(last) in {"in", "from"}:
                subject = phrase(line, last + 1, most=4)
                last = subject[1] if subject else last
            value = text_of(line, (item[0], last))
            yield fact(line, "user/degree", value, f"The user has a {value}", start, last)
        elif "allergy" in found or "allergies" in found:
            if found[0] not in {"allergy", "allergies"}:
                value = text_of(line, (item[0], item[1] - 1))
                yield fact(line, "user/allergies", value, f"The user is allergic to {value}", start, item[1])
        elif set(found) & CARS and found[-1] not in words(
            "payment accident seat problem question license driver crash"
        ):
            yield _vehicle(line, item, start)
        elif found[-1] in BELONGINGS:
            yield fact(line, "user/owns", text_of(line, item), f"The user has a {text_of(line, item)}", start, item[1])


def _vehicle(line: Line, item: tuple[int, int], start: int) -> Draft:
    value = text_of(line, item)
    return fact(line, "user/vehicle", value, f"The user's vehicle is a {value}", start, item[1])


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
        yield _vehicle(line, item, predicate.start)
    elif predicate.verb == "own" and line.words[predicate.rest] != "the" and found & BELONGINGS:
        yield fact(
            line, "user/owns", text_of(line, item), f"The user owns a {text_of(line, item)}", predicate.start, item[1]
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
                predicate.start,
                item[1],
            )
    if (
        predicate.verb == "drink"
        and _closes(line, predicate.rest)
        and line.word(predicate.rest) not in {"and", "it", "that"}
    ):
        yield fact(
            line, "user/drinks alcohol", "no", "The user does not drink alcohol", predicate.start, predicate.rest
        )


def born(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I was born on May 3", "I was born in 1990"."""
    at = predicate.rest
    if line.word(at) in {"on", "in"}:
        value = _date(line, at + 1)
        if value:
            slot = "user/birthday" if line.word(at) == "on" or not line.words[value[0]].isdigit() else "user/birth year"
            text = text_of(line, value)
            yield fact(line, slot, text, f"The user was born {line.word(at)} {text}", predicate.start, value[1])


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


def wants(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read plans and dreams: "I want to be a pilot", "I'd love to live in Kyoto", "I plan to run a marathon"."""
    if predicate.negated or predicate.past or predicate.subject != "i" or line.clause(predicate.at).is_question:
        return
    start, at = predicate.start, predicate.rest
    if predicate.verb in {"be", "become"}:
        item = title(line, at) if line.word(at) in {"a", "an", "the"} else None
        if item:
            value = text_of(line, item)
            yield fact(line, "user/career goal", value, f"The user wants to be a {value}", start, item[1])
        return
    if predicate.verb in words("live move relocate retire visit travel"):
        step = at + 1 if line.word(at) in {"to", "in"} else at
        item = place_at(line, step, sure=False)
        if item:
            value = spelled(text_of(line, item))
            attribute = "travel wish" if predicate.verb in {"visit", "travel"} else "wish to live in"
            verb = f"{predicate.verb} {line.word(at)}" if step > at else predicate.verb
            yield fact(line, f"user/{attribute}", value, f"The user would like to {verb} {value}", start, item[1])
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
            yield fact(line, f"user/goal to {value.lower()}", "yes", f"The user wants to {value}", start, last)


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
    yield fact(line, f"user/{verb} {value.lower()}", "yes", f"The user is {verb} {value}", predicate.start, item[1])


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
    if word in {"birthday", "anniversary", "bday"}:
        value = _date(line, at)
        if value:
            name = "birthday" if word == "bday" else word
            yield fact(
                line,
                f"user/{name}",
                text_of(line, value),
                f"The user's {name} is {text_of(line, value)}",
                start,
                value[1],
            )
    elif word in {"timezone", "zone"}:
        yield fact(
            line,
            "user/time zone",
            line.original(at, line.end if line.end - at < 4 else at + 1),
            f"The user's time zone is {line.original(at, line.end if line.end - at < 4 else at + 1)}",
            start,
            line.end,
        )
    elif word in {"language", "tongue"} and {"native", "first", "mother"} & set(before) and line.word(at) in TONGUES:
        yield fact(
            line,
            "user/native language",
            line.words[at].title(),
            f"The user's native language is {line.words[at].title()}",
            start,
            at + 1,
        )
    elif word == "pronouns" and at < line.end:
        yield fact(
            line,
            "user/pronouns",
            line.original(at, line.end),
            f"The user's pronouns are {line.original(at, line.end)}",
            start,
            line.end,
        )
    elif word in {"car", "truck", "bike"}:
        item = phrase(line, at, most=5) if line.word(at) in {"a", "an"} else None
        if item:
            yield _vehicle(line, item, start)
    elif word in {"goal", "dream", "plan", "resolution"} and line.word(at) in {"to", "becoming"}:
        last = at
        while (
            last < line.end
            and last - at < 12
            and line.words[last] not in MARKS
            and line.words[last] not in {"but", "because", "so"}
        ):
            last += 1
        aim = text_of(line, (at + 1 if line.word(at) == "to" else at, last))
        if aim:
            to = "to " if line.word(at) == "to" else ""
            yield fact(line, f"user/{word}", aim, f"The user's {word} is {to}{aim}", start, last)
    elif word == "email" and "@" in line.original(at, line.end):
        value_text = line.original(at, line.end).split()[0]
        yield fact(line, "user/email", value_text, f"The user's e-mail address is {value_text}", start, line.end)


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
    yield fact(line, "user/time zone", value, f"The user's time zone is {value}", predicate.start, last)
