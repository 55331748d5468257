"""The vectors of an index in SQLite: kept as rows, searched in a copy in memory that follows the rows.

The copy is read when it is first needed, and before each search the rows that are new since, whoever wrote them, are
added to it. Rows that are gone stay in it, and are told by their documents being gone, until they are too many.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

import apsw
import numpy as np
from numpy.typing import NDArray

from sojourn.errors import EmbeddingError
from sojourn.memory.index.document import Found, Where
from sojourn.memory.index.sqlite_embedding import find_model, note_model
from sojourn.memory.index.sqlite_query import Sql, listed, reading, select
from sojourn.memory.index.sqlite_scope import SESSION_BITS, of_sessions, stretches
from sojourn.memory.index.vectors import Floats, Rows, VectorTable, Wanted, cosines, pack, unit_rows, unpack
from sojourn.model.ids import TenantId
from sojourn.store.rows import micros
from sojourn.store.sql.sqlite_schema import transaction

_AT_ONCE: Final = 20_000
_MAX_GONE: Final = 0.1
"""Share of the rows in memory that may be gone from the file before all are read anew."""


def add_vectors(
    connection: apsw.Connection, tenant: TenantId, model: str, vectors: Sequence[tuple[int, Floats]]
) -> None:
    """Keep the vectors of documents in place of those they have, in one transaction."""
    sizes = {rows.shape[-1] for _, rows in vectors if rows.size}
    packed = [(document, pack(unit_rows(rows)) if rows.size else []) for document, rows in vectors]
    with transaction(connection):
        number = note_model(connection, tenant, model)
        [(dimensions,)] = select(connection, "SELECT dimensions FROM models WHERE number = ?", (number,))
        if len(sizes | ({dimensions} - {None})) > 1:
            raise EmbeddingError(f"{model} has vectors of {dimensions or min(sizes)}, and also of {max(sizes)} numbers")
        if dimensions is None and sizes:
            connection.execute("UPDATE models SET dimensions = ? WHERE number = ?", (sizes.pop(), number))
        there = _times(connection, [document for document, _ in packed])
        known = [(document, rows) for document, rows in packed if document in there]
        before = connection.total_changes()
        connection.executemany(
            "DELETE FROM vectors WHERE document = ? AND model = ?", [(document, number) for document, _ in known]
        )
        connection.execute("UPDATE about SET removed = removed + ?", (connection.total_changes() - before,))
        connection.executemany(
            "INSERT INTO vectors (document, model, vector) VALUES (?, ?, ?)",
            [(document, number, row) for document, rows in known for row in rows],
        )
        connection.executemany(
            "DELETE FROM unembedded WHERE model = ? AND at = ? AND document = ?",
            [(number, there[document], document) for document, _ in known],
        )


def similarities(
    connection: apsw.Connection, tenant: TenantId, model: str, vector: Floats, numbers: Sequence[int]
) -> dict[int, float]:
    """Return how near each of these documents is to *vector*."""
    compared = _compared(connection, tenant, model, vector, numbers)
    found: dict[int, float] = {}
    for document, score in zip(compared.documents, compared.scores.tolist(), strict=True):
        found[document] = max(score, found.get(document, score))
    return found


def closest_vectors(
    connection: apsw.Connection, tenant: TenantId, model: str, vector: Floats, numbers: Sequence[int]
) -> dict[int, Floats]:
    """Return of each of these documents the vector that is nearest to *vector*."""
    compared = _compared(connection, tenant, model, vector, numbers)
    found: dict[int, Floats] = {}
    for place in np.argsort(-compared.scores, kind="stable").tolist():
        found.setdefault(compared.documents[place], compared.scales[place] * compared.quantised[place])
    return found


class _Compared(NamedTuple):
    """The vectors of some documents, a row each, with their cosines."""

    documents: list[int]
    scales: Floats
    quantised: NDArray[np.int8]
    scores: Floats


def _compared(
    connection: apsw.Connection, tenant: TenantId, model: str, vector: Floats, numbers: Sequence[int]
) -> _Compared:
    """Compare all vectors of these documents with *vector*."""
    known = _model(connection, tenant, model, vector)
    question = unit_rows(vector.reshape(1, -1))
    if known is None or not len(question):
        return _Compared([], np.empty(0, np.float32), np.empty((0, 0), np.int8), np.empty(0, np.float32))
    rows = select(
        connection,
        "SELECT document, vector FROM vectors WHERE model = ? AND document IN (SELECT value FROM json_each(?))",
        (known.number, listed(numbers)),
    )
    scales, quantised = unpack([row for _, row in rows], known.dimensions)
    return _Compared([document for document, _ in rows], scales, quantised, cosines(question[0], scales, quantised))


class _Model(NamedTuple):
    number: int
    dimensions: int


class _Copy(NamedTuple):
    """The rows of one model in memory, with the last of them and what the file was like when the first was read."""

    table: VectorTable
    life: int
    removed: int
    last: int


class NearestDocuments:
    """Searches the vectors of one tenant. Lives on one thread, with the connection that it is called with."""

    def __init__(self, tenant: TenantId) -> None:
        self._tenant = tenant
        self._copies: dict[int, _Copy] = {}
        self._labels: dict[tuple[str, str], int] = {}

    def nearest(self, connection: apsw.Connection, model: str, vector: Floats, where: Where, limit: int) -> list[Found]:
        """Return the documents whose best vector is nearest to *vector*, best first."""
        with reading(connection):
            known = _model(connection, self._tenant, model, vector)
            if known is None or limit <= 0:
                return []
            table = self._current(connection, known)
            ranked = table.nearest(vector, self._wanted(connection, where))
            return _still_there(connection, ranked, limit)

    def _current(self, connection: apsw.Connection, model: _Model) -> VectorTable:
        """Return the copy of the vectors of *model*, with all rows that the file has."""
        [(life, removed)] = select(connection, "SELECT life, removed FROM about")
        copy = self._copies.get(model.number)
        if copy is None or copy.life != life or removed - copy.removed > _MAX_GONE * len(copy.table) + _AT_ONCE:
            self._copies = {number: one for number, one in self._copies.items() if one.life == life}
            copy = _Copy(VectorTable(model.dimensions), life, removed, 0)
        last = copy.last
        while rows := select(connection, _NEW_ROWS, (last, model.number, _AT_ONCE)):
            last = rows[-1][0]
            copy.table.append(self._as_rows(rows, model.dimensions))
        self._copies[model.number] = copy._replace(last=last)
        return copy.table

    def _as_rows(self, rows: list[tuple[Any, ...]], dimensions: int) -> Rows:
        _, documents, seqs, times, kinds, roles, packed = zip(*rows, strict=True)
        numbers = np.array(documents, np.int64)
        labels = [self._labels.setdefault(pair, len(self._labels)) for pair in zip(kinds, roles, strict=True)]
        scales, quantised = unpack(packed, dimensions)
        return Rows(
            numbers=numbers,
            sessions=(numbers >> SESSION_BITS).astype(np.int32),
            seqs=np.array(seqs, np.int32),
            times=np.array(times, np.int64),
            labels=np.array(labels, np.uint16),
            scales=scales,
            quantised=quantised,
        )

    def _wanted(self, connection: apsw.Connection, where: Where) -> Wanted:
        labels = None
        if where.roles or set(where.kinds) != {"message", "fact"}:
            labels = tuple(
                label
                for (kind, role), label in self._labels.items()
                if kind in where.kinds and (not where.roles or role in where.roles)
            )
        return Wanted(
            sessions=None if where.parts is not None else self._sessions(connection, where),
            stretches=None if where.parts is None else tuple(stretches(connection, where, self._tenant)),
            labels=labels,
            since=None if where.since is None else micros(where.since),
            until=None if where.until is None else micros(where.until),
        )

    def _sessions(self, connection: apsw.Connection, where: Where) -> NDArray[np.int64] | None:
        """Return the sessions that *where* allows, None for all that the tenant has."""
        allowed = of_sessions(where, self._tenant)
        others = Sql("SELECT 1 FROM sessions WHERE tenant = ? AND NOT (", (self._tenant,)).then(allowed)
        if not select(connection, others.then(") LIMIT 1")):
            return None
        rows = select(connection, Sql("SELECT number FROM sessions WHERE").then(allowed))
        return np.array([number for (number,) in rows], np.int64)


_NEW_ROWS: Final = (
    "SELECT vectors.number, document, seq, at, kind, role, vector FROM vectors"
    " JOIN documents ON documents.number = vectors.document"
    " WHERE vectors.number > ? AND model = ? ORDER BY vectors.number LIMIT ?"
)


def _model(connection: apsw.Connection, tenant: TenantId, model: str, vector: Floats) -> _Model | None:
    """Return the model if it has vectors.

    Raises:
        EmbeddingError: they have another size than *vector*.
    """
    number = find_model(connection, tenant, model)
    rows = select(connection, "SELECT dimensions FROM models WHERE number = ?", (number,))
    if number is None or rows[0][0] is None:
        return None
    if vector.shape != (rows[0][0],):
        raise EmbeddingError(f"{model} has vectors of {rows[0][0]} numbers, the question has {vector.shape}")
    return _Model(number, rows[0][0])


def _times(connection: apsw.Connection, numbers: Sequence[int]) -> dict[int, int]:
    """Return when each of these documents was said; those that are gone are left out."""
    rows = select(
        connection,
        "SELECT number, at FROM json_each(?) AS wanted JOIN documents ON number = wanted.value",
        (listed(numbers),),
    )
    return dict(rows)


def _still_there(connection: apsw.Connection, ranked: Iterator[tuple[int, float]], limit: int) -> list[Found]:
    """Return the best *limit* documents that are not gone."""
    found: list[Found] = []
    while len(found) < limit and (some := list(islice(ranked, limit))):
        there = _times(connection, [number for number, _ in some])
        found += (Found(number=number, score=score) for number, score in some if number in there)
    return found[:limit]
