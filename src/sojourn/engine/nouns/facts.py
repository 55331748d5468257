"""What was learned: `session.facts`."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple, Protocol

from msgspec.structs import replace

from sojourn.engine.inputs import (
    MAX_NAME,
    check_moment,
    check_ratio,
    check_references,
    check_tags,
    check_text,
    check_word,
)
from sojourn.engine.live import Live
from sojourn.engine.why import Quote, explain
from sojourn.errors import EmbeddingError, InvalidInputError, NotFoundError
from sojourn.memory.facts.importance import importance
from sojourn.memory.facts.judging import FactMeaning, MeaningJudge, meant
from sojourn.memory.facts.question import is_about_user
from sojourn.memory.facts.slots import slot_of
from sojourn.memory.facts.verification import Verification, verify_fact
from sojourn.model.entry import Draft
from sojourn.model.events import (
    Event,
    FactActivated,
    FactCorrected,
    FactLearned,
    FactReinforced,
    FactRetired,
    FactScope,
    FactStatus,
    FactsUsed,
    FactVerified,
    ProfileUpdated,
    Span,
)
from sojourn.model.ids import Seq
from sojourn.model.knowledge import (
    MAX_EVIDENCE,
    MAX_FACTS,
    Fact,
    FactEvent,
    KnowledgeBase,
    changed_fact,
    fact_id_of,
    learned_fact,
    prune,
)
from sojourn.model.learning import learning, superseding
from sojourn.model.profile import accepted_fields
from sojourn.providers.structured import StructuredModel

_log = logging.getLogger(__name__)
CANDIDATE_DAYS: Final = 30.0
"""How long a candidate waits for somebody to accept it."""
MAX_USED: Final = 1000


class FactLookup(Protocol):
    """Finds facts of the session that its state does not hold any more, by id or by slot, of every status."""

    async def __call__(self, *, fact_id: str | None = None, slot: str | None = None) -> Sequence[Fact]: ...


class Pruning(NamedTuple):
    """What a pruning did, and what it only proposes."""

    dropped: tuple[Fact, ...]
    """Candidates that waited too long: they are retired now."""
    beyond: tuple[Fact, ...]
    """Facts beyond the limit, the least important last. They are as they were; retire those that may go."""


class Facts:
    """Learns, corrects and retires facts; answers from those that the state holds, the best 100.

    *meaning* tells which statements are one, *known* finds facts that the state holds no more, *model* verifies them.
    Without these, statements are compared by their words and by the question that they answer, with what the state
    holds.
    """

    def __init__(
        self,
        session: Live,
        *,
        meaning: MeaningJudge | None = None,
        known: FactLookup | None = None,
        model: StructuredModel | None = None,
    ) -> None:
        self._session = session
        self._model = model
        self._meaning = meaning or MeaningJudge()
        self._lookup = known

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
        slot: str | None = None,
        value: str | None = None,
        spans: Iterable[Span] = (),
        valid_from: datetime | None = None,
        causes: Iterable[int] = (),
    ) -> Fact:
        """Take in a statement, and return the fact that says it.

        A fact that says the same already is reinforced instead: the higher confidence holds and both sources are kept;
        if there is nothing new about it, nothing is written. A fact that was retired, or corrected from this wording,
        is returned as it is, unless *causes*, *references* or *research_id* are new evidence, from a source that
        weighs as much as what spoke against it: then it is brought back, or learned beside the corrected one.

        *slot* is the question that it answers, and *value* the answer; both are read from the statement unless given.
        Where a question has one answer, the new one replaces the old, which is retired and stays in `history`; a
        candidate, or a source that weighs less, replaces nothing and waits in `review`.

        Raises:
            InvalidInputError: the statement is empty or too long, or another argument cannot be used.
        """
        if about not in (None, "user"):
            raise InvalidInputError(f'a fact is about "user" or None, got {about!r:.50}')
        slot, value = _slot(check_text(content, "a fact"), slot, value)
        slot = meant(slot, self) if slot else None
        learned = FactLearned(
            fact_id=fact_id_of(content),
            content=content,
            source=check_text(source, "a fact's source", most=MAX_NAME),
            confidence=check_ratio(confidence, "a fact's confidence"),
            scope=check_word(scope, FactScope, "scope"),
            status=check_word(status, FactStatus, "status"),
            tags=check_tags(tags)[:MAX_EVIDENCE],
            references=check_references(references),
            research_id=_checked_research(research_id),
            about="user" if about or (slot and is_about_user(slot)) else None,
            slot=slot,
            value=value,
            valid_from=valid_from if valid_from is None else check_moment(valid_from, "since when a fact holds"),
            spans=tuple(spans)[:MAX_EVIDENCE],
        )
        seqs = tuple(Seq(seq) for seq in causes)
        known = await self._like(learned.fact_id, slot)
        meaning = await self._compared(content, known)
        fact_id, events = learning(self._known, learned, causes=seqs, known=known, meaning=meaning)
        if not events:
            return self.find(fact_id) or next(fact for fact in known if fact.fact_id == fact_id)
        receipt = await self._session.append(*events, causes=seqs)
        # A new fact may be worth less than the hundred that the state holds.
        written = next((event for event in events if isinstance(event, FactLearned)), learned)
        return self.find(fact_id) or learned_fact(
            replace(written, fact_id=fact_id), at=receipt.at, seq=receipt.last, causes=seqs
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
            NotFoundError: there is no such fact.
        """
        event = FactReinforced(
            fact_id=(await self._fetch(fact_id)).fact_id,
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
        """Put a fact's wording right, and accept it; its id stays, and what contradicts it is retired.

        If another fact says so already, that one is reinforced and returned, and this one retired.

        Raises:
            NotFoundError: there is no such fact.
        """
        fact = await self._fetch(fact_id)
        slot, value = _slot(check_text(content, "a fact"), None, None)
        corrected = FactCorrected(
            fact_id=fact_id,
            content=content,
            confidence=check_ratio(confidence, "a fact's confidence"),
            source=check_text(source, "a fact's source", most=MAX_NAME),
            slot=slot,
            value=value,
        )
        said = FactLearned(fact_id=fact_id, content=content, slot=slot, value=value)
        others = [one for one in await self._like(fact_id_of(content), slot) if one.fact_id != fact_id]
        meaning = await self._compared(content, others)
        same = [one for one in others if meaning.same(said, one)]
        other = prune(same, limit=1)
        if other:
            events: list[Event] = [
                FactReinforced(fact_id=other[0].fact_id, source=source, confidence=corrected.confidence),
                *(() if other[0].status == "active" else (FactActivated(fact_id=other[0].fact_id),)),
                FactRetired(
                    fact_id=fact_id, reason=f"corrected: see {other[0].fact_id}", superseded_by=other[0].fact_id
                ),
            ]
            return await self._changed(other[0].fact_id, *events, causes=causes)
        accepted = () if fact.status == "active" else (FactActivated(fact_id=fact_id),)
        replaced = superseding(fact_id, value or content, (one for one in others if meaning.replaces(said, one)))
        return await self._changed(fact_id, corrected, *accepted, *replaced, causes=causes)

    async def retire(self, fact_id: str, reason: str = "", *, causes: Iterable[int] = ()) -> Fact:
        """Note that a fact does not hold (any more). It is kept, to know that it was believed once.

        Raises:
            NotFoundError: there is no such fact.
        """
        if reason:
            check_text(reason, "a reason")
        if (fact := await self._fetch(fact_id)).status == "retired":
            return fact
        return await self._changed(fact_id, FactRetired(fact_id=fact_id, reason=reason), causes=causes)

    async def activate(self, fact_id: str, *, causes: Iterable[int] = ()) -> Fact:
        """Accept a candidate, or bring a retired fact back.

        What it contradicts is retired, and if it answers a question of the profile, the profile's field is set too, all
        in one append.

        Raises:
            NotFoundError: there is no such fact.
        """
        if (fact := await self._fetch(fact_id)).status == "active":
            return fact
        said = FactLearned(fact_id=fact_id, content=fact.content, slot=fact.slot, value=fact.value)
        meaning = FactMeaning()
        rivals = [one for one in await self._like(fact_id, fact.slot) if meaning.replaces(said, one)]
        seqs = tuple(Seq(seq) for seq in causes)
        events: list[Event | Draft] = [*superseding(fact_id, fact.value or fact.content, rivals)]
        events.append(FactActivated(fact_id=fact_id))
        events += _profile_of(fact, seqs)
        return await self._changed(fact_id, *events, causes=seqs)

    async def put_back(self, fact_id: str, *, causes: Iterable[int] = ()) -> Fact:
        """Let a fact wait in `review` again, whatever was decided about it.

        Raises:
            NotFoundError: there is no such fact.
        """
        if (fact := await self._fetch(fact_id)).status == "candidate":
            return fact
        return await self._changed(fact_id, FactActivated(fact_id=fact_id, as_candidate=True), causes=causes)

    async def used(self, fact_ids: Iterable[str]) -> None:
        """Note that facts were part of an answer, or of what a model saw: they are kept longer for it."""
        if isinstance(fact_ids, str):
            raise InvalidInputError("the facts that were used are a list of ids, got one text")
        ids = tuple(dict.fromkeys(check_text(one, "a fact's id", most=MAX_NAME) for one in fact_ids))
        if len(ids) > MAX_USED:
            raise InvalidInputError(f"{len(ids):,} facts at once: at most {MAX_USED:,} are used together")
        if ids:
            await self._session.append(FactsUsed(fact_ids=ids))

    async def verify(self, fact_id: str, model: StructuredModel | None = None) -> Verification:
        """Compare a fact with the messages that it rests on, and keep how sure it is after that, and why.

        A *model* judges, or the app's; without one, the words do.

        Raises:
            NotFoundError: there is no such fact.
            ModelError: the model failed, or answered with something else.
        """
        fact = await self._fetch(fact_id)
        quotes = await self._quotes(fact)
        found = await verify_fact(fact, [quote.text for quote in quotes], model or self._model)
        event = FactVerified(fact_id=fact_id, confidence=found.confidence, reason=found.reason, method=found.method)
        await self._session.append(event, causes=[quote.seq for quote in quotes])
        return found

    async def prune(self, limit: int = MAX_FACTS, *, candidate_days: float = CANDIDATE_DAYS) -> Pruning:
        """Drop candidates that waited for *candidate_days*, and say which facts go beyond the best *limit*.

        Nothing that was accepted is retired here: what is returned as *beyond* may be, one by one.
        """
        now = self._session.clock.now()
        old = [
            fact
            for fact in self.with_status("candidate")
            if now - fact.updated_at >= timedelta(days=max(candidate_days, 0.0))
        ]
        reason = f"nobody accepted it within {candidate_days:g} days"
        if old:
            await self._session.append(*(FactRetired(fact_id=fact.fact_id, reason=reason) for fact in old))
        kept = {fact.fact_id for fact in prune(self.with_status("active"), limit=max(limit, 0))}
        beyond = prune((fact for fact in self.with_status("active") if fact.fact_id not in kept), limit=MAX_FACTS)
        return Pruning(tuple(self.find(fact.fact_id) or fact for fact in old), tuple(beyond))

    async def _changed(self, fact_id: str, *events: Event | Draft, causes: Iterable[int]) -> Fact:
        fact = await self._fetch(fact_id)
        receipt = await self._session.append(*events, causes=causes)
        if (held := self.find(fact_id)) is not None:
            return held
        for entry in receipt.entries:
            if isinstance(entry.event, FactEvent) and entry.event.fact_id == fact_id:
                fact = changed_fact(fact, entry.event, entry)
        return fact

    async def _fetch(self, fact_id: str) -> Fact:
        """Return a fact, if need be from beyond the state."""
        held = self.find(fact_id)
        if held is None and self._lookup is not None:
            held = next(iter(await self._lookup(fact_id=fact_id)), None)
        return held or self.get(fact_id)

    async def _quotes(self, fact: Fact) -> list[Quote]:
        """Return the messages that a fact rests on, oldest first."""
        told = [await explain(self._session, int(seq)) for seq in fact.evidence if seq >= 1]
        quotes = {quote.seq: quote for one in told for quote in one.quotes}
        return [quotes[seq] for seq in sorted(quotes)]

    async def _like(self, fact_id: str, slot: str | None) -> list[Fact]:
        """Return all facts of the state, and those beyond it that have this id or slot."""
        facts: dict[str, Fact] = {}
        if self._lookup is not None:
            beyond = [*await self._lookup(fact_id=fact_id), *(await self._lookup(slot=slot) if slot else ())]
            facts = {fact.fact_id: fact for fact in beyond}
        return list((facts | self._known.facts).values())

    async def _compared(self, content: str, facts: Iterable[Fact]) -> FactMeaning:
        """Return what compares *content* with *facts*: by words alone, if the embedder fails."""
        try:
            return await self._meaning.about(content, facts)
        except EmbeddingError as error:
            _log.warning("facts are compared by words only: %s", error)
            return FactMeaning()

    # --- questions

    def get(self, fact_id: str) -> Fact:
        """Return a fact by its id.

        Raises:
            NotFoundError: the state holds no such fact.
        """
        if (fact := self.find(fact_id)) is None:
            raise NotFoundError(f"there is no fact {fact_id!r:.100}")
        return fact

    def find(self, fact_id: str) -> Fact | None:
        """Return a fact by its id, or None."""
        return self._known.facts.get(fact_id)

    async def history(self, slot_or_fact_id: str) -> list[Fact]:
        """Return all values that a slot had, each with since when and until when it held, newest first.

        A fact's id stands for the slot that the fact fills; a fact without one is its own history.

        Raises:
            NotFoundError: there is no such fact, and no fact has such a slot.
        """
        slot: str | None = slot_or_fact_id
        found = await self._like(slot_or_fact_id, slot)
        fact = next((one for one in found if one.fact_id == slot_or_fact_id), None)
        if fact is not None:
            slot = fact.slot
            found = await self._like(fact.fact_id, slot) if slot else [fact]
        values = [one for one in found if one is fact or (slot is not None and one.slot == slot)]
        if not values:
            raise NotFoundError(f"there is no fact, and no fact with the slot, {slot_or_fact_id!r:.100}")
        return sorted(values, key=_since, reverse=True)

    def review(self, limit: int = MAX_FACTS) -> list[Fact]:
        """Return the candidates, which wait to be accepted (`activate`) or retired, the most important first."""
        now = self._session.clock.now()
        waiting = self.with_status("candidate")
        waiting.sort(key=lambda fact: (importance(fact, now), fact.updated_at, fact.fact_id), reverse=True)
        return waiting[: max(limit, 0)]

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


def _slot(content: str, slot: str | None, value: str | None) -> tuple[str | None, str | None]:
    """Return the slot and the value that were given, or else what the sentence says."""
    if value is not None:
        check_text(value, "a fact's value")
    read = slot_of(content)
    if slot is None:
        return (read.name, value or read.value) if read else (None, value)
    check_text(slot, "a fact's slot", most=MAX_NAME)
    return slot, value or (read.value if read and read.name == slot else None)


def _since(fact: Fact) -> tuple[datetime, bool, Seq, str]:
    """Return what puts the values of a slot in order of time; what holds comes after what ended at that moment."""
    return fact.valid_from or fact.learned_at, fact.status != "retired", max(fact.evidence), fact.fact_id


def _profile_of(fact: Fact, causes: tuple[Seq, ...]) -> list[Event | Draft]:
    """Return what sets the profile's field, if the fact fills one."""
    subject, _, field = (fact.slot or "").partition("/")
    fields = accepted_fields({field: fact.value}) if subject == "user" else {}
    if not fields:
        return []
    updated = ProfileUpdated(fields=fields, confidence=fact.confidence, source=fact.source, spans=fact.spans)
    # In memory only, a fact stands in no entry of its own.
    evidence = tuple(dict.fromkeys(seq for seq in (*fact.evidence, *causes) if seq >= 1))
    return [Draft(event=updated, causes=evidence)]
