"""What people call their favourite, their hobby, their passion."""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS, MARKS, STOPS
from sojourn.memory.extraction.rules.lexicon_tastes import COLORS, SEASONS, TASTE_CATEGORIES
from sojourn.memory.extraction.rules.profile_clause import Line
from sojourn.memory.extraction.rules.profile_draft import Draft
from sojourn.memory.extraction.rules.profile_phrase import listing
from sojourn.memory.extraction.rules.profile_tastes import infinitives, interest, is_interest

TRIGGERS: Final = words(
    "favorite favourite fav fave favorites favourites favs faves favorit hobby hobbies passion pastime passions "
    "interests mine color colour our best weakness weaknesses downfall obsession obsessions addiction vice vices"
)
_FAVORITES: Final = words("favorite favourite fav fave favorites favourites favs faves favorit")
_PURSUITS: Final = words(
    "hobby hobbies passion passions pastime pastimes interests obsession addiction specialty joy "
    "weakness weaknesses downfall obsessions vice vices"
)


def favorites(line: Line, *, asked: bool) -> Iterator[Draft]:
    """Yield what the line calls a favourite or a hobby. *asked*: one was asked for just before ("mine is blue")."""
    for place, word in enumerate(line.words):
        clause = line.clause(place)
        if word in _FAVORITES or word in _PURSUITS:
            if not (clause.is_question or clause.is_hypothetical or clause.is_reported) and _is_own(line, place):
                yield from _favorite(line, place)
        elif word == "mine" and not clause.is_question:
            at = place + (2 if line.word(place + 1) in {"is", "are"} else 1)
            while line.word(at) in ADVERBS:
                at += 1
            told = at > place + 1 and asked and line.word(at) not in words("named called from in not a an the at on")
            if told or ((asked or at > place + 1) and line.word(at) in COLORS | SEASONS):
                for item in listing(line, at):
                    if is_interest(line, item):
                        yield interest(line, item, "favorite", place)
        elif word in {"color", "colour"} and line.word(place - 1) == "my" and not clause.is_question:
            at = place + 2 if line.word(place + 1) == "is" else place - 3
            if line.word(at) in COLORS and "is" in line.words:
                yield interest(line, (at, at + 1), "favorite", min(at, place))


def _is_own(line: Line, place: int) -> bool:
    for back in range(place - 1, max(-1, place - 5), -1):
        word = line.words[back]
        if word in {"my", "mine", "are", "our"}:
            return word in {"my", "our"} and line.word(back - 1) not in {"not", "least"}
        if word in words("your his her their a s 's least you") or word in MARKS:
            return False
    return False


def _favorite(line: Line, place: int) -> Iterator[Draft]:
    at = place + 1
    while (
        line.word(at) in TASTE_CATEGORIES
        and line.word(at + 1) != "of"
        and at < place + 4
        and not (at > place + 1 and line.is_end(at + 1))
    ):
        at += 1
    copula = next((step for step in range(at, min(line.end, at + 7)) if line.words[step] in {"is", "are"}), 0)
    if copula > at + 2 and (line.words[at] != "to" and "of" not in line.words[at : at + 2]):
        copula = 0
    if (MARKS | {"i"}) & set(line.words[at:copula]):
        copula = 0
    if (
        copula > at
        and line.words[place] in _FAVORITES
        and not {line.words[at], line.words[copula - 1]} & (MARKS | STOPS - {"to", "of", "all"})
    ):
        at = copula
    while (
        line.word(at)
        in words(
            "to do watch eat of all time right now is are include includes : probably currently has be would "
            "definitely the s ever"
        )
        | ADVERBS
        and at < place + 9
    ):
        if line.word(at) in words("is are : include includes be"):
            yield from _favored(line, at + 1, place)
            return
        at += 1
    if (
        (
            at > place + 1
            and line.word(at)
            and line.word(at) not in STOPS
            and line.word(at) not in MARKS
            and line.words[place] in _FAVORITES
        )
        and line.word(at - 1) in TASTE_CATEGORIES
        and not line.word(at).endswith(("ing", "ed"))
    ):
        yield from _favored(line, at, place, family="favorite_apposed")
        return
    if line.words[place] not in {"weakness", "weaknesses", "downfall"}:  # "maths is my weakness" is no taste
        yield from _before(line, place)


def _favored(line: Line, at: int, place: int, family: str = "favorite") -> Iterator[Draft]:
    if line.word(at) in words("not that when what how because so very pretty really too coming on from here just"):
        return
    items = infinitives(line, at + 1) if line.word(at) == "to" else listing(line, at)
    for item in items:
        if is_interest(line, item) or line.words[item[0] : item[1]] in (["family"], ["kids"]):
            yield interest(line, item, family, max(0, place - 1))


def _before(line: Line, place: int) -> Iterator[Draft]:
    """Read what stands before "is my favourite"."""
    my = place - 1
    while my > 0 and line.words[my] != "my":
        my -= 1
    copula = my - 1
    while line.word(copula) in ADVERBS | words("probably one of still easily by far like been always be"):
        copula -= 1
    if (
        line.word(copula) not in {"is", "are", "has", "have"}
        or copula < 1
        or line.word(copula - 1) in words("it that they which what these those this there he she")
    ):
        return
    first = copula
    while (
        first > 0
        and line.words[first - 1] not in MARKS
        and copula - first < 6
        and line.words[first - 1] not in words("i but because that so yes no oh think and")
    ):
        first -= 1
    while first < copula and (line.words[first] in STOPS or line.words[first] in ADVERBS):
        first += 1
    if first < copula and is_interest(line, (first, copula)) and not line.clause(first).is_question:
        yield interest(line, (first, copula), "favorite", first)
