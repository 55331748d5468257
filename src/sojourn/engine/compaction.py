"""When a session is compacted, and what came of it."""

from dataclasses import dataclass
from typing import Any, Final

from sojourn.context.compaction.cut import KEEP, THRESHOLD, threshold_for
from sojourn.context.compaction.notice import compacted_notice
from sojourn.model.ids import Seq
from sojourn.model.value import Value

SUMMARY_TOKENS: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionSettings:
    """When a session is compacted, and how.

    Attributes:
        threshold: tokens of messages and summary beyond which it is due.
        window: how many tokens the model can take. If it is given, 0.9 of it is the threshold instead.
        keep: messages that stay.
        least_messages: with fewer messages it is never due.
        summary_tokens: tokens that a summary may have.
        findings: how many facts, decisions, tasks and files each are taken from what is summarised.
    """

    threshold: int = THRESHOLD
    window: int | None = None
    keep: int = KEEP
    least_messages: int = 2
    summary_tokens: int = SUMMARY_TOKENS
    findings: int = 15

    @property
    def limit(self) -> int:
        """Beyond how many tokens a session is compacted."""
        return self.threshold if self.window is None else threshold_for(self.window)


class Proposal(Value, frozen=True, kw_only=True):
    """What a compaction would do now; if it would do nothing, *reason* says why.

    Attributes:
        old: the messages that a summary would stand for.
        kept: the messages that would stay.
        old_tokens: what the old ones cost.
        kept_tokens: what the kept ones cost.
        summary_tokens: what the summary may cost, at most.
        tokens_before: what messages and summary cost now.
        limit: beyond how many tokens it is due.
    """

    old: tuple[Seq, ...] = ()
    kept: tuple[Seq, ...] = ()
    old_tokens: int = 0
    kept_tokens: int = 0
    summary_tokens: int = 0
    tokens_before: int
    limit: int
    reason: str = ""


class Compaction(Value, frozen=True, kw_only=True):
    """What a compaction did; if it did nothing, *reason* says why."""

    compacted: bool
    tokens_before: int
    tokens_after: int
    reason: str = ""
    summary: str = ""
    through: Seq | None = None

    @property
    def tokens_saved(self) -> int:
        """How many tokens less the next context has."""
        return self.tokens_before - self.tokens_after

    @property
    def notice(self) -> str:
        """What people are told; nothing, if nothing was done."""
        return compacted_notice(self.tokens_saved) if self.compacted else ""

    def to_reply(self) -> dict[str, Any]:
        """Return what a remote caller is told: the numbers, or the reason."""
        if not self.compacted:
            return {"compacted": False, "reason": self.reason}
        return {
            "compacted": True,
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
            "tokens_saved": self.tokens_saved,
        }
