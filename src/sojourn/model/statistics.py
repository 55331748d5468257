"""What the session cost and how it went, as sums that survive a reload."""

from typing import Final

from msgspec.structs import replace

from sojourn.model.entry import Entry
from sojourn.model.events import MessageAdded, ResearchStarted, ToolRan, TurnEnded, UsageRecorded
from sojourn.model.value import Value

MAX_TOOLS: Final = 200
OTHER_TOOLS: Final = "(other)"


class ToolStatistics(Value, frozen=True, kw_only=True):
    """How one tool did."""

    calls: int = 0
    successes: int = 0
    seconds: float = 0.0

    @property
    def success_rate(self) -> float:
        """The share of calls that succeeded."""
        return self.successes / self.calls if self.calls else 0.0


class SessionMetadata(Value, frozen=True, kw_only=True):
    """The session's statistics. Tokens are in four disjoint buckets; costs are millionths of a dollar by purpose."""

    message_count: int = 0
    tool_call_count: int = 0
    research_task_count: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_tokens: int = 0
    cache_read_tokens: int = 0
    tokens_by_purpose: dict[str, int] = {}
    cost_micros: dict[str, int] = {}
    unpriced_calls: int = 0
    tools: dict[str, ToolStatistics] = {}
    response_count: int = 0
    response_seconds: float = 0.0

    @property
    def average_response_time(self) -> float:
        """Seconds per answered turn."""
        return self.response_seconds / self.response_count if self.response_count else 0.0

    @property
    def cache_efficiency(self) -> float:
        """The share of input that came from the provider's cache."""
        total = self.input_tokens + self.cache_read_tokens
        return self.cache_read_tokens / total if total else 0.0

    @property
    def total_cost_usd(self) -> float:
        """What all priced calls cost, in dollars."""
        return sum(self.cost_micros.values()) / 1_000_000

    @property
    def cost_breakdown(self) -> dict[str, float]:
        """What was spent on each purpose, in dollars."""
        return {purpose: micros / 1_000_000 for purpose, micros in self.cost_micros.items()}

    @property
    def tool_usage(self) -> dict[str, int]:
        """How often each tool ran."""
        return {name: tool.calls for name, tool in self.tools.items()}

    @property
    def tool_success_rate(self) -> dict[str, float]:
        """The share of each tool's runs that succeeded."""
        return {name: tool.success_rate for name, tool in self.tools.items()}

    def get_summary(self) -> dict[str, int | float]:
        """Return the figures for a status line: cost to 4 decimals, time to 2, the cache's share as it is.

        `total_tokens` are those of input and output; what a provider's cache held is told by `cache_efficiency`.
        """
        return {
            "message_count": self.message_count,
            "tool_calls": self.tool_call_count,
            "research_tasks": self.research_task_count,
            "total_tokens": self.input_tokens + self.output_tokens,
            "total_cost_usd": round(self.total_cost_usd, 4),
            "avg_response_time_sec": round(self.average_response_time, 2),
            "cache_efficiency": self.cache_efficiency,
        }

    def apply(self, entry: Entry) -> "SessionMetadata":
        """Return the statistics after *entry*."""
        match entry.event:
            case MessageAdded():
                return replace(self, message_count=self.message_count + 1)
            case UsageRecorded() as usage:
                return self._used(usage)
            case ToolRan() as ran:
                return self._ran(ran)
            case TurnEnded(seconds=seconds) if seconds is not None:
                return replace(
                    self,
                    response_count=self.response_count + 1,
                    response_seconds=self.response_seconds + seconds,
                )
            case ResearchStarted():
                return replace(self, research_task_count=self.research_task_count + 1)
            case _:
                return self

    def _used(self, usage: UsageRecorded) -> "SessionMetadata":
        cost = usage.cost_micros
        costs = self.cost_micros
        tokens = usage.input_tokens + usage.output_tokens + usage.cache_creation_tokens + usage.cache_read_tokens
        spent = {**self.tokens_by_purpose, usage.purpose: self.tokens_by_purpose.get(usage.purpose, 0) + tokens}
        if cost:
            costs = {**costs, usage.purpose: costs.get(usage.purpose, 0) + cost}
        return replace(
            self,
            input_tokens=self.input_tokens + usage.input_tokens,
            output_tokens=self.output_tokens + usage.output_tokens,
            cache_creation_tokens=self.cache_creation_tokens + usage.cache_creation_tokens,
            cache_read_tokens=self.cache_read_tokens + usage.cache_read_tokens,
            tokens_by_purpose=spent,
            cost_micros=costs,
            unpriced_calls=self.unpriced_calls + (cost is None),
        )

    def _ran(self, ran: ToolRan) -> "SessionMetadata":
        name = ran.name if ran.name in self.tools or len(self.tools) < MAX_TOOLS else OTHER_TOOLS
        before = self.tools.get(name, ToolStatistics())
        after = ToolStatistics(
            calls=before.calls + 1, successes=before.successes + ran.success, seconds=before.seconds + ran.seconds
        )
        return replace(self, tool_call_count=self.tool_call_count + 1, tools={**self.tools, name: after})
