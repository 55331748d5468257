"""How people say where they live, and where they come from."""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS, MARKS, STOPS, kind_of
from sojourn.memory.extraction.rules.lexicon_names import GIVEN_NAMES
from sojourn.memory.extraction.rules.lexicon_places import DIRECTIONS, KINDS, MANY_MEANINGS, PLACES
from sojourn.memory.extraction.rules.profile_clause import Line, Predicate
from sojourn.memory.extraction.rules.profile_draft import Draft
from sojourn.memory.extraction.rules.profile_name import spelled
from sojourn.memory.extraction.rules.profile_phrase import Phrase, phrase

TRIGGERS: Final = words(
    "live living lives lived reside residing based located from moved here where home in relocated city settled"
)
_LEADING: Final = words(
    "sunny beautiful good old ole lovely rainy cold rural little boring downtown central northern southern "
    "eastern western upstate"
)
_VISITING: Final = words(
    "vacation visiting visit trip holiday holidays conference layover transit traveling travelling passing"
)
_NOT_PLACES: Final = words(
    "moment past present fear peace harmony love hope town style way mood trouble debt pain hospital prison jail "
    "bed class college school meeting middle charge process future internet shadows real truth god dreams bubble "
    "world hell heaven fantasy sin poverty luxury"
)
_PARTS: Final = words("cape island heights beach springs falls lake creek hills valley park bay port county grove")
_SMALL: Final = KINDS | words("of the and in on near a an small big little outside close to by rural")


def place_at(line: Line, at: int, *, sure: bool) -> Phrase | None:
    """Return the place named at *at*: a known one, or, if *sure*, whatever stands there. "Paris, France" is one place."""
    first = at
    while (
        line.word(first)
        in ADVERBS | _LEADING | {"the", "a", "an", "my", "middle", "of", "city", "state", "suburb", "suburbs"}
        and first < at + 6
    ):
        word = line.word(first)
        if _known(line, first) or (
            word in {"city", "state", "suburb", "suburbs", "middle"} and line.word(first + 1) != "of"
        ):
            break
        first += 1
    if sure:
        kind = _kind_in(line, at)
        if kind:
            return kind
    last = _known(line, first)
    if last and (sure or line.words[first] not in MANY_MEANINGS or last - first > 1 or line.has_capital(first)):
        return first, _with_region(line, last)
    if not sure:
        return None
    item = phrase(line, at, most=4)
    if item is None:
        return None
    head = line.words[item[1] - 1]
    if head in _NOT_PLACES and head not in KINDS:
        return None
    if head in KINDS or set(line.words[item[0] : item[1]]) & KINDS:
        return item
    if line.has_capital(item[0]) or (
        item[1] - item[0] <= 3 and line.words[item[0]].isalpha() and line.words[at] == line.words[item[0]]
    ):
        return item[0], _with_region(line, item[1])
    return None


def _kind_in(line: Line, at: int) -> Phrase | None:
    """Return a kind of place together with the place it is in: "a small town in Ohio", "the suburbs of Atlanta"."""
    item = phrase(line, at, most=4)
    if item is None or _known(line, item[0]):
        return None
    found = line.words[item[0] : item[1]]
    if line.words[item[1] - 1] not in KINDS and not ("of" in found and set(found) & KINDS):
        return None
    last = item[1]
    step = last + 1 if line.word(last) == "," else last
    if line.word(step) in {"in", "of", "near", "outside", "on", "called", "by"} or step > last:
        after = step if step > last else step + 1
        while line.word(after) in {"the", "of", "middle"} | _LEADING:
            after += 1
        end = _known(line, after)
        if end:
            return item[0], _with_region(line, end)
    return item


def _known(line: Line, first: int) -> int:
    """Return where the known place at *first* ends, 0 if there is none. The longest wins: "new york city"."""
    for length in (4, 3, 2, 1):
        if first + length <= line.end and " ".join(line.words[first : first + length]) in PLACES:
            return first + length
    return 0


def _with_region(line: Line, last: int) -> int:
    """Return where the place ends with the region after it: "Paris, France", "portland oregon"."""
    step = last + 1 if line.word(last) == "," else last
    after = _known(line, step) if line.word(step) not in MANY_MEANINGS or step == last + 1 else 0
    if after and not (step == last and line.words[step] in {"us", "nice"}):
        return after
    if line.word(step) in {"area", "suburbs", "county", "city"} and step == last:
        return step + 1
    return last


def _written(line: Line, item: Phrase) -> str:
    """Return the place as written, with capitals if it is a name."""
    text = " ".join(line.original(*item).split()).replace(" ,", ",")
    named = any(_known(line, at) for at in range(*item)) or not set(line.words[item[0] : item[1]]) & KINDS
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
            in {
                "up",
                "down",
                "over",
                "out",
                "right",
                "here",
                "deep",
                "little",
                "a",
                "just",
                "way",
                "still",
                "back",
                "there",
                "alone",
                "together",
                "all",
            }
            | ADVERBS
        ):
            place += 1
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


def lives(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read what follows "I live"."""
    at = _direction(line, predicate.rest)
    if at is None or predicate.modal or predicate.wanted or predicate.infinitive:
        return
    item = place_at(line, at, sure=True)
    if item is None:
        return
    if predicate.ceased or predicate.negated:
        draft = location(line, item, "removed", predicate.start)
        draft.removes = True
        yield draft
    elif predicate.past:
        yield fact(line, item, None, "The user once lived in {}", predicate.start)
    else:
        kind = bool(set(line.words[item[0] : item[1]]) & KINDS) and not _known(line, item[0])
        family = "location_kind" if kind else "location_live"
        if predicate.verb == "stay":
            if kind or not _known(line, item[0]):
                return
            family = "location_in"
        yield location(line, item, family, predicate.start)


def moves(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I moved to Berlin (from Rome)"."""
    if predicate.modal or predicate.wanted or predicate.negated or predicate.ongoing:
        return
    place = predicate.rest
    while line.word(place) in {"back", "over", "out", "here", "recently", "again", "down", "up", "just"} | ADVERBS:
        place += 1
    target: Draft | None = None
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
    if predicate.modal or predicate.wanted or predicate.subject != "i":
        return
    place = predicate.rest
    while line.word(place) in ADVERBS | {"not", "up", "over", "down", "out", "here", "back", "right"}:
        place += 1
    word = line.word(place)
    if word in {"based", "located", "situated", "settled", "housed"}:
        at = _direction(line, place + 1)
        item = place_at(line, at, sure=True) if at else None
        if item and not predicate.past and not predicate.negated:
            yield location(line, item, "location_live", predicate.start)
        return
    if word == "from":
        item = place_at(line, place + 1, sure=True)
        if (item and _known(line, item[0]) and not predicate.negated) or (
            item
            and not predicate.negated
            and (line.has_capital(item[0]) or set(line.words[item[0] : item[1]]) & _PARTS)
        ):
            yield location(line, item, "location_from", predicate.start)
        elif (
            item
            and not predicate.negated
            and set(line.words[item[0] : item[1]]) & {"town", "city", "village", "suburbs", "country"}
        ):
            yield location(line, item, "location_kind", predicate.start)
        return
    if word == "in" and not predicate.past and not _VISITING.intersection(line.words):
        item = place_at(line, place + 1, sure=False)
        if item is None and line.word(place + 1) in {"a", "the"}:
            kind = _kind_in(line, place + 1)
            if kind and set(line.words[kind[0] : kind[1]]) & words(
                "city town village suburbs country countryside apartment condo dorm island state suburb"
            ):
                item = kind
        if item:
            draft = location(line, item, "location_in" if not predicate.negated else "removed", predicate.start)
            draft.removes = predicate.negated
            yield draft
        return
    if word in {"born", "raised"}:
        yield from origins(line, place, predicate.start)
        return
    if word == "outside" or (word == "in" and line.word(place + 1) in {"a", "the"}):
        return
    if not predicate.past and not predicate.negated and word in {"a", "an", "the", "currently"}:
        yield from trailing(line, place, predicate.start)


def trailing(line: Line, place: int, start: int) -> Iterator[Draft]:
    """Read a known place after a job or a workplace: "a nurse in Bergen"."""
    for at in range(place + 1, min(line.end - 1, place + 9)):
        word = line.words[at]
        if word in MARKS or word in {"i", "but", "you", "who", "that", "and", "when"}:
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


def places(line: Line) -> Iterator[Draft]:
    """Yield homes that the line states without "I live": "here in Oslo", "Ohio is where I live", "living in Rome is"."""
    for place, word in enumerate(line.words):
        if word == "here" and line.word(place + 1) == "in" and _is_free(line, place):
            item = place_at(line, place + 2, sure=False)
            if item:
                yield location(line, item, "location_here", place)
        elif (
            word == "where"
            and line.word(place + 1) == "i"
            and line.word(place + 2) in {"live", "am", "reside", "stay", "grew"}
        ):
            yield from _where(line, place)
        elif word == "living" and line.word(place - 1) not in {
            "am",
            "been",
            "i",
            "was",
            "were",
            "are",
            "is",
            "he",
            "she",
            "they",
            "be",
        }:
            clause = line.clause(place)
            if (
                line.word(place + 1) in {"in", "near"}
                and clause.is_stated
                and clause.person in {"i", "none"}
                and clause.tense == "present"
            ):
                item = place_at(line, place + 2, sure=False)
                if item and line.word(place - 1) not in {
                    "parents",
                    "family",
                    "friend",
                    "brother",
                    "sister",
                    "like",
                    "love",
                    "loved",
                }:
                    yield location(line, item, "location_here", place)
        elif word in _HOMES and "my" in line.words[max(0, place - 3) : place]:
            at = place + 2 if line.word(place + 1) == "is" else place + 1
            item = (
                place_at(line, at + 1, sure=False)
                if line.word(at) in {"in", "near", "outside"} and _is_free(line, place)
                else None
            )
            if item:
                yield location(line, item, "location_here", place)
        elif (
            word == "of"
            and line.word(place - 1) in {"out", "outside"}
            and {"never", "not"} & set(line.words[max(0, place - 5) : place])
            and line.clause(place).is_stated
        ):
            item = place_at(line, place + 1, sure=False)
            if item and line.clause(place).person == "i":
                yield location(line, item, "location_mention", place)
        elif (
            word == "is" and line.word(place + 1) == "my" and line.word(place + 2) == "home" and line.is_end(place + 3)
        ):
            first = next(
                (at for at in range(place) if (end := _known(line, at)) and _with_region(line, end) == place), -1
            )
            if first >= 0:
                yield location(line, (first, place), "location_live", first)
        elif word == "in" and _is_present(line, place):
            item = place_at(line, place + 1, sure=False)
            if item:
                yield location(line, item, "location_mention", place)
    if line.word(line.end - 1) == "here" and line.end <= 5:
        item = place_at(line, 0, sure=False)
        if item and item[1] == line.end - 1 and line.words[item[0]] not in GIVEN_NAMES:
            yield location(line, item, "location_here", item[0])


_HOMES: Final = words(
    "corner part area tribe home house apartment condo place dwelling farm village town flat cabin ranch city "
    "dorm neighborhood"
)
_ELSEWHERE: Final = words(
    "visit visiting visited went go going travel traveling travelled trip brother parents family friend friends "
    "born mom dad sister vacation been wish want would wanted hope if summer winter holiday son daughter cousin "
    "uncle aunt grandparents boyfriend girlfriend husband wife met saw come came there dream retire move moving "
    "ever never relatives you your they he she about know speak speaking interested studied history war used was "
    "were got bought swam bet house mansion food"
)


def _is_present(line: Line, place: int) -> bool:
    """Tell whether "in Oslo" at *place* says where the user is: what he does there, now, with nobody else about."""
    clause = line.clause(place)
    if not clause.is_stated or clause.person not in {"i", "we"} or clause.tense != "present" or clause.negated:
        return False
    first = next((at for at in range(place, -1, -1) if line.clause(at) is not clause), -1) + 1
    if any(word.endswith("ed") or kind_of(word) == "past" for word in line.words[first:place]):
        return False
    return not _ELSEWHERE.intersection(line.words[first : place + 6]) and not _VISITING.intersection(line.words)


def _is_free(line: Line, place: int) -> bool:
    """Tell whether "here in" speaks of the user's own place, now."""
    clause = line.clause(place)
    if clause.is_question or clause.is_hypothetical or clause.is_reported or clause.person == "you":
        return False
    return not _VISITING.intersection(line.words) and line.word(place - 1) not in {"moved", "are", "you", "from"}


def _where(line: Line, place: int) -> Iterator[Draft]:
    clause = line.clause(place)
    if (
        clause.is_question
        or line.word(place + 2) == "grew"
        or (line.word(place + 2) == "am" and line.word(place + 3) not in {"from", "now"})
    ):
        return
    before = place - 1
    while before >= 0 and line.words[before] in {",", "is", "that", "this", "here"}:
        before -= 1
    for first in range(max(0, before - 3), before + 1):
        if _known(line, first) == before + 1:
            yield location(line, (first, before + 1), "location_where", first)
            return
    if before >= 0 and line.words[before] in KINDS:
        yield location(line, (before, before + 1), "location_kind", before)


def is_place_word(line: Line, at: int) -> bool:
    """Tell whether a known place begins at *at*."""
    return bool(_known(line, at)) and line.word(at) not in MANY_MEANINGS and line.word(at) not in STOPS
