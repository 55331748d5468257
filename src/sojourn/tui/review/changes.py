"""A change of what is known, and the way back from it.

A change is taken back by the verbs that made it, so the journal tells both: nothing is removed.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from sojourn.engine.session import Session
from sojourn.model.knowledge import Fact
from sojourn.model.profile import LISTS, SCALARS
from sojourn.model.state import SessionState

Verb = Callable[[Session], Awaitable[object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """What changed in one session.

    *beyond* is a fact as it was before and is after, if the state holds it no more: the state says nothing about it.
    """

    session: Session
    before: SessionState
    after: SessionState
    beyond: tuple[Fact, Fact] | None = None

    def changed_facts(self) -> list[tuple[Fact | None, Fact]]:
        """Return each fact that changed, as it was, if it was, and as it is."""
        before, after = self.before.knowledge_base.facts, self.after.knowledge_base.facts
        changed = [(before.get(key), now) for key, now in after.items() if before.get(key) != now]
        return [*changed, *([self.beyond] if self.beyond is not None else [])]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Something that was changed, in words, and in which sessions."""

    told: str
    parts: tuple[_Part, ...]

    @property
    def is_empty(self) -> bool:
        """Whether everything was so already."""
        return all(part.before.head == part.after.head and _same(part) for part in self.parts)

    @property
    def is_in_memory(self) -> bool:
        """Whether nothing of it was written: what is known about a user who did not agree to that."""
        return all(part.before.head == part.after.head for part in self.parts)


async def change(sessions: Sequence[Session], verb: Verb, *, told: str, fact: Fact | None = None) -> Change:
    """Do *verb*, with *fact* if it is about one, in each of *sessions*, and return what changed by it.

    The errors are the verb's.
    """
    parts = []
    for session in sessions:
        before = session.state
        now = await verb(session)
        beyond = None
        if fact is not None and isinstance(now, Fact) and fact.fact_id not in before.knowledge_base.facts:
            beyond = (fact, now)
        parts.append(_Part(session=session, before=before, after=session.state, beyond=beyond))
    return Change(told=told, parts=tuple(parts))


async def take_back(done: Change) -> None:
    """Let facts, pins and profile be again as they were before *done*, as far as it changed them."""
    for part in done.parts:
        await _take_back_facts(part)
        await _take_back_pins(part)
        await _take_back_profile(part)


def _same(part: _Part) -> bool:
    before, after = part.before, part.after
    return before.knowledge_base == after.knowledge_base and before.user_profile == after.user_profile


async def _take_back_facts(part: _Part) -> None:
    """Bring back what held before anything else: that retires what took its place."""
    facts = part.session.facts
    changed = part.changed_facts()
    for was, now in changed:
        if was is not None and was.content != now.content:
            await facts.correct(was.fact_id, was.content, confidence=was.confidence, source=was.sources[-1])
    for was, _ in changed:
        if was is not None and was.status == "active":
            await facts.activate(was.fact_id)
    for was, now in changed:
        if was is None:
            await facts.retire(now.fact_id, "taken back")
        elif was.status == "retired":
            await facts.retire(was.fact_id, was.retired_reason or "")
        elif was.status == "candidate":
            await facts.put_back(was.fact_id)


async def _take_back_pins(part: _Part) -> None:
    before, after = part.before.working_set.pinned_facts, part.after.working_set.pinned_facts
    for text in after:
        if text not in before:
            await part.session.working_set.unpin(text)
    for text in before:
        if text not in after:
            await part.session.working_set.pin(text)


async def _take_back_profile(part: _Part) -> None:
    before, after, profile = part.before.user_profile, part.after.user_profile, part.session.profile
    for name in (*SCALARS, *LISTS):
        was, now = getattr(before, name), getattr(after, name)
        if was == now:
            continue
        gained = [item for item in now if item not in was] if name in LISTS else [None] if not was else []
        for item in gained:
            await profile.remove(name, item)
        if was and getattr(profile(), name) != was:
            origin = before.origins.get(name)
            await profile.set(name, was, confidence=origin.confidence if origin is not None else 0.8)
