"""Bring home what a branch has learned. Three states are compared: the common point's, ours and theirs.

What only the branch changed comes home. What both changed, to different ends, is a conflict, and a strategy decides.
Messages are not merged: a conversation happened in one order, in one place.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sojourn.engine.branches import holdings
from sojourn.model.events import (
    DecisionMade,
    Event,
    FactActivated,
    FactCorrected,
    FactLearned,
    FactPinned,
    FactRetired,
    FactUnpinned,
    FileTouched,
    FocusChanged,
    ProfileFieldRemoved,
    ProfileUpdated,
    ShortTermMemoryUpdated,
    SummaryUpdated,
    TaskClosed,
    TaskOpened,
    VariableRemoved,
    VariableSet,
)
from sojourn.model.state import SessionState

Strategy = Literal["ours", "theirs", "newest", "most_confident", "ask"]
Choice = Literal["ours", "theirs"]
Name = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Something that both sides changed to different ends; None means that a side removed it."""

    component: str
    name: str
    base: Any
    ours: Any
    theirs: Any

    @property
    def key(self) -> Name:
        """What names it in `resolutions`."""
        return self.component, self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeResult:
    """What a merge found and did. With strategy "ask" and open conflicts nothing was changed."""

    merged: bool
    brought: tuple[Name, ...]
    conflicts: tuple[Conflict, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergePlan:
    """What is to be brought home, and what is in conflict."""

    ours: SessionState
    theirs: SessionState
    brought: tuple[Name, ...]
    conflicts: tuple[Conflict, ...]


def plan_merge(base: SessionState, ours: SessionState, theirs: SessionState) -> MergePlan:
    """Compare the three states."""
    before, here, there = holdings(base), holdings(ours), holdings(theirs)
    brought: list[Name] = []
    conflicts: list[Conflict] = []
    for key in dict.fromkeys([*before, *there]):
        old, our, their = before.get(key), here.get(key), there.get(key)
        if their in (old, our):
            continue
        if isinstance(our, tuple) and isinstance(their, tuple):  # lists of the profile unite
            brought += [] if set(their) <= set(our) else [key]
        elif our == old:
            brought.append(key)
        else:
            conflicts.append(Conflict(component=key[0], name=key[1], base=old, ours=our, theirs=their))
    return MergePlan(ours=ours, theirs=theirs, brought=tuple(brought), conflicts=tuple(conflicts))


def resolve(
    plan: MergePlan, strategy: Strategy, resolutions: Mapping[Name, Choice]
) -> tuple[list[Name], list[Conflict]]:
    """Return which conflicts go their way, and which stay open."""
    theirs: list[Name] = []
    unresolved: list[Conflict] = []
    for conflict in plan.conflicts:
        choice = resolutions.get(conflict.key) or _choose(plan, conflict, strategy)
        if choice is None:
            unresolved.append(conflict)
        elif choice == "theirs":
            theirs.append(conflict.key)
    return theirs, unresolved


def events_for(plan: MergePlan, names: list[Name]) -> list[Event]:
    """Return the events that make *names* in our state what they are in theirs."""
    events: list[Event] = []
    for component, name in names:
        match component:
            case "user_profile":
                events += _profile(plan, name)
            case "knowledge_base":
                events += _fact(plan, name)
            case "variables":
                values = plan.theirs.variables.values
                events.append(
                    VariableSet(name=name, value=values[name]) if name in values else VariableRemoved(name=name)
                )
            case "working_memory":
                events += _memory(plan, name)
            case _:
                events += _working_set(plan, name)
    return events


def _choose(plan: MergePlan, conflict: Conflict, strategy: Strategy) -> Choice | None:
    match strategy:
        case "ours" | "theirs":
            return strategy
        case "newest":
            return "theirs" if _changed_at(plan.theirs, conflict) > _changed_at(plan.ours, conflict) else "ours"
        case "most_confident":
            our, their = _confidence(plan.ours, conflict), _confidence(plan.theirs, conflict)
            if our == their:
                return _choose(plan, conflict, "newest")
            return "theirs" if their > our else "ours"
        case "ask":
            return None


def _changed_at(state: SessionState, conflict: Conflict) -> datetime:
    """Return when the thing last changed there, as exactly as the state knows."""
    if conflict.component == "knowledge_base" and conflict.name in state.knowledge_base.facts:
        return state.knowledge_base.facts[conflict.name].updated_at
    if conflict.component == "user_profile" and state.user_profile.updated_at is not None:
        return state.user_profile.updated_at
    return state.updated_at


def _confidence(state: SessionState, conflict: Conflict) -> float:
    if conflict.component == "knowledge_base" and conflict.name in state.knowledge_base.facts:
        return state.knowledge_base.facts[conflict.name].confidence
    origin = state.user_profile.origins.get(conflict.name) if conflict.component == "user_profile" else None
    return origin.confidence if origin else 0.0


def _profile(plan: MergePlan, name: str) -> list[Event]:
    value, origin = getattr(plan.theirs.user_profile, name), plan.theirs.user_profile.origins.get(name)
    if origin is None:
        return [ProfileFieldRemoved(field=name)]
    plain = list(value) if isinstance(value, tuple) else value
    return [ProfileUpdated(fields={name: plain}, confidence=origin.confidence, source=origin.source)]


def _fact(plan: MergePlan, fact_id: str) -> list[Event]:
    their, our = plan.theirs.knowledge_base.facts.get(fact_id), plan.ours.knowledge_base.facts.get(fact_id)
    if their is None:
        return []  # it only fell out of the bounded state there
    if our is None:
        return [
            FactLearned(
                fact_id=fact_id,
                content=their.content,
                source=their.sources[0],
                confidence=their.confidence,
                scope=their.scope,
                status=their.status,
                tags=their.tags,
                references=their.references,
                research_id=their.research_id,
                about=their.about,
                slot=their.slot,
                value=their.value,
                valid_from=their.valid_from,
            )
        ]
    events: list[Event] = []
    if our.content != their.content:
        events.append(
            FactCorrected(
                fact_id=fact_id,
                content=their.content,
                confidence=their.confidence,
                source=their.sources[-1],
                slot=their.slot,
                value=their.value,
            )
        )
    if our.status != their.status:
        retired = their.status == "retired"
        events.append(
            FactRetired(
                fact_id=fact_id,
                reason=their.retired_reason or "",
                superseded_by=their.superseded_by,
                valid_to=their.valid_to,
            )
            if retired
            else FactActivated(fact_id=fact_id, as_candidate=their.status == "candidate")
        )
    return events


def _memory(plan: MergePlan, name: str) -> list[Event]:
    memory = plan.theirs.working_memory
    if name == "focus":
        return [FocusChanged(focus_type=memory.focus_type, focus_id=memory.focus_id, context=memory.focus_context)]
    return [ShortTermMemoryUpdated(text=memory.short_term_memory)]


def _working_set(plan: MergePlan, name: str) -> list[Event]:
    their = plan.theirs.working_set
    kind, _, rest = name.partition(": ")
    match kind:
        case "summary":
            return [SummaryUpdated(text=their.summary)]
        case "decision":
            return [DecisionMade(text=rest)] if any(one.text == rest for one in their.decisions) else []
        case "task":
            task = next((one for one in their.open_tasks if one.task_id == rest), None)
            return [TaskOpened(task_id=rest, text=task.text) if task else TaskClosed(task_id=rest)]
        case "pinned":
            return [FactPinned(text=rest) if rest in their.pinned_facts else FactUnpinned(text=rest)]
        case "file":
            file = next((one for one in their.files_touched if one.path == rest), None)
            return [FileTouched(path=rest, action=file.action)] if file else []
        case _:
            return []
