"""Whatever is pressed, in whatever order and however fast: the app stays."""

import random

import pytest

from sojourn.tui.screens import SCREENS
from tests.tui.apps import opened, until

pytestmark = pytest.mark.anyio

KEYS = """ctrl+r ctrl+t ctrl+g ctrl+k ctrl+e ctrl+n ctrl+o ctrl+b ctrl+p f1 f2 up down left right pageup pagedown home
end tab shift+tab enter escape space slash a b e f m p u w y equals_sign""".split()  # noqa: SIM905 - a list of keys is read best as words


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_no_order_of_keys_breaks_it(seed: int) -> None:
    chance = random.Random(seed)
    async with opened(says=["All right."] * 100) as app, app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: bool(app.chat.query("#prompt")))
        app.chat.say("hello")
        await app.chat.turns.wait_until_idle()
        for _ in range(100):
            app.simulate_key(chance.choice(KEYS))
            if chance.random() < 0.5:
                app.simulate_key("escape")
            if chance.random() < 0.4:
                await pilot.pause(0)
        await app.chat.turns.wait_until_idle()
        await pilot.pause()
        app.back_to_chat()
        await until(pilot, lambda: app.screen is app.chat)

        assert app.is_running


@pytest.mark.parametrize("name", SCREENS)
async def test_a_screen_that_is_closed_at_once_leaves_nothing_behind(name: str) -> None:
    async with opened() as app, app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: bool(app.chat.query("#prompt")))
        app.chat.say("hello")
        await app.chat.turns.wait_until_idle()
        for _ in range(3):
            app.action_show(name)
            await pilot.pause(0)
            app.simulate_key("escape")
            await until(pilot, lambda: app.screen is app.chat)
        await pilot.pause()

        assert app.is_running
