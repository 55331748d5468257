"""The research that is going on: what `session.research.start` and `.active` give."""

from collections.abc import Iterable
from typing import Any, Self

from msgspec.structs import replace

from sojourn.engine.inputs import MAX_NAME, check_ratio, check_text, check_word
from sojourn.engine.live import Live
from sojourn.errors import InvalidInputError, NotFoundError
from sojourn.model.entry import Draft, Entry
from sojourn.model.events import (
    AttemptEnded,
    AttemptStarted,
    AttemptStatus,
    Event,
    InsightAdded,
    InsightKind,
    PlanRevised,
    PlanStep,
    ResearchToolRan,
    StepAdded,
    StepStatus,
    StepUpdated,
    Strategy,
)
from sojourn.model.ids import Seq
from sojourn.model.planning import dynamic_id, first_steps, refined_steps
from sojourn.model.progress import ExecutionAttempt, ResearchPlanSkeleton, cut_result
from sojourn.model.reasoning import QUALITY_GATES, EvaluationResult, ResearchPlan
from sojourn.model.research import MAX_STEPS
from sojourn.model.tracker import ResearchProgressTracker, track
from sojourn.model.value import Value
from sojourn.store.protocol import MAX_PAGE


class LiveResearch:
    """Appends what happens in a research; its tracker follows. Lives as long as somebody works on the question."""

    def __init__(self, session: Live, tracker: ResearchProgressTracker, *, through: Seq, epoch: int) -> None:
        """Take a tracker that holds the journal up to entry *through*; use `session.research` instead."""
        self._session = session
        self._tracker = tracker
        self._through = through
        self._epoch = epoch

    def __repr__(self) -> str:
        return f"LiveResearch({self._tracker.research_id!r})"

    @classmethod
    async def load(cls, session: Live, research_id: str, *, seq: Seq) -> Self:
        """Make the research anew from the journal, where it began at entry *seq*."""
        tracker, through, epoch = await _load(session, research_id, seq=seq)
        return cls(session, tracker, through=through, epoch=epoch)

    @property
    def tracker(self) -> ResearchProgressTracker:
        """The research now: a value that does not change when the research goes on."""
        return self._tracker

    @property
    def research_id(self) -> str:
        return self._tracker.research_id

    # --- attempts

    async def start_attempt(self, strategy: Strategy) -> ExecutionAttempt:
        """Begin to try a strategy. An attempt that is still going on has failed: nobody will judge it any more."""
        check_word(strategy, Strategy, "strategy")
        events: list[Event] = [AttemptStarted(research_id=self.research_id, strategy=strategy)]
        if self._tracker.current_attempt is not None:
            events.insert(0, self._attempt_ended(status="failed", outcome="Interrupted by another attempt"))
        await self._append(*events)
        return self._tracker.attempts[-1]

    async def end_attempt(
        self,
        outcome: str,
        *,
        response: str | None = None,
        evaluation: EvaluationResult | None = None,
        quality_score: float | None = None,
        status: AttemptStatus | None = None,
    ) -> ExecutionAttempt | None:
        """End the attempt that is going on; if there is none, write nothing and return None.

        Without *status* it is `completed` if the score reaches the gate of the attempt's own strategy, else
        `escalated`. The evaluation becomes insights, and with a completed attempt what the completed steps found is
        confirmed.
        """
        attempt = self._tracker.current_attempt
        if attempt is None:
            return None
        check_text(outcome, "an outcome")
        if quality_score is not None:
            check_ratio(quality_score, "a quality score")
        if status is None:
            good = quality_score is not None and quality_score >= QUALITY_GATES[attempt.strategy]
            status = "completed" if good else "escalated"
        ended = self._attempt_ended(
            status=check_word(status, AttemptStatus, "status"),
            outcome=outcome,
            response=response,
            quality_score=quality_score,
            evaluation=_plain(evaluation),
        )
        confirmed = self._confirmed_findings() if status == "completed" else []
        await self._append(ended, *self._insights_of(evaluation), *confirmed)
        return self._tracker.attempts[-1]

    def _attempt_ended(self, **fields: Any) -> AttemptEnded:
        return AttemptEnded(research_id=self.research_id, **fields)

    def _confirmed_findings(self) -> list[Draft]:
        known, evidence = set(self._tracker.insights.confirmed_facts), self._tracker.evidence
        return [
            Draft(
                event=InsightAdded(research_id=self.research_id, insight="confirmed_facts", text=text),
                causes=evidence.get(text, ()),
            )
            for text in self._tracker.findings()
            if text not in known
        ]

    # --- the plan

    async def set_plan(self, plan: ResearchPlan, strategy: Strategy) -> ResearchPlanSkeleton:
        """Make the plan's parts the research's steps, or refine the steps that there are; see `model.planning`.

        Raises:
            InvalidInputError: a part is empty or too long, or there would be more than 50 steps.
        """
        for subtask in plan.subtasks:
            check_text(subtask.query, "a step of a plan")
        known = self._tracker.plan
        steps = first_steps(plan)
        if known is not None:
            steps = refined_steps(known.steps, plan, current_step_id=known.current_step_id)
        _check_number(steps)
        analysis = plan.complexity_analysis
        await self._append(
            PlanRevised(
                research_id=self.research_id,
                steps=steps,
                created_by=check_word(strategy, Strategy, "strategy"),
                query=None if plan.original_query == self._tracker.query else plan.original_query,
                complexity=None if analysis in (None, self._tracker.complexity) else _plain(analysis),
            )
        )
        return self._plan()

    async def add_dynamic_step(
        self, description: str, *, after: str | None = None, iteration: int = 0, depends_on: Iterable[str] = ()
    ) -> PlanStep:
        """Add a step that came up while the plan is worked on: right behind the step *after*, else at the end.

        Raises:
            InvalidInputError: there is no plan yet, or it has 50 steps.
        """
        if self._tracker.plan is None:
            raise InvalidInputError("a research without a plan has no steps: set the plan first")
        steps = self._tracker.plan.steps
        step = PlanStep(
            id=dynamic_id(steps, iteration=iteration),
            description=check_text(description, "a step of a plan"),
            depends_on=tuple(depends_on),
            spawned_from=after if self._tracker.plan.find_step(after or "") else None,
        )
        _check_number((*steps, step))
        await self._append(StepAdded(research_id=self.research_id, step=step, after=after))
        return step

    async def update_step_status(
        self,
        step_id: str,
        status: StepStatus,
        findings: Iterable[str] | None = None,
        *,
        tools_used: Iterable[str] = (),
        causes: Iterable[int] = (),
    ) -> PlanStep | None:
        """Move a step on, with what it found; without such a step write nothing and return None.

        Findings are cut like a tool's result, and empty ones left out.
        """
        check_word(status, StepStatus, "status")
        if self._tracker.plan is None or self._tracker.plan.find_step(step_id) is None:
            return None
        texts = (findings,) if isinstance(findings, str) else findings or ()
        event = StepUpdated(
            research_id=self.research_id,
            step_id=step_id,
            status=status,
            findings=tuple(cut_result(text) for text in texts if text.strip()),
            tools_used=tuple(tools_used),
        )
        await self._append(event, causes=causes)
        return self._plan().find_step(step_id)

    def _plan(self) -> ResearchPlanSkeleton:
        if self._tracker.plan is None:
            raise NotFoundError(f"research {self.research_id} has no plan")
        return self._tracker.plan

    # --- tools and insights

    def should_execute_tool(self, name: str, arguments: dict[str, Any]) -> tuple[bool, str | None]:
        """Tell whether the tool has to run, and if not, what it gave when it ran with these arguments."""
        return self._tracker.should_execute_tool(name, arguments)

    async def log_tool_execution(
        self,
        name: str,
        arguments: dict[str, Any],
        *,
        success: bool,
        result: str | None = None,
        error: str | None = None,
        execution_time_ms: float = 0.0,
        causes: Iterable[int] = (),
    ) -> None:
        """Note that a tool ran for the research. Of a result the first 10,000 characters are kept."""
        event = ResearchToolRan(
            research_id=self.research_id,
            tool_name=check_text(name, "a tool's name", most=MAX_NAME),
            arguments=arguments,
            success=success,
            result=None if result is None else cut_result(result),
            error=None if error is None else cut_result(error),
            execution_time_ms=execution_time_ms,
        )
        await self._append(event, causes=causes)

    async def add_insight(self, kind: InsightKind, text: str, *, causes: Iterable[int] = ()) -> None:
        """Note what the research came to know, or that something is missing; the same words twice are one insight."""
        check_word(kind, InsightKind, "an insight's kind")
        if text not in getattr(self._tracker.insights, kind):
            check_text(text, "an insight")
            await self._append(InsightAdded(research_id=self.research_id, insight=kind, text=text), causes=causes)

    async def add_evaluation(self, evaluation: EvaluationResult, *, causes: Iterable[int] = ()) -> None:
        """Note what an evaluation between two steps says is missing, found wanting, and to be asked."""
        insights = self._insights_of(evaluation)
        if insights:
            await self._append(*insights, causes=causes)

    def _insights_of(self, evaluation: EvaluationResult | None) -> list[InsightAdded]:
        found = evaluation.insights() if evaluation is not None else []
        return [
            InsightAdded(research_id=self.research_id, insight=kind, text=cut_result(text))
            for kind, text in found
            if text not in getattr(self._tracker.insights, kind)
        ]

    # --- the journal

    async def refresh(self) -> ResearchProgressTracker:
        """Bring the tracker up to the journal's head, for what others added to the research; return it."""
        row = await self._session.store.get_session(self._session.id)
        await self._follow(row.header.head, epoch=row.epoch)
        return self._tracker

    async def _append(self, *events: Event | Draft, causes: Iterable[int] = ()) -> None:
        """Append *events* as derived from the research's beginning and *causes*, and follow."""
        active = self._session.state.active_research
        if active is None or active.research_id != self.research_id:
            raise InvalidInputError(f"research {self.research_id} is over: start another")
        shared = (self._tracker.seq, *(Seq(seq) for seq in causes))
        drafts = [event if isinstance(event, Draft) else Draft(event=event) for event in events]
        derived = [replace(draft, causes=tuple(dict.fromkeys((*shared, *draft.causes)))) for draft in drafts]
        receipt = await self._session.append(*derived)
        await self._follow(receipt.last, epoch=receipt.epoch, appended=receipt.entries)

    async def _follow(self, head: Seq, *, epoch: int, appended: tuple[Entry, ...] = ()) -> None:
        if epoch != self._epoch:  # something was forgotten, maybe a part of this research
            self._tracker, self._through, self._epoch = await _load(
                self._session, self.research_id, seq=self._tracker.seq
            )
            return
        entries: Iterable[Entry] = appended
        if not appended or appended[0].seq != self._through + 1:
            entries = await read_between(self._session, after=self._through, through=head)
        # Another task of this research may have followed while this one waited.
        self._tracker = self._tracker.apply_all(entry for entry in entries if entry.seq > self._through)
        self._through = max(self._through, head)


async def _load(session: Live, research_id: str, *, seq: Seq) -> tuple[ResearchProgressTracker, Seq, int]:
    """Return the research that began at entry *seq*, the entry up to which it was read, and the journal's epoch."""
    row = await session.store.get_session(session.id)
    tracker = track(await read_between(session, after=seq - 1, through=row.header.head), research_id)
    if tracker is None:
        raise NotFoundError(f"there is no research {research_id!r:.100}")
    return tracker, row.header.head, row.epoch


def _plain(value: Value | None) -> dict[str, Any] | None:
    return None if value is None else value.to_dict()


def _check_number(steps: tuple[PlanStep, ...]) -> None:
    if len(steps) > MAX_STEPS:
        raise InvalidInputError(f"{len(steps)} steps: a plan has at most {MAX_STEPS}, those already done included")


async def read_between(session: Live, *, after: int, through: int) -> list[Entry]:
    """Return the entries behind *after*, up to *through*, that concern some research."""
    entries: list[Entry] = []
    while after < through:
        page = await session.store.read(session.id, after=after, before=through + 1, limit=MAX_PAGE)
        if not page:
            break
        entries += [entry for entry in page if hasattr(entry.event, "research_id")]
        after = page[-1].seq
    return entries
