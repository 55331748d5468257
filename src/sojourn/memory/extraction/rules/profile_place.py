"""How people say where they live, and where they come from."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS, MARKS, STOPS
from sojourn.memory.extraction.rules.lexicon_places import DIRECTIONS, KINDS, MANY_MEANINGS, NEVER_ALONE, PLACES
from sojourn.memory.extraction.rules.profile_clause import Line, Predicate
from sojourn.memory.extraction.rules.profile_draft import Draft
from sojourn.memory.extraction.rules.profile_name import spelled
from sojourn.memory.extraction.rules.profile_phrase import Phrase, phrase

TRIGGERS: Final = words(
    "near outside out of live living lives lived reside residing based located from moved here where home in "
    "relocated city settled this these left apartment flat now"
)
_LEADING: Final = words(
    "sunny beautiful good old ole lovely rainy cold rural little boring downtown central northern southern "
    "eastern western upstate"
)
VISITING: Final = words(
    "vacation visiting visit trip holiday holidays conference layover transit traveling travelling passing"
)
_NOT_PLACES: Final = words(
    "moment past present fear peace harmony love hope town style way mood trouble debt pain hospital prison jail "
    "bed class college school meeting middle charge process future internet shadows real truth god dreams bubble "
    "world hell heaven fantasy sin poverty luxury"
)
_PARTS: Final = words("cape island heights beach springs falls lake creek hills valley park bay port county grove")
_SETTLEMENTS: Final = words(
    "city town village suburbs country countryside apartment condo dorm island state suburb area community"
)
_SMALL: Final = KINDS | words(
    "of the and in on near a an small big little outside close to by rural from away hour hours minutes miles two three"
)


def place_at(line: Line, at: int, *, sure: bool) -> Phrase | None:
    """Return the place named at *at*: a known one, or, if *sure*, whatever is there. "Paris, France" is one place."""
    first = at
    while (
        line.word(first) in ADVERBS | _LEADING | words("the a an my middle of city state suburb suburbs")
        and first < at + 6
    ):
        word = line.word(first)
        if known_place(line, first) or (
            word in words("city state suburb suburbs middle") and line.word(first + 1) != "of"
        ):
            break
        first += 1
    if sure:
        kind = kind_in(line, at)
        if kind:
            return kind
    last = known_place(line, first)
    if last and (sure or last - first > 1 or line.has_capital(first) or _is_plainly_place(line, first)):
        return first, with_region(line, last)
    if not sure:
        return None
    item = phrase(line, at, most=4)
    if item is None:
        return None
    head = line.words[item[1] - 1]
    if head in _NOT_PLACES and head not in KINDS:
        return None
    if line.words[at] == "the" and line.word(at - 1) in {"in", "on"} and item[0] == at + 1 and item[1] - item[0] == 2:
        return item
    if head in KINDS or set(line.words[item[0] : item[1]]) & KINDS:
        return item
    if line.has_capital(item[0]) or (
        item[1] - item[0] <= 3 and line.words[item[0]].isalpha() and line.words[at] == line.words[item[0]]
    ):
        return item[0], with_region(line, item[1])
    return None


def _is_plainly_place(line: Line, first: int) -> bool:
    """Tell whether the word at *first* is nothing else than a place, or stands where a place must."""
    word = line.words[first]
    return word not in MANY_MEANINGS or (line.word(first - 1) == "in" and word not in NEVER_ALONE)


def kind_in(line: Line, at: int) -> Phrase | None:
    """Return a kind of place together with the place it is in: "a small town in Ohio", "the suburbs of Atlanta"."""
    item = phrase(line, at, most=4)
    if item is None or known_place(line, item[0]):
        return None
    found = line.words[item[0] : item[1]]
    if line.words[item[1] - 1] not in KINDS and not ("of" in found and set(found) & KINDS):
        return None
    last = item[1]
    step = last + 1 if line.word(last) == "," else last
    if line.word(step) in words("in of near outside on called by") or step > last:
        after = step if step > last else step + 1
        while line.word(after) in {"the", "of", "middle"} | _LEADING:
            after += 1
        end = known_place(line, after)
        if end:
            return item[0], with_region(line, end)
    return item


def known_place(line: Line, first: int) -> int:
    """Return where the known place at *first* ends, 0 if there is none. The longest wins: "new york city"."""
    for length in (4, 3, 2, 1):
        if first + length <= line.end and " ".join(line.words[first : first + length]) in PLACES:
            return first + length
    return 0


def with_region(line: Line, last: int) -> int:
    """Return where the place ends with the region after it: "Paris, France", "portland oregon"."""
    step = last + 1 if line.word(last) == "," else last
    after = known_place(line, step) if line.word(step) not in MANY_MEANINGS or step == last + 1 else 0
    if after and not (step == last and line.words[step] in {"us", "nice"}):
        return after
    if line.word(step) in {"area", "suburbs", "county", "city"} and step == last:
        return step + 1
    return last


def _written(line: Line, item: Phrase) -> str:
    """Return the place as written, with capitals if it is a name."""
    text = " ".join(line.original(*item).split()).replace(" ,", ",")
    named = any(known_place(line, at) for at in range(*item)) or not set(line.words[item[0] : item[1]]) & KINDS
    if not named or text != text.lower():
        return text
    return " ".join(part if part in _SMALL else part[:1].upper() + part[1:] for part in text.split())


def location(line: Line, item: Phrase, family: str, start: int) -> Draft:
    """Return the draft of a place that the user lives in."""
    value = _written(line, item)
    return Draft(
        field="location", value=value, family=family, start=line.starts[min(start, item[0])], end=line.ends[item[1] - 1]
    )


def fact(line: Line, item: Phrase, slot: str | None, sentence: str, start: int) -> Draft:
    """Return the draft of a fact about a place; *sentence* has {} for it."""
    value = spelled(" ".join(line.original(*item).split()).replace(" ,", ","))
    return Draft(
        family="origin",
        slot=slot,
        value=value,
        content=sentence.format(value),
        start=line.starts[start],
        end=line.ends[item[1] - 1],
    )


def _direction(line: Line, place: int) -> int | None:
    """Return where the place after "live" begins: past "in", "up in", "just outside of", "here in"."""
    for _ in range(5):
        word = line.word(place)
        if (
            word
            in words("up down over out right here deep little a just way still back there alone together all") | ADVERBS
        ):
            place += 1
            if word == "out" and line.word(place) == "the":
                return place
            continue
        if word in DIRECTIONS:
            place += 1
            return place + 1 if line.word(place) in {"to", "of"} else place
        if word in {"with", "alone"}:
            step = place + 1
            while (
                step < line.end
                and step < place + 6
                and line.words[step] not in DIRECTIONS
                and line.words[step] not in MARKS
            ):
                step += 1
            place = step if line.word(step) in DIRECTIONS else line.end
            continue
        return None
    return None


def _is_granted(line: Line, predicate: Predicate) -> bool:
    """Tell whether "may" grants what is so: "I may live in Alaska, but I know a thing or two"."""
    return line.words[predicate.at - 1] in {"may", "might"} and "but" in line.words[predicate.rest : predicate.rest + 7]


def _nearer(line: Line, item: Phrase | None) -> Phrase | None:
    """Return the place, or the named one right after a kind of place: "in a van outside of Lyon"."""
    if item is None or any(known_place(line, at) for at in range(*item)):
        return item
    at = item[1]
    while line.word(at) in words("right just outside of in near , the east west north south coast side on close to"):
        at += 1
    last = known_place(line, at) if at > item[1] and at < line.end else 0
    named = bool(last) and line.words[at] not in MANY_MEANINGS
    return (item[0], with_region(line, last)) if named and at - item[1] <= 4 else item


def _with_kind(line: Line, item: Phrase, draft: Draft) -> Draft:
    """Return the draft of a named place with the kind of home there: "in Texas on a ranch" is a ranch in Texas."""
    if line.word(item[1]) not in {"in", "on", "at"} or not known_place(line, item[0]):
        return draft
    kind = kind_in(line, item[1] + 1)
    if kind and line.words[kind[1] - 1] in KINDS and line.word(kind[0]) != line.words[item[1]]:
        draft.value = f"{' '.join(line.original(*kind).split())} in {draft.value}"
        draft.end = line.ends[kind[1] - 1]
    return draft


_LIFELONG: Final = words("life entire forever")


def _hours_away(line: Line, place: int) -> Phrase | None:
    """Return "two hours from Lyon" after "live"."""
    if not {"hour", "hours", "minutes", "miles"} & set(line.words[place : place + 5]):
        return None
    at = next((at for at in range(place + 1, min(line.end, place + 8)) if line.words[at] in {"from", "of"}), 0)
    item = place_at(line, at + 1, sure=False) if at else None
    return (place, item[1]) if item else None


def lives(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read what follows "I live"."""
    away = _hours_away(line, predicate.rest)
    if away and not (predicate.modal or predicate.wanted or predicate.past or predicate.negated):
        yield location(line, away, "location_live", predicate.start)
        return
    at = _direction(line, predicate.rest)
    supposed = predicate.modal and not _is_granted(line, predicate)
    if at is None or supposed or predicate.wanted or predicate.infinitive:
        return
    item = _nearer(line, place_at(line, at, sure=True))
    if item is None:
        return
    if predicate.ceased or predicate.negated:
        draft = location(line, item, "removed", predicate.start)
        draft.removes = True
        yield draft
    elif predicate.past and not _LIFELONG.intersection(line.words[item[1] : item[1] + 4]):
        yield fact(line, item, None, "The user once lived in {}", predicate.start)
    else:
        kind = bool(set(line.words[item[0] : item[1]]) & KINDS) and not any(
            known_place(line, at) for at in range(*item)
        )
        family = "location_kind" if kind else "location_live"
        if predicate.verb == "stay":
            if kind or not known_place(line, item[0]):
                return
            family = "location_in"
        yield _with_kind(line, item, location(line, item, family, predicate.start))


def _moved_in(line: Line, predicate: Predicate, place: int) -> Iterator[Draft]:
    """Read "I moved in with my sister in Lyon"."""
    at = next((at for at in range(place, min(line.end, place + 8)) if line.words[at] == "in"), 0)
    item = place_at(line, at + 1, sure=False) if at else None
    if item:
        yield location(line, item, "location_moved", predicate.start)


def moves(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I moved to Berlin (from Rome)"."""
    if predicate.modal or predicate.wanted or predicate.negated or predicate.ongoing:
        return
    place = _past(line, predicate.rest, words("back over out here recently again down up just") | ADVERBS)
    target: Draft | None = None
    if line.words[place : place + 2] == ["in", "with"]:
        yield from _moved_in(line, predicate, place + 2)
        return
    if line.word(place) == "from":
        origin = place_at(line, place + 1, sure=False)
        if origin and line.word(origin[1]) == "to":
            yield fact(line, origin, None, "The user moved away from {}", predicate.start)
            place = origin[1]
    if line.word(place) == "to" or line.word(place) == "in":
        item = place_at(line, place + 1, sure=True)
        later = {"when", "but", "then"} & set(line.words[place:])
        if item and line.word(place) == "to" and not ("ago" in line.words and "but" in later):
            target = location(line, item, "location_moved", predicate.start)
            place = item[1]
    if line.word(place) == "from" or line.word(place + 1) == "from":
        start = place + (1 if line.word(place) == "from" else 2)
        origin = place_at(line, start, sure=False)
        if origin:
            yield fact(line, origin, None, "The user moved away from {}", predicate.start)
            if target is not None:
                target.former = spelled(" ".join(line.original(*origin).split()))
    if target is not None:
        yield target


def place_after_be(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I am from Ohio", "I am in Oslo", "I am based in Lyon", "I am a nurse in Bergen"."""
    if _is_contrary(line, predicate):
        predicate = replace(predicate, modal=False, past=False, negated=False)
    if predicate.modal or predicate.wanted or predicate.subject != "i":
        return
    place = _past(line, predicate.rest, ADVERBS | words("not up over down out here back right fine good great doing"))
    word = line.word(place)
    if word == "in":
        yield from _in(line, predicate, place)
    elif word in {"born", "raised"}:
        yield from origins(line, place, predicate.start)
    elif predicate.negated:
        return
    elif word == "from":
        yield from _from(line, predicate, place)
    elif predicate.past:
        return
    elif word in words("based located situated settled housed stationed"):
        at = _direction(line, place + 1)
        item = place_at(line, at, sure=True) if at else None
        if item:
            yield location(line, item, "location_live", predicate.start)
    elif word in {"a", "an", "the", "currently"}:
        at = place + 2 if line.word(place + 1) in {"proud", "typical", "true"} else place + 1
        last = known_place(line, at) if at < line.end else 0
        if last and line.word(last) in words("girl guy boy native resident gal man woman"):
            yield location(line, (at, last), "location_from", predicate.start)
        yield from trailing(line, place, predicate.start)


def _past(line: Line, place: int, skipped: frozenset[str]) -> int:
    while line.word(place) in skipped:
        place += 1
    return place


def _is_contrary(line: Line, predicate: Predicate) -> bool:
    """Tell whether it says where somebody is by supposing the contrary: "if I weren't in Oslo"."""
    supposed = predicate.past and predicate.negated and line.word(predicate.start - 1) == "if"
    return supposed and line.word(predicate.rest) == "in"


def _from(line: Line, predicate: Predicate, place: int) -> Iterator[Draft]:
    item = place_at(line, place + 1, sure=True)
    if item is None:
        return
    found = set(line.words[item[0] : item[1]])
    if (
        (known_place(line, item[0]) and line.word(item[1]) != "university")
        or line.has_capital(item[0])
        or found & _PARTS
    ):
        yield location(line, item, "location_from", predicate.start)
    elif found & words("town city village suburbs country"):
        yield location(line, item, "location_kind", predicate.start)


def _in(line: Line, predicate: Predicate, place: int) -> Iterator[Draft]:
    if predicate.past or VISITING.intersection(line.words):
        return
    if line.word(predicate.start - 1) in {"while", "when", "whenever", "once", "until"}:
        return
    item = place_at(line, place + 1, sure=False)
    if item and line.word(item[1]) in words("army navy military marines air coast open office"):
        return
    if item is None and line.word(place + 1) in {"a", "the"}:
        kind = kind_in(line, place + 1)
        if kind and set(line.words[kind[0] : kind[1]]) & _SETTLEMENTS:
            item = kind
    if item:
        draft = location(line, item, "removed" if predicate.negated else "location_in", predicate.start)
        draft.removes = predicate.negated
        yield draft


def trailing(line: Line, place: int, start: int) -> Iterator[Draft]:
    """Read a known place after a job or a workplace: "a nurse in Bergen"."""
    for at in range(place + 1, min(line.end - 1, place + 9)):
        word = line.words[at]
        if word in MARKS or word in words("i but you who that and when"):
            return
        if word == "in" or (word == "from" and at > place):
            item = place_at(line, at + 1, sure=False)
            if item:
                yield location(line, item, "location_trailing", start)
            return


def origins(line: Line, place: int, start: int) -> Iterator[Draft]:
    """Read "born in Ohio", "grew up in Rome"."""
    for at in range(place, min(line.end - 1, place + 6)):
        if line.words[at] == "in" or (line.words[at] in {"on", "near"} and line.words[place] != "born"):
            item = place_at(line, at + 1, sure=True)
            if item and not line.words[item[0]][0].isdigit() and line.words[item[0]] not in _MONTHS:
                yield fact(line, item, "user/hometown", "The user grew up in {}", start)
            return


_MONTHS: Final = words(
    "january february march april may june july august september october november december spring summer fall "
    "autumn winter"
)


def is_place_word(line: Line, at: int) -> bool:
    """Tell whether a known place begins at *at*."""
    return bool(known_place(line, at)) and line.word(at) not in MANY_MEANINGS and line.word(at) not in STOPS
