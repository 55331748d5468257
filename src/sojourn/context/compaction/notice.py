"""What people and models are told about a compaction."""

from datetime import datetime
from typing import Final

from sojourn.context.fence import harmless
from sojourn.model.message import Message

HEAD: Final = "[CONTEXT SUMMARY - Generated: {:%Y-%m-%d %H:%M}]"


def compacted_notice(tokens_saved: int) -> str:
    """Return what is said when a context has become shorter."""
    return f"[Context compacted: {tokens_saved:,} tokens reclaimed]"


def summary_message(summary: str, at: datetime) -> Message:
    """Return the message that stands for the talk that *summary* summarises, written *at* that time."""
    return Message(role="user", content=f"{HEAD.format(at)}\n\n{harmless(summary)}", metadata={"summary": True})
