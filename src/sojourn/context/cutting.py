"""Making a long text short: its middle is left out, where everybody can see it, and never within a character."""

import unicodedata
from collections.abc import Sequence
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from sojourn.context.talk import Line
from sojourn.context.tokens import PER_MESSAGE, TokenCounter, count_message
from sojourn.model.message import Message, Part, TextPart, ThinkingPart
from sojourn.providers.payloads import is_redacted_thinking

_JOINER: Final = "\u200d"
_VIRAMA: Final = 9
"""The combining class of signs that join two consonants into one character."""
_NEAR: Final = 24
"""So far from where it must be cut, a space is looked for."""
_CHARS_PER_TOKEN: Final = 16
"""Of a text that must be cut, no more characters for each token are looked at: no language has longer tokens."""
_LEAST: Final = 12
"""Tokens that a message keeps at least: the mark has as many."""
_LEFT_OUT: Final = "[... left out: it does not fit ...]"


def cut_middle(text: str, tokens: int, counter: TokenCounter) -> str:
    """Return *text*, shortened in the middle to at most *tokens* tokens if it is longer; at least the mark remains."""
    if counter.count(text) <= tokens:
        return text
    low, high = 0, min(len(text), tokens * _CHARS_PER_TOKEN)
    while low < high:  # the most characters that fit
        middle = (low + high + 1) // 2
        if counter.count(_shortened(text, middle)) <= tokens:
            low = middle
        else:
            high = middle - 1
    return _shortened(text, low)


def cut_message(message: Message, tokens: int, counter: TokenCounter) -> Message:
    """Return *message* with its text cut so that it costs at most *tokens*, if that can be; its calls stay whole.

    Media and data that do not fit go, and thinking stays: its provider wants it back as it was.
    """
    fixed = count_message(counter, replace(message, content=""))
    if isinstance(message.content, str):
        content: str | tuple[Part, ...] = cut_middle(message.content, max(tokens - fixed, 1), counter)
    else:
        parts: list[Part] = [part for part in message.content if _is_thinking(part)]
        room = tokens - count_message(counter, replace(message, content=tuple(parts)))
        for part in message.content:
            if _is_thinking(part):
                continue
            shown: Part = (
                TextPart(text=cut_middle(part.text, max(room, 1), counter)) if isinstance(part, TextPart) else part
            )
            cost = count_message(counter, Message(role="user", content=(shown,))) - PER_MESSAGE
            if not isinstance(part, TextPart) and cost > room:
                shown = TextPart(text=_LEFT_OUT)
                cost = counter.count(_LEFT_OUT)
            room -= cost
            parts.append(shown)
        content = tuple(parts)
    return replace(message, content=content, raw=UNSET, tokens=None)


def _is_thinking(part: Part) -> bool:
    return isinstance(part, ThinkingPart) or is_redacted_thinking(part)


def cut_lines(lines: Sequence[Line], tokens: int, counter: TokenCounter) -> list[Line] | None:
    """Return *lines* with the longest of them cut, so that together they cost at most *tokens*; None if they cannot.

    The short ones stay as they are: whatever they leave goes to the long ones.
    """
    costs = [count_message(counter, line.message) for line in lines]
    if sum(costs) <= tokens:
        return list(lines)
    most, left, waiting = tokens, tokens, len(costs)
    for cost in sorted(costs):
        most = left // waiting
        if cost > most:
            break
        left -= cost
        waiting -= 1
    most = max(most, _LEAST + PER_MESSAGE)
    cut = [
        line if cost <= most else replace(line, message=cut_message(line.message, most, counter))
        for line, cost in zip(lines, costs, strict=True)
    ]
    return cut if sum(count_message(counter, line.message) for line in cut) <= tokens else None


def _shortened(text: str, kept: int) -> str:
    head, tail = _boundary(text, (kept + 1) // 2), _boundary(text, len(text) - kept // 2, forward=True)
    left_out = tail - head
    return f"{text[:head].rstrip()}\n[... {left_out:,} characters left out ...]\n{text[tail:].lstrip()}".strip()


def _boundary(text: str, place: int, *, forward: bool = False) -> int:
    """Return the nearest place at or before (or after) *place* where a word, or at least a character, begins."""
    step = 1 if forward else -1
    for distance in range(_NEAR):
        here = place + step * distance
        if not 0 < here < len(text):
            return min(max(here, 0), len(text))
        if text[here - 1].isspace():
            return here
    while 0 < place < len(text) and _continues(text, place):
        place += step
    return place


def _continues(text: str, place: int) -> bool:
    """Tell whether the code point at *place* belongs to the character before it."""
    here, before = text[place], text[place - 1]
    return (
        unicodedata.combining(here) != 0
        or unicodedata.combining(before) == _VIRAMA
        or _JOINER in (here, before)
        or unicodedata.category(here) in {"Mn", "Mc", "Me", "Sk"}
        or (_is_flag_letter(here) and _is_flag_letter(before))
    )


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
