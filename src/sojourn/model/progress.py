"""The records of one research: what was tried, which tools ran, how the plan stands, what was understood.

`ResearchProgress` holds them all and answers questions about them; how it comes to be from the journal is in
`tracker.py`, how it reads as text in `tracker_text.py`.
"""

import hashlib
import json
from datetime import datetime
from typing import Any, Final

from msgspec.structs import replace

from sojourn.errors import InvalidInputError
from sojourn.model.bounded import with_newest
from sojourn.model.events import AttemptStatus, InsightKind, PlanStep, Strategy
from sojourn.model.ids import Seq
from sojourn.model.reasoning import ComplexityAnalysis, EvaluationResult
from sojourn.model.value import Value

ALWAYS_FRESH: Final = frozenset({
    "get_current_time", "get_date", "get_datetime", "fetch_url", "get_weather", "random_sample", "generate_random",
})  # fmt: skip
"""Tools whose earlier result is never reused."""
MAX_RESULT: Final = 10_000
"""Characters of a tool's result that are kept."""


class ExecutionAttempt(Value, frozen=True, kw_only=True):
    """One try at the question with one strategy, with the results of the tools that ran meanwhile."""

    strategy: Strategy
    started_at: datetime
    completed_at: datetime | None = None
    status: AttemptStatus = "in_progress"
    response: str | None = None
    accumulated_results: tuple[str, ...] = ()
    evaluation: EvaluationResult | None = None
    quality_score: float | None = None
    outcome: str = ""


class ToolExecution(Value, frozen=True, kw_only=True):
    """A tool's run for the research. *result_hash* is the same for the same tool and arguments."""

    tool_name: str
    executed_at: datetime
    strategy: Strategy
    success: bool
    result_hash: str
    seq: Seq
    arguments: dict[str, Any] = {}
    result: str | None = None
    error: str | None = None
    execution_time_ms: float = 0.0


class ResearchPlanSkeleton(Value, frozen=True, kw_only=True):
    """The plan as it stands."""

    created_at: datetime
    created_by: Strategy
    query: str
    complexity_analysis: ComplexityAnalysis
    updated_at: datetime
    steps: tuple[PlanStep, ...] = ()
    current_step_id: str | None = None
    revision_count: int = 0

    def get_completed_steps(self) -> list[PlanStep]:
        """Return the steps that are done, in the plan's order."""
        return [step for step in self.steps if step.status == "completed"]

    def get_pending_steps(self) -> list[PlanStep]:
        """Return the steps that are still to do, in the plan's order."""
        return [step for step in self.steps if step.status == "pending"]

    def find_step(self, step_id: str) -> PlanStep | None:
        """Return the step with this id, or None."""
        return next((step for step in self.steps if step.id == step_id), None)


class AccumulatedInsights(Value, frozen=True, kw_only=True):
    """What the research came to know, each sentence once, and the latest result or error of each tool."""

    confirmed_facts: tuple[str, ...] = ()
    partial_findings: tuple[str, ...] = ()
    knowledge_gaps: tuple[str, ...] = ()
    quality_feedback: tuple[str, ...] = ()
    recommended_improvements: tuple[str, ...] = ()
    successful_tool_results: dict[str, str] = {}
    failed_tool_attempts: dict[str, str] = {}

    def with_insight(self, kind: InsightKind, text: str) -> "AccumulatedInsights":
        """Return the insights with one more."""
        texts: tuple[str, ...] = getattr(self, kind)
        return self if text in texts else replace(self, **{kind: (*texts, text)})

    def add_from_evaluation(self, evaluation: EvaluationResult) -> "AccumulatedInsights":
        """Return the insights with what *evaluation* says is missing, was found wanting, and should be asked."""
        insights = self
        for kind, text in evaluation.insights():
            insights = insights.with_insight(kind, text)
        return insights


class ResearchProgress(Value, frozen=True, kw_only=True):
    """One research, whole, at one point of its journal. A value: it never changes under its reader."""

    research_id: str
    query: str
    created_at: datetime
    seq: Seq
    complexity: ComplexityAnalysis = ComplexityAnalysis()
    attempts: tuple[ExecutionAttempt, ...] = ()
    tool_executions: tuple[ToolExecution, ...] = ()
    plan: ResearchPlanSkeleton | None = None
    insights: AccumulatedInsights = AccumulatedInsights()
    evidence: dict[str, tuple[Seq, ...]] = {}
    """For each finding and confirmed fact, the entries that say so."""
    ended_at: datetime | None = None
    response: str | None = None

    @property
    def current_attempt(self) -> ExecutionAttempt | None:
        """The attempt that is going on."""
        last = self.attempts[-1] if self.attempts else None
        return last if last is not None and last.status == "in_progress" else None

    @property
    def current_strategy(self) -> Strategy | None:
        """The strategy of the latest attempt."""
        return self.attempts[-1].strategy if self.attempts else None

    @property
    def tool_cache(self) -> dict[str, str]:
        """The results that may be reused, by their hash."""
        return {
            run.result_hash: run.result
            for run in self.tool_executions
            if run.success and run.result is not None and run.tool_name not in ALWAYS_FRESH
        }

    def should_execute_tool(self, name: str, arguments: dict[str, Any]) -> tuple[bool, str | None]:
        """Tell whether the tool has to run, and if not, what it gave when it ran with these arguments.

        A call that failed is to be run again. So is every call of a tool whose result does not last, such as the time.
        """
        if name in ALWAYS_FRESH:
            return True, None
        cached = self.tool_cache.get(result_hash(name, arguments))
        return cached is None, cached

    def findings(self) -> list[str]:
        """Return what the completed steps found, in the plan's order, each once."""
        steps = self.plan.get_completed_steps() if self.plan else []
        return list(dict.fromkeys(text for step in steps for text in step.findings if text.strip()))

    def get_statistics(self) -> dict[str, int]:
        """Return how much of everything there is."""
        succeeded = sum(run.success for run in self.tool_executions)
        return {
            "attempts": len(self.attempts),
            "tool_calls": len(self.tool_executions),
            "tool_calls_successful": succeeded,
            "tool_calls_failed": len(self.tool_executions) - succeeded,
            "tool_results_cached": len(self.tool_cache),
            "plan_steps": len(self.plan.steps) if self.plan else 0,
            "plan_steps_completed": len(self.plan.get_completed_steps()) if self.plan else 0,
            "plan_steps_pending": len(self.plan.get_pending_steps()) if self.plan else 0,
            "knowledge_gaps": len(self.insights.knowledge_gaps),
            "quality_feedback": len(self.insights.quality_feedback),
            "recommended_improvements": len(self.insights.recommended_improvements),
        }

    def with_evidence(self, texts: tuple[str, ...], seq: Seq) -> dict[str, tuple[Seq, ...]]:
        """Return the evidence with entry *seq* for each of *texts*."""
        more = {text: with_newest(self.evidence.get(text, ()), seq, limit=10) for text in texts}
        return {**self.evidence, **more}


def result_hash(name: str, arguments: dict[str, Any]) -> str:
    """Return what is the same for the same tool and arguments, and else differs.

    Raises:
        InvalidInputError: the arguments are not JSON.
    """
    try:
        plain = json.dumps(arguments, sort_keys=True)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"the arguments of tool {name!r:.100} are not JSON: {error}") from error
    return hashlib.md5(f"{name}:{plain}".encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def cut_result(text: str, *, most: int = MAX_RESULT) -> str:
    """Return *text* if it is not longer than *most*, else its beginning and a note that says how much is left out."""
    if len(text) <= most:
        return text
    return f"{text[:most]}\n... [{len(text) - most:,} of {len(text):,} characters omitted]"
