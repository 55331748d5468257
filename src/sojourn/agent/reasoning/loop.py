"""The adaptive loop: answer, judge, and try harder until the answer is good enough.

Only the answer that is given in the end leaves the loop. What was tried before it is in the research, never in the
conversation.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Self

import anyio
from msgspec.structs import replace

from sojourn.agent.gate import Waiting
from sojourn.agent.reasoning.callbacks import Listeners, ReasoningCallbacks
from sojourn.agent.reasoning.components import Components
from sojourn.agent.reasoning.config import ReasoningConfig
from sojourn.agent.reasoning.execution import Execute, ToolUse
from sojourn.agent.reasoning.research_budget import ResearchBudget
from sojourn.agent.reasoning.strategies import STRATEGIES
from sojourn.agent.reasoning.tool_memory import ResearchToolMemory
from sojourn.agent.reasoning.work import Work
from sojourn.agent.storable import storable
from sojourn.context.budget import Limits
from sojourn.context.models import ModelCatalog
from sojourn.engine.nouns.live_research import LiveResearch
from sojourn.engine.session import Session
from sojourn.errors import InvalidInputError, LockedError, ModelError
from sojourn.model.events import Strategy
from sojourn.model.progress import ExecutionAttempt, ToolExecution, cut_result
from sojourn.model.reasoning import ComplexityAnalysis, EvaluationResult, harder_than
from sojourn.model.tracker import ResearchProgressTracker
from sojourn.model.value import Value
from sojourn.providers.protocol import Provider

CHUNK: Final = 20
"""Characters of an answer that are streamed at once."""
SUFFICIENT: Final = "Quality sufficient"
ESCALATED: Final = "Escalated due to low quality"
BELOW_GATE: Final = "Quality below the gate, nothing harder to try"
FAILED: Final = "Error occurred"
CANCELLED: Final = "Cancelled"
PUT_ASIDE: Final = "Put aside until a human answers"
CHOSEN: Final = "Chosen instead of what the analysis recommends"
_MAX_QUERY: Final = 9_900
"""Characters of a question that its research holds: with the note on what is cut it is still one."""
_RUNNING: Final[ContextVar[tuple["AdaptiveReasoningLoop", ...]]] = ContextVar("sojourn_reasoning", default=())


class ReasoningOutcome(Value, frozen=True, kw_only=True):
    """The answer, and how it came about.

    Attributes:
        text: the answer.
        strategy: the strategy that made it.
        attempts: how many attempts the question took, those before a restart included.
        quality: how good it was judged; None if nobody did.
        escalated: whether an easier strategy was tried before and was not enough.
        research_id: where all of it is written down; None if reasoning was skipped.
    """

    text: str
    strategy: Strategy = "direct"
    attempts: int = 1
    quality: float | None = None
    escalated: bool = False
    research_id: str | None = None


class AdaptiveReasoningLoop:
    """Answers questions of one session. Lives as long as the session is open; works on one question at a time.

    Whoever calls it holds the session's turn, and adds the question and the answer to the conversation.
    """

    def __init__(
        self,
        session: Session,
        execute: Execute,
        *,
        components: Components,
        config: ReasoningConfig | None = None,
        callbacks: ReasoningCallbacks | None = None,
        budget: ResearchBudget | None = None,
        tools: Callable[[], Sequence[str]] | None = None,
    ) -> None:
        """Make a loop of its parts; `of` makes them, too.

        Args:
            session: whose questions are answered; everything is written into its journal.
            execute: has one text answered by model and tools.
            components: who analyses, plans, evaluates, judges and puts together.
            config: the settings.
            callbacks: told what happens, in every run.
            budget: told when a question begins; the components record into it.
            tools: gives the names of the tools at hand, for planning.
        """
        self._session = session
        self._execute = execute
        self._components = components
        self._config = config or ReasoningConfig()
        self._callbacks = callbacks
        self._budget = budget
        self._tools = tools or tuple
        self._busy = False
        self._memory = ResearchToolMemory()

    @classmethod
    def of(
        cls,
        session: Session,
        execute: Execute,
        provider: Provider | None,
        *,
        config: ReasoningConfig | None = None,
        callbacks: ReasoningCallbacks | None = None,
        models: ModelCatalog | None = None,
        limits: Limits | None = None,
        tools: Callable[[], Sequence[str]] | None = None,
        provider_of: Callable[[str], Provider] | None = None,
    ) -> Self:
        """Make a loop that thinks with *provider*, and records what that costs under the purpose "reasoning".

        Args:
            session: whose questions are answered.
            execute: has one text answered by model and tools.
            provider: the model; without one, or if it cannot call tools, questions are answered directly.
            config: the settings.
            callbacks: told what happens, in every run.
            models: what calls cost.
            limits: what may be spent, in the session and on one question.
            tools: gives the names of the tools at hand, for planning.
            provider_of: gives the model of a name, for those that the settings name.
        """
        budget = ResearchBudget(session, models=models, limits=limits)
        components = Components.of(
            provider,
            config=config,
            on_usage=budget.record,
            allow=budget.check,
            clock=session.clock,
            provider_of=provider_of,
        )
        return cls(
            session, execute, components=components, config=config, callbacks=callbacks, budget=budget, tools=tools
        )

    def __repr__(self) -> str:
        return f"AdaptiveReasoningLoop({self._session.id!r})"

    @property
    def tool_memory(self) -> ResearchToolMemory:
        """What tools gave earlier in the research that is going on: whoever runs tools for the loop asks it first."""
        return self._memory

    @property
    def can_reason(self) -> bool:
        """Whether there is a model to analyse, plan and judge with; else a question is only answered directly."""
        return self._components.capable

    async def run(
        self,
        query: str,
        *,
        use_streaming: bool = True,
        callbacks: ReasoningCallbacks | None = None,
        causes: Iterable[int] = (),
        fresh: bool = False,
    ) -> ReasoningOutcome:
        """Answer *query*, trying harder until the answer is judged good enough or there is nothing harder to try.

        A research on the same question that was not finished, because of an error, a cancel or a restart, is gone on
        with, unless it is too old or *fresh* is set. An error ends the attempt as failed, and leaves the research to be
        gone on with. Called from inside one of its own executions, the loop only has the query answered.

        Args:
            query: the question.
            use_streaming: give the answer to `on_stream_chunk` piece by piece, once it is there.
            callbacks: told what happens in this run, after those of the loop.
            causes: the entries that the question stands in; forgetting them forgets the research.
            fresh: begin anew.

        Raises:
            InvalidInputError: the question is empty.
            LockedError: the loop works on another question.
            ModelError: the model failed, or gave no answer.
        """
        if not isinstance(query, str) or not query.strip():
            raise InvalidInputError(f"a question is a text that is not empty, got {query!r:.50}")
        query = storable(query)
        if self in _RUNNING.get():
            return ReasoningOutcome(text=(await self._execute(query)).text)
        listeners = Listeners(self._callbacks, callbacks)
        with self._running():
            research = await self._research(query, listeners, causes=causes, fresh=fresh)
            return await self._answer(self._work(query, research, listeners), use_streaming=use_streaming)

    @contextmanager
    def _running(self) -> Iterator[None]:
        if self._busy:
            raise LockedError("the reasoning of this session works on another question")
        self._busy = True
        if self._budget is not None:
            self._budget.begin()
        token = _RUNNING.set((*_RUNNING.get(), self))
        try:
            yield
        finally:
            _RUNNING.reset(token)
            self._memory.follow(None)
            self._busy = False

    # --- the beginning

    async def _research(self, query: str, listeners: Listeners, *, causes: Iterable[int], fresh: bool) -> LiveResearch:
        """Return the research to work in: the one on this question that is still open, else a new one."""
        question = cut_result(query, most=_MAX_QUERY)
        active = await self._session.research.active()
        if active is not None and active.tracker.query == question and not fresh and self._is_current(active.tracker):
            return active
        analysis = await self._analysis(query, listeners)
        return await self._session.research.start(question, analysis, causes=causes)

    def _is_current(self, tracker: ResearchProgressTracker) -> bool:
        """Tell whether a research that broke off is recent enough to be gone on with, or waits for a human."""
        last = tracker.attempts[-1] if tracker.attempts else None
        if last is not None and last.outcome == PUT_ASIDE:
            return True
        moments = [tracker.created_at, *(run.executed_at for run in tracker.tool_executions)]
        moments += [one.completed_at or one.started_at for one in tracker.attempts]
        return (self._session.clock.now() - max(moments)).total_seconds() <= self._config.resume_within

    async def _analysis(self, query: str, listeners: Listeners) -> ComplexityAnalysis:
        forced = self._config.force_strategy
        if forced is not None:
            return ComplexityAnalysis(
                complexity_level="complex",
                recommended_strategy=forced,
                rationale="The settings ask for this strategy.",
                estimated_iterations=self._config.max_iterations,
                confidence=1.0,
            )
        if not await listeners.enable_reasoning():
            return ComplexityAnalysis(rationale="Reasoning is switched off.", confidence=1.0)
        await listeners.tell("on_analysis_start")
        analysis = await self._components.analyser.analyse(query)
        await listeners.tell("on_analysis_complete", analysis)
        chosen = await listeners.choose_strategy(analysis)
        if chosen == analysis.recommended_strategy:
            return analysis
        return replace(analysis, recommended_strategy=chosen, rationale=CHOSEN)

    def _work(self, query: str, research: LiveResearch, listeners: Listeners) -> Work:
        self._memory.follow(research)
        return Work(
            query=query,
            analysis=research.tracker.complexity,
            research=research,
            execute=self._execute,
            memory=self._memory,
            components=self._components,
            config=self._config,
            listeners=listeners,
            tools=self._tools,
            uses=[_use_of(run) for run in research.tracker.tool_executions],
        )

    # --- attempts

    async def _answer(self, work: Work, *, use_streaming: bool) -> ReasoningOutcome:
        attempt = _final_attempt(work.tracker)
        strategy = _next_strategy(work.tracker)
        reason = work.analysis.rationale or f"Recommended for a {work.analysis.complexity_level} question"
        while attempt is None:
            evaluation = await self._attempt(work, strategy, reason)
            attempt = _final_attempt(work.tracker)
            harder = harder_than(strategy)
            if attempt is None and harder is not None:
                await work.tell("on_auto_escalation", strategy, harder, evaluation.reasoning, evaluation.confidence)
                reason = f"Escalated from {strategy}: quality {evaluation.confidence:.2f}"
                strategy = harder
        return await self._finish(work, attempt, use_streaming=use_streaming)

    async def _attempt(self, work: Work, strategy: Strategy, reason: str) -> EvaluationResult:
        """Try *strategy*, and return how its answer was judged."""
        await work.tell("on_strategy_selected", strategy, reason)
        await work.research.start_attempt(strategy)
        try:
            text = await STRATEGIES[strategy](work)
            await work.tell("on_response_for_judgment", text, strategy)
            await work.tell("on_quality_check_start")
            evaluation = await work.components.judge.judge(work.query, text, strategy=strategy, tools=work.uses)
            await work.tell("on_quality_check_complete", evaluation)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await work.research.end_attempt(CANCELLED, status="failed")
            raise
        except Exception as error:
            outcome = PUT_ASIDE if isinstance(error, Waiting) else FAILED
            await work.research.end_attempt(outcome, status="failed")
            raise
        good = evaluation.is_complete
        below = BELOW_GATE if harder_than(strategy) is None else ESCALATED
        await work.research.end_attempt(
            SUFFICIENT if good else below,
            response=text,
            evaluation=evaluation,
            quality_score=evaluation.confidence,
            status="completed" if good else "escalated",
        )
        return evaluation

    # --- the end

    async def _finish(self, work: Work, attempt: ExecutionAttempt, *, use_streaming: bool) -> ReasoningOutcome:
        """End the research with the answer, and give it to who listens."""
        attempts = work.tracker.attempts
        text = _best_text(attempt, attempts)
        await self._session.research.end(text)
        tracker = await work.research.refresh()
        if text is None:
            raise ModelError(f"the model gave no answer in {len(attempts)} attempts")
        outcome = ReasoningOutcome(
            text=text,
            strategy=attempt.strategy,
            attempts=len(attempts),
            quality=attempt.quality_score,
            escalated=any(one.strategy != attempt.strategy for one in attempts),
            research_id=tracker.research_id,
        )
        if use_streaming:
            for start in range(0, len(text), CHUNK):
                await work.tell("on_stream_chunk", text[start : start + CHUNK])
            await work.tell("on_stream_complete")
        await work.tell("on_final_response", outcome.strategy, outcome.attempts, outcome.quality, outcome.escalated)
        await work.tell("on_tracker_complete", tracker, work.query)
        return outcome


def _use_of(run: ToolExecution) -> ToolUse:
    return ToolUse(
        name=run.tool_name,
        arguments=run.arguments,
        success=run.success,
        result=(run.result if run.success else run.error) or "",
        seconds=run.execution_time_ms / 1_000,
    )


def _final_attempt(tracker: ResearchProgressTracker) -> ExecutionAttempt | None:
    """Return the attempt whose answer is to be given: a good one, or one that nothing harder can follow."""
    last = tracker.attempts[-1] if tracker.attempts else None
    if last is None or last.response is None:
        return None
    return last if last.status == "completed" or harder_than(last.strategy) is None else None


def _next_strategy(tracker: ResearchProgressTracker) -> Strategy:
    """Return what to try: what is recommended, or what comes after the attempts that there were."""
    if not tracker.attempts:
        return tracker.complexity.recommended_strategy
    last = tracker.attempts[-1]
    harder = harder_than(last.strategy) if last.status == "escalated" else None
    return harder or last.strategy


def _best_text(attempt: ExecutionAttempt, attempts: Sequence[ExecutionAttempt]) -> str | None:
    """Return the attempt's answer; if it is blank, the latest that says something."""
    texts = [attempt.response, *(one.response for one in reversed(attempts))]
    return next((text for text in texts if text and text.strip()), None)
