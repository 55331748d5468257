"""When two facts say the same, in whatever words.

First by their words, then by the question that they answer and its value, and at last, where there is an embedder, by
the direction of their vectors. Vectors are blind to what matters most: a number, a negation, a name or an opposite
always keeps two sentences apart, however near their vectors are.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from sojourn.memory.facts.attributes import MANY_RELATIONS, ONE_RELATION
from sojourn.memory.facts.question import THE_WORK, Slot
from sojourn.memory.facts.slots import slot_of
from sojourn.memory.facts.values import read_value, same_value, unit_of
from sojourn.memory.facts.words import LIGHT, NEGATIONS, STOP, is_wished, meaning_of, opposed
from sojourn.model.wording import SAME, normalised

NEAR: Final = 0.84
"""The cosine from which two sentences say the same, if nothing keeps them apart."""

_RELATIONS: Final = frozenset(map(meaning_of, ONE_RELATION | MANY_RELATIONS))
_LIGHT: Final = frozenset(map(meaning_of, LIGHT))
_FEW: Final = 2
_DIRECTIONS: Final = frozenset({"to", "by", "from"})
_COMPARED: Final = frozenset({"over", "than", "instead", "rather"})
_WORD: Final = re.compile(r"[^\W_]+(?:['.@+#-][^\W_]+)*[+#]*", re.UNICODE)


class Said(NamedTuple):
    """A sentence taken apart, to be compared with many others."""

    plain: str
    words: tuple[str, ...]
    """The meanings of its words in order, without those that carry none."""
    meanings: frozenset[str]
    numbers: tuple[str, ...]
    negated: bool
    wished: bool
    directions: frozenset[str]
    """Those of "to", "by" and "from" that it holds: sent to somebody is not sent by somebody."""
    names: tuple[str, ...]
    """Words with a capital letter that no sentence begins with, or that begin one like a name."""
    slot: Slot | None


@lru_cache(maxsize=4096)
def said(content: str) -> Said:
    """Take *content* apart."""
    found = _WORD.findall(content.replace("’", "'"))
    lower = [word.casefold() for word in found]
    kept = [
        meaning_of(unit_of(word) or word)
        for word in lower
        if word not in STOP and word not in NEGATIONS and not word[0].isdigit() and not word.endswith("n't")
    ]
    return Said(
        plain=normalised(content),
        words=tuple(kept),
        meanings=frozenset(kept),
        numbers=read_value(content).numbers,
        negated=sum(word in NEGATIONS or word.endswith("n't") for word in lower) % 2 == 1
        or "no longer" in " ".join(lower),
        wished=is_wished(content),
        directions=_DIRECTIONS.intersection(lower),
        names=tuple(_names(found)),
        slot=slot_of(content),
    )


def _names(words: list[str]) -> list[str]:
    names = [
        meaning_of(word.casefold())
        for word in words[1:]
        if word[0].isupper() and word.casefold() not in STOP and unit_of(word) is None
    ]
    if len(words) > 1 and words[0][0].isupper() and words[0].casefold() not in STOP | {"user", "users"}:
        follower = words[1].casefold()
        if words[0].endswith("'s") or follower.endswith("s") or words[1][0].isupper():
            names.insert(0, meaning_of(words[0].casefold()))
    return names


def same_meaning(one: str, other: str, *, cosine: float | None = None, near: float = NEAR) -> bool:
    """Tell whether the two sentences say the same; *cosine* is that of their vectors, where there are any."""
    first, second = said(one), said(other)
    if first.plain == second.plain:
        return True
    if kept_apart(first, second):
        return False
    if first.slot and second.slot and first.slot.subject == second.slot.subject:
        return True  # with the same value of the same attribute, or they were kept apart
    if first.meanings and second.meanings:
        shared, all_of_them = first.meanings & second.meanings, first.meanings | second.meanings
        if len(shared) / len(all_of_them) >= SAME:
            return True
    return cosine is not None and cosine >= near and _is_reworded(first, second)


def could_be_same(one: str, other: str) -> bool:
    """Tell whether it is worth to compare vectors: nothing keeps the two apart, and they share a word."""
    first, second = said(one), said(other)
    return bool(first.meanings & second.meanings) and not kept_apart(first, second)


def kept_apart(one: Said, other: Said) -> bool:
    """Tell whether no paraphrase can turn one into the other: numbers, negation, names, opposites, another answer."""
    if one.slot and other.slot and _other_slot(one.slot, other.slot):
        return True
    same_slot = bool(one.slot and other.slot and one.slot.name == other.slot.name)
    if one.negated != other.negated:
        return not same_slot
    if same_slot:
        return False
    if one.wished != other.wished or (one.directions - other.directions and other.directions - one.directions):
        return True
    if sorted(one.numbers) != sorted(other.numbers):
        return True
    only_one, only_other = one.meanings - other.meanings, other.meanings - one.meanings
    if set(one.names) & only_one or set(other.names) & only_other or opposed(only_one, only_other):
        return True
    if _RELATIONS & (only_one | only_other):
        return True
    return _order_differs(one, other)


def _other_slot(one: Slot, other: Slot) -> bool:
    if one.attribute != other.attribute:
        uses = "uses" in (one.attribute, other.attribute) and one.subject == other.subject
        return not (uses and same_value(one.value, other.value))
    if one.subject != other.subject:
        return THE_WORK not in (one.subject, other.subject)
    return not same_value(one.value, other.value)


def _order_differs(one: Said, other: Said) -> bool:
    """Tell whether two names, or what is preferred to what, stand the other way round."""
    if one.words != other.words and sorted(one.words) == sorted(other.words) and one.meanings & _COMPARED:
        return True
    first = [name for name in one.names if name in other.names]
    second = [name for name in other.names if name in one.names]
    return len(set(first)) > 1 and first != second


def _is_reworded(one: Said, other: Said) -> bool:
    """Tell whether near vectors may be trusted: both say something in a few words that the other does not have.

    One word in the place of another is another answer, not another wording; what is only added is said anew; and where
    many words differ, something is said that the other does not. Words that say little count for none of this.
    """
    only_one, only_other = one.meanings - other.meanings - _LIGHT, other.meanings - one.meanings - _LIGHT
    if not only_one and not only_other:
        return True
    if not only_one or not only_other or len(only_one) + len(only_other) == 2:
        return False
    return max(len(only_one), len(only_other)) <= _FEW
