"""Every session that a query finds, for whoever wants more than a page of them."""

from collections.abc import AsyncIterator
from dataclasses import replace

from sojourn.store.listing import MAX_SESSIONS
from sojourn.store.protocol import SessionQuery, SessionRow, Store


async def all_sessions(store: Store, query: SessionQuery) -> AsyncIterator[SessionRow]:
    """Yield every session that *query* finds, newest activity first; its pages are as large as a store gives them."""
    query = replace(query, limit=MAX_SESSIONS)
    while True:
        page = await store.list_sessions(query)
        for row in page.rows:
            yield row
        if page.cursor is None:
            return
        query = replace(query, cursor=page.cursor)
