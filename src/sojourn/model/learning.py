"""What to write when something is learned: nothing if it is known already, never the same sentence twice.

A sentence that was retired stays so unless there is evidence that was not there when it was believed; one that was
corrected does not come back in its old wording from the old evidence.
"""

from collections.abc import Iterable
from typing import NamedTuple

from msgspec.structs import replace

from sojourn.model.events import Event, FactActivated, FactLearned, FactReinforced
from sojourn.model.knowledge import SCOPES, Fact, KnowledgeBase


class Learning(NamedTuple):
    """Which fact a sentence is, and what to append for it; nothing, if the fact says it all."""

    fact_id: str
    events: tuple[Event, ...]


def learning(knowledge: KnowledgeBase, learned: FactLearned, *, causes: Iterable[int] = ()) -> Learning:
    """Return how *knowledge* takes in *learned*, whose id is its sentence's, as derived from *causes*."""
    seqs = tuple(causes)
    similar = knowledge.find_similar(learned.content)
    if similar is None:
        return _new(knowledge, learned, seqs)
    new_evidence = _has_new_evidence(similar, learned, seqs)
    if similar.status == "retired":
        again = (replace(learned, fact_id=similar.fact_id),) if new_evidence else ()
        return Learning(similar.fact_id, again)
    events: list[Event] = []
    if similar.status == "candidate" and learned.status == "active":
        events.append(FactActivated(fact_id=similar.fact_id))
    if new_evidence or events or _adds(similar, learned):
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
            )
        )
    return Learning(similar.fact_id, tuple(events))


def _new(knowledge: KnowledgeBase, learned: FactLearned, causes: tuple[int, ...]) -> Learning:
    """Take in a sentence that no fact says. A fact with its id is one that said so until it was corrected."""
    corrected = knowledge.facts.get(learned.fact_id)
    if corrected is None:
        return Learning(learned.fact_id, (learned,))
    if not _has_new_evidence(corrected, learned, causes):
        return Learning(corrected.fact_id, ())
    number = 2
    while f"{learned.fact_id}-{number}" in knowledge.facts:
        number += 1
    fact_id = f"{learned.fact_id}-{number}"
    return Learning(fact_id, (replace(learned, fact_id=fact_id),))


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
