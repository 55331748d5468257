"""How a question is judged before, while and after it is worked on: its complexity, a plan for it, an evaluation."""

from typing import Any, Final, Literal

import msgspec

from sojourn.model.events import InsightKind, Ratio, Strategy
from sojourn.model.message import Count
from sojourn.model.value import Value

ComplexityLevel = Literal["simple", "medium", "complex"]
PlanMode = Literal["light", "deep"]

QUALITY_GATES: Final[dict[Strategy, float]] = {"direct": 0.6, "light_planning": 0.7, "deep_reasoning": 0.5}
"""How good an answer must be judged to end the work, by the strategy that made it."""

_HARDER: Final[dict[Strategy, Strategy]] = {"direct": "light_planning", "light_planning": "deep_reasoning"}


def harder_than(strategy: Strategy) -> Strategy | None:
    """Return the strategy that is tried when *strategy* was not enough; None beyond deep reasoning."""
    return _HARDER.get(strategy)


class ComplexityAnalysis(Value, frozen=True, kw_only=True):
    """What a question needs. Without one, a question counts as simple."""

    complexity_level: ComplexityLevel = "simple"
    recommended_strategy: Strategy = "direct"
    rationale: str = ""
    estimated_iterations: Count = 1
    confidence: Ratio = 0.0
    requires_research: bool = False
    requires_synthesis: bool = False
    multi_part_query: bool = False
    tool_count_estimate: Count = 0

    @property
    def reasoning_required(self) -> bool:
        """Whether more than a direct answer is needed."""
        return self.complexity_level != "simple"


class SubTask(Value, frozen=True, kw_only=True):
    """A part of a question; priority 1 is the highest. *dependencies* are other parts, by their words or step ids."""

    query: str
    priority: int = 1
    tool_hints: tuple[str, ...] | None = None
    dependencies: tuple[str, ...] = ()


class ResearchPlan(Value, frozen=True, kw_only=True):
    """A planner's proposal: which parts to work on, in which order."""

    original_query: str
    subtasks: tuple[SubTask, ...] = ()
    max_iterations: Count = 3
    complexity_analysis: ComplexityAnalysis | None = None

    @property
    def estimated_complexity(self) -> str:
        """How much work it is: low for one part, medium up to three, else high."""
        parts = len(self.subtasks)
        return "low" if parts <= 1 else "medium" if parts <= 3 else "high"

    @property
    def current_step(self) -> SubTask | None:
        """The first part."""
        return self.subtasks[0] if self.subtasks else None


class EvaluationResult(Value, frozen=True, kw_only=True):
    """A judge's word on an answer: how complete, how sure, and what is missing."""

    is_complete: bool
    confidence: Ratio = 0.0
    reasoning: str = ""
    additional_queries: tuple[str, ...] = ()
    missing_aspects: tuple[str, ...] = ()

    def insights(self) -> list[tuple[InsightKind, str]]:
        """Return what a research learns from it: gaps, feedback, and what to do better."""
        feedback = [self.reasoning] if self.reasoning.strip() else []
        found: list[tuple[InsightKind, list[str]]] = [
            ("knowledge_gaps", [text for text in self.missing_aspects if text.strip()]),
            ("quality_feedback", feedback),
            ("recommended_improvements", [text for text in self.additional_queries if text.strip()]),
        ]
        return [(kind, text) for kind, texts in found for text in texts]


def complexity_from(stored: dict[str, Any]) -> ComplexityAnalysis:
    """Return the analysis that was stored as *stored*; whatever cannot be read as one counts as none."""
    try:
        return ComplexityAnalysis.from_dict(stored)
    except msgspec.MsgspecError:
        return ComplexityAnalysis()


def evaluation_from(stored: dict[str, Any] | None) -> EvaluationResult | None:
    """Return the evaluation that was stored as *stored*, or None if it cannot be read as one."""
    if stored is None:
        return None
    try:
        return EvaluationResult.from_dict(stored)
    except msgspec.MsgspecError:
        return None
