"""Sessions for callers that know only an id, and perhaps a user: the one they mean, if it is theirs.

To such a caller a session that does not exist, is in the trash or belongs to another user is the same: unknown. A
session without a user is everybody's.
"""

from typing import Protocol, cast

from sojourn.clock import Clock
from sojourn.engine.inputs import MAX_NAME, check_text
from sojourn.engine.session import Session, SessionOptions
from sojourn.errors import AlreadyExistsError, SessionNotFoundError
from sojourn.model.events import SessionCreated
from sojourn.model.header import SessionHeader
from sojourn.store.protocol import Store


class HasStore(Protocol):
    """An app, as far as it matters here."""

    @property
    def store(self) -> Store: ...


def store_of(source: Store | HasStore) -> Store:
    """Return the store of an app, or the store itself."""
    return cast(Store, getattr(source, "store", source))


def options_of(source: Store | HasStore, options: SessionOptions | None = None) -> SessionOptions:
    """Return *options*, or else some with the clock of an app."""
    clock = cast(Clock | None, getattr(source, "clock", None))
    return options or (SessionOptions() if clock is None else SessionOptions(clock=clock))


def belongs_to(header: SessionHeader, user_id: str | None) -> bool:
    """Tell whether the session is this user's, or everybody's; a caller without a user is trusted with all."""
    return user_id is None or header.user_id in (None, user_id)


async def find_session(store: Store, session_id: str) -> Session | None:
    """Open a session; None if it is unknown."""
    try:
        session = await Session.open(store, session_id)
    except SessionNotFoundError:
        return None
    return session if session.state.header.trashed_at is None else None


async def open_or_create(
    store: Store, session_id: str, *, user_id: str | None = None, options: SessionOptions | None = None
) -> Session:
    """Open a session, or begin it for *user_id*. Of several callers at once one begins it, and all open it.

    Raises:
        SessionNotFoundError: it belongs to another user.
        AlreadyExistsError: the caller's own session of this id is in the trash.
    """
    if user_id is not None:
        check_text(user_id, "a user's id", most=MAX_NAME)
    if await store.find_session(session_id) is None:
        try:
            return await Session.create(store, session_id, SessionCreated(user_id=user_id), options=options)
        except AlreadyExistsError:
            pass  # another caller was first
    session = await Session.open(store, session_id, options=options)
    header = session.state.header
    if not belongs_to(header, user_id):
        raise SessionNotFoundError(f"session={session_id}")
    if header.trashed_at is not None:
        raise AlreadyExistsError(f"session={session_id} is in the trash; restore it, or purge it")
    return session
