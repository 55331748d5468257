"""Everything that a store shows of a tenant's data, as one value that can be compared."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

from sojourn.model.entry import Entry
from sojourn.model.ids import SessionId
from sojourn.store.protocol import MAX_PAGE, Partial, SessionQuery, SessionRow, Store

EVERYTHING = SessionQuery(archived=None, trashed=None, limit=1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """What one tenant has in a store."""

    rows: dict[SessionId, SessionRow]
    entries: dict[SessionId, tuple[Entry, ...]]
    forks: dict[SessionId, tuple[SessionId, ...]]
    partials: dict[SessionId, Partial | None]
    documents: dict[str, dict[str, Any] | None]


async def fingerprint(store: Store) -> Fingerprint:
    """Read everything that *store* shows."""
    rows = {row.header.session_id: row async for row in list_all(store)}
    return Fingerprint(
        rows=rows,
        entries={name: tuple(await read_all(store, name)) for name in rows},
        forks={name: tuple(await store.list_forks(name)) for name in rows},
        partials={name: await store.find_partial(name) for name in rows},
        documents={key: await store.documents.load(key) for key in await store.documents.list_keys()},
    )


async def list_all(store: Store, query: SessionQuery = EVERYTHING) -> AsyncIterator[SessionRow]:
    """Give the sessions that *query* asks for, page after page."""
    while True:
        page = await store.list_sessions(query)
        for row in page.rows:
            yield row
        if page.cursor is None:
            return
        query = replace(query, cursor=page.cursor)


async def read_all(store: Store, session_id: str) -> list[Entry]:
    """Return the whole journal of a session."""
    entries: list[Entry] = []
    while page := await store.read(session_id, after=len(entries), limit=MAX_PAGE):
        entries += page
    return entries
