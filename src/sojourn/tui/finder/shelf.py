"""The sessions of a view, read page by page, with forks and the sessions of subagents under their origin."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from sojourn.engine.superseding import find_current
from sojourn.model.header import SessionHeader
from sojourn.model.ids import SessionId
from sojourn.store.protocol import SessionQuery, SessionRow, Store
from sojourn.tui.finder.view import PAGE, View

_MOST: Final = 1000
"""Sessions that are read at once where all must be read."""
_SORTS: Final[dict[str, Callable[[SessionHeader], Any]]] = {
    "updated": lambda header: header.updated_at,
    "created": lambda header: header.created_at,
    "cost": lambda header: header.cost_micros,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A session on the shelf, how deep it stands under its origin, and how many were forked from it, if counted."""

    header: SessionHeader
    depth: int = 0
    forks: int = 0
    damage: str | None = None


class Shelf:
    """What a view shows, as far as it was read. Lives until the view changes."""

    def __init__(self, store: Store, view: View) -> None:
        self._store = store
        self._view = view
        self._query: SessionQuery | None = view.query()
        self._waiting: list[SessionRow] = []
        self._rows: dict[SessionId, SessionRow] = {}
        self._origins: dict[SessionId, SessionId | None] = {}
        self._forks: dict[SessionId, int] = {}

    @property
    def is_whole(self) -> bool:
        """Whether everything was read."""
        return self._query is None and not self._waiting

    async def read_on(self) -> None:
        """Read the next page, if there is one."""
        is_sorted = self._view.sort != "updated"
        # The store knows no other order than that of the last activity: for another, every session must be read.
        while self._query is not None and (is_sorted or len(self._waiting) < PAGE):
            page = await self._store.list_sessions(replace(self._query, limit=_MOST if is_sorted else PAGE))
            self._waiting += [row for row in page.rows if row.header.superseded_by is None]
            self._query = replace(self._query, cursor=page.cursor) if page.cursor is not None else None
        if is_sorted:
            order = _SORTS[self._view.sort]
            self._waiting.sort(key=lambda row: order(row.header), reverse=True)
        page_of_rows, self._waiting = self._waiting[:PAGE], self._waiting[PAGE:]
        for row in page_of_rows:
            await self._add(row)

    async def _add(self, row: SessionRow) -> None:
        """Put a session on the shelf, with those that it stands under."""
        above: SessionRow | None = row
        while above is not None and above.header.session_id not in self._rows:
            session_id = above.header.session_id
            self._rows[session_id] = above
            above = None if self._view.text else await self._origin(above.header)
            self._origins[session_id] = above.header.session_id if above is not None else None

    async def count_forks(self) -> None:
        """Find out how many sessions were forked from each: a question for every one, so it comes after the list."""
        for session_id in [one for one in self._rows if one not in self._forks]:
            self._forks[session_id] = len(await self._store.list_forks(session_id))

    async def renew(self, session_id: SessionId) -> None:
        """Read one session again: something about it has changed, and it may belong here no more, or again."""
        row = await self._store.find_session(session_id)
        known = self._rows.pop(session_id, None)
        if row is None or not self._view.holds(row.header):
            self._origins.pop(session_id, None)
            self._origins = {one: None if origin == session_id else origin for one, origin in self._origins.items()}
        elif known is not None:
            self._rows[session_id] = row
        elif self._view.text.casefold() in (row.header.title or "").casefold():
            await self._add(row)
        order = _SORTS[self._view.sort]
        self._rows = dict(sorted(self._rows.items(), key=lambda item: order(item[1].header), reverse=True))

    async def _origin(self, header: SessionHeader) -> SessionRow | None:
        """Return the session that this one stands under: the nearest that it comes from and that the view shows."""
        above, passed = header.forked_from or header.parent, {header.session_id}
        while above is not None and above not in passed:
            passed.add(above)
            found = await self._store.find_session(above)
            current = await find_current(self._store, above)
            if found is None:
                return None
            is_other = current is not None and current.header.session_id != header.session_id
            if current is not None and is_other and self._view.holds(current.header):
                return current
            above = found.header.forked_from or found.header.parent
        return None

    def kept(self) -> list[Kept]:
        """Return what was read so far: a session where it, or the first that stands under it, was found."""
        under: dict[SessionId | None, list[SessionId]] = {}
        for session_id, origin in self._origins.items():
            under.setdefault(origin, []).append(session_id)
        found: list[Kept] = []
        placed: set[SessionId] = set()
        for session_id in self._rows:
            root = self._root(session_id)
            waiting = [(root, 0)] if root not in placed else []
            while waiting:
                one, depth = waiting.pop()
                if one in placed:
                    continue
                placed.add(one)
                row = self._rows[one]
                found.append(
                    Kept(header=row.header, depth=depth, forks=self._forks.get(one, 0), damage=row.quarantined)
                )
                waiting += [(child, depth + 1) for child in reversed(under.get(one, []))]
        return found

    def _root(self, session_id: SessionId) -> SessionId:
        passed = {session_id}
        while (origin := self._origins[session_id]) is not None and origin not in passed:
            passed.add(origin)
            session_id = origin
        return session_id
