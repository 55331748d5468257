"""Decides which documents answer a question best. Pure: the same question and candidates give the same order.

A candidate is judged by itself and by its place in the talk: what was said just before it, whether that was a question
that it answers, and whether the talk was about the subject there. Each of these is a number, a *signal*; the score is
their sum, each times its weight.

The weights were fitted so that the known answers to questions about long conversations come first, and were checked on
conversations that they had not been fitted to (`benchmarks/memory_fitting.py` does both). They are few, so that they
hold for talk of other kinds.
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from operator import itemgetter, mul
from typing import Final, NamedTuple

from sojourn.memory.index.document import Document
from sojourn.memory.index.question import Question
from sojourn.memory.index.spotting import Spotter

SATURATION: Final = 1.2
LENGTH_SHARE: Final = 0.5
"""BM25's k1 and b: how soon a repeated word stops to count, and how much a long text is held against its words."""
PAUSE: Final = timedelta(hours=3)
"""After so long a silence a new talk begins: what was said before it is no neighbour."""
REACH: Final = 3
"""So many messages before and after belong to the same stretch of a talk."""
NEARBY: Final = 8
"""So many messages before and after belong to the same part of a session."""
STRONGEST: Final = 3
"""A stretch is as strong as so many of its messages."""
OWN_SHARE: Final = 0.3
"""What a message's own words count beside those of the pair, in the strength of a stretch."""
RANK_OFFSET: Final = 10.0
CLEARLY_ALIKE: Final = 0.1
"""By so much a cosine must be above the usual one to be worth a word."""


class Weights(NamedTuple):
    """What each signal counts.

    Attributes:
        pair: the share of the question's weight in words that the message and the one before it hold.
        word_rank: the place among all candidates by the message's own words.
        meaning: how near it is to the question, by the embedding models.
        stretch: how strong the strongest of the few messages around it are.
        surroundings: how near to the question the nearest messages in this part of the session are.
        answers: how well the question that was asked just before it matches.
        asks: it ends with a question itself.
        opens: it begins a talk.
        speaker: it is by whom the question names, and by nobody else.
        role: it is by the user and the question says "I", or by the assistant and it says "you".
        says_when: it speaks of time, and the question asks when.
        says_time: it speaks of time, and the question asks something else.
        in_period: it is from the time that the question names.
        alike: how like it is to the best hits, and the question asks for all of a kind.
    """

    pair: float
    word_rank: float
    meaning: float
    stretch: float
    surroundings: float
    answers: float
    asks: float
    opens: float
    speaker: float
    role: float
    says_when: float
    says_time: float
    in_period: float
    alike: float


LIKELY_WITH_MEANING: Final = (0.77, 9.75)
LIKELY_BY_WORDS: Final = (0.61, 11.6)
"""How steeply the share of messages that belong to an answer rises with the score, and where it is a half: fitted."""
WITH_MEANING: Final = Weights(
    pair=2.14, word_rank=1.08, meaning=1.62, stretch=1.69, surroundings=1.13, answers=1.03, asks=-0.95, opens=0.61,
    speaker=1.05, role=2.15, says_when=1.55, says_time=0.45, in_period=4.0, alike=5.0,
)  # fmt: skip
WORDS_ONLY: Final = Weights(
    pair=1.7, word_rank=2.29, meaning=0.0, stretch=5.15, surroundings=0.0, answers=2.19, asks=-0.89, opens=0.57,
    speaker=1.08, role=1.48, says_when=1.57, says_time=0.33, in_period=4.0, alike=0.0,
)  # fmt: skip

_TIME_WORDS: Final = frozenset({
    "yesterday", "today", "tomorrow", "tonight", "last", "next", "ago", "week", "weekend", "month", "year", "day",
    "days", "just", "since", "soon", "recently", "morning", "evening", "night", "summer", "winter", "spring", "fall",
    "autumn", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january", "february",
    "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
})  # fmt: skip
_WORD: Final = re.compile("[a-z]+")
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_LOOKED_AT: Final = 2_000
"""So much of a message is looked at for words that speak of time."""


@dataclass(slots=True, kw_only=True)
class Candidate:
    """A document that may be the answer, or that stands beside one (*eligible* is False if it must not be shown).

    *number* is its own in the index, None for one that is not there yet. *cosines* has one number for each embedding
    model, None where the document has no vector.
    """

    document: Document
    number: int | None = None
    eligible: bool = True
    cosines: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How near the nearest document is to the question by one model, and how near the last that is worth a look."""

    best: float
    last: float

    def share(self, cosine: float) -> float:
        """Return 1 for the nearest, 0 for the last, and less for what is still further away."""
        width = max(self.best - self.last, 1e-6)
        return max(-1.0, (cosine - self.last) / width)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A candidate with its score, between 0 and 1, and in a few words why."""

    document: Document
    score: float
    reasons: tuple[str, ...] = ()


@dataclass(slots=True)
class Judged:
    """A candidate with what is known of it: its *signals* are in the order of `Weights`."""

    candidate: Candidate
    hits: list[float]
    words: float
    meaning: float
    asks: bool
    previous: "Judged | None" = None
    next: "Judged | None" = None
    pair: float = 0.0
    stretch: float = 0.0
    surroundings: float = 0.0
    signals: tuple[float, ...] = ()

    def note_likeness(self, likeness: float) -> None:
        """Set the signal `alike`, which is known only after the others have told which hits are the best."""
        self.signals = (*self.signals[:-1], likeness)


class Ranking:
    """Ranks candidates for one question.

    Args:
        question: without the names of who speaks.
        rarities: for each term of the question, how much it tells: its inverse document frequency.
        speakers: the speakers that the question names.
        reaches: one for each embedding model; none if search goes by words only.
    """

    def __init__(
        self,
        question: Question,
        *,
        rarities: Sequence[float],
        speakers: Iterable[str] = (),
        reaches: Sequence[Reach] = (),
    ) -> None:
        self._question = question
        self._rarities = tuple(rarities)
        self._total = sum(rarities) or 1.0
        self._speakers = frozenset(speakers)
        self._reaches = tuple(reaches)
        self._spotter = Spotter(question.terms)
        self._weights = WITH_MEANING if reaches else WORDS_ONLY

    def rank(self, candidates: Sequence[Candidate], *, limit: int) -> list[Ranked]:
        """Return the *limit* best of the eligible candidates, best first; of equals the newest."""
        return self.ranked(self.judge(candidates), limit=limit)

    def ranked(self, judged: Iterable[Judged], *, limit: int) -> list[Ranked]:
        """Return the *limit* best of those that are judged already."""
        return [
            Ranked(document=one.candidate.document, score=self._likelihood(score), reasons=self._reasons(one))
            for score, one in self._scored(judged)[: max(0, limit)]
        ]

    def foremost(self, judged: Iterable[Judged], *, limit: int) -> list[tuple[float, Candidate]]:
        """Return the best of each session, best first, of at most *limit* sessions; each with its score as a share."""
        best: dict[str, tuple[float, Candidate]] = {}
        for score, one in self._scored(judged):
            best.setdefault(one.candidate.document.session_id, (self._likelihood(score), one.candidate))
        return list(best.values())[:limit]

    def _scored(self, judged: Iterable[Judged]) -> list[tuple[float, Judged]]:
        scored = [(math.fsum(map(mul, self._weights, one.signals)), one) for one in judged if one.candidate.eligible]
        return sorted(scored, key=lambda pair: (-pair[0], _newest_first(pair[1].candidate.document)))

    def _likelihood(self, score: float) -> float:
        """Return how likely a message with this *score* is to be part of the answer."""
        steepness, middle = LIKELY_WITH_MEANING if self._reaches else LIKELY_BY_WORDS
        return 1 / (1 + math.exp(-steepness * (max(-50.0, min(50.0, score)) - middle)))

    def judge(self, candidates: Sequence[Candidate]) -> list[Judged]:
        """Return each candidate with its signals."""
        judged = self._by_themselves(candidates)
        for talk in _talks(judged):
            self._in_context(talk)
        for session in _sessions(judged):
            _look_around(session)
        for one, rank in zip(judged, _reciprocal_ranks([one.words for one in judged]), strict=True):
            one.signals = self._signals(one, rank)
        return judged

    def _in_context(self, talk: Sequence[Judged]) -> None:
        """Judge the messages of one talk, in their order, by those around them."""
        for number, one in enumerate(talk):
            one.pair = one.words
            if number:
                one.previous, talk[number - 1].next = talk[number - 1], one
                if any(talk[number - 1].hits):
                    one.pair = sum(map(max, one.hits, talk[number - 1].hits)) / self._total
        strengths = [max(0.0, one.pair + OWN_SHARE * one.words + one.meaning) for one in talk]
        for number, one in enumerate(talk):
            around = sorted(strengths[max(0, number - REACH) : number + REACH + 1])
            one.stretch = sum(around[-STRONGEST:]) / STRONGEST

    def _by_themselves(self, candidates: Sequence[Candidate]) -> list[Judged]:
        lengths = [len(candidate.document.text) + 1 for candidate in candidates]
        usual = sum(lengths) / max(1, len(lengths))
        judged = []
        for candidate, length in zip(candidates, lengths, strict=True):
            drag = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length / usual)
            counts = self._spotter.counts(candidate.document.text)
            hits = [
                rarity * count * (SATURATION + 1) / (count + drag) if count else 0.0
                for rarity, count in zip(self._rarities, counts, strict=True)
            ]
            words = sum(hits) / self._total
            asks = candidate.document.text.rstrip().endswith(("?", "？"))
            judged.append(Judged(candidate, hits, words, self._meaning(candidate, words), asks))
        return judged

    def _meaning(self, candidate: Candidate, words: float) -> float:
        shares = [
            reach.share(cosine)
            for reach, cosine in zip(self._reaches, candidate.cosines, strict=False)
            if cosine is not None
        ]
        if shares:
            return sum(shares) / len(shares)
        # A document that waits to be embedded is taken to be as near as its words are.
        return min(1.0, words) if self._reaches else 0.0

    def _signals(self, one: Judged, rank: float) -> tuple[float, ...]:
        document, previous = one.candidate.document, one.previous
        tells_time = float(_speaks_of_time(document.text[:_LOOKED_AT]))
        asks_when = self._question.asks_when
        return (
            one.pair,
            rank,
            one.meaning,
            one.stretch,
            one.surroundings,
            previous.meaning + previous.words if previous and previous.asks else 0.0,
            float(one.asks),
            float(previous is None and document.kind == "message"),
            float(self._is_speaker(document)),
            float(self._is_in_role(document)),
            tells_time if asks_when else 0.0,
            0.0 if asks_when else tells_time,
            float(any(period.holds(document.at) for period in self._question.periods)),
            0.0,
        )

    def _is_speaker(self, document: Document) -> bool:
        return len(self._speakers) == 1 and document.speaker in self._speakers

    def _is_in_role(self, document: Document) -> bool:
        roles = self._question.roles
        return document.speaker is None and len(roles) == 1 and document.role in roles

    def _reasons(self, one: Judged) -> tuple[str, ...]:
        document = one.candidate.document
        words = [term.text for term, hit in zip(self._question.terms, one.hits, strict=True) if hit]
        cosines = [cosine for cosine in one.candidate.cosines if cosine is not None]
        reasons = []
        if words:
            reasons.append(f"words: {' '.join(words)}")
        if cosines and one.meaning > 0:
            reasons.append(f"meaning {cosines[0]:.2f}")
        if one.previous is not None and one.previous.asks and one.previous.words > one.words:
            reasons.append("answers a question that matches")
        elif any(beside is not None and beside.words > one.words for beside in (one.previous, one.next)):
            reasons.append("next to a hit")
        if one.signals[-1] > CLEARLY_ALIKE:
            reasons.append("like the best hits")
        if self._is_speaker(document) or self._is_in_role(document):
            reasons.append(f"said by {document.speaker or document.role}")
        if any(period.holds(document.at) for period in self._question.periods):
            reasons.append(f"from {document.at:%Y-%m-%d}")
        return tuple(reasons)


def rarity(documents: int, holding: int) -> float:
    """Return how much a word tells that *holding* of so many *documents* hold: BM25's inverse document frequency."""
    return math.log(1 + (max(documents, holding) - holding + 0.5) / (holding + 0.5))


def _sessions(judged: Iterable[Judged]) -> list[list[Judged]]:
    """Return the messages among the candidates by session, in their order."""
    sessions: dict[str, list[tuple[int, Judged]]] = {}
    for one in judged:
        document = one.candidate.document
        if document.place is not None:
            sessions.setdefault(document.session_id, []).append((document.place, one))
    return [[one for _, one in sorted(session, key=itemgetter(0))] for session in sessions.values()]


def _talks(judged: Sequence[Judged]) -> list[list[Judged]]:
    """Return the candidates in stretches that were said one after the other; a fact stands alone."""
    talks: list[list[Judged]] = [[one] for one in judged if one.candidate.document.place is None]
    for session in _sessions(judged):
        last: Document | None = None
        for one in session:
            if last is None or not _follows(one.candidate.document, last):
                talks.append([])
            talks[-1].append(one)
            last = one.candidate.document
    return talks


def _look_around(session: Sequence[Judged]) -> None:
    """Judge the messages of a session by how near to the question those in the same part of it are."""
    places = [one.candidate.document.place or 0 for one in session]
    meanings = [one.meaning for one in session]
    for one, place in zip(session, places, strict=True):
        first, last = bisect_left(places, place - NEARBY), bisect_right(places, place + NEARBY)
        one.surroundings = sum(sorted(meanings[first:last])[-STRONGEST:]) / STRONGEST


def _follows(document: Document, last: Document) -> bool:
    return (
        document.session_id == last.session_id
        and document.place == (last.place or 0) + 1
        and document.at - last.at <= PAUSE
    )


@lru_cache(maxsize=4096)
def _speaks_of_time(text: str) -> bool:
    """Tell whether *text* names a time. The last few thousand are remembered: each question has many of the same."""
    return not _TIME_WORDS.isdisjoint(_WORD.findall(text.lower())) or _YEAR.search(text) is not None


def _reciprocal_ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=lambda number: -values[number])
    ranks = [0.0] * len(values)
    rank, last = 0, None
    for position, number in enumerate(order):
        if values[number] != last:
            rank, last = position, values[number]
        ranks[number] = RANK_OFFSET / (RANK_OFFSET + rank) if values[number] > 0 else 0.0
    return ranks


def _newest_first(document: Document) -> tuple[float, str, int]:
    return (-document.at.timestamp(), document.session_id, -document.seq)
