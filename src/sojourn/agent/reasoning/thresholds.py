"""Whether the thresholds fit: which named profile the runs so far speak for, and whether too much is tried again."""

from collections.abc import Iterable
from typing import Final, Literal

from sojourn.agent.reasoning.config import ProfileName
from sojourn.model.tracker import ResearchProgressTracker
from sojourn.model.value import Value

EscalationVerdict = Literal["too permissive", "optimal", "moderate", "too strict"]
GOOD_QUALITY: Final = 0.75
SLOW_SECONDS: Final = 2.0


class ReasoningRun(Value, frozen=True, kw_only=True):
    """How one question went: the quality of the answer, how long it took, whether a first answer was not enough."""

    quality: float
    seconds: float
    escalated: bool = False


def run_of(tracker: ResearchProgressTracker) -> ReasoningRun:
    """Return how the question of a research went; an answer that nobody judged counts as no good."""
    last = tracker.attempts[-1] if tracker.attempts else None
    ended = tracker.ended_at or tracker.created_at
    return ReasoningRun(
        quality=(last.quality_score or 0.0) if last is not None else 0.0,
        seconds=max((ended - tracker.created_at).total_seconds(), 0.0),
        escalated=len({attempt.strategy for attempt in tracker.attempts}) > 1,
    )


def recommended_profile(runs: Iterable[ReasoningRun]) -> ProfileName:
    """Return the profile that *runs* speak for: strict if answers are poor, permissive if they are slow."""
    listed = list(runs)
    if not listed:
        return "balanced"
    if sum(run.quality for run in listed) / len(listed) < GOOD_QUALITY:
        return "strict"
    if sum(run.seconds for run in listed) / len(listed) > SLOW_SECONDS:
        return "permissive"
    return "balanced"


def escalation_rate(runs: Iterable[ReasoningRun]) -> float:
    """Return the share of *runs* whose first answer was not enough; 0 if there are none."""
    listed = list(runs)
    return sum(run.escalated for run in listed) / len(listed) if listed else 0.0


def escalation_verdict(rate: float) -> EscalationVerdict:
    """Return what a share of escalated runs says about the thresholds."""
    if rate < 0.1:
        return "too permissive"
    if rate < 0.3:
        return "optimal"
    return "moderate" if rate < 0.5 else "too strict"
