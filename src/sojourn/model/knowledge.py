"""What was learned: the 100 best facts of the session, and the last 50 that no longer hold.

What is best is one rule, `worth`: an accepted fact before a candidate, then what is strong and was met lately. Retired
facts are kept apart, because they are needed for one thing only: to see that something was believed once and is not any
more. What fell out is in the journal.
"""

import hashlib
import math
from collections.abc import Iterable
from datetime import datetime
from typing import Final, Literal

from msgspec.structs import replace

from sojourn.model.bounded import with_each, with_new
from sojourn.model.entry import Entry
from sojourn.model.events import (
    FactActivated,
    FactCorrected,
    FactLearned,
    FactReinforced,
    FactRetired,
    FactScope,
    FactStatus,
    FactsUsed,
    FactVerified,
    Span,
)
from sojourn.model.ids import Seq
from sojourn.model.value import Value
from sojourn.model.wording import coverage, normalised, sentence, terms

MAX_FACTS: Final = 100
MAX_RETIRED: Final = 50
MAX_EVIDENCE: Final = 20
SCOPES: Final[tuple[FactScope, ...]] = ("session", "project", "user", "global")
"""Where a fact holds, the narrowest first."""
_HOLDS_AGAIN: Final[dict[str, None]] = {"retired_reason": None, "superseded_by": None, "valid_to": None}
_STATUS_RANK: Final = {"active": 2, "candidate": 1, "retired": 0}
HALF_LIFE: Final = 30 * 24 * 3600.0
"""Seconds after which a fact that nobody met or used is worth half."""
_TRUST: Final = {
    "assistant": 1, "research": 1, "tool": 1, "file": 1, "model": 1, "agent": 1, "external": 0, "web": 0, "page": 0,
}  # fmt: skip
_SCOPE_WEIGHT: Final[dict[str, float]] = {"session": 0.85, "project": 0.95, "user": 1.0, "global": 1.0}


FactEvent = FactLearned | FactReinforced | FactCorrected | FactActivated | FactRetired | FactVerified
"""What happens to one fact."""


class Fact(Value, frozen=True, kw_only=True):
    """One statement, how sure we are of it, and the entries that it rests on.

    *slot* names the question that it answers, so that a fact with another *value* replaces it. *spans* are the words
    that it rests on, *verified* is the outcome of the last comparison with them, *uses* how often it was of use.
    """

    fact_id: str
    content: str
    confidence: float
    sources: tuple[str, ...]
    scope: FactScope
    status: FactStatus
    learned_at: datetime
    updated_at: datetime
    evidence: tuple[Seq, ...]
    tags: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    research_id: str | None = None
    retired_reason: str | None = None
    about: Literal["user"] | None = None
    slot: str | None = None
    value: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    superseded_by: str | None = None
    spans: tuple[Span, ...] = ()
    uses: int = 0
    verified: str | None = None

    @property
    def source(self) -> str:
        """Where it was first learned."""
        return self.sources[0]

    def has_new(self, *, causes: Iterable[int], references: Iterable[str], research_id: str | None) -> bool:
        """Tell whether any of this is evidence that the fact does not rest on yet."""
        return (
            not set(causes) <= set(self.evidence)
            or not set(references) <= set(self.references)
            or research_id not in (None, self.research_id)
        )


class KnowledgeBase(Value, frozen=True, kw_only=True):
    """The best facts by id. Each question below is answered from accepted facts, unless another status is asked for."""

    facts: dict[str, Fact] = {}
    learned_count: int = 0

    # --- questions

    def get_relevant_facts(self, query: str, limit: int = 10, min_confidence: float = 0.5) -> list[Fact]:
        """Return the accepted facts that share words with *query*: first those that hold the largest share of it.

        Words are compared whole, without case or plural. Of facts with the same share the surest and newest is first.
        """
        asked = terms(query)
        scored = (
            (coverage(asked, fact.content), worth(fact), fact)
            for fact in self.with_status()
            if fact.confidence >= min_confidence
        )
        found = sorted((one for one in scored if one[0] > 0), key=lambda one: one[:2], reverse=True)
        return [fact for _, _, fact in found[: max(limit, 0)]]

    def search(self, query: str, limit: int = 5) -> list[Fact]:
        """Return the most relevant facts: `get_relevant_facts` for a person's question."""
        return self.get_relevant_facts(query, limit=limit)

    def get_facts_by_source(self, source: str, *, status: FactStatus | None = "active") -> list[Fact]:
        """Return the facts that *source* gave or confirmed, in the order in which they were learned."""
        return [fact for fact in self.with_status(status) if source in fact.sources]

    def get_facts_by_tag(self, tag: str, *, status: FactStatus | None = "active") -> list[Fact]:
        """Return the facts with this tag, in the order in which they were learned."""
        return [fact for fact in self.with_status(status) if tag in fact.tags]

    def get_recent_facts(self, limit: int = 10, *, status: FactStatus | None = "active") -> list[Fact]:
        """Return the facts that were learned or met last, newest first."""
        newest = sorted(self.with_status(status), key=lambda fact: (fact.updated_at, max(fact.evidence)), reverse=True)
        return newest[: max(limit, 0)]

    def with_status(self, status: FactStatus | None = "active") -> list[Fact]:
        """Return the facts with this status (None: all), in the order in which they were learned."""
        return [fact for fact in self.facts.values() if status in (None, fact.status)]

    def find_similar(self, content: str) -> Fact | None:
        """Return the fact that says what *content* says, the most accepted one if there are several."""
        asked = sentence(content)
        known = [(fact, sentence(fact.content)) for fact in self.facts.values()]
        same = [fact for fact, said in known if said.plain == asked.plain] or [
            fact for fact, said in known if said.says_the_same(asked)
        ]
        return max(same, key=worth, default=None)

    # --- the fold

    def apply(self, entry: Entry) -> "KnowledgeBase":
        """Return the knowledge base after *entry*. A fact that is not held here any more is left alone."""
        event = entry.event
        if isinstance(event, FactsUsed):
            used = {one: replace(fact, uses=fact.uses + 1) for one, fact in self._held(event.fact_ids)}
            return replace(self, facts={**self.facts, **used})
        if not isinstance(event, FactEvent):
            return self
        known = self.facts.get(event.fact_id)
        if known is None:
            if not isinstance(event, FactLearned):
                return self
            fact = learned_fact(event, at=entry.at, seq=entry.seq, causes=entry.causes)
            return self._with(fact, learned_count=self.learned_count + 1)
        return self._with(changed_fact(known, event, entry), learned_count=self.learned_count)

    def _held(self, fact_ids: Iterable[str]) -> list[tuple[str, Fact]]:
        return [(one, self.facts[one]) for one in dict.fromkeys(fact_ids) if one in self.facts]

    def _with(self, fact: Fact, *, learned_count: int) -> "KnowledgeBase":
        facts = {**self.facts, fact.fact_id: fact}
        retired = fact.status == "retired"
        rivals = [one for one in facts.values() if (one.status == "retired") == retired]
        if len(rivals) > (MAX_RETIRED if retired else MAX_FACTS):
            del facts[min(rivals, key=worth).fact_id]
        return KnowledgeBase(facts=facts, learned_count=learned_count)


def trust_of(source: str) -> int:
    """Return how much what *source* says weighs: 2 the user or the program itself, 1 the assistant or a tool, 0 a page.

    What weighs less never replaces what weighs more.
    """
    return _TRUST.get(source, 2)


def trust_of_fact(fact: Fact) -> int:
    """Return how much a fact weighs: as much as the best that said so."""
    return max(map(trust_of, fact.sources))


def strength(fact: Fact) -> float:
    """Return how much a fact matters, its age aside, above 0 to 1: it is sure, the user said so, it was of use."""
    said = 1.0 if trust_of_fact(fact) == 2 else 0.8
    used = 1.0 - 0.3 / (1 + max(fact.uses, 0))
    return max(fact.confidence, 0.01) * said * _SCOPE_WEIGHT[fact.scope] * used


def worth(fact: Fact) -> tuple[int, float, datetime, str]:
    """Return what decides which facts are kept, and which of two equally relevant ones comes first.

    Strength halves with every `HALF_LIFE` since the fact was met. Which of two facts is then worth more does not depend
    on when one asks, so that no clock is needed.
    """
    if fact.status == "retired":
        return _STATUS_RANK[fact.status], 0.0, fact.updated_at, fact.fact_id
    lasting = math.log2(strength(fact)) + fact.updated_at.timestamp() / HALF_LIFE
    return _STATUS_RANK[fact.status], round(lasting, 9), fact.updated_at, fact.fact_id


def prune(facts: Iterable[Fact], *, limit: int = MAX_FACTS) -> list[Fact]:
    """Return the *limit* facts of the greatest worth, best first."""
    return sorted(facts, key=worth, reverse=True)[:limit]


def fact_id_of(content: str) -> str:
    """Return the id that a sentence always has, however it is spelled, so that it is known again years later."""
    plain = normalised(content) or content.strip()
    return f"fact-{hashlib.sha256(plain.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def learned_fact(event: FactLearned, *, at: datetime, seq: Seq, causes: Iterable[Seq] = ()) -> Fact:
    """Return the fact that *event* brings into the world, as entry *seq*."""
    return Fact(
        fact_id=event.fact_id,
        content=event.content,
        confidence=event.confidence,
        sources=(event.source,),
        scope=event.scope,
        status=event.status,
        learned_at=at,
        updated_at=at,
        evidence=tuple(dict.fromkeys((*causes, seq)))[-MAX_EVIDENCE:],
        tags=event.tags[:MAX_EVIDENCE],
        references=event.references[:MAX_EVIDENCE],
        research_id=event.research_id,
        about=event.about,
        slot=event.slot,
        value=event.value,
        valid_from=event.valid_from or at,
        spans=event.spans[:MAX_EVIDENCE],
    )


def changed_fact(known: Fact, event: FactEvent, entry: Entry) -> Fact:
    """Return *known* after *event*, which stands in *entry*."""
    evidence = with_each(known.evidence, (*entry.causes, entry.seq), limit=MAX_EVIDENCE)
    fact = replace(known, updated_at=entry.at, evidence=evidence)
    match event:
        case FactLearned():
            return _learned_again(known, _met_again(fact, event), event, entry)
        case FactReinforced():
            return _met_again(fact, event)
        case FactCorrected():
            sources = with_new(fact.sources, event.source, limit=MAX_EVIDENCE)
            return replace(
                fact,
                content=event.content,
                confidence=event.confidence,
                sources=sources,
                slot=event.slot or fact.slot,
                value=event.value or (fact.value if event.slot is None else None),
            )
        case FactActivated():
            return replace(fact, status="candidate" if event.as_candidate else "active", **_HOLDS_AGAIN)
        case FactRetired():
            return replace(
                fact,
                status="retired",
                retired_reason=event.reason,
                superseded_by=event.superseded_by,
                valid_to=event.valid_to or entry.at,
            )
        case FactVerified():
            return replace(fact, confidence=event.confidence, verified=event.reason)


def _learned_again(known: Fact, fact: Fact, event: FactLearned, entry: Entry) -> Fact:
    """Return *fact* with its status: accepted if it now is, back from retirement only if the evidence is new."""
    if known.status == "candidate" and event.status == "active":
        return replace(fact, status="active")
    if known.status != "retired":
        return fact
    if not known.has_new(causes=entry.causes, references=event.references, research_id=event.research_id):
        return known
    return replace(fact, status=event.status, valid_from=event.valid_from or entry.at, **_HOLDS_AGAIN)


def _met_again(fact: Fact, event: FactLearned | FactReinforced) -> Fact:
    return replace(
        fact,
        confidence=max(fact.confidence, event.confidence),
        sources=with_new(fact.sources, event.source, limit=MAX_EVIDENCE),
        scope=max(fact.scope, event.scope or fact.scope, key=SCOPES.index),
        tags=with_each(fact.tags, event.tags, limit=MAX_EVIDENCE),
        references=with_each(fact.references, event.references, limit=MAX_EVIDENCE),
        research_id=event.research_id or fact.research_id,
        about=fact.about or event.about,
        slot=fact.slot or event.slot,
        value=fact.value or event.value,
        spans=with_each(fact.spans, event.spans, limit=MAX_EVIDENCE),
    )
