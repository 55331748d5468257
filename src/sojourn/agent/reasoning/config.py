"""How adaptive reasoning behaves: how good is good enough, how much is tried, which model does which part."""

from typing import Final, Literal, get_args

from msgspec.structs import replace

from sojourn.errors import InvalidInputError
from sojourn.model.events import Strategy
from sojourn.model.value import Value

ProfileName = Literal["strict", "balanced", "permissive", "production"]


class ReasoningConfig(Value, frozen=True, kw_only=True):
    """Settings of the reasoning loop.

    Attributes:
        max_iterations: how many steps deep reasoning takes at most.
        min_confidence: how sure an evaluation without a clear word must be to count as "complete".
        simple_threshold: an analysis that only gives a score calls the question simple below this.
        complex_threshold: and complex from this on.
        min_quality_direct: how good a direct answer must be judged to be given.
        min_quality_light: how good one with light planning must be.
        min_quality_deep: how good one with deep reasoning must be to count as good; it is given in any case.
        analysis_model: the model that analyses, by name; None is the agent's own. A small one is enough.
        planning_model: the model that plans.
        evaluation_model: the model that evaluates and judges.
        synthesis_model: the model that puts results together.
        max_subtasks: parts that a deep plan has at most; a light one has two.
        min_subtasks: parts that a plan has at least; with fewer, the question itself is the plan.
        parallel_execution: steps of a light plan that need nothing of each other run side by side.
        cache_analysis: an analysis is kept for the same question.
        analysis_cache_ttl: for so many seconds.
        resume_within: a research that broke off is gone on with, when its question comes again within so many seconds;
            after that, what its tools gave may be old. One that waits for a human is gone on with at any time.
        force_strategy: begin with this strategy, without an analysis.
        debug_mode: log what the models of the loop answer, at level DEBUG.
    """

    max_iterations: int = 3
    min_confidence: float = 0.7
    simple_threshold: float = 0.3
    complex_threshold: float = 0.7
    min_quality_direct: float = 0.6
    min_quality_light: float = 0.7
    min_quality_deep: float = 0.5
    analysis_model: str | None = None
    planning_model: str | None = None
    evaluation_model: str | None = None
    synthesis_model: str | None = None
    max_subtasks: int = 5
    min_subtasks: int = 1
    parallel_execution: bool = False
    cache_analysis: bool = True
    analysis_cache_ttl: float = 3600.0
    resume_within: float = 3600.0
    force_strategy: Strategy | None = None
    debug_mode: bool = False

    def __post_init__(self) -> None:
        for name in _RATIOS:
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InvalidInputError(f"{name} is a number from 0 to 1, got {getattr(self, name)!r:.50}")
        if self.simple_threshold > self.complex_threshold:
            raise InvalidInputError("simple_threshold is at most complex_threshold")
        if self.max_iterations < 1 or self.max_subtasks < 1:
            raise InvalidInputError("max_iterations and max_subtasks are numbers from 1")
        if not 0 <= self.min_subtasks <= self.max_subtasks:
            raise InvalidInputError("min_subtasks is a number from 0 to max_subtasks")
        if self.analysis_cache_ttl < 0 or self.resume_within < 0:
            raise InvalidInputError("analysis_cache_ttl and resume_within are numbers of seconds from 0")
        if self.force_strategy not in (None, *get_args(Strategy)):
            raise InvalidInputError(f"force_strategy: use one of {', '.join(get_args(Strategy))}")

    def gate(self, strategy: Strategy) -> float:
        """Return how good an answer that *strategy* made must be judged."""
        gates: dict[Strategy, float] = {
            "direct": self.min_quality_direct,
            "light_planning": self.min_quality_light,
            "deep_reasoning": self.min_quality_deep,
        }
        return gates[strategy]

    def with_profile(self, name: ProfileName) -> "ReasoningConfig":
        """Return these settings with the thresholds that have this name.

        Raises:
            InvalidInputError: there are none.
        """
        if name not in PROFILES:
            raise InvalidInputError(f"threshold profile {name!r:.50}: use one of {', '.join(PROFILES)}")
        direct, light, deep, iterations = PROFILES[name]
        return replace(
            self,
            min_quality_direct=direct,
            min_quality_light=light,
            min_quality_deep=deep,
            max_iterations=iterations,
        )


_RATIOS: Final = (
    "min_confidence", "simple_threshold", "complex_threshold",
    "min_quality_direct", "min_quality_light", "min_quality_deep",
)  # fmt: skip
PROFILES: Final[dict[ProfileName, tuple[float, float, float, int]]] = {
    "strict": (0.80, 0.85, 0.70, 5),
    "balanced": (0.70, 0.75, 0.60, 3),
    "permissive": (0.60, 0.65, 0.50, 2),
    "production": (0.75, 0.80, 0.65, 3),
}
"""Thresholds by name: the quality that a direct, a light and a deep answer must have, and the deep iterations."""
