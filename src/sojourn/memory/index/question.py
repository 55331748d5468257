"""Reads a question: which words and parts of words it looks for, and what it says about who and when.

Any text is a question. Nothing in it is an operator of a database or can make reading fail; three things have a
meaning of their own, as in other search boxes: `"a phrase"`, `begin*`, and names such as `max_retry` or `src/main.py`,
which are also found inside longer ones.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final, Literal

import msgspec

from sojourn.memory.index.period import Period, periods_of, without_past
from sojourn.memory.index.stems import fold, stem
from sojourn.model.value import Value

TermKind = Literal["word", "phrase", "prefix", "part"]
MAX_TERMS: Final = 256
"""Of a longer question the first terms are read; of these, ranking counts the rarest."""
MAX_READ: Final = 20_000

STOP_WORDS: Final = frozenset({
    "a", "about", "above", "after", "again", "against", "all", "am", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "before", "being", "below", "between", "both", "but", "by", "can", "could", "d", "did", "didn",
    "do", "does", "doesn", "doing", "don", "down", "during", "each", "few", "for", "from", "further", "had", "has",
    "have", "having", "he", "her", "here", "hers", "him", "his", "how", "i", "if", "in", "into", "is", "isn", "it",
    "its", "just", "ll", "m", "me", "more", "most", "my", "no", "nor", "not", "now", "of", "off", "on", "once",
    "only", "or", "other", "ought", "our", "out", "over", "own", "re", "s", "same", "she", "should", "so", "some",
    "such", "t", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "through",
    "to", "too", "under", "until", "up", "ve", "very", "was", "wasn", "we", "were", "what", "when", "where", "which",
    "while", "who", "whom", "whose", "why", "will", "with", "would", "y", "you", "your",
})  # fmt: skip
_ROLES: Final = {"i": "user", "me": "user", "my": "user", "mine": "user", "you": "assistant", "your": "assistant"}
# Thai to Myanmar, Khmer, kana, Han, Hangul: scripts whose words no space divides, or that have endings.
_DENSE: Final = (
    "\u0e00-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua48f"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
_PIECE: Final = re.compile(
    rf'"(?P<phrase>[^"]{{1,200}})"|(?P<dense>[{_DENSE}]+)|(?P<prefix>[^\W_]{{2,}})\*(?!\w)'
    rf"|(?P<run>(?:(?![{_DENSE}])[\w./\\:@#+~=&%$-])+)"
)
_WORD: Final = re.compile(r"[^\W_]+")
_NAME: Final = re.compile(
    r"\w_\w|^_\w|[^\W_][./\\:@#+~=&%$]+[^\W_]|[^\W\d_]\d|\d[^\W\d_]|\d-\w|\w-\d|[a-z][A-Z]|[A-Z]{2}[a-z]"
)
_CAPITAL: Final = re.compile(r"(?<=[^\s.!?:]\s)[A-Z][^\W\d_A-Z]+\b")
_CLITIC: Final = re.compile(r"['\u2019](?:s|t|d|m|re|ve|ll)\b", re.IGNORECASE)
_ASKS_WHEN: Final = re.compile(
    r"\b(?:when|how long|how many (?:days|weeks|months|years)"
    r"|(?:what|which) (?:date|day|month|year|time|week|season))\b",
    re.IGNORECASE,
)
_ASKS_FOR_ALL: Final = re.compile(r"\bhow (?:many|much)\b|\b(?:total|average|altogether|combined)\b", re.IGNORECASE)


class Term(Value, frozen=True, kw_only=True):
    """Something that a question looks for. *stems* are those of its words; a part of a word has none."""

    kind: TermKind
    text: str
    stems: tuple[str, ...] = ()


class Question(Value, frozen=True, kw_only=True):
    """What a question looks for. *roles* are those it speaks of: I and my are the user, you the assistant.

    It *asks_for_all* if it counts or sums up: then everything of a kind is the answer, not the one best message.
    """

    text: str
    terms: tuple[Term, ...] = ()
    roles: frozenset[str] = frozenset()
    periods: tuple[Period, ...] = ()
    asks_when: bool = False
    asks_for_all: bool = False

    @property
    def words(self) -> list[str]:
        """The terms to look for by `SearchIndex.match`."""
        return [term.text + "*" if term.kind == "prefix" else term.text for term in self.terms if term.stems]

    @property
    def parts(self) -> list[str]:
        """The terms to look for by `SearchIndex.match_parts`."""
        return [term.text for term in self.terms if term.kind == "part"]

    def named(self, names: Iterable[str]) -> frozenset[str]:
        """Return those *names* that the question names, by all of the name or by its first word."""
        here = set(_WORD.findall(fold(self.text)))
        return frozenset(name for name in names if (words := _WORD.findall(fold(name))) and words[0] in here)

    def capitalised(self) -> frozenset[str]:
        """Return the words that may be names: those with a capital that do not begin a sentence."""
        return frozenset(_CAPITAL.findall(self.text))

    def without(self, names: Iterable[str]) -> "Question":
        """Return the question without the words of these *names*, unless nothing else is left."""
        gone = {word for name in names for word in _WORD.findall(fold(name))}
        terms = tuple(term for term in self.terms if not (term.kind == "word" and term.text in gone))
        if not gone or not terms:
            return self
        kept = re.sub(r"[^\W_]+(?:['\u2019]s\b)?", lambda word: "" if _first(word[0]) in gone else word[0], self.text)
        return msgspec.structs.replace(self, text=" ".join(kept.split()), terms=terms)

    def only(self, numbers: Sequence[int]) -> "Question":
        """Return the question with those of its terms that have these *numbers*."""
        return msgspec.structs.replace(self, terms=tuple(self.terms[number] for number in numbers))


def read_question(text: str, *, now: datetime | None = None) -> Question:
    """Read *text*. Times such as "last week" are understood when *now* is given."""
    text = text[:MAX_READ]
    words = _WORD.findall(fold(text))
    terms = (now is not None and _telling(without_past(text))) or _telling(text) or tuple(_terms(text))
    return Question(
        text=text,
        terms=terms[:MAX_TERMS],
        roles=frozenset(_ROLES[word] for word in words if word in _ROLES),
        periods=periods_of(text, now=now),
        asks_when=_ASKS_WHEN.search(text) is not None,
        asks_for_all=_ASKS_FOR_ALL.search(text) is not None,
    )


def _first(word: str) -> str:
    found = _WORD.search(fold(word))
    return found[0] if found else ""


def _telling(text: str) -> tuple[Term, ...]:
    return tuple(term for term in _terms(text) if not (term.kind == "word" and term.text in STOP_WORDS))


def _terms(text: str) -> Iterator[Term]:
    seen: set[tuple[str, tuple[str, ...] | str]] = set()
    for term in _all_terms(_CLITIC.sub(" ", text)):
        key = (term.kind, term.stems or term.text)
        if key not in seen:
            seen.add(key)
            yield term


def _all_terms(text: str) -> Iterator[Term]:
    for piece in _PIECE.finditer(text):
        kind, found = piece.lastgroup, piece[piece.lastgroup or 0]
        words = _WORD.findall(fold(found))
        if kind == "dense":
            yield Term(kind="part", text=found)
        elif kind == "prefix":
            yield Term(kind="prefix", text=words[0], stems=(words[0],))
        elif kind == "phrase" and len(words) > 1:
            yield Term(kind="phrase", text=" ".join(words), stems=tuple(stem(word) for word in words))
        else:
            if kind == "run" and _NAME.search(found) and len(found) > 2:
                yield Term(kind="part", text=found.strip("./\\:@#+~=&%$-"))
            for word in words:
                yield Term(kind="word", text=word, stems=(stem(word),))
