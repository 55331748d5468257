"""Which facts a new statement repeats, and which it replaces: what `sojourn.model.learning` asks.

Comparing vectors is the only part that takes time, so it is done before, on a thread, and only with facts that could
say the same.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from sojourn.memory.embeddings.on_thread import embed_on_thread
from sojourn.memory.embeddings.protocol import Embedder
from sojourn.memory.facts.meaning import NEAR, could_be_same, same_meaning
from sojourn.memory.facts.question import THE_WORK, is_exclusive, subject_of
from sojourn.memory.facts.values import same_value
from sojourn.model.events import FactLearned
from sojourn.model.knowledge import Fact

MAX_COMPARED: Final = 64
"""So many facts are compared by their vectors; those that share the most words come first."""
_OPPOSITE: Final = {"interests": "dislikes", "dislikes": "interests", "likes": "dislikes"}


_SWITCHED: Final = re.compile(
    r"(?P<subject>.{1,60}?) (?:has |have |was |were |is |are )?(?:now |recently |just )?"
    r"(?:switched|migrated|moved|changed|went) (?:over )?from (?P<former>.{1,60}?) to .+",
    re.IGNORECASE,
)
GENERIC: Final = frozenset({"limit", "timeout", "version", "port", "size", "date", "deadline", "budget", "price"})
"""Attributes that one names without their modifiers: "the limit" is the rate limit, if that is the only one."""


def _left_behind(content: str, fact: Fact) -> bool:
    """Tell whether *content* says that what the fact's value names was given up: "switched from MySQL to ..."."""
    match = _SWITCHED.fullmatch(content.rstrip(" ."))
    if match is None or not fact.slot or not fact.value or not same_value(match["former"], fact.value):
        return False
    return subject_of(match["subject"]) in (fact.slot.rpartition("/")[0], "we", "team", THE_WORK)


class FactMeaning:
    """Compares a statement with facts: by words, by the question that they answer, and by *cosines* where given.

    *cosines* has the nearness of the statement to each fact's content. Without any it works all the same.
    """

    def __init__(self, cosines: Mapping[str, float] | None = None, *, near: float = NEAR) -> None:
        self._cosines = cosines or {}
        self._near = near

    def same(self, learned: FactLearned, fact: Fact) -> bool:
        """Tell whether *learned* says what the fact says."""
        if learned.slot and fact.slot == learned.slot and learned.value and fact.value:
            return same_value(learned.value, fact.value)
        return same_meaning(learned.content, fact.content, cosine=self._cosines.get(fact.content), near=self._near)

    def replaces(self, learned: FactLearned, fact: Fact) -> bool:
        """Tell whether both cannot hold: another value of a slot that has one, or what was liked and now is hated."""
        if not (learned.slot and fact.slot and learned.value and fact.value):
            return _left_behind(learned.content, fact)
        if learned.slot == fact.slot:
            return is_exclusive(learned.slot) and not same_value(learned.value, fact.value)
        if _left_behind(learned.content, fact):
            return True
        subject, _, attribute = learned.slot.rpartition("/")
        opposite = _OPPOSITE.get(attribute)
        return fact.slot == f"{subject}/{opposite}" and same_value(learned.value, fact.value)


def meant(slot: str, facts: Iterable[Fact]) -> str:
    """Return the slot that *slot* stands for among *facts*, where nobody says whose attribute it is.

    "The port is 9090", after nothing but "the server runs on port 8080", speaks of the server's.
    """
    subject, _, attribute = slot.rpartition("/")
    if subject != THE_WORK:
        return slot
    known = {fact.slot for fact in facts if fact.status == "active" and fact.slot}
    alike = {one for one in known if one.rpartition("/")[2] == attribute}
    alike = alike or {one for one in known if one.endswith(f" {attribute}") and attribute in GENERIC}
    return alike.pop() if len(alike) == 1 else slot


class MeaningJudge:
    """Makes `FactMeaning`s, with vectors if it has an embedder, best a caching one. Lives as long as its app."""

    def __init__(self, embedder: Embedder | None = None, *, near: float = NEAR) -> None:
        self._embedder = embedder
        self._near = near

    async def about(self, content: str, facts: Iterable[Fact]) -> FactMeaning:
        """Return what compares *content* with *facts*.

        Raises:
            EmbeddingError: the embedder failed.
        """
        if self._embedder is None:
            return FactMeaning()
        near = [fact.content for fact in facts if could_be_same(content, fact.content)][-MAX_COMPARED:]
        if not near:
            return FactMeaning()
        rows = await embed_on_thread(self._embedder, [content, *near])
        cosines = {text: float(rows[0] @ row) for text, row in zip(near, rows[1:], strict=True)}
        return FactMeaning(cosines, near=self._near)
