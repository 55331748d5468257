"""The facts that there are to look at: what the session holds, and what the sessions of its project and user share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, get_args

from sojourn.engine.app import Sojourn
from sojourn.engine.recall.indexer import FILE_TAG
from sojourn.engine.session import Session
from sojourn.memory.shared import SharedFact
from sojourn.model.events import FactScope, FactStatus
from sojourn.model.ids import SessionId
from sojourn.model.knowledge import Fact, worth
from sojourn.model.wording import coverage, terms

Scope = Literal["all", "session", "project", "user"]
SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)
STATUSES: Final[tuple[FactStatus, ...]] = ("active", "candidate", "retired")
_MOST: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A fact, and the sessions that hold it; *is_here* if the open one does."""

    fact: Fact
    sessions: tuple[SessionId, ...]
    is_here: bool


async def read_known(app: Sojourn, session: Session | None, *, project: str, scope: Scope) -> list[Known]:
    """Return the facts of every status that *scope* names, each once: as the open session has it, if it does."""
    own = _held_here(session)
    if scope == "session":
        return own
    user_id = session.state.user_id if session is not None else None
    found = list(own) if scope == "all" else [one for one in own if _is_within(one.fact, scope)]
    if scope in ("all", "project"):
        shared = await app.memory.project_facts(project, user_id=user_id)
        found += await _shared(app, shared, user_id=user_id, project=project, scopes=("project",))
    if scope in ("all", "user"):
        shared = await app.memory.user_facts(user_id)
        found += await _shared(app, shared, user_id=user_id, project=None, scopes=("user", "global"))
    first: dict[str, Known] = {}
    for one in found:
        first.setdefault(one.fact.fact_id, one)
    return list(first.values())


def chosen(known: Iterable[Known], *, status: FactStatus, words: str) -> list[Known]:
    """Return those with this status that have to do with *words*: the best first, or else the newest."""
    some = [one for one in known if one.fact.status == status]
    asked, folded = terms(words), words.strip().casefold()
    if not folded:
        return sorted(some, key=_order, reverse=True)
    scored = [
        (max(coverage(asked, one.fact.content), float(folded in one.fact.content.casefold())), one) for one in some
    ]
    return [one for share, one in sorted(scored, key=lambda pair: -pair[0]) if share > 0]


def counts(known: Sequence[Known]) -> dict[FactStatus, int]:
    """Return how many facts there are of each status."""
    return {status: sum(one.fact.status == status for one in known) for status in STATUSES}


def _order(one: Known) -> tuple[int, float, datetime, str]:
    """Return what puts facts in order: candidates by what they are worth, the others by when they changed."""
    fact = one.fact
    return worth(fact) if fact.status == "candidate" else (0, 0.0, fact.updated_at, fact.fact_id)


def _held_here(session: Session | None) -> list[Known]:
    if session is None:
        return []
    return [Known(fact=fact, sessions=(session.id,), is_here=True) for fact in session.facts]


def _is_within(fact: Fact, scope: Scope) -> bool:
    return fact.scope in (("user", "global") if scope == "user" else (scope,))


async def _shared(
    app: Sojourn,
    active: Sequence[SharedFact],
    *,
    user_id: str | None,
    project: str | None,
    scopes: Sequence[FactScope],
) -> list[Known]:
    """Return what other sessions share: what holds, and what waits or was retired in one of them."""
    found = [Known(fact=one.fact, sessions=one.sessions, is_here=False) for one in active]
    index = await app.memory.index()
    rows = await index.facts(user_id=user_id, project=project, scopes=scopes, limit=_MOST)
    found += [
        Known(fact=row.fact, sessions=(row.session_id,), is_here=False)
        for row in rows
        if row.user_id == user_id and row.fact.status != "active" and FILE_TAG not in row.fact.tags
    ]
    return found
