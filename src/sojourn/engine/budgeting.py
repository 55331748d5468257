"""The budget of a live session: what it spent is in its journal, so a restart forgets none of it.

The session's own token limit (`session.working_set.limit_tokens`) goes before the one that is given here.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from sojourn.context.budget import BudgetTracker, Limits, Spent, budget_text, check_limits
from sojourn.engine.live import Live
from sojourn.model.events import UsageRecorded


class SessionBudget:
    """What a session and its present run may spend. Lives as long as its session is open; several may share one.

    Ask `check_run_budget` before each call of a model. A refusal is an error like any other: the session is as before,
    and a higher limit lets it go on.
    """

    def __init__(self, session: Live, limits: Limits | None = None) -> None:
        """Use *limits*; without them, nothing is refused but what the session's own limit forbids."""
        self._session = session
        self._given = limits or Limits()
        self._run_began_at = self.spent

    @property
    def limits(self) -> Limits:
        """What may be spent."""
        own = self._session.state.working_set.token_budget.limit
        return self._given if own is None else replace(self._given, session_tokens=own)

    @property
    def spent(self) -> Spent:
        """What the session has spent in all."""
        state = self._session.state
        return Spent(
            tokens=state.working_set.token_budget.used,
            micros=sum(state.metadata.cost_micros.values()),
            unpriced=state.metadata.unpriced_calls,
        )

    @property
    def run_spent(self) -> Spent:
        """What was spent since the present run began."""
        return self.spent.since(self._run_began_at)

    def begin_run(self) -> None:
        """Count from here what the run spends."""
        self._run_began_at = self.spent

    @contextmanager
    def run(self) -> Iterator["SessionBudget"]:
        """Begin a run, if at least one more token may be spent.

        Raises:
            BudgetExceededError: the session has spent all that it may.
        """
        self.begin_run()
        self.check_run_budget(1)
        yield self

    def check_run_budget(self, estimated: int = 0, *, micros: int = 0) -> None:
        """Do nothing if so many more tokens, and so much money, may be spent.

        Raises:
            BudgetExceededError: they may not, by the session's limits or by the run's.
        """
        check_limits(self.limits, session=self.spent, run=self.run_spent, tokens=estimated, micros=micros)

    async def record(self, usage: UsageRecorded) -> None:
        """Add a model's call. Once this returns it is durable."""
        await self._session.append(usage)

    def remaining(self) -> int | None:
        """Return how many tokens the session has left, 0 at the least; None if there is no limit."""
        return self.tracker().remaining()

    def summary(self) -> str:
        """Return `1,234/100,000 tokens (1.2%)`."""
        return budget_text(self.limits, self.spent)

    def tracker(self) -> BudgetTracker:
        """Return the session's budget as it is now, to be looked at; each turn was a run."""
        state, spent = self._session.state, self.spent
        return BudgetTracker(
            state.session_id, spent.tokens, state.turn_count, micros_used=spent.micros, limits=self.limits
        )
