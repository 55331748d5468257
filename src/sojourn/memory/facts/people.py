"""Sentences about people: where somebody lives and works, how old somebody is, what somebody likes."""

import re
from collections.abc import Callable
from typing import Final

from sojourn.memory.facts.attributes import (
    DEMONYM,
    DIETS,
    EVENTS,
    HEADS,
    JOBS,
    MANY_RELATIONS,
    MARITAL,
    NOT_PLACES,
    ONE_RELATION,
    PROGRAMMING,
    STATES,
)
from sojourn.memory.facts.question import USER, Reader, Slot, attribute_of, says, slot, subject_of, tokens, without_tail

_NOT_NAMES: Final = frozenset({
    "it", "he", "she", "they", "we", "i", "you", "this", "that", "there", "everyone", "nobody", "somebody", "someone",
    "people", "who", "what", "everything", "something", "one", "both", "all", "some", "these", "those", "here",
})  # fmt: skip
_NOT_JOBS: Final = frozenset({"good", "great", "former", "retired", "future", "aspiring", "big", "bad", "fast", "slow"})
_AFTER_PLACE: Final = re.compile(
    r"\s+(?:in \d|since|for|from|last|this|next|until|with|because|and|but|where|which|who|after|before|when|to|as"
    r"|during|near|on|at|by|\d)\b"
)
_MONTH: Final = re.compile(
    r"\s+in (?=(?:early|late|mid|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\w+ \d{4})", re.IGNORECASE
)
_SEVERAL: Final = re.compile(r"\b(?:and|but|than|because|that|when|if)\b|,")
_NUMBER_WORD: Final = r"(?P<value>\d+|one|two|three|four|five|six|seven|eight|nine|ten)"
_DISLIKES: Final = says(
    r"(?:dislikes?|hates?|detests?|loathes?|can(?:'t|not) stand"
    r"|(?:does not|doesn't|no longer) (?:likes?|loves?|enjoys?))",
    r"(?P<value>.+)",
    lambda match: _of_taste(match, "dislikes"),
)


def person(text: str) -> str | None:
    """Return the subject if it is the user, somebody of the user's, or a person's name."""
    plain = re.sub(r"^(?:the|our|my)\s+", "", text.strip(), flags=re.IGNORECASE)
    if plain.casefold() == USER:
        return USER
    found = tokens(plain)
    if found and found[-1] in ONE_RELATION | MANY_RELATIONS:
        return " ".join(found) if 1 < len(found) <= 4 else None
    if plain != text.strip() or not _is_name(plain.split()):
        return None
    if set(found) & (HEADS.keys() | PROGRAMMING | EVENTS | _NOT_NAMES):
        return None
    return " ".join(found) or None


def _is_name(words: list[str]) -> bool:
    """Tell whether these may be the words of a person's name: capitals and letters, and no abbreviation."""
    return 0 < len(words) <= 3 and all(
        word[0].isupper() and re.sub(r"[-']", "", word).isalpha() and not (word.isupper() and len(word) > 1)
        for word in words
    )


def disliked(text: str) -> Slot | None:
    """Return what somebody does not like; it is read apart, because it may be said with a negation."""
    return _DISLIKES.read(without_tail(text))


def _of_person(attribute: str) -> Callable[[re.Match[str]], Slot | None]:
    return lambda match: slot(person(match["subject"]), attribute, match["value"])


def _place(match: re.Match[str]) -> Slot | None:
    value = _AFTER_PLACE.split(match["value"])[0]
    if re.match(r"(?:a|an|the|his|her|their|my|our)\b", value) and not re.match(r"the [A-Z]", value):
        inner = re.search(r"\bin ([A-Z].*)$", value)
        if inner is None:
            return None
        value = inner[1]
    value = _MONTH.split(value)[0]
    if value.casefold().strip(" ,.") in NOT_PLACES or len(value.split()) > 5 or re.search(r"\d", value):
        return None
    if value[:1].islower() and (match["subject"] != match["subject"].casefold() or len(value.split()) > 3):
        # "The user lives in fear": a place has a capital letter, unless nothing in the sentence has one.
        return None
    return slot(person(match["subject"]), "location", value)


def _moved(match: re.Match[str]) -> Slot | None:
    return _place(match) if match["value"][:1].isupper() or match["value"].startswith("the ") else None


def _age(match: re.Match[str]) -> Slot | None:
    return slot(person(match["subject"]), "age", match["value"]) if 0 < int(match["value"]) <= 130 else None


def _occupation(match: re.Match[str]) -> Slot | None:
    value = re.split(r"\s+(?:at|for|in|with|who|and|from|of|based|by|on|living|working)\b|,", match["value"])[0]
    found = tokens(value)
    if not found or found[-1] not in JOBS or len(found) > 5 or found[0] in _NOT_JOBS:
        return None
    return slot(person(match["subject"]), "occupation", value)


def _employer(match: re.Match[str]) -> Slot | None:
    job = re.search(r"\bas an? (.+)$", match["value"])
    if job:
        return slot(person(match["subject"]), "occupation", re.split(r"\s+(?:at|for|in|on)\b", job[1])[0])
    value = re.split(r"\s+(?:as|in|since|from|where|and|on|with|because|until)\b|,", match["value"])[0]
    return slot(person(match["subject"]), "employer", value) if value[:1].isupper() else None


def _one_word(match: re.Match[str]) -> Slot | None:
    """Read "The user is vegan": the one word says which question it answers."""
    value = match["value"].casefold()
    attribute = "diet" if value in DIETS else "marital status" if value in MARITAL else None
    return slot(person(match["subject"]), attribute, value)


def _favorite(match: re.Match[str]) -> Slot | None:
    thing = attribute_of(match["thing"])
    if not thing or len(thing.split()) > 3 or match["value"].split(maxsplit=1)[0].casefold() in STATES:
        return None
    value = re.split(r"\s+(?:because|which|for|since|as|and|that)\b|,", match["value"])[0]
    return slot(person(match["owner"]), f"favorite {thing}", value)


def _number_of(match: re.Match[str]) -> Slot | None:
    thing = re.sub(r"^(?:kids?|child)$", "children", match["thing"])
    return slot(person(match["subject"]), f"number of {thing}", match["value"])


def _of_taste(match: re.Match[str], attribute: str) -> Slot | None:
    if len(match["value"].split()) > 6 or _SEVERAL.search(match["value"]):
        return None
    return slot(person(match["subject"]), attribute, match["value"])


def _spoken(match: re.Match[str]) -> Slot | None:
    if not match["value"][:1].isupper() or len(match["value"].split()) > 2:
        return None
    return slot(person(match["subject"]), "languages", match["value"])


def _coded(match: re.Match[str]) -> Slot | None:
    if match["value"].casefold() not in PROGRAMMING:
        return None
    return slot(person(match["subject"]), "programming_languages", match["value"])


def _project(match: re.Match[str]) -> Slot | None:
    if len(match["value"].split()) > 4 or _SEVERAL.search(match["value"]):
        return None
    return slot(person(match["subject"]), "current_project", match["value"])


def _named(match: re.Match[str]) -> Slot | None:
    value = match["value"].strip("\"'")
    if len(value.split()) > 4 or (value[:1].islower() and len(value.split()) > 1) or value.casefold() in STATES:
        return None
    subject = person(match["subject"]) or subject_of(match["subject"])
    return slot(subject, "name", value) if len(subject.split()) <= 4 else None


def _who(match: re.Match[str]) -> Slot | None:
    """Read "The user's boss is Amira": who she is, is what she is called."""
    subject = person(match["subject"])
    if subject is None or subject.split()[-1] not in ONE_RELATION | MANY_RELATIONS:
        return None
    value = match["value"]
    if not _is_name(value.split()) or DEMONYM.search(value):
        return None
    return slot(subject, "name", value)


READERS: Final[tuple[Reader, ...]] = (
    says(r"(?:IS |has )(?:turned )?(?:age )?", r"(?P<value>\d{1,3})(?: years?(?: |-)old)?", _age),
    says(r"turned ", r"(?P<value>\d{1,3})(?: .*)?", _age),
    says(r"IS ", r"(?P<value>[A-Za-z]+)", _one_word),
    says(r"(?:lives?|resides?|IS (?:living|residing|based|located)) (?:in|near) ", r"(?P<value>.+)", _place),
    says(r"(?:HAVE )?(?:moved|relocated)(?: back)?(?: from .+?)? to ", r"(?P<value>.+)", _moved),
    says(r"(?:works?|IS (?:working|employed)) (?:at|for|by) ", r"(?P<value>.+)", _employer),
    says(r"(?:works?|IS (?:working|employed)) as (?:an? |the )?", r"(?P<value>.+)", _occupation),
    says(r"(?:IS |became |has become )an? ", r"(?P<value>.+)", _occupation),
    Reader(r"(?P<owner>.{1,60}?)'s favou?rite (?P<thing>[^']{2,40}?) is (?P<value>.{1,60})", _favorite),
    says(
        r"has ",
        rf"{_NUMBER_WORD} (?P<thing>children|child|kids?|sisters?|brothers?|siblings?|cats?|dogs?|employees)",
        _number_of,
    ),
    says(
        r"(?:likes?|loves?|enjoys?|IS (?:interested in|into|a (?:big )?fan of|fond of)) ",
        r"(?P<value>.+)",
        lambda match: _of_taste(match, "interests"),
    ),
    says(r"(?:speaks?|is fluent in) ", r"(?P<value>.+)", _spoken),
    says(r"(?:codes?|programs?|writes code|develops?|is proficient|is experienced) in ", r"(?P<value>\S+)", _coded),
    says(r"(?:has visited|has been to|visited) ", r"(?P<value>[A-Z]\S*(?: [A-Z]\S*)?)", _of_person("visited")),
    says(r"IS allergic to ", r"(?P<value>\w+(?: \w+)?)", _of_person("allergies")),
    says(r"BE born in ", r"(?P<value>[A-Z][\w .,-]{1,40})", _of_person("birthplace")),
    says(r"BE born on ", r"(?P<value>[\w .,-]{3,30})", _of_person("birthday")),
    says(r"IS working on ", r"(?:the )?(?P<value>[A-Z\"'].{1,40}?)(?: project)?", _project),
    says(r"BE (?:called|named|renamed(?: to)?|known as) ", r"(?P<value>.+)", _named),
    says(r"IS ", r"(?P<value>[A-Z].{0,40})", _who),
    says(r"(?:goes by|prefers to be called) ", r"(?P<value>[A-Z].{0,40})", _named),
)
"""What is said of people; the first reader that understands a sentence decides."""
