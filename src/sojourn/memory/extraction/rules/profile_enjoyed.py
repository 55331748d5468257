"""What people show that they enjoy without a verb of liking: "chess is my life", "I draw to relax", "saw Coldplay"."""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_culture import ANIMALS, NAMED_LENGTHS, VENUES
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS, DETERMINERS, MARKS, STOPS
from sojourn.memory.extraction.rules.lexicon_tastes import (
    ACTIVITIES,
    COLORS,
    DRINKS,
    FOODS,
    GERUNDS,
    SEASONS,
    TOPICS,
    VAGUE,
)
from sojourn.memory.extraction.rules.profile_clause import Line, Predicate
from sojourn.memory.extraction.rules.profile_draft import Draft
from sojourn.memory.extraction.rules.profile_engaged import is_own, is_small_talk
from sojourn.memory.extraction.rules.profile_phrase import Phrase, activity, listing, named_at, phrase
from sojourn.memory.extraction.rules.profile_tastes import infinitives, interest, is_interest

TRIGGERS: Final = words(
    "my me i you without mood best greatest ever than nothing love back done by going go see saw watch watched"
)
_PLEASURES: Final = (
    ("for", "fun"), ("to", "relax"), ("to", "unwind"), ("to", "keep", "busy"), ("to", "pass"), ("as", "a", "hobby"),
    ("in", "my", "free"), ("in", "my", "spare"), ("on", "my", "days"), ("on", "my", "off"), ("as", "often", "as"),
    ("for", "pleasure"), ("all", "day"), ("all", "the", "time"), ("to", "destress"), ("during", "my", "free"),
    ("for", "exercise"),
)  # fmt: skip
"""What says that something is done for its own sake."""
_NO_PASTIME: Final = words(
    "be have want need work get make know think see say tell ask do feel use try mean guess hope wish live go come "
    "start keep take give find look seem like love enjoy hate prefer am study teach"
)
_DEAR: Final = (
    ("my", "life"), ("my", "world"), ("my", "everything"), ("my", "thing"), ("my", "jam"), ("my", "passion"),
    ("everything", "to", "me"), ("my", "happy", "place"), ("my", "first", "love"), ("most", "important", "to", "me"),
    ("the", "best", "thing", "in", "my"), ("what", "i", "do"), ("what", "i", "love", "to", "do"), ("my", "escape"),
    ("what", "i", "like", "to", "do"), ("what", "i", "am", "interested", "in"), ("what", "i", "am", "into"),
    ("the", "love", "of", "my"), ("the", "loves", "of", "my"), ("my", "therapy"), ("my", "vice"),
    ("my", "guilty", "pleasure"), ("my", "go", "to"), ("my", "color"), ("my", "colour"), ("my", "main", "hobby"),
    ("my", "other", "hobby"), ("my", "stress", "relief"), ("my", "number", "one"), ("my", "joy"), ("fun", "for", "me"),
)  # fmt: skip
"""What is said of something dear, after "is"."""
_SUPERLATIVE: Final = words("best greatest coolest")
_RANKED: Final = words("band singer place show movie book game food drink sport song team restaurant city thing color")


def enjoyed(line: Line) -> Iterator[Draft]:
    """Yield what the line shows that the user enjoys."""
    small = is_small_talk(line)
    for place, word in enumerate(line.words):
        if word in {"is", "are", "been"}:
            yield from _dear(line, place)
        elif small and (word in NAMED_LENGTHS or word in ANIMALS):
            yield from _mentioned(line, place)
        elif word == "without" and line.words[max(0, place - 2) : place] == ["not", "live"]:
            yield from _listed(line, place + 1, "is_into")
        elif word == "mood" and line.word(place + 1) == "for" and is_own(line, place):
            yield from _listed(line, place + 2, "consumes")
        elif word in {"run", "walk", "hike", "swim", "jog", "ride"} and _is_outing(line, place):
            yield interest(line, (place, place + 1), "engaged", place)
        elif word in _CHEERING and line.word(place + 1) == "me":
            yield from _cheers(line, place)
        elif word == "garden" and line.word(place - 1) == "my" and is_own(line, place):
            yield interest(line, (place, place + 1), "engaged", place)
        elif word == "you":
            yield from _shared(line, place)
        elif word in _SUPERLATIVE and line.word(place + 1) in _RANKED:
            yield from _best(line, place + 1)


def _mentioned(line: Line, place: int) -> Iterator[Draft]:
    """Read a well-known name, or animals as a kind, of which small talk speaks."""
    last = named_at(line, place) if line.words[place] in NAMED_LENGTHS else 0
    if last and is_own(line, place):
        yield interest(line, (place, last), "mentions", place)
    elif line.words[place] in ANIMALS and _is_of_kind(line, place):
        yield interest(line, (place, place + 1), "mentions", place)


def _listed(line: Line, at: int, family: str) -> Iterator[Draft]:
    for item in listing(line, at):
        if is_interest(line, item):
            yield interest(line, item, family, at)


_HAVING: Final = words(
    "my our have has had own your her his their of raise many two three four five six some named just only keep women"
)
_AVERSE: Final = words(
    "hate afraid scared scare dislike not don't cannot can't allergic eat phobia fear terrified work problem hunt"
)


def _is_of_kind(line: Line, place: int) -> bool:
    """Tell whether animals are spoken of in general, and not those that somebody has or fears."""
    before = line.words[max(0, place - 6) : place]
    if _HAVING.intersection(before) or any(word[0].isdigit() for word in before) or _AVERSE & line.reading.words:
        return False
    return is_own(line, place) and (line.is_end(place + 1) or line.word(place + 1) in STOPS)


_CHEERING: Final = words("makes make keeps keep helps help relaxes relax calms calm inspires inspire")
_CHEERFUL: Final = words("happy smile calm sane going laugh relax unwind feel motivated cope sleep through alive")


def _cheers(line: Line, place: int) -> Iterator[Draft]:
    """Read "shopping makes me happy", "jazz calms me"."""
    clause = line.clause(place)
    if not clause.is_stated or (
        line.words[place].startswith(("m", "k", "h")) and line.word(place + 2) not in _CHEERFUL
    ):
        return
    if line.words[place + 2 : place + 4] == ["feel", "bad"] or "not" in line.words[:place]:
        return
    yield from _listed_before(line, place, "likes_it")


def _is_of_mine(line: Line, at: int) -> bool:
    """Tell whether "a great passion of mine" is at *at*."""
    said = line.words[at : at + 6]
    if said[:1] not in (["a"], ["an"], ["another"]) or "of" not in said:
        return False
    of = said.index("of")
    return said[of + 1 : of + 2] == ["mine"] and said[of - 1] in words(
        "passion hobby love obsession interest favorite fascination weakness pleasure passions"
    )


def _listed_before(line: Line, end: int, family: str) -> Iterator[Draft]:
    """Yield what the noun phrases name that end before the verb at *end*."""
    while end > 0 and line.words[end - 1] in ADVERBS | {"has", "have"}:
        end -= 1
    first = end
    clause = line.clause(max(0, end - 1))
    while first > 0 and end - first < 8:
        word = line.words[first - 1]
        before = line.clause(first - 1)
        if before is not clause and before.person == "i":
            break  # "I have a cold and tea helps me": the cold is of another clause
        if word in MARKS or (word in STOPS and word not in words("and my the of to with in on at")):
            break
        first -= 1
    if first and line.words[first - 1] not in MARKS and "and" in line.words[first:end]:
        first = end - line.words[first:end][::-1].index("and")  # "I have a cold and tea helps me"
    for found in listing(line, first):
        item = (found[0], min(found[1], end))
        if item[0] < end and (is_interest(line, item) or line.words[item[1] - 1] in {"family", "kids"}):
            yield interest(line, item, family, item[0])


def _dear(line: Line, place: int) -> Iterator[Draft]:
    """Read "my dogs are my life", "reading is what I do", "purple is my color"."""
    at = place + 1
    while line.word(at) in ADVERBS | words("probably one of by far"):
        at += 1
    dear = any(tuple(line.words[at : at + len(said)]) == said for said in _DEAR)
    if not dear and not _is_of_mine(line, at):
        return
    clause = line.clause(at)
    if clause.is_question or clause.is_hypothetical or clause.is_reported or line.word(at + 2) == "is":
        return
    yield from _listed_before(line, place if line.words[place] != "been" else place - 1, "is_into")


def _is_outing(line: Line, place: int) -> bool:
    """Tell whether somebody comes back from it or has done it: "back from a long run", "got my walk in"."""
    before = set(line.words[max(0, place - 6) : place])
    back = bool(before & words("back home returned finished came got") and before & words("from a my finished"))
    return back and is_own(line, place) and (line.is_end(place + 1) or line.word(place + 1) in STOPS)


_ASKED: Final = words("like love enjoy watch play read travel hate stay listen")
_ALIKE: Final = (("like", "i", "do"), ("like", "me"), ("as", "much", "as", "i"), ("as", "i", "do"), ("as", "me"))


def _shared(line: Line, place: int) -> Iterator[Draft]:
    """Read "do you like jazz like I do?", "do you enjoy chess as much as me?"."""
    at = place + 1
    while line.word(at) in ADVERBS:
        at += 1
    if line.word(at) not in _ASKED or line.word(at) == "hate":
        return
    alike = next(
        (
            step
            for step in range(at + 2, min(line.end, at + 10))
            for said in _ALIKE
            if tuple(line.words[step : step + len(said)]) == said
        ),
        0,
    )
    if not alike or "not" in line.words[place:alike]:
        return
    first = at + 1
    if line.words[at] in {"like", "love", "enjoy"}:
        items = infinitives(line, at + 2) if line.word(first) == "to" else listing(line, first)
    else:
        found = activity(line, at)
        items = [found] if found else []
    for item in items:
        if item[1] <= alike and is_interest(line, item):
            yield interest(line, item, "likes_it", item[0])


def _best(line: Line, place: int) -> Iterator[Draft]:
    """Read "the best band ever is Muse"."""
    at = place + 1
    while line.word(at) in words("ever to go of all time in the world"):
        at += 1
    if line.word(at) == "is" and line.clause(place).is_stated and line.clause(place).person != "you":
        yield from _listed(line, at + 1, "prefers")


def for_pleasure(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read whatever is done for its own sake: "I whittle spoons to relax"."""
    if (
        predicate.negated or predicate.past or predicate.modal or predicate.wanted or predicate.infinitive
        or predicate.ongoing or predicate.verb in _NO_PASTIME
    ):  # fmt: skip
        return
    last = next((at for at in range(predicate.rest, line.end) if line.words[at] in MARKS or line.words[at] == "i"), -1)
    for at in range(predicate.rest, last if last >= 0 else line.end):
        if any(tuple(line.words[at : at + len(said)]) == said for said in _PLEASURES):
            item = activity(line, predicate.at)
            last = min(item[1], at) if item else 0
            telling = (
                last > predicate.rest or line.words[at] != "all" or predicate.verb in ACTIVITIES | {"sleep", "eat"}
            )
            if item and telling and (predicate.subject == "i" or line.words[at] != "all"):
                yield interest(line, (item[0], last), "does", predicate.start)
            return


def visits(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read where somebody goes for pleasure: "I go to concerts", "each year I go to Disneyland"."""
    if predicate.negated or predicate.past or predicate.modal or predicate.wanted or predicate.ongoing:
        return
    if line.word(predicate.rest) != "to" or not line.clause(predicate.at).is_stated:
        return
    at = predicate.rest + 1
    named = named_at(line, at) if at < line.end else 0
    if named:
        yield interest(line, (at, named), "does", predicate.start)
        return
    item = phrase(line, at, most=3)
    if item and line.words[item[1] - 1] in VENUES:
        yield interest(line, item, "does", predicate.start)


def wears(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read what somebody wears by habit: "I always wear purple"."""
    if predicate.negated or predicate.past or predicate.modal or predicate.wanted or predicate.ongoing:
        return
    item = phrase(line, predicate.rest, most=4)
    habit = words("always usually mostly only") & set(line.words) or words("lot time everyday day often") & set(
        line.words[predicate.rest : predicate.rest + 8]
    )
    if item is None or not habit or set(line.words[item[0] : item[1]]) & words("glasses contacts size braces"):
        return
    if set(line.words[item[0] : item[1]]) & COLORS or is_interest(line, item):
        yield interest(line, (predicate.at, item[1]), "does", predicate.start)


_DOABLE: Final = GERUNDS | words(
    "coding crafts puzzles stunts magic crosswords reenactments programming makeup standup impressions cartwheels"
)


def pursues(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I do photography", "I do civil war reenactments"."""
    if predicate.negated or predicate.past or predicate.modal or predicate.wanted or predicate.subject != "i":
        return
    item = phrase(line, predicate.rest, most=4)
    if item and line.words[item[1] - 1] in _DOABLE and line.clause(predicate.at).is_stated:
        yield interest(line, item, "does", predicate.start)


def hangs_out(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I hang out with friends"."""
    if predicate.negated or predicate.past or predicate.modal or predicate.wanted or predicate.ongoing:
        return
    item = activity(line, predicate.at) if line.word(predicate.rest) in {"out", "with", "around"} else None
    if item and "with" in line.words[item[0] : item[1]] and line.word(predicate.start - 1) not in {"when", "if"}:
        yield interest(line, item, "does", predicate.start)


def snacks(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I snack on pretzels", "I munch on chips"."""
    if predicate.negated or predicate.modal or predicate.wanted or line.word(predicate.rest) != "on":
        return
    yield from _listed(line, predicate.rest + 1, "does_consume")


def falls(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I fell in love with the Alps"."""
    at = predicate.rest
    if not predicate.negated and line.words[at : at + 3] == ["in", "love", "with"]:
        yield from _listed(line, at + 3, "is_into")


_LEISURE: Final = ANIMALS | GERUNDS | FOODS | DRINKS | TOPICS | SEASONS
_ASIDE_OF: Final = words("hot black video rock duck deer bow horseback country war mystery romance")


def antecedent(lines: list[Line], number: int, end: int) -> tuple[Line, Phrase] | None:
    """Return what "it" or "them" before word *end* stands for: the last thing of leisure that was spoken of."""
    from_ = [(lines[number], end)]
    if number:
        from_.append((lines[number - 1], lines[number - 1].end))
    for line, last in from_:
        for at in range(last - 1, -1, -1):
            if not line.words[at].isalpha() or line.words[at] in VAGUE or line.words[at] in DETERMINERS:
                continue
            named = named_at(line, at)
            if named and named <= last:
                return line, (at, named)
            if line.words[at] in _LEISURE and line.word(at - 1) in _ASIDE_OF:
                return line, (at - 1, at + 1)
            if line.words[at] in _LEISURE and line.word(at - 1) not in {"your", "his", "her", "their"}:
                return line, (at, at + 1)
    return None


def meant(lines: list[Line], number: int) -> Iterator[Draft]:
    """Yield what "I love it", "I'm addicted to it" stand for, when a thing of leisure was spoken of just before."""
    line = lines[number]
    for place, word in enumerate(line.words):
        if word not in {"it", "them", "those", "em"} or not line.clause(place).is_stated:
            continue
        verb, preposition = line.word(place - 1), line.word(place - 2)
        liked = verb in words("love like enjoy adore") and _is_mine(line, place - 1)
        fond = (preposition, verb) in _FOND and line.clause(place).person == "i"
        if not liked and not fond:
            continue
        if not (line.is_end(place + 1) or line.word(place + 1) in ADVERBS | STOPS | {"alot"}):
            continue
        found = antecedent(lines, number, place - 1)
        if found is not None and _fits(line, place, found):
            yield interest(found[0], found[1], "likes_it", found[1][0])


def _fits(line: Line, place: int, found: tuple[Line, Phrase]) -> bool:
    """Tell whether the pronoun at *place* can stand for it: in number, and not from too far away."""
    source, item = found
    if source.words[item[0]] in ANIMALS and line.words[place] == "it":
        return False
    return source is line or place <= _NEAR


_NEAR: Final = 5
_FOND: Final = frozenset({("addicted", "to"), ("obsessed", "with"), ("crazy", "about"), ("fan", "of")})


def _is_mine(line: Line, place: int) -> bool:
    back = place - 1
    while line.word(back) in ADVERBS | {"do"}:
        back -= 1
    return line.word(back) in {"i", "we"}
