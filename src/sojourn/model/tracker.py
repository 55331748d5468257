"""One research as a fold of the journal: the whole of it, where the session's state has only what must be at hand.

A tracker is made from the entry that began the research and brought forward by the entries after it; those of anything
else leave it as it is. So it can be made again at any time, and after a restart it is what it was.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Self

from msgspec.structs import replace

from sojourn.model.entry import Entry
from sojourn.model.events import (
    AttemptEnded,
    AttemptStarted,
    InsightAdded,
    PlanRevised,
    ResearchEnded,
    ResearchStarted,
    ResearchToolRan,
    StepAdded,
    StepUpdated,
    Strategy,
)
from sojourn.model.progress import (
    ExecutionAttempt,
    ResearchPlanSkeleton,
    ResearchProgress,
    ToolExecution,
    result_hash,
)
from sojourn.model.reasoning import complexity_from, evaluation_from
from sojourn.model.research import moved, with_step
from sojourn.model.tracker_text import (
    Verbosity,
    compact_line,
    context_text,
    minimal_text,
    progress_report,
    token_estimate,
)


class ResearchProgressTracker(ResearchProgress, frozen=True, kw_only=True):
    """Attempts, tool runs, plan and insights of one research, and how to tell a model about them."""

    @classmethod
    def begin(cls, entry: Entry) -> Self:
        """Return the tracker of the research that *entry*, a `ResearchStarted`, began."""
        event = entry.event
        if not isinstance(event, ResearchStarted):
            raise TypeError(f"a research begins with a ResearchStarted, not with a {type(event).__name__}")
        return cls(
            research_id=event.research_id,
            query=event.query,
            complexity=complexity_from(event.complexity),
            created_at=entry.at,
            seq=entry.seq,
        )

    def apply_all(self, entries: Iterable[Entry]) -> Self:
        """Return the tracker after each of *entries* in turn."""
        tracker = self
        for entry in entries:
            tracker = tracker.apply(entry)
        return tracker

    def apply(self, entry: Entry) -> Self:
        """Return the tracker after *entry*; what concerns another research, or came after the end, changes nothing."""
        event = entry.event
        if getattr(event, "research_id", None) != self.research_id or self.ended_at is not None:
            return self
        match event:
            case AttemptStarted(strategy=strategy):
                return replace(
                    self, attempts=(*self.attempts, ExecutionAttempt(strategy=strategy, started_at=entry.at))
                )
            case AttemptEnded() as ended:
                return self._attempt_ended(ended, entry.at)
            case PlanRevised() as revised:
                return self._plan_revised(revised, entry)
            case StepAdded() | StepUpdated():
                return self._plan_changed(event, entry)
            case ResearchToolRan() as ran:
                return self._tool_ran(ran, entry)
            case InsightAdded(insight=kind, text=text):
                insights = self.insights.with_insight(kind, text)
                evidence = self.with_evidence((text,), entry.seq) if kind == "confirmed_facts" else self.evidence
                return replace(self, insights=insights, evidence=evidence)
            case ResearchEnded(response=response):
                return replace(self, ended_at=entry.at, response=response)
            case _:
                return self

    def _attempt_ended(self, ended: AttemptEnded, at: datetime) -> Self:
        if self.current_attempt is None:
            return self
        attempt = replace(
            self.current_attempt,
            completed_at=at,
            status=ended.status,
            outcome=ended.outcome,
            response=ended.response,
            quality_score=ended.quality_score,
            evaluation=evaluation_from(ended.evaluation),
        )
        return replace(self, attempts=(*self.attempts[:-1], attempt))

    def _plan_revised(self, revised: PlanRevised, entry: Entry) -> Self:
        told = self.complexity if revised.complexity is None else complexity_from(revised.complexity)
        if self.plan is None:
            plan = ResearchPlanSkeleton(
                created_at=entry.at,
                created_by=revised.created_by or self.current_strategy or "direct",
                query=revised.query or self.query,
                complexity_analysis=told,
                updated_at=entry.at,
                steps=revised.steps,
            )
        else:
            plan = replace(
                self.plan,
                query=revised.query or self.query,
                complexity_analysis=told,
                updated_at=entry.at,
                steps=revised.steps,
                revision_count=self.plan.revision_count + 1,
            )
        unheard = tuple(text for step in revised.steps for text in step.findings if text not in self.evidence)
        return replace(self, plan=plan, evidence=self.with_evidence(unheard, entry.seq))

    def _plan_changed(self, event: StepAdded | StepUpdated, entry: Entry) -> Self:
        if self.plan is None:
            return self
        plan = replace(self.plan, updated_at=entry.at)
        if isinstance(event, StepAdded):
            steps = with_step(plan.steps, event.step, after=event.after)
            evidence = self.with_evidence(event.step.findings, entry.seq)
            return replace(self, plan=replace(plan, steps=steps), evidence=evidence)
        if plan.find_step(event.step_id) is None:
            return self
        steps = tuple(moved(step, event, entry.at) if step.id == event.step_id else step for step in plan.steps)
        current = event.step_id if event.status == "in_progress" else plan.current_step_id
        plan = replace(plan, steps=steps, current_step_id=current)
        return replace(self, plan=plan, evidence=self.with_evidence(event.findings, entry.seq))

    def _tool_ran(self, ran: ResearchToolRan, entry: Entry) -> Self:
        run = ToolExecution(
            tool_name=ran.tool_name,
            arguments=ran.arguments,
            executed_at=entry.at,
            strategy=self.current_strategy or "direct",
            success=ran.success,
            result=ran.result,
            error=ran.error,
            execution_time_ms=ran.execution_time_ms,
            result_hash=result_hash(ran.tool_name, ran.arguments),
            seq=entry.seq,
        )
        insights, attempts = self.insights, self.attempts
        if ran.success and ran.result is not None:
            results = {**insights.successful_tool_results, ran.tool_name: ran.result}
            insights = replace(insights, successful_tool_results=results)
        elif not ran.success:
            failures = {**insights.failed_tool_attempts, ran.tool_name: ran.error or ""}
            insights = replace(insights, failed_tool_attempts=failures)
        if self.current_attempt is not None:
            told = (ran.result or "") if ran.success else f"Error: {ran.error or ''}"
            results_so_far = (*self.current_attempt.accumulated_results, told)
            attempts = (*attempts[:-1], replace(self.current_attempt, accumulated_results=results_so_far))
        return replace(self, tool_executions=(*self.tool_executions, run), insights=insights, attempts=attempts)

    # --- as text

    def to_context_text(
        self,
        strategy: Strategy | None = None,
        verbosity: Verbosity | None = None,
        max_attempts: int | None = None,
        max_tool_executions: int | None = None,
    ) -> str:
        """Return the progress as Markdown for a model that goes on with *strategy* (None: the current one).

        Without *verbosity* a first attempt gets `minimal`; later ones `compact`, `medium` or `full`, as the strategy
        can use it.
        """
        return context_text(
            self,
            strategy or self.current_strategy or "direct",
            verbosity=verbosity,
            max_attempts=max_attempts,
            max_tool_executions=max_tool_executions,
        )

    def to_medium_context(self) -> str:
        """Return the progress in medium detail."""
        return self.to_context_text(verbosity="medium")

    def to_minimal_context(self) -> str:
        """Return the question and its complexity, two lines."""
        return minimal_text(self)

    def to_compact_context(self) -> str:
        """Return the progress in one line."""
        return compact_line(self)

    @staticmethod
    def estimate_token_count(text: str) -> int:
        """Return about how many tokens *text* is, at four characters each."""
        return token_estimate(text)

    def get_context_token_count(self, strategy: Strategy | None = None, verbosity: Verbosity | None = None) -> int:
        """Return about how many tokens `to_context_text` gives."""
        return token_estimate(self.to_context_text(strategy, verbosity))

    def generate_progress_report(self) -> str:
        """Return the progress for a person to read."""
        return progress_report(self)


def track(entries: Iterable[Entry], research_id: str) -> ResearchProgressTracker | None:
    """Return the tracker of a research, made of the *entries* since it began; None if its beginning is not there."""
    tracker: ResearchProgressTracker | None = None
    for entry in entries:
        if tracker is not None:
            tracker = tracker.apply(entry)
        elif isinstance(entry.event, ResearchStarted) and entry.event.research_id == research_id:
            tracker = ResearchProgressTracker.begin(entry)
    return tracker
