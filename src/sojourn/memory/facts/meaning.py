"""When two facts say the same, in whatever words.

First by their words, then by the question that they answer and its value, and at last, where there is an embedder, by
the direction of their vectors. Vectors are blind to what matters most: a number, a negation, a name or an opposite
always keeps two sentences apart, however near their vectors are.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from sojourn.memory.facts.question import THE_WORK, Slot
from sojourn.memory.facts.slots import slot_of
from sojourn.memory.facts.values import read_value, same_value
from sojourn.memory.facts.words import NEGATIONS, STOP, meaning_of, opposed, root
from sojourn.model.wording import SAME, normalised

NEAR: Final = 0.86
"""The cosine from which two sentences say the same, if nothing keeps them apart."""

_WORD: Final = re.compile(r"[^\W_]+(?:['.@+#-][^\W_]+)*[+#]*", re.UNICODE)


class Said(NamedTuple):
    """A sentence taken apart, to be compared with many others."""

    plain: str
    words: tuple[str, ...]
    """The meanings of its words in order, without those that carry none."""
    meanings: frozenset[str]
    numbers: tuple[str, ...]
    negated: bool
    names: tuple[str, ...]
    """Words with a capital letter that no sentence begins with, or that begin one like a name."""
    slot: Slot | None


@lru_cache(maxsize=4096)
def said(content: str) -> Said:
    """Take *content* apart."""
    found = _WORD.findall(content.replace("’", "'"))
    lower = [word.casefold() for word in found]
    kept = [
        (word, meaning_of(word))
        for word in lower
        if word not in STOP and word not in NEGATIONS and not word[0].isdigit() and not word.endswith("n't")
    ]
    return Said(
        plain=normalised(content),
        words=tuple(meaning for _, meaning in kept),
        meanings=frozenset(meaning for _, meaning in kept),
        numbers=read_value(content).numbers,
        negated=sum(word in NEGATIONS or word.endswith("n't") for word in lower) % 2 == 1
        or "no longer" in " ".join(lower),
        names=tuple(_names(found)),
        slot=slot_of(content),
    )


def _names(words: list[str]) -> list[str]:
    names = [meaning_of(word.casefold()) for word in words[1:] if word[0].isupper() and word.casefold() not in STOP]
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
    if first.slot and second.slot and first.slot.name == second.slot.name:
        return True  # with the same value, or they were kept apart
    if first.meanings and second.meanings:
        shared, all_of_them = first.meanings & second.meanings, first.meanings | second.meanings
        if len(shared) / len(all_of_them) >= SAME:
            return True
    return cosine is not None and cosine >= near and not _one_word_differs(first, second)


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
    if sorted(one.numbers) != sorted(other.numbers):
        return True
    only_one, only_other = one.meanings - other.meanings, other.meanings - one.meanings
    if set(one.names) & only_one or set(other.names) & only_other or opposed(only_one, only_other):
        return True
    return _order_differs(one, other)


def _other_slot(one: Slot, other: Slot) -> bool:
    if one.attribute != other.attribute:
        return True
    if one.subject != other.subject:
        return THE_WORK not in (one.subject, other.subject)
    return not same_value(one.value, other.value) and _roots(one.value) != _roots(other.value)


def _roots(value: str) -> list[str]:
    return [root(word) for word in value.casefold().split() if word not in {"to", "the", "a", "an"}]


def _order_differs(one: Said, other: Said) -> bool:
    """Tell whether two names stand the other way round: who manages whom."""
    first = [name for name in one.names if name in other.names]
    second = [name for name in other.names if name in one.names]
    return len(set(first)) > 1 and first != second


def _one_word_differs(one: Said, other: Said) -> bool:
    """Tell whether one word stands for another in an equal sentence: that is another answer, not another wording."""
    if len(one.words) != len(other.words) or len(one.words) < 2:
        return False
    return sum(first != second for first, second in zip(one.words, other.words, strict=True)) == 1
