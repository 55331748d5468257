"""Reasoning as a turn's events: what is thought in a line each, then the answer in pieces."""

from sojourn.agent.events import ContentChunk, ReasoningChunk, ReasoningEnded, ReasoningStarted
from sojourn.agent.gate import Announce
from sojourn.agent.reasoning.callbacks import ReasoningCallbacks
from sojourn.model.events import StepStatus, Strategy
from sojourn.model.reasoning import ComplexityAnalysis, EvaluationResult, PlanMode, ResearchPlan


class Announcer:
    """Announces one run of the loop. Lives as long as the run."""

    def __init__(self, announce: Announce) -> None:
        self._announce = announce
        self._thinking = False

    @property
    def callbacks(self) -> ReasoningCallbacks:
        """The callbacks that announce."""
        return ReasoningCallbacks(
            on_analysis_complete=self._analysed,
            on_strategy_selected=self._selected,
            on_planning_complete=self._planned,
            on_step_progress=self._moved,
            on_quality_check_complete=self._judged,
            on_auto_escalation=self._escalated,
            on_stream_chunk=self._streamed,
        )

    def think(self, line: str) -> None:
        """Announce a line of what is thought."""
        if not self._thinking:
            self._thinking = True
            self._announce(ReasoningStarted())
        self._announce(ReasoningChunk(text=f"{' '.join(line.split())}\n"))

    def end(self) -> None:
        """Announce that thinking is over, if it had begun: call it whatever becomes of the run."""
        if self._thinking:
            self._thinking = False
            self._announce(ReasoningEnded())

    def _analysed(self, analysis: ComplexityAnalysis) -> None:
        self.think(f"The question is {analysis.complexity_level}. {analysis.rationale}")

    def _selected(self, strategy: Strategy, reason: str) -> None:
        self.think(f"Strategy: {_name(strategy)}. {reason}")

    def _planned(self, plan: ResearchPlan, mode: PlanMode) -> None:
        self.think(f"Plan ({mode}): {'; '.join(part.query for part in plan.subtasks)}")

    def _moved(self, step_id: str, status: StepStatus, description: str) -> None:
        self.think(f"{step_id} {status.replace('_', ' ')}: {description}")

    def _judged(self, evaluation: EvaluationResult) -> None:
        verdict = "good enough" if evaluation.is_complete else "not good enough"
        self.think(f"The answer is {verdict} ({evaluation.confidence:.2f}). {evaluation.reasoning}")

    def _escalated(self, before: Strategy, after: Strategy, _reasoning: str, _confidence: float) -> None:
        self.think(f"Trying harder: {_name(before)} -> {_name(after)}")

    def _streamed(self, piece: str) -> None:
        self.end()
        self._announce(ContentChunk(text=piece))


def _name(strategy: Strategy) -> str:
    return strategy.replace("_", " ")
