"""How hard a question is, and with which strategy to begin."""

import logging
from collections import OrderedDict
from typing import Final, Protocol

from sojourn.agent.reasoning.advisor import Advisor
from sojourn.agent.reasoning.config import ReasoningConfig
from sojourn.agent.reasoning.labelled import one_of, ratio, said_yes, sections, whole_number
from sojourn.clock import Clock, SystemClock
from sojourn.context.fence import fenced
from sojourn.errors import ModelError
from sojourn.model.events import Strategy
from sojourn.model.reasoning import ComplexityAnalysis, ComplexityLevel

_log: Final = logging.getLogger(__name__)
MAX_CACHED: Final = 256
_MAX_ITERATIONS: Final = 10
_MAX_TOOLS: Final = 100
_RATIONALE: Final = 2_000
_QUERY: Final = 8_000
_MAX_TOKENS: Final = 1_500
_LABELS: Final = (
    "Complexity Level", "Complexity Score", "Recommended Strategy", "Estimated Iterations", "Confidence Score",
    "Confidence",    "Requires Research", "Requires Synthesis", "Multi-Part Query", "Tool Count Estimate", "Reasoning",
)  # fmt: skip
_LEVELS: Final[dict[str, ComplexityLevel]] = {"simple": "simple", "medium": "medium", "complex": "complex"}
_STRATEGIES: Final[dict[str, Strategy]] = {
    "direct": "direct", "light": "light_planning", "deep": "deep_reasoning",
}  # fmt: skip
_SYSTEM: Final = """\
You judge how hard a question is, so that an assistant with tools can choose how to work on it. Do not answer it.
Strategies: direct (one answer, tools if needed), light_planning (one or two planned steps), deep_reasoning (a plan of \
several steps, evaluated after each). Choose the least that will do.
Answer with exactly these lines:
**Complexity Level:** SIMPLE, MEDIUM or COMPLEX
**Recommended Strategy:** direct, light_planning or deep_reasoning
**Estimated Iterations:** a number
**Confidence:** a number from 0.0 to 1.0
**Requires Research:** Yes or No
**Requires Synthesis:** Yes or No
**Multi-Part Query:** Yes or No
**Tool Count Estimate:** a number
**Reasoning:** one or two sentences"""


class Analyser(Protocol):
    """Says how hard a question is."""

    async def analyse(self, query: str) -> ComplexityAnalysis:
        """Return what *query* needs. It always returns something to work with."""
        ...


class OfflineAnalyser:
    """Stands in where no model is at hand that could plan and use tools: every question is answered directly."""

    async def analyse(self, query: str) -> ComplexityAnalysis:  # noqa: ARG002 - whatever the question is
        """Return that the question is to be answered directly, and why."""
        return ComplexityAnalysis(
            rationale="No model that can call tools is at hand, so there is nothing to plan with: answered directly.",
            confidence=1.0,
        )


class ModelAnalyser:
    """Has a model analyse questions, and remembers what it said for a while. Lives as long as the loop."""

    def __init__(self, advisor: Advisor, *, config: ReasoningConfig | None = None, clock: Clock | None = None) -> None:
        self._advisor = advisor
        self._config = config or ReasoningConfig()
        self._clock = clock or SystemClock()
        self._known: OrderedDict[str, tuple[float, ComplexityAnalysis]] = OrderedDict()

    async def analyse(self, query: str) -> ComplexityAnalysis:
        """Return what *query* needs: what was said before if that is not too old, else what the model says now.

        If the model fails, that is logged, the question counts as medium, and nothing is remembered.
        """
        known = self._find(query)
        if known is not None:
            return known
        try:
            said = await self._advisor.ask(fenced("query", query[:_QUERY]), system=_SYSTEM, max_tokens=_MAX_TOKENS)
        except ModelError as error:
            _log.warning("the question could not be analysed, it counts as medium: %s", error.detail)
            return ComplexityAnalysis(
                complexity_level="medium",
                recommended_strategy="light_planning",
                rationale=f"Analysis failed: {error}"[:_RATIONALE],
                estimated_iterations=2,
                confidence=0.0,
            )
        analysis = read_analysis(said, config=self._config)
        self._keep(query, analysis)
        return analysis

    def _find(self, query: str) -> ComplexityAnalysis | None:
        at, analysis = self._known.get(query, (0.0, None))
        fresh = self._clock.monotonic() - at < self._config.analysis_cache_ttl
        return analysis if fresh else None

    def _keep(self, query: str, analysis: ComplexityAnalysis) -> None:
        if not self._config.cache_analysis:
            return
        self._known[query] = (self._clock.monotonic(), analysis)
        self._known.move_to_end(query)
        if len(self._known) > MAX_CACHED:
            self._known.popitem(last=False)


def read_analysis(text: str, *, config: ReasoningConfig | None = None) -> ComplexityAnalysis:
    """Return the analysis that a model wrote; whatever is missing counts as medium, light, 2 iterations, 0.5 sure."""
    settings = config or ReasoningConfig()
    said = sections(text, _LABELS)
    level = one_of(said.get("Complexity Level"), _LEVELS) or _scored(ratio(said.get("Complexity Score")), settings)
    confidence = ratio(said.get("Confidence") or said.get("Confidence Score"))
    return ComplexityAnalysis(
        complexity_level=level or "medium",
        recommended_strategy=one_of(said.get("Recommended Strategy"), _STRATEGIES) or "light_planning",
        rationale=said.get("Reasoning", "")[:_RATIONALE],
        estimated_iterations=whole_number(said.get("Estimated Iterations"), most=_MAX_ITERATIONS) or 2,
        confidence=0.5 if confidence is None else confidence,
        requires_research=said_yes(said.get("Requires Research")),
        requires_synthesis=said_yes(said.get("Requires Synthesis")),
        multi_part_query=said_yes(said.get("Multi-Part Query")),
        tool_count_estimate=whole_number(said.get("Tool Count Estimate"), most=_MAX_TOOLS) or 0,
    )


def _scored(score: float | None, config: ReasoningConfig) -> ComplexityLevel | None:
    if score is None:
        return None
    if score < config.simple_threshold:
        return "simple"
    return "complex" if score >= config.complex_threshold else "medium"
