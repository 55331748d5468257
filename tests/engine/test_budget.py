"""Budgets: off by default, kept over a restart, and refused before anything is spent."""

from pathlib import Path

import pytest

from sojourn import Session, open_store
from sojourn.context.budget import ARMY, BudgetTracker, Limits
from sojourn.engine.budgeting import SessionBudget
from sojourn.errors import BudgetExceededError, InvalidInputError, outside
from sojourn.model.events import UsageRecorded


def test_without_limits_nothing_is_refused() -> None:
    budget = BudgetTracker("s", tokens_used=10**9)

    budget.check_run_budget(10**9)
    assert budget.remaining() is None
    assert budget.summary() == "1,000,000,000 tokens"


def test_the_limits_of_an_army_are_these() -> None:
    assert (ARMY.session_tokens, ARMY.run_tokens) == (100_000, 8_000)


def test_a_budget_counts_tokens_and_runs_and_says_how_much_of_it_is_used() -> None:
    budget = BudgetTracker("s", limits=ARMY)

    budget.record(1_000)
    budget.record(234)

    assert (budget.tokens_used, budget.runs) == (1_234, 2)
    assert budget.summary() == "1,234/100,000 tokens (1.2%)"
    assert budget.remaining() == 98_766


def test_equal_to_the_limit_is_fine_and_one_more_is_refused() -> None:
    budget = BudgetTracker("s", tokens_used=99_990, limits=Limits(session_tokens=100_000))

    budget.check_run_budget(10)
    with pytest.raises(BudgetExceededError) as refused:
        budget.check_run_budget(11)

    assert refused.value.detail == "Session budget exceeded: 99,990/100,000 tokens used."
    assert outside(refused.value).http == 402


def test_what_is_left_is_never_less_than_nothing() -> None:
    budget = BudgetTracker("s", tokens_used=120, limits=Limits(session_tokens=100))

    assert budget.remaining() == 0
    assert budget.summary() == "120/100 tokens (120.0%)"


def test_one_run_may_not_spend_more_than_a_run_may() -> None:
    budget = BudgetTracker("s", limits=ARMY)

    budget.check_run_budget(8_000)
    with pytest.raises(BudgetExceededError, match="Run budget exceeded: 0/8,000 tokens used"):
        budget.check_run_budget(8_001)


def test_money_has_limits_too() -> None:
    budget = BudgetTracker("s", micros_used=900_000, limits=Limits(session_micros=1_000_000))

    budget.check_run_budget(micros=100_000)
    with pytest.raises(BudgetExceededError, match=r"Session budget exceeded: \$0.9000/\$1.0000 spent"):
        budget.check_run_budget(micros=100_001)
    assert budget.summary() == "0 tokens, $0.9000/$1.0000 (90.0%)"


@pytest.mark.parametrize(("tokens", "micros"), [(-1, 0), (0, -1)])
def test_nothing_can_be_spent_backwards(tokens: int, micros: int) -> None:
    budget = BudgetTracker("s")

    with pytest.raises(InvalidInputError):
        budget.record(tokens, micros=micros)
    with pytest.raises(InvalidInputError):
        budget.check_run_budget(tokens, micros=micros)
    assert budget.runs == 0


def test_a_limit_of_nothing_lets_nothing_through() -> None:
    budget = BudgetTracker("s", limits=Limits(session_tokens=0))

    assert budget.summary() == "0/0 tokens (100.0%)"
    with pytest.raises(BudgetExceededError):
        budget.check_run_budget(1)


@pytest.mark.anyio
async def test_what_was_spent_survives_a_restart_and_the_refusal_leaves_the_session_usable(tmp_path: Path) -> None:
    async with open_store(tmp_path / "s.db") as store:
        session = await Session.create(store, "s")
        await session.working_set.limit_tokens(100_000)
        async with session.turn():
            await SessionBudget(session).record(UsageRecorded(input_tokens=90_000, output_tokens=9_990))

    async with open_store(tmp_path / "s.db") as store:
        session = await Session.open(store, "s")
        budget = SessionBudget(session)
        assert budget.summary() == "99,990/100,000 tokens (100.0%)"
        assert budget.tracker().runs == 1

        with pytest.raises(BudgetExceededError, match="99,990/100,000"):
            budget.check_run_budget(500)

        await session.messages.user("still here")
        await session.working_set.limit_tokens(200_000)
        budget.check_run_budget(500)
        assert budget.remaining() == 100_010


@pytest.mark.anyio
async def test_a_run_counts_what_it_spends_itself() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        budget = SessionBudget(session, ARMY)
        await budget.record(UsageRecorded(input_tokens=50_000))

        with budget.run():
            await budget.record(UsageRecorded(input_tokens=7_000, cache_read_tokens=500, cost_micros=20))
            budget.check_run_budget(500)
            with pytest.raises(BudgetExceededError, match="Run budget exceeded: 7,500/8,000 tokens used"):
                budget.check_run_budget(501)
        with budget.run():
            budget.check_run_budget(8_000)

        assert budget.run_spent.tokens == 0
        assert budget.spent.micros == 20


@pytest.mark.anyio
async def test_a_run_does_not_begin_when_all_is_spent() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        budget = SessionBudget(session, Limits(session_tokens=100))
        await budget.record(UsageRecorded(input_tokens=100))

        with pytest.raises(BudgetExceededError), budget.run():
            raise AssertionError("nothing runs")
        assert budget.remaining() == 0


@pytest.mark.anyio
async def test_money_that_was_spent_is_counted_and_calls_without_a_price_are_named() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        budget = SessionBudget(session, Limits(session_micros=1_000))
        await budget.record(UsageRecorded(input_tokens=10, cost_micros=600))
        await budget.record(UsageRecorded(input_tokens=10))

        assert budget.summary() == "20 tokens, $0.0006/$0.0010 (60.0%), unpriced calls: 1"
        with pytest.raises(BudgetExceededError):
            budget.check_run_budget(micros=401)


@pytest.mark.anyio
async def test_the_sessions_own_limit_goes_before_the_general_one() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        budget = SessionBudget(session, ARMY)
        await session.working_set.limit_tokens(50)

        assert budget.limits == Limits(session_tokens=50, run_tokens=8_000)
