"""Who is told what the loop does, while it does it: functions, plain or async, each of them optional."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast, get_args

from sojourn.agent.reasoning.calling import called
from sojourn.model.events import StepStatus, Strategy
from sojourn.model.reasoning import ComplexityAnalysis, EvaluationResult, PlanMode, ResearchPlan
from sojourn.model.tracker import ResearchProgressTracker

_log: Final = logging.getLogger(__name__)
Told = Awaitable[Any] | Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningCallbacks:
    """What to call. One that fails is logged, and the work goes on.

    They come in this order. For the question: `is_reasoning_enabled` (without it, or if it says no, the question is
    answered directly first), `on_analysis_start`, `on_analysis_complete`, `choose_strategy` (what a human wants to
    begin with; None is what the analysis recommends). For each attempt: `on_strategy_selected`,
    those of the strategy, `on_response_for_judgment`, `on_quality_check_start`, `on_quality_check_complete`, and
    `on_auto_escalation` if another follows. At the end: `on_stream_chunk` for each piece of the answer,
    `on_stream_complete`, `on_final_response`, `on_tracker_complete`.
    """

    is_reasoning_enabled: Callable[[], bool | Awaitable[bool]] | None = None
    on_analysis_start: Callable[[], Told] | None = None
    on_analysis_complete: Callable[[ComplexityAnalysis], Told] | None = None
    choose_strategy: Callable[[ComplexityAnalysis], Strategy | Awaitable[Strategy | None] | None] | None = None
    on_strategy_selected: Callable[[Strategy, str], Told] | None = None
    on_direct_execution: Callable[[], Told] | None = None
    on_light_planning: Callable[[], Told] | None = None
    on_deep_reasoning: Callable[[], Told] | None = None
    on_planning: Callable[[], Told] | None = None
    on_planning_complete: Callable[[ResearchPlan, PlanMode], Told] | None = None
    on_iteration: Callable[[int, int, str], Told] | None = None
    on_step_progress: Callable[[str, StepStatus, str], Told] | None = None
    on_evaluation: Callable[[], Told] | None = None
    on_synthesis: Callable[[], Told] | None = None
    on_response_for_judgment: Callable[[str, Strategy], Told] | None = None
    on_quality_check_start: Callable[[], Told] | None = None
    on_quality_check_complete: Callable[[EvaluationResult], Told] | None = None
    on_auto_escalation: Callable[[Strategy, Strategy, str, float], Told] | None = None
    on_stream_chunk: Callable[[str], Told] | None = None
    on_stream_complete: Callable[[], Told] | None = None
    on_final_response: Callable[[Strategy, int, float | None, bool], Told] | None = None
    on_tracker_complete: Callable[[ResearchProgressTracker, str], Told] | None = None


class Listeners:
    """All that listen to one run, those of the loop before those of the run."""

    def __init__(self, *callbacks: ReasoningCallbacks | None) -> None:
        self._callbacks: Sequence[ReasoningCallbacks] = [one for one in callbacks if one is not None]

    async def tell(self, name: str, *arguments: object) -> None:
        """Call the callbacks with this name, one after the other."""
        for callbacks in self._callbacks:
            callback = getattr(callbacks, name)
            if callback is not None:
                await _tell(name, callback, *arguments)

    async def enable_reasoning(self) -> bool:
        """Ask whether questions are to be analysed: somebody says yes, and nobody no."""
        asked = [one.is_reasoning_enabled for one in self._callbacks if one.is_reasoning_enabled is not None]
        said = [await _tell("is_reasoning_enabled", ask) for ask in asked]
        return bool(said) and all(said)

    async def choose_strategy(self, analysis: ComplexityAnalysis) -> Strategy:
        """Ask what to begin with: the first that is chosen, else what the analysis recommends."""
        for callbacks in self._callbacks:
            if callbacks.choose_strategy is not None:
                chosen = await _tell("choose_strategy", callbacks.choose_strategy, analysis)
                if chosen in get_args(Strategy):
                    return cast(Strategy, chosen)
        return analysis.recommended_strategy


async def _tell(name: str, callback: Callable[..., Any], *arguments: object) -> Any:
    try:
        return await called(callback, *arguments)
    except Exception:  # noqa: BLE001 - a callback is anybody's code, and a research is worth more than a display
        _log.exception("the callback %s failed", name)
        return None
