"""Pastimes that are verbs: "I play chess", "I go hiking", "I knit", "I spend my evenings painting"."""

from collections.abc import Iterator
from typing import Final

from sojourn.memory.extraction.rules.lexicon import words
from sojourn.memory.extraction.rules.lexicon_grammar import ADVERBS, MARKS, STOPS
from sojourn.memory.extraction.rules.lexicon_tastes import ACTIVITIES, GERUNDS
from sojourn.memory.extraction.rules.profile_clause import Line, Predicate
from sojourn.memory.extraction.rules.profile_draft import Draft
from sojourn.memory.extraction.rules.profile_engaged import watching
from sojourn.memory.extraction.rules.profile_phrase import activity, listing
from sojourn.memory.extraction.rules.profile_tastes import POINTING, interest, is_interest

_AMBIGUOUS: Final = words(
    "run walk act box race game fence party craft shop stream exercise lift climb dive ride bowl write read "
    "collect volunteer draw"
)
"""Activities that are also everyday or technical verbs."""
_OBJECT_VERBS: Final = {
    "play": words("with around role part for against in at a"),
    "watch": words("out over for my kids"),
    "eat": words("out at in with for here my"),
    "drink": words("to from with at out"),
    "collect": words(""),
    "read": words("that about it your the this somewhere a up on into through in"),
    "write": words("to this that code it in about down my the a for"),
    "ride": words("to with the in"),
}


def does(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read pastimes that are verbs: "I play chess", "I go hiking", "I knit", "I listen to jazz"."""
    verb = predicate.verb
    if verb in {"watch", "listen"} and (predicate.ongoing or predicate.past):
        yield from watching(line, predicate)
    elif predicate.negated or predicate.past:
        return
    elif predicate.wanted and verb in ACTIVITIES and verb not in _AMBIGUOUS:
        yield from _intransitive(line, predicate, family="wants")
    elif (
        predicate.ongoing
        or ((predicate.modal or predicate.wanted) and verb not in {"go", "play"})
        or (line.clause(predicate.at).is_hypothetical and not predicate.wanted)
    ):
        return
    elif verb in _READERS:
        yield from _READERS[verb](line, predicate)
    elif verb in _OBJECT_VERBS:
        yield from _with_object(line, predicate)
    elif verb in ACTIVITIES:
        yield from _intransitive(line, predicate)


def _goes(line: Line, predicate: Predicate) -> Iterator[Draft]:
    at = predicate.rest + (1 if line.word(predicate.rest) in {"out", "for"} else 0)
    if line.word(at + 1) in GERUNDS and line.word(at) not in STOPS and line.word(at) not in GERUNDS:
        at += 1  # "go shoe shopping"
    item = activity(line, at) if line.word(at) in GERUNDS else None
    if item:
        yield interest(line, item, "does_go", predicate.start)


def _listens(line: Line, predicate: Predicate) -> Iterator[Draft]:
    at = predicate.rest
    if line.word(at) == "to" and line.word(at + 1) not in POINTING | words("my the you it him her"):
        for item in listing(line, at + 1):
            if is_interest(line, item):
                yield interest(line, item, "does_object", predicate.start)


def _works_out(line: Line, predicate: Predicate) -> Iterator[Draft]:
    if line.word(predicate.rest) == "out":
        yield interest(line, (predicate.at, predicate.rest + 1), "does", predicate.start)


def _with_object(line: Line, predicate: Predicate) -> Iterator[Draft]:
    verb, at = predicate.verb, predicate.rest
    while line.word(at) in ADVERBS | {"lots", "of", "mostly"} or (
        line.word(at) == "a" and line.word(at + 1) in {"lot", "little", "bit", "ton"}
    ):
        at += 2 if line.word(at) == "a" else 1
    word = line.word(at)
    if (
        word in _OBJECT_VERBS[verb]
        or word in POINTING | words("it me him them us")
        or (word in {"the", "a", "my"} and verb not in {"play", "collect"})
    ):
        return
    if not word or word in MARKS or word in words("and all every when to at in but because"):
        if verb in {"read", "write"} and (at > predicate.rest or {"free", "spare", "fun", "hobby"} & set(line.words)):
            yield interest(line, (predicate.at, predicate.at + 1), "does", predicate.start)
        return
    for number, item in enumerate(listing(line, at)):
        if is_interest(line, item) and not line.words[item[0]].isdigit():
            whole = (
                (predicate.at, item[1])
                if not number and verb in {"play", "read", "write", "ride"} and item[1] - predicate.at < 7
                else item
            )
            yield interest(
                line, whole, "does_object" if verb in {"play", "collect"} else "does_consume", predicate.start
            )


def _intransitive(line: Line, predicate: Predicate, *, family: str = "does") -> Iterator[Draft]:
    word = line.word(predicate.rest)
    risky = predicate.verb in _AMBIGUOUS
    far = predicate.verb == "travel" and word == "to"
    if word in POINTING | words("the it my your out away into through like as up down off over to") and not far:
        return
    if risky and not (
        not word
        or word
        in MARKS
        | words(
            "every everyday a and often all marathons daily almost in with on alot twice for weights "
            "pretty usually several sometimes when"
        )
    ):
        return
    if risky and word == "a" and line.word(predicate.rest + 1) != "lot":
        return
    item = activity(line, predicate.at)
    if item:
        yield interest(line, item, family, predicate.start)


def _spends(line: Line, predicate: Predicate) -> Iterator[Draft]:
    """Read "I spend my free time painting"."""
    for at in range(predicate.rest, min(line.end, predicate.rest + 8)):
        word = line.words[at]
        if word in MARKS or word in {"i", "and", "but", "money"}:
            return
        if word.endswith("ing") and word not in words("evening morning trying working being waiting looking doing"):
            item = activity(line, at)
            if item:
                yield interest(line, item, "does", predicate.start)
            return


_READERS: Final = {"go": _goes, "listen": _listens, "work": _works_out, "spend": _spends}
