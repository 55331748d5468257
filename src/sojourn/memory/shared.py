"""What holds beyond one session: the facts of several sessions as one body, each with the sessions it came from.

What sessions say of the same thing is united; of what contradicts, the newest holds; what was retired last stays so.
Nothing here crosses users: whoever collects the facts asks for one user's.
"""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from sojourn.errors import InvalidInputError
from sojourn.memory.facts.slots import is_exclusive
from sojourn.memory.index.document import FactRow
from sojourn.model.ids import SessionId
from sojourn.model.knowledge import Fact, KnowledgeBase, worth
from sojourn.model.state import SessionState
from sojourn.model.value import Value
from sojourn.model.wording import SAME, Sentence, coverage, sentence, terms

SURE: Final = 0.8
"""Knowledge for all sessions must be surer than this."""


class SharedFact(Value, frozen=True, kw_only=True):
    """A fact, and the sessions that it came from, the one that said so last first."""

    fact: Fact
    sessions: tuple[SessionId, ...]


class _Said:
    """A fact on its way into the body of facts."""

    def __init__(self, row: FactRow) -> None:
        self.fact = row.fact
        self.sentence: Sentence = sentence(row.fact.content)
        self.sessions = [row.session_id]
        slot = row.fact.slot
        self.exclusive = slot if slot is not None and is_exclusive(slot) else None

    def says_the_same(self, other: "_Said") -> bool:
        one, two = self.fact, other.fact
        if one.fact_id == two.fact_id or self.sentence.says_the_same(other.sentence):
            return True
        return one.slot is not None and (one.slot, one.value) == (two.slot, two.value)


class _Known:
    """Facts that were looked at already, found again by what they say without comparing each with each."""

    def __init__(self) -> None:
        self.facts: list[_Said] = []
        self._by_id: dict[str, _Said] = {}
        self._by_answer: dict[tuple[str, str | None], _Said] = {}
        self._by_word: dict[str, list[_Said]] = {}
        self.exclusive: set[str] = set()

    def add(self, said: _Said) -> None:
        self.facts.append(said)
        self._by_id.setdefault(said.fact.fact_id, said)
        if said.fact.slot is not None:
            self._by_answer.setdefault((said.fact.slot, said.fact.value), said)
        if said.exclusive is not None:
            self.exclusive.add(said.exclusive)
        for word in said.sentence.meaning:
            self._by_word.setdefault(word, []).append(said)

    def find(self, said: _Said) -> _Said | None:
        """Return a fact that says the same."""
        if (same := self._by_id.get(said.fact.fact_id)) is not None:
            return same
        if said.fact.slot is not None and (same := self._by_answer.get((said.fact.slot, said.fact.value))) is not None:
            return same
        # Two that say the same share nearly all of their words, so they share one of any few: the rarest are looked at.
        words = sorted(said.sentence.meaning, key=lambda word: (len(self._by_word.get(word, ())), word))
        few = words[: int(len(words) * (1 - SAME)) + 1]
        near = (one for word in few for one in self._by_word.get(word, ()))
        return next((one for one in near if one.says_the_same(said)), None)


def united(rows: Iterable[FactRow]) -> tuple[SharedFact, ...]:
    """Return the facts that hold, of all that the sessions know, the most worth first."""
    held, gone = _Known(), _Known()
    for row in sorted(rows, key=lambda row: (row.fact.updated_at, row.fact.fact_id), reverse=True):
        said = _Said(row)
        same = held.find(said)
        if same is not None:
            if row.session_id not in same.sessions and said.fact.status == "active":
                same.sessions.append(row.session_id)
                same.fact = replace(same.fact, confidence=max(same.fact.confidence, said.fact.confidence))
        elif said.fact.status == "retired":
            gone.add(said)
        elif said.fact.status == "active" and gone.find(said) is None and said.exclusive not in held.exclusive:
            # Nothing newer says that it does not hold any more, or that something else does.
            held.add(said)
    best = sorted(held.facts, key=lambda one: worth(one.fact), reverse=True)
    return tuple(SharedFact(fact=one.fact, sessions=tuple(one.sessions)) for one in best)


def relevant(facts: Iterable[SharedFact], query: str, *, limit: int = 5) -> list[SharedFact]:
    """Return the facts that share words with *query*: those that hold the largest share of it first."""
    asked = terms(query)
    scored = [(coverage(asked, one.fact.content), worth(one.fact), one) for one in facts]
    found = sorted((one for one in scored if one[0] > 0), key=lambda one: one[:2], reverse=True)
    return [one for _, _, one in found[: max(limit, 0)]]


class GlobalKnowledgeBase:
    """What one user's sessions know for sure: facts with a confidence above 0.8, and where they came from."""

    def __init__(self, user_id: str | None = None, rows: Iterable[FactRow] = ()) -> None:
        self.user_id = user_id
        self._rows: list[FactRow] = []
        self._add(rows)

    def add_session(self, state: SessionState) -> None:
        """Take in what a session knows for sure, in place of what it knew before.

        Raises:
            InvalidInputError: it is another user's session.
        """
        if state.user_id != self.user_id:
            raise InvalidInputError(f"session={state.session_id} is of another user than {self.user_id!r:.100}")
        self._rows = [row for row in self._rows if row.session_id != state.session_id]
        self._add(rows_of(state.knowledge_base, state))

    def _add(self, rows: Iterable[FactRow]) -> None:
        self._rows += [row for row in rows if row.fact.status == "retired" or row.fact.confidence > SURE]

    @property
    def facts(self) -> tuple[SharedFact, ...]:
        """All of it, the most worth first."""
        return united(self._rows)

    def search(self, query: str, limit: int = 5) -> list[SharedFact]:
        """Return the facts that share words with *query*, the most relevant first."""
        return relevant(self.facts, query, limit=limit)

    def get_global_context(self, query: str) -> str:
        """Return what the sessions know about *query*, a line for each fact; an empty text if nothing."""
        return "\n".join(f"- {one.fact.content}" for one in self.search(query))


def rows_of(knowledge: KnowledgeBase, state: SessionState) -> list[FactRow]:
    """Return the facts of a session's state as the index keeps them."""
    return [
        FactRow(session_id=state.session_id, user_id=state.user_id, project=state.header.project, fact=fact)
        for fact in knowledge.facts.values()
    ]
