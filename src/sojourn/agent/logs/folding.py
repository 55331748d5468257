"""What each entry of a journal is in a log: a message, an event of the verbose stream, or another context.

A message has the number of its entry. So a row tells where it comes from, and the same entry is never there twice.
"""

from sojourn.agent.logs.cleaning import thought
from sojourn.agent.logs.folder import Batch
from sojourn.agent.logs.logger import INSTRUCTIONS
from sojourn.context.compaction.notice import summary_message
from sojourn.model.entry import Entry
from sojourn.model.events import (
    Compacted,
    CompactionUndone,
    MessageAdded,
    SummaryUpdated,
    ToolRan,
    TurnEnded,
    UsageRecorded,
)


def fold(batch: Batch, entry: Entry) -> None:
    """Write down what *entry* says; the entries before it are there."""
    match entry.event:
        case MessageAdded(message=message):
            number = batch.add_message(message, at=entry.at, message_id=entry.seq)
            if thinking := thought(message):
                data = {"content": thinking, "seq": entry.seq}
                batch.add_event("thinking", data, at=entry.at, message_id=number)
        case Compacted() as compacted:
            _compact(batch, entry, compacted)
        case CompactionUndone() as undone:
            _undo(batch, entry, undone)
        case SummaryUpdated(text=text):
            _summarise(batch, entry, text, through=INSTRUCTIONS)
        case UsageRecorded() as usage:
            _count(batch, entry, usage)
        case ToolRan(name=name, success=success, seconds=seconds):
            _time(batch, entry, f"tool:{name}", seconds, {"success": success})
        case TurnEnded(outcome=outcome, seconds=seconds) if seconds is not None:
            _time(batch, entry, "turn", seconds, {"outcome": outcome})
        case _:
            return


def _compact(batch: Batch, entry: Entry, compacted: Compacted) -> None:
    _summarise(batch, entry, compacted.summary, through=compacted.through)
    data = {"tokens_before": compacted.tokens_before, "tokens_after": compacted.tokens_after, "seq": entry.seq}
    batch.add_event("compaction", data, at=entry.at)


def _summarise(batch: Batch, entry: Entry, summary: str, *, through: int) -> None:
    """Let a summary stand for the messages up to entry *through*, and for the summary before it."""
    storage = batch.storage
    gone = [number for number in storage.find_context(through=through, summaries=True) if number != INSTRUCTIONS]
    if summary:
        number = batch.add_message(summary_message(summary, entry.at), at=entry.at, message_id=entry.seq)
        storage.mark_as_summary(number, gone)
    else:
        storage.update_context_status(gone, in_context=False)


def _undo(batch: Batch, entry: Entry, undone: CompactionUndone) -> None:
    """Put back what the latest compaction took out of the context; its causes name it, and the summary before it."""
    storage = batch.storage
    known = [cause for cause in entry.causes[1:] if storage.has_message(cause)]
    earlier = max(known, default=None)
    storage.restore_context(after=max(undone.through, INSTRUCTIONS), summary=earlier if undone.summary else None)
    if undone.summary and earlier is None:
        number = batch.add_message(summary_message(undone.summary, entry.at), at=entry.at, message_id=entry.seq)
        storage.mark_as_summary(number, ())
    batch.add_event("compaction_undone", {"through": undone.through, "seq": entry.seq}, at=entry.at)


def _count(batch: Batch, entry: Entry, usage: UsageRecorded) -> None:
    prompt = usage.input_tokens + usage.cache_creation_tokens + usage.cache_read_tokens
    told = {
        "prompt": prompt,
        "completion": usage.output_tokens,
        "total": prompt + usage.output_tokens,
        "purpose": usage.purpose,
        "model": usage.model,
        "cost_micros": usage.cost_micros,
        "seq": entry.seq,
    }
    known = {key: value for key, value in told.items() if value is not None}
    batch.add_event("token_usage", known, at=entry.at)


def _time(batch: Batch, entry: Entry, operation: str, seconds: float, told: dict[str, object]) -> None:
    data = {"operation": operation, "duration_ms": seconds * 1_000, "metadata": told, "seq": entry.seq}
    batch.add_event("timing", data, at=entry.at)
