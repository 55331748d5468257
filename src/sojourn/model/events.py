"""Everything that can happen in a session: one tagged union of small frozen values, in the past tense.

These are stored for ever. A field may be added with a default; a field or kind is never removed, renamed or given
another meaning. A change that cannot be made so gets a new version of its kind and an upcaster (`codec.py`).
"""

from datetime import datetime
from typing import Annotated, Any, Literal, get_args

from msgspec import Meta, Raw

from sojourn.model.ids import Seq, SessionId
from sojourn.model.message import Count, Message
from sojourn.model.usage import Usage
from sojourn.model.value import Value

Ratio = Annotated[float, Meta(ge=0.0, le=1.0)]
Seconds = Annotated[float, Meta(ge=0.0, le=1e12)]
"""How long something took; the limit keeps sums finite, which is what JSON can hold."""
TitleSource = Literal["user", "agent", "auto"]
TurnOutcome = Literal["completed", "cancelled", "interrupted", "failed", "waiting"]
"""A turn that is *waiting* left its tool calls open: a human has to allow one of them first."""
AllowanceScope = Literal["file", "folder", "session"]
Purpose = Literal["conversation", "reasoning", "summarisation", "extraction"]
FactScope = Literal["session", "project", "user", "global"]
FactStatus = Literal["candidate", "active", "retired"]
Strategy = Literal["direct", "light_planning", "deep_reasoning"]
StepStatus = Literal["pending", "in_progress", "completed", "skipped", "failed"]
AttemptStatus = Literal["in_progress", "completed", "failed", "escalated"]
InsightKind = Literal[
    "confirmed_facts", "partial_findings", "knowledge_gaps", "quality_feedback", "recommended_improvements"
]
InterruptKind = Literal[
    "clarification", "confirmation", "agent_review", "checkpoint", "resource_exhausted", "timeout", "system_error"
]
InterruptStatus = Literal["pending", "resolved", "expired", "cancelled"]


class EventBase(Value, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind"):
    """What all events share: the tag `kind`, and that defaults are not written."""


class Span(Value, frozen=True, kw_only=True):
    """Words that a statement rests on: characters *start* to *end* of the text of message *seq*."""

    seq: Seq
    start: int
    end: int


# --- the session itself


class SessionCreated(EventBase, frozen=True, kw_only=True, tag="session_created"):
    """A session began. *parent* is set for a subagent's session, nested under its caller's."""

    user_id: str | None = None
    title: str | None = None
    project: str | None = None
    tags: tuple[str, ...] = ()
    parent: SessionId | None = None
    metadata: dict[str, Any] = {}


class SessionForked(EventBase, frozen=True, kw_only=True, tag="session_forked"):
    """This session continues *forked_from* after its entry *at*; it is the first entry of the fork's own."""

    session_id: SessionId
    forked_from: SessionId
    at: Seq


class SessionRenamed(EventBase, frozen=True, kw_only=True, tag="session_renamed"):
    """The session got a title. A title that a user gave is only replaced by a user."""

    title: str
    source: TitleSource = "user"


class SessionTagged(EventBase, frozen=True, kw_only=True, tag="session_tagged"):
    """Tags were added and removed."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class SessionMoved(EventBase, frozen=True, kw_only=True, tag="session_moved"):
    """The session belongs to another project from now on; None: to no project."""

    project: str | None


class SessionArchived(EventBase, frozen=True, kw_only=True, tag="session_archived"):
    """The session was put aside: kept, but not listed unless asked for."""


class SessionUnarchived(EventBase, frozen=True, kw_only=True, tag="session_unarchived"):
    """The session was taken out of the archive."""


class SessionTrashed(EventBase, frozen=True, kw_only=True, tag="session_trashed"):
    """The session was thrown away, with a way back."""


class SessionRestored(EventBase, frozen=True, kw_only=True, tag="session_restored"):
    """The session was taken out of the trash."""


class SessionSuperseded(EventBase, frozen=True, kw_only=True, tag="session_superseded"):
    """The session was rewound: it goes on as *by*."""

    by: SessionId


class BranchMerged(EventBase, frozen=True, kw_only=True, tag="branch_merged"):
    """What session *branch* had learned up to its entry *at* was brought here."""

    branch: SessionId
    at: Seq
    strategy: str


# --- the conversation


class MessageAdded(EventBase, frozen=True, kw_only=True, tag="message_added"):
    """Somebody said something."""

    message: Message


class TurnStarted(EventBase, frozen=True, kw_only=True, tag="turn_started"):
    """The agent began to work on an answer."""

    turn_id: str


class TurnEnded(EventBase, frozen=True, kw_only=True, tag="turn_ended"):
    """The agent's work on an answer ended, one way or the other."""

    turn_id: str
    outcome: TurnOutcome = "completed"
    seconds: Seconds | None = None
    reason: str | None = None


class UserTurnCounted(EventBase, frozen=True, kw_only=True, tag="user_turn_counted"):
    """The user took so many turns in a talk that is held elsewhere: no turn of the session's own answers them."""

    turns: Annotated[int, Meta(ge=1, le=10**12)] = 1


class ToolStarted(EventBase, frozen=True, kw_only=True, tag="tool_started"):
    """A tool is about to run. Without a `ToolRan` after it, nobody knows whether it did."""

    call_id: str
    name: str
    arguments: dict[str, Any] = {}


class ToolRan(EventBase, frozen=True, kw_only=True, tag="tool_ran"):
    """A tool ran and came back."""

    call_id: str
    name: str
    success: bool = True
    seconds: Seconds = 0.0
    error: str | None = None


class ToolRefused(EventBase, frozen=True, kw_only=True, tag="tool_refused"):
    """A tool was not allowed to run: by the rules, or by the human who was asked (*interrupt_id*)."""

    call_id: str
    name: str
    reason: str
    arguments: dict[str, Any] = {}
    interrupt_id: str | None = None


class RequestBlocked(EventBase, frozen=True, kw_only=True, tag="request_blocked"):
    """What was asked never reached a model, for *reason*. *text* is its beginning."""

    reason: str
    text: str = ""


class AllowanceGranted(EventBase, frozen=True, kw_only=True, tag="allowance_granted"):
    """A tool may run from now on without asking: on one file, within a folder, or always in this session."""

    tool: str
    scope: AllowanceScope = "session"
    path: str | None = None
    interrupt_id: str | None = None


class AllowanceWithdrawn(EventBase, frozen=True, kw_only=True, tag="allowance_withdrawn"):
    """A tool has to ask again: for *path*, or for everything."""

    tool: str
    path: str | None = None


class UsageRecorded(EventBase, frozen=True, kw_only=True, tag="usage_recorded"):
    """A model was called: tokens in four disjoint buckets, cost in millionths of a dollar (None: unpriced)."""

    purpose: Purpose = "conversation"
    model: str | None = None
    input_tokens: Count = 0
    output_tokens: Count = 0
    cache_creation_tokens: Count = 0
    cache_read_tokens: Count = 0
    cost_micros: Count | None = None
    seconds: Seconds | None = None

    @classmethod
    def of(cls, usage: Usage, *, purpose: Purpose, seconds: float | None = None) -> "UsageRecorded":
        """Return the event that says what a call took, and what for."""
        return cls(
            purpose=purpose,
            model=usage.model,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_creation_tokens=usage.cache_creation_tokens,
            cache_read_tokens=usage.cache_read_tokens,
            cost_micros=usage.cost_micros,
            seconds=seconds,
        )


class Compacted(EventBase, frozen=True, kw_only=True, tag="compacted"):
    """Messages up to entry *through* are represented by *summary*, and stay in the journal; *kept* come after it."""

    summary: str
    through: Seq
    kept: Count = 0
    tokens_before: Count = 0
    tokens_after: Count = 0


class CompactionUndone(EventBase, frozen=True, kw_only=True, tag="compaction_undone"):
    """The latest compaction was taken back: the window and the summary are as before it."""

    summary: str = ""
    through: Seq = Seq(0)
    kept: Count = 0


# --- who the user is


class ProfileUpdated(EventBase, frozen=True, kw_only=True, tag="profile_updated"):
    """Something was learned about the user. Lists grow, scalars are replaced."""

    fields: dict[str, Any]
    confidence: Ratio = 0.8
    source: str = "conversation"
    spans: tuple[Span, ...] = ()


class ProfileFieldRemoved(EventBase, frozen=True, kw_only=True, tag="profile_field_removed"):
    """A profile field was cleared, or one *value* of a list field."""

    field: str
    value: Any = None


# --- what was learned


class FactLearned(EventBase, frozen=True, kw_only=True, tag="fact_learned"):
    """A statement was taken into the knowledge base. *about* is "user" if it tells something about the user.

    *slot* names the question that it answers, and *value* is the answer; *valid_from* is since when it holds.
    """

    fact_id: str
    content: str
    source: str = "conversation"
    confidence: Ratio = 0.8
    scope: FactScope = "session"
    status: FactStatus = "active"
    tags: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    research_id: str | None = None
    about: Literal["user"] | None = None
    slot: str | None = None
    value: str | None = None
    valid_from: datetime | None = None
    spans: tuple[Span, ...] = ()


class FactReinforced(EventBase, frozen=True, kw_only=True, tag="fact_reinforced"):
    """A known fact was met again: the higher confidence and the wider scope hold, and both sources are kept."""

    fact_id: str
    source: str = "conversation"
    confidence: Ratio = 0.8
    scope: FactScope | None = None
    tags: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    research_id: str | None = None
    about: Literal["user"] | None = None
    slot: str | None = None
    value: str | None = None
    spans: tuple[Span, ...] = ()


class FactCorrected(EventBase, frozen=True, kw_only=True, tag="fact_corrected"):
    """A fact's wording was put right."""

    fact_id: str
    content: str
    confidence: Ratio = 1.0
    source: str = "user"
    slot: str | None = None
    value: str | None = None


class FactActivated(EventBase, frozen=True, kw_only=True, tag="fact_activated"):
    """A candidate was accepted, or a retired fact brought back; *as_candidate*, so that it waits to be accepted."""

    fact_id: str
    as_candidate: bool = False


class FactRetired(EventBase, frozen=True, kw_only=True, tag="fact_retired"):
    """A fact no longer holds; it is kept, to know that it was believed once, until *valid_to*.

    *superseded_by* is the fact that holds instead.
    """

    fact_id: str
    reason: str = ""
    superseded_by: str | None = None
    valid_to: datetime | None = None


class FactVerified(EventBase, frozen=True, kw_only=True, tag="fact_verified"):
    """A fact was compared with its sources: how sure it is now, and why."""

    fact_id: str
    confidence: Ratio
    reason: str
    method: str = "lexical"


class FactsUsed(EventBase, frozen=True, kw_only=True, tag="facts_used"):
    """Facts were part of an answer or of what a model saw."""

    fact_ids: tuple[str, ...]


# --- the talk's thread and what is in focus


class TopicChanged(EventBase, frozen=True, kw_only=True, tag="topic_changed"):
    """The talk turned to another topic, or to none."""

    topic: str | None


class IntentClassified(EventBase, frozen=True, kw_only=True, tag="intent_classified"):
    """It was judged what the user wants: question, command, research, chat or clarification."""

    intent: str
    confidence: Ratio = 0.5
    details: dict[str, Any] = {}


class FocusChanged(EventBase, frozen=True, kw_only=True, tag="focus_changed"):
    """The user's work is now about this; type "general" without an id means about nothing in particular."""

    focus_type: str = "general"
    focus_id: str | None = None
    context: dict[str, Any] = {}


class EntityReferenced(EventBase, frozen=True, kw_only=True, tag="entity_referenced"):
    """Something with a name of its own was mentioned: now, or, if that is known, at *referenced_at*."""

    entity_type: str
    entity_id: str
    title: str | None = None
    context: str = ""
    referenced_at: datetime | None = None


class ShortTermMemoryUpdated(EventBase, frozen=True, kw_only=True, tag="short_term_memory_updated"):
    """The running summary of the recent talk was rewritten."""

    text: str | None


# --- the working set and variables


class DecisionMade(EventBase, frozen=True, kw_only=True, tag="decision_made"):
    """Something was decided."""

    text: str


class TaskOpened(EventBase, frozen=True, kw_only=True, tag="task_opened"):
    """Something remains to be done."""

    task_id: str
    text: str


class TaskClosed(EventBase, frozen=True, kw_only=True, tag="task_closed"):
    """A task is done, or given up."""

    task_id: str
    outcome: str = "done"


class FileTouched(EventBase, frozen=True, kw_only=True, tag="file_touched"):
    """A file was read or changed."""

    path: str
    action: str = "edited"


class FactPinned(EventBase, frozen=True, kw_only=True, tag="fact_pinned"):
    """A sentence was pinned, to be in every context."""

    text: str


class FactUnpinned(EventBase, frozen=True, kw_only=True, tag="fact_unpinned"):
    """A pinned sentence was let go."""

    text: str


class SummaryUpdated(EventBase, frozen=True, kw_only=True, tag="summary_updated"):
    """The working set's summary was rewritten."""

    text: str


class TokenBudgetSet(EventBase, frozen=True, kw_only=True, tag="token_budget_set"):
    """The session may use this many tokens in all; None lifts the limit."""

    limit: Count | None


class VariableSet(EventBase, frozen=True, kw_only=True, tag="variable_set"):
    """A variable got a value, any JSON."""

    name: str
    value: Any


class VariableRemoved(EventBase, frozen=True, kw_only=True, tag="variable_removed"):
    """A variable was removed."""

    name: str


# --- research


class PlanStep(Value, frozen=True, kw_only=True, omit_defaults=True):
    """One step of a research plan."""

    id: str
    description: str
    status: StepStatus = "pending"
    started_at: datetime | None = None
    completed_at: datetime | None = None
    findings: tuple[str, ...] = ()
    tools_used: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    spawned_from: str | None = None


class ResearchStarted(EventBase, frozen=True, kw_only=True, tag="research_started"):
    """A question is being researched."""

    research_id: str
    query: str
    complexity: dict[str, Any] = {}


class AttemptStarted(EventBase, frozen=True, kw_only=True, tag="attempt_started"):
    """The research tries a strategy."""

    research_id: str
    strategy: Strategy


class AttemptEnded(EventBase, frozen=True, kw_only=True, tag="attempt_ended"):
    """The attempt was judged."""

    research_id: str
    status: AttemptStatus
    outcome: str
    response: str | None = None
    quality_score: Ratio | None = None
    evaluation: dict[str, Any] | None = None


class PlanRevised(EventBase, frozen=True, kw_only=True, tag="plan_revised"):
    """The research has a plan, or another one: all its steps as they now stand.

    *query* and *complexity* are the plan's own, where they differ from the research's.
    """

    research_id: str
    steps: tuple[PlanStep, ...]
    created_by: Strategy | None = None
    query: str | None = None
    complexity: dict[str, Any] | None = None


class StepAdded(EventBase, frozen=True, kw_only=True, tag="step_added"):
    """The plan got one more step: right behind *after*, or at the end if there is no such step."""

    research_id: str
    step: PlanStep
    after: str | None = None


class StepUpdated(EventBase, frozen=True, kw_only=True, tag="step_updated"):
    """A step of the plan moved on, with what it found."""

    research_id: str
    step_id: str
    status: StepStatus
    findings: tuple[str, ...] = ()
    tools_used: tuple[str, ...] = ()


class ResearchToolRan(EventBase, frozen=True, kw_only=True, tag="research_tool_ran"):
    """A tool was run for the research."""

    research_id: str
    tool_name: str
    arguments: dict[str, Any] = {}
    success: bool = True
    result: str | None = None
    error: str | None = None
    execution_time_ms: Seconds = 0.0


class InsightAdded(EventBase, frozen=True, kw_only=True, tag="insight_added"):
    """The research came to know something, or that something is missing."""

    research_id: str
    insight: InsightKind
    text: str


class ResearchEnded(EventBase, frozen=True, kw_only=True, tag="research_ended"):
    """The research is over."""

    research_id: str
    response: str | None = None


# --- questions that wait for a human


class InterruptRaised(EventBase, frozen=True, kw_only=True, tag="interrupt_raised"):
    """The agent needs a human, or must wait."""

    interrupt_id: str
    interrupt: InterruptKind
    question: str | None = None
    message: str | None = None
    data: dict[str, Any] = {}
    request_id: str | None = None
    user_id: str | None = None
    expires_at: datetime | None = None


class InterruptResolved(EventBase, frozen=True, kw_only=True, tag="interrupt_resolved"):
    """A waiting question was answered, cancelled, or ran out of time. *user_id* is who did it, where that is known."""

    interrupt_id: str
    status: InterruptStatus = "resolved"
    response: dict[str, Any] = {}
    user_id: str | None = None
    reason: str | None = None


# --- forgetting, and what a newer Sojourn wrote


class Forgotten(EventBase, frozen=True, kw_only=True, tag="forgotten"):
    """A tombstone: an entry of kind *was* stood here, and its content was removed for good."""

    was: str


class UnknownEvent(Value, frozen=True, kw_only=True):
    """An event of a kind that this version does not know, kept to the letter and without effect on the state."""

    kind: str
    payload: Raw


KnownEvent = (
    SessionCreated | SessionForked | SessionRenamed | SessionTagged | SessionMoved | SessionArchived | SessionUnarchived
    | SessionTrashed | SessionRestored | SessionSuperseded | BranchMerged
    | MessageAdded | TurnStarted | TurnEnded | UserTurnCounted | ToolStarted | ToolRan | ToolRefused | RequestBlocked
    | AllowanceGranted | AllowanceWithdrawn | UsageRecorded | Compacted | CompactionUndone
    | ProfileUpdated | ProfileFieldRemoved
    | FactLearned | FactReinforced | FactCorrected | FactActivated | FactRetired | FactVerified | FactsUsed
    | TopicChanged | IntentClassified | FocusChanged | EntityReferenced | ShortTermMemoryUpdated
    | DecisionMade | TaskOpened | TaskClosed | FileTouched | FactPinned | FactUnpinned | SummaryUpdated
    | TokenBudgetSet | VariableSet | VariableRemoved
    | ResearchStarted | AttemptStarted | AttemptEnded | PlanRevised | StepAdded | StepUpdated | ResearchToolRan
    | InsightAdded | ResearchEnded
    | InterruptRaised | InterruptResolved
    | Forgotten
)  # fmt: skip
Event = KnownEvent | UnknownEvent

KINDS: dict[str, type[EventBase]] = {str(cls.__struct_config__.tag): cls for cls in get_args(KnownEvent)}
"""Each known kind's name as stored, and its type."""

NOTHING_TO_FORGET = (
    SessionForked | SessionArchived | SessionUnarchived | SessionTrashed | SessionRestored | SessionSuperseded
    | Forgotten
)  # fmt: skip
"""Events that say nothing of what was said: a session whose content is forgotten stays where it was put."""

_NAMES: dict[type, str] = {cls: kind for kind, cls in KINDS.items()}


def kind_of(event: Event) -> str:
    """Return the name under which *event* is stored."""
    return event.kind if isinstance(event, UnknownEvent) else _NAMES[type(event)]
