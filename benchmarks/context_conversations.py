"""Long conversations as sessions, and whether a context for a question about them holds the evidence.

Each conversation of LoCoMo is ingested as one session, learned from, indexed and embedded as in the product; then each
question is asked, and the turns that hold its answer are looked for, to the letter, in the context.
"""

import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from statistics import fmean, median
from typing import Any, Final

from memory_conversations import Asked, Talk, read_locomo
from memory_retrieval import KeptVectors

import sojourn
from sojourn import Session, Settings, Sojourn
from sojourn.context.context import Context
from sojourn.context.tokens import CharacterCounter
from sojourn.memory.embeddings.choosing import default_embedders
from sojourn.memory.embeddings.protocol import Embedder
from sojourn.memory.index.document import Part, Where
from sojourn.memory.index.question import read_question

BUDGETS: Final = (1_000, 2_000, 4_000)
WATCHED: Final = 2_000
SYSTEM: Final = "You answer questions about what two people told each other. Say so if you do not know."
LAST: Final = 20
QUICK_QUESTIONS: Final = 150
COUNTER: Final = CharacterCounter()


class KeptEmbedder:
    """An embedder whose vectors of the texts are kept from run to run; once *live*, it makes every vector anew."""

    def __init__(self, embedder: Embedder) -> None:
        self.live = False
        self._embedder = embedder
        self._kept = KeptVectors(embedder)

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Any:
        return self._embedder.embed(texts) if self.live else self._kept.embed(texts)

    def go_live(self) -> None:
        """Keep what was made, and make everything anew from now on."""
        self._kept.save()
        self.live = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One conversation: its turns as (speaker, text, day), and questions with the numbers of the turns they rest on."""

    name: str
    turns: tuple[tuple[str, str, Any], ...]
    asked: tuple[tuple[str, frozenset[int]], ...]

    @property
    def tokens(self) -> int:
        """What all of it costs."""
        return sum(COUNTER.count(text) + 4 for _, text, _ in self.turns)


def read_told(data: Path, *, quick: bool) -> list[Told]:
    """Read LoCoMo: all sessions of a pair of people are one conversation."""
    found = read_locomo(data)
    talks: dict[str, list[Talk]] = defaultdict(list)
    for talk in found.talks:
        talks[talk.key.user_id or ""].append(talk)
    asked: dict[str, list[Asked]] = defaultdict(list)
    step = max(1, len(found.asked) // QUICK_QUESTIONS) if quick else 1
    for one in found.asked[::step]:
        asked[one.where.user_id or ""].append(one)
    return [_told(name, parts, asked[name]) for name, parts in talks.items()]


def _told(name: str, talks: Iterable[Talk], asked: Iterable[Asked]) -> Told:
    documents = [document for talk in talks for document in talk.documents]
    places = {(one.session_id, one.seq): number for number, one in enumerate(documents)}
    return Told(
        name=name,
        turns=tuple((one.speaker or "", one.text, one.at) for one in documents),
        asked=tuple((one.question, frozenset(places[place] for place in one.evidence)) for one in asked),  # type: ignore[index]
    )


@asynccontextmanager
async def ingested(told: Sequence[Told], *, learning: bool = True) -> AsyncIterator[tuple[Sojourn, list[Session]]]:
    """Open an app in memory that holds the conversations, learned from, indexed and embedded."""
    embedders = [KeptEmbedder(one) for one in default_embedders().embedders]
    settings = Settings(keep_profile="yes", learning="rules" if learning else "off")
    async with sojourn.open("memory:", settings=settings, embedders=embedders) as app:
        sessions = []
        for one in told:
            first = one.turns[0][0]
            messages = [
                {"role": "user" if speaker == first else "assistant", "name": speaker, "content": text, "at": at}
                for speaker, text, at in one.turns
            ]
            sessions.append(await app.ingest(messages, session_id=one.name, user_id=one.name))
        await app.background.drain()
        await app.memory.catch_up()
        await app.memory.embed()
        for embedder in embedders:
            embedder.go_live()
        yield app, sessions


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one question went."""

    recall: float
    precision: float | None
    tokens: int
    saved: float
    milliseconds: float


def everything(context: Context) -> str:
    """Return all that a model would read."""
    return "\n".join([context.system, *[message.text for message in context.messages]])


async def ask(session: Session, told: Told, question: str, evidence: frozenset[int], budget: int) -> Outcome:
    """Build the context for one question and compare it with its evidence."""
    started = time.perf_counter()
    context = await session.context(question, system=SYSTEM, budget=budget)
    took = (time.perf_counter() - started) * 1000
    read = everything(context)
    days = {told.turns[number][2].date() for number in evidence}
    return Outcome(
        recall=fmean(told.turns[number][1] in read for number in evidence),
        precision=_precision(context, told, days),
        tokens=context.tokens.count,
        saved=1 - context.tokens.count / told.tokens,
        milliseconds=took,
    )


def _precision(context: Context, told: Told, days: set[date]) -> float | None:
    """Return the share of the messages found that are from a day on which evidence was said."""
    items = [item for section in context.sections if section.name == "retrieved" for item in section.items]
    if not items:
        return None
    # Entry 1 of an ingested session is its beginning; the first turn is entry 2.
    return fmean(told.turns[item.seqs[0] - 2][2].date() in days for item in items)


# --- other ways, to compare with


def last_that_fit(told: Told, budget: int) -> set[int]:
    """Return the numbers of the last turns that cost at most *budget*."""
    numbers: set[int] = set()
    for number in range(len(told.turns) - 1, -1, -1):
        budget -= COUNTER.count(told.turns[number][1]) + 4
        if budget < 0:
            break
        numbers.add(number)
    return numbers


async def best_by_words(app: Sojourn, session: Session, told: Told, question: str, budget: int) -> set[int]:
    """Return the numbers of the turns that plain BM25 ranks first, as many as fit."""
    index = await app.memory.index()
    where = Where(parts=(Part(session_id=session.id),), kinds=("message",))
    found = await index.match(read_question(question).words, where, 100)
    numbers: set[int] = set()
    for stored in await index.documents([one.number for one in found]):
        number = stored.document.seq - 2
        budget -= COUNTER.count(told.turns[number][1]) + 4
        if budget < 0:
            break
        numbers.add(number)
    return numbers


async def _baselines(app: Sojourn, sessions: Sequence[Session], told: Sequence[Told]) -> dict[str, dict[str, float]]:
    recalls: dict[str, list[float]] = defaultdict(list)
    for session, one in zip(sessions, told, strict=True):
        last = last_that_fit(one, WATCHED)
        for question, evidence in one.asked:
            words = await best_by_words(app, session, one, question, WATCHED)
            for name, numbers in (("last messages", last), ("BM25", words)):
                recalls[name].append(len(evidence & numbers) / len(evidence))
    full = fmean(one.tokens for one in told)
    return {
        **{name: {"evidence_recall": fmean(found), "tokens": WATCHED} for name, found in recalls.items()},
        "full history": {"evidence_recall": 1.0, "tokens": full},
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """How much of the evidence is left once a summary stands for the older messages."""

    recall: float
    summary_and_last: dict[str, float]


async def _after_compaction(sessions: Sequence[Session], told: Sequence[Told]) -> Compacted | None:
    """Return how much of the evidence contexts hold then, and how much the summary and the last messages alone."""
    try:
        from sojourn.engine.compacting import ContextCompactor
    except ImportError:
        return None
    recalls, plain, costs = [], [], []
    for session, one in zip(sessions, told, strict=True):
        await ContextCompactor(session).compact(force=True)
        read = "\n".join([session.state.working_set.summary, *[text for _, text, _ in one.turns[-LAST:]]])
        costs.append(COUNTER.count(read))
        for question, evidence in one.asked:
            recalls.append((await ask(session, one, question, evidence, WATCHED)).recall)
            plain.append(fmean(one.turns[number][1] in read for number in evidence))
    both = {"evidence_recall": fmean(plain), "tokens": fmean(costs)}
    return Compacted(recall=fmean(recalls), summary_and_last=both)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


async def measure(data: Path, *, quick: bool, note: Callable[[str], None]) -> dict[str, Any]:
    """Return how much of the evidence contexts of each budget hold, and what other ways hold."""
    told = read_told(data, quick=quick)
    outcomes: dict[int, list[Outcome]] = defaultdict(list)
    async with ingested(told) as (app, sessions):
        for budget in BUDGETS:
            note(f"  {budget:,} tokens ...")
            for session, one in zip(sessions, told, strict=True):
                for question, evidence in one.asked:
                    outcomes[budget].append(await ask(session, one, question, evidence, budget))
        baselines = await _baselines(app, sessions, told)
        note("  after a compaction ...")
        compacted = await _after_compaction(sessions, told)
        if compacted is not None:
            baselines["a summary and the last 20 messages"] = compacted.summary_and_last
        facts = [len(session.state.knowledge_base.with_status()) for session in sessions]
    watched = outcomes[WATCHED]
    recall = fmean(one.recall for one in watched)
    last = baselines["last messages"]["evidence_recall"]
    return {
        "figures": {
            **{f"evidence_recall_{budget}": fmean(one.recall for one in outcomes[budget]) for budget in BUDGETS},
            "all_evidence_2000": fmean(one.recall >= 1 for one in watched),
            "over_last_n_2000": recall / last if last else None,
            "tokens_saved": fmean(one.saved for one in watched),
            "context_precision": _mean(one.precision for one in watched),
            "recall_after_compaction_delta": None if compacted is None else compacted.recall - recall,
            "build_with_search_1k_p50_ms": median(one.milliseconds for one in watched),
        },
        "detail": {
            "questions": len(watched),
            "facts_learned": facts,
            "tokens_used": {budget: fmean(one.tokens for one in outcomes[budget]) for budget in BUDGETS},
            "baselines": {
                f"Sojourn at {WATCHED:,}": {"evidence_recall": recall, "tokens": fmean(one.tokens for one in watched)},
                **baselines,
            },
        },
    }
