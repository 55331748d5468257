"""How the app looks: its themes, what is remembered of the choice, and how it is read without colours."""

from pathlib import Path

import pytest
from textual.color import Color

from sojourn.desk.config import load_config
from sojourn.desk.settling import settle
from sojourn.errors import InvalidInputError
from sojourn.tui.app import SojournApp
from sojourn.tui.themes import (
    DEFAULT_THEME,
    PLAIN_THEME,
    THEMES,
    ThemeMemory,
    chosen_theme,
    told_to_textual,
    wants_no_colour,
)
from tests.tui.apps import conversation, engine, opened

pytestmark = pytest.mark.anyio


def _light(colour: Color) -> float:
    parts = [part / 255 for part in (colour.r, colour.g, colour.b)]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return how far two colours are apart, as the rules for readable pages measure it."""
    high, low = sorted((_light(Color.parse(one)), _light(Color.parse(other))), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [one for one in THEMES if not one.ansi], ids=lambda theme: theme.name)
def test_text_can_be_read_on_every_ground(theme: object) -> None:
    found = next(one for one in THEMES if one is theme)
    least = 7 if found.name == "sojourn-contrast" else 4.5
    for ground in (found.background, found.surface, found.panel):
        for colour in (found.foreground, found.primary, found.accent, found.error, found.success, found.warning):
            assert ground is not None
            assert colour is not None
            assert contrast(colour, ground) >= (least if colour == found.foreground else min(least, 4.5))


@pytest.mark.parametrize("name", [theme.name for theme in THEMES])
async def test_the_app_opens_in_each_of_its_themes(name: str) -> None:
    async with opened(says=["Hello."]) as app, app.run_test(size=(80, 24)) as pilot:
        app.theme = name
        await pilot.press(*"hi", "enter")
        await app.chat.turns.wait_until_idle()
        await pilot.pause()
        assert "Hello." in app.export_screenshot()


def test_a_theme_that_is_not_known_is_left_for_the_default() -> None:
    known = {theme.name: theme for theme in THEMES}
    assert chosen_theme("sojourn-light", known, plain=False) == "sojourn-light"
    assert chosen_theme("no-such", known, plain=False) == DEFAULT_THEME
    assert chosen_theme(None, known, plain=False) == DEFAULT_THEME
    assert chosen_theme("sojourn-light", known, plain=True) == PLAIN_THEME


@pytest.mark.parametrize(
    ("environment", "plain"),
    [({"NO_COLOR": "1"}, True), ({"NO_COLOR": ""}, False), ({"TERM": "dumb"}, True), ({"TERM": "xterm"}, False)],
)
def test_who_asks_for_no_colour_is_heard(environment: dict[str, str], *, plain: bool) -> None:
    assert wants_no_colour(environment) is plain


@pytest.mark.parametrize("before", [{}, {"NO_COLOR": ""}, {"NO_COLOR": "1"}])
def test_the_environment_is_as_before(before: dict[str, str]) -> None:
    for plain in (True, False):
        environment = dict(before)
        with told_to_textual(environment, plain=plain):
            assert ("NO_COLOR" in environment) is plain
        assert environment == before


@pytest.mark.parametrize("variable", [("NO_COLOR", "1"), ("TERM", "dumb")])
async def test_without_colour_nothing_is_coloured_and_everything_can_be_read(
    variable: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(*variable)
    async with opened(says=["Hello."]) as app, app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*"hi", "enter")
        await app.chat.turns.wait_until_idle()
        await pilot.press(*"/he")
        await pilot.pause()
        await pilot.pause()
        colours = set()
        shown = ""
        for strip in app.screen._compositor.render_strips(app.screen.size):
            for segment in strip.apply_filter(app._filters[-1], Color.parse("black")) if app._filters else strip:
                shown += segment.text
                style = segment.style
                colours |= {str(style.color), str(style.bgcolor)} if style is not None else set()
        assert "Hello." in shown
        assert "❯ /help" in shown
        assert {one for one in colours if "default" not in one and one != "None"} == set()


async def test_a_theme_that_is_chosen_is_there_the_next_time(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("# mine\nresume = 'ask'\n")
    async with engine() as app_engine:
        app = SojournApp(conversation(app_engine), config=file)
        async with app.run_test(size=(80, 24)) as pilot:
            app.theme = "sojourn-light"
            for _ in range(200):
                if "sojourn-light" in file.read_text():
                    break
                await pilot.pause(0.01)
    assert file.read_text() == "# mine\nresume = 'ask'\ntheme = \"sojourn-light\"\n"
    assert load_config({"SOJOURN_HOME": str(tmp_path)}, tmp_path).config.theme == "sojourn-light"


async def test_only_another_theme_is_written_down(tmp_path: Path) -> None:
    names = ["one"]
    memory = ThemeMemory(tmp_path / "new" / "config.toml", lambda: names[-1])
    assert await memory.note() is False
    assert not (tmp_path / "new").exists()
    names.append("two")
    assert await memory.note() is True
    assert (tmp_path / "new" / "config.toml").read_text() == 'theme = "two"\n'


async def test_what_is_no_setting_is_not_settled(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError):
        await settle(("colour",), "red", file=tmp_path / "config.toml")
    assert not (tmp_path / "config.toml").exists()
