"""Where full text is to be walked through: which numbers, before a document is ranked, and what is looked up after.

A session is a range of numbers, so one session of a huge index is found as fast as a small index is searched.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import apsw

from sojourn.memory.index.document import Where
from sojourn.memory.index.sqlite_query import ALWAYS, Sql, listed, select
from sojourn.memory.index.sqlite_scope import (
    SESSION_BITS,
    Stretch,
    numbers_of,
    of_documents,
    of_sessions,
    of_times,
    stretches,
)
from sojourn.model.ids import TenantId

_FEW_SESSIONS: Final = 3
"""So many sessions are walked through one after the other; of more, each number is compared."""
_FEW_DOCUMENTS: Final = 20_000
_TO_THE_END: Final = 1 << 62


class Scope(NamedTuple):
    """Where to look: a condition on numbers for each walk, one on the documents, and how many they are, at most."""

    walks: list[Sql]
    documents: Sql
    held: int


def scope_of(connection: apsw.Connection, tenant: TenantId, where: Where, everything: int) -> Scope | None:
    """Return where to look; None for nowhere."""
    if where.parts is None:
        allowed, documents = of_sessions(where, tenant), of_documents(where)
    else:
        found = stretches(connection, where, tenant)
        allowed = Sql("number IN (SELECT value FROM json_each(?))", (listed({one.session for one in found}),))
        documents = _within(found) & of_documents(where)
    counting = Sql("SELECT count(*), coalesce(sum(held), 0) FROM sessions WHERE").then(allowed)
    [(count, held)] = select(connection, counting)
    if held == 0:
        return None
    numbers = Sql("SELECT number FROM sessions WHERE").then(allowed)
    if held == everything:
        walks = [ALWAYS]
    elif count <= _FEW_SESSIONS:
        walks = [Sql("rowid BETWEEN ? AND ?", numbers_of(session)) for (session,) in select(connection, numbers)]
    else:
        walks = [Sql("(rowid >> ?) IN (", (SESSION_BITS,)).then(numbers).then(")")]
    return _narrowed(connection, Scope(walks, documents, held), where)


def _narrowed(connection: apsw.Connection, scope: Scope, where: Where) -> Scope | None:
    """Return *scope* with the numbers of the documents of a time or a kind, if these are few; None if there is none."""
    times = of_times(where)
    if times == ALWAYS:
        return scope
    some = Sql("SELECT 1 FROM documents WHERE").then(times).then("LIMIT ?", _FEW_DOCUMENTS + 1)
    [(count,)] = select(connection, Sql("SELECT count(*) FROM (").then(some).then(")"))
    if count > _FEW_DOCUMENTS:
        return scope
    if count == 0:
        return None
    # The plus keeps SQLite from asking full text once for each of them.
    numbers = Sql("+rowid IN (SELECT number FROM documents WHERE").then(times).then(")")
    return Scope([walk & numbers for walk in scope.walks], scope.documents, min(scope.held, count))


def _within(wanted: Sequence[Stretch]) -> Sql:
    """Return the condition on `documents` that they stand in one of these stretches."""
    if all(stretch.first <= 1 and stretch.last is None for stretch in wanted):
        return ALWAYS
    bounds = [(one.session, one.first, _TO_THE_END if one.last is None else one.last) for one in wanted]
    return Sql(
        "EXISTS (SELECT 1 FROM json_each(?) AS part WHERE part.value ->> 0 = session"
        " AND seq BETWEEN part.value ->> 1 AND part.value ->> 2)",
        (listed(bounds),),
    )
