"""Finds the documents that answer a question, over any index and with whatever embedding models there are.

Three ways of looking bring the candidates: words, parts of words, and meaning. Their neighbours in the talk join them,
because an answer often has none of the question's words: they stand in what was asked before it. Then `Ranking`
decides; if the question asks for all of a kind, it looks once more with what is like the best hits. Search goes on by
words when a model fails.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import msgspec

from sojourn.errors import EmbeddingError, MissingExtraError
from sojourn.memory.embeddings.on_thread import embed_on_thread
from sojourn.memory.embeddings.protocol import Embedder
from sojourn.memory.index.document import Document, Found, Hit, Where
from sojourn.memory.index.likeness import Asked, judge_likeness
from sojourn.memory.index.protocol import SearchIndex
from sojourn.memory.index.question import Question, read_question
from sojourn.memory.index.ranking import Candidate, Judged, Ranked, Ranking, Reach, rarity
from sojourn.memory.index.snippet import make_snippet
from sojourn.memory.index.spotting import Spotter

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

WIDTH: Final = 80
"""How many documents each way of looking brings."""
NARROW_WIDTH: Final = 20
"""How many documents each way brings from a time that the question names."""
MAX_COUNTED: Final = 64
"""How many terms of a question are counted: the rarest."""

_log: Final = logging.getLogger(__name__)
_FAILED: Final[set[str]] = set()
"""The models whose failure is in the log already."""


class Search:
    """Finds documents in *index*. Holds nothing but its arguments, so it may be made anew for each question.

    Args:
        index: where to look. It is used, not opened or closed.
        embedders: the models by which to look for meaning; the vectors of each are in the index or will be.
    """

    def __init__(self, index: SearchIndex, embedders: Sequence[Embedder] = ()) -> None:
        self._index = index
        self._embedders = tuple(embedders)

    async def find(
        self,
        question: str,
        where: Where,
        *,
        limit: int = 10,
        now: datetime | None = None,
        tail: Sequence[Document] = (),
        by_words: bool = False,
        whole: int = 0,
    ) -> list[Hit]:
        """Return the *limit* documents that answer *question* best, best first.

        Args:
            question: any text.
            where: what may be found.
            limit: how many at most.
            now: what "last week" is counted from; without it such words are only words.
            tail: documents that may be found and are not indexed yet. They are ranked with the others, by their words.
            by_words: leave out what holds no word of the question, however well it answers: somebody looks for a word.
            whole: a text of at most so many characters is its own snippet.
        """
        asked = read_question(question, now=now)
        gathered = await self._gather(asked, where, tail)
        candidates = await self._candidates(gathered, where, tail)
        if by_words:
            spotter = Spotter(asked.terms)
            candidates = [
                one if not one.eligible or any(spotter.counts(one.document.text)) else replace(one, eligible=False)
                for one in candidates
            ]
        ranking = gathered.ranking()
        judged = await self._judge(gathered, ranking, candidates)
        return _hits(ranking.ranked(judged, limit=limit), gathered, whole=whole)

    async def _gather(self, question: Question, where: Where, tail: Sequence[Document]) -> "_Gathered":
        # What is found by the name of who speaks is mostly what the others say to them. Who speaks is known only from
        # what is found; so what looks like a name is left out at first, and looked for if nobody is called so.
        gathered = _Gathered(question=question.without(question.capitalised()))
        await self._look_for_words(gathered, where)
        speakers = {one.speaker for one in (*gathered.documents.values(), *tail) if one.speaker}
        gathered.speakers = question.named(speakers)
        sought = {term.text for term in gathered.question.terms}
        gathered.question = question.without(gathered.speakers)
        missed = [term.text for term in gathered.question.terms if term.text not in sought and term.stems]
        if missed:
            await self._fetch(gathered, await self._index.match(missed, where, WIDTH))
        gathered.rarities = await self._rarities(gathered, tail)
        for embedder in self._embedders:
            await self._look_for_meaning(gathered, embedder, where)
        for narrower in _in_periods(gathered.question, where):
            await self._look_once_more(gathered, narrower)
        return gathered

    async def _look_for_words(self, gathered: "_Gathered", where: Where) -> None:
        words, parts = gathered.question.words, gathered.question.parts
        found = await self._index.match(words[:MAX_COUNTED], where, WIDTH) if words else []
        found += await self._index.match_parts(parts[:MAX_COUNTED], where, WIDTH) if parts else []
        await self._fetch(gathered, found)

    async def _look_for_meaning(self, gathered: "_Gathered", embedder: Embedder, where: Where) -> None:
        try:
            if not await self._index.has_vectors(embedder.name):
                return  # a model takes a while to load, and there is nothing to compare with
            rows = await embed_on_thread(embedder, [gathered.question.text])
        except Exception as error:  # noqa: BLE001 - an embedder may be anybody's code; search goes on by words
            _report(embedder.name, error)
            return
        try:
            found = await self._index.nearest(embedder.name, rows[0], where, WIDTH)
        except (EmbeddingError, MissingExtraError) as error:
            _report(embedder.name, error)
            return
        if found:
            await self._fetch(gathered, found)
            reach = Reach(best=found[0].score, last=found[-1].score)
            cosines = {one.number: one.score for one in found}
            gathered.looks.append(_Look(name=embedder.name, vector=rows[0], reach=reach, cosines=cosines))

    async def _look_once_more(self, gathered: "_Gathered", where: Where) -> None:
        """Bring candidates from a time that the question names, however many better ones there are of other times."""
        words = gathered.question.words[:MAX_COUNTED]
        await self._fetch(gathered, await self._index.match(words, where, NARROW_WIDTH) if words else [])
        for look in gathered.looks:
            await self._fetch(gathered, await self._index.nearest(look.name, look.vector, where, NARROW_WIDTH))

    async def _fetch(self, gathered: "_Gathered", found: Iterable[Found]) -> None:
        new = [one.number for one in found if one.number not in gathered.documents]
        if new:
            stored = await self._index.documents(new)
            gathered.documents.update((one.number, one.document) for one in stored)

    async def _rarities(self, gathered: "_Gathered", tail: Sequence[Document]) -> list[float]:
        """Return how much each term tells, and leave of the question only the rarest."""
        terms = gathered.question.terms
        total, holding = await self._index.frequencies([term.text for term in terms]) if terms else (0, [])
        # The index does not know of the tail, nor of every part of a word.
        unknown = [number for number, known in enumerate(holding) if not known]
        spotter = Spotter([terms[number] for number in unknown])
        texts = [document.text for document in (*gathered.documents.values(), *tail)] if unknown else []
        counted = [spotter.counts(text) for text in texts]
        here = {number: sum(1 for counts in counted if counts[place]) for place, number in enumerate(unknown)}
        held = [known or here[number] for number, known in enumerate(holding)]
        rarities = [rarity(total + len(tail), one) for one in held]
        if len(terms) > MAX_COUNTED:
            kept = sorted(sorted(range(len(terms)), key=lambda number: (held[number] == 0, held[number]))[:MAX_COUNTED])
            gathered.question = gathered.question.only(kept)
            rarities = [rarities[number] for number in kept]
        return rarities

    async def _candidates(self, gathered: "_Gathered", where: Where, tail: Sequence[Document]) -> list[Candidate]:
        core = list(gathered.documents)
        beside = await self._index.around(core, before=2, after=1) if core else {}
        everything = dict(gathered.documents)
        for neighbours in beside.values():
            everything.update((one.number, one.document) for one in neighbours)
        for look in gathered.looks:
            unknown = [number for number in everything if number not in look.cosines]
            if unknown:
                look.cosines |= await self._index.similarities(look.name, look.vector, unknown)
        candidates = [
            Candidate(
                document=document,
                number=number,
                eligible=number in gathered.documents or is_within(document, where),
                cosines=tuple(look.cosines.get(number) for look in gathered.looks),
            )
            for number, document in everything.items()
        ]
        indexed = {(one.session_id, one.seq, one.fact_id) for one in everything.values()}
        fresh = [one for one in tail if (one.session_id, one.seq, one.fact_id) not in indexed]
        return candidates + [Candidate(document=document) for document in fresh]

    async def _judge(self, gathered: "_Gathered", ranking: Ranking, candidates: Sequence[Candidate]) -> list[Judged]:
        judged = ranking.judge(candidates)
        if gathered.question.asks_for_all:
            asked = [Asked(look.name, look.vector) for look in gathered.looks]
            await judge_likeness(self._index, ranking, judged, asked=asked)
        return judged


@dataclass(slots=True, kw_only=True)
class _Look:
    """One model's look at the index."""

    name: str
    vector: "NDArray[float32]"
    reach: Reach
    cosines: dict[int, float]


@dataclass(slots=True, kw_only=True)
class _Gathered:
    """What is known so far about a question and its candidates."""

    question: Question
    documents: dict[int, Document] = field(default_factory=dict)
    speakers: frozenset[str] = frozenset()
    rarities: list[float] = field(default_factory=list)
    looks: list[_Look] = field(default_factory=list)

    def ranking(self) -> Ranking:
        return Ranking(
            self.question,
            rarities=self.rarities,
            speakers=self.speakers,
            reaches=[look.reach for look in self.looks],
        )


def _in_periods(question: Question, where: Where) -> Iterator[Where]:
    for period in question.periods:
        if period.since is None or period.until is None:
            continue
        since, until = (
            moment if moment.tzinfo else moment.replace(tzinfo=UTC) for moment in (period.since, period.until)
        )
        yield msgspec.structs.replace(
            where,
            since=max(since, where.since) if where.since else since,
            until=min(until, where.until) if where.until else until,
        )


def _in_a_zone(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def is_within(document: Document, where: Where) -> bool:
    """Tell whether *document* of a session that may be searched meets the conditions of *where* on documents."""
    parts = where.parts
    return (
        (
            parts is None
            or any(
                part.session_id == document.session_id
                and part.first <= document.seq
                and (part.last is None or document.seq <= part.last)
                for part in parts
            )
        )
        and document.kind in where.kinds
        and (not where.roles or document.role in where.roles)
        and (where.since is None or document.at >= where.since)
        and (where.until is None or document.at <= where.until)
    )


def _hits(ranked: Iterable[Ranked], gathered: _Gathered, *, whole: int) -> list[Hit]:
    spotter = Spotter(gathered.question.terms)
    hits = []
    for one in ranked:
        snippet, highlights = one.document.text, tuple[tuple[int, int], ...]()
        if len(snippet) > whole:
            snippet, highlights = make_snippet(snippet, spotter, weights=gathered.rarities)
        hits.append(
            Hit(
                document=one.document,
                score=one.score,
                snippet=snippet,
                highlights=highlights,
                reasons=one.reasons,
            )
        )
    return hits


def _report(model: str, error: Exception) -> None:
    if model not in _FAILED:
        _FAILED.add(model)
        _log.warning("search goes on without %s: %s", model, error)
