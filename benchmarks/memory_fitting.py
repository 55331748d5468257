"""Fits the weights of `sojourn.memory.index.ranking`, and shows how well they hold on what they were not fitted to.

A question's candidates compete: the weights make the known evidence likely among them (a softmax over each question).
Of LongMemEval, where the evidence is a session, the best message of each session competes. The weight of `alike` is
tried instead, because it is there for the last of the evidence, and the first of it has most of the likelihood: of
those with which the most questions have all of theirs, the one in the middle is taken. `held out` refits without one
conversation of LoCoMo, or a fifth of LongMemEval, and scores that. Not part of `make bench`: it needs both data sets,
and minutes.

    python benchmarks/memory_fitting.py DATA
"""

import argparse
import asyncio
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from memory_conversations import Conversations, read_locomo, read_longmemeval
from memory_retrieval import fill
from numpy.typing import NDArray

from sojourn.memory.embeddings.choosing import default_embedders
from sojourn.memory.embeddings.protocol import Embedder
from sojourn.memory.index.question import read_question
from sojourn.memory.index.ranking import Weights
from sojourn.memory.index.search import Search
from sojourn.memory.index.sqlite_index import SqliteIndex
from sojourn.model.ids import DEFAULT_TENANT

Signals = NDArray[np.float64]
SESSION_SHARE: Final = 2.0
"""What a question of LongMemEval counts beside one of LoCoMo: there are four times as many of the latter."""
ROUNDS: Final = 5
STEPS: Final = 60
RATE: Final = 0.06
SHRINK: Final = 1e-3
FOLDS: Final = 5
ALIKE: Final = range(9)
"""The weights that are tried for the last signal."""


@dataclass(slots=True)
class Asked:
    """One question: the signals of its candidates, what each belongs to, and which of these are evidence."""

    signals: Signals
    keys: list[object]
    evidence: frozenset[object]
    group: str

    def without_likeness(self) -> "Asked":
        """Return the question without the last signal."""
        return Asked(self.signals[:, :-1], self.keys, self.evidence, self.group)

    def best(self, weights: Signals) -> tuple[Signals, NDArray[np.float64]]:
        """Return the signals of the best candidate of each key, and which share of the evidence each key is."""
        scores = self.signals @ weights
        found: dict[object, int] = {}
        for number in np.argsort(-scores, kind="stable"):
            found.setdefault(self.keys[number], int(number))
        right = np.array([key in self.evidence for key in found], float)
        return self.signals[list(found.values())], right / max(right.sum(), 1.0)

    def ranked(self, weights: Signals) -> list[object]:
        """Return the keys, the best first."""
        order = np.argsort(-(self.signals @ weights), kind="stable")
        return list(dict.fromkeys(self.keys[number] for number in order))


async def collect(conversations: Conversations, embedders: Sequence[Embedder], *, sessions: bool) -> list[Asked]:
    """Return every question with the signals of its candidates."""
    asked: list[Asked] = []
    with tempfile.TemporaryDirectory() as folder:
        async with SqliteIndex(Path(folder) / "search.db", tenant=DEFAULT_TENANT) as index:
            await fill(index, conversations, embedders)
            search = Search(index, embedders)
            for number, one in enumerate(conversations.asked):
                gathered = await search._gather(read_question(one.question, now=one.now), one.where, ())
                candidates = await search._candidates(gathered, one.where, ())
                everything = await search._judge(gathered, gathered.ranking(), candidates)
                judged = [each for each in everything if each.candidate.eligible]
                documents = [each.candidate.document for each in judged]
                keys: list[object] = [(d.session_id, 0 if sessions else d.seq) for d in documents]
                signals = np.array([each.signals for each in judged], float).reshape(len(judged), len(Weights._fields))
                group = str(number % FOLDS) if sessions else str(one.where.user_id)
                asked.append(Asked(signals, keys, frozenset(one.evidence), group))
    return asked


def fit(turns: Sequence[Asked], sessions: Sequence[Asked]) -> Signals:
    """Return the weights that make the evidence likely, and complete for the most questions."""
    likely = _likely([one.without_likeness() for one in turns], [one.without_likeness() for one in sessions])
    scores = [complete(sessions, np.append(likely, alike)) for alike in ALIKE]
    best = [alike for alike, score in zip(ALIKE, scores, strict=True) if score == max(scores)]
    return np.append(likely, best[len(best) // 2])


def _likely(turns: Sequence[Asked], sessions: Sequence[Asked]) -> Signals:
    scale = np.concatenate([one.signals for one in (*turns, *sessions) if len(one.signals)]).std(0) + 1e-6
    weights: Signals = np.full(len(scale), 0.3) / scale
    for _ in range(ROUNDS):
        lists = [(one.best(weights), 1.0) for one in turns] + [(one.best(weights), SESSION_SHARE) for one in sessions]
        weights = (
            _climb(
                [(signals / scale, right, share) for (signals, right), share in lists if right.any()], weights * scale
            )
            / scale
        )
    return weights


def _climb(lists: Sequence[tuple[Signals, NDArray[np.float64], float]], weights: Signals) -> Signals:
    total = sum(share for _, _, share in lists)
    mean, spread = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        slope = SHRINK * weights
        for signals, right, share in lists:
            scores = signals @ weights
            likely = np.exp(scores - scores.max())
            slope += share / total * (signals.T @ (likely / likely.sum() - right))
        mean, spread = 0.9 * mean + 0.1 * slope, 0.99 * spread + 0.01 * slope**2
        weights = weights - RATE * (mean / (1 - 0.9**step)) / (np.sqrt(spread / (1 - 0.99**step)) + 1e-8)
    return weights


def recall(asked: Sequence[Asked], weights: Signals, depth: int) -> float:
    """Return which share of the evidence is among the best *depth*, on average."""
    return float(np.mean([len(one.evidence & set(one.ranked(weights)[:depth])) / len(one.evidence) for one in asked]))


def complete(asked: Sequence[Asked], weights: Signals) -> float:
    """Return for which share of the questions all evidence sessions are among the best five."""
    return float(np.mean([one.evidence <= set(one.ranked(weights)[:5]) for one in asked]))


def held_out(
    asked: Sequence[Asked],
    refit: Callable[[Sequence[Asked]], Signals],
    score: Callable[[Sequence[Asked], Signals], float],
) -> float:
    """Return the score on each group with weights that were fitted to the others, weighted by their sizes."""
    scores = []
    for group in sorted({one.group for one in asked}):
        own = [one for one in asked if one.group == group]
        scores.append((len(own), score(own, refit([one for one in asked if one.group != group]))))
    return sum(count * value for count, value in scores) / sum(count for count, _ in scores)


def main() -> None:
    """Fit, and print the weights and how well they do."""
    parser = argparse.ArgumentParser(description="Fit the weights of the ranking.")
    parser.add_argument("data", type=Path)
    parser.add_argument("--words-only", action="store_true", help="as if no embedding model were installed")
    arguments = parser.parse_args()
    embedders = () if arguments.words_only else default_embedders().embedders
    turns = asyncio.run(collect(read_locomo(arguments.data), embedders, sessions=False))
    sessions = asyncio.run(collect(read_longmemeval(arguments.data), embedders, sessions=True))
    turns = [one for one in turns if one.evidence]
    weights = fit(turns, sessions)
    for name, weight in zip(Weights._fields, weights, strict=True):
        print(f"{name:14} {weight:6.2f}")
    print(f"LoCoMo recall@10: {recall(turns, weights, 10):.3f}, held out", end=" ")
    print(f"{held_out(turns, lambda rest: fit(rest, sessions), lambda own, found: recall(own, found, 10)):.3f}")
    print(f"LongMemEval all@5: {complete(sessions, weights):.3f}, held out", end=" ")
    print(f"{held_out(sessions, lambda rest: fit(turns, rest), complete):.3f}")


if __name__ == "__main__":
    main()
