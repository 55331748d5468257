"""The whole state of a session: a fold of its journal, small whatever the journal's length.

`state.apply(entry)` asks only the components that the event concerns, so the table below is part of the contract:
an event that is not listed changes nothing but the header.
"""

import zlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from sojourn.model import events as ev
from sojourn.model.allowances import Allowances
from sojourn.model.conversation import Conversation
from sojourn.model.entry import Entry
from sojourn.model.header import SessionHeader, begin_header
from sojourn.model.ids import Seq, SessionId
from sojourn.model.interaction import InteractionContext
from sojourn.model.interrupts import Interrupts
from sojourn.model.knowledge import KnowledgeBase
from sojourn.model.profile import UserProfile
from sojourn.model.research import Research, ResearchHeader, ResearchState
from sojourn.model.statistics import SessionMetadata
from sojourn.model.value import Value
from sojourn.model.variables import Variables
from sojourn.model.working_memory import EntityMention, WorkingMemory
from sojourn.model.working_set import WorkingSet

SNAPSHOT_VERSION: Final = 4

_CONCERNS: Final[dict[type, tuple[str, ...]]] = {
    ev.MessageAdded: ("conversation", "interaction_context", "metadata"),
    ev.TurnStarted: ("conversation", "working_memory"),
    ev.TurnEnded: ("conversation", "metadata"),
    ev.UserTurnCounted: ("working_memory",),
    ev.ToolStarted: ("conversation",),
    ev.ToolRan: ("conversation", "metadata"),
    ev.AllowanceGranted: ("allowances",),
    ev.AllowanceWithdrawn: ("allowances",),
    ev.UsageRecorded: ("metadata", "working_set"),
    ev.Compacted: ("conversation", "working_set"),
    ev.CompactionUndone: ("conversation", "working_set"),
    ev.ProfileUpdated: ("user_profile",),
    ev.ProfileFieldRemoved: ("user_profile",),
    ev.FactLearned: ("knowledge_base",),
    ev.FactReinforced: ("knowledge_base",),
    ev.FactCorrected: ("knowledge_base",),
    ev.FactActivated: ("knowledge_base",),
    ev.FactRetired: ("knowledge_base",),
    ev.FactVerified: ("knowledge_base",),
    ev.FactsUsed: ("knowledge_base",),
    ev.TopicChanged: ("interaction_context",),
    ev.IntentClassified: ("interaction_context",),
    ev.FocusChanged: ("working_memory",),
    ev.EntityReferenced: ("working_memory",),
    ev.ShortTermMemoryUpdated: ("working_memory",),
    ev.DecisionMade: ("working_set",),
    ev.TaskOpened: ("working_set",),
    ev.TaskClosed: ("working_set",),
    ev.FileTouched: ("working_set",),
    ev.FactPinned: ("working_set",),
    ev.FactUnpinned: ("working_set",),
    ev.SummaryUpdated: ("working_set",),
    ev.TokenBudgetSet: ("working_set",),
    ev.VariableSet: ("variables",),
    ev.VariableRemoved: ("variables",),
    ev.ResearchStarted: ("research", "metadata"),
    ev.AttemptStarted: ("research",),
    ev.AttemptEnded: ("research",),
    ev.PlanRevised: ("research",),
    ev.StepAdded: ("research",),
    ev.StepUpdated: ("research",),
    ev.ResearchToolRan: ("research",),
    ev.InsightAdded: ("research",),
    ev.ResearchEnded: ("research",),
    ev.InterruptRaised: ("interrupts",),
    ev.InterruptResolved: ("interrupts",),
}


class SessionState(Value, frozen=True, kw_only=True):
    """Everything a session is, at one point of its journal. A value: it never changes under its reader."""

    header: SessionHeader
    conversation: Conversation = Conversation()
    user_profile: UserProfile = UserProfile()
    knowledge_base: KnowledgeBase = KnowledgeBase()
    interaction_context: InteractionContext = InteractionContext()
    metadata: SessionMetadata = SessionMetadata()
    working_memory: WorkingMemory = WorkingMemory()
    working_set: WorkingSet = WorkingSet()
    variables: Variables = Variables()
    research: ResearchState = ResearchState()
    interrupts: Interrupts = Interrupts()
    allowances: Allowances = Allowances()

    def apply(self, entry: Entry) -> "SessionState":
        """Return the state after *entry*, which must be the next one of the journal."""
        return self.apply_all((entry,))

    def apply_all(self, entries: Sequence[Entry]) -> "SessionState":
        """Return the state after all of *entries*, which must be the next ones of the journal, in order.

        No component looks at another, so each follows its own events, and the state is put together once.
        """
        if not entries:
            return self
        changed: dict[str, Any] = {}
        for entry in entries:
            for name in _CONCERNS.get(type(entry.event), ()):
                component = changed[name] if name in changed else getattr(self, name)
                changed[name] = component.apply(entry)
        return replace(self, header=self.header.apply_all(entries), **changed)

    @property
    def session_id(self) -> SessionId:
        return self.header.session_id

    @property
    def head(self) -> Seq:
        return self.header.head

    @property
    def user_id(self) -> str | None:
        return self.header.user_id

    @property
    def created_at(self) -> datetime:
        return self.header.created_at

    @property
    def updated_at(self) -> datetime:
        return self.header.updated_at

    @property
    def title(self) -> str | None:
        return self.header.title

    @property
    def tags(self) -> tuple[str, ...]:
        return self.header.tags

    @property
    def project(self) -> str | None:
        return self.header.project

    @property
    def focus_type(self) -> str:
        return self.working_memory.focus_type

    @property
    def focus_id(self) -> str | None:
        return self.working_memory.focus_id

    @property
    def focus_context(self) -> dict[str, Any]:
        return self.working_memory.focus_context

    @property
    def referenced_entities(self) -> tuple[EntityMention, ...]:
        return self.working_memory.referenced_entities

    @property
    def short_term_memory(self) -> str | None:
        return self.working_memory.short_term_memory

    @property
    def turn_count(self) -> int:
        return self.working_memory.turn_count

    @property
    def active_research(self) -> Research | None:
        return self.research.active

    @property
    def research_history(self) -> tuple[ResearchHeader, ...]:
        return self.research.history


def replay(entries: Iterable[Entry], *, state: SessionState | None = None) -> SessionState | None:
    """Fold *entries* into *state*; without one, the first entry begins a new one. No entries: *state* itself."""
    following = list(entries)
    if state is None and following:
        state = SessionState(header=begin_header(following.pop(0)))
    return state.apply_all(following) if state is not None else None


class _Snapshot(msgspec.Struct):
    version: int
    crc: int
    state: msgspec.Raw


def encode_snapshot(state: SessionState) -> bytes:
    """Return *state* as bytes that say which version of the state they hold, and tell when they are damaged."""
    body = msgspec.json.encode(state)
    return msgspec.json.encode(_Snapshot(version=SNAPSHOT_VERSION, crc=zlib.crc32(body), state=msgspec.Raw(body)))


def decode_snapshot(data: bytes, *, seq: int | None = None) -> SessionState | None:
    """Return the state in *data*, or None if it is of no use and must be rebuilt from the journal.

    That is so if another version wrote it, if it is damaged, and with *seq*, if it is not the state after that entry.
    """
    try:
        snapshot = msgspec.json.decode(data, type=_Snapshot)
        if snapshot.version != SNAPSHOT_VERSION or snapshot.crc != zlib.crc32(snapshot.state):
            return None
        state = msgspec.json.decode(snapshot.state, type=SessionState)
    except (msgspec.MsgspecError, UnicodeError):
        return None
    return state if seq is None or state.head == seq else None
