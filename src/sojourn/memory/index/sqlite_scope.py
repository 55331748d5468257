"""From a `Where` to SQL: which sessions, and which of their documents."""

from typing import Final, NamedTuple

import apsw

from sojourn.memory.index.document import Part, Where
from sojourn.memory.index.sqlite_query import ALWAYS, Sql, among, listed, select
from sojourn.model.ids import TenantId
from sojourn.store.rows import micros

SESSION_BITS: Final = 24
"""A document's number is its session's number, shifted by so many bits, plus a count."""
PER_SESSION: Final = 1 << SESSION_BITS


class Stretch(NamedTuple):
    """Entries *first* to *last* (None: to the end) of the session with this number."""

    session: int
    first: int
    last: int | None


_FOREVER: Final = 1 << 62


def numbers_of(session: int) -> tuple[int, int]:
    """Return the first and the last number that a document of *session* can have."""
    return session << SESSION_BITS, ((session + 1) << SESSION_BITS) - 1


def of_sessions(where: Where, tenant: TenantId) -> Sql:
    """Return the condition on `sessions` for all but *where*'s parts. It is never NULL."""
    found = Sql("tenant = ?", (tenant,))
    if where.parts is None:
        found &= Sql("NOT hidden")
        if not where.everyone:
            found &= Sql("user_id IS ?", (where.user_id,))
    if where.project is not None:
        found &= Sql("project IS ?", (where.project,))
    if where.tag is not None:
        found &= Sql("EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)", (where.tag,))
    return found


def stretches(connection: apsw.Connection, where: Where, tenant: TenantId) -> list[Stretch]:
    """Return *where*'s parts that are in the index and meet the other conditions on their sessions."""
    sessions = of_sessions(where, tenant)
    found: list[Stretch] = []
    wanted: dict[str, list[Part]] = {}
    for part in where.parts or ():
        wanted.setdefault(part.session_id, []).append(part)
    query = Sql("SELECT number, session_id FROM sessions WHERE").then(
        Sql("session_id IN (SELECT value FROM json_each(?))", (listed(wanted),)) & sessions
    )
    for number, session_id in select(connection, query):
        found += (Stretch(number, part.first, part.last) for part in wanted[session_id])
    return sorted(found)


def of_documents(where: Where) -> Sql:
    """Return the condition on `documents` for what *where* says of a document itself."""
    found = of_times(where)
    if where.roles:
        found &= among("role", where.roles)
    return found


def of_times(where: Where) -> Sql:
    """Return the condition on `documents` for what `documents_by_time` can tell."""
    if set(where.kinds) == {"message", "fact"} and where.since is None and where.until is None:
        return ALWAYS
    since = -_FOREVER if where.since is None else micros(where.since)
    until = _FOREVER if where.until is None else micros(where.until)
    return among("kind", where.kinds) & Sql("at BETWEEN ? AND ?", (since, until))
