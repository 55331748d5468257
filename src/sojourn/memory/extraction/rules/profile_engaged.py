"""Interests that are shown rather than told: what somebody is doing, and "it" that stands for what was just named."""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
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
from sojourn.memory.extraction.rules.profile_phrase import Phrase, listing, text_of

_CONSUMING: Final = words(
    "eat eating eats ate enjoying having munching snacking craving had drink drinking drank sipping chugged sip "
    "chugging crave cook cooking making baking bake need"
)
_WATCHING: Final = words("watch watching watched binge-watching listening listened listen reading read playing played")
_PRONOUNS: Final = words("it them em those that these this they he she one")
_NOT_FREE: Final = words(
    "you your he she his her they their hate hated not never stop stopped quit without no cannot avoid allergic "
    "dislike afraid tired too gave scared deliver delivering sell selling"
)
_SELF: Final = words("i my me i'm im mine i've")
_TECHNICAL: Final = words(
    "docs documentation code file files log logs tutorial error message paper papers article report manual kids "
    "role part"
)
_WORKADAY: Final = words(
    "shopping running racing acting walking writing flying reading chess poker rock painting streaming drawing"
)
"""Pastimes whose names are also parts of other things: "shopping list", "running late"."""
_ASKING_HELP: Final = words(
    "recipe recipes recommend recommendations suggest suggestion suggestions help how tips ideas buy grocery list "
    "please looking order calories diet plan except nasty allergic hate gross without"
)
_OTHER_THINGS: Final = COLORS | words("apple fish taco nuts")
"""Food that is as often something else."""
_CUES: Final = words(
    "watching playing reading listening addiction obsession fetish weakness passion love sucker liking like enjoy "
    "watch play read adore hike hikes walk walks run runs drive drives swim ride rides jog games cream food"
)
_READING_NOUNS: Final = words(
    "list goal goals speed sessions session habits habit time comprehension skills progress challenge"
)
_OUTINGS: Final = words("hike hikes walk walks run runs drive drives swim ride rides jog jogs jogging")
_ASIDE: Final = words(
    "hot cold black sweet rock horseback bow deer mountain video ice iced fried dark red white green fast country "
    "martial junk chinese italian mexican indian thai"
)


def _interest(line: Line, item: Phrase, family: str, start: int) -> Draft:
    return Draft(
        field="interests",
        value=text_of(line, item),
        family=family,
        start=line.starts[min(start, item[0])],
        end=line.ends[item[1] - 1],
    )


def engaged(line: Line) -> Iterator[Draft]:
    """Yield pastimes, food and drink that the user is busy with: "just came back from hunting", "eating a burrito"."""
    for place, word in enumerate(line.words):
        if word in GERUNDS and word != "reading":
            if is_own(line, place) and _ends_phrase(line, place + 1):
                first = place - 1 if place and line.words[place - 1] in _ASIDE else place
                yield _interest(line, (first, place + 1), "engaged", first)
        elif word in _OUTINGS and _is_outing(line, place):
            yield _interest(line, (place, place + 1), "engaged", place)
        elif word == "games" and line.word(place - 1) in {"video", "board", "card", "computer"} and is_own(line, place):
            yield _interest(line, (place - 1, place + 1), "engaged", place - 1)
        elif (
            word in {"watching", "playing", "reading", "listening"}
            and is_own(line, place)
            and line.word(place - 1) not in {"like", "love", "enjoy"}
        ):
            yield from _busy(line, place)
        elif (
            word in words("addiction obsession fetish weakness passion love sucker liking")
            and line.word(place - 1) != "i"
        ):
            yield from _attached(line, place)
        elif (
            word in words("love like enjoy watch play read adore")
            and line.word(place - 1) == "i"
            and line.is_end(place + 1)
        ):
            yield from _relative(line, place)
        elif word in FOODS or word in DRINKS or (word in {"cream", "food"} and line.word(place - 1) in _ASIDE):
            yield from _consumed(line, place)
        elif word in TOPICS and _is_topic(line, place):
            yield _interest(line, (place, place + 1), "mentions", place)


def _is_topic(line: Line, place: int) -> bool:
    """Tell whether somebody speaks of it as of what he cares for: at the end of a clause, or as his own."""
    if not is_small_talk(line):
        return False
    ends = line.is_end(place + 1) or line.word(place + 1) in STOPS
    mine = line.word(place - 1) == "my" and line.words[place].endswith("s") and ends
    return (mine and not line.clause(place).is_question) or (is_own(line, place) and line.is_end(place + 1))


def _consumed(line: Line, place: int) -> Iterator[Draft]:
    """Read "eating a burrito"; and, in small talk, whatever food somebody speaks of: "chocolate helps me through"."""
    if not is_own(line, place):
        return
    first = place - 1 if place and line.words[place - 1] in _ASIDE | FOODS else place
    last = place + 2 if line.word(place + 1) in FOODS | DRINKS else place + 1
    if _CONSUMING.intersection(line.words[max(0, place - 6) : place]):
        yield _interest(line, (first, last), "consumes", first)
    elif (
        is_small_talk(line)
        and (line.is_end(last) or line.word(last) in STOPS)
        and line.words[place] not in _OTHER_THINGS
    ):
        yield _interest(line, (first, last), "mentions", first)


def is_small_talk(line: Line) -> bool:
    """Tell whether the message is a short one that asks for nothing to be done or told."""
    sentences = line.reading.sentences
    short = len(sentences) <= 4 and sum(len(sentence.tokens) for sentence in sentences) <= 30
    return short and not _ASKING_HELP & line.reading.words


def _ends_phrase(line: Line, place: int) -> bool:
    """Tell whether the noun before *place* stands for itself, and is not "hiking boots" or "running late"."""
    word = line.word(place)
    if line.words[place - 1] not in _WORKADAY and word.isalpha():
        return True
    return (
        line.is_end(place)
        or word in STOPS
        or word in ADVERBS
        or word in words("alone outside outdoors online around along")
    )


def _attached(line: Line, place: int) -> Iterator[Draft]:
    """Read "my addiction to coffee", "a sprite obsession", "my love of trains"."""
    if not is_own(line, place) and line.word(place - 1) != "my":
        return
    if line.word(place + 1) in {"to", "of", "for", "with"} and {"my", "a", "this", "found"} & set(
        line.words[max(0, place - 4) : place]
    ):
        for item in listing(line, place + 2)[:2]:
            if line.words[item[0]] not in VAGUE:
                yield _interest(line, item, "is_into", place)
    elif (
        line.words[place] in {"addiction", "obsession", "weakness"}
        and line.word(place - 2) in {"my", "a", "an"}
        and line.word(place - 1) not in STOPS
    ):
        yield _interest(line, (place - 1, place), "is_into", place - 1)


def _relative(line: Line, place: int) -> Iterator[Draft]:
    """Read "the mystery books I love", "red wine is what I enjoy"."""
    end = place - 1
    if not line.clause(place).is_stated:
        return
    while end > 0 and line.words[end - 1] in words("that which what is really do"):
        end -= 1
    first = _run_before(line, end)
    if (
        first < end
        and end < place
        and not line.words[end - 1].endswith("ly")
        and line.words[end - 1] not in MARKS
        and line.words[place] != line.word(0)
    ):
        yield _interest(line, (first, end), "likes_it", first)


def _is_outing(line: Line, place: int) -> bool:
    """Tell whether it is gone for: "go for a hike", "take long walks"."""
    before = line.words[max(0, place - 7) : place]
    return (
        bool(words("go going take taking went took planning goes") & set(before))
        and bool(words("a long for on daily nice of") & set(before))
        and is_own(line, place)
    )


def _busy(line: Line, place: int) -> Iterator[Draft]:
    """Read "watching Dune", "just reading": what somebody does when asked what he is up to."""
    at = place + 1
    if line.words[place] == "reading" and (line.word(place - 1) == "my" or line.word(at) in _READING_NOUNS):
        yield _interest(line, (place, at), "engaged", place)
        return
    if line.words[place] == "listening":
        if line.word(at) != "to":
            return
        at += 1
    while line.word(at) in ADVERBS | words("some a my more lots of the new good"):
        at += 1
    items = listing(line, at)[:1]
    if items and line.words[items[0][0]] not in VAGUE and not set(line.words[items[0][0] : items[0][1]]) & _TECHNICAL:
        yield _interest(line, (place, items[0][1]), "watches", place)
    elif line.words[place] == "reading" and (line.is_end(place + 1) or line.word(place + 1) in {"and", "a"}):
        yield _interest(line, (place, place + 1), "engaged", place)


def is_own(line: Line, place: int) -> bool:
    """Tell whether the clause at *place* speaks of the user's own doing, and denies nothing."""
    clause = line.clause(place)
    if clause.is_question or clause.is_reported or clause.negated or clause.person not in {"i", "we", "none"}:
        return False
    first = next((at for at in range(place, -1, -1) if line.clause(at) is not clause), -1) + 1
    around = line.words[first : place + 1]
    if clause.person == "none" and (
        line.sentence.mark.startswith("?") or len(line.reading.sentences) > 5 or not _SELF & line.reading.words
    ):
        return False
    if "used" in around or {"not", "boring"} & set(line.words[place + 1 : place + 7]):
        return False
    return not _NOT_FREE.intersection(around)


def watching(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I'm watching Dune", "I've been listening to jazz": what somebody gives an evening to."""
    at = predicate.rest
    if predicate.negated or predicate.wanted or not (predicate.ongoing or predicate.past):
        return
    if predicate.verb == "listen":
        if line.word(at) != "to":
            return
        at += 1
    if line.word(at) in _PRONOUNS | words("your him her over out for my about the") and not (
        line.word(at) == "my" and line.word(at + 1) == "favorite"
    ):
        return
    for item in listing(line, at):
        found = line.words[item[0] : item[1]]
        if not set(found) <= VAGUE and not set(found) & _TECHNICAL:
            yield _interest(line, item, "watches", predicate.start)


def referred(lines: list[Line], number: int) -> Iterator[Draft]:
    """Yield what "it" or "them" stands for: "do you like jazz? I love it", "Dune, which I love", "it's my favorite"."""
    line = lines[number]
    for place, word in enumerate(line.words):
        if word in {"like", "love", "enjoy", "adore"} and line.word(place + 1) in _PRONOUNS and _is_mine(line, place):
            if line.is_end(place + 2) or line.word(place + 2) in ADVERBS | STOPS | {"alot"}:
                item = _asked(lines[number - 1]) if number else None
                if item:
                    yield _interest(lines[number - 1], item, "likes_it", item[0])
        elif (
            word == "which"
            and line.word(place + 1) == "i"
            and line.word(place + 2) in {"love", "like", "enjoy", "really"}
            and place
        ):
            first = _run_before(line, place)
            if first < place:
                yield _interest(line, (first, place), "likes_it", first)
        elif (
            word in {"favorite", "favourite", "fav", "fave"}
            and line.word(place - 1) in words("my fav time may 2 all")
            and _stated(line, place)
        ):
            yield from _favorite_before(lines, number, place)
    if number and line.words[:2] == ["i", "do"] and (line.is_end(2) or line.word(2) in {"too", "and", "."}):
        item = _asked(lines[number - 1])
        if item:
            yield _interest(lines[number - 1], item, "likes_it", item[0])


def _stated(line: Line, place: int) -> bool:
    clause = line.clause(place)
    return not (clause.is_question or clause.is_hypothetical or clause.is_reported)


def _is_mine(line: Line, place: int) -> bool:
    back = place - 1
    while line.word(back) in ADVERBS | {"do"}:
        back -= 1
    return line.word(back) == "i" and line.clause(place).is_stated


def _asked(line: Line) -> Phrase | None:
    """Return what a question asks after: "do you like jazz ?"."""
    if not line.sentence.mark.startswith("?"):
        return None
    for place, word in enumerate(line.words):
        if word in words("like love enjoy play watch") and line.word(place - 1) in words("you u also ever guys"):
            items = listing(line, place + (2 if line.word(place + 1) == "to" else 1))
            return items[0] if items and line.words[items[0][0]] not in VAGUE else None
        if word in ACTIVITIES and line.word(place - 1) in words("you u also ever guys"):
            return place, place + 1
    return None


def _run_before(line: Line, end: int) -> int:
    """Return where the noun phrase that ends at *end* begins."""
    first = end
    while first > 0 and end - first < 3:
        word = line.words[first - 1]
        if word in STOPS or word in MARKS or word in ADVERBS or word in DETERMINERS or word in VAGUE:
            break
        first -= 1
    return first


def _favorite_before(lines: list[Line], number: int, place: int) -> Iterator[Draft]:
    """Read what "it is my favorite color" and ", my favorite color" stand for."""
    line = lines[number]
    kind = line.word(place + 1)
    closed = COLORS if kind in {"color", "colour", "colors"} else SEASONS if kind in {"season", "seasons"} else None
    my = place - 1
    while my > 0 and line.words[my] not in {"my", "may"}:
        my -= 1
    copula = line.word(my - 1) in {"is", "are", "its", "probably", "be"}
    if closed is not None:
        one = sum(word in closed for word in line.words) == 1 and "not" not in line.words
        if not copula and line.word(my - 1) not in MARKS and line.word(my - 1) not in closed and my > 0 and not one:
            return
        for source in (line, lines[number - 1] if number else line):
            places = [at for at, word in enumerate(source.words) if word in closed]
            if places:
                yield _interest(
                    source,
                    (places[-1], places[-1] + 1),
                    "favorite",
                    min(places[-1], my) if source is line else places[-1],
                )
                return
        return
    if not copula:
        return
    at = my - 1
    while at > 0 and line.words[at] in words("is are probably its also"):
        at -= 1
    if line.words[at] in _PRONOUNS or line.words[at + 1] == "its":
        end = at if line.words[at] in _PRONOUNS else at + 1
        while end > 0 and (line.words[end - 1] in MARKS or line.words[end - 1] in {"and", "because", "cause", "since"}):
            end -= 1
        source = line
        if end == 0 and number:
            source, end = lines[number - 1], lines[number - 1].end
        first = _run_before(source, end)
        if first < end and not (source is line and end > my):
            yield _interest(source, (first, end), "likes_it", first)


def seen(line: Line) -> bool:
    """Tell whether the line has any word that `engaged` looks for."""
    return any(
        word in GERUNDS or word in FOODS or word in DRINKS or word in _CUES or word in TOPICS for word in line.words
    )


ACTIVITY_WORDS: Final = ACTIVITIES | GERUNDS
REFERRING: Final = words("it them those that favorite favourite fav fave which do")
"""Words without which `referred` finds nothing."""
