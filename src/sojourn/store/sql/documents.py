"""Operations on documents by key, and on the partial text of a stream."""

import zlib
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
    yield Statement("put_document", {"tenant": tenant, "key": key, "data": data, "updated_at": at, "crc": _crc(data)})


def load(tenant: TenantId, key: bytes) -> Operation[dict[str, Any] | None]:
    """Return a document, or None.

    Raises:
        CorruptError: it is not the JSON that was stored.
    """
    rows = yield Statement("select_document", {"tenant": tenant, "key": key})
    if not rows:
        return None
    data, crc = rows[0]
    if crc != _crc(data):
        raise CorruptError(f"document={key!r:.200} does not match its checksum")
    return msgspec.json.decode(data, type=dict[str, Any])


def delete(tenant: TenantId, key: bytes) -> Operation[None]:
    """Remove a document if it is there."""
    yield Statement("delete_document", {"tenant": tenant, "key": key})


def list_keys(tenant: TenantId, prefix: bytes) -> Operation[list[str]]:
    """Return the keys that begin with *prefix*."""
    rows = yield Statement("list_keys", {"tenant": tenant, "prefix": prefix})
    return [bytes(key).decode() for (key,) in rows]


def save_partial(tenant: TenantId, session_id: SessionId, text: str, *, at: int) -> Operation[None]:
    """Keep the streamed text so far."""
    yield from sessions.hold(tenant, session_id)
    spot = {"tenant": tenant, "session_id": session_id}
    yield Statement("put_partial", {**spot, "text": text, "updated_at": at, "crc": _crc(text)})


def find_partial(tenant: TenantId, session_id: SessionId) -> Operation[Partial | None]:
    """Return the streamed text, or None.

    Raises:
        CorruptError: it is not the text that was stored.
    """
    yield from sessions.get(tenant, session_id)
    rows = yield Statement("select_partial", {"tenant": tenant, "session_id": session_id})
    if not rows:
        return None
    text, updated_at, crc = rows[0]
    if crc != _crc(text):
        raise CorruptError(f"session={session_id}: the partial text does not match its checksum")
    return Partial(text=text, updated_at=moment(updated_at))


def _crc(text: object) -> int:
    """Return the checksum of *text*; what is no text any more, because it is damaged, gets one that never fits."""
    return zlib.crc32(text.encode()) if isinstance(text, str) else -1
