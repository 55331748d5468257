"""From journal entries to news: which parts of the state they changed, and what deserves a name of its own."""

from collections.abc import Callable, Iterable
from typing import Final

from sojourn.engine import bus
from sojourn.engine.bus import ChangeType, Component, News
from sojourn.model import events as ev
from sojourn.model.entry import Entry
from sojourn.model.events import kind_of

_COMPONENTS: Final[dict[type, tuple[Component, ChangeType]]] = {
    ev.MessageAdded: ("conversation", "add"),
    ev.TurnStarted: ("conversation", "update"),
    ev.TurnEnded: ("conversation", "update"),
    ev.Compacted: ("conversation", "update"),
    ev.CompactionUndone: ("conversation", "update"),
    ev.ToolStarted: ("conversation", "update"),
    ev.ToolRan: ("metadata", "update"),
    ev.UsageRecorded: ("metadata", "update"),
    ev.ProfileUpdated: ("user_profile", "update"),
    ev.ProfileFieldRemoved: ("user_profile", "remove"),
    ev.FactLearned: ("knowledge_base", "add"),
    ev.FactReinforced: ("knowledge_base", "update"),
    ev.FactCorrected: ("knowledge_base", "update"),
    ev.FactActivated: ("knowledge_base", "update"),
    ev.FactRetired: ("knowledge_base", "remove"),
    ev.FactVerified: ("knowledge_base", "update"),
    ev.FactsUsed: ("knowledge_base", "update"),
    ev.TopicChanged: ("interaction_context", "update"),
    ev.IntentClassified: ("interaction_context", "update"),
    ev.FocusChanged: ("working_memory", "update"),
    ev.EntityReferenced: ("working_memory", "add"),
    ev.ShortTermMemoryUpdated: ("working_memory", "update"),
    ev.UserTurnCounted: ("working_memory", "update"),
    ev.DecisionMade: ("working_set", "add"),
    ev.TaskOpened: ("working_set", "add"),
    ev.TaskClosed: ("working_set", "remove"),
    ev.FileTouched: ("working_set", "add"),
    ev.FactPinned: ("working_set", "add"),
    ev.FactUnpinned: ("working_set", "remove"),
    ev.SummaryUpdated: ("working_set", "update"),
    ev.TokenBudgetSet: ("working_set", "update"),
    ev.VariableSet: ("variables", "update"),
    ev.VariableRemoved: ("variables", "remove"),
    ev.ResearchStarted: ("research", "add"),
    ev.AttemptStarted: ("research", "update"),
    ev.AttemptEnded: ("research", "update"),
    ev.PlanRevised: ("research", "update"),
    ev.StepAdded: ("research", "update"),
    ev.StepUpdated: ("research", "update"),
    ev.ResearchToolRan: ("research", "update"),
    ev.InsightAdded: ("research", "add"),
    ev.ResearchEnded: ("research", "remove"),
    ev.InterruptRaised: ("interrupts", "add"),
    ev.InterruptResolved: ("interrupts", "remove"),
}


def news_of(entries: Iterable[Entry], *, wanted: Callable[[type[News]], bool]) -> list[News]:
    """Return the news that *entries* are, in their order, of the kinds that are *wanted*."""
    news: list[News] = []
    changes_wanted = wanted(bus.StateChanged)
    for entry in entries:
        if changes_wanted:
            news.append(_changed(entry))
        named = _named(entry)
        if named is not None and wanted(type(named)):
            news.append(named)
    return news


def _changed(entry: Entry) -> News:
    component, change = _COMPONENTS.get(type(entry.event), ("session", "update"))
    details = {"kind": kind_of(entry.event), "seq": entry.seq}
    return bus.StateChanged(
        session_id=entry.session_id, at=entry.at, component=component, change_type=change, details=details
    )


def _named(entry: Entry) -> News | None:
    match entry.event:
        case ev.FocusChanged() as focus:
            return bus.FocusChanged(
                session_id=entry.session_id, at=entry.at, focus_type=focus.focus_type, focus_id=focus.focus_id
            )
        case ev.EntityReferenced() as named:
            return bus.EntityReferenced(
                session_id=entry.session_id,
                at=entry.at,
                entity_type=named.entity_type,
                entity_id=named.entity_id,
                title=named.title,
            )
        case ev.InterruptRaised() as raised:
            return bus.InterruptRaised(
                session_id=entry.session_id, at=entry.at, interrupt_id=raised.interrupt_id, kind=raised.interrupt
            )
        case ev.InterruptResolved() as resolved:
            return bus.InterruptResolved(
                session_id=entry.session_id, at=entry.at, interrupt_id=resolved.interrupt_id, status=resolved.status
            )
        case _:
            return None
