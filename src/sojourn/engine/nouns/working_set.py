"""The few things that every context should hold: `session.working_set`."""

from collections.abc import Iterable

from sojourn.engine.inputs import MAX_NAME, MAX_SUMMARY, check_text
from sojourn.engine.live import Live
from sojourn.errors import InvalidInputError, NotFoundError
from sojourn.model.events import (
    DecisionMade,
    FactPinned,
    FactUnpinned,
    FileTouched,
    SummaryUpdated,
    TaskClosed,
    TaskOpened,
    TokenBudgetSet,
)
from sojourn.model.working_set import Decision, Task

_MAX_PATH = 4096


class WorkingSetNoun:
    """Decisions, open tasks, files, pinned facts, the summary and the token budget."""

    def __init__(self, session: Live) -> None:
        self._session = session

    async def decide(self, text: str, *, causes: Iterable[int] = ()) -> Decision:
        """Note a decision; the same words twice are one decision."""
        check_text(text, "a decision")
        known = self._decision(text)
        if known is not None:
            return known
        await self._session.append(DecisionMade(text=text), causes=causes)
        return self._session.state.working_set.decisions[-1]

    async def open_task(self, text: str, *, task_id: str | None = None, causes: Iterable[int] = ()) -> Task:
        """Note that something remains to be done; the same words twice are one task, unless it has an id."""
        check_text(text, "a task")
        known = next((task for task in self._session.state.working_set.open_tasks if task.text == text), None)
        if known is not None and task_id in (None, known.task_id):
            return known
        if task_id is not None:
            check_text(task_id, "a task's id", most=MAX_NAME)
        event = TaskOpened(task_id=task_id or f"task-{self._session.state.head + 1}", text=text)
        await self._session.append(event, causes=causes)
        return self._session.state.working_set.open_tasks[-1]

    async def close_task(self, task_id: str, *, outcome: str = "done", causes: Iterable[int] = ()) -> None:
        """Note that a task is done, or given up.

        Raises:
            NotFoundError: no such task is open.
        """
        if all(task.task_id != task_id for task in self._session.state.working_set.open_tasks):
            raise NotFoundError(f"there is no open task {task_id!r:.100}")
        event = TaskClosed(task_id=task_id, outcome=check_text(outcome, "an outcome", most=MAX_NAME))
        await self._session.append(event, causes=causes)

    async def touch_file(self, path: str, *, action: str = "edited", causes: Iterable[int] = ()) -> None:
        """Note that a file was read or changed."""
        check_text(path, "a path", most=_MAX_PATH)
        await self._session.append(FileTouched(path=path, action=action), causes=causes)

    async def pin(self, text: str, *, causes: Iterable[int] = ()) -> None:
        """Pin a sentence, so that every context holds it."""
        check_text(text, "a pinned fact")
        if text not in self._session.state.working_set.pinned_facts:
            await self._session.append(FactPinned(text=text), causes=causes)

    async def unpin(self, text: str, *, causes: Iterable[int] = ()) -> None:
        """Let a pinned sentence go, if it is pinned."""
        if text in self._session.state.working_set.pinned_facts:
            await self._session.append(FactUnpinned(text=text), causes=causes)

    async def summarise(self, text: str, *, causes: Iterable[int] = ()) -> None:
        """Set the summary."""
        check_text(text, "a summary", most=MAX_SUMMARY)
        await self._session.append(SummaryUpdated(text=text), causes=causes)

    async def limit_tokens(self, limit: int | None) -> None:
        """Set how many tokens the session may use in all; None lifts the limit."""
        if limit is not None and (not isinstance(limit, int) or limit < 0):
            raise InvalidInputError(f"a token budget is a number from 0, or None, got {limit!r:.50}")
        await self._session.append(TokenBudgetSet(limit=limit))

    def _decision(self, text: str) -> Decision | None:
        return next((known for known in self._session.state.working_set.decisions if known.text == text), None)
