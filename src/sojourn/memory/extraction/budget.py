"""What extraction by a model may cost in one session, and what it has cost so far."""

from collections import OrderedDict
from typing import Final

from sojourn.errors import InvalidInputError
from sojourn.model.events import UsageRecorded
from sojourn.model.value import Value

MAX_SESSIONS: Final = 10_000
"""Sessions whose spending is kept in memory; of those used least lately it is forgotten."""


class Price(Value, frozen=True, kw_only=True):
    """What a model costs, in dollars for a million tokens; that is also millionths of a dollar for one."""

    input: float
    output: float
    cache_read: float = 0.0

    def micros(self, usage: UsageRecorded) -> int:
        """Return the price of *usage* in millionths of a dollar."""
        return round(
            usage.input_tokens * self.input
            + usage.output_tokens * self.output
            + usage.cache_read_tokens * self.cache_read
        )


class Budget(Value, frozen=True, kw_only=True):
    """What one session may spend: tokens of all kinds, and millionths of a dollar. None is no limit."""

    tokens: int | None = None
    cost_micros: int | None = None


class Spending:
    """What each session has spent in this process. A session that is resumed is told what it spent before: `begin`."""

    def __init__(self, budget: Budget) -> None:
        if any(limit is not None and limit < 0 for limit in (budget.tokens, budget.cost_micros)):
            raise InvalidInputError("a budget is 0 or more, or None for no limit")
        self._budget = budget
        self._spent: OrderedDict[str, tuple[int, int]] = OrderedDict()
        self._told: OrderedDict[str, None] = OrderedDict()

    def begin(self, session: str, *, tokens: int, cost_micros: int = 0) -> None:
        """Set what *session* has spent so far."""
        self._spent[session] = (tokens, cost_micros)
        self._bound()

    def spent(self, session: str) -> tuple[int, int]:
        """Return the tokens and the millionths of a dollar that *session* has spent."""
        return self._spent.get(session, (0, 0))

    def add(self, session: str, *, tokens: int, cost_micros: int = 0) -> None:
        """Count what a call has cost."""
        before = self.spent(session)
        self._spent[session] = (before[0] + tokens, before[1] + cost_micros)
        self._spent.move_to_end(session)
        self._bound()

    def allows(self, session: str, *, tokens: int) -> bool:
        """Tell whether *session* may make a call whose question has about so many tokens."""
        spent_tokens, spent_micros = self.spent(session)
        limit, most_micros = self._budget.tokens, self._budget.cost_micros
        if limit is not None and spent_tokens + tokens > limit:
            return False
        return most_micros is None or spent_micros < most_micros

    def is_news(self, session: str) -> bool:
        """Tell whether it was not said yet that this session's budget is spent; from now on it was."""
        if session in self._told:
            return False
        self._told[session] = None
        self._bound()
        return True

    def _bound(self) -> None:
        while len(self._spent) > MAX_SESSIONS:
            self._spent.popitem(last=False)
        while len(self._told) > MAX_SESSIONS:
            self._told.popitem(last=False)
