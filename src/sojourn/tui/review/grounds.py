"""Why a fact is believed, read from the journal of the session that holds it."""

from dataclasses import dataclass

from sojourn.engine.session import Session
from sojourn.engine.why import Explanation
from sojourn.errors import NotFoundError
from sojourn.model.knowledge import Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """A fact, the session that holds it, why it is believed, and what else its question was answered with."""

    fact: Fact
    session_id: str
    explained: Explanation
    others: tuple[Fact, ...] = ()


async def find_grounds(session: Session, fact: Fact) -> Grounds:
    """Return what *fact* of *session* rests on. The errors are those of reading a journal."""
    try:
        history = await session.facts.history(fact.fact_id)
    except NotFoundError:
        history = []  # it is among those that the state holds no more, and nobody kept them
    others = tuple(one for one in history if one.fact_id != fact.fact_id)
    return Grounds(fact=fact, session_id=session.id, explained=await _explained(session, fact), others=others)


async def _explained(session: Session, fact: Fact) -> Explanation:
    if session.facts.find(fact.fact_id) is not None:
        return await session.why(fact)
    # The state holds the best hundred; what an older one rests on, the fact itself says.
    told = [await session.why(int(seq)) for seq in fact.evidence if 1 <= seq <= session.head]
    entries = {entry.seq: entry for one in told for entry in one.entries}
    quotes = {quote.seq: quote for one in told for quote in one.quotes}
    return Explanation(
        subject=fact.content,
        entries=tuple(entries[seq] for seq in sorted(entries)),
        quotes=tuple(quotes[seq] for seq in sorted(quotes)),
    )
