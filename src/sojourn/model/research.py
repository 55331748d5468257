"""Research in progress, and headers of what was researched before, small enough to be at hand always.

The whole of a research is in the journal, from its entry *seq* on; `model.tracker` makes it of that.
"""

from datetime import datetime
from typing import Any, Final

from msgspec.structs import replace

from sojourn.model.bounded import with_new, with_newest
from sojourn.model.entry import Entry
from sojourn.model.events import (
    AttemptEnded,
    AttemptStarted,
    AttemptStatus,
    InsightAdded,
    InsightKind,
    PlanRevised,
    PlanStep,
    ResearchEnded,
    ResearchStarted,
    ResearchToolRan,
    StepAdded,
    StepUpdated,
    Strategy,
)
from sojourn.model.ids import Seq
from sojourn.model.value import Value

MAX_HISTORY: Final = 10
MAX_ATTEMPTS: Final = 10
MAX_STEPS: Final = 50
MAX_INSIGHTS: Final = 50
MAX_FINDINGS: Final = 10
MAX_TOOL_RUNS: Final = 50
PREVIEW_CHARS: Final = 200
MAX_CHARS: Final = 1_000
"""Characters of a step's description, a finding or an insight that the state holds."""


class Attempt(Value, frozen=True, kw_only=True):
    """One try at the question with one strategy."""

    strategy: Strategy
    started_at: datetime
    completed_at: datetime | None = None
    status: AttemptStatus = "in_progress"
    outcome: str = ""
    quality_score: float | None = None
    response_preview: str | None = None


class ToolRun(Value, frozen=True, kw_only=True):
    """A tool's run for the research; *seq* leads to its arguments and whole result."""

    tool_name: str
    seq: Seq
    success: bool
    preview: str


class Research(Value, frozen=True, kw_only=True):
    """A question being researched: attempts, plan, tool runs, insights, each bounded."""

    research_id: str
    query: str
    started_at: datetime
    seq: Seq
    complexity: dict[str, Any] = {}
    attempts: tuple[Attempt, ...] = ()
    steps: tuple[PlanStep, ...] = ()
    current_step_id: str | None = None
    revision_count: int = 0
    tool_runs: tuple[ToolRun, ...] = ()
    tool_run_count: int = 0
    insights: dict[InsightKind, tuple[str, ...]] = {}

    @property
    def current_strategy(self) -> Strategy | None:
        """The strategy of the latest attempt."""
        return self.attempts[-1].strategy if self.attempts else None


class ResearchHeader(Value, frozen=True, kw_only=True):
    """What remains of a research in the state once it has ended."""

    research_id: str
    query: str
    started_at: datetime
    ended_at: datetime
    seq: Seq
    ended_seq: Seq
    attempts: int
    steps_completed: int
    steps: int
    confirmed_facts: tuple[str, ...] = ()
    response_preview: str | None = None


class ResearchState(Value, frozen=True, kw_only=True):
    """The research going on, if any, and the last 10 that ended."""

    active: Research | None = None
    history: tuple[ResearchHeader, ...] = ()

    def apply(self, entry: Entry) -> "ResearchState":
        """Return the research after *entry*. Events of a research that is not the active one change nothing."""
        event = entry.event
        if isinstance(event, ResearchStarted):
            research = Research(
                research_id=event.research_id,
                query=event.query,
                complexity=event.complexity,
                started_at=entry.at,
                seq=entry.seq,
            )
            history = self.history
            if self.active is not None:  # whoever began the new one has given up the one before
                history = with_newest(history, _header_of(self.active, None, entry), limit=MAX_HISTORY)
            return ResearchState(active=research, history=history)
        active = self.active
        if active is None or getattr(event, "research_id", None) != active.research_id:
            return self
        if isinstance(event, ResearchEnded):
            header = _header_of(active, event.response, entry)
            return ResearchState(active=None, history=with_newest(self.history, header, limit=MAX_HISTORY))
        return replace(self, active=_advanced(active, entry))


def _advanced(research: Research, entry: Entry) -> Research:
    match entry.event:
        case AttemptStarted(strategy=strategy):
            attempt = Attempt(strategy=strategy, started_at=entry.at)
            return replace(research, attempts=with_newest(research.attempts, attempt, limit=MAX_ATTEMPTS))
        case AttemptEnded() as ended:
            return _with_attempt_ended(research, ended, entry.at)
        case PlanRevised(steps=steps):
            revision = research.revision_count + bool(research.steps)
            return replace(research, steps=tuple(map(_cut, steps[:MAX_STEPS])), revision_count=revision)
        case StepAdded(step=step, after=after):
            return replace(research, steps=with_step(research.steps, _cut(step), after=after)[:MAX_STEPS])
        case StepUpdated() as updated:
            return _with_step(research, updated, entry.at)
        case ResearchToolRan() as ran:
            preview = ((ran.result if ran.success else ran.error) or "")[:PREVIEW_CHARS]
            run = ToolRun(tool_name=ran.tool_name, seq=entry.seq, success=ran.success, preview=preview)
            return replace(
                research,
                tool_runs=with_newest(research.tool_runs, run, limit=MAX_TOOL_RUNS),
                tool_run_count=research.tool_run_count + 1,
            )
        case InsightAdded(insight=kind, text=text):
            texts = with_new(research.insights.get(kind, ()), text[:MAX_CHARS], limit=MAX_INSIGHTS)
            return replace(research, insights={**research.insights, kind: texts})
        case _:
            return research


def _with_attempt_ended(research: Research, ended: AttemptEnded, at: datetime) -> Research:
    if not research.attempts:
        return research
    *earlier, last = research.attempts
    last = replace(
        last,
        completed_at=at,
        status=ended.status,
        outcome=ended.outcome,
        quality_score=ended.quality_score,
        response_preview=ended.response[:PREVIEW_CHARS] if ended.response else None,
    )
    return replace(research, attempts=(*earlier, last))


def _with_step(research: Research, updated: StepUpdated, at: datetime) -> Research:
    steps = tuple(_cut(moved(step, updated, at)) if step.id == updated.step_id else step for step in research.steps)
    current = updated.step_id if updated.status == "in_progress" else research.current_step_id
    return replace(research, steps=steps, current_step_id=current)


def with_step(steps: tuple[PlanStep, ...], new: PlanStep, *, after: str | None) -> tuple[PlanStep, ...]:
    """Return *steps* with *new* right behind the step with the id *after*, or at the end if there is none."""
    for place, step in enumerate(steps, start=1):
        if step.id == after:
            return (*steps[:place], new, *steps[place:])
    return (*steps, new)


def moved(step: PlanStep, updated: StepUpdated, at: datetime) -> PlanStep:
    """Return *step* with its new status, the time of it, and what was found and used, in addition to what was."""
    return replace(
        step,
        status=updated.status,
        started_at=at if updated.status == "in_progress" else step.started_at,
        completed_at=at if updated.status == "completed" else step.completed_at,
        findings=(*step.findings, *updated.findings),
        tools_used=tuple(dict.fromkeys((*step.tools_used, *updated.tools_used))),
    )


def _cut(step: PlanStep) -> PlanStep:
    return replace(
        step,
        description=step.description[:MAX_CHARS],
        findings=tuple(finding[:MAX_CHARS] for finding in step.findings[-MAX_FINDINGS:]),
        tools_used=step.tools_used[-MAX_INSIGHTS:],
    )


def _header_of(research: Research, response: str | None, ended: Entry) -> ResearchHeader:
    return ResearchHeader(
        research_id=research.research_id,
        query=research.query,
        started_at=research.started_at,
        ended_at=ended.at,
        seq=research.seq,
        ended_seq=ended.seq,
        attempts=len(research.attempts),
        steps_completed=sum(step.status == "completed" for step in research.steps),
        steps=len(research.steps),
        confirmed_facts=research.insights.get("confirmed_facts", ())[:3],
        response_preview=response[:PREVIEW_CHARS] if response else None,
    )
