"""What to write when something is learned: nothing if it is known already, never the same statement twice.

A statement that answers a question to which there is one answer takes the place of the answer that held before, which
is kept as history. What was retired, or corrected, comes back only if there is evidence that was not there when it was
believed, from somebody who is to be trusted as much as whoever spoke against it.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, Protocol

from msgspec.structs import replace

from sojourn.model.events import Event, FactActivated, FactLearned, FactReinforced, FactRetired
from sojourn.model.knowledge import SCOPES, Fact, KnowledgeBase, trust_of, trust_of_fact, worth
from sojourn.model.wording import sentence

MAX_REASON_VALUE: Final = 100


class Learning(NamedTuple):
    """Which fact a statement is, and what to append for it; nothing, if the fact says it all."""

    fact_id: str
    events: tuple[Event, ...]


class Meaning(Protocol):
    """What tells whether two statements are one."""

    def same(self, learned: FactLearned, fact: Fact) -> bool:
        """Tell whether *learned* says what the fact says."""
        ...

    def replaces(self, learned: FactLearned, fact: Fact) -> bool:
        """Tell whether both cannot hold: another answer to a question that has one."""
        ...


class Wording:
    """Statements compared by their words alone; none replaces another."""

    def same(self, learned: FactLearned, fact: Fact) -> bool:
        """Tell whether the two say the same in nearly the same words."""
        return sentence(learned.content).says_the_same(sentence(fact.content))

    def replaces(self, learned: FactLearned, fact: Fact) -> bool:  # noqa: ARG002 - by words alone nobody knows
        """Tell that nothing is known to contradict *learned*."""
        return False


def learning(
    knowledge: KnowledgeBase,
    learned: FactLearned,
    *,
    causes: Iterable[int] = (),
    known: Iterable[Fact] = (),
    meaning: Meaning | None = None,
) -> Learning:
    """Return how *knowledge* takes in *learned*, whose id is its sentence's, as derived from *causes*.

    *known* are facts that fell out of the knowledge base and may say the same, or the opposite: those with the id or
    the slot of *learned*. Of a fact that is in both, the knowledge base's form holds.
    """
    seqs = tuple(causes)
    facts = {fact.fact_id: fact for fact in known} | knowledge.facts
    judge = meaning or Wording()
    similar = _similar(facts, learned, judge)
    rivals = [fact for fact in facts.values() if fact.status != "retired" and judge.replaces(learned, fact)]
    if similar is None:
        return _new(facts, learned, seqs, rivals)
    if similar.status == "retired":
        return _again(facts, similar, learned, seqs, rivals)
    return _reinforced(knowledge, similar, learned, seqs, rivals)


def superseding(fact_id: str, value: str, rivals: Iterable[Fact], *, learned: FactLearned | None = None) -> list[Event]:
    """Return what retires *rivals*, because the fact *fact_id*, with another *value*, holds instead."""
    since = learned.valid_from if learned else None
    short = value if len(value) <= MAX_REASON_VALUE else f"{value[:MAX_REASON_VALUE]}…"
    return [
        FactRetired(fact_id=rival.fact_id, reason=f"replaced: {short}", superseded_by=fact_id, valid_to=since)
        for rival in rivals
        if rival.fact_id != fact_id and rival.status != "retired"
    ]


def _similar(facts: dict[str, Fact], learned: FactLearned, judge: Meaning) -> Fact | None:
    """Return the fact that says what *learned* says: in the same words if there is one, else the most accepted."""
    plain = sentence(learned.content).plain
    same = [fact for fact in facts.values() if sentence(fact.content).plain == plain]
    same = same or [fact for fact in facts.values() if judge.same(learned, fact)]
    return max(same, key=worth, default=None)


def _new(facts: dict[str, Fact], learned: FactLearned, causes: tuple[int, ...], rivals: Sequence[Fact]) -> Learning:
    """Take in a sentence that no fact says. A fact with its id is one that said so until it was corrected."""
    corrected = facts.get(learned.fact_id)
    if corrected is not None:
        if not _has_new_evidence(corrected, learned, causes) or _trust(learned) < trust_of_fact(corrected):
            return Learning(corrected.fact_id, ())
        number = 2
        while f"{learned.fact_id}-{number}" in facts:
            number += 1
        learned = replace(learned, fact_id=f"{learned.fact_id}-{number}")
    return Learning(learned.fact_id, tuple(_taking_the_place(learned, causes, rivals)))


def _taking_the_place(learned: FactLearned, causes: tuple[int, ...], rivals: Sequence[Fact]) -> list[Event]:
    """Return what to write for a statement that *rivals* contradict: it replaces them, waits, or is history itself."""
    held = [fact for fact in rivals if fact.status == "active"]
    if learned.status != "active" or not rivals:
        return [learned]
    newer = next((fact for fact in held if _is_older(learned, causes, fact)), None)
    if newer is not None:
        ended = FactRetired(
            fact_id=learned.fact_id,
            reason="it held before what is known already",
            superseded_by=newer.fact_id,
            valid_to=newer.valid_from,
        )
        return [learned, ended]
    if any(_trust(learned) < trust_of_fact(fact) for fact in held):
        return [replace(learned, status="candidate")]
    return [*superseding(learned.fact_id, learned.value or learned.content, rivals, learned=learned), learned]


def _again(
    facts: dict[str, Fact], retired: Fact, learned: FactLearned, causes: tuple[int, ...], rivals: Sequence[Fact]
) -> Learning:
    """Take in what does not hold any more: it holds again only by new evidence that weighs as much."""
    against = facts.get(retired.superseded_by or "")
    needed = trust_of("user") if against is None else trust_of_fact(against)
    if not _has_new_evidence(retired, learned, causes) or _trust(learned) < needed:
        return Learning(retired.fact_id, ())
    return Learning(
        retired.fact_id, tuple(_taking_the_place(replace(learned, fact_id=retired.fact_id), causes, rivals))
    )


def _reinforced(
    knowledge: KnowledgeBase, similar: Fact, learned: FactLearned, causes: tuple[int, ...], rivals: Sequence[Fact]
) -> Learning:
    if similar.fact_id not in knowledge.facts:
        # It fell out of the state; learned anew it competes again, and whoever keeps all facts unites the two.
        again = replace(learned, fact_id=similar.fact_id)
        return Learning(similar.fact_id, tuple(_taking_the_place(again, causes, rivals)))
    events: list[Event] = []
    if similar.status == "candidate" and learned.status == "active":
        if any(_trust(learned) < trust_of_fact(fact) for fact in rivals if fact.status == "active"):
            return Learning(similar.fact_id, ())
        events += superseding(similar.fact_id, learned.value or learned.content, rivals, learned=learned)
        events.append(FactActivated(fact_id=similar.fact_id))
    if events or _has_new_evidence(similar, learned, causes) or _adds(similar, learned):
        events.append(
            FactReinforced(
                fact_id=similar.fact_id,
                source=learned.source,
                confidence=learned.confidence,
                scope=learned.scope,
                tags=learned.tags,
                references=learned.references,
                research_id=learned.research_id,
                about=learned.about,
                slot=learned.slot,
                value=learned.value,
                spans=learned.spans,
            )
        )
    return Learning(similar.fact_id, tuple(events))


def _trust(learned: FactLearned) -> int:
    return trust_of(learned.source)


def _is_older(learned: FactLearned, causes: tuple[int, ...], fact: Fact) -> bool:
    """Tell whether *learned* was said, or held, before the fact."""
    if learned.valid_from is not None and fact.valid_from is not None:
        return learned.valid_from < fact.valid_from
    return bool(causes) and max(causes) < min(fact.evidence)


def _has_new_evidence(fact: Fact, learned: FactLearned, causes: tuple[int, ...]) -> bool:
    return fact.has_new(causes=causes, references=learned.references, research_id=learned.research_id)


def _adds(fact: Fact, learned: FactLearned) -> bool:
    """Tell whether *learned* says more about the fact than is known, its evidence aside."""
    return (
        learned.confidence > fact.confidence
        or learned.source not in fact.sources
        or SCOPES.index(learned.scope) > SCOPES.index(fact.scope)
        or not set(learned.tags) <= set(fact.tags)
        or (fact.about is None and learned.about is not None)
    )
