"""How a search grows with the index: 1,000, 100,000 and 1,000,000 documents, by words, by meaning and by both.

The documents are made up: words drawn with the frequencies that they have in real talk, in texts of the same lengths,
each embedded for real. What is asked are real questions. An index that was built once is kept in `.cache`, because to
build the largest takes minutes; a search is measured in a process of its own, so that its memory is the search's.
"""

import asyncio
import hashlib
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np

from sojourn.memory.embeddings.wordllama import WordLlamaEmbedder
from sojourn.memory.index.document import Document, SessionKey, Where
from sojourn.memory.index.question import read_question
from sojourn.memory.index.search import Search
from sojourn.memory.index.sqlite_file import SCHEMA_VERSION, open_for_reading
from sojourn.memory.index.sqlite_frequencies import phrase
from sojourn.memory.index.sqlite_index import SqliteIndex
from sojourn.memory.index.vectors import Wanted
from sojourn.model.ids import DEFAULT_TENANT, Seq, SessionId

CACHE: Final = Path(__file__).parent / ".cache"
SIZES: Final = {"1k": 1000, "100k": 100_000, "1m": 1_000_000}
QUICK_SIZES: Final = {"1k": 1000, "20k": 20_000}
PER_SESSION: Final = 500
ADDED: Final = 20_000
ASKED: Final = 100
WIDTH: Final = 80
"""How many documents each way of looking is asked for."""
EVERYWHERE: Final = Where(everyone=True)
BEGINNING: Final = datetime(2024, 1, 1, tzinfo=UTC)


# --- what is said and asked


@dataclass(frozen=True, slots=True)
class Language:
    """Words with their frequencies, the lengths of texts, who speaks, and questions."""

    words: list[str]
    weights: np.ndarray[tuple[int], np.dtype[np.float64]]
    lengths: list[int]
    speakers: list[str]
    questions: list[str]
    source: str

    @property
    def fingerprint(self) -> str:
        told = json.dumps([self.words, self.weights.tolist(), self.lengths, self.speakers])
        return hashlib.sha256(told.encode()).hexdigest()[:12]


def read_language(data: Path | None) -> Language:
    """Return the language of the LoCoMo conversations in *data*, or an invented one if they are not there."""
    file = None if data is None else data / "locomo" / "locomo_dev.json"
    if file is None or not file.exists():
        return invented_language()
    samples = json.loads(file.read_text("utf-8"))
    turns = [
        turn
        for sample in samples
        for part in sample["conversation"].values()
        if isinstance(part, list)
        for turn in part
        if turn.get("text")
    ]
    questions = [asked["question"] for sample in samples for asked in sample["qa"]]
    speakers = sorted({turn["speaker"] for turn in turns})
    return _language([turn["text"] for turn in turns], speakers, questions, "LoCoMo, development half")


def invented_language() -> Language:
    """Return 4,000 made-up words with the frequencies of Zipf's law, and questions of them."""
    random = np.random.default_rng(7)
    syllables = ["ba", "ko", "ri", "ten", "mu", "sa", "lo", "vi", "den", "qua", "fel", "or", "pim", "ze", "hu", "nar"]
    words = ["".join(random.choice(syllables, 2 + number % 3)) + str(number) for number in range(4000)]
    weights = 1 / (np.arange(4000) + 2.7)
    questions = [" ".join(random.choice(words[40:], 4)) + "?" for _ in range(ASKED)]
    lengths = [int(one) for one in random.integers(3, 45, 500)]
    return Language(words, weights / weights.sum(), lengths, ["Ada", "Bruno"], questions, "invented, Zipf's law")


def _language(texts: Sequence[str], speakers: list[str], questions: list[str], source: str) -> Language:
    counts = Counter(word for text in texts for word in text.split())
    weights = np.array(list(counts.values()), np.float64)
    lengths = [len(text.split()) for text in texts]
    return Language(list(counts), weights / weights.sum(), lengths, speakers, questions, source)


def make_sessions(language: Language, count: int) -> Iterator[tuple[SessionKey, list[Document]]]:
    """Yield sessions of `PER_SESSION` messages, *count* messages in all; the same each time."""
    random = np.random.default_rng(11)
    for number, first in enumerate(range(0, count, PER_SESSION)):
        session_id = SessionId(f"session-{number}")
        lengths = random.choice(language.lengths, min(PER_SESSION, count - first))
        drawn = iter(random.choice(len(language.words), int(lengths.sum()), p=language.weights).tolist())
        documents = [
            Document(
                session_id=session_id,
                seq=Seq(place + 1),
                kind="message",
                text=" ".join(language.words[next(drawn)] for _ in range(length)),
                at=BEGINNING + timedelta(minutes=first + place),
                role="user" if place % 2 else "assistant",
                speaker=language.speakers[(number + place) % len(language.speakers)],
                place=place,
            )
            for place, length in enumerate(lengths.tolist())
        ]
        yield SessionKey(session_id=session_id), documents


# --- building


async def add_documents(path: Path, language: Language, count: int) -> float:
    """Add *count* documents to the index at *path*; return the milliseconds that one took."""
    spent = 0.0
    async with SqliteIndex(path, tenant=DEFAULT_TENANT) as index:
        for key, documents in make_sessions(language, count):
            began = time.perf_counter()
            assert await index.add(key, after=Seq(0), through=Seq(len(documents)), documents=documents)
            spent += time.perf_counter() - began
    return spent / count * 1000


async def add_vectors(path: Path, embedder: WordLlamaEmbedder) -> tuple[float, float]:
    """Embed every document; return the milliseconds that embedding one took, and keeping its vector."""
    embedding = keeping = 0.0
    count = 0
    async with SqliteIndex(path, tenant=DEFAULT_TENANT) as index:
        while waiting := await index.without_vectors(embedder.name, 5000):
            began = time.perf_counter()
            rows = embedder.embed([one.text for one in waiting])
            embedded = time.perf_counter()
            given = [(one.number, rows[place : place + 1]) for place, one in enumerate(waiting)]
            await index.add_vectors(embedder.name, given)
            embedding += embedded - began
            keeping += time.perf_counter() - embedded
            count += len(waiting)
    return embedding / count * 1000, keeping / count * 1000


def built(language: Language, count: int) -> tuple[Path, dict[str, float]]:
    """Return an index of *count* documents with vectors, built now or before, and what building it took."""
    CACHE.mkdir(exist_ok=True)
    path = CACHE / f"scale-{count}-{language.fingerprint}-v{SCHEMA_VERSION}.db"
    notes = path.with_suffix(".json")
    if not notes.exists():
        for one in CACHE.glob(f"{path.name}*"):
            one.unlink()
        added = asyncio.run(add_documents(path, language, count))
        embedding, keeping = asyncio.run(add_vectors(path, WordLlamaEmbedder()))
        took = {"add_ms": added, "embed_ms": embedding, "add_vector_ms": keeping}
        notes.write_text(json.dumps(took), "utf-8")
    took = json.loads(notes.read_text("utf-8"))
    return path, {**took, "file_mib": path.stat().st_size / 2**20}


# --- looking, in a process of its own


async def look(path: Path, questions: Sequence[str]) -> dict[str, float]:
    """Ask the index at *path* in every way; return the milliseconds and the memory."""
    embedder = WordLlamaEmbedder()
    vectors = [*embedder.embed(list(questions))]
    words = [read_question(question).words for question in questions]
    async with SqliteIndex(path, tenant=DEFAULT_TENANT) as index:
        search = Search(index, [embedder])
        memory_before = _peak_mib()
        loading = await _each(lambda vector: index.nearest(embedder.name, vector, EVERYWHERE, WIDTH), vectors[:1])
        figures = {"load_vectors_ms": loading[0]}
        # Once without a clock: what is measured is an index in use, with the common words counted.
        await _each(lambda asked: index.match(asked, EVERYWHERE, WIDTH), words)
        ways: dict[str, list[float]] = {
            "match": await _each(lambda asked: index.match(asked, EVERYWHERE, WIDTH), words),
            "nearest": await _each(lambda vector: index.nearest(embedder.name, vector, EVERYWHERE, WIDTH), vectors),
            "hybrid": await _each(lambda question: search.find(question, EVERYWHERE), questions),
        }
        figures |= _first_pass(index, vectors[:20])
    ways["plain_fts5_or"] = _plain(path, words)
    for name, times in ways.items():
        figures[f"{name}_p50_ms"], figures[f"{name}_p95_ms"] = np.percentile(times, [50, 95]).tolist()
    return {**figures, "memory_mib": _peak_mib(), "memory_before_mib": memory_before}


def _first_pass(index: SqliteIndex, vectors: Sequence[Any]) -> dict[str, float]:
    """Return the share of the vectors that is compared exactly, and of the nearest `WIDTH` that are among these."""
    assert index._nearest is not None
    [copy] = index._nearest._copies.values()
    table, limit = copy.table, copy.table._exact_rows
    if len(table) <= limit:
        return {"compared_exactly": 1.0, "nearest_kept": 1.0}
    kept = 0
    for vector in vectors:
        found = {number for number, _ in islice(table.nearest(vector, Wanted()), WIDTH)}
        table._exact_rows = len(table)
        kept += len(found & {number for number, _ in islice(table.nearest(vector, Wanted()), WIDTH)})
        table._exact_rows = limit
    return {"compared_exactly": table.candidates / len(table), "nearest_kept": kept / (WIDTH * len(vectors))}


async def _each(ask: Callable[[Any], Awaitable[Any]], asked: Sequence[Any]) -> list[float]:
    times = []
    for one in asked:
        began = time.perf_counter()
        await ask(one)
        times.append((time.perf_counter() - began) * 1000)
    return times


def _plain(path: Path, words: Sequence[Sequence[str]]) -> list[float]:
    """Ask FTS5 for any of the words, ranked by BM25, as its manual shows it."""
    connection = open_for_reading(path)
    times = []
    for asked in words:
        began = time.perf_counter()
        expression = " OR ".join(phrase(word) for word in asked)
        connection.execute(
            "SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (expression, WIDTH)
        ).fetchall()
        times.append((time.perf_counter() - began) * 1000)
    connection.close()
    return times


def _peak_mib() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


# --- the whole


def measure(data: Path | None, *, quick: bool) -> dict[str, Any]:
    """Return what a search and an addition take, as `figures`, and all that was measured, as `detail`."""
    language = read_language(data)
    step = max(len(language.questions) // ASKED, 1)
    questions = [one for one in language.questions[::step] if re.search(r"\w", one)][:ASKED]
    with tempfile.TemporaryDirectory() as folder:
        added = asyncio.run(add_documents(Path(folder) / "added.db", language, ADDED))
    detail: dict[str, Any] = {"language": language.source, "questions": len(questions)}
    figures = {"index_add_ms": added}
    for name, count in (QUICK_SIZES if quick else SIZES).items():
        path, building = built(language, count)
        detail[name] = {**_look_apart(path, questions), **building}
        if name != "1k":
            figures[f"search_{name}_p50_ms"] = detail[name]["hybrid_p50_ms"]
    return {"figures": figures, "detail": detail}


def _look_apart(path: Path, questions: Sequence[str]) -> dict[str, float]:
    asked = json.dumps([str(path), *questions])
    done = subprocess.run(
        [sys.executable, __file__, "--look"], input=asked, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main(arguments: list[str]) -> None:
    """Print what was measured: `memory_scale.py [--quick] [DATA]`."""
    if arguments == ["--look"]:
        path, *questions = json.load(sys.stdin)
        print(json.dumps(asyncio.run(look(Path(path), questions))))
        return
    folders = [Path(one) for one in arguments if not one.startswith("--")]
    print(json.dumps(measure(folders[0] if folders else None, quick="--quick" in arguments), indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
