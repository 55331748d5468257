"""What people may hand to a session: sizes that keep its state small, and words that some design knows."""

import math
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final, TypeVar, cast, get_args

from sojourn.errors import InvalidInputError
from sojourn.store.checks import encode_document

MAX_TEXT: Final = 10_000
"""Characters in a fact, a decision, a task, a profile value."""
MAX_NAME: Final = 200
"""Characters in a title, a tag, a variable's or an entity's name."""
MAX_TAGS: Final = 100
MAX_SUMMARY: Final = 100_000
MAX_DATA: Final = 20_000
"""Characters of JSON in what goes with a focus, a question or an answer."""
MAX_SECONDS: Final = 100 * 365 * 24 * 3600.0

FOCUS_TYPES: Final = frozenset({
    "general", "task", "journal", "planning", "exploration", "exploring", "entity", "fact", "message", "clarification",
})  # fmt: skip
"""Every type of focus that a design names."""

MAX_REFERENCES: Final = 20
MAX_REFERENCE: Final = 4096
"""Characters in a path or an address."""

Word = TypeVar("Word", bound=str)


def check_text(text: str, what: str, *, most: int = MAX_TEXT) -> str:
    """Return *text* if it is a string with something in it, and not too long.

    Raises:
        InvalidInputError: it is not; the message names *what*.
    """
    if not isinstance(text, str) or not text.strip():
        raise InvalidInputError(f"{what} must be a text that is not empty, got {text!r:.50}")
    if len(text) > most:
        raise InvalidInputError(f"{what} has {len(text):,} characters, at most {most:,} are kept")
    return text


def check_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return *tags* without repetitions, if there are not too many and none is too long."""
    if isinstance(tags, str):
        raise InvalidInputError("tags are a list of texts, got one text")
    unique = tuple(dict.fromkeys(tags))
    if len(unique) > MAX_TAGS:
        raise InvalidInputError(f"{len(unique):,} tags: a session or a fact has at most {MAX_TAGS}")
    for tag in unique:
        check_text(tag, "a tag", most=MAX_NAME)
    return unique


def check_focus_type(focus_type: str) -> str:
    """Return *focus_type* if it is one that a design names."""
    if focus_type not in FOCUS_TYPES:
        raise InvalidInputError(f"focus type {focus_type!r:.50}: use one of {', '.join(sorted(FOCUS_TYPES))}")
    return focus_type


def check_ratio(number: float, what: str) -> float:
    """Return *number* if it is one from 0 to 1."""
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0.0 <= number <= 1.0:
        raise InvalidInputError(f"{what} is a number from 0 to 1, got {number!r:.50}")
    return float(number)


def check_word(word: Word, kind: object, what: str) -> Word:
    """Return *word* if it is one of the words of *kind*, a `Literal`."""
    words = get_args(kind)
    if word not in words:
        raise InvalidInputError(f"{what} {cast(object, word)!r:.50}: use one of {', '.join(words)}")
    return word


def check_references(references: Iterable[str]) -> tuple[str, ...]:
    """Return *references*, paths and addresses, without repetitions, if there are not too many and none is too long."""
    if isinstance(references, str):
        raise InvalidInputError("references are a list of texts, got one text")
    unique = tuple(dict.fromkeys(references))
    if len(unique) > MAX_REFERENCES:
        raise InvalidInputError(f"{len(unique):,} references: a fact has at most {MAX_REFERENCES}")
    for reference in unique:
        check_text(reference, "a reference", most=MAX_REFERENCE)
    return unique


def check_data(data: dict[str, Any], what: str, *, most: int = MAX_DATA) -> dict[str, Any]:
    """Return *data* if it is a JSON object that is not too long.

    Raises:
        InvalidInputError: it is not; the message names *what*.
    """
    try:
        length = len(encode_document(data))
    except InvalidInputError as error:
        raise InvalidInputError(f"{what}: {error.detail}") from error
    if length > most:
        raise InvalidInputError(f"{what} has {length:,} characters as JSON, at most {most:,} are kept")
    return data


def check_seconds(seconds: float, what: str) -> float:
    """Return *seconds* if it is a time that passes: more than 0, and at most 100 years or for ever (infinity)."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise InvalidInputError(f"{what} is a number of seconds above 0, got {seconds!r:.50}")
    if seconds > MAX_SECONDS and seconds != math.inf:
        raise InvalidInputError(f"{what} is at most 100 years, or math.inf for ever, got {seconds!r:.50}")
    return float(seconds)


def check_moment(at: datetime, what: str) -> datetime:
    """Return *at* if it is a time with a time zone: without one, nobody else knows when it was."""
    if not isinstance(at, datetime) or at.tzinfo is None:
        raise InvalidInputError(f"{what} is a time with a time zone, got {at!r:.50}")
    return at
