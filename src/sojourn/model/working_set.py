"""The few things that every context should hold: summary, pinned facts, decisions, open tasks, files touched."""

from datetime import datetime
from typing import Final

from msgspec.structs import replace

from sojourn.model.bounded import with_new, with_newest
from sojourn.model.entry import Entry
from sojourn.model.events import (
    Compacted,
    CompactionUndone,
    DecisionMade,
    FactPinned,
    FactUnpinned,
    FileTouched,
    SummaryUpdated,
    TaskClosed,
    TaskOpened,
    TokenBudgetSet,
    UsageRecorded,
)
from sojourn.model.ids import Seq
from sojourn.model.value import Value

MAX_ITEMS: Final = 50


class Decision(Value, frozen=True, kw_only=True):
    """Something decided, and the entry that says so."""

    text: str
    seq: Seq


class Task(Value, frozen=True, kw_only=True):
    """Something that remains to be done."""

    task_id: str
    text: str
    opened_at: datetime
    seq: Seq


class TouchedFile(Value, frozen=True, kw_only=True):
    """A file, and what was last done with it."""

    path: str
    action: str
    seq: Seq


class TokenBudget(Value, frozen=True, kw_only=True):
    """How many tokens the session has used, and how many it may."""

    used: int = 0
    limit: int | None = None


class WorkingSet(Value, frozen=True, kw_only=True):
    """At most 50 of each, in the order in which they came, none twice."""

    summary: str = ""
    summary_seq: Seq | None = None
    pinned_facts: tuple[str, ...] = ()
    decisions: tuple[Decision, ...] = ()
    open_tasks: tuple[Task, ...] = ()
    files_touched: tuple[TouchedFile, ...] = ()
    token_budget: TokenBudget = TokenBudget()

    def apply(self, entry: Entry) -> "WorkingSet":
        """Return the working set after *entry*."""
        match entry.event:
            case UsageRecorded() as usage:
                used = usage.input_tokens + usage.output_tokens + usage.cache_creation_tokens + usage.cache_read_tokens
                return replace(self, token_budget=replace(self.token_budget, used=self.token_budget.used + used))
            case Compacted(summary=summary) | CompactionUndone(summary=summary) | SummaryUpdated(text=summary):
                return replace(self, summary=summary, summary_seq=entry.seq if summary else None)
            case DecisionMade(text=text):
                return self._decided(Decision(text=text, seq=entry.seq))
            case TaskOpened() as opened:
                task = Task(task_id=opened.task_id, text=opened.text, opened_at=entry.at, seq=entry.seq)
                return replace(self, open_tasks=with_newest(self.open_tasks, task, limit=MAX_ITEMS, same=_same_task))
            case TaskClosed(task_id=task_id):
                return replace(self, open_tasks=tuple(task for task in self.open_tasks if task.task_id != task_id))
            case FileTouched() as touched:
                file = TouchedFile(path=touched.path, action=touched.action, seq=entry.seq)
                return replace(
                    self, files_touched=with_newest(self.files_touched, file, limit=MAX_ITEMS, same=_same_file)
                )
            case FactPinned(text=text):
                return replace(self, pinned_facts=with_new(self.pinned_facts, text, limit=MAX_ITEMS))
            case FactUnpinned(text=text):
                return replace(self, pinned_facts=tuple(fact for fact in self.pinned_facts if fact != text))
            case TokenBudgetSet(limit=limit):
                return replace(self, token_budget=replace(self.token_budget, limit=limit))
            case _:
                return self

    def _decided(self, decision: Decision) -> "WorkingSet":
        if any(known.text == decision.text for known in self.decisions):
            return self
        return replace(self, decisions=with_newest(self.decisions, decision, limit=MAX_ITEMS))


def _same_task(one: Task, other: Task) -> bool:
    return one.task_id == other.task_id


def _same_file(one: TouchedFile, other: TouchedFile) -> bool:
    return one.path == other.path
