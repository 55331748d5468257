"""Is the evidence found: the turns that answer a question, among all that was said.

Everything runs through `Search` over an SQLite index in a temporary file, as in the product; the time of a query
includes embedding the question. The vectors of the texts are kept by the hash of their content in `.cache`, because
they do not change and take minutes to make.

    python benchmarks/memory_retrieval.py DATA [--quick]
"""

import asyncio
import hashlib
import json
import logging
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Any, Final

import numpy as np
from memory_conversations import Asked, Conversations, read_locomo, read_longmemeval

from sojourn.memory.embeddings.choosing import default_embedders
from sojourn.memory.embeddings.protocol import Embedder
from sojourn.memory.index.chunking import texts_to_embed
from sojourn.memory.index.document import Found
from sojourn.memory.index.protocol import SearchIndex
from sojourn.memory.index.question import read_question
from sojourn.memory.index.search import Search
from sojourn.memory.index.sqlite_index import SqliteIndex
from sojourn.model.ids import DEFAULT_TENANT, Seq

CACHE: Final = Path(__file__).parent / ".cache"
DEPTH: Final = 20
SESSION_DEPTH: Final = 100
QUICK_QUESTIONS: Final = 200
QUICK_SHARE: Final = 5
"""A quick run reads one in so many questions of LongMemEval, because embedding all of its sessions takes minutes."""
BATCH: Final = 256
FUSION_OFFSET: Final = 60

Place = tuple[str, int]
Look = Callable[[Asked], Awaitable[list[Place]]]


class KeptVectors:
    """An embedder for the texts of a data set, whose rows are kept in a file from run to run."""

    def __init__(self, embedder: Embedder, folder: Path = CACHE) -> None:
        self._embedder = embedder
        self._file = folder / f"{embedder.name}.npz"
        self._rows: dict[bytes, Any] = {}
        self._changed = False
        if self._file.exists():
            with np.load(self._file) as kept:
                self._rows = dict(zip([bytes(key) for key in kept["keys"]], kept["rows"], strict=True))

    def embed(self, texts: Sequence[str]) -> Any:
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest().encode() for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._rows}
        if missing:
            self._rows.update(zip(missing, self._embedder.embed(list(missing.values())), strict=True))
            self._changed = True
        return np.stack([self._rows[key] for key in keys])

    def save(self) -> None:
        """Write the rows to their file if there are new ones."""
        if self._changed:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            np.savez(self._file, keys=np.array(list(self._rows)), rows=np.stack(list(self._rows.values())))
            self._changed = False


async def fill(index: SearchIndex, conversations: Conversations, embedders: Iterable[Embedder]) -> None:
    """Index every session and embed every document."""
    for talk in conversations.talks:
        through = Seq(len(talk.documents))
        await index.add(talk.key, after=Seq(0), through=through, documents=talk.documents)
    for embedder in embedders:
        kept = KeptVectors(embedder)
        while waiting := await index.without_vectors(embedder.name, BATCH):
            texts = [texts_to_embed(one.text) for one in waiting]
            everything = list(chain.from_iterable(texts))
            rows = iter(kept.embed(everything)) if everything else iter(())
            empty = np.zeros((0, embedder.dimensions), np.float32)
            vectors = [np.stack([next(rows) for _ in pieces]) if pieces else empty for pieces in texts]
            numbers = [one.number for one in waiting]
            await index.add_vectors(embedder.name, list(zip(numbers, vectors, strict=True)))
        kept.save()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one question went."""

    kind: str
    recalls: dict[int, float]
    reciprocal: float
    milliseconds: float


async def ask_all(asked: Iterable[Asked], look: Look) -> list[Outcome]:
    """Ask every question and compare what is found with its evidence."""
    outcomes = []
    for one in asked:
        started = time.perf_counter()
        found = await look(one)
        took = (time.perf_counter() - started) * 1000
        recalls = {depth: len(one.evidence & set(found[:depth])) / len(one.evidence) for depth in (5, 10, DEPTH)}
        first = next((1 / place for place, spot in enumerate(found, 1) if spot in one.evidence), 0.0)
        outcomes.append(Outcome(kind=one.kind, recalls=recalls, reciprocal=first, milliseconds=took))
    return outcomes


def summarize(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return the means of *outcomes*, and their times."""
    times = [one.milliseconds for one in outcomes]
    return {
        **{f"recall_{depth}": mean(one.recalls[depth] for one in outcomes) for depth in (5, 10, DEPTH)},
        "mrr": mean(one.reciprocal for one in outcomes),
        "p50_ms": median(times),
        "p95_ms": quantiles(times, n=20)[-1] if len(times) > 1 else times[0],
    }


def by_kind(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """Return the summary of each kind of question."""
    kinds = sorted({one.kind for one in outcomes})
    return {kind: summarize([one for one in outcomes if one.kind == kind]) for kind in kinds}


async def measure_locomo(data: Path, embedders: Sequence[Embedder], *, quick: bool) -> dict[str, Any]:
    """Return the summary for LoCoMo, by kind of question, and of other ways of looking."""
    conversations = read_locomo(data)
    asked = _some(conversations.asked) if quick else conversations.asked
    with tempfile.TemporaryDirectory() as folder:
        async with SqliteIndex(Path(folder) / "search.db", tenant=DEFAULT_TENANT) as index:
            await fill(index, conversations, embedders)
            find = _by_search(Search(index, embedders))
            # Models load, and caches fill, with the first questions.
            await ask_all(asked[:10], find)
            outcomes = await ask_all(asked, find)
            only_words = summarize(await ask_all(asked, _by_search(Search(index))))
            baselines = {name: summarize(await ask_all(asked, look)) for name, look in others(index, embedders).items()}
    return {
        "summary": summarize(outcomes),
        "kinds": by_kind(outcomes),
        "baselines": {"Search without embeddings": only_words, **baselines},
    }


def _some(asked: Sequence[Asked]) -> Sequence[Asked]:
    return asked[:: max(1, len(asked) // QUICK_QUESTIONS)]


def _by_search(search: Search) -> Look:
    async def look(one: Asked) -> list[Place]:
        hits = await search.find(one.question, one.where, limit=DEPTH, now=one.now)
        return [(hit.document.session_id, hit.document.seq) for hit in hits]

    return look


def others(index: SearchIndex, embedders: Sequence[Embedder]) -> dict[str, Look]:
    """Return plain ways of looking, to compare with: words alone, one model alone, and both as they come."""

    async def words(one: Asked) -> list[Found]:
        return await index.match(read_question(one.question).words, one.where, 100)

    async def nearest(one: Asked, embedder: Embedder) -> list[Found]:
        return await index.nearest(embedder.name, embedder.embed([one.question])[0], one.where, 100)

    async def places(found: Sequence[Found]) -> list[Place]:
        stored = await index.documents([one.number for one in found[:DEPTH]])
        return [(one.document.session_id, one.document.seq) for one in stored]

    async def by_words(one: Asked) -> list[Place]:
        return await places(await words(one))

    looks: dict[str, Look] = {"BM25 (FTS5)": by_words}
    for embedder in embedders:

        async def by_meaning(one: Asked, embedder: Embedder = embedder) -> list[Place]:
            return await places(await nearest(one, embedder))

        looks[embedder.name] = by_meaning
    if embedders:

        async def fused(one: Asked) -> list[Place]:
            return await places(fuse([await words(one), await nearest(one, embedders[0])]))

        looks[f"reciprocal rank fusion of BM25 and {embedders[0].name}"] = fused
    return looks


def fuse(lists: Iterable[Sequence[Found]]) -> list[Found]:
    """Return one list of several by plain reciprocal rank fusion."""
    scores: dict[int, float] = {}
    for found in lists:
        for rank, one in enumerate(found):
            scores[one.number] = scores.get(one.number, 0.0) + 1 / (FUSION_OFFSET + rank)
    return [Found(number=number, score=score) for number, score in sorted(scores.items(), key=lambda item: -item[1])]


async def measure_longmemeval(data: Path, embedders: Sequence[Embedder], *, quick: bool) -> dict[str, Any]:
    """Return for how many questions all, and any, evidence sessions are among the best five; by kind too."""
    conversations = read_longmemeval(data, every=QUICK_SHARE if quick else 1)
    with tempfile.TemporaryDirectory() as folder:
        async with SqliteIndex(Path(folder) / "search.db", tenant=DEFAULT_TENANT) as index:
            await fill(index, conversations, embedders)
            search = Search(index, embedders)

            async def find(one: Asked) -> list[Place]:
                hits = await search.find(one.question, one.where, limit=SESSION_DEPTH, now=one.now)
                return [(session, 0) for session in dict.fromkeys(hit.document.session_id for hit in hits)]

            outcomes = await ask_all(conversations.asked, find)
    kinds = sorted({one.kind for one in outcomes})
    return {
        "recall_all_5": _share_complete(outcomes),
        "recall_any_5": mean(one.recalls[5] > 0 for one in outcomes),
        "p50_ms": median(one.milliseconds for one in outcomes),
        "kinds": {kind: _share_complete([one for one in outcomes if one.kind == kind]) for kind in kinds},
    }


def _share_complete(outcomes: Sequence[Outcome]) -> float:
    return mean(one.recalls[5] >= 1 for one in outcomes)


def measure(data: Path, *, quick: bool) -> dict[str, Any]:
    """Measure retrieval on the data sets in *data*; *quick* asks a fifth of the questions."""
    chosen = default_embedders()
    locomo = asyncio.run(measure_locomo(data, chosen.embedders, quick=quick))
    longmemeval = asyncio.run(measure_longmemeval(data, chosen.embedders, quick=quick))
    summary = locomo["summary"]
    return {
        "figures": {
            "locomo_recall_5": summary["recall_5"],
            "locomo_recall_10": summary["recall_10"],
            "locomo_recall_20": summary[f"recall_{DEPTH}"],
            "locomo_mrr": summary["mrr"],
            "query_p50_ms": summary["p50_ms"],
            "lme_recall_all_5": longmemeval["recall_all_5"],
        },
        "detail": {
            "embedders": [embedder.name for embedder in chosen.embedders],
            "query_p95_ms": summary["p95_ms"],
            "kinds": locomo["kinds"],
            "baselines": locomo["baselines"],
            "longmemeval": longmemeval,
        },
    }


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    json.dump(measure(Path(sys.argv[1]), quick="--quick" in sys.argv), sys.stdout, indent=2)
