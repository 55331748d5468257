"""What may be spent, and what was: in tokens and in money, for a session and for one run of it.

Without limits, which is the default, nothing is ever refused. What is spent exactly up to its limit is fine; what would
go beyond it is refused before it is spent, and the session can be used as before.
"""

from typing import Final

from sojourn.errors import BudgetExceededError, InvalidInputError
from sojourn.model.value import Value

_MICROS: Final = 1_000_000


class Limits(Value, frozen=True, kw_only=True):
    """What may be spent: tokens, and millionths of a dollar. None is no limit. A run is the work on one answer."""

    session_tokens: int | None = None
    run_tokens: int | None = None
    session_micros: int | None = None
    run_micros: int | None = None


ARMY: Final = Limits(session_tokens=100_000, run_tokens=8_000)
"""Limits for a team of agents that share one budget."""


class Spent(Value, frozen=True, kw_only=True):
    """What was spent: tokens, and millionths of a dollar. *unpriced* calls had no price and count as tokens only."""

    tokens: int = 0
    micros: int = 0
    unpriced: int = 0

    def since(self, earlier: "Spent") -> "Spent":
        """Return what was spent after *earlier*."""
        return Spent(
            tokens=self.tokens - earlier.tokens,
            micros=self.micros - earlier.micros,
            unpriced=self.unpriced - earlier.unpriced,
        )


def check_limits(limits: Limits, *, session: Spent, run: Spent, tokens: int = 0, micros: int = 0) -> None:
    """Do nothing if so many more *tokens* and *micros* may be spent.

    Raises:
        BudgetExceededError: they may not; its detail says which limit it is, and how much of it is used.
        InvalidInputError: less than nothing cannot be spent.
    """
    if tokens < 0 or micros < 0:
        raise InvalidInputError(f"an estimate is a number from 0, got {min(tokens, micros)}")
    for name, spent, most in (("Session", session, limits.session_tokens), ("Run", run, limits.run_tokens)):
        if most is not None and spent.tokens + tokens > most:
            raise BudgetExceededError(f"{name} budget exceeded: {spent.tokens:,}/{most:,} tokens used.")
    for name, spent, most in (("Session", session, limits.session_micros), ("Run", run, limits.run_micros)):
        if most is not None and spent.micros + micros > most:
            raise BudgetExceededError(f"{name} budget exceeded: {_dollars(spent.micros)}/{_dollars(most)} spent.")


def budget_text(limits: Limits, spent: Spent) -> str:
    """Return for a status line what a session has spent, and of what: `1,234/100,000 tokens (1.2%)`."""
    parts = []
    if limits.session_tokens is None:
        parts.append(f"{spent.tokens:,} tokens")
    else:
        share = _share(spent.tokens, limits.session_tokens)
        parts.append(f"{spent.tokens:,}/{limits.session_tokens:,} tokens ({share})")
    if limits.session_micros is not None:
        share = _share(spent.micros, limits.session_micros)
        parts.append(f"{_dollars(spent.micros)}/{_dollars(limits.session_micros)} ({share})")
        if spent.unpriced:
            parts.append(f"unpriced calls: {spent.unpriced:,}")
    return ", ".join(parts)


class BudgetTracker:
    """Counts what a session spends, one run at a time, in memory. `engine.budgeting` does it for a live session."""

    def __init__(
        self,
        session_id: str,
        tokens_used: int = 0,
        runs: int = 0,
        *,
        micros_used: int = 0,
        limits: Limits | None = None,
    ) -> None:
        self.session_id = session_id
        self.tokens_used = tokens_used
        self.runs = runs
        self.micros_used = micros_used
        self.limits = limits or Limits()

    def __repr__(self) -> str:
        return f"BudgetTracker({self.session_id!r}, {self.summary()})"

    def record(self, tokens: int, *, micros: int = 0) -> None:
        """Add what one run spent."""
        if tokens < 0 or micros < 0:
            raise InvalidInputError(f"what was spent is a number from 0, got {min(tokens, micros)}")
        self.tokens_used += tokens
        self.micros_used += micros
        self.runs += 1

    def check_run_budget(self, estimated: int = 0, *, micros: int = 0) -> None:
        """Do nothing if a run may spend so many more tokens, and so much money.

        Raises:
            BudgetExceededError: it may not.
        """
        check_limits(self.limits, session=self._spent, run=Spent(), tokens=estimated, micros=micros)

    def remaining(self) -> int | None:
        """Return how many tokens are left, 0 at the least; None if there is no limit."""
        most = self.limits.session_tokens
        return None if most is None else max(0, most - self.tokens_used)

    def summary(self) -> str:
        """Return `1,234/100,000 tokens (1.2%)`."""
        return budget_text(self.limits, self._spent)

    @property
    def _spent(self) -> Spent:
        return Spent(tokens=self.tokens_used, micros=self.micros_used)


def _share(used: int, most: int) -> str:
    return f"{used / most:.1%}" if most else "100.0%"


def _dollars(micros: int) -> str:
    return f"${micros / _MICROS:,.4f}"
