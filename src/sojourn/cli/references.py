"""Which session a person means: by its id, by a piece of it, or by its title."""

from dataclasses import replace
from typing import Final

from sojourn.engine.app import Sojourn
from sojourn.engine.session import Session
from sojourn.errors import InvalidInputError, SessionNotFoundError
from sojourn.model.header import SessionHeader
from sojourn.store.protocol import SessionQuery

_SHORT: Final = 8
_NAMED: Final = 5


def short(session_id: str) -> str:
    """Return the end of an id, which is enough for people: its beginning is the time, and much the same."""
    return session_id[-_SHORT:]


async def open_session(app: Sojourn, reference: str) -> Session:
    """Open the session that *reference* names: its id, the beginning or end of its id, or its title.

    Raises:
        SessionNotFoundError: there is none.
        InvalidInputError: it names several; the error lists some.
    """
    wanted = reference.strip()
    if not wanted:
        raise InvalidInputError("name a session: its id, a piece of its id, or its title")
    found: list[SessionHeader] = []
    query: SessionQuery | None = SessionQuery(archived=None, limit=1000)
    while query is not None:
        page = await app.sessions.list(query)
        for row in page.rows:
            if row.header.session_id == wanted:
                return await app.sessions.open(row.header.session_id)
            if _is_meant(row.header, wanted):
                found.append(row.header)
        query = replace(query, cursor=page.cursor) if page.cursor is not None else None
    if not found:
        raise SessionNotFoundError(f"session={wanted!r:.100}")
    if len(found) > 1:
        some = ", ".join(f"{short(header.session_id)} ({header.title or 'no title'})" for header in found[:_NAMED])
        raise InvalidInputError(f"{wanted!r:.100} names {len(found)} sessions; choose one: {some}")
    return await app.sessions.open(found[0].session_id)


def _is_meant(header: SessionHeader, wanted: str) -> bool:
    piece = len(wanted) >= 4 and (header.session_id.startswith(wanted) or header.session_id.endswith(wanted))
    return piece or (header.title or "").casefold() == wanted.casefold()
