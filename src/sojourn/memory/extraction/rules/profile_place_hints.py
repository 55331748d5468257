"""Where people live, said in passing: "here in Oslo", "Ohio is where I live", "my flat in Rome"."""

from collections.abc import Callable, Iterator
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import kind_of
from sojourn.memory.extraction.rules.lexicon_names import GIVEN_NAMES
from sojourn.memory.extraction.rules.lexicon_places import KINDS
from sojourn.memory.extraction.rules.profile_clause import Line
from sojourn.memory.extraction.rules.profile_draft import Draft
from sojourn.memory.extraction.rules.profile_place import (
    VISITING,
    kind_in,
    known_place,
    location,
    place_at,
    with_region,
)

_HOMES: Final = words(
    "corner part area tribe home house apartment condo place dwelling farm village town flat cabin ranch city dorm "
    "neighborhood"
)
_ELSEWHERE: Final = words(
    "visit visiting visited went go going travel traveling travelled trip brother parents family friend friends "
    "born mom dad sister vacation been wish want would wanted hope if summer winter holiday son daughter cousin "
    "uncle aunt grandparents boyfriend girlfriend husband wife met saw come came there dream retire move moving "
    "ever never relatives you your they he she about know speak speaking interested studied history war used was "
    "were got bought swam bet house mansion food suggest recommend properties hotels plan planning trek tour "
    "while when event"
)


def places(line: Line) -> Iterator[Draft]:
    """Yield homes that the line states without "I live"."""
    for place, word in enumerate(line.words):
        reader = _READERS.get(word)
        if reader is not None:
            yield from reader(line, place)
        if word == "in":
            yield from _weather_in(line, place)
        if word in _HOMES:
            yield from _named_home(line, place)
            if "my" in line.words[max(0, place - 3) : place]:
                yield from _my_home(line, place)
    yield from _lone(line)
    if line.word(line.end - 1) == "here" and line.end <= 5:
        item = place_at(line, 0, sure=False)
        if item and item[1] == line.end - 1 and line.words[item[0]] not in GIVEN_NAMES:
            yield location(line, item, "location_here", item[0])


def _here(line: Line, place: int) -> Iterator[Draft]:
    if line.word(place + 1) == "in" and _is_free(line, place):
        item = place_at(line, place + 2, sure=True)
        if item and known_place(line, item[0]):
            yield location(line, item, "location_here", place)


def _where(line: Line, place: int) -> Iterator[Draft]:
    """Read "Ohio is where I live", "the mountains where I live"."""
    verb = line.word(place + 2)
    if line.word(place + 1) != "i" or verb not in {"live", "am", "reside", "stay"} or line.clause(place).is_question:
        return
    if verb == "am" and line.word(place + 3) not in {"from", "now"}:
        return
    before = place - 1
    while before >= 0 and line.words[before] in words(", is that this here"):
        before -= 1
    for first in range(max(0, before - 3), before + 1):
        if known_place(line, first) == before + 1:
            yield location(line, (first, before + 1), "location_where", first)
            return
    if before >= 0 and line.words[before] in KINDS:
        yield location(line, (before, before + 1), "location_kind", before)


def _relative(line: Line, place: int) -> Iterator[Draft]:
    """Read "Colorado is the state I live in", "the ranch I live on"."""
    if line.word(place + 1) not in {"live", "reside"} or line.word(place + 2) not in {"in", "on", "at", "near"}:
        return
    kind = place - 2 if line.word(place - 1) == "that" else place - 1
    if kind < 0 or line.words[kind] not in KINDS or not line.clause(place).is_stated:
        return
    if line.words[max(0, kind - 2) : kind] == ["is", "the"]:
        first = next((at for at in range(kind - 2) if known_place(line, at) == kind - 2), -1)
        if first >= 0:
            yield location(line, (first, kind - 2), "location_live", first)
            return
    yield location(line, (kind, kind + 1), "location_kind", kind)


def _living(line: Line, place: int) -> Iterator[Draft]:
    """Read "living in Rome is dear", "a teacher living on a farm"."""
    clause = line.clause(place)
    if not clause.is_stated or clause.person not in {"i", "none"} or clause.tense != "present":
        return
    if line.word(place - 1) in words(
        "am been i was were are is he she they be parents family friend brother sister friends"
    ) and not (line.word(place - 1) == "been" and place == 1):
        return
    if len(line.reading.sentences) > 5 and clause.person == "none":
        return
    prep = line.word(place + 1)
    item = place_at(line, place + 2, sure=False) if prep in {"in", "near"} else None
    if item:
        yield location(line, item, "location_here", place)
    elif prep in {"in", "on", "at"}:
        kind = kind_in(line, place + 2)
        if kind:
            yield location(line, kind, "location_kind", place)


def _based(line: Line, place: int) -> Iterator[Draft]:
    """Read ", now based in Lyon"."""
    clause = line.clause(place)
    before = line.word(place - 1)
    if (
        clause.person == "i"
        and clause.is_stated
        and line.word(place + 1) in {"in", "near"}
        and before in words(", and now currently but")
    ):
        item = place_at(line, place + 2, sure=True)
        if item:
            yield location(line, item, "location_live", place)


def _never_out_of(line: Line, place: int) -> Iterator[Draft]:
    """Read "I have never been out of Ohio"."""
    clause = line.clause(place)
    if line.word(place - 1) not in {"out", "outside"} or not clause.is_stated or clause.person != "i":
        return
    if {"never", "not"} & set(line.words[max(0, place - 5) : place]):
        item = place_at(line, place + 1, sure=False)
        if item:
            yield location(line, item, "location_mention", place)


def _is_home(line: Line, place: int) -> Iterator[Draft]:
    """Read "Portland, Maine is my home"."""
    if line.words[place + 1 : place + 3] != ["my", "home"] or not line.is_end(place + 3):
        return
    for first in range(place):
        end = known_place(line, first)
        if end and with_region(line, end) == place:
            yield location(line, (first, place), "location_live", first)
            return


def _my_home(line: Line, place: int) -> Iterator[Draft]:
    """Read "my flat in Rome", "my home is near Lyon"."""
    at = place + 2 if line.word(place + 1) == "is" else place + 1
    if line.word(at) in {"in", "near", "outside", "of"} and _is_free(line, place):
        item = place_at(line, at + 1, sure=False)
        if item:
            yield location(line, item, "location_here", place)


def _in(line: Line, place: int) -> Iterator[Draft]:
    """Read "in Oslo" of what the user does there, now, with nobody else about; and "in Texas, we ..."."""
    clause = line.clause(place)
    if not clause.is_stated or VISITING.intersection(line.words):
        return
    opens = (
        place_at(line, place + 1, sure=False)
        if place < 3 or line.word(place - 1) in words(", but and so well")
        else None
    )
    if opens and line.word(opens[1]) == "," and line.word(opens[1] + 1) == "we":
        yield location(line, opens, "location_mention", place)
        return
    if clause.person not in {"i", "we"} or clause.tense != "present" or (clause.negated and clause.person == "i"):
        return
    first = next((at for at in range(place, -1, -1) if line.clause(at) is not clause), -1) + 1
    if any(word.endswith("ed") or kind_of(word) == "past" for word in line.words[first:place]):
        return
    if _ELSEWHERE.intersection(line.words[first : place + 6]):
        return
    item = place_at(line, place + 1, sure=False)
    if item and line.word(item[1]) not in words("army navy military marines air coast open office"):
        yield location(line, item, "location_mention", place)


def _is_free(line: Line, place: int) -> bool:
    """Tell whether "here in" speaks of the user's own place, now."""
    clause = line.clause(place)
    if clause.is_question or clause.is_hypothetical or clause.is_reported or clause.person == "you":
        return False
    return not VISITING.intersection(line.words) and line.word(place - 1) not in {"moved", "are", "you", "from"}


_WEATHER: Final = words(
    "heat cold weather sun sunshine nights night winter winters summer summers snow rain humidity air sky skies "
    "beaches mountains wind winds mornings traffic roads"
)
_SEASONABLE: Final = words(
    "hot cold warm chilly sunny rainy snowing raining windy beautiful lovely humid freezing nice day night evening "
    "morning weather snow foggy cloudy boring quiet"
)


def _this(line: Line, place: int) -> Iterator[Draft]:
    """Read "this Texas heat", "these Alaska nights"."""
    last = known_place(line, place + 1) if place + 1 < line.end else 0
    if last and line.word(last) in _WEATHER and _is_free(line, place):
        yield location(line, (place + 1, last), "location_mention", place)


def _weather_in(line: Line, place: int) -> Iterator[Draft]:
    """Read "it's a lovely night in Texas", "so cold in Maine right now"."""
    clause = line.clause(place)
    before = line.words[max(0, place - 5) : place]
    if clause.person in {"you", "we"} or not words("it its is") & set(before) or not _is_free(line, place):
        return
    if not _SEASONABLE.intersection(before) or clause.tense != "present" or clause.negated:
        return
    item = place_at(line, place + 1, sure=False)
    if item and not _ELSEWHERE.intersection(before):
        yield location(line, item, "location_mention", place)


def _far(line: Line, place: int) -> Iterator[Draft]:
    """Read "it's so far from Ohio", and "hello from Texas"."""
    far = line.word(place - 1) in {"far", "away"} and line.word(place - 2) in words("so too pretty very really quite")
    greets = line.word(place - 1) in words("hello hi greetings hey") and place < 4
    if not (far or greets) or line.clause(place).person == "you" or not _is_free(line, place):
        return
    item = place_at(line, place + 1, sure=False)
    if item:
        yield location(line, item, "location_mention", place)


def _never_left(line: Line, place: int) -> Iterator[Draft]:
    """Read "I never left Ohio"."""
    if line.word(place - 1) == "never" and line.clause(place).person == "i":
        item = place_at(line, place + 1, sure=False)
        if item:
            yield location(line, item, "location_mention", place)


def _named_home(line: Line, place: int) -> Iterator[Draft]:
    """Read "I call Denver home", "home is Oslo", "my Chicago apartment"."""
    clause = line.clause(place)
    if clause.is_question or clause.is_hypothetical or clause.is_reported or clause.negated:
        return
    for first in range(max(0, place - 4), place):
        said = line.word(first - 1)
        mine = said == "my" and line.words[place] in _HOMES
        if known_place(line, first) == place and (mine or (said == "call" and line.words[place] == "home")):
            yield location(line, (first, place), "location_here", first)
            return
    at = place + 3 if line.words[place + 1 : place + 3] == ["for", "me"] else place + 1
    if line.words[place] == "home" and line.word(at) == "is":
        item = place_at(line, at + 1, sure=False)
        if item and item[0] == at + 1:
            yield location(line, item, "location_here", place)


def _now(line: Line, place: int) -> Iterator[Draft]:
    """Read "from Peru but now in Chile"."""
    clause = line.clause(place)
    if line.word(place + 1) == "in" and clause.is_stated and clause.person == "i" and line.word(place - 1) in _TURNS:
        item = place_at(line, place + 2, sure=False)
        if item:
            yield location(line, item, "location_moved", place)


_TURNS: Final = words("but and , am")


def _together(line: Line, place: int) -> Iterator[Draft]:
    """Read "me and my wife live in Lyon"."""
    before = line.words[max(0, place - 6) : place]
    if "me" in before and "and" in before and line.clause(place).is_stated and line.word(place + 1) in {"in", "near"}:
        item = place_at(line, place + 2, sure=True)
        if item:
            yield location(line, item, "location_live", place)


def _school(line: Line, place: int) -> Iterator[Draft]:
    """Read "I go to school in Ohio"."""
    if line.words[max(0, place - 2) : place] != ["go", "to"] or line.word(place + 1) != "in":
        return
    clause = line.clause(place)
    item = place_at(line, place + 2, sure=False)
    if item and clause.is_stated and clause.person == "i":
        yield location(line, item, "location_mention", place)


def _home(line: Line, place: int) -> Iterator[Draft]:
    """Read "Ohio, my home state", "my hometown of Lyon is home"."""
    if line.word(place - 1) != "my" or not line.clause(place).is_stated:
        return
    end = place - 1
    while end > 0 and line.words[end - 1] in words(", is"):
        end -= 1
    for first in range(max(0, end - 4), end):
        if known_place(line, first) == end and end < place - 1:
            yield location(line, (first, end), "location_mention", first)
            return


def _lone(line: Line) -> Iterator[Draft]:
    """Read a place that stands alone after "I'm here" or opens small talk: "in Portland . you ?"."""
    if line.word(0) != "in" or line.sentence.mark.startswith("?") or len(line.reading.sentences) > 4:
        return
    item = place_at(line, 1, sure=False)
    if item and (item[1] >= line.end or line.word(item[1]) == "in"):
        yield location(line, item, "location_mention", 0)


_READERS: Final[dict[str, Callable[[Line, int], Iterator[Draft]]]] = {
    "here": _here,
    "where": _where,
    "living": _living,
    "based": _based,
    "located": _based,
    "of": _never_out_of,
    "is": _is_home,
    "i": _relative,
    "in": _in,
    "this": _this,
    "these": _this,
    "from": _far,
    "left": _never_left,
    "home": _home,
    "now": _now,
    "live": _together,
    **dict.fromkeys(("school", "college", "university"), _school),
}
