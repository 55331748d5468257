"""Operations on documents by key, and on the partial text of a stream."""

from typing import Any

import msgspec

from sojourn.errors import CorruptError
from sojourn.model.ids import SessionId, TenantId
from sojourn.store.protocol import Partial
from sojourn.store.rows import moment
from sojourn.store.sql import sessions
from sojourn.store.sql.statement import Operation, Statement


def save(tenant: TenantId, key: bytes, data: str, *, at: int) -> Operation[None]:
    """Store a document."""
    yield Statement("put_document", {"tenant": tenant, "key": key, "data": data, "updated_at": at})


def load(tenant: TenantId, key: bytes) -> Operation[dict[str, Any] | None]:
    """Return a document, or None.

    Raises:
        CorruptError: it is not the JSON that was stored.
    """
    rows = yield Statement("select_document", {"tenant": tenant, "key": key})
    if not rows:
        return None
    try:
        return msgspec.json.decode(rows[0][0], type=dict[str, Any])
    except (msgspec.MsgspecError, TypeError, UnicodeError) as error:
        raise CorruptError(f"document={key!r:.200}: {error}") from error


def delete(tenant: TenantId, key: bytes) -> Operation[None]:
    """Remove a document if it is there."""
    yield Statement("delete_document", {"tenant": tenant, "key": key})


def list_keys(tenant: TenantId, prefix: bytes) -> Operation[list[str]]:
    """Return the keys that begin with *prefix*."""
    rows = yield Statement("list_keys", {"tenant": tenant, "prefix": prefix})
    return [bytes(key).decode() for (key,) in rows]


def save_partial(tenant: TenantId, session_id: SessionId, text: str, *, at: int) -> Operation[None]:
    """Keep the streamed text so far."""
    yield from sessions.lock(tenant, session_id)
    yield Statement("put_partial", {"tenant": tenant, "session_id": session_id, "text": text, "updated_at": at})


def find_partial(tenant: TenantId, session_id: SessionId) -> Operation[Partial | None]:
    """Return the streamed text, or None."""
    yield from sessions.get(tenant, session_id)
    rows = yield Statement("select_partial", {"tenant": tenant, "session_id": session_id})
    return Partial(text=rows[0][0], updated_at=moment(rows[0][1])) if rows else None
