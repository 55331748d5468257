"""Operations that change the index: documents and facts come in behind a watermark, and go."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import msgspec

from sojourn.errors import InvalidInputError
from sojourn.memory.index.document import MAX_INDEXED, Document, FactRow, SessionKey
from sojourn.memory.index.parts import grams_of, words_of
from sojourn.memory.index.postgres_statements import key_bytes, run, storable
from sojourn.memory.index.postgres_vectors import drop_models
from sojourn.model.ids import Seq, SessionId, TenantId
from sojourn.store.rows import micros
from sojourn.store.sql.statement import Operation, Statement


def prepare(documents: Sequence[Document], facts: Sequence[FactRow]) -> dict[str, list[Any]]:
    """Return what is to be inserted, column by column: of each fact the last form, and none that is retired."""
    last = {document.fact_id: document for document in documents if document.fact_id is not None}
    retired = {row.fact.fact_id for row in facts if row.fact.status == "retired"}
    current = [
        document
        for document in documents
        if document.fact_id is None or (document.fact_id not in retired and last[document.fact_id] is document)
    ]
    words = [words_of(document.text[:MAX_INDEXED]) for document in current]
    return {
        "seqs": [document.seq for document in current],
        "kinds": [document.kind for document in current],
        "roles": [storable(document.role) for document in current],
        "speakers": [None if document.speaker is None else storable(document.speaker) for document in current],
        "places": [document.place for document in current],
        "fact_ids": [None if document.fact_id is None else key_bytes(document.fact_id) for document in current],
        "ats": [micros(document.at) for document in current],
        "texts": [storable(document.text) for document in current],
        "words": [" ".join(found) for found in words],
        "grams": [" ".join(grams_of(storable(document.text[:MAX_INDEXED]))) for document in current],
        "lengths": [len(found) for found in words],
    }


def add(
    tenant: TenantId,
    key: SessionKey,
    *,
    after: Seq,
    through: Seq,
    columns: dict[str, list[Any]],
    facts: Sequence[FactRow],
) -> Operation[bool]:
    """Do what `SearchIndex.add` says; *columns* are the documents, prepared."""
    if not 0 <= after <= through:
        raise InvalidInputError(f"entries {after + 1} to {through} are none")
    places = [place for place in columns["places"] if place is not None]
    moved = {
        **_key_params(tenant, key),
        "after": after,
        "through": through,
        "epoch": key.epoch,
        "next_place": max(places, default=-1) + 1,
    }
    if not (yield Statement("move_watermark", moved)) and (
        after != 0 or not (yield Statement("insert_session", moved))
    ):
        return False
    changed = {key_bytes(row.fact.fact_id) for row in facts}
    changed.update(fact_id for fact_id in columns["fact_ids"] if fact_id is not None)
    gone = yield from _remove_facts_documents(tenant, key.session_id, changed)
    if columns["seqs"]:
        inserted = yield run("insert_documents", tenant=tenant, session_id=key.session_id, **columns)
        numbers, ats = [number for number, _ in inserted], [at for _, at in inserted]
        yield run("queue_documents", tenant=tenant, numbers=numbers, ats=ats)
    if facts:
        yield Statement("put_facts", {}, [_fact_params(tenant, key.session_id, row) for row in facts])
    yield from _count(
        tenant, key.session_id, documents=len(columns["seqs"]) - len(gone), length=sum(columns["lengths"]) - sum(gone)
    )
    return True


def update_session(tenant: TenantId, key: SessionKey) -> Operation[None]:
    """Take in *key*. The epoch stays: it tells as of when the session was indexed."""
    yield Statement("update_session", _key_params(tenant, key))


def forget(tenant: TenantId, session_id: SessionId, seqs: Collection[int]) -> Operation[None]:
    """Remove the documents of these entries, and the facts that rest on one of them."""
    place = {"tenant": tenant, "session_id": session_id}
    if not (yield Statement("lock_session", place)):
        return
    wanted = sorted(set(seqs))
    facts = yield run("delete_facts", **place, seqs=wanted)
    gone = yield from _remove_facts_documents(tenant, session_id, {fact_id for (fact_id,) in facts})
    gone += [length for (length,) in (yield run("delete_documents", **place, seqs=wanted))]
    yield from _count(tenant, session_id, documents=-len(gone), length=-sum(gone))


def drop_session(tenant: TenantId, session_id: SessionId) -> Operation[None]:
    """Remove everything of a session."""
    place = {"tenant": tenant, "session_id": session_id}
    yield Statement("lock_session", place)
    for name in ("delete_all_documents", "delete_all_facts", "delete_session"):
        yield Statement(name, place)


def clear(tenant: TenantId) -> Operation[None]:
    """Remove everything of *tenant*."""
    yield run("lock_sessions", tenant=tenant)
    yield from drop_models(tenant, except_models=())  # before the documents, which would take their vectors one by one
    yield run("delete_all_documents", tenant=tenant, session_id=None)
    yield run("delete_all_facts", tenant=tenant, session_id=None)
    yield run("delete_all_sessions", tenant=tenant)


def _remove_facts_documents(tenant: TenantId, session_id: SessionId, fact_ids: Iterable[bytes]) -> Operation[list[int]]:
    """Remove the documents of these facts, and return how long they were."""
    named = list(fact_ids)
    if not named:
        return []
    gone = yield run("delete_documents_of_facts", tenant=tenant, session_id=session_id, fact_ids=named)
    return [length for (length,) in gone]


def _count(tenant: TenantId, session_id: SessionId, *, documents: int, length: int) -> Operation[None]:
    if documents or length:
        yield run("count_documents", tenant=tenant, session_id=session_id, documents=documents, length=length)


def _key_params(tenant: TenantId, key: SessionKey) -> dict[str, Any]:
    return {
        "tenant": tenant,
        "session_id": key.session_id,
        "user_id": key.user_id,
        "project": key.project,
        "tags": list(key.tags),
        "hidden": key.hidden,
    }


def _fact_params(tenant: TenantId, session_id: SessionId, row: FactRow) -> dict[str, Any]:
    fact = row.fact
    return {
        "tenant": tenant,
        "session_id": session_id,
        "fact_id": key_bytes(fact.fact_id),
        "slot": None if fact.slot is None else key_bytes(fact.slot),
        "scope": fact.scope,
        "confidence": fact.confidence,
        "updated_at": micros(fact.updated_at),
        "evidence": sorted({*fact.evidence, *(span.seq for span in fact.spans)}),
        "fact": msgspec.json.encode(fact).decode(),
    }
