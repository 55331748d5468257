"""The list of every key: it is made from the bindings, and can be searched."""

import pytest
from textual.binding import Binding
from textual.widgets import Input

from sojourn.tui.app import SojournApp
from sojourn.tui.chat.commands import SHOWS, app_commands, prompt_commands
from sojourn.tui.chat.prompt import Prompt
from sojourn.tui.chat.screen import ChatScreen
from sojourn.tui.keys import GroupRow, KeyRow, KeysScreen, entries, parts, readable
from sojourn.tui.screens import SCREENS
from tests.tui.apps import opened

pytestmark = pytest.mark.anyio
SIZE = (100, 30)


def test_each_binding_with_a_description_is_listed() -> None:
    listed = {(one.what, keys) for one in entries({}) for keys in [one.keys]}
    kinds = parts()
    for kind in kinds:
        for binding in kind.__dict__["BINDINGS"]:
            made = binding if isinstance(binding, Binding) else Binding(*binding)
            if made.description:
                assert (made.description, ", ".join(map(readable, made.key.split(",")))) in listed, (kind, made)
    assert {SojournApp, ChatScreen, Prompt, KeysScreen} <= set(kinds)


def test_the_screen_that_one_came_from_is_listed_first() -> None:
    groups = list(dict.fromkeys(one.group for one in entries({"help": "list"}, first="context")))
    assert groups[:2] == ["context", "everywhere"]
    assert groups[-2:] == ["commands", "good to know"]


def test_keys_are_written_as_on_a_keyboard() -> None:
    assert [readable(key) for key in ("ctrl+r", "question_mark", "slash", "escape", "G")] == [
        "ctrl+r", "?", "/", "esc", "G",
    ]  # fmt: skip


def test_every_command_that_opens_a_screen_is_listed_and_opens_one_that_is_there() -> None:
    assert set(SHOWS) <= set(app_commands())
    assert set(SHOWS.values()) <= set(SCREENS)
    assert prompt_commands(None) == {}


async def test_typing_finds_keys_and_commands_by_what_they_do() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await pilot.press("f1")
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, KeysScreen)
        everything = screen.shown
        await pilot.press(*"compact")
        await pilot.pause()
        found = {one.keys for one in screen.shown}
        assert everything[0].group == "chat"
        assert "/compact" in found
        assert "c" in found
        assert len(screen.shown) < len(everything)


async def test_escape_shows_all_again_and_then_goes_back() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await pilot.press("f1")
        await pilot.pause()
        await pilot.press(*"zzzz", "escape")
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, KeysScreen)
        assert screen.query_one(Input).value == ""
        assert screen.shown
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is app.chat


async def test_arrows_go_from_key_to_key_past_the_names_of_groups() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await pilot.press("f1")
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, KeysScreen)
        for _ in range(12):
            await pilot.press("down")
            assert isinstance(screen._list.chosen, KeyRow)
        await pilot.press("pagedown", "pageup")
        for _ in range(20):
            await pilot.press("up")
            assert isinstance(screen._list.chosen, KeyRow)


@pytest.mark.parametrize("columns", [30, 40, 80, 200])
def test_lines_fit_every_width(columns: int) -> None:
    for one in entries({"名前": "ひらがな" * 40}):
        for row in (KeyRow(entry=one), GroupRow(group=one.group)):
            assert all(line.cell_len <= columns for line in row.draw(columns))


async def test_a_question_mark_lists_the_keys_where_nobody_types() -> None:
    async with opened() as app, app.run_test(size=SIZE) as pilot:
        await pilot.press("ctrl+g")
        await pilot.pause()
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(app.screen, KeysScreen)
        assert app.screen.shown[0].group == "context"
