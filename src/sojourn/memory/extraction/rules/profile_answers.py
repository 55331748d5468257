"""What a message means only after the one before it: answers, corrections, and wishes to be forgotten.

"Lisbon" answers "where do you live?"; "no, 31" corrects an age that somebody just said; "scratch that" takes back what
the user said last; "forget my job" takes back whatever was said of it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS, MARKS, STOPS
from sojourn.memory.extraction.rules.lexicon_names import GIVEN_NAMES
from sojourn.memory.extraction.rules.lexicon_places import PLACES
from sojourn.memory.extraction.rules.lexicon_tech import FRAMEWORKS, LANGUAGES, TECHNOLOGY
from sojourn.memory.extraction.rules.profile_age import OLDEST, YOUNGEST, number_at
from sojourn.memory.extraction.rules.profile_clause import Line
from sojourn.memory.extraction.rules.profile_draft import Draft
from sojourn.memory.extraction.rules.profile_name import name_at, spelled
from sojourn.memory.extraction.rules.profile_phrase import listing, phrase, text_of
from sojourn.memory.extraction.rules.profile_place import place_at
from sojourn.memory.extraction.rules.profile_tech import tech_list
from sojourn.memory.extraction.rules.profile_work import title
from sojourn.memory.extraction.statement import Heard, ProfileStatement

_QUESTIONS: Final[tuple[tuple[str, "re.Pattern[str]"], ...]] = tuple(
    (field, re.compile(pattern, re.IGNORECASE))
    for field, pattern in (
        ("name", r"\b(?:your name|call you|who am i (?:speaking|talking|chatting)|who (?:are|is) (?:you|this))\b"),
        ("age", r"\b(?:how old (?:are|r) (?:you|u)|your age|what age)\b"),
        (
            "location",
            (
                r"\bwhere (?:do|are|r) (?:you|u)(?: (?:live|based|located|from|living|at))?\b|\byour location\b"
                r"|\b(?:which|what) (?:city|country|town|state)\b"
            ),
        ),
        (
            "occupation",
            (
                r"\bwhat do (?:you|u) do\b(?! (?:for fun|in your))|\byour (?:job|occupation|profession|line of work)\b"
                r"|\bfor (?:a living|work)\b"
            ),
        ),
        ("programming_languages", r"\b(?:which|what) (?:programming |coding )?languages?\b(?! do you speak)"),
        ("frameworks", r"\b(?:which|what) frameworks?\b"),
        ("project_tech_stack", r"\b(?:tech )?stack\b"),
        ("current_project", r"\bwhat are you (?:working on|building)\b|\byour (?:current )?project\b"),
        (
            "expertise_level",
            r"\b(?:experience level|skill level|how experienced|level of expertise|beginner, intermediate)\b",
        ),
        (
            "interests",
            r"\b(?:hobbies|interests|hobby|like to do|do for fun|enjoy doing|free time|favorite \w+|favourite \w+)\b",
        ),
    )
)
_LEADING: Final = words(
    "it is its it's im i'm i am my name sure well oh yes ok okay just call me hi hey hello in from a an the at "
    "currently mostly mainly about hmm um uh : , actually sorry wait no nope live based from near mine"
)
_CORRECTING: Final = words("no nope actually sorry wait correction oops meant mean not rather nah")
_FIELDS: Final[dict[str, str]] = {
    "name": "name",
    "age": "age",
    **dict.fromkeys(("location", "city", "address", "home"), "location"),
    **dict.fromkeys(("job", "work", "occupation", "profession", "career"), "occupation"),
    "project": "current_project",
    **dict.fromkeys(("hobbies", "interests", "hobby"), "interests"),
    "languages": "programming_languages",
    "stack": "project_tech_stack",
    "frameworks": "frameworks",
    "expertise": "expertise_level",
    **dict.fromkeys(("style", "preferences"), "communication_style"),
}
_SLOTS: Final = words(
    "wife husband partner girlfriend boyfriend kids children dog cat pets birthday car diet allergies allergy "
    "health email phone number family school"
)
_FORGETTING: Final = words("forget delete remove erase clear drop unlearn")

Known = tuple[str, str | int, bool]
"""What was said of the user before: field, value, and whether the user said it himself."""


def question_in(before: Sequence[Heard]) -> str | None:
    """Return the field that the last message of the assistant asks for."""
    if not before or before[-1].role != "assistant":
        return None
    text = before[-1].text[-400:]
    if "?" not in text:
        return None
    asked = text[: text.rfind("?") + 1]
    asked = re.split(r"[.!\n]", asked)[-1]
    return next((field for field, pattern in _QUESTIONS if pattern.search(asked)), None)


def answers(lines: list[Line], field: str) -> Iterator[Draft]:
    """Read a short message as the answer to a question after *field*."""
    line = lines[0]
    if (line.sentence.mark.startswith("?") or line.end > 12) and not (
        line.end <= 12
        and line.sentence.clauses
        and not line.sentence.clauses[0].is_question
        and len(line.sentence.clauses) > 1
    ):
        return
    place = 0
    while line.word(place) in _LEADING and place < 8:
        place += 1
    if (
        place >= line.end
        or (line.words[place] in STOPS and line.words[place] != "it")
        or line.words[place] in words("none nothing private rather guess secret")
    ):
        return
    reader = _READERS.get(field)
    if reader is not None:
        yield from reader(line, place)


def _as(field: str, line: Line, value: str | int, first: int, last: int) -> Draft:
    return Draft(field=field, value=value, family="answer", start=line.starts[first], end=line.ends[last - 1])


def _name(line: Line, place: int) -> Iterator[Draft]:
    item = name_at(line, place, sure=True)
    if item and (line.is_end(item[1]) or line.word(item[1]) in STOPS):
        yield _as("name", line, spelled(text_of(line, item)), *item)


def _age(line: Line, place: int) -> Iterator[Draft]:
    found = number_at(line, place)
    if found and YOUNGEST <= found[0] <= OLDEST:
        yield _as("age", line, found[0], place, found[1])


def _location(line: Line, place: int) -> Iterator[Draft]:
    item = place_at(line, place, sure=True)
    if item and item[0] - place <= 2:
        yield _as("location", line, spelled(text_of(line, item).replace(" ,", ",")), *item)


def _occupation(line: Line, place: int) -> Iterator[Draft]:
    item = title(line, place)
    if item is None and line.words[place] in {"retired", "unemployed"}:
        item = (place, place + 1)
    if item:
        yield _as("occupation", line, text_of(line, item), *item)


def _technologies(field: str, table: dict[str, str]) -> Callable[[Line, int], Iterator[Draft]]:
    def reader(line: Line, place: int) -> Iterator[Draft]:
        for key, first, last in tech_list(line, place, sure=True)[0]:
            if key in table:
                yield _as(field, line, TECHNOLOGY[key], first, last)

    return reader


def _project(line: Line, place: int) -> Iterator[Draft]:
    if not {"i", "you", "not"} & set(line.words):
        last = line.end
        yield _as("current_project", line, text_of(line, (place, last)), place, last)


def _expertise(line: Line, place: int) -> Iterator[Draft]:
    for at in range(place, line.end):
        word = line.words[at]
        level = (
            "beginner"
            if word in {"beginner", "newbie", "novice", "new"}
            else word
            if word in {"intermediate", "expert"}
            else "expert"
            if word in {"advanced", "senior"}
            else ""
        )
        if level and "not" not in line.words[:at]:
            yield _as("expertise_level", line, level, at, at + 1)
            return


def _interests(line: Line, place: int) -> Iterator[Draft]:
    if {"i", "you"} & set(line.words[:3]):
        return
    for item in listing(line, place):
        yield _as("interests", line, text_of(line, item), *item)


_READERS: Final[dict[str, Callable[[Line, int], Iterator[Draft]]]] = {
    "name": _name,
    "age": _age,
    "location": _location,
    "occupation": _occupation,
    "programming_languages": _technologies("programming_languages", LANGUAGES),
    "frameworks": _technologies("frameworks", FRAMEWORKS),
    "project_tech_stack": _technologies("project_tech_stack", TECHNOLOGY),
    "current_project": _project,
    "expertise_level": _expertise,
    "interests": _interests,
}


def is_correcting(lines: list[Line]) -> bool:
    """Tell whether the message begins as one that sets something right."""
    head = [word for line in lines[:2] for word in line.words[:8]]
    return bool(_CORRECTING.intersection(head))


def with_former(lines: list[Line], drafts: list[Draft]) -> None:
    """Note in *drafts* the value that each is said to replace: "I'm 31, not 30"."""
    for line in lines:
        for place, word in enumerate(line.words):
            if word != "not" or line.word(place - 1) not in MARKS | {"and", ""} or place + 1 >= line.end:
                continue
            for draft in drafts:
                if draft.field and not draft.removes and line.starts[0] <= draft.start < line.starts[place]:
                    former = _like(line, place + 1, draft)
                    if former is not None:
                        draft.former = former


def _like(line: Line, place: int, draft: Draft) -> str | int | None:
    """Return the value at *place* if it can be of the same field as *draft*."""
    if draft.field == "age":
        found = number_at(line, place)
        return found[0] if found else None
    item = phrase(line, place, most=4)
    if item is None:
        return None
    return spelled(text_of(line, item)) if draft.field in {"name", "location"} else text_of(line, item)


def corrections(lines: list[Line], known: Sequence[Known], asked: str | None) -> Iterator[Draft]:
    """Read a message that sets right what was said before: "no, it's Lena, not Lina", "I meant Porto", "31, not 30"."""
    for line in lines[:2]:
        value, former, first, last = _pair(line)
        if first < 0:
            continue
        field, old = _which(value, former, _fits(line, first, last), known, asked)
        if not field:
            continue
        if field == "age":
            found = number_at(line, first)
            if found is None or not YOUNGEST <= found[0] <= OLDEST:
                continue
            yield Draft(
                field=field,
                value=found[0],
                former=old,
                family="corrected",
                start=line.starts[first],
                end=line.ends[last - 1],
            )
        else:
            text = text_of(line, (first, last)).replace(" ,", ",")
            text = spelled(text) if field in {"name", "location"} else text
            yield Draft(
                field=field,
                value=text,
                former=old,
                family="corrected",
                start=line.starts[first],
                end=line.ends[last - 1],
            )
        return


def _pair(line: Line) -> tuple[str, str, int, int]:
    """Return the right value and the wrong one of "X, not Y", "not Y, X", "I meant X", and where the right one is."""
    place = 0
    seen = False
    while place < line.end and (
        line.words[place] in _LEADING | _CORRECTING - {"not"}
        or line.words[place] in MARKS
        or line.words[place]
        in words("that should be said was to say correct wrong is s with one spelled you") | ADVERBS
    ):
        seen = seen or line.words[place] in _CORRECTING
        place += 1
    if line.word(place) == "not":
        wrong = phrase(line, place + 1, most=3)
        if wrong is None:
            return "", "", -1, -1
        right = wrong[1]
        while line.word(right) in MARKS | words("but it is rather its it's i am"):
            right += 1
        item = phrase(line, right, most=4)
        if item is None or right == wrong[1]:
            return "", "", -1, -1
        return text_of(line, item), text_of(line, wrong), *item
    item = phrase(line, place, most=4)
    if item is None or item[0] != place:
        return "", "", -1, -1
    after = item[1]
    while line.word(after) in MARKS | {"and"}:
        after += 1
    if line.word(after) in {"not", "instead", "rather"}:
        wrong = phrase(line, after + (2 if line.word(after + 1) in {"of", "than"} else 1), most=4)
        if wrong:
            return text_of(line, item), text_of(line, wrong), *item
    if seen and line.is_end(item[1]):
        return text_of(line, item), "", *item
    return "", "", -1, -1


def _fits(line: Line, first: int, last: int) -> frozenset[str]:
    """Return the fields that the words may be a value of."""
    if number_at(line, first):
        return frozenset({"age"})
    found = set()
    text = " ".join(line.words[first:last])
    capital = line.has_capital(first)
    if text in PLACES or capital:
        found.add("location")
    if line.words[first] in GIVEN_NAMES or capital:
        found.add("name")
    if title(line, first):
        found.add("occupation")
    if capital:
        found.add("current_project")
    return frozenset(found)


def _which(
    value: str, former: str, fits: frozenset[str], known: Sequence[Known], asked: str | None
) -> tuple[str, str | int | None]:
    """Return the field that is set right, and its value until now."""
    if former:
        for field, said, _ in reversed(known):
            if former.casefold() in {str(said).casefold(), *str(said).casefold().split(", ")}:
                return field, said
    for field, said, _ in reversed(known):
        if field in fits and str(said).casefold() != value.casefold():
            return field, former or said
    return (asked, former) if asked in fits and asked and former else ("", None)


def takes_back(lines: list[Line]) -> bool:
    """Tell whether the message only takes back what was said: "scratch that", "never mind what I said"."""
    text = " ".join(lines[0].words[:6])
    return (
        len(lines) == 1
        and lines[0].end <= 7
        and any(
            phrase_ in text
            for phrase_ in (
                "scratch that",
                "forget that",
                "forget what i just said",
                "forget i said that",
                "disregard that",
                "ignore that",
                "ignore what i just said",
            )
        )
    )


def removals(line: Line) -> Iterator[Draft]:
    """Read wishes to be forgotten and things that ended: "forget my name", "I quit my job"."""
    for place, word in enumerate(line.words):
        if word in _FORGETTING or (word == "remember" and {"not", "never"} & set(line.words[:place])):
            yield from _forgotten(line, place)
        elif (
            word in {"quit", "lost", "left"}
            and line.word(place - 1) in words("i just recently have finally") | ADVERBS
            and line.words[place + 1 : place + 3] == ["my", "job"]
        ):
            if line.clause(place).is_stated and {"i"} & set(line.words[:place]):
                yield Draft(
                    field="occupation",
                    value=None,
                    removes=True,
                    family="removed",
                    start=line.starts[max(0, place - 1)],
                    end=line.ends[place + 2],
                )
        elif (
            word in {"fired", "laid"}
            and line.word(place - 1) in {"got", "was", "been", "just"}
            and "i" in line.words[:place]
            and line.clause(place).is_stated
        ):
            yield Draft(
                field="occupation",
                value=None,
                removes=True,
                family="removed",
                start=line.starts[max(0, place - 2)],
                end=line.ends[place],
            )


def _forgotten(line: Line, place: int) -> Iterator[Draft]:
    if line.clause(place).is_question and line.words[0] not in words("can could please would will"):
        return
    before = line.words[:place]
    if words("i not never always did") & set(before[-3:]) and line.words[place] != "remember":
        return
    if before and before[-1] not in words("please to you and , just also now can hey not so no i"):
        return
    my = next((at for at in range(place + 1, min(line.end, place + 10)) if line.words[at] == "my"), -1)
    if my < 0 or "to" in line.words[place + 1 : my]:
        return
    noun = line.word(my + 1)
    field = _FIELDS.get(noun)
    end = my + 2
    if field and not (noun in {"work", "project", "home"} and not line.is_end(end)):
        yield Draft(
            field=field, value=None, removes=True, family="forget", start=line.starts[place], end=line.ends[end - 1]
        )
    elif noun in _SLOTS:
        yield Draft(
            family="forget",
            slot=_slot(noun),
            value=None,
            content=text_of(line, (my, end)),
            start=line.starts[place],
            end=line.ends[end - 1],
            removes=True,
        )


def _slot(noun: str) -> str:
    if noun in words("wife husband partner girlfriend boyfriend dog cat"):
        return f"user {noun}/name"
    return {
        "kids": "user/number of children",
        "children": "user/number of children",
        "car": "user/vehicle",
        "allergy": "user/allergies",
    }.get(noun, f"user/{noun}")


def known_from(statements: Sequence[ProfileStatement], *, own: bool) -> list[Known]:
    """Return what *statements* hold, to look up what a correction means."""
    return [(said.field, said.value, own) for said in statements if said.value is not None and not said.removes]


MANY: Final = frozenset({"programming_languages", "frameworks", "interests", "project_tech_stack"})
"""Fields of many values, where another value corrects none."""
_GREETING: Final = re.compile(
    r"\b(?i:nice to meet you|pleased to meet you|hi|hello|hey|welcome|thanks|thank you|great|sure|ok|okay|got it),?"
    r" ([A-Z][a-zà-ÿ]+)\b"
)


def addressed(text: str) -> list[Known]:
    """Return by which name the assistant calls the user: "Nice to meet you, Lina!"."""
    return [("name", match[1], False) for match in _GREETING.finditer(text[:2000]) if match[1].lower() not in STOPS]
