"""What is known about the user and must not be written: it lives beside the fold, in memory, and ends with the session.

Private are the profile, and facts about the user. The user's own messages are not: they are the conversation.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from sojourn.model.entry import Draft, Entry
from sojourn.model.events import (
    Event,
    FactActivated,
    FactCorrected,
    FactLearned,
    FactReinforced,
    FactRetired,
    FactVerified,
    ProfileFieldRemoved,
    ProfileUpdated,
)
from sojourn.model.knowledge import Fact
from sojourn.model.state import SessionState


class Private:
    """Entries that are in memory only. Lives as long as its session is open."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._fact_ids: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self._entries)

    def concerns(self, event: Event) -> bool:
        """Tell whether *event* must not be written when the profile is not kept."""
        match event:
            case ProfileUpdated() | ProfileFieldRemoved():
                return True
            case FactLearned():
                return event.about == "user" or event.scope == "user"
            case FactReinforced() if event.about == "user" or event.scope == "user":
                return True
            case FactReinforced() | FactCorrected() | FactActivated() | FactRetired() | FactVerified():
                return event.fact_id in self._fact_ids
            case _:
                return False

    def add(self, entries: Iterable[Entry]) -> None:
        """Keep *entries* in memory."""
        for entry in entries:
            self._entries.append(entry)
            if isinstance(entry.event, FactLearned):
                self._fact_ids.add(entry.event.fact_id)

    def drafts(self) -> list[Draft]:
        """Return all that is held, ready to be written."""
        return [Draft(event=entry.event, causes=entry.causes) for entry in self._entries]

    def let_go(self, count: int) -> None:
        """Hold the first *count* entries no more: they are written."""
        del self._entries[:count]
        if not self._entries:
            self._fact_ids.clear()

    def drop(self, what: str, name: object) -> bool:
        """Drop what is held about a fact, a profile field, or everything for a session; tell whether there was any."""
        fact_id = name.fact_id if isinstance(name, Fact) else name

        def goes(event: Event) -> bool:
            match event:
                case ProfileUpdated(fields=fields):
                    return what == "session" or (what == "field" and name in fields)
                case ProfileFieldRemoved(field=field):
                    return what == "session" or (what == "field" and name == field)
                case _:
                    return what == "session" or (what == "fact" and getattr(event, "fact_id", None) == fact_id)

        kept = [entry for entry in self._entries if not goes(entry.event)]
        dropped = len(kept) < len(self._entries)
        self._entries = kept
        return dropped

    def over(self, state: SessionState) -> SessionState:
        """Return *state* with what is private laid over it."""
        profile, knowledge = state.user_profile, state.knowledge_base
        for entry in self._entries:
            profile, knowledge = profile.apply(entry), knowledge.apply(entry)
        return replace(state, user_profile=profile, knowledge_base=knowledge)
