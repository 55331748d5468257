"""What was learned: the 100 best facts of the session. The rest is in the facts projection."""

from datetime import datetime
from typing import Final, Literal

from msgspec.structs import replace

from sojourn.model.bounded import with_new
from sojourn.model.entry import Entry
from sojourn.model.events import (
    FactActivated,
    FactCorrected,
    FactLearned,
    FactReinforced,
    FactRetired,
    FactScope,
    FactStatus,
)
from sojourn.model.ids import Seq
from sojourn.model.value import Value

MAX_FACTS: Final = 100
MAX_EVIDENCE: Final = 20
_STATUS_RANK: Final = {"active": 2, "candidate": 1, "retired": 0}


class Fact(Value, frozen=True, kw_only=True):
    """One statement, how sure we are of it, and the entries that it rests on."""

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


class KnowledgeBase(Value, frozen=True, kw_only=True):
    """The best facts: active before candidates before retired ones, then the surest, then the newest."""

    facts: dict[str, Fact] = {}
    learned_count: int = 0

    def apply(self, entry: Entry) -> "KnowledgeBase":
        """Return the knowledge base after *entry*. A fact that is not held here any more is left alone."""
        event = entry.event
        if isinstance(event, FactLearned):
            return self._with(_learned(event, entry), learned_count=self.learned_count + 1)
        if not isinstance(event, FactReinforced | FactCorrected | FactActivated | FactRetired):
            return self
        known = self.facts.get(event.fact_id)
        if known is None:
            return self
        fact = replace(known, updated_at=entry.at, evidence=with_new(known.evidence, entry.seq, limit=MAX_EVIDENCE))
        match event:
            case FactReinforced():
                fact = _reinforced(fact, event)
            case FactCorrected():
                sources = with_new(fact.sources, event.source, limit=MAX_EVIDENCE)
                fact = replace(fact, content=event.content, confidence=event.confidence, sources=sources)
            case FactActivated():
                fact = replace(fact, status="active", retired_reason=None)
            case FactRetired():
                fact = replace(fact, status="retired", retired_reason=event.reason)
        return self._with(fact, learned_count=self.learned_count)

    def _with(self, fact: Fact, *, learned_count: int) -> "KnowledgeBase":
        facts = {**self.facts, fact.fact_id: fact}
        if len(facts) > MAX_FACTS:
            del facts[min(facts.values(), key=_worth).fact_id]
        return KnowledgeBase(facts=facts, learned_count=learned_count)


def _learned(event: FactLearned, entry: Entry) -> Fact:
    return Fact(
        fact_id=event.fact_id,
        content=event.content,
        confidence=event.confidence,
        sources=(event.source,),
        scope=event.scope,
        status=event.status,
        learned_at=entry.at,
        updated_at=entry.at,
        evidence=(*entry.causes, entry.seq)[-MAX_EVIDENCE:],
        tags=event.tags[:MAX_EVIDENCE],
        references=event.references[:MAX_EVIDENCE],
        research_id=event.research_id,
        about=event.about,
    )


def _reinforced(fact: Fact, event: FactReinforced) -> Fact:
    references = fact.references
    for reference in event.references:
        references = with_new(references, reference, limit=MAX_EVIDENCE)
    return replace(
        fact,
        confidence=max(fact.confidence, event.confidence),
        sources=with_new(fact.sources, event.source, limit=MAX_EVIDENCE),
        references=references,
        research_id=fact.research_id or event.research_id,
    )


def _worth(fact: Fact) -> tuple[int, float, datetime, str]:
    return _STATUS_RANK[fact.status], fact.confidence, fact.updated_at, fact.fact_id
