"""What people say of those around them: family, friends, animals. Never a field of the user's own."""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS, STOPS
from sojourn.memory.extraction.rules.lexicon_names import AMBIGUOUS, GIVEN_NAMES
from sojourn.memory.extraction.rules.lexicon_people import CHILDREN, PETS, PETS_MANY, RELATIONS, SIBLINGS
from sojourn.memory.extraction.rules.profile_age import number_at
from sojourn.memory.extraction.rules.profile_clause import Line, Predicate
from sojourn.memory.extraction.rules.profile_draft import Draft
from sojourn.memory.extraction.rules.profile_name import name_at, spelled
from sojourn.memory.extraction.rules.profile_phrase import phrase, text_of
from sojourn.memory.extraction.rules.profile_place import place_at
from sojourn.memory.extraction.rules.profile_work import title

_KIN: Final = frozenset(RELATIONS) | PETS
_QUALIFIERS: Final = words(
    "older younger little big oldest youngest best eldest twin late first second new old golden german great "
    "yellow black"
)
_COUNTABLE: Final = CHILDREN | SIBLINGS | PETS | frozenset(PETS_MANY)
_NUMERALS: Final = words("a an one two three four five six seven 1 2 3 4 5 6 7 no")
TRIGGERS: Final = words("my mine named called")


def _fact(line: Line, slot: str, value: str, content: str, span: tuple[int, int]) -> Draft:
    return Draft(
        family="people",
        slot=slot,
        value=value,
        content=content,
        start=line.starts[span[0]],
        end=line.ends[span[1] - 1],
        tags=("people",),
    )


def people(line: Line) -> Iterator[Draft]:
    """Yield what "my wife ...", "my dog ..." says."""
    for place, word in enumerate(line.words):
        if word != "my" or place + 1 >= line.end:
            continue
        clause = line.clause(place)
        if clause.is_question or clause.is_hypothetical or clause.is_reported:
            continue
        noun = place + 1
        while line.word(noun) in _QUALIFIERS and noun < place + 4:
            noun += 1
        kin = line.word(noun)
        possessive = (
            kin.removesuffix("'s")
            if kin.endswith("'s")
            else (kin[:-1] if kin[:-1] in _KIN and line.word(noun + 1) in {"name", "names"} else "")
        )
        if possessive in _KIN and line.word(noun + 1) == "name" and line.word(noun + 2) == "is":
            yield from _named(line, place, noun, possessive, noun + 3)
        elif kin in _KIN:
            yield from _of(line, place, noun, kin)


def _relation(line: Line, place: int, noun: int, kin: str) -> str:
    """Return the relation in plain words, with what tells one from another: "older brother"."""
    told = [
        word
        for word in line.words[place + 1 : noun]
        if word in words("older younger oldest youngest best eldest little big twin late")
    ]
    return " ".join([*told, RELATIONS.get(kin) or kin])


def _named(line: Line, place: int, noun: int, kin: str, at: int) -> Iterator[Draft]:
    item = name_at(line, at, sure=True)
    if item is None:
        return
    name = spelled(text_of(line, item))
    relation = _relation(line, place, noun, kin)
    yield _fact(line, f"user {relation}/name", name, f"The user's {relation} is called {name}", (place, item[1]))


def _of(line: Line, place: int, noun: int, kin: str) -> Iterator[Draft]:
    """Read what follows the relation: its name, or what it is, does, where it lives."""
    at = noun + 1
    word = line.word(at)
    relation = _relation(line, place, noun, kin)
    if word in {"named", "called"} or (word == "is" and line.word(at + 1) in {"named", "called"}):
        yield from _named(line, place, noun, kin, at + (2 if word == "is" else 1))
        return
    step = at + 1 if word in {",", "("} else at
    if line.word(step) and _is_name(line, step):
        item = name_at(line, step, sure=True)
        if item and (word != "," or line.is_end(item[1]) or line.word(item[1]) in STOPS):
            name = spelled(text_of(line, item))
            yield _fact(
                line, f"user {relation}/name", name, f"The user's {relation} is called {name}", (place, item[1])
            )
            at = item[1] + 1 if line.word(item[1]) in {",", ")"} else item[1]
            word = line.word(at)
    who = f"user {relation}"
    if word == "is" and kin not in PETS:
        yield from _is(line, place, at, who, relation)
    elif word in {"lives", "works", "studies"} and kin not in PETS:
        yield from _does(line, place, at, who, word)
    elif word in {"passed", "died"} and not (word == "passed" and line.word(at + 1) not in {"away", "on", ""}):
        yield _fact(line, f"{who}/life", "died", f"The user's {relation} has died", (place, at + 1))


def _is_name(line: Line, at: int) -> bool:
    word = line.word(at)
    return (word in GIVEN_NAMES and (word not in AMBIGUOUS or line.has_capital(at))) or (
        line.has_capital(at) and word.isalpha() and word not in STOPS and word != "i"
    )


def _is(line: Line, place: int, at: int, who: str, relation: str) -> Iterator[Draft]:
    step = at + 1
    while line.word(step) in ADVERBS:
        step += 1
    if line.word(step) == "not":
        return
    job = title(line, step) if line.word(step) in {"a", "an", "the"} else None
    if job:
        value = text_of(line, job)
        yield _fact(line, f"{who}/occupation", value, f"The user's {relation} is a {value}", (place, job[1]))
        return
    found = number_at(line, step)
    if found and (line.is_end(found[1]) or line.word(found[1]) in words("years year and now months")):
        unit = " months" if line.word(found[1]) == "months" else ""
        yield _fact(
            line,
            f"{who}/age",
            f"{found[0]}{unit}",
            f"The user's {relation} is {found[0]}{unit or ' years'} old",
            (place, found[1]),
        )
        return
    if line.word(step) in {"from", "in"}:
        item = place_at(line, step + 1, sure=False)
        if item:
            value = spelled(text_of(line, item))
            yield _fact(
                line, f"{who}/location", value, f"The user's {relation} is {line.word(step)} {value}", (place, item[1])
            )
        return
    if line.word(step) in words("vegan vegetarian allergic pregnant diabetic retired deaf blind autistic"):
        last = step + 1
        if line.word(step) == "allergic" and line.word(step + 1) == "to":
            item = phrase(line, step + 2, most=3)
            last = item[1] if item else last
        value = text_of(line, (step, last))
        yield _fact(line, f"{who}/state", value, f"The user's {relation} is {value}", (place, last))
    elif (_is_name(line, step) and line.is_end(step + 1)) or (line.word(step) in GIVEN_NAMES and line.is_end(step + 1)):
        name = spelled(text_of(line, (step, step + 1)))
        yield _fact(line, f"user {relation}/name", name, f"The user's {relation} is called {name}", (place, step + 1))


def _does(line: Line, place: int, at: int, who: str, verb: str) -> Iterator[Draft]:
    prep = line.word(at + 1)
    relation = who.removeprefix("user ")
    if verb == "lives" and prep in {"in", "near", "on", "at"}:
        item = place_at(line, at + 2, sure=True)
        if item:
            value = spelled(text_of(line, item))
            yield _fact(line, f"{who}/location", value, f"The user's {relation} lives {prep} {value}", (place, item[1]))
    elif prep in {"at", "for", "as", "in"}:
        item = phrase(line, at + 2, most=5)
        if item:
            value = text_of(line, (at + 2, item[1]))
            attribute = "occupation" if verb == "works" else "studies"
            yield _fact(
                line,
                f"{who}/{attribute}",
                f"{verb} {prep} {value}",
                f"The user's {relation} {verb} {prep} {value}",
                (place, item[1]),
            )


def has_people(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I have two kids", "I have a dog called Rex", "I don't have any siblings"."""
    if predicate.wanted or predicate.modal or (predicate.past and line.words[predicate.at] != "got"):
        return
    place = predicate.rest
    while line.word(place) in ADVERBS | {"got", "any", "also"}:
        place += 1
    none = predicate.negated or line.word(place) in {"no", "zero"}
    while line.word(place) in {"no", "zero", "any"}:
        place += 1
    found = number_at(line, place)
    count, at = found or (0, place)
    if not found and line.word(place) in {"a", "an", "one"}:
        count, at = 1, place + 1
    several = not found and line.word(place) in {"some", "many", "several"}
    at += int(several)
    while (
        line.word(at)
        in _QUALIFIERS
        | words(
            "beautiful lovely wonderful small cute pet amazing young adorable grown rescue huge adult tabby year old"
        )
        and at < place + 6
    ):
        at += 1
    noun = line.word(at)
    start = predicate.start
    yield from _counted(line, start, at, noun, count, none=none, several=several)
    more = next((step for step in range(at + 1, min(line.end, at + 6)) if line.words[step] in {"and", ",", "plus"}), 0)
    if noun in _COUNTABLE and more and line.word(more + 1) in _NUMERALS:
        again = Predicate(subject=predicate.subject, verb="have", at=more, rest=more + 1, start=start)
        yield from has_people(line, again)


def _counted(line: Line, start: int, at: int, noun: str, count: int, *, none: bool, several: bool) -> Iterator[Draft]:
    group = "children" if noun in CHILDREN else "siblings" if noun in SIBLINGS else ""
    pet = noun if noun in PETS else PETS_MANY.get(noun, "")
    if noun == "pets" and none:
        yield _fact(line, "user/pets", "none", "The user has no pets", (start, at + 1))
    elif group and none:
        yield _fact(line, _number_slot(noun, group), "none", f"The user has no {noun}", (start, at + 1))
    elif none:
        return
    elif group and (count or several or line.is_end(at + 1) or noun in {"kids", "children", "twins"}):
        value = f"{count} {noun}" if count else noun
        article = "a " + noun if count == 1 else value
        yield _fact(line, _number_slot(noun, group), str(count or noun), f"The user has {article}", (start, at + 1))
        if count == 1:
            yield from _named_after(line, start, at, RELATIONS.get(noun) or noun)
    elif pet:
        pet_name = list(_named_after(line, start, at, pet)) if count == 1 else []
        yield from pet_name
        if not pet_name:
            value = f"{count} {noun}" if count > 1 else noun
            article = f"a {noun}" if count == 1 else value
            yield _fact(line, "user/pets", value, f"The user has {article}", (start, at + 1))
    elif noun in words("girlfriend boyfriend wife husband fiance roommate partner fiancé fiancée") and count == 1:
        named = list(_named_after(line, start, at, noun))
        yield from named
        if not named:
            yield _fact(line, f"user/has a {noun}", "yes", f"The user has a {noun}", (start, at + 1))


def _number_slot(noun: str, group: str) -> str:
    one = noun in words("kids children child kid siblings sibling twins baby")
    return f"user/number of {group if one else noun if noun.endswith('s') else noun + 's'}"


def _named_after(line: Line, start: int, at: int, kin: str) -> Iterator[Draft]:
    """Read "... named Rex", "... called Rex", "..., Rex"."""
    step = at + 1
    if line.word(step) in {"named", "called"}:
        item = name_at(line, step + 1, sure=True)
    elif line.words[step : step + 3] in (["and", "his", "name"], ["and", "her", "name"], ["whose", "name", "is"]):
        item = name_at(line, step + (4 if line.word(step) == "and" else 3), sure=True)
    elif line.word(step) == "," and _is_name(line, step + 1) and line.is_end(step + 2):
        item = name_at(line, step + 1, sure=True)
    else:
        return
    if item:
        name = spelled(text_of(line, item))
        yield _fact(line, f"user {kin}/name", name, f"The user's {kin} is called {name}", (start, item[1]))
