"""What reasoning costs beside the conversation: every call of an advisor, in the journal, under its own purpose."""

import anyio.to_thread

from sojourn.context.budget import Limits, Spent
from sojourn.context.models import ModelCatalog
from sojourn.engine.budgeting import SessionBudget
from sojourn.engine.session import Session
from sojourn.model.events import UsageRecorded
from sojourn.model.usage import Usage


class ResearchBudget:
    """Records what the loop's models use, and refuses what may not be spent. Lives as long as its session is open.

    Its `record` is an advisor's `on_usage`, its `check` an advisor's `allow`. The limits are those of a
    `SessionBudget`: for the session as a whole, and for a run, which is one question.
    """

    def __init__(self, session: Session, *, models: ModelCatalog | None = None, limits: Limits | None = None) -> None:
        """Price calls by *models*; without it, by what the session knows."""
        self._session = session
        self._models = models or session.models
        self._prices_loaded = False
        self._budget = SessionBudget(session, limits)
        self._question = Spent()

    @property
    def spent(self) -> Spent:
        """What reasoning took since the present question began: tokens, and millionths of a dollar."""
        return self._question

    @property
    def total_cost_micros(self) -> int:
        """What reasoning cost in this session so far, in millionths of a dollar."""
        return self._session.state.metadata.cost_micros.get("reasoning", 0)

    def begin(self) -> None:
        """Begin to count for a question."""
        self._question = Spent()
        self._budget.begin_run()

    def check(self, estimated: int) -> None:
        """Do nothing if so many more tokens may be spent.

        Raises:
            BudgetExceededError: they may not.
        """
        self._budget.check_run_budget(estimated)

    async def record(self, usage: Usage) -> None:
        """Write down a call, with its cost if its price is known. Once this returns it is durable."""
        priced = usage if usage.cost_micros is not None else await self._priced(usage)
        await self._session.append(UsageRecorded.of(priced, purpose="reasoning"))
        tokens = priced.input_tokens + priced.output_tokens + priced.cache_creation_tokens + priced.cache_read_tokens
        self._question = Spent(
            tokens=self._question.tokens + tokens,
            micros=self._question.micros + (priced.cost_micros or 0),
            unpriced=self._question.unpriced + (priced.cost_micros is None),
        )

    async def _priced(self, usage: Usage) -> Usage:
        if self._prices_loaded:
            return self._models.priced(usage)
        self._prices_loaded = True  # the first time, a large table is loaded
        return await anyio.to_thread.run_sync(self._models.priced, usage)
