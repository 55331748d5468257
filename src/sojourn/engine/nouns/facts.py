"""What was learned: `session.facts`."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from sojourn.engine.inputs import MAX_NAME, check_ratio, check_references, check_tags, check_text, check_word
from sojourn.engine.live import Live
from sojourn.errors import InvalidInputError, NotFoundError
from sojourn.model.events import (
    Event,
    FactActivated,
    FactCorrected,
    FactLearned,
    FactReinforced,
    FactRetired,
    FactScope,
    FactStatus,
)
from sojourn.model.ids import Seq
from sojourn.model.knowledge import MAX_EVIDENCE, Fact, KnowledgeBase, fact_id_of, learned_fact
from sojourn.model.learning import learning


class Facts:
    """Learns, corrects and retires facts; answers from those that the state holds, the best 100."""

    def __init__(self, session: Live) -> None:
        self._session = session

    def __len__(self) -> int:
        return len(self._known.facts)

    def __iter__(self) -> Iterator[Fact]:
        return iter(self._known.facts.values())

    @property
    def _known(self) -> KnowledgeBase:
        return self._session.state.knowledge_base

    # --- changes

    async def learn(
        self,
        content: str,
        *,
        source: str = "conversation",
        confidence: float = 0.8,
        scope: FactScope = "session",
        status: FactStatus = "active",
        tags: Iterable[str] = (),
        references: Iterable[str] = (),
        research_id: str | None = None,
        about: str | None = None,
        causes: Iterable[int] = (),
    ) -> Fact:
        """Take in a statement, and return the fact that says it.

        A fact that says the same already is reinforced instead: the higher confidence holds and both sources are kept;
        if there is nothing new about it, nothing is written. A fact that was retired, or corrected from this wording,
        is returned as it is, unless *causes*, *references* or *research_id* are new evidence: then it is brought back,
        or learned beside the corrected one.

        Raises:
            InvalidInputError: the statement is empty or too long, or another argument cannot be used.
        """
        if about not in (None, "user"):
            raise InvalidInputError(f'a fact is about "user" or None, got {about!r:.50}')
        learned = FactLearned(
            fact_id=fact_id_of(check_text(content, "a fact")),
            content=content,
            source=check_text(source, "a fact's source", most=MAX_NAME),
            confidence=check_ratio(confidence, "a fact's confidence"),
            scope=check_word(scope, FactScope, "scope"),
            status=check_word(status, FactStatus, "status"),
            tags=check_tags(tags)[:MAX_EVIDENCE],
            references=check_references(references),
            research_id=_checked_research(research_id),
            about="user" if about else None,
        )
        seqs = tuple(Seq(seq) for seq in causes)
        fact_id, events = learning(self._known, learned, causes=seqs)
        if not events:
            return self._known.facts[fact_id]
        receipt = await self._session.append(*events, causes=seqs)
        # A new fact may be worth less than the hundred that the state holds.
        return self.find(fact_id) or learned_fact(
            replace(learned, fact_id=fact_id), at=receipt.at, seq=receipt.last, causes=seqs
        )

    async def reinforce(
        self,
        fact_id: str,
        *,
        source: str = "conversation",
        confidence: float = 0.8,
        references: Iterable[str] = (),
        research_id: str | None = None,
        causes: Iterable[int] = (),
    ) -> Fact:
        """Note that a fact was met again: the higher confidence holds, and both sources are kept.

        Raises:
            NotFoundError: the state holds no such fact.
        """
        event = FactReinforced(
            fact_id=self.get(fact_id).fact_id,
            source=check_text(source, "a fact's source", most=MAX_NAME),
            confidence=check_ratio(confidence, "a fact's confidence"),
            references=check_references(references),
            research_id=_checked_research(research_id),
        )
        return await self._changed(fact_id, event, causes=causes)

    async def correct(
        self,
        fact_id: str,
        content: str,
        *,
        confidence: float = 1.0,
        source: str = "user",
        causes: Iterable[int] = (),
    ) -> Fact:
        """Put a fact's wording right, and accept it; its id stays.

        If another fact says so already, that one is reinforced and returned, and this one retired.

        Raises:
            NotFoundError: the state holds no such fact.
        """
        fact = self.get(fact_id)
        corrected = FactCorrected(
            fact_id=fact_id,
            content=check_text(content, "a fact"),
            confidence=check_ratio(confidence, "a fact's confidence"),
            source=check_text(source, "a fact's source", most=MAX_NAME),
        )
        other = self._known.find_similar(content)
        if other is not None and other.fact_id != fact_id and other.status != "retired":
            events: list[Event] = [
                FactReinforced(fact_id=other.fact_id, source=source, confidence=corrected.confidence),
                FactRetired(fact_id=fact_id, reason=f"corrected: see {other.fact_id}"),
            ]
            return await self._changed(other.fact_id, *events, causes=causes)
        accepted = () if fact.status == "active" else (FactActivated(fact_id=fact_id),)
        return await self._changed(fact_id, corrected, *accepted, causes=causes)

    async def retire(self, fact_id: str, reason: str = "", *, causes: Iterable[int] = ()) -> Fact:
        """Note that a fact does not hold (any more). It is kept, to know that it was believed once.

        Raises:
            NotFoundError: the state holds no such fact.
        """
        if reason:
            check_text(reason, "a reason")
        if (fact := self.get(fact_id)).status == "retired":
            return fact
        return await self._changed(fact_id, FactRetired(fact_id=fact_id, reason=reason), causes=causes)

    async def activate(self, fact_id: str, *, causes: Iterable[int] = ()) -> Fact:
        """Accept a candidate, or bring a retired fact back.

        Raises:
            NotFoundError: the state holds no such fact.
        """
        if (fact := self.get(fact_id)).status == "active":
            return fact
        return await self._changed(fact_id, FactActivated(fact_id=fact_id), causes=causes)

    async def _changed(self, fact_id: str, *events: Event, causes: Iterable[int]) -> Fact:
        before = self.get(fact_id)
        await self._session.append(*events, causes=causes)
        return self.find(fact_id) or before

    # --- questions

    def get(self, fact_id: str) -> Fact:
        """Return a fact by its id.

        Raises:
            NotFoundError: the state holds no such fact.
        """
        if (fact := self.find(fact_id)) is None:
            raise NotFoundError(f"fact {fact_id!r:.100}")
        return fact

    def find(self, fact_id: str) -> Fact | None:
        """Return a fact by its id, or None."""
        return self._known.facts.get(fact_id)

    def find_similar(self, content: str) -> Fact | None:
        """Return the fact that says what *content* says, or None."""
        return self._known.find_similar(content)

    def relevant(self, query: str, *, limit: int = 10, min_confidence: float = 0.5) -> list[Fact]:
        """Return the accepted facts that share words with *query*, the most relevant first."""
        return self._known.get_relevant_facts(query, limit=limit, min_confidence=min_confidence)

    def search(self, query: str, *, limit: int = 5) -> list[Fact]:
        """Return the few most relevant accepted facts."""
        return self._known.search(query, limit=limit)

    def from_source(self, source: str) -> list[Fact]:
        """Return the accepted facts that *source* gave or confirmed."""
        return self._known.get_facts_by_source(source)

    def tagged(self, tag: str) -> list[Fact]:
        """Return the accepted facts with this tag."""
        return self._known.get_facts_by_tag(tag)

    def recent(self, limit: int = 10) -> list[Fact]:
        """Return the accepted facts that were learned or met last, newest first."""
        return self._known.get_recent_facts(limit)

    def with_status(self, status: FactStatus | None) -> list[Fact]:
        """Return the facts with this status (None: all), in the order in which they were learned."""
        return self._known.with_status(status)


def _checked_research(research_id: str | None) -> str | None:
    return research_id if research_id is None else check_text(research_id, "a research's id", most=MAX_NAME)
