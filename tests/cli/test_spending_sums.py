"""What was spent, as every door tells it."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from sojourn.desk.spending import Spending, Sum, read_session_spending, read_spending
from sojourn.model.events import SessionCreated, SessionTrashed, UsageRecorded
from sojourn.store import open_store
from sojourn.store.protocol import Store
from sojourn.testing import FakeClock

pytestmark = pytest.mark.anyio

DAY = 86_400.0


@pytest.fixture
async def store(clock: FakeClock) -> AsyncIterator[Store]:
    async with open_store("memory:", clock=clock) as opened:
        yield opened


def used(micros: int | None, *, model: str = "swift-1", tokens: int = 10) -> UsageRecorded:
    return UsageRecorded(model=model, input_tokens=tokens, output_tokens=1, cache_read_tokens=30, cost_micros=micros)


async def test_the_buckets_are_summed_apart(store: Store) -> None:
    await store.create_session("a")
    await store.append("a", [used(5), used(7)])

    total = (await read_spending(store)).total

    assert total == Sum(calls=2, input_tokens=20, output_tokens=2, cache_read_tokens=60, cost_micros=12)
    assert total.tokens == 82
    assert total.cache_share == 0.75


async def test_a_fork_does_not_count_what_its_origin_paid(store: Store) -> None:
    await store.create_session("a")
    await store.append("a", [used(100)])
    await store.fork_session("a", "b")
    await store.append("b", [used(3)])

    all_of_it = await read_spending(store)
    own = await read_session_spending(store, "b")
    with_origin = await read_session_spending(store, "b", inherited=True)

    assert all_of_it.total.cost_micros == 103
    assert own.total.cost_micros == 3
    assert with_origin.total.cost_micros == 103


async def test_what_was_thrown_away_was_paid_all_the_same(store: Store) -> None:
    await store.create_session("a")
    await store.append("a", [used(5), SessionTrashed()])

    assert (await read_spending(store)).total.cost_micros == 5


async def test_calls_before_the_period_do_not_count(store: Store, clock: FakeClock) -> None:
    await store.create_session("old")
    await store.append("old", [used(1)])
    await store.create_session("both")
    await store.append("both", [used(10)])
    clock.advance(seconds=10 * DAY)
    await store.append("both", [used(100)])

    since = clock.now() - timedelta(days=5)

    assert (await read_spending(store, since=since)).total.cost_micros == 100
    assert (await read_spending(store)).total.cost_micros == 111


async def test_days_without_calls_are_there_too(store: Store, clock: FakeClock) -> None:
    await store.create_session("a")
    await store.append("a", [used(1)])
    clock.advance(seconds=2 * DAY)
    await store.append("a", [used(5)])

    spent = await read_spending(store, zone=UTC)

    assert [one.cost_micros for one in spent.per_day(last=clock.now().date(), days=4)] == [0, 1, 0, 5]
    assert [group.key for group in spent.by("day")] == ["2030-01-03", "2030-01-01"]


async def test_models_without_a_price_are_named(store: Store) -> None:
    await store.create_session("a")
    await store.append("a", [used(5), used(None, model="own"), used(None, model="own"), used(None, model="other")])

    spent = await read_spending(store)

    assert spent.unpriced == {"own": 2, "other": 1}
    assert [(group.name, group.sum.cost_micros, group.sum.unpriced) for group in spent.by("model")] == [
        ("swift-1", 5, 0),
        ("own", 0, 2),
        ("other", 0, 1),
    ]


async def test_sessions_and_projects_are_told_apart(store: Store) -> None:
    await store.create_session("a", SessionCreated(title="Login", project="web"))
    await store.append("a", [used(5)])
    await store.create_session("b")
    await store.append("b", [used(50)])

    spent = await read_spending(store)

    assert [(group.key, group.name) for group in spent.by("session")] == [("b", "b"), ("a", "Login")]
    assert [(group.key, group.name) for group in spent.by("project")] == [("", "(no name)"), ("web", "web")]
    assert (await read_spending(store, project="web")).total.cost_micros == 5
    assert spent.only("a").total.cost_micros == 5


async def test_a_long_journal_is_read_page_by_page(store: Store) -> None:
    await store.create_session("a")
    for _ in range(5):
        await store.append("a", [used(1)] * 500)
    heard: list[tuple[int, int]] = []

    spent = await read_spending(store, on_progress=lambda done, total: heard.append((done, total)))

    assert spent.total.calls == 2_500
    assert heard == [(1, 1)]


def test_nothing_spent_is_a_sum_too() -> None:
    nothing = Spending()

    assert nothing.total == Sum()
    assert nothing.total.cache_share is None
    assert nothing.by("model") == []
    assert nothing.per_day(last=datetime(2030, 1, 1, tzinfo=UTC).date(), days=2) == [Sum(), Sum()]
