"""The screen about money."""

import pytest
from textual.pilot import Pilot
from textual.widgets import DataTable, Static

from sojourn.model.events import UsageRecorded
from sojourn.tui.app import SojournApp
from sojourn.tui.spending import SpendingScreen
from tests.tui.apps import PROJECT, opened, until

pytestmark = pytest.mark.anyio

SIZE = (120, 34)


def used(micros: int | None, *, model: str = "swift-1", purpose: str = "conversation") -> UsageRecorded:
    return UsageRecorded(
        model=model,
        purpose=purpose,  # type: ignore[arg-type]
        input_tokens=1_000,
        output_tokens=200,
        cache_read_tokens=3_000,
        cost_micros=micros,
    )


async def paid(app: SojournApp, session_id: str, *calls: UsageRecorded, project: str = PROJECT.id) -> None:
    """Begin a session in which models were called."""
    session = await app.sojourn.sessions.create(session_id, project=project, title=f"About {session_id}")
    await session.append(*calls)


async def shown(app: SojournApp, pilot: Pilot[int]) -> SpendingScreen:
    await pilot.press("ctrl+e")
    await until(pilot, lambda: isinstance(app.screen, SpendingScreen) and " in " in told(app, "#sum"))
    screen = app.screen
    assert isinstance(screen, SpendingScreen)
    return screen


def told(app: SojournApp, place: str) -> str:
    return str(app.screen.query_one(place, Static).visual)


def figures(screen: SpendingScreen) -> list[tuple[str, int]]:
    return [(group.name, group.sum.cost_micros) for group in screen.groups]


async def test_a_session_is_told_by_purpose_and_by_model() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await paid(app, "a", used(420_000), used(10_000, model="small", purpose="extraction"))
        await app.open_session("a")
        screen = await shown(app, pilot)
        by_purpose = figures(screen)
        await pilot.press("right")
        by_model = figures(screen)

        assert by_purpose == [("conversation", 420_000), ("extraction", 10_000)]
        assert by_model == [("swift-1", 420_000), ("small", 10_000)]
        assert "$0.43 in this session · 2 calls" in told(app, "#sum")
        assert "75% of what was sent came from a cache" in told(app, "#sum")
        assert "[this session]" in told(app, "#head")


async def test_without_a_session_the_project_is_shown() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await paid(app, "a", used(420_000))
        await paid(app, "b", used(80_000))
        await paid(app, "c", used(1_000_000), project="elsewhere")
        screen = await shown(app, pilot)
        await until(pilot, lambda: bool(screen.groups))

        assert "[this project]" in told(app, "#head")
        assert "$0.50 in the last 30 days" in told(app, "#sum")
        assert "most in a day: $0.50" in told(app, "#bars")
        assert "█" in told(app, "#bars")


async def test_everything_is_told_by_session_and_project() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await paid(app, "a", used(420_000))
        await paid(app, "c", used(1_000_000), project="elsewhere")
        await app.open_session("a")
        screen = await shown(app, pilot)
        await pilot.press("tab", "tab")
        await until(pilot, lambda: "$1.42" in told(app, "#sum"))
        await pilot.press("right", "right")
        by_session = figures(screen)
        await pilot.press("right")
        by_project = figures(screen)
        drawn = ["".join(part.text for part in strip) for strip in screen._compositor.render_strips()]

    assert by_session == [("About c", 1_000_000), ("About a", 420_000)]
    assert by_project == [("elsewhere", 1_000_000), (PROJECT.id, 420_000)]
    assert any("web-app" in line for line in drawn)


async def test_models_without_a_price_are_named_and_not_called_free() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await paid(app, "a", used(420_000), used(None, model="own"), used(None, model="own"))
        await app.open_session("a")
        screen = await shown(app, pilot)
        await pilot.press("right")
        await pilot.pause()
        drawn = ["".join(part.text for part in strip) for strip in screen._compositor.render_strips()]

        assert "without a known price: own (2 calls)" in told(app, "#notes")
        assert any("own" in line and "unpriced" in line for line in drawn)


async def test_what_was_spent_before_a_fork_is_told_apart() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await paid(app, "a", used(420_000))
        fork = await app.sojourn.sessions.fork("a", "b")
        await fork.append(used(10_000))
        await app.open_session("b")
        screen = await shown(app, pilot)

        assert figures(screen) == [("conversation", 10_000)]
        assert "$0.42 more was spent before the fork" in told(app, "#notes")


async def test_the_period_can_be_changed() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await paid(app, "a", used(420_000))
        await shown(app, pilot)
        await pilot.press("d")
        await until(pilot, lambda: "in the last 7 days" in told(app, "#sum"))
        for _ in range(3):
            await pilot.press("d")
        await until(pilot, lambda: "in all" in told(app, "#sum"))


async def test_a_session_in_the_table_can_be_opened() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await paid(app, "a", used(420_000))
        await paid(app, "b", used(80_000))
        await app.open_session("b")
        screen = await shown(app, pilot)
        await pilot.press("tab")
        await until(pilot, lambda: "$0.50" in told(app, "#sum"))
        await pilot.press("right", "right")
        await until(pilot, lambda: figures(screen)[:1] == [("About a", 420_000)])
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is app.chat and app.session is not None and app.session.id == "a")


async def test_nothing_spent_is_told() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await shown(app, pilot)

        assert "$0.00 in the last 30 days" in told(app, "#sum")
        assert "Nothing was spent yet" in told(app, "#notes")
        assert not app.screen.query_one("#bars").display
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.chat)


async def test_a_narrow_terminal_shows_fewer_columns_and_nothing_that_draws() -> None:
    async with opened() as app, app.run_test(size=(40, 20)) as pilot:
        await paid(app, "a", used(420_000, model="\x1b[31m[b]模型模型模型模型模型模型"))
        await app.open_session("a")
        screen = await shown(app, pilot)
        await pilot.press("right")
        await pilot.pause()
        drawn = "\n".join("".join(part.text for part in strip) for strip in screen._compositor.render_strips())

        assert len(screen.query_one(DataTable).columns) == 3
        assert "\x1b" not in drawn
        assert "[b]" in drawn
        await pilot.resize_terminal(120, 30)
        await until(pilot, lambda: len(screen.query_one(DataTable).columns) == 8)


async def test_the_figures_follow_what_is_spent_and_tell_of_agents() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await paid(app, "a", used(420_000))
        child = await app.sojourn.sessions.create("child", parent="a")
        await child.append(used(80_000))
        await app.open_session("a")
        screen = await shown(app, pilot)
        await until(pilot, lambda: bool(screen.groups))
        assert "its agents spent $0.08 more, in 1 session" in told(app, "#notes")
        assert app.session is not None
        await app.session.append(used(80_000))
        await until(pilot, lambda: figures(screen) == [("conversation", 500_000)])


async def test_what_has_no_price_at_all_is_not_called_free() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await paid(app, "a", used(None, model="own"))
        await app.open_session("a")
        screen = await shown(app, pilot)
        await until(pilot, lambda: bool(screen.groups))

        assert told(app, "#sum").startswith("unpriced in this session · 1 call")


async def test_where_and_by_can_be_clicked_and_the_figures_read_again() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await paid(app, "a", used(420_000))
        await app.open_session("a")
        screen = await shown(app, pilot)
        first = told(app, "#head").splitlines()[0]
        await pilot.click("#head", offset=(1 + first.index("everything"), 0))
        await until(pilot, lambda: "[everything]" in told(app, "#head") and "in the last" in told(app, "#sum"))
        second = told(app, "#head").splitlines()[1]
        await pilot.click("#head", offset=(1 + second.index("session"), 1))
        await until(pilot, lambda: figures(screen) == [("About a", 420_000)])
        other = await app.sojourn.sessions.create("b")
        await other.append(used(80_000))
        await pilot.press("f5")
        await until(pilot, lambda: len(screen.groups) == 2)
