"""The work on one question: what the strategies share while they try to answer it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from sojourn.agent.reasoning.callbacks import Listeners
from sojourn.agent.reasoning.components import Components
from sojourn.agent.reasoning.config import ReasoningConfig
from sojourn.agent.reasoning.execution import Execute, Executed, ToolUse
from sojourn.agent.reasoning.tool_memory import ResearchToolMemory
from sojourn.agent.storable import storable
from sojourn.engine.nouns.live_research import LiveResearch
from sojourn.model.events import PlanStep, StepStatus
from sojourn.model.reasoning import ComplexityAnalysis
from sojourn.model.tracker import ResearchProgressTracker


@dataclass(slots=True, kw_only=True)
class Work:
    """A question, what it needs, its research, and all who take part. Lives for one run of the loop.

    Attributes:
        uses: the tools that were called for the question, in the order they were, before a restart and after.
    """

    query: str
    analysis: ComplexityAnalysis
    research: LiveResearch
    execute: Execute
    memory: ResearchToolMemory
    components: Components
    config: ReasoningConfig
    listeners: Listeners
    tools: Callable[[], Sequence[str]]
    uses: list[ToolUse] = field(default_factory=list)

    @property
    def tracker(self) -> ResearchProgressTracker:
        """The research now."""
        return self.research.tracker

    @property
    def tell(self) -> Callable[..., Awaitable[None]]:
        """Tells whoever listens."""
        return self.listeners.tell

    async def run(self, text: str) -> Executed:
        """Have *text* answered, and write down the tools that ran."""
        with self.memory.execution() as execution:
            executed = _storable(await self.execute(text))
        self.uses += executed.tools
        await self.memory.note_rest(execution, executed)
        return executed

    async def run_step(self, step: PlanStep, text: str) -> str:
        """Have *text* answered as the work on *step*, and return the answer, which is what the step found."""
        await self._move(step, "in_progress")
        try:
            executed = await self.run(text)
        except Exception:
            await self._move(step, "failed")
            raise
        await self._move(step, "completed", executed)
        return executed.text

    async def _move(self, step: PlanStep, status: StepStatus, executed: Executed | None = None) -> None:
        findings = [] if executed is None else [executed.text]
        used = () if executed is None else tuple(dict.fromkeys(use.name for use in executed.tools))
        await self.research.update_step_status(step.id, status, findings, tools_used=used)
        await self.tell("on_step_progress", step.id, status, step.description)


def _storable(executed: Executed) -> Executed:
    uses = tuple(replace(use, result=storable(use.result)) for use in executed.tools)
    return Executed(text=storable(executed.text), tools=uses)
