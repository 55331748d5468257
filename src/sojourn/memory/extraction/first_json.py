"""The first JSON object in what a model wrote: past its thoughts and fences, and closed if it was cut off."""

import json
from collections import deque
from typing import Any, Final

MAX_TRIES: Final = 50
"""Braces that are tried as the beginning of the object."""
MAX_CUT_TRIES: Final = 5
"""Of these, how many are tried as the beginning of one that was cut off, which takes longer to find out."""
MAX_DEPTH: Final = 50
_DECODER: Final = json.JSONDecoder()
_CLOSING: Final = {"{": "}", "[": "]"}


def first_object(text: str) -> dict[str, Any] | None:
    """Return the first object in *text* that has anything in it, else an empty one, else None.

    An object that was cut off, or goes wrong within, counts with those of its parts that are whole.
    """
    empty: dict[str, Any] | None = None
    start = text.find("{")
    for tried in range(MAX_TRIES):
        if start < 0:
            break
        found, end = _decoded(text, start)
        if found is None and tried < MAX_CUT_TRIES:
            found = _cut_off(text, start)
        if found:
            return found
        empty = empty if found is None else found
        start = text.find("{", end)
    return empty


def _decoded(text: str, start: int) -> tuple[dict[str, Any] | None, int]:
    """Return the object that begins at *start*, if one does, and where to look on."""
    try:
        found, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, start + 1
    return (found, end) if isinstance(found, dict) else (None, start + 1)


def _cut_off(text: str, start: int) -> dict[str, Any] | None:
    """Return the object that begins at *start* and is never closed, as far as it is whole."""
    for end, closing in _ends_of_parts(text, start):
        found, _ = _decoded(text[start:end] + closing, 0)
        if found:
            return found
    return None


def _ends_of_parts(text: str, start: int) -> list[tuple[int, str]]:
    """Return where the last parts of the object at *start* end, and what closes it there; the longest first."""
    open_brackets: list[str] = []
    in_string = escaped = False
    ends: deque[tuple[int, str]] = deque(maxlen=5)
    for place in range(start, len(text)):
        character = text[place]
        if in_string:
            in_string = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            in_string = True
        elif character in "{[":
            open_brackets.append(_CLOSING[character])
        elif character in "}]":
            if open_brackets.pop() != character or not open_brackets:
                break  # closed, and yet no object
            ends.append((place + 1, "".join(reversed(open_brackets))))
        if len(open_brackets) > MAX_DEPTH:
            break
    return list(reversed(ends))
