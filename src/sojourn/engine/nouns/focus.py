"""What the user works on, and what was mentioned."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sojourn.engine.inputs import MAX_NAME, MAX_SUMMARY, check_data, check_focus_type, check_moment, check_text
from sojourn.engine.live import Live
from sojourn.model.events import EntityReferenced, FocusChanged, ShortTermMemoryUpdated
from sojourn.model.working_memory import EntityMention


def focus_changed(focus_type: str, focus_id: str | None, context: dict[str, Any] | None) -> FocusChanged:
    """Return the event of putting something in focus.

    Raises:
        InvalidInputError: no design names this type of focus, or something is too long.
    """
    return FocusChanged(
        focus_type=check_focus_type(focus_type),
        focus_id=focus_id if focus_id is None else check_text(focus_id, "a focus's id", most=MAX_NAME),
        context=check_data(context or {}, "a focus's context"),
    )


def entity_referenced(
    entity_type: str, entity_id: str, title: str | None, context: str, referenced_at: datetime | None
) -> EntityReferenced:
    """Return the event of something being mentioned.

    Raises:
        InvalidInputError: a text is empty or too long, or the time has no zone.
    """
    return EntityReferenced(
        entity_type=check_text(entity_type, "an entity's type", most=MAX_NAME),
        entity_id=check_text(entity_id, "an entity's id", most=MAX_NAME),
        title=title if title is None else check_text(title, "an entity's title", most=MAX_NAME),
        context=context if context == "" else check_text(context, "what is said of an entity"),
        referenced_at=None if referenced_at is None else check_moment(referenced_at, "when an entity was mentioned"),
    )


class Focus:
    """The thing in focus: `session.focus`."""

    def __init__(self, session: Live) -> None:
        self._session = session

    async def set(
        self,
        focus_type: str,
        focus_id: str | None = None,
        *,
        context: dict[str, Any] | None = None,
        causes: Iterable[int] = (),
    ) -> None:
        """Put something in focus, in place of what was.

        Raises:
            InvalidInputError: no design names this type of focus, or something is too long.
        """
        await self._session.append(focus_changed(focus_type, focus_id, context), causes=causes)

    async def clear(self, *, causes: Iterable[int] = ()) -> None:
        """Put nothing in particular in focus: type general, no id, no context."""
        await self._session.append(FocusChanged(), causes=causes)

    async def remember(self, text: str | None, *, causes: Iterable[int] = ()) -> None:
        """Set the short-term memory, a running summary of the recent talk; None empties it."""
        if text is not None:
            check_text(text, "the short-term memory", most=MAX_SUMMARY)
        await self._session.append(ShortTermMemoryUpdated(text=text), causes=causes)


class Entities:
    """Things with a name of their own that were mentioned: `session.entities`."""

    def __init__(self, session: Live) -> None:
        self._session = session

    async def reference(
        self,
        entity_type: str,
        entity_id: str,
        *,
        title: str | None = None,
        context: str = "",
        referenced_at: datetime | None = None,
        causes: Iterable[int] = (),
    ) -> EntityMention:
        """Note that something was mentioned; of one that is among the last 20 already nothing is written.

        *context* says how it was mentioned, *referenced_at* when, if that was not just now.
        """
        known = self.find(entity_type, entity_id)
        if known is not None:
            return known
        event = entity_referenced(entity_type, entity_id, title, context, referenced_at)
        await self._session.append(event, causes=causes)
        return self._session.state.referenced_entities[-1]

    def find(self, entity_type: str, entity_id: str) -> EntityMention | None:
        """Return the entity if it is among the last 20."""
        return next(
            (
                mention
                for mention in self._session.state.referenced_entities
                if (mention.type, mention.id) == (entity_type, entity_id)
            ),
            None,
        )

    def recent(self, limit: int = 5) -> tuple[EntityMention, ...]:
        """Return the last *limit* that were mentioned, oldest first."""
        return self._session.state.referenced_entities[-limit:] if limit > 0 else ()
