"""Working memory in the words of an agent's core: what is in focus as an enum, what was mentioned as references.

`SessionStateAdapter` converts between these and the records of `SessionStateService`, and decides nothing. A stored
type of focus that the enum has no word for is read as the nearest one, and stays as it is unless its reader changes it.
"""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import msgspec

from sojourn.engine.by_id import HasStore
from sojourn.engine.state_record import SessionStateRecord
from sojourn.engine.state_service import SessionStateService
from sojourn.errors import AlreadyExistsError, InvalidInputError, SessionNotFoundError
from sojourn.model.ids import SessionId
from sojourn.store.protocol import Store

LABEL: Final = "label"
"""Where a focus's context keeps its label."""


class FocusType(StrEnum):
    """What kind of thing is in focus."""

    GENERAL = "general"
    TASK = "task"
    EXPLORATION = "exploration"
    ENTITY = "entity"
    CLARIFICATION = "clarification"


_NEAREST: Final = {
    **{str(focus_type): focus_type for focus_type in FocusType},
    "exploring": FocusType.EXPLORATION,
    "journal": FocusType.ENTITY,
    "fact": FocusType.ENTITY,
    "message": FocusType.ENTITY,
}


def focus_type_of(word: str | None) -> FocusType:
    """Return the type that is nearest to a stored *word*; general for a word without one."""
    return _NEAREST.get(word or "", FocusType.GENERAL)


@dataclass(slots=True, kw_only=True)
class FocusState:
    """What is in focus."""

    focus_type: FocusType = FocusType.GENERAL
    focus_id: str | None = None
    focus_label: str | None = None
    focus_context: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class EntityRef:
    """Something that was mentioned; without *referenced_at*, at the moment it is stored."""

    entity_type: str
    entity_id: str
    label: str = ""
    reference_context: str = ""
    referenced_at: datetime | None = None


@dataclass(slots=True, kw_only=True)
class WorkingMemory:
    """A session's working memory: a copy to read, change and `save`. Changing it changes nothing else."""

    session_id: str
    user_id: str | None = None
    focus: FocusState = field(default_factory=FocusState)
    referenced_entities: list[EntityRef] = field(default_factory=list)
    turn_count: int = 0
    short_term_context: str = ""
    created_at: datetime | None = None
    updated_at: datetime | None = None
    as_read: SessionStateRecord | None = field(default=None, repr=False, compare=False)


class SessionStateAdapter:
    """Reads and saves working memories by session id. Lives as long as anybody wants it.

    False means that the session is unknown; whatever else goes wrong is raised.
    """

    def __init__(self, source: Store | HasStore, service: SessionStateService | None = None) -> None:
        """Use an app, or a bare store; or *service*, if one is at hand."""
        self._service = service or SessionStateService(source)

    async def get_or_create(self, session_id: str, user_id: str) -> WorkingMemory:
        """Return the session's working memory; a session that does not exist is begun.

        Raises:
            SessionNotFoundError: the session belongs to another user.
            AlreadyExistsError: the user's own session of this id is in the trash.
        """
        return memory_of(await self._service.get_or_create(session_id, user_id))

    async def save(self, session_id: str, state: WorkingMemory) -> bool:
        """Store what was changed in *state* since it was read; a session that does not exist is begun.

        What others changed meanwhile stays. False if the session is in the trash or another user's.

        Raises:
            InvalidInputError: *state* is that of another session, or holds something that a session does not keep.
        """
        if state.session_id != session_id:
            raise InvalidInputError(f"session={session_id!r:.100}: the state is that of {state.session_id!r:.100}")
        record = _record(state)
        try:
            await self._service.upsert(record)
        except (SessionNotFoundError, AlreadyExistsError):
            return False
        state.as_read = record.as_read
        return True

    async def delete(self, session_id: str) -> bool:
        """Throw the session into the trash."""
        return await self._service.delete(session_id)

    async def update_focus(self, session_id: str, focus: FocusState) -> bool:
        """Put something in focus, in place of what was."""
        focus_type = _checked(focus.focus_type)
        return await self._service.update_focus(session_id, focus_type, focus.focus_id, _context(focus)) is not None

    async def add_entity_reference(self, session_id: str, entity: EntityRef) -> bool:
        """Note that something was mentioned."""
        changed = await self._service.record_entity_reference(
            session_id,
            entity.entity_type,
            entity.entity_id,
            entity.label,
            context=entity.reference_context,
            referenced_at=entity.referenced_at,
        )
        return changed is not None

    async def get_active_sessions(self, user_id: str, limit: int = 10) -> list[SessionId]:
        """Return the ids of the user's last sessions that are not put aside, newest activity first."""
        return await self._service.list_active(user_id, limit=limit)


def memory_of(record: SessionStateRecord) -> WorkingMemory:
    """Return *record* in the words of the core."""
    context = dict(record.focus_context)
    label = context.pop(LABEL) if isinstance(context.get(LABEL), str) else None
    return WorkingMemory(
        session_id=record.session_id,
        user_id=record.user_id,
        focus=FocusState(
            focus_type=focus_type_of(record.focus_type),
            focus_id=record.focus_id,
            focus_label=label,
            focus_context=context,
        ),
        referenced_entities=[_reference(entity) for entity in record.referenced_entities],
        turn_count=record.turn_count,
        short_term_context=record.short_term_memory or "",
        created_at=record.created_at,
        updated_at=record.updated_at,
        as_read=record.as_read,
    )


def _reference(entity: dict[str, Any]) -> EntityRef:
    return EntityRef(
        entity_type=entity["type"],
        entity_id=entity["id"],
        label=entity["title"] or "",
        reference_context=entity.get("context", ""),
        referenced_at=msgspec.convert(entity["referenced_at"], datetime),
    )


def _record(memory: WorkingMemory) -> SessionStateRecord:
    read = memory.as_read
    focus_type: str | None = _checked(memory.focus.focus_type)
    if read is not None and focus_type_of(read.focus_type) == focus_type:
        focus_type = read.focus_type
    return SessionStateRecord(
        session_id=memory.session_id,
        user_id=memory.user_id,
        focus_type=focus_type,
        focus_id=memory.focus.focus_id,
        focus_context=_context(memory.focus),
        referenced_entities=[
            {
                "type": entity.entity_type,
                "id": entity.entity_id,
                "title": entity.label,
                "referenced_at": entity.referenced_at,
                "context": entity.reference_context,
            }
            for entity in memory.referenced_entities
        ],
        short_term_memory=memory.short_term_context,
        turn_count=memory.turn_count,
        as_read=read,
    )


def _checked(focus_type: FocusType) -> str:
    try:
        return str(FocusType(focus_type))
    except ValueError as error:
        raise InvalidInputError(f"a type of focus is one of {', '.join(FocusType)}, got {focus_type!r:.50}") from error


def _context(focus: FocusState) -> dict[str, Any]:
    return dict(focus.focus_context) if focus.focus_label is None else {**focus.focus_context, LABEL: focus.focus_label}
