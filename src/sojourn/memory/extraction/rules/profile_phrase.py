"""What follows a verb: noun phrases and lists of them, told apart from the words that only come after."""

from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_culture import NAMED, NAMED_LENGTHS
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS, DETERMINERS, MARKS, STOPS, TIMES
from sojourn.memory.extraction.rules.profile_clause import Line

Phrase = tuple[int, int]
"""The first word and the one after the last."""

_LIGHT: Final = words(
    "play playing go going watch watching listen listening spend spending make making take taking hang hanging "
    "get getting do doing have having look looking read reading write writing ride riding work working help "
    "helping hanging sit sitting stay staying talk talking learn learning collect collecting raise raising eat "
    "eating drink drinking build building wear wearing visit visiting being be try trying sing singing dance "
    "dancing cook cooking cuddle cuddling lay laying use using see seeing take care fix fixing"
)
"""Verbs that say little without what follows, so that what follows belongs to the phrase."""
_MEASURES: Final = words(
    "kind kinds type types sort sorts lot lots bit ton tons bunch variety plenty anything everything couple pair "
    "glass cup bowl plate slice"
)
_NOUNS: Final = words(
    "thing something anything nothing everything morning evening spring king ring string wing pudding building wedding"
)
_ATTACHED: Final = words("the my a an new all other")
_PREPOSITIONS: Final = words("to with the a an my on in at for out some about of up around new")
_TRAILING: Final = _PREPOSITIONS | TIMES | ADVERBS | STOPS
_HARD: Final = words(
    "i you u we he she they it and but or so because cause cuz when while if though although that which who what "
    "where how is are was were am do does did too as than also whenever since after before until its it's lol "
    "haha now very yes no not really sometimes especially mostly yeah however much right myself hbu wbu tho then"
)
_VERBS_THAT_JOIN: Final = words(
    "live work have own drive study teach am go went want need hate dislike love enjoy like play do get got eat "
    "drink listen watch read know use moved lived grew prefer speak think hope hoping look looking wish was used "
    "can cannot will would could"
)


def phrase(line: Line, place: int, *, most: int = 6) -> Phrase | None:
    """Return the noun phrase at *place*, without its article; None if there is none."""
    while place < line.end and (
        line.words[place] in DETERMINERS or line.words[place] in ADVERBS or _is_measure(line, place)
    ):
        place += 2 if line.words[place] in _MEASURES and _is_measure(line, place) else 1
    first = place
    while place < line.end and place - first < most:
        word = line.words[place]
        if word == "of" and place > first and line.word(place + 1) not in STOPS - {"the", "my"}:
            place += 2 if line.word(place + 1) in {"the", "my"} else 1
            continue
        if word == "us" and line.word(place - 1) == "the":
            place += 1
            continue
        if not word[0].isalnum() or word in STOPS or (word in ADVERBS and word != "all"):
            break
        place += 1
    while place > first and line.words[place - 1] in TIMES | words("of much lot great more myself"):
        place -= 1
        if line.words[place] in TIMES and line.word(place - 1) in {"every", "each", "all", "most"}:
            place -= 1
    return (first, place) if place > first else None


def _is_phrasal(line: Line, place: int) -> bool:
    """Tell whether "out" belongs to its verb: "working out", "eating out"."""
    return line.words[place] == "out" and line.words[place - 1] in words(
        "work working hang hanging go going eat eating"
    )


def _is_measure(line: Line, place: int) -> bool:
    """Tell whether words such as "kinds of" or "a lot of" stand before the noun that counts."""
    if line.words[place] in {"much", "way", "me"}:
        return line.word(place - 1) in {"too", "way", "so", "love"} and line.word(place + 1) not in STOPS - {
            "too",
            "some",
        }
    return line.words[place] in _MEASURES and line.word(place + 1) in {"of", "with"} and place + 2 < line.end


def activity(line: Line, place: int) -> Phrase | None:
    """Return what somebody does, verb included: "swim", "listening to jazz", "spend time with my family"."""
    while line.word(place) in ADVERBS:
        place += 1
    word = line.word(place)
    if not word or word in STOPS - words("be being have having do doing") or word in MARKS:
        return None
    if word not in _LIGHT:
        following = phrase(line, place + 1, most=3)
        if following and (
            following[0] == place + 1 or (following[0] == place + 2 and line.words[place + 1] in _ATTACHED)
        ):
            return place, following[1]
        return place, place + 1
    last = place + 1
    while last < line.end and last - place < 6:
        word = line.words[last]
        if word in MARKS or word in _HARD or word in {"every", "each", "all"}:
            break
        last += 1
    while last > place + 1 and line.words[last - 1] in _TRAILING and not _is_phrasal(line, last - 1):
        last -= 1
    return place, last


_NARROWING: Final = words("especially particularly mainly specifically mostly")


def named_at(line: Line, at: int) -> int:
    """Return where the well-known name at *at* ends, 0 if there is none."""
    for length in NAMED_LENGTHS.get(line.words[at], ()):
        if at + length <= line.end and " ".join(line.words[at : at + length]) in NAMED:
            return at + length
    return 0


def listing(line: Line, place: int) -> list[Phrase]:
    """Return the noun phrases at *place* that are joined by commas and "and"."""
    found: list[Phrase] = []
    while len(found) < 12:
        item = _item(line, place)
        if item is None:
            break
        found.append(item)
        place = item[1]
        step = place
        if line.word(step + int(line.word(step) == ",")) in _NARROWING:
            place = step + 1 + int(line.word(step) == ",")
            continue
        while line.word(step) in words(", and or & n also / as well plus"):
            step += 1
        if step == place or (step - place == 1 and line.words[place] in {"as", "well", "also"}):
            break
        word = line.word(step)
        if word in _VERBS_THAT_JOIN or (word in STOPS and word not in DETERMINERS) or word in {"my", "your", "the"}:
            following = line.word(step + 1)
            if word not in {"the", "my"} or following in STOPS or _has_verb(line, step + 1):
                break
        elif line.word(step + 1) in words("is are was were am have has"):
            break
        place = step
    return found


def _item(line: Line, place: int) -> Phrase | None:
    """Return one thing of a list: a well-known name whole, "Rick and Morty", else what is done or named."""
    if place < line.end and line.words[place] in NAMED_LENGTHS:
        last = named_at(line, place)
        if last and (line.is_end(last) or line.words[last] in STOPS):
            return place, last
    return activity(line, place) if _is_gerund(line, place) else phrase(line, place)


def _is_gerund(line: Line, place: int) -> bool:
    word = line.word(place)
    return word.endswith("ing") and len(word) > 4 and word not in _NOUNS


def _has_verb(line: Line, place: int) -> bool:
    """Tell whether a verb follows within a few words: then it is a new sentence and no further item."""
    return any(line.word(at) in words("is are was were has have do does can will") for at in range(place, place + 4))


def text_of(line: Line, item: Phrase) -> str:
    """Return the phrase as it was written, in one line."""
    return " ".join(line.original(*item).split())


def words_of(line: Line, item: Phrase) -> list[str]:
    """Return the words of the phrase."""
    return line.words[item[0] : item[1]]
