"""What was spent is shown by model, day, session and project; what has no price is named."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

import sojourn
from sojourn.engine.session import Session
from sojourn.model.events import UsageRecorded
from sojourn.testing.clock import FakeClock
from tests.cli.seeded import Doing, seed
from tests.cli.typed import Type

SONNET = UsageRecorded(
    model="claude-sonnet-5-5",
    input_tokens=4_000,
    output_tokens=1_000,
    cache_creation_tokens=1_000,
    cache_read_tokens=5_000,
    cost_micros=21_600,
)
FABLE = UsageRecorded(model="claude-fable-5-2", input_tokens=400, output_tokens=100)
CENT = UsageRecorded(model="gpt-6.1-sol", input_tokens=10, cost_micros=900)


def spending(*calls: UsageRecorded) -> Doing:
    async def spend(_: sojourn.Sojourn, session: Session) -> None:
        await session.append(*calls)

    return spend


def days_ago(days: float) -> FakeClock:
    return FakeClock(now=datetime.now(UTC) - timedelta(days=days), tick=0.001)


def test_costs_are_listed_by_model_the_most_expensive_first(folder: Path, type_: Type) -> None:
    seed(folder, spending(FABLE, SONNET, CENT, SONNET))

    data = type_("cost", "--json").data

    assert [(one["key"], one["cost_micros"], one["calls"]) for one in data["groups"]] == [
        ("claude-sonnet-5-5", 43_200, 2),
        ("gpt-6.1-sol", 900, 1),
        ("claude-fable-5-2", 0, 1),
    ]
    buckets = ("input_tokens", "cache_read_tokens", "cache_creation_tokens", "output_tokens")
    assert [data["total"][name] for name in buckets] == [8_410, 10_000, 2_000, 2_100]
    assert data["unpriced"] == {"claude-fable-5-2": 1}


def test_people_read_dollars_and_which_prices_nobody_knows(folder: Path, type_: Type) -> None:
    seed(folder, spending(FABLE, SONNET, CENT))

    shown = type_("cost")

    assert shown.lines[0].startswith("$0.02+ · 3 calls")
    assert [line.split()[0] for line in shown.lines[2:]] == ["$0.02", "<$0.01", "unpriced"]
    assert "nobody knows the price of claude-fable-5-2: 1 call not counted" in shown.err


def test_a_fork_does_not_pay_again(folder: Path, type_: Type) -> None:
    parent = seed(folder, spending(SONNET))
    fork = type_("fork", parent).lines[0]

    assert type_("cost", "--json").data["total"]["cost_micros"] == 21_600
    assert type_("cost", parent, "--json").data["total"]["calls"] == 1
    own = type_("cost", fork)
    assert (own.code, own.out) == (0, "")
    assert "before the fork" in own.err


def test_only_what_was_spent_since_then_counts(folder: Path, type_: Type) -> None:
    old = seed(folder, spending(SONNET), title="Old", clock=days_ago(40))
    seed(folder, spending(CENT), title="New", clock=days_ago(2))

    assert type_("cost", "--since", "30d", "--json").data["total"]["cost_micros"] == 900
    assert type_("cost", "--since", "60d", "--json").data["total"]["cost_micros"] == 22_500
    assert type_("cost", old, "--since", "30d", "--json").data["total"]["calls"] == 0
    assert type_("cost", "--since", "soon").code == 2


def test_days_are_listed_the_latest_first_with_a_line_of_bars(folder: Path, type_: Type) -> None:
    seed(folder, spending(SONNET), clock=days_ago(3))
    seed(folder, spending(CENT), clock=days_ago(1))

    keys = [one["key"] for one in type_("cost", "--by", "day", "--json").data["groups"]]

    assert keys == sorted(keys, reverse=True)
    assert len(keys) == 2
    assert "█" in type_("cost", "--by", "day").lines[0]


def test_sessions_of_the_trash_count_and_other_projects_when_asked(folder: Path, type_: Type) -> None:
    here = seed(folder, spending(SONNET), title="Here")
    seed(folder, spending(CENT), title="Elsewhere", project="other")
    type_("delete", here)

    assert [one["name"] for one in type_("cost", "--by", "session", "--json").data["groups"]] == ["Here"]
    assert type_("cost", "--all", "--json").data["total"]["calls"] == 2
    assert len(type_("cost", "--by", "project", "--json").data["groups"]) == 2
    assert [line.endswith("work, here") for line in type_("cost", "--by", "project").lines[2:]] == [True, False]


def test_where_nothing_was_spent_nothing_is_listed(folder: Path, type_: Type) -> None:
    nothing = type_("cost")

    assert (nothing.code, nothing.out) == (0, "")
    assert "nothing was spent in this project" in nothing.err
    assert not (folder / "home").exists()


def test_what_the_agents_of_a_session_spent_is_told_beside(folder: Path, type_: Type) -> None:
    async def delegated(app: sojourn.Sojourn, session: Session) -> None:
        await session.append(SONNET)
        helper = await app.sessions.create("helper", parent=session.id)
        await helper.append(SONNET, CENT)

    session_id = seed(folder, delegated)

    assert type_("cost", session_id, "--json").data["nested"] == ["helper"]
    assert "its agents spent $0.02 more, in 1 session: helper" in type_("cost", session_id).err


def test_a_session_and_all_of_them_are_two_things(folder: Path, type_: Type) -> None:
    session = seed(folder, spending(SONNET))

    assert type_("cost", session, "--all").code == 2
    assert type_("cost", "nowhere").code == 3
    assert type_("cost", "--by", "colour").code == 2


@pytest.mark.parametrize("columns", ["40", "100"])
def test_no_line_is_too_wide(folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    seed(folder, spending(FABLE, SONNET, CENT))

    assert max(map(len, type_("cost").lines)) <= int(columns)
    assert max(map(len, type_("cost", "--by", "day").lines)) <= int(columns)


def test_a_damaged_session_is_named_and_the_others_count(folder: Path, type_: Type) -> None:
    damaged = seed(folder, spending(SONNET), title="Damaged")
    seed(folder, spending(CENT), title="Whole")
    database = apsw.Connection(str(folder / "home" / "sojourn.db"))
    database.execute("UPDATE journal SET payload = replace(payload, '4000', '9000') WHERE session_id = ?", (damaged,))
    database.close()

    shown = type_("cost")

    assert (shown.code, shown.lines[0].split(" · ")[0]) == (0, "<$0.01")
    assert f"{damaged[-8:]} is damaged, and not counted" in shown.err
