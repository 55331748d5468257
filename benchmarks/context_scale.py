"""What a context costs to build, whether that grows with the history, and how much of it a provider's cache keeps.

The talk is made up: words drawn with the frequencies that they have in real talk. Sessions of two sizes are asked in
turn, so that whatever else the machine does hits both alike.
"""

import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import chain, islice
from pathlib import Path
from statistics import median
from typing import Any, Final

from memory_scale import Language, make_sessions, read_language
from rounds import Case, alternate

import sojourn
from sojourn import Session, Settings, Sojourn, events
from sojourn.memory.embeddings.wordllama import WordLlamaEmbedder
from sojourn.model.knowledge import fact_id_of

SIZES: Final = ((1_000, 100), (100_000, 10_000))
QUICK_SIZES: Final = ((1_000, 100), (10_000, 1_000))
ROUNDS: Final = 150
QUICK_ROUNDS: Final = 60
TURNS: Final = 80
QUICK_TURNS: Final = 40
BUDGET: Final = 32_000
SYSTEM: Final = "You help two people to remember what they told each other. " * 60
BATCH: Final = 500


def _messages(language: Language, count: int) -> list[dict[str, Any]]:
    documents = islice(chain.from_iterable(made for _, made in make_sessions(language, count)), count)
    return [{"role": one.role, "name": one.speaker, "content": one.text, "at": one.at} for one in documents]


async def _filled(app: Sojourn, language: Language, messages: int, facts: int) -> Session:
    session = await app.ingest(_messages(language, messages), session_id=f"talk-{messages}", user_id=f"u{messages}")
    texts = [f"Fact {number}: {language.words[number % len(language.words)]} is known" for number in range(facts)]
    learned = [
        events.FactLearned(fact_id=fact_id_of(text), content=text, confidence=0.8, source="user") for text in texts
    ]
    for first in range(0, facts, BATCH):
        await session.append(*learned[first : first + BATCH])
    return session


@asynccontextmanager
async def _opened(language: Language, sizes: Sequence[tuple[int, int]]) -> AsyncIterator[tuple[Sojourn, list[Session]]]:
    settings = Settings(keep_profile="yes", learning="off")
    with tempfile.TemporaryDirectory() as folder:
        location = Path(folder) / "context.db"
        async with sojourn.open(location, settings=settings, embedders=[WordLlamaEmbedder()]) as app:
            sessions = [await _filled(app, language, *size) for size in sizes]
            await app.background.drain()
            await app.memory.embed()
            yield app, sessions


async def _turn(session: Session, question: str, number: int) -> None:
    await session.messages.user(f"{question} ({number})")
    await session.messages.assistant(f"That was told before, I think. ({number})")


async def _build_times(
    sessions: Sequence[Session], language: Language, *, retrieve: bool, rounds: int
) -> dict[str, Any]:
    """Return the samples of building the next context of each session, a turn after the last."""
    count = 0

    def question() -> str:
        nonlocal count
        count += 1
        return language.questions[count % len(language.questions)]

    def case(session: Session) -> Case:
        async def build(_: Any) -> None:
            await session.context(question(), retrieve=retrieve)

        async def go_on(_: Any) -> None:
            await _turn(session, "And then?", count)

        return Case(name=session.id, act=build, finish=go_on)

    return await alternate([case(session) for session in sessions], rounds=rounds)


async def _shared(session: Session, language: Language, turns: int) -> tuple[float, float]:
    """Return the share of tokens that consecutive contexts have in common, and how long one took to build."""
    shared = total = 0
    took = []
    for number in range(turns):
        question = language.questions[number % len(language.questions)]
        began = time.perf_counter()
        context = await session.context(question, system=SYSTEM, budget=BUDGET)
        took.append(time.perf_counter() - began)
        if number:
            shared += context.shared_prefix
            total += context.tokens.count
        await _turn(session, question, number)
    return shared / total, median(took) * 1000


async def measure(data: Path | None, *, quick: bool, note: Callable[[str], None]) -> dict[str, Any]:
    """Return the times of building contexts at two sizes, with and without a search, and the shared prefix."""
    language = read_language(data)
    sizes, rounds = (QUICK_SIZES, QUICK_ROUNDS) if quick else (SIZES, ROUNDS)
    note(f"  filling sessions of {' and '.join(f'{messages:,}' for messages, _ in sizes)} messages ...")
    async with _opened(language, sizes) as (_, sessions):
        alone = await _build_times(sessions, language, retrieve=False, rounds=rounds)
        searching = await _build_times(sessions, language, retrieve=True, rounds=rounds // 2)
        share, large_ms = await _shared(sessions[0], language, QUICK_TURNS if quick else TURNS)
    small, large = (session.id for session in sessions)
    return {
        "figures": {
            "build_p50_ms": alone[small].median * 1000,
            "build_growth": alone[large].median / alone[small].median,
            "build_with_search_100k_p50_ms": None if quick else searching[large].median * 1000,
            "shared_prefix": share,
        },
        "detail": {
            "language": language.source,
            "embedder": "wordllama",
            "without_search": {name: one.to_dict() for name, one in alone.items()},
            "with_search": {name: one.to_dict() for name, one in searching.items()},
            "with_search_32000_p50_ms": large_ms,
        },
    }
