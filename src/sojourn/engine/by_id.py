"""Sessions for callers that know only an id, and perhaps a user: the one they mean, if it is theirs.

To such a caller a session that does not exist, is in the trash or belongs to another user is the same: unknown. A
session without a user is everybody's. A session that was rewound is the one that it goes on as.
"""

from typing import Protocol, cast

from sojourn.engine.inputs import MAX_NAME, check_text
from sojourn.engine.session import Session, SessionOptions
from sojourn.engine.sessions import SessionManager
from sojourn.engine.superseding import find_current
from sojourn.errors import AlreadyExistsError, SessionNotFoundError
from sojourn.model.events import SessionCreated
from sojourn.model.header import SessionHeader
from sojourn.store.protocol import Store


class HasStore(Protocol):
    """An app, as far as it matters here: if it has `sessions`, too, sessions are opened through them."""

    @property
    def store(self) -> Store: ...


def belongs_to(header: SessionHeader, user_id: str | None) -> bool:
    """Tell whether the session is this user's, or everybody's; a caller without a user is trusted with all."""
    return user_id is None or header.user_id in (None, user_id)


class SessionsById:
    """Opens sessions by id: through an app, whose news and background work then follow, or on a bare store."""

    def __init__(self, source: Store | HasStore, *, options: SessionOptions | None = None) -> None:
        """Use a store, or an app and its store; *options* are for sessions on a bare store."""
        self.store = cast(Store, getattr(source, "store", source))
        self._manager = cast(SessionManager | None, getattr(source, "sessions", None))
        self._options = options

    async def find(self, session_id: str) -> Session | None:
        """Open a session; None if it is unknown."""
        header = await self._find_header(session_id)
        if header is None or header.trashed_at is not None:
            return None
        try:
            return await self._open(header)
        except SessionNotFoundError:
            return None  # thrown away meanwhile

    async def open_or_create(self, session_id: str, *, user_id: str | None = None) -> Session:
        """Open a session, or begin it for *user_id*. Of several callers at once one begins it, and all open it.

        Raises:
            SessionNotFoundError: it belongs to another user.
            AlreadyExistsError: the caller's own session of this id is in the trash.
        """
        if user_id is not None:
            check_text(user_id, "a user's id", most=MAX_NAME)
        header = await self._find_header(session_id)
        if header is None:
            try:
                return await self._create(session_id, user_id)
            except AlreadyExistsError:  # another caller was first
                header = await self._find_header(session_id)
        if header is None or not belongs_to(header, user_id):
            raise SessionNotFoundError(f"session={session_id}")
        if header.trashed_at is not None:
            raise AlreadyExistsError(f"session={header.session_id} is in the trash; restore it, or purge it")
        return await self._open(header)

    async def _find_header(self, session_id: str) -> SessionHeader | None:
        row = await find_current(self.store, session_id)
        return None if row is None else row.header

    async def _open(self, header: SessionHeader) -> Session:
        if self._manager is not None:
            return await self._manager.open(header.session_id, exact=True)
        return await Session.open(self.store, header.session_id, options=self._options)

    async def _create(self, session_id: str, user_id: str | None) -> Session:
        if self._manager is not None:
            return await self._manager.create(session_id, user_id=user_id)
        return await Session.create(self.store, session_id, SessionCreated(user_id=user_id), options=self._options)
