"""What changes the index: documents and facts come in behind a watermark, and go without leaving a trace."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import apsw
import msgspec

from sojourn.errors import InvalidInputError, TooLargeError
from sojourn.memory.index.document import MAX_INDEXED, Document, FactRow, SessionKey
from sojourn.memory.index.parts import grams_of
from sojourn.memory.index.sqlite_query import listed, select
from sojourn.memory.index.sqlite_scope import PER_SESSION, numbers_of
from sojourn.model.ids import Seq, SessionId, TenantId
from sojourn.store.rows import micros
from sojourn.store.sql.sqlite_schema import transaction

_ADD_DOCUMENT: Final = "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ADD_WORDS: Final = "INSERT INTO words (rowid, text) VALUES (?, ?)"
_ADD_PARTS: Final = "INSERT INTO parts (rowid, grams) VALUES (?, ?)"
_PUT_FACT: Final = "INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?, ?, ?, ?)"


def add(
    connection: apsw.Connection,
    tenant: TenantId,
    key: SessionKey,
    *,
    after: Seq,
    through: Seq,
    documents: Sequence[Document],
    facts: Sequence[FactRow],
) -> bool:
    """Do what `SearchIndex.add` says, in one transaction."""
    if not 0 <= after <= through:
        raise InvalidInputError(f"entries {after + 1} to {through} are none")
    with transaction(connection):
        known = select(
            connection,
            "SELECT number, watermark, given FROM sessions WHERE tenant = ? AND session_id = ?",
            (tenant, key.session_id),
        )
        session, watermark, given = known[0] if known else (0, 0, 0)
        if watermark != after:
            return False
        if not known:
            session = _add_session(connection, tenant, key)
        else:
            _change_session(connection, session, key)
        retired = {row.fact.fact_id for row in facts if row.fact.status == "retired"}
        current = _current(documents, retired)
        _remove_facts_documents(connection, session, retired | {one.fact_id for one in current if one.fact_id})
        _add_documents(connection, tenant, session, given, current)
        connection.executemany(_PUT_FACT, [_fact_values(session, row) for row in facts])
        connection.execute(
            "UPDATE sessions SET watermark = ?, epoch = ?, given = given + ?, held = held + ?,"
            " next_place = max(next_place, ?) WHERE number = ?",
            (
                through,
                key.epoch,
                len(current),
                len(current),
                max((one.place + 1 for one in current if one.place is not None), default=0),
                session,
            ),
        )
    return True


def update_session(connection: apsw.Connection, tenant: TenantId, key: SessionKey) -> None:
    """Do what `SearchIndex.update_session` says. The epoch stays: it tells as of when the session was indexed."""
    with transaction(connection):
        session = _find_session(connection, tenant, key.session_id)
        if session is not None:
            _change_session(connection, session, key)


def forget(connection: apsw.Connection, tenant: TenantId, session_id: SessionId, seqs: Iterable[int]) -> None:
    """Remove the documents of these entries, and the facts that rest on one of them."""
    wanted = listed(set(seqs))
    with transaction(connection):
        session = _find_session(connection, tenant, session_id)
        if session is None:
            return
        gone = [
            fact_id
            for (fact_id,) in select(
                connection,
                "SELECT fact_id FROM facts WHERE session = ? AND EXISTS (SELECT 1 FROM json_each(fact, '$.evidence')"
                " WHERE value IN (SELECT value FROM json_each(?)))",
                (session, wanted),
            )
        ]
        _remove_facts_documents(connection, session, gone)
        connection.executemany(
            "DELETE FROM facts WHERE session = ? AND fact_id = ?", [(session, fact_id) for fact_id in gone]
        )
        rows = select(
            connection,
            "SELECT number FROM documents WHERE number BETWEEN ? AND ? AND seq IN (SELECT value FROM json_each(?))",
            (*numbers_of(session), wanted),
        )
        _remove_documents(connection, session, [number for (number,) in rows])


def drop_session(connection: apsw.Connection, tenant: TenantId, session_id: SessionId) -> None:
    """Remove everything of a session."""
    with transaction(connection):
        session = _find_session(connection, tenant, session_id)
        if session is not None:
            _drop(connection, session)


def clear(connection: apsw.Connection, tenant: TenantId) -> None:
    """Remove everything of *tenant*."""
    with transaction(connection):
        for (session,) in select(connection, "SELECT number FROM sessions WHERE tenant = ?", (tenant,)):
            _drop(connection, session)
        connection.execute("DELETE FROM models WHERE tenant = ?", (tenant,))


def erase_traces(connection: apsw.Connection) -> bool:
    """Move the log into the file and empty it; return False if somebody who still reads it is in the way."""
    rows = select(connection, "PRAGMA wal_checkpoint(TRUNCATE)")
    return not rows[0][0]


def _find_session(connection: apsw.Connection, tenant: TenantId, session_id: SessionId) -> int | None:
    rows = select(connection, "SELECT number FROM sessions WHERE tenant = ? AND session_id = ?", (tenant, session_id))
    return rows[0][0] if rows else None


def _add_session(connection: apsw.Connection, tenant: TenantId, key: SessionKey) -> int:
    connection.execute(
        "INSERT INTO sessions (tenant, session_id, user_id, project, tags, hidden, watermark, epoch)"
        " VALUES (?, ?, ?, ?, ?, ?, 0, 0)",
        (tenant, key.session_id, *_key_values(key)),
    )
    return connection.last_insert_rowid()


def _change_session(connection: apsw.Connection, session: int, key: SessionKey) -> None:
    """Take in *key*; a row that says the same already is not written again."""
    connection.execute(
        "UPDATE sessions SET user_id = ?1, project = ?2, tags = ?3, hidden = ?4 WHERE number = ?5"
        " AND (user_id, project, tags, hidden) IS NOT (?1, ?2, ?3, ?4)",
        (*_key_values(key), session),
    )


def _key_values(key: SessionKey) -> tuple[Any, ...]:
    return key.user_id, key.project, msgspec.json.encode(key.tags).decode(), key.hidden


def _current(documents: Sequence[Document], retired: set[str]) -> list[Document]:
    """Return the documents that are to be there: of each fact the last form, and none that is retired."""
    last = {document.fact_id: document for document in documents if document.fact_id is not None}
    return [
        document
        for document in documents
        if document.fact_id is None or (document.fact_id not in retired and last[document.fact_id] is document)
    ]


def _add_documents(
    connection: apsw.Connection, tenant: TenantId, session: int, given: int, documents: Sequence[Document]
) -> None:
    if given + len(documents) >= PER_SESSION:
        raise TooLargeError(f"a session has at most {PER_SESSION} indexed messages and facts")
    numbered = [
        (number, document, _storable(document.text[:MAX_INDEXED]))
        for number, document in enumerate(documents, numbers_of(session)[0] + given)
    ]
    connection.execute("UPDATE about SET given = given + ?1, held = held + ?1", (len(numbered),))
    connection.executemany(_ADD_DOCUMENT, [_values(session, *one) for one in numbered])
    connection.executemany(_ADD_WORDS, [(number, text) for number, _, text in numbered])
    grams = ((number, " ".join(grams_of(text))) for number, _, text in numbered)
    connection.executemany(_ADD_PARTS, [one for one in grams if one[1]])
    connection.executemany(
        "INSERT INTO unembedded SELECT number, ?, ? FROM models WHERE tenant = ?",
        [(micros(document.at), number, tenant) for number, document, _ in numbered],
    )


def _values(session: int, number: int, document: Document, text: str) -> tuple[Any, ...]:
    speaker = None if document.speaker is None else _storable(document.speaker)
    at, place = micros(document.at), document.place
    return number, session, document.seq, document.kind, document.role, speaker, at, place, document.fact_id, text


def _storable(text: str) -> str:
    """Return *text* with a question mark for each half of a character, which no UTF-8 has."""
    return text.encode("utf-8", "replace").decode()


def _fact_values(session: int, row: FactRow) -> tuple[Any, ...]:
    fact = row.fact
    encoded = msgspec.json.encode(fact).decode()
    return session, fact.fact_id, fact.scope, fact.slot, fact.confidence, micros(fact.updated_at), encoded


def _remove_facts_documents(connection: apsw.Connection, session: int, fact_ids: Iterable[str]) -> None:
    rows = select(
        connection,
        "SELECT number FROM documents WHERE session = ? AND fact_id IN (SELECT value FROM json_each(?))",
        (session, listed(fact_ids)),
    )
    _remove_documents(connection, session, [number for (number,) in rows])


def _remove_documents(connection: apsw.Connection, session: int, numbers: Sequence[int]) -> None:
    """Remove documents with all that hangs on them. The words go first: they are found by the text."""
    if not numbers:
        return
    each = [(number,) for number in numbers]
    connection.executemany("DELETE FROM words WHERE rowid = ?", each)
    connection.executemany("DELETE FROM parts WHERE rowid = ?", each)
    connection.executemany(
        "DELETE FROM unembedded WHERE (model, at, document) IN (SELECT models.number, at, documents.number"
        " FROM models, documents WHERE documents.number = ?)",
        each,
    )
    before = connection.total_changes()
    connection.executemany("DELETE FROM vectors WHERE document = ?", each)
    connection.execute("UPDATE about SET removed = removed + ?", (connection.total_changes() - before,))
    connection.executemany("DELETE FROM documents WHERE number = ?", each)
    connection.execute("UPDATE sessions SET held = held - ? WHERE number = ?", (len(numbers), session))
    connection.execute("UPDATE about SET held = held - ?", (len(numbers),))


def _drop(connection: apsw.Connection, session: int) -> None:
    rows = select(connection, "SELECT number FROM documents WHERE number BETWEEN ? AND ?", numbers_of(session))
    _remove_documents(connection, session, [number for (number,) in rows])
    connection.execute("DELETE FROM facts WHERE session = ?", (session,))
    connection.execute("DELETE FROM sessions WHERE number = ?", (session,))
