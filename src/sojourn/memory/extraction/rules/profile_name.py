"""How people say what they are called."""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import FORMS, MARKS, STOPS
from sojourn.memory.extraction.rules.lexicon_names import AMBIGUOUS, GIVEN_NAMES, NOT_NAMES, TITLES
from sojourn.memory.extraction.rules.lexicon_places import PLACES
from sojourn.memory.extraction.rules.profile_clause import Line, Predicate
from sojourn.memory.extraction.rules.profile_draft import Draft

TRIGGERS: Final = words("name names name's call called named go here am i'm im this nickname mine aka yours")
_AFTER: Final = words(
    "and by nice from what whats how i who you but pleased it so an btw your good here aka age he she we great "
    "happy or which do is my the a that lol thanks are your where not"
)
_AFTER_ANY: Final = words("and nice what whats from by i how who you but btw")
_CALLERS: Final = words("people friends you everyone just please they can everybody")
_ADJECTIVES: Final = words("rich happy lucky sunny major hope may an so rusty")
_ENDINGS: Final = words("thanks thank cheers regards best sincerely yours love warmly")


def name_at(line: Line, place: int, *, sure: bool) -> tuple[int, int] | None:
    """Return the name that begins at *place*. If *sure*, only a name can stand there; else it must look like one."""
    if line.word(place) in TITLES:
        place += 1
    word = line.word(place)
    if not word or not word[0].isalpha() or word in STOPS or len(word) < 2 or any(letter.isdigit() for letter in word):
        return None
    known = word in GIVEN_NAMES
    capital = line.has_capital(place)
    if word in NOT_NAMES and not (known and capital):
        return None
    if not sure and not _looks_like_a_name(line, place, known=known, capital=capital):
        return None
    last = place + 1
    while last < min(line.end, place + 4) and _continues(line, last, capital=capital, sure=sure):
        last += 1
    return place, last


def _looks_like_a_name(line: Line, place: int, *, known: bool, capital: bool) -> bool:
    word = line.words[place]
    after = line.word(place + 1)
    ends = (
        line.is_end(place + 1) or after in _AFTER or (capital and place + 1 < line.end and line.has_capital(place + 1))
    )
    if known and word not in AMBIGUOUS:
        return ends or after in GIVEN_NAMES or not after.startswith("'")
    if known:
        return ends and (capital or line.is_end(place + 1) or (after in _AFTER_ANY and word not in _ADJECTIVES))
    written = line.reading.prose[line.sentence.start : line.sentence.end]
    is_prose = not written.istitle() and not written.isupper()
    return capital and is_prose and ends and word not in FORMS and word not in PLACES and word.isalpha()


def _continues(line: Line, place: int, *, capital: bool, sure: bool) -> bool:
    word = line.words[place]
    if word in STOPS or word in MARKS or word in FORMS or not word[0].isalpha() or word in NOT_NAMES:
        return False
    if capital:
        return line.has_capital(place)
    return sure and line.is_end(place + 1) and word not in _AFTER and len(word) > 2


def spelled(text: str) -> str:
    """Return a name or place with capitals, if it was written without any."""
    if text != text.lower():
        return text
    return " ".join(
        part if part in words("of the and de van") else part[:1].upper() + part[1:] for part in text.split()
    )


def _draft(line: Line, item: tuple[int, int], family: str, start: int) -> Draft:
    value = spelled(" ".join(line.original(*item).split()))
    first = min(start, item[0])
    return Draft(field="name", value=value, family=family, start=line.starts[first], end=line.ends[item[1] - 1])


def names(line: Line) -> Iterator[Draft]:
    """Yield the user's names that the line states without "I am"."""
    for place, word in enumerate(line.words):
        if word in {"name", "names", "nickname"}:
            yield from _by_name(line, place)
        elif word in {"call", "named", "called"}:
            yield from _calling(line, place)
        elif word == "here" and place in {1, 2} and line.is_end(place + 1):
            item = name_at(line, 0, sure=False)
            if item and item[1] == place:
                yield _draft(line, item, "name_here", 0)
    if line.first and line.word(0) in words("hi hello hey this greetings"):
        yield from _introduction(line)


def _calling(line: Line, place: int) -> Iterator[Draft]:
    """Read "call me Ana", "my parents named me Ana", "a girl named Ana"."""
    word, said = line.words[place], line.word(place - 1)
    if line.word(place + 1) == "me" and word != "called":
        item = name_at(line, place + 2, sure=True)
        if item and (line.clause(place).is_stated if word == "named" else _is_called(line, place, item, said)):
            yield _draft(line, item, "name_call", place - 1 if said in _CALLERS else place)
    elif word != "call" and said in words("old am guy girl man woman"):
        clause = line.clause(place)
        item = name_at(line, place + 1, sure=True) if clause.person == "i" and clause.is_stated else None
        if item:
            yield _draft(line, item, "name_called", place)


def _is_called(line: Line, place: int, item: tuple[int, int], said: str) -> bool:
    """Tell whether "call me" gives a name: "call me Ana", but not "they call me crazy" or "call me tomorrow"."""
    if not line.clause(place).is_stated or said in words("not never to will could"):
        return False
    if line.words[item[0]] in GIVEN_NAMES or line.has_capital(item[0]):
        return True
    return line.is_end(item[1]) and said not in {"they", "some"} and not line.words[item[0]].endswith(("y", "er", "s"))


def _by_name(line: Line, place: int) -> Iterator[Draft]:
    """Read around "name": "my name is Ana", "name's Ana", "Ana is my name", "I go by the name Ana"."""
    clause = line.clause(place)
    owner = line.word(place - 1)
    if clause.is_question or clause.is_hypothetical or clause.is_reported:
        return
    if owner in {"first", "full", "given", "real"}:
        owner = "my" if line.word(place - 2) == "my" else "?"
    if owner == "my" or place == 0 or owner in words("the and hi hello hey") or line.is_end(place - 1):
        yield from _after_name(line, place, owner)
    if owner in {"my", "the"} and line.word(place - 2) == "is" and place >= 3:
        first = place - 3
        if line.words[first] in GIVEN_NAMES or name_at(line, first, sure=False):
            yield _draft(line, (first, first + 1), "name_is", first)
    if owner == "the" and line.word(place - 2) == "by":
        item = name_at(line, place + (2 if line.word(place + 1) == "of" else 1), sure=True)
        if item:
            yield _draft(line, item, "name_called", place - 2)


def _after_name(line: Line, place: int, owner: str) -> Iterator[Draft]:
    """Read "(my) name is Ana", "names Ana", "my name Ana"."""
    copula = line.word(place + 1) in words("is was : = 's")
    if not (copula or line.words[place] == "names" or (owner == "my" and line.word(place + 1) in GIVEN_NAMES)):
        return
    if owner == "the" and line.word(place - 2) == "of":
        return
    at = place + 2 if copula else place + 1
    while line.word(at) in words("actually really , also just"):
        at += 1
    item = name_at(line, at, sure=owner == "my")
    if item and line.words[item[0]] != "not":
        yield _draft(line, item, "name_is", max(0, place - 1))


def _introduction(line: Line) -> Iterator[Draft]:
    """Read "this is Ana from Acme" and "hi, Ana here" at the beginning of a message."""
    place = 0
    while line.word(place) in words("hi hello hey there , all team everyone greetings"):
        place += 1
    if line.word(place) == "this" and line.word(place + 1) == "is":
        item = name_at(line, place + 2, sure=False)
        if item:
            yield _draft(line, item, "name_here", place)
        return
    item = name_at(line, place, sure=False) if place else None
    if item and line.word(item[1]) == "here" and line.is_end(item[1] + 1):
        yield _draft(line, item, "name_here", place)


def name_after_be(line: Line, predicate: Predicate) -> Draft | None:
    """Read "I am Ana"."""
    place = predicate.rest
    if predicate.negated or predicate.past or predicate.modal or predicate.wanted or predicate.subject != "i":
        return None
    while line.word(place) in words("just actually called named also"):
        place += 1
    if line.word(place - 1) in {"called", "named"}:
        return None
    item = name_at(line, place, sure=False)
    return _draft(line, item, "name_am", predicate.start) if item else None


def name_after_go(line: Line, predicate: Predicate) -> Draft | None:
    """Read "I go by Ana"."""
    if line.word(predicate.rest) != "by" or predicate.negated or predicate.past:
        return None
    at = predicate.rest + 1
    if line.word(at) in {"the", "name", "nickname"}:
        return None
    item = name_at(line, at, sure=True)
    if item is None or not (line.has_capital(at) or line.words[at] in GIVEN_NAMES):
        return None
    return _draft(line, item, "name_called", predicate.start)


def signature(lines: list[Line]) -> Draft | None:
    """Read a name that closes a message on its own line: "Thanks," and then "Ana"."""
    if len(lines) < 2:
        return None
    last = lines[-1]
    text = last.reading.prose
    place = 0
    while (
        last.word(place) in MARKS
        or last.word(place) in _ENDINGS
        or last.word(place) in {"kind", "many", "again", "you"}
    ):
        place += 1
    if not 1 <= last.end - place <= 3:
        return None
    begins_line = text[: last.starts[place]].rstrip(" \t-–—").endswith("\n")
    closes = (
        place > 0
        or lines[-2].words[0] in _ENDINGS
        or (len(lines[-2].words) < 4 and _ENDINGS.intersection(lines[-2].words))
    )
    item = name_at(last, place, sure=False)
    if item is None or item[1] != last.end or not begins_line or not closes:
        return None
    return _draft(last, item, "name_signed", place)
