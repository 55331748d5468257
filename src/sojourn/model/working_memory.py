"""What is in focus right now: the thing worked on, what was mentioned, the running summary, the turn."""

from datetime import datetime
from typing import Any, Final

from msgspec.structs import replace

from sojourn.model.bounded import with_newest
from sojourn.model.entry import Entry
from sojourn.model.events import EntityReferenced, FocusChanged, ShortTermMemoryUpdated, TurnStarted, UserTurnCounted
from sojourn.model.value import Value

MAX_ENTITIES: Final = 20


class EntityMention(Value, frozen=True, kw_only=True):
    """Something that was mentioned, and when it first was."""

    type: str
    id: str
    title: str | None
    referenced_at: datetime
    context: str = ""


class WorkingMemory(Value, frozen=True, kw_only=True):
    """Focus, the last 20 entities without duplicates, the short-term memory, the number of turns."""

    focus_type: str = "general"
    focus_id: str | None = None
    focus_context: dict[str, Any] = {}
    referenced_entities: tuple[EntityMention, ...] = ()
    short_term_memory: str | None = None
    turn_count: int = 0

    def apply(self, entry: Entry) -> "WorkingMemory":
        """Return the working memory after *entry*."""
        match entry.event:
            case FocusChanged() as focus:
                return replace(self, focus_type=focus.focus_type, focus_id=focus.focus_id, focus_context=focus.context)
            case EntityReferenced() as named:
                return self._mentioned(named, entry.at)
            case ShortTermMemoryUpdated(text=text):
                return replace(self, short_term_memory=text)
            case TurnStarted():
                return replace(self, turn_count=self.turn_count + 1)
            case UserTurnCounted(turns=turns):
                return replace(self, turn_count=self.turn_count + turns)
            case _:
                return self

    def _mentioned(self, named: EntityReferenced, at: datetime) -> "WorkingMemory":
        known = any(
            mention.type == named.entity_type and mention.id == named.entity_id for mention in self.referenced_entities
        )
        if known:
            return self
        mention = EntityMention(
            type=named.entity_type,
            id=named.entity_id,
            title=named.title,
            referenced_at=named.referenced_at or at,
            context=named.context,
        )
        return replace(self, referenced_entities=with_newest(self.referenced_entities, mention, limit=MAX_ENTITIES))
