"""The line of keys at the foot of a screen."""

import pytest

from sojourn.tui.app import SojournApp
from sojourn.tui.key_line import KeyLine, fitting
from sojourn.tui.panels import SidePanel
from sojourn.tui.screens import SCREENS
from tests.tui.apps import opened, until

pytestmark = pytest.mark.anyio

KEYS = [("a", "a", "accept"), ("f1", "f1", "keys"), ("r", "r", "retire"), ("escape", "esc", "back")]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [(80, ["a", "r", "escape", "f1"]), (28, ["a", "escape", "f1"]), (18, ["escape", "f1"]), (5, ["escape"])],
)
def test_the_way_back_and_the_list_of_keys_are_left_out_last(columns: int, expected: list[str]) -> None:
    assert [key for key, _, _ in fitting(KEYS, columns)] == expected


def line(app: SojournApp) -> str:
    """The line of the screen that shows; nothing while that is being made."""
    return "".join(str(one.content) for one in app.screen.query(KeyLine))


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize("name", [name for name in SCREENS if name != "keys"])
async def test_every_screen_says_how_to_leave_it_and_where_all_keys_are(name: str, columns: int) -> None:
    async with opened() as app, app.run_test(size=(columns, 24)) as pilot:
        app.action_show(name)
        await until(pilot, lambda: "esc back" in line(app))

        assert line(app).endswith("esc back  f1 keys")
        assert len(line(app)) <= columns - 2


async def test_the_chat_says_how_to_find_sessions_and_how_to_go_back() -> None:
    async with opened() as app, app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: bool(line(app)))

        assert "^r find" in line(app)
        assert line(app).endswith("esc stop · twice: back  f1 keys")


async def test_a_key_in_the_line_can_be_clicked() -> None:
    async with opened() as app, app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "f1 keys" in line(app))
        at = line(app).index("f1 keys") + 1
        await pilot.click(KeyLine, offset=(at, 0))
        await pilot.pause()

        assert type(app.screen).__name__ == "KeysScreen"


@pytest.mark.parametrize("columns", [60, 120])
async def test_a_key_goes_into_the_panels_and_out_of_them(columns: int) -> None:
    async with opened() as app, app.run_test(size=(columns, 24)) as pilot:
        side = app.chat.query_one(SidePanel)
        before = side.display
        await pilot.press("f2")
        await until(pilot, lambda: side.has_focus)
        inside = side.display
        await pilot.press("f2")
        await until(pilot, lambda: app.chat.prompt.has_focus)

        assert inside
        assert side.display == before


async def test_the_palette_offers_each_thing_once() -> None:
    async with opened() as app, app.run_test(size=(80, 24)):
        titles = [one.title for one in app.get_system_commands(app.screen)]

        assert len(titles) == len(set(titles))
        assert {"Find a session", "New session", "Theme", "Quit"} <= set(titles)
