"""Questions that are researched: `session.research`.

A research is a run of events in the journal. `LiveResearch` appends them and keeps a `ResearchProgressTracker` that
follows; after a restart `active` makes the same tracker again from the entries since the research began. Every event
is derived from the one that began the research, so that forgetting the question forgets the research.
"""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import anyio
import msgspec

from sojourn.engine.inputs import MAX_NAME, check_text
from sojourn.engine.live import Live
from sojourn.engine.nouns.live_research import LiveResearch, read_between
from sojourn.errors import AccessError, InvalidInputError, NotFoundError
from sojourn.model.entry import Draft
from sojourn.model.events import FactLearned, FactStatus, ResearchEnded, ResearchStarted
from sojourn.model.ids import Seq
from sojourn.model.knowledge import fact_id_of
from sojourn.model.learning import learning
from sojourn.model.progress import cut_result
from sojourn.model.reasoning import ComplexityAnalysis
from sojourn.model.research import ResearchHeader
from sojourn.model.tracker import ResearchProgressTracker, track
from sojourn.model.wording import says_the_same

CONFIDENCE = 0.9
"""How sure a session is of what a research found."""
_MAX_FACT = 9_900
"""Characters of a finding that become a fact: with the note on what is cut it is still one."""


class ResearchNoun:
    """Begins and ends research, and gives back what was researched before."""

    def __init__(self, session: Live) -> None:
        self._session = session

    @property
    def history(self) -> tuple[ResearchHeader, ...]:
        """The last 10 that ended, oldest first."""
        return self._session.state.research_history

    async def start(
        self,
        query: str,
        complexity: ComplexityAnalysis | dict[str, Any] | None = None,
        *,
        causes: Iterable[int] = (),
    ) -> LiveResearch:
        """Begin to research a question. If another research is going on, it is ended first, without an answer.

        Raises:
            InvalidInputError: the question is empty or too long, or *complexity* is not an analysis.
        """
        check_text(query, "a question")
        analysis = _checked_complexity(complexity)
        await self.end()
        event = ResearchStarted(research_id=self._new_id(query), query=query, complexity=analysis.to_dict())
        receipt = await self._session.append(event, causes=causes)
        tracker = ResearchProgressTracker.begin(receipt.entries[0])
        return LiveResearch(self._session, tracker, through=receipt.last, epoch=receipt.epoch)

    async def active(self) -> LiveResearch | None:
        """Return the research that is going on, made from the entries since it began; None if there is none."""
        research = self._session.state.active_research
        if research is None:
            return None
        return await LiveResearch.load(self._session, research.research_id, seq=research.seq)

    async def end(self, response: str | None = None, *, causes: Iterable[int] = ()) -> ResearchHeader | None:
        """End the research that is going on, if any, and return what remains of it in the state.

        In the same append its confirmed facts and what its completed steps found become facts of the session, with
        source `research`, each derived from the entries that say so. They are candidates, not accepted, if the last
        attempt was judged not good enough, or was given up before anybody judged it.
        """
        research = await self.active()
        if research is None:
            return None
        tracker = research.tracker
        ended = ResearchEnded(research_id=tracker.research_id, response=response)
        seqs = tuple(Seq(seq) for seq in causes)
        await self._session.append(
            *self._promoted(tracker, response), Draft(event=ended, causes=tuple(dict.fromkeys((tracker.seq, *seqs))))
        )
        return next((one for one in reversed(self.history) if one.research_id == tracker.research_id), None)

    async def get(self, research_id: str) -> ResearchProgressTracker:
        """Return a research, going on or ended, whole.

        One of the last 10 is read by its place; an older one is looked for from the journal's beginning.

        Raises:
            NotFoundError: this session has no such research.
        """
        check_text(research_id, "a research's id", most=MAX_NAME)
        after, through = self._place(research_id)
        entries = await read_between(self._session, after=after, through=through)
        tracker = track(entries, research_id)
        if tracker is None:
            raise NotFoundError(f"there is no research {research_id!r:.100}")
        return tracker

    async def export_to_json(self, path: str | Path, research_id: str | None = None) -> Path:
        """Write a research (None: the one going on) to a JSON file, in place of what is there; return its path.

        Raises:
            NotFoundError: there is no such research.
            AccessError: the file cannot be written.
        """
        if research_id is None:
            research = self._session.state.active_research
            if research is None:
                raise NotFoundError("no research is going on")
            research_id = research.research_id
        tracker = await self.get(research_id)
        target = anyio.Path(path)
        try:
            await target.write_bytes(msgspec.json.format(msgspec.json.encode(tracker), indent=2))
        except OSError as error:
            raise AccessError(f"{path}: {error.strerror}") from error
        return Path(path)

    # --- what they need

    def _new_id(self, query: str) -> str:
        """Return an id made of the question; if it may have been researched before, of the place in the journal too."""
        state = self._session.state
        base = f"query_{hashlib.sha256(query.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
        known = {header.research_id for header in state.research_history}
        all_known = state.metadata.research_task_count == len(state.research_history)
        return base if all_known and base not in known else f"{base}_{state.head + 1}"

    def _place(self, research_id: str) -> tuple[int, int]:
        """Return after which entry the research begins, and with which it ends at the latest."""
        state = self._session.state
        active = state.active_research
        if active is not None and active.research_id == research_id:
            return active.seq - 1, state.head
        header = next((one for one in state.research_history if one.research_id == research_id), None)
        return (0, state.head) if header is None else (header.seq - 1, header.ended_seq)

    def _promoted(self, tracker: ResearchProgressTracker, response: str | None) -> list[Draft]:
        """Return what brings the research's findings into the knowledge base."""
        knowledge, drafts = self._session.state.knowledge_base, []
        confirmed = tracker.insights.confirmed_facts
        status = _status_of_findings(tracker, response)
        for text in _distinct((*confirmed, *tracker.findings())):
            content = cut_result(text, most=_MAX_FACT)
            learned = FactLearned(
                fact_id=fact_id_of(content),
                content=content,
                source="research",
                confidence=CONFIDENCE,
                status="active" if text in confirmed else status,
                research_id=tracker.research_id,
            )
            seqs = tracker.evidence.get(text, (tracker.seq,))
            drafts += [Draft(event=event, causes=seqs) for event in learning(knowledge, learned, causes=seqs).events]
        return drafts


def _status_of_findings(tracker: ResearchProgressTracker, response: str | None) -> FactStatus:
    """Tell whether findings that no judge confirmed are to be believed."""
    last = tracker.attempts[-1] if tracker.attempts else None
    if last is None or last.status == "in_progress":
        return "candidate" if response is None else "active"
    return "active" if last.status == "completed" else "candidate"


def _distinct(texts: Sequence[str]) -> list[str]:
    """Return *texts* without those that say what an earlier one says."""
    distinct: list[str] = []
    for text in texts:
        if not any(says_the_same(text, known) for known in distinct):
            distinct.append(text)
    return distinct


def _checked_complexity(complexity: ComplexityAnalysis | dict[str, Any] | None) -> ComplexityAnalysis:
    plain = complexity.to_dict() if isinstance(complexity, ComplexityAnalysis) else complexity or {}
    try:
        return ComplexityAnalysis.from_dict(plain)
    except (msgspec.MsgspecError, TypeError) as error:
        raise InvalidInputError(f"a complexity analysis: {error}") from error
