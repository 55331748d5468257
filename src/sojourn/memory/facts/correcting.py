"""Corrections that only make sense to somebody who knows what is believed: "make that 20 seconds", "typo, Nancy".

An extractor reads what was said; here the last that is believed is put right by a short sentence that has no subject of
its own, and what is known is brought up to date by a sentence that answers the same question. Both need a clear cue, or
a question that is answered already: nothing new is learned here.
"""

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from sojourn.memory.facts.slots import Slot, slot_of
from sojourn.model.wording import words

MAX_WORDS: Final = 10
_ALIKE: Final = 0.6
"""How much of two names must be written alike for one to be a spelling of the other."""
_CUE: Final = (
    r"(?:(?:no|nope|sorry|oops|whoops|wait|actually|correction|wrong|typo|my mistake|my bad|i was wrong"
    r"|(?:that's|that is|that was) (?:wrong|not right|incorrect))\b[\s,:;.!-]*)"
)
_SAID: Final = (
    r"(?:(?:i meant(?: to say)?|i mean|make (?:that|it)|(?:it|that) should (?:be|say)|should be"
    r"|(?:(?:it's|it is|its) )?spel(?:led|t))\s+)"
)
_PUT_RIGHT: Final = re.compile(
    rf"(?P<cue>{_CUE}*)(?P<said>{_SAID}?)(?P<is>(?:it's|it is|its)\s+)?(?P<value>[^,;:]{{1,60}}?)"
    r"(?P<letter>,?\s+with (?:an? )?(?:double )?[\"']?\w[\"']?)?(?:,?\s+please)?",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(rf"{_CUE}+(?:his|her|its|their) name is (?P<value>[A-Z][^,;:]{{0,30}})", re.IGNORECASE)
_CALLED: Final = " is called "
_NOT: Final = re.compile(r"(?P<new>.+?),?\s+(?:and )?not (?P<old>[^,]{1,40})", re.IGNORECASE)
_THEY: Final = re.compile(
    r"(?:they|we|i|somebody|someone)(?:'ve| have| had)?(?: now| just| since)? (?P<verb>raised|increased|lowered|reduced"
    r"|decreased|bumped|extended|changed|moved|pushed|postponed|cut|set|updated|upgraded) (?P<what>.+?)"
    r" to (?P<value>.+)",
    re.IGNORECASE,
)
_LEFT: Final = re.compile(
    r"\b(?:(?:i|we)(?:'ve|'m| have| am)? (?:just |recently |finally |since )?"
    r"(?:gave up|given up|quit|stopped|left|dropped)|(?:i|we) (?:no longer|don't|do not|can't)"
    r"|(?:i'm|i am|we're) (?:no longer|not))\b",
    re.IGNORECASE,
)
_FOR_GOOD: Final = re.compile(r"\b(?:gave up|given up|quit|stopped|left|dropped|no longer|any ?more)\b", re.IGNORECASE)
_PARTS: Final = re.compile(r"[,;]|\b(?:but|because|and (?:now|i))\b", re.IGNORECASE)
_FORGET: Final = re.compile(
    r"(?:please )?(?:forget|ignore|disregard|delete|erase|remove|do not remember|don't remember|scratch)"
    r"(?: (?:what|everything|all)(?: that)? i (?:said|told you)(?: about)?| about)? (?P<what>my .{2,30}|where i .{2,20}"
    r"|how old i am|what i do|who i am)",
    re.IGNORECASE,
)
_ASKED: Final = {
    "name": ("name", "who i am"),
    "age": ("age", "birthday", "old i am"),
    "location": ("location", "city", "address", "home", "where i live", "where i am", "hometown"),
    "occupation": ("job", "occupation", "profession", "work", "career", "what i do"),
    "current_project": ("project",),
}
_NUMBER: Final = re.compile(r"\d[\d.,]*")


class Believed(NamedTuple):
    """Something that is taken as true: its *key* is the caller's own, *text* says it, *value* is what may be wrong."""

    key: str
    text: str
    value: str


class Correction(NamedTuple):
    """What is believed wrongly, and the value and the text to put in its place."""

    key: str
    value: str
    text: str


def put_right(sentence: str, latest: Sequence[Believed]) -> Correction | None:
    """Return what *sentence* corrects of the *latest* that is believed, the last first; None if it corrects nothing.

    A sentence that is read once more corrects nothing more: its value is believed already.
    """
    found = _corrected(sentence, latest)
    if found is None or any(one.value.casefold() == found.value.casefold() for one in latest):
        return None
    return found


def _corrected(sentence: str, latest: Sequence[Believed]) -> Correction | None:
    text = " ".join(sentence.replace("’", "'").split()).rstrip(" .!")
    if not text or len(text.split()) > MAX_WORDS or "?" in text:
        return None
    if negated := _NOT.fullmatch(re.sub(rf"^{_CUE}+", "", text, flags=re.IGNORECASE)):
        return _swapped(negated["new"], negated["old"], latest)
    if named := _NAMED.fullmatch(text):
        return _renamed(named["value"], [one for one in latest if _CALLED in one.text], spelled=False, surely=True)
    match = _PUT_RIGHT.fullmatch(text)
    if match is None or not (match["cue"] or match["said"] or match["letter"]):
        return None
    value = match["value"].strip(" \"'")
    if _NUMBER.search(value):
        return _renumbered(value, latest)
    spelled = bool(match["letter"]) or "spel" in match["said"].casefold()
    surely = bool(match["said"]) or "typo" in match["cue"].casefold()
    if not (surely or spelled or match["is"] or value[:1].isupper()):
        return None  # "No, thanks" is nobody's name
    return _renamed(value, latest, spelled=spelled, surely=surely)


def updated(sentence: str) -> tuple[str, Slot] | None:
    """Return *sentence* as a statement with the question that it answers, if that has one answer."""
    text = re.sub(rf"^{_CUE}+", "", " ".join(sentence.replace("’", "'").split()), flags=re.IGNORECASE).rstrip(" .!")
    if match := _THEY.fullmatch(text):
        text = f"{match['what']} was {match['verb']} to {match['value']}"
    text = re.sub(r"\bmy\b", "the user's", text, flags=re.IGNORECASE)
    text = text[:1].upper() + text[1:]
    slot = slot_of(text)
    return (f"{text}.", slot) if slot is not None and slot.exclusive else None


def denied(sentence: str) -> str | None:
    """Return the value that *sentence* says is not right: the 6 of "she is 7, not 6"."""
    match = _NOT.fullmatch(" ".join(sentence.replace("’", "'").split()).rstrip(" .!"))
    return match["old"].strip() if match else None


def left_behind(sentence: str, values: Iterable[str]) -> list[str]:
    """Return those of *values* that the user says he has left behind: "I gave up skiing", "I no longer use Perl"."""
    text = " ".join(sentence.replace("’", "'").split())
    if "?" in text:
        return []
    parts = [part for part in _PARTS.split(text) if _LEFT.search(part) and _FOR_GOOD.search(part)]
    return [
        value
        for value in values
        if any(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", part, re.IGNORECASE) for part in parts)
    ]


def forgotten_field(sentence: str) -> str | None:
    """Return the field of the profile that the user asks to forget: "ignore what I said about my job"."""
    match = _FORGET.fullmatch(" ".join(sentence.replace("’", "'").split()).rstrip(" .!"))
    if match is None:
        return None
    what = match["what"].casefold()
    return next((field for field, named in _ASKED.items() if any(what.endswith(word) for word in named)), None)


def _swapped(new: str, old: str, latest: Iterable[Believed]) -> Correction | None:
    """Return the correction of a number or a name that is named: "every 60 days, not 30"."""
    numbers, wrong = _NUMBER.findall(new), _NUMBER.findall(old)
    name = re.search(r"[A-Z][\w'-]*(?: [A-Z][\w'-]*)*$", new)
    for one in latest:
        if len(numbers) == len(wrong) == 1 and _NUMBER.findall(one.value) == wrong:
            return _with(one, one.value.replace(wrong[0], numbers[0]))
        if name and one.value.casefold() == old.strip().casefold():
            return _with(one, name[0])
    return None


def _renumbered(value: str, latest: Iterable[Believed]) -> Correction | None:
    """Return the correction of the last number that is counted in the same unit, or in any, if none is named."""
    asked = _NUMBER.findall(value)
    units = set(words(_NUMBER.sub(" ", value)))
    for one in latest:
        number = _NUMBER.findall(one.value)
        if len(number) == len(asked) == 1 and units <= set(words(_NUMBER.sub(" ", one.value))):
            return _with(one, one.value.replace(number[0], asked[0]))
    return None


def _renamed(value: str, latest: Iterable[Believed], *, spelled: bool, surely: bool) -> Correction | None:
    """Return the correction of a name: one that is written nearly so, or the last one if he surely names another."""
    if len(value.split()) > 3 or not all(re.fullmatch(r"[^\W\d_][\w'.-]*", word) for word in value.split()):
        return None
    for one in latest:
        if not one.value[:1].isupper() or _NUMBER.search(one.value):
            continue
        near = SequenceMatcher(None, value.casefold(), one.value.casefold()).ratio()
        if value.casefold() != one.value.casefold() and (near >= _ALIKE or (surely and not spelled)):
            return _with(one, " ".join(word[:1].upper() + word[1:] for word in value.split()))
    return None


def _with(one: Believed, value: str) -> Correction | None:
    if one.value not in one.text or value == one.value:
        return None
    return Correction(one.key, value, one.text.replace(one.value, value))
