"""A session's working memory as one flat record: a copy to read, change and hand back.

The record remembers how it was read. What is handed back is compared with that, and only what its holder changed
becomes events: two holders who change different things, or both count a turn, do not undo each other.
"""

import copy
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Self

import msgspec

from sojourn.engine.inputs import MAX_SUMMARY, check_text
from sojourn.engine.nouns.focus import entity_referenced, focus_changed
from sojourn.errors import InvalidInputError
from sojourn.model.events import Event, ShortTermMemoryUpdated, UserTurnCounted
from sojourn.model.ids import check_session_id
from sojourn.model.state import SessionState
from sojourn.model.working_memory import EntityMention


@dataclass(slots=True, kw_only=True)
class SessionStateRecord:
    """What is in focus in one session, what was mentioned, the running summary and the number of turns.

    A working copy: changing it changes nothing else. The two times are the journal's, and are not handed back. An
    entity is a dict with `type`, `id`, `title` and `referenced_at`, and `context` if there is any. *as_read* is the
    record as it was read; it is no part of the dict form.
    """

    session_id: str
    user_id: str | None = None
    focus_type: str | None = "general"
    focus_id: str | None = None
    focus_context: dict[str, Any] = field(default_factory=dict)
    referenced_entities: list[dict[str, Any]] = field(default_factory=list)
    short_term_memory: str | None = None
    turn_count: int = 0
    created_at: datetime | None = None
    updated_at: datetime | None = None
    as_read: "SessionStateRecord | None" = field(default=None, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types; times are ISO 8601."""
        plain: dict[str, Any] = msgspec.to_builtins(replace(self, as_read=None))
        del plain["as_read"]
        return plain

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Rebuild the record that `to_dict` turned into *data*; what is missing or None has its default.

        Raises:
            InvalidInputError: the session's id is missing, or a field has the wrong type.
        """
        given = {name: value for name, value in data.items() if value is not None and name != "as_read"}
        try:
            return msgspec.convert(given, cls)
        except msgspec.ValidationError as error:
            raise InvalidInputError(f"the record of a session's state: {error}") from error


def record_of(state: SessionState) -> SessionStateRecord:
    """Return *state* as a record that remembers how it was read."""
    record = SessionStateRecord(
        session_id=state.session_id,
        user_id=state.user_id,
        focus_type=state.focus_type,
        focus_id=state.focus_id,
        focus_context=copy.deepcopy(state.focus_context),
        referenced_entities=[plain_entity(mention) for mention in state.referenced_entities],
        short_term_memory=state.short_term_memory,
        turn_count=state.turn_count,
        created_at=state.created_at,
        updated_at=state.updated_at,
    )
    return replace(record, as_read=copied(record))


def copied(record: SessionStateRecord) -> SessionStateRecord:
    """Return a copy of *record* that shares nothing with it, and was not read from anywhere."""
    return copy.deepcopy(replace(record, as_read=None))


def plain_entity(mention: EntityMention) -> dict[str, Any]:
    """Return an entity as a record holds it."""
    plain: dict[str, Any] = msgspec.to_builtins(mention)
    if not mention.context:
        del plain["context"]
    return plain


def changes(state: SessionState, wanted: SessionStateRecord) -> list[Event]:
    """Return what must happen to *state* so that it holds what the holder of *wanted* changed.

    A record that was not read from a session is taken to be changed wherever it differs from *state*. What was
    mentioned stays mentioned, and turns that were counted stay counted: neither is ever taken back.

    Raises:
        InvalidInputError: the record holds something that a session does not keep.
    """
    now = record_of(state)
    read = wanted.as_read or now
    events: list[Event] = []
    if _focus(wanted) not in (_focus(read), _focus(now)):
        events.append(focus_changed(*_focus(wanted)))
    known = {_name(entity) for entity in (*now.referenced_entities, *read.referenced_entities)}
    events += [_mentioned(entity) for entity in wanted.referenced_entities if _name(entity) not in known]
    memory = wanted.short_term_memory or None
    if memory not in (read.short_term_memory, now.short_term_memory):
        events.append(ShortTermMemoryUpdated(text=memory))
    if wanted.turn_count > read.turn_count:
        events.append(UserTurnCounted(turns=wanted.turn_count - read.turn_count))
    return events


def check_record(record: SessionStateRecord) -> None:
    """Refuse a record that holds something which a session does not keep, before anything is begun for it."""
    check_session_id(record.session_id)
    focus_changed(*_focus(record))
    for entity in record.referenced_entities:
        _mentioned(entity)
    if record.short_term_memory:
        check_text(record.short_term_memory, "the short-term memory", most=MAX_SUMMARY)
    if isinstance(record.turn_count, bool) or not isinstance(record.turn_count, int) or record.turn_count < 0:
        raise InvalidInputError(f"a turn count is a number from 0, got {record.turn_count!r:.50}")


def _focus(record: SessionStateRecord) -> tuple[str, str | None, dict[str, Any]]:
    return record.focus_type or "general", record.focus_id, record.focus_context


def _name(entity: dict[str, Any]) -> tuple[object, object]:
    return entity.get("type"), entity.get("id")


def _mentioned(entity: dict[str, Any]) -> Event:
    try:
        known = {"title": None, "referenced_at": None, "context": "", **entity}
        at = None if known["referenced_at"] is None else msgspec.convert(known["referenced_at"], datetime)
        return entity_referenced(entity["type"], entity["id"], known["title"] or None, known["context"] or "", at)
    except (KeyError, TypeError, msgspec.ValidationError) as error:
        raise InvalidInputError(f"an entity is a dict with type, id, title and referenced_at: {error!r}") from error
