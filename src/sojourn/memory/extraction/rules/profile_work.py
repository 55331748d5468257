"""How people say what they do for a living."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS, DETERMINERS, STOPS, TIMES
from sojourn.memory.extraction.rules.lexicon_tech import TECHNOLOGY
from sojourn.memory.extraction.rules.lexicon_work import (
    EMPLOYERS,
    FIELDS,
    JOBS,
    NO_OCCUPATION,
    NOT_JOBS,
    STATUSES,
    WORKPLACES,
)
from sojourn.memory.extraction.rules.profile_clause import Line, Predicate
from sojourn.memory.extraction.rules.profile_draft import Draft
from sojourn.memory.extraction.rules.profile_phrase import Phrase, phrase, text_of
from sojourn.memory.extraction.rules.profile_place import is_place_word, trailing

_SUFFIXES: Final = (
    "ologist",
    "ographer",
    "ician",
    "keeper",
    "smith",
    "wright",
    "worker",
    "engineer",
    "officer",
    "manager",
)
_QUALIFIED: Final = words("stay stay-at-home")
_PEOPLE: Final = words(
    "dad mom father mother brother sister wife husband friend friends kids children people animals dogs cats "
    "horses computers clients team"
)
_NO_WORKPLACE: Final = words(
    "night home it this that hours shifts garden mornings evenings weekends progress time least all fun free "
    "money now present moment you us them something anything living myself lot day days out city town teams "
    "general group order peace law parallel theory practice shape"
)


_MANNERS: Final = ADVERBS | words(
    "part full time part-time full-time hard nights days here over out there remotely together up down alone late "
    "daily overnight a lot alot stuck inside half long short hours shifts shift graveyard overnights evenings "
    "weekends mornings during the night day double two three 2 3 jobs right too much overtime online many per week"
)
"""What may stand between "work" and where: "part time", "long hours"."""


_ADJECTIVES: Final = words(
    "good great bad terrible big decent lousy avid huge horrible poor lazy your his her their not very better"
)
"""How somebody is at something, rather than what he does."""


def occupation(line: Line, value: str, family: str, first: int, last: int) -> Draft:
    return Draft(field="occupation", value=value, family=family, start=line.starts[first], end=line.ends[last - 1])


def _is_job(line: Line, item: Phrase) -> bool:
    """Tell whether the noun phrase is a job title."""
    head = line.words[item[1] - 1]
    single = head.removesuffix("s") if head.endswith("s") and head[:-1] in JOBS else head
    length = item[1] - item[0]
    if head in NO_OCCUPATION:
        return length > 2 and line.words[item[0]] in _QUALIFIED
    if single in NOT_JOBS and length == 1:
        return line.word(item[1]) in {"at", "for", "of"} or single in {"vet", "marine", "model", "temp"}
    return single in JOBS or (len(head) > 7 and head.endswith(_SUFFIXES))


def _with_employer(line: Line, item: Phrase) -> int:
    """Return where the title ends with its employer: "nurse at a hospital", but not "nurse in Bergen"."""
    last = item[1]
    prep = line.word(last)
    if prep not in words("at for with in of on"):
        return last
    if prep == "in" and (is_place_word(line, last + 1) or is_place_word(line, last + 2)):
        return last
    place = phrase(line, last + 1, most=5)
    home = place is not None and place[1] - place[0] > 1 and line.words[place[1] - 1] == "home"
    if (
        place is None
        or (line.words[place[1] - 1] in _NO_WORKPLACE | TIMES and not home)
        or line.words[place[0]].isdigit()
    ):
        return last
    if prep in {"with", "on", "in"} and line.words[place[1] - 1] not in WORKPLACES and not home:
        return last
    return place[1]


def title(line: Line, at: int) -> Phrase | None:
    """Return the job title at *at*, an article before it or not; with the employer after it."""
    at = past_words(line, at, ADVERBS | {"a", "an", "the", "my"})
    if line.word(at) == "stay" and line.word(at + 1) == "at" and line.word(at + 2) == "home":
        following = phrase(line, at + 3, most=2)
        return (at, following[1]) if following else None
    while line.word(at)[:1].isdigit():  # "a 25-year-old student"
        at += 1
        at = past_words(line, at, words("- year years yr old year-old"))
    item = phrase(line, at, most=6)
    if item is None or item[0] != at:
        return None
    for last in range(item[1], item[0], -1):  # "nurse practitioner student living ..." may run on
        if _is_job(line, (item[0], last)):
            return item[0], _with_employer(line, (item[0], last))
    return None


def past_words(line: Line, at: int, skipped: frozenset[str]) -> int:
    while line.word(at) in skipped:
        at += 1
    return at


def work_after_be(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I am a nurse", "I am retired", "I am in the army", "I am employed at"."""
    if predicate.modal or predicate.wanted or line.word(predicate.start - 1) in {"when", "once", "until"}:
        return
    place = past_words(line, predicate.rest, ADVERBS)
    word = line.word(place)
    if word in {"a", "an", "the", "your"} or (predicate.negated and not predicate.ceased) or word in JOBS:
        yield from _being(line, predicate, place)
    elif predicate.ceased and word in {"at", "with", "in"}:
        yield from _left(line, predicate, place)
    elif predicate.negated or predicate.past:
        return
    elif word == "in" or line.words[place : place + 2] in (["part", "of"], ["apart", "of"]):
        yield from _field(line, place if word == "in" else place + 1, predicate.start)
    elif word in words("employed stationed interning volunteering work deployed"):
        yield from employed(line, predicate, place + 1)
    else:
        yield from _status(line, predicate, place)


def _status(line: Line, predicate: Predicate, place: int) -> Iterator[Draft]:
    """Read "I am retired", "self employed", "between jobs", "on disability"."""
    word, after = line.word(place), line.word(place + 1)
    if (word, after) in {("between", "jobs"), ("on", "disability")}:
        yield occupation(line, f"{word} {after}", "work_status", predicate.start, place + 2)
    elif line.words[place : place + 3] == ["old", "and", "retired"]:
        yield occupation(line, "retired", "work_status", predicate.start, place + 3)
    elif word in STATUSES or (word, after) == ("self", "employed"):
        last = place + (2 if word == "self" else 1)
        if line.is_end(last) or line.word(last) in STOPS or line.word(last) == "due":
            yield occupation(line, text_of(line, (place, last)), "work_status", predicate.start, last)
            return
        item = title(line, place) if word in {"retired", "freelance"} else None
        if item:
            yield occupation(line, text_of(line, item), "work_am", predicate.start, item[1])
    else:
        item = title(line, place)  # "i am bank teller"
        named = item is not None and item[1] - item[0] > 1 and item[0] == place and word not in _ADJECTIVES
        if (
            item
            and named
            and "of" not in line.words[place : item[1]]
            and (line.is_end(item[1]) or line.word(item[1]) == "and")
        ):
            yield occupation(line, text_of(line, item), "work_am", predicate.start, item[1])


def _left(line: Line, predicate: Predicate, place: int) -> Iterator[Draft]:
    """Read "I'm no longer at Siemens"."""
    item = phrase(line, place + 1, most=4)
    if item and (line.has_capital(item[0]) or set(line.words[item[0] : item[1]]) & WORKPLACES):
        draft = occupation(line, text_of(line, (place, item[1])), "removed", predicate.start, item[1])
        draft.removes = True
        yield draft


def _being(line: Line, predicate: Predicate, place: int) -> Iterator[Draft]:
    item = title(line, place)
    if item is None:
        if line.word(place + 1) == "retired" and not predicate.past and not predicate.negated:
            yield occupation(line, "retired", "work_status", predicate.start, place + 2)
        return
    if predicate.past and not predicate.negated:
        yield Draft(
            family="fact", slot=None, value=text_of(line, item), content=f"The user was once a {text_of(line, item)}",
            start=line.starts[predicate.start], end=line.ends[item[1] - 1],
        )  # fmt: skip
        return
    head = [word for word in line.words[item[0] : item[1]] if word in JOBS or word.endswith(_SUFFIXES)]
    if line.words[item[0]] in _ADJECTIVES or line.words[item[0]] in words(
        "good great bad terrible big decent lousy avid huge horrible dedicated poor lazy aspiring future wannabe "
        "potential"
    ):
        return
    if head and line.words[place] not in {"a", "an", "the"} and not predicate.negated and not line.is_end(item[1]):
        return
    draft = occupation(line, text_of(line, item), "work_am", predicate.start, item[1])
    if predicate.negated:
        draft.removes, draft.family = True, "removed"
    yield draft


def _field(line: Line, place: int, start: int) -> Iterator[Draft]:
    """Read a field of work after "in" at *place*."""
    for length in (4, 3, 2, 1):
        text = " ".join(line.words[place + 1 : place + 1 + length])
        if text in FIELDS and place + 1 + length <= line.end:
            if text == "it" and not (line.is_end(place + 2) or line.has_capital(place + 1)):
                continue
            written = text_of(line, (place + 1, place + 1 + length))
            yield occupation(line, f"in {written}", "work_field", start, place + 1 + length)
            return


def works(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read what follows "I work"."""
    if predicate.infinitive or (_is_open(line, predicate) and not _is_had_to(line, predicate)):
        return
    if line.word(predicate.start - 1) in WORKPLACES:  # "the clinic I work at keeps busy"
        return
    yield from employed(line, predicate, predicate.rest)


def _is_open(line: Line, predicate: Predicate) -> bool:
    """Tell whether the work is only wished for or supposed: not "if I didn't work in an office", which says where."""
    contrary = predicate.past and predicate.negated and line.word(predicate.start - 1) == "if"
    return (predicate.modal or predicate.wanted) and not contrary


def _is_had_to(line: Line, predicate: Predicate) -> bool:
    """Tell whether it is done because it must be, or since it can: "I have to work at", "I can work from home"."""
    before = line.words[predicate.start + 1 : predicate.at]
    clause = line.clause(predicate.at)
    if predicate.negated or clause.is_hypothetical or clause.is_question or line.word(predicate.start - 1) == "where":
        return False
    at_home = line.words[predicate.rest : predicate.rest + 2] == ["from", "home"]
    return before[-2:] == ["have", "to"] or (before[-1:] == ["can"] and at_home)


def _is_held(line: Line, predicate: Predicate) -> bool:
    """Tell whether a denial says where somebody works: "when I'm not working at", "if I didn't work in"."""
    before = line.word(predicate.start - 1)
    return predicate.negated and (before in {"when", "whenever"} or (before == "if" and predicate.past))


def _manner(line: Line, place: int) -> tuple[str, int] | None:
    """Return how somebody works without an employer, and where the words for it end: "from home", "for myself"."""
    pair = (line.word(place), line.word(place + 1))
    if pair == ("from", "home"):
        return "works from home", place + 2
    if pair == ("for", "myself"):
        return "self-employed", place + 2
    return ("works online", place) if line.word(place - 1) == "online" else None


def employed(line: Line, predicate: Predicate, place: int) -> Iterator[Draft]:
    """Read where somebody works, and as what, after "work" or "employed"."""
    if _is_held(line, predicate):
        predicate = replace(predicate, negated=False, past=False)
    place = past_words(line, place, _MANNERS)
    if line.word(place)[:1].isdigit():
        place = past_words(line, place + 1, _MANNERS)
    prep = line.word(place)
    manner = _manner(line, place)
    if manner is not None:
        yield from _held(line, predicate, manner[0], "work_status", manner[1])
        return
    if prep == "as":
        item = title(line, place + 1) or phrase(line, place + 1, most=4)
        if item and line.words[item[1] - 1] not in NO_OCCUPATION | words("well much team intended expected"):
            yield from _held(line, predicate, text_of(line, item), "work_as", item[1])
        return
    if prep in {"with", "near"}:
        step = next((at for at in range(place + 1, min(line.end, place + 9)) if line.words[at] in {"at", "in"}), 0)
        if step and set(line.words[step : step + 6]) & WORKPLACES:
            place, prep = step, line.words[step]
    bare = phrase(line, place, most=2)
    if bare and bare[0] == place and predicate.verb == "work" and _is_trade(line, bare):
        yield from _held(line, predicate, f"works in {text_of(line, bare)}", "work_at", bare[1])
        return
    if prep in words("at for in on with by"):
        yield from _at_place(line, predicate, place)


def _is_trade(line: Line, item: Phrase) -> bool:
    """Tell whether it can be worked without a preposition: "I work retail"."""
    return text_of(line, item).lower() in FIELDS or line.words[item[1] - 1] in WORKPLACES - {"business", "practice"}


def _at_place(line: Line, predicate: Predicate, place: int) -> Iterator[Draft]:
    """Read where somebody works after the preposition at *place*."""
    prep = line.words[place]
    item = phrase(line, place + 1, most=6)
    if item is None or not is_workplace(line, prep, item):
        return
    written = text_of(line, (place + 1, item[1]))
    role = title(line, item[1] + 1) if line.word(item[1]) == "as" else None
    if role:
        yield from _held(line, predicate, f"{text_of(line, role)} at {written}", "work_am", role[1])
        return
    yield from _held(line, predicate, f"works {prep if prep != 'by' else 'for'} {written}", "work_at", item[1])
    if predicate.past or predicate.negated:
        return
    if prep in {"at", "for"} and line.words[place + 1] not in DETERMINERS:
        yield Draft(
            family="employer",
            slot="user/employer",
            value=text_of(line, item),
            content=f"The user works {prep} {text_of(line, item)}",
            start=line.starts[predicate.start],
            end=line.ends[item[1] - 1],
        )
    yield from trailing(line, item[1] - 1, predicate.start)


def _held(line: Line, predicate: Predicate, value: str, family: str, last: int) -> Iterator[Draft]:
    """Yield the occupation, or, of one that is over, what it says now."""
    if predicate.ceased or (predicate.negated and not predicate.past):
        draft = occupation(line, value, "removed", predicate.start, last)
        draft.removes = True
        yield draft
    elif predicate.past and not predicate.negated:
        yield Draft(
            family="fact", slot=None, value=value, content=f"Of a former job of the user: {value}",
            start=line.starts[predicate.start], end=line.ends[last - 1],
        )  # fmt: skip
    elif not predicate.negated:
        yield occupation(line, value, family, predicate.start, last)


def is_workplace(line: Line, prep: str, item: Phrase) -> bool:
    found = line.words[item[0] : item[1]]
    head = found[-1]
    if (
        found[0].isdigit()
        or (head in _NO_WORKPLACE and head not in {"home", "school"} | {"city" for _ in found[1:]})
        or head in TIMES
    ):
        return False
    if found[0] in _NO_WORKPLACE and len(found) == 1:
        return False
    if prep == "in":
        whole = " ".join(line.words[item[0] - 1 : item[1]])
        if " ".join(found) in TECHNOLOGY or found[0] in TECHNOLOGY or is_place_word(line, item[0]):
            return False
        return (
            " ".join(found) in FIELDS | EMPLOYERS
            or whole in FIELDS
            or bool(set(found) & WORKPLACES)
            or line.words[item[0] - 1] in {"a", "an"}
            or (len(found) == 1 and len(head) > 4)
        )
    if prep == "on":
        return head in words("farm ranch boat ship railroad railway oil rigs rig base dock docks") or "farm" in found
    if prep == "with":
        return (line.has_capital(item[0]) and found[0] not in TECHNOLOGY) or bool(set(found) & WORKPLACES)
    return not set(found) & _PEOPLE or bool(set(found) & WORKPLACES)


def retires(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I retired", "I have been retired for years"."""
    if line.words[predicate.at] == "retired" and not (predicate.modal or predicate.wanted or predicate.negated):
        yield occupation(line, "retired", "work_status", predicate.start, predicate.at + 1)


def runs_business(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I own a bakery", "I run a small farm", "I manage the bar"."""
    if (
        predicate.modal
        or predicate.wanted
        or predicate.past
        or predicate.infinitive
        or line.word(predicate.rest) not in DETERMINERS
    ):
        return
    item = phrase(line, predicate.rest, most=5)
    if item is None or not set(line.words[item[0] : item[1]]) & (WORKPLACES - {"truck", "channel"}):
        return
    verb = {"own": "owns", "run": "runs", "manage": "manages", "have": "has"}[predicate.verb]
    if predicate.verb == "have" and line.words[item[1] - 1] not in words(
        "business company shop store bakery restaurant startup firm"
    ):
        return
    owned = "their" if line.words[item[0]] == "own" else "a"
    draft = occupation(line, f"{verb} {owned} {text_of(line, item)}", "work_own", predicate.start, item[1])
    if predicate.negated:
        draft.removes, draft.family = True, "removed"
    yield draft


_THIRD: Final = {
    verb: verb + ("es" if verb.endswith(("ch", "ss")) else "s")
    for verb in words("teach sell bartend waitress drive tutor nurse coach farm babysit volunteer")
}
"""Trades that are verbs, as said of somebody else."""


def practises(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read trades that are verbs: "I teach maths", "I sell insurance", "I bartend", "I drive a truck"."""
    if (
        predicate.modal
        or predicate.wanted
        or predicate.negated
        or predicate.past
        or predicate.infinitive
        or predicate.subject != "i"
    ):
        return
    verb = predicate.verb
    at = predicate.rest
    item = phrase(line, at, most=5)
    if verb in {"bartend", "waitress", "babysit", "volunteer"}:
        prep = line.word(at) if line.word(at) in {"at", "for", "in"} else ""
        item = phrase(line, at + 1, most=5) if prep else None
        value = f"{_THIRD[verb]} {prep} {text_of(line, (at + 1, item[1]))}" if item else _THIRD[verb]
        yield occupation(line, value, "work_verb", predicate.start, item[1] if item else at)
        return
    if item is None or (line.word(at) in words("it my the them you your that") and verb != "teach"):
        return
    found = line.words[item[0] : item[1]]
    if verb == "drive" and not (
        found[-1] in words("truck trucks taxi bus cab uber lyft forklift")
        and ("living" in line.words or found[-1] != "truck" or "for" in line.words)
    ):
        return
    if verb in {"teach", "coach", "farm", "tutor"} and (
        found[0] in words("kids myself him her dog dogs son daughter") and "at" not in line.words
    ):
        return
    yield occupation(line, f"{_THIRD[verb]} {text_of(line, (at, item[1]))}", "work_verb", predicate.start, item[1])
