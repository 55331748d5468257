"""Working memory by session id, for callers that keep nothing between two calls: `SessionStateService`.

Every change is an append to the session's journal, so callers at the same moment, in whichever process, never undo
each other. None, False and an empty dict mean one thing: the session is unknown, which is also what a session in the
trash is. Whatever else goes wrong is raised. A session that was rewound is the one that it goes on as, under that id.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from sojourn.context.rendering import state_dict
from sojourn.engine.by_id import HasStore, SessionsById
from sojourn.engine.deciding import append_decided
from sojourn.engine.inputs import MAX_NAME, check_text
from sojourn.engine.session import Session
from sojourn.engine.state_record import SessionStateRecord, changes, check_record, copied, record_of
from sojourn.errors import InvalidInputError, SessionNotFoundError
from sojourn.model.events import Event, SessionTrashed, UserTurnCounted
from sojourn.model.ids import SessionId
from sojourn.model.state import SessionState
from sojourn.store.protocol import SessionQuery, Store

SUMMARISE_EVERY: Final = 5
_PAGE: Final = 200


class SessionStateService:
    """Reads and changes working memories by id. Lives as long as anybody wants it."""

    def __init__(self, source: Store | HasStore) -> None:
        """Use an app, or a bare store; whoever opened it closes it."""
        self._sessions = SessionsById(source)

    def __repr__(self) -> str:
        return f"SessionStateService({self._sessions.store!r})"

    async def ensure_initialized(self) -> None:
        """Make sure that the storage is there and can be read; opening the store has prepared it.

        Raises:
            StoreError: it cannot.
        """
        await self._sessions.store.list_sessions(SessionQuery(limit=1))

    # --- read

    async def get(self, session_id: str) -> SessionStateRecord | None:
        """Return the session's working memory, or None if the session is unknown."""
        session = await self._sessions.find(session_id)
        return None if session is None else record_of(session.state)

    async def get_by_user(self, user_id: str, *, limit: int | None = None) -> list[SessionStateRecord]:
        """Return the working memories of a user's sessions (the first *limit*), newest activity first."""
        found = [await self.get(session_id) for session_id in await self._ids_of(user_id, limit=limit, archived=None)]
        return [record for record in found if record is not None]

    async def list_active(self, user_id: str, *, limit: int = 10) -> list[SessionId]:
        """Return the ids of a user's sessions that are not put aside, newest activity first."""
        return await self._ids_of(user_id, limit=limit, archived=False)

    async def get_context_for_prompt(self, session_id: str) -> dict[str, Any]:
        """Return what a prompt should know of the session, as plain JSON types; {} if it is unknown.

        `turn_count` and `focus` (type, id, context) are always there; `recent_entities` (type, id and title of the last
        5) and `conversation_summary` only if there are any.
        """
        session = await self._sessions.find(session_id)
        return {} if session is None else state_dict(session.state)

    async def should_summarize(self, session_id: str, summarize_every_n_turns: int = SUMMARISE_EVERY) -> bool:
        """Tell whether the number of turns is a multiple of *summarize_every_n_turns*, and not 0."""
        every = summarize_every_n_turns
        if isinstance(every, bool) or not isinstance(every, int) or every < 1:
            raise InvalidInputError(f"a summary is due every 1 or more turns, got {every!r:.50}")
        session = await self._sessions.find(session_id)
        return session is not None and session.state.turn_count > 0 and session.state.turn_count % every == 0

    # --- begin, change, end

    async def get_or_create(self, session_id: str, user_id: str) -> SessionStateRecord:
        """Return the session's working memory; a session that does not exist is begun, in general focus, at 0 turns.

        Raises:
            SessionNotFoundError: the session belongs to another user; nothing more is told about it.
            AlreadyExistsError: the user's own session of this id is in the trash.
        """
        check_text(user_id, "a user's id", most=MAX_NAME)
        return record_of((await self._sessions.open_or_create(session_id, user_id=user_id)).state)

    async def upsert(self, record: SessionStateRecord) -> SessionStateRecord:
        """Store what was changed in *record* since it was read, in one append, and return how it then stands.

        A session that does not exist is begun. A record that was made by hand counts as changed wherever it differs
        from what is stored. Turns and entities are only ever added. Afterwards *record* counts as read, so that it can
        be changed and handed back again.

        Raises:
            SessionNotFoundError: the session belongs to another user than the record's.
            AlreadyExistsError: the session is in the trash.
            InvalidInputError: the record holds something that a session does not keep; nothing was changed.
        """
        check_record(record)
        session = await self._sessions.open_or_create(record.session_id, user_id=record.user_id)

        async def decide(state: SessionState) -> Sequence[Event]:
            return changes(state, record)

        await append_decided(session, decide)
        record.as_read = copied(record)
        return record_of(session.state)

    async def update_focus(
        self,
        session_id: str,
        focus_type: str,
        focus_id: str | None = None,
        focus_context: dict[str, Any] | None = None,
    ) -> SessionStateRecord | None:
        """Put something in focus, in place of what was: its type, id and context."""
        return await self._change(
            session_id, lambda session: session.focus.set(focus_type, focus_id, context=focus_context)
        )

    async def clear_focus(self, session_id: str) -> SessionStateRecord | None:
        """Put nothing in particular in focus: type general, no id, no context."""
        return await self._change(session_id, lambda session: session.focus.clear())

    async def record_entity_reference(
        self,
        session_id: str,
        entity_type: str,
        entity_id: str,
        entity_title: str | None = None,
        *,
        context: str = "",
        referenced_at: datetime | None = None,
    ) -> SessionStateRecord | None:
        """Note that something was mentioned; one that is among the last 20 already stays as it is."""
        return await self._change(
            session_id,
            lambda session: session.entities.reference(
                entity_type, entity_id, title=entity_title or None, context=context, referenced_at=referenced_at
            ),
        )

    async def on_user_turn(
        self,
        session_id: str,
        user_message: str,  # noqa: ARG002 - callers hand it over; who keeps messages adds them to the session itself
    ) -> SessionStateRecord | None:
        """Count a turn of the user's. The message itself is not kept."""
        return await self.increment_turn(session_id)

    async def increment_turn(self, session_id: str) -> SessionStateRecord | None:
        """Count a turn."""
        return await self._change(session_id, lambda session: session.append(UserTurnCounted()))

    async def update_memory(self, session_id: str, memory_summary: str | None) -> SessionStateRecord | None:
        """Set the short-term memory, a running summary of the talk; an empty one removes it."""
        return await self._change(session_id, lambda session: session.focus.remember(memory_summary or None))

    async def delete(self, session_id: str) -> bool:
        """Throw the session into the trash, from where it can be restored; False if it is unknown."""
        session = await self._sessions.find(session_id)
        if session is None:
            return False

        async def decide(state: SessionState) -> list[Event]:
            return [] if state.header.trashed_at is not None else [SessionTrashed()]

        try:
            return await append_decided(session, decide) is not None
        except SessionNotFoundError:
            return False  # purged meanwhile

    # The repository of the original design has other names for two of these.
    add_referenced_entity = record_entity_reference
    update_short_term_memory = update_memory

    # --- how

    async def _change(
        self, session_id: str, change: Callable[[Session], Awaitable[object]]
    ) -> SessionStateRecord | None:
        session = await self._sessions.find(session_id)
        if session is None:
            return None
        try:
            await change(session)
        except SessionNotFoundError:
            return None  # purged meanwhile
        return record_of(session.state)

    async def _ids_of(self, user_id: str, *, limit: int | None, archived: bool | None) -> list[SessionId]:
        if limit is not None and limit < 1:
            raise InvalidInputError(f"limit={limit}: give a number from 1")
        check_text(user_id, "a user's id", most=MAX_NAME)
        query = SessionQuery(user_id=user_id, archived=archived, limit=_PAGE)
        ids: list[SessionId] = []
        while True:
            page = await self._sessions.store.list_sessions(query)
            ids += [row.header.session_id for row in page.rows if row.header.superseded_by is None]
            if page.cursor is None or (limit is not None and len(ids) >= limit):
                return ids[:limit]
            query = replace(query, cursor=page.cursor)
