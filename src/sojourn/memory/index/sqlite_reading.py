"""What the index tells by name or number: sessions, documents, neighbours in the talk, facts."""

from collections.abc import Sequence
from typing import Any, Final, get_args

import apsw
import msgspec

from sojourn.memory.index.document import Document, DocumentKind, FactRow, Mark, Stored
from sojourn.memory.index.sqlite_query import ALWAYS, Sql, among, listed, select
from sojourn.model.events import FactScope
from sojourn.model.ids import Seq, SessionId, TenantId
from sojourn.model.knowledge import Fact
from sojourn.store.rows import moment

_FIELDS: Final = ("seq", "kind", "role", "speaker", "at", "place", "fact_id", "text")
_KINDS: Final[dict[str, DocumentKind]] = {kind: kind for kind in get_args(DocumentKind)}
_FACT: Final = Sql(
    "SELECT session_id, user_id, project, fact FROM facts JOIN sessions ON sessions.number = facts.session"
)


def watermarks(
    connection: apsw.Connection, tenant: TenantId, session_ids: Sequence[SessionId]
) -> dict[SessionId, Mark]:
    """Return how far each of these sessions is indexed."""
    rows = select(
        connection,
        "SELECT session_id, watermark, epoch FROM sessions WHERE tenant = ?"
        " AND session_id IN (SELECT value FROM json_each(?))",
        (tenant, listed(session_ids)),
    )
    return {SessionId(one): Mark(seq=Seq(watermark), epoch=epoch) for one, watermark, epoch in rows}


def sessions(connection: apsw.Connection, tenant: TenantId) -> list[SessionId]:
    """Return the ids of all sessions, sorted."""
    rows = select(connection, "SELECT session_id FROM sessions WHERE tenant = ? ORDER BY session_id", (tenant,))
    return [SessionId(one) for (one,) in rows]


def next_place(connection: apsw.Connection, tenant: TenantId, session_id: SessionId) -> int:
    """Return the place that the session's next message has."""
    rows = select(
        connection, "SELECT next_place FROM sessions WHERE tenant = ? AND session_id = ?", (tenant, session_id)
    )
    return next((int(place) for (place,) in rows), 0)


def documents(connection: apsw.Connection, tenant: TenantId, numbers: Sequence[int]) -> list[Stored]:
    """Return the documents with these numbers, in their order."""
    rows = select(
        connection,
        _columns("documents").then(
            "FROM json_each(?) AS wanted JOIN documents ON documents.number = wanted.value"
            " JOIN sessions ON sessions.number = documents.session WHERE tenant = ? ORDER BY wanted.key",
            listed(numbers),
            tenant,
        ),
    )
    return [_stored(row) for row in rows]


def around(
    connection: apsw.Connection, tenant: TenantId, numbers: Sequence[int], *, before: int, after: int
) -> dict[int, list[Stored]]:
    """Return the neighbours of these messages, by place; a number that is no message has none."""
    rows = select(
        connection,
        _columns("near").then(
            ", this.number FROM json_each(?) AS wanted JOIN documents AS this ON this.number = wanted.value"
            " JOIN documents AS near ON near.session = this.session"
            " AND near.place BETWEEN this.place - ? AND this.place + ? AND near.number <> this.number"
            " JOIN sessions ON sessions.number = this.session WHERE tenant = ? ORDER BY wanted.key, near.place",
            listed(dict.fromkeys(numbers)),
            max(before, 0),
            max(after, 0),
            tenant,
        ),
    )
    found: dict[int, list[Stored]] = {number: [] for number in numbers}
    for *row, number in rows:
        found[number].append(_stored(row))
    return found


def find_fact(connection: apsw.Connection, tenant: TenantId, session_id: SessionId, fact_id: str) -> FactRow | None:
    """Return a fact of a session as it stands."""
    query = _FACT.then("WHERE tenant = ? AND session_id = ? AND fact_id = ?", tenant, session_id, fact_id)
    return next((_fact_row(row) for row in select(connection, query)), None)


def facts(
    connection: apsw.Connection,
    tenant: TenantId,
    *,
    session_id: SessionId | None,
    user_id: str | None,
    project: str | None,
    scopes: Sequence[FactScope],
    slot: str | None,
    fact_id: str | None,
    min_confidence: float,
    limit: int,
) -> list[FactRow]:
    """Return the facts that meet every condition that is given, last changed first."""
    wanted = Sql("tenant = ?", (tenant,)) & Sql("confidence >= ?", (min_confidence,))
    named = {"session_id": session_id, "user_id": user_id, "project": project, "slot": slot, "fact_id": fact_id}
    for column, value in named.items():
        wanted &= ALWAYS if value is None else Sql(f"{column} = ?", (value,))
    if scopes:
        wanted &= among("scope", tuple(scopes))
    query = _FACT.then("WHERE").then(wanted).then("ORDER BY updated_at DESC, fact_id LIMIT ?", max(limit, 0))
    return [_fact_row(row) for row in select(connection, query)]


def _columns(table: str) -> Sql:
    columns = ", ".join((f"{table}.number", "session_id", *(f"{table}.{field}" for field in _FIELDS)))
    return Sql("SELECT").then(columns)


def _stored(row: Sequence[Any]) -> Stored:
    number, session_id, seq, kind, role, speaker, at, place, fact_id, text = row
    document = Document(
        session_id=SessionId(session_id),
        seq=Seq(seq),
        kind=_KINDS[kind],
        text=text,
        at=moment(at),
        role=role,
        speaker=speaker,
        place=place,
        fact_id=fact_id,
    )
    return Stored(number=number, document=document)


def _fact_row(row: Sequence[Any]) -> FactRow:
    session_id, user_id, project, fact = row
    return FactRow(
        session_id=SessionId(session_id),
        user_id=user_id,
        project=project,
        fact=msgspec.json.decode(fact, type=Fact),
    )
