"""Where the terms of a question stand in a text: what ranking counts and what a snippet shows."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from sojourn.memory.index.parts import holds_part
from sojourn.memory.index.question import Term
from sojourn.memory.index.stems import LONGEST_WORD, fold, occurrences, stem

_WORD: Final = re.compile(r"[^\W_]+")
_FEW: Final = 24
"""Up to so many words are looked for one by one; for more, every word of a text is looked at."""


class Spot(NamedTuple):
    """A stretch of a text where the term with number *term* stands."""

    start: int
    end: int
    term: int


class _TermsOfWord(dict[str, tuple[int, ...]]):
    """Which terms a word is a form of, by the word; one that was not met yet is looked up."""

    def __init__(self, words: Sequence[tuple[int, str]]) -> None:
        super().__init__()
        self._of_stem: dict[str, tuple[int, ...]] = {}
        for number, wanted in words:
            self._of_stem[wanted] = (*self._of_stem.get(wanted, ()), number)

    def __missing__(self, word: str) -> tuple[int, ...]:
        found = self[word] = self._of_stem.get(stem(word), ()) if len(word) <= LONGEST_WORD else ()
        return found


class Spotter:
    """Finds *terms* in texts. Made once for a question, used for each text."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self.terms = tuple(terms)
        self._words = [(number, term.stems[0]) for number, term in enumerate(terms) if term.kind == "word"]
        self._stems = [wanted for _, wanted in self._words]
        self._terms_of = _TermsOfWord(self._words) if len(self._words) > _FEW else None
        self._others = [(number, term) for number, term in enumerate(terms) if term.kind != "word"]

    def spots(self, text: str) -> list[Spot]:
        """Return every place in *text* where a term stands, in order."""
        return sorted(self._spots(text))

    def counts(self, text: str) -> list[int]:
        """Return how often each term stands in *text*."""
        found, folded = [0] * len(self.terms), fold(text)
        if self._terms_of is not None:
            for numbers in filter(None, map(self._terms_of.__getitem__, _WORD.findall(folded))):
                for number in numbers:
                    found[number] += 1
        else:
            for _, _, which in occurrences(folded, self._stems):
                found[self._words[which][0]] += 1
        for spot in self._other_spots(folded):
            found[spot.term] += 1
        for number, term in self._others:
            # A part is found whatever separates its pieces, and then it has no place that could be shown.
            if term.kind == "part" and not found[number] and holds_part(text, term.text):
                found[number] = 1
        return found

    def _spots(self, text: str) -> Iterator[Spot]:
        folded = fold(text)
        if self._terms_of is not None:
            for word in _WORD.finditer(folded):
                for number in self._terms_of[word[0]]:
                    yield Spot(*word.span(), number)
        else:
            for start, end, which in occurrences(folded, self._stems):
                yield Spot(start, end, self._words[which][0])
        yield from self._other_spots(folded)

    def _other_spots(self, folded: str) -> Iterator[Spot]:
        for number, term in self._others:
            for start, end in _SPANS[term.kind](folded, term):
                yield Spot(start, end, number)


def _phrase_spans(folded: str, term: Term) -> Iterator[tuple[int, int]]:
    firsts = list(occurrences(folded, term.stems[:1]))
    for start, _, _ in firsts:
        words = _WORD.finditer(folded, start)
        last = start
        for wanted, word in zip(term.stems, words, strict=False):
            if stem(word[0]) != wanted:
                break
            last = word.end()
        else:
            yield start, last


def _prefix_spans(folded: str, term: Term) -> Iterator[tuple[int, int]]:
    for match in re.finditer(rf"(?<![^\W_]){re.escape(term.text)}[^\W_]*", folded):
        yield match.span()


def _part_spans(folded: str, term: Term) -> Iterator[tuple[int, int]]:
    for match in re.finditer(re.escape(fold(term.text)), folded):
        yield match.span()


_SPANS: Final = {"phrase": _phrase_spans, "prefix": _prefix_spans, "part": _part_spans}
