"""A session that was rewound goes on under another id: finding which."""

from sojourn.errors import CorruptError
from sojourn.store.protocol import SessionRow, Store


async def find_current(store: Store, session_id: str) -> SessionRow | None:
    """Return the session that *session_id* goes on as, itself if it was never rewound; None if there is none.

    Raises:
        CorruptError: the pointers lead in a circle.
    """
    row = await store.find_session(session_id)
    followed: set[str] = set()
    while row is not None and row.header.superseded_by is not None:
        if row.header.session_id in followed:
            raise CorruptError(f"session={session_id} is superseded by itself")
        followed.add(row.header.session_id)
        row = await store.find_session(row.header.superseded_by)
    return row
