"""Which documents have no vectors of a model yet, and which models there are. It needs no NumPy."""

from collections.abc import Iterable

import apsw
import msgspec

from sojourn.memory.index.document import ToEmbed
from sojourn.memory.index.sqlite_query import listed, select
from sojourn.model.ids import TenantId
from sojourn.store.sql.sqlite_schema import transaction


def without_vectors(connection: apsw.Connection, tenant: TenantId, model: str, limit: int) -> list[ToEmbed]:
    """Return documents that have no vectors of *model*, newest first. A model that is new here is noted."""
    number = find_model(connection, tenant, model)
    if number is None:
        with transaction(connection):
            number = note_model(connection, tenant, model)
    rows = select(
        connection,
        "SELECT number, text FROM unembedded JOIN documents ON documents.number = unembedded.document"
        " WHERE unembedded.model = ? ORDER BY unembedded.at DESC, unembedded.document DESC LIMIT ?",
        (number, max(limit, 0)),
    )
    return [ToEmbed(number=document, text=text) for document, text in rows]


def find_model(connection: apsw.Connection, tenant: TenantId, model: str) -> int | None:
    """Return the number of a model that is known."""
    rows = select(connection, "SELECT number FROM models WHERE tenant = ? AND name = ?", (tenant, model))
    return next((int(number) for (number,) in rows), None)


def has_vectors(connection: apsw.Connection, tenant: TenantId, model: str) -> bool:
    """Tell whether a document has vectors of *model*, or had: how long they are is noted with the first."""
    rows = select(connection, "SELECT dimensions FROM models WHERE tenant = ? AND name = ?", (tenant, model))
    return any(dimensions is not None for (dimensions,) in rows)


def note_model(connection: apsw.Connection, tenant: TenantId, model: str) -> int:
    """Return the number of a model, within a transaction; for a new one every document waits to be embedded."""
    known = find_model(connection, tenant, model)
    if known is not None:
        return known
    connection.execute("INSERT INTO models (tenant, name) VALUES (?, ?)", (tenant, model))
    number = connection.last_insert_rowid()
    connection.execute(
        "INSERT INTO unembedded SELECT ?, at, documents.number FROM documents"
        " JOIN sessions ON sessions.number = documents.session WHERE tenant = ?",
        (number, tenant),
    )
    return number


def drop_vectors(connection: apsw.Connection, tenant: TenantId, *, except_models: Iterable[str]) -> int:
    """Remove the vectors of all other models of *tenant*; return how many."""
    with transaction(connection):
        rows = select(
            connection,
            "SELECT number FROM models WHERE tenant = ? AND name NOT IN (SELECT value FROM json_each(?))",
            (tenant, listed(except_models)),
        )
        others = msgspec.json.encode([number for (number,) in rows]).decode()
        before = connection.total_changes()
        connection.execute("DELETE FROM vectors WHERE model IN (SELECT value FROM json_each(?))", (others,))
        removed = connection.total_changes() - before
        connection.execute("DELETE FROM unembedded WHERE model IN (SELECT value FROM json_each(?))", (others,))
        connection.execute("DELETE FROM models WHERE number IN (SELECT value FROM json_each(?))", (others,))
        connection.execute("UPDATE about SET removed = removed + ?", (removed,))
    return removed
