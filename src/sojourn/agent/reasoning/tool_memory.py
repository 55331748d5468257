"""What tools gave earlier in the same research, so that trying harder does not do everything twice.

It is what a batch of tools asks before it runs one (`agent.batch.ToolMemory`). The runs themselves are in the journal,
with the research, so they are remembered after a restart, too.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from sojourn.agent.reasoning.execution import Executed
from sojourn.agent.storable import storable
from sojourn.engine.nouns.live_research import LiveResearch
from sojourn.model.progress import result_hash


class Execution:
    """One run of a query through model and tools: which calls it made, by their hashes."""

    def __init__(self) -> None:
        self.noted: set[str] = set()
        self.given: set[str] = set()


_EXECUTION: Final[ContextVar[Execution | None]] = ContextVar("sojourn_execution", default=None)


class ResearchToolMemory:
    """Remembers tool runs for the research that it follows; without one it knows nothing. Lives as long as the loop.

    A result of an earlier attempt or step is given again. Within one execution a model that repeats a call has seen the
    first result already and wants another, so the tool runs. After a call that changed something, what other tools gave
    before it is old.
    """

    def __init__(self) -> None:
        self._research: LiveResearch | None = None
        self._old: set[str] = set()

    def follow(self, research: LiveResearch | None) -> None:
        """Remember for *research* from now on."""
        self._research = research
        self._old.clear()

    @contextmanager
    def execution(self) -> Iterator[Execution]:
        """Take all that is asked and noted inside as one execution."""
        execution = Execution()
        token = _EXECUTION.set(execution)
        try:
            yield execution
        finally:
            _EXECUTION.reset(token)

    def find(self, name: str, arguments: dict[str, Any]) -> str | None:
        """Return what the tool gave with these arguments, unless it has to run."""
        if self._research is None:
            return None
        key, execution = result_hash(name, arguments), _EXECUTION.get()
        if key in self._old or (execution is not None and key in execution.noted):
            return None
        known = self._research.should_execute_tool(name, arguments)[1]
        if known is not None and execution is not None:
            execution.given.add(key)
        return known

    async def note(
        self,
        name: str,
        arguments: dict[str, Any],
        *,
        success: bool,
        result: str | None = None,
        error: str | None = None,
        seconds: float = 0.0,
        changes: bool = False,
    ) -> None:
        """Write down what a tool gave. *changes* says that it is known to have changed something outside."""
        if self._research is None:
            return
        key, execution = result_hash(name, arguments), _EXECUTION.get()
        if changes:
            self._old |= {run.result_hash for run in self._research.tracker.tool_executions}
        if execution is not None:
            execution.noted.add(key)
        await self._research.log_tool_execution(
            name,
            arguments,
            success=success,
            result=None if result is None else storable(result),
            error=None if error is None else storable(error),
            execution_time_ms=max(seconds, 0.0) * 1_000,
        )
        self._old.discard(key)

    async def note_rest(self, execution: Execution, executed: Executed) -> None:
        """Write down the runs that *executed* tells of, and that nobody noted when they happened."""
        heard = execution.noted | execution.given
        for use in executed.tools:
            if result_hash(use.name, use.arguments) not in heard:
                await self.note(
                    use.name,
                    use.arguments,
                    success=use.success,
                    result=use.result if use.success else None,
                    error=None if use.success else use.result,
                    seconds=use.seconds,
                )
