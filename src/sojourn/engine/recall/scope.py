"""How far a search reaches: one session, those of a project, or all of a user's; never another user's."""

from sojourn.memory.index.document import Part
from sojourn.model.ids import SessionId
from sojourn.store.protocol import SessionRow, Store


async def parts_of(store: Store, row: SessionRow) -> tuple[Part, ...]:
    """Return which stretches of which sessions a session reads: its own, and those it shares by being a fork."""
    parts = [Part(session_id=row.header.session_id)]
    seen: set[SessionId] = {row.header.session_id}
    while row.header.forked_from is not None and row.header.forked_from not in seen:
        last = row.header.forked_at
        parent = await store.find_session(row.header.forked_from)
        if parent is None:
            break
        shared = parts[-1].last
        parts.append(
            Part(session_id=parent.header.session_id, last=last if shared is None else min(last or shared, shared))
        )
        seen.add(parent.header.session_id)
        row = parent
    return tuple(parts)
