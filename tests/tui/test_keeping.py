"""The question whether what is learned about the person may be written down."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Button, Static

import sojourn
from sojourn.engine.settings import KeepProfile
from sojourn.tui.app import SojournApp
from sojourn.tui.chat.keeping import KeepCard
from tests.tui.apps import conversation, until

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def asked(
    location: Path, keep: KeepProfile = "ask", *, said: str = "I live in Berlin and I am 31 years old."
) -> AsyncIterator[tuple[SojournApp, KeepCard, Pilot[int]]]:
    settings = sojourn.Settings(embeddings="off", learning="rules", summarise_turns_every=None, keep_profile=keep)
    async with sojourn.open(location, settings=settings) as engine:
        app = SojournApp(conversation(engine, says=["All right."] * 5))
        async with app.run_test(size=(100, 30)) as pilot:
            await until(pilot, lambda: bool(app.chat.query(KeepCard)))
            app.chat.say(said)
            await app.chat.turns.wait_until_idle()
            await engine.background.drain()
            await pilot.pause()
            yield app, app.chat.query_one(KeepCard), pilot


async def answer(card: KeepCard, name: str) -> None:
    next(button for button in card.query(Button) if button.name == name).press()


async def test_it_asks_when_it_first_learns_something_and_who_types_goes_on_typing(tmp_path: Path) -> None:
    async with asked(tmp_path / "s.db") as (app, card, pilot):
        await until(pilot, lambda: card.display)

        assert "Berlin" in str(card.query(Static).first().content)
        assert app.chat.prompt.has_focus


async def test_a_yes_writes_it_down_and_is_asked_for_no_more(tmp_path: Path) -> None:
    async with asked(tmp_path / "s.db") as (app, card, pilot):
        await until(pilot, lambda: card.display)
        await answer(card, "yes")
        await until(pilot, lambda: not card.display)
        kept = app.sojourn.keeps_profile
    async with asked(tmp_path / "s.db", said="My name is Ada.") as (app, card, pilot):
        assert kept
        assert app.sojourn.keeps_profile
        assert not card.display


async def test_not_now_writes_nothing_and_asks_again_another_day(tmp_path: Path) -> None:
    async with asked(tmp_path / "s.db") as (app, card, pilot):
        await until(pilot, lambda: card.display)
        await answer(card, "later")
        await until(pilot, lambda: not card.display)
        kept = app.sojourn.keeps_profile
    async with asked(tmp_path / "s.db") as (_, card, pilot):
        await until(pilot, lambda: card.display)

        assert not kept


async def test_the_command_answers_it_too(tmp_path: Path) -> None:
    async with asked(tmp_path / "s.db") as (app, card, pilot):
        await until(pilot, lambda: card.display)
        app.chat.prompt.put("/keep no")
        await pilot.press("enter")
        await until(pilot, lambda: not card.display)

        assert not app.sojourn.keeps_profile
        assert not app.sojourn.asks_about_profile


@pytest.mark.parametrize("keep", ["yes", "no"])
async def test_what_the_configuration_says_is_not_asked(tmp_path: Path, keep: KeepProfile) -> None:
    async with asked(tmp_path / "s.db", keep) as (_, card, _):
        assert not card.display
