"""Sessions of a project whose identity has changed: they follow it.

A folder that is known by its path changes its identity when it moves, and any project does when it gets a name. What
was said there stays under the old identity until somebody says that the two are one.
"""

from dataclasses import dataclass, replace

from sojourn.engine.inputs import MAX_NAME, check_text
from sojourn.engine.pointer import pointer_key
from sojourn.engine.sessions import SessionManager
from sojourn.errors import InvalidInputError
from sojourn.model.header import SessionHeader
from sojourn.model.ids import SessionId
from sojourn.store.protocol import SessionQuery, SessionRow, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Relinked:
    """Which sessions belong to the other project now, or would; *damaged* ones cannot be written to and stay."""

    sessions: tuple[SessionHeader, ...]
    damaged: tuple[SessionId, ...] = ()


async def relink(store: Store, sessions: SessionManager, old: str, new: str, *, dry_run: bool = True) -> Relinked:
    """Return the sessions of project *old*, also those put aside; if not *dry_run*, let them belong to *new*.

    Each is moved by an entry in its own journal. What was interrupted half-way is finished by doing it again. The one
    that was used last in *old* is the one used last in *new*, unless there was one.

    Raises:
        InvalidInputError: the two are the same, or no ids.
    """
    check_text(old, "a project's id", most=MAX_NAME)
    check_text(new, "a project's id", most=MAX_NAME)
    if old == new:
        raise InvalidInputError(f"the project is {old} already")
    rows = await _rows(store, old)
    damaged = tuple(row.header.session_id for row in rows if row.quarantined is not None)
    found = tuple(row.header for row in rows if row.quarantined is None)
    if dry_run:
        return Relinked(sessions=found, damaged=damaged)
    moved = [await sessions.move(header.session_id, new) for header in found]
    pointer = await store.documents.load(pointer_key(old))
    if pointer is not None and not await store.documents.exists(pointer_key(new)):
        await store.documents.save(pointer_key(new), pointer)
    return Relinked(sessions=tuple(moved), damaged=damaged)


async def _rows(store: Store, project: str) -> list[SessionRow]:
    query = SessionQuery(project=project, archived=None, trashed=None, limit=1000)
    page = await store.list_sessions(query)
    rows = list(page.rows)
    while page.cursor is not None:
        page = await store.list_sessions(replace(query, cursor=page.cursor))
        rows += page.rows
    return rows
