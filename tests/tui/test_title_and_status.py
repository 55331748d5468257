"""The lines at the top and at the bottom of the chat."""

import pytest
from textual.widgets import Static

from sojourn.tui.app import SojournApp
from sojourn.tui.chat.status import StatusBar, TitleBar
from tests.tui.apps import PROJECT, conversation, engine, until

pytestmark = pytest.mark.anyio


def line(app: SojournApp, kind: type[Static]) -> str:
    return str(app.chat.query_one(kind).content)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (60, " sojourn ▸ Login button bug              web-app · scripted "),
        (40, " sojourn ▸ Login button bug     web-app "),
        (30, " sojourn ▸ Login button bug"),
        (20, " sojourn ▸ Login bu…"),
    ],
)
async def test_the_title_is_at_the_left_and_what_there_is_room_for_at_the_right(columns: int, expected: str) -> None:
    async with engine() as sojourn:
        await sojourn.sessions.create("login", project=PROJECT.id, title="Login button bug")
        talk = conversation(sojourn)
        await talk.resume("login")
        app = SojournApp(talk)
        async with app.run_test(size=(columns, 24)) as pilot:
            await pilot.pause()

            assert line(app, TitleBar) == expected


async def test_a_session_that_was_just_opened_says_how_full_the_window_would_be() -> None:
    async with engine() as sojourn:
        session = await sojourn.sessions.create("login", project=PROJECT.id)
        await session.messages.user("word " * 4_000)
        await session.messages.assistant("All right.")
        talk = conversation(sojourn)
        await talk.resume("login")
        app = SojournApp(talk)
        async with app.run_test(size=(120, 24)) as pilot:
            await until(pilot, lambda: app.filling is not None)
            await pilot.pause()

            assert app.filling is not None
            assert app.filling.is_guess
            assert f"context {app.filling.share}" in line(app, StatusBar)
            assert app.filling.share.startswith("~")


async def test_the_status_line_tells_what_is_known_what_waits_and_what_it_is_about() -> None:
    async with engine() as sojourn:
        session = await sojourn.sessions.create("login", project=PROJECT.id)
        await session.facts.learn("Production runs behind nginx")
        await session.facts.learn("Some users have iOS 12", status="candidate")
        await session.focus.set("task", "login-ios", context={"label": "fix the login"})
        await session.messages.used(model="m", input_tokens=10, output_tokens=1, cost_micros=20_000)
        await session.messages.used(model="m", input_tokens=10, output_tokens=1)
        talk = conversation(sojourn)
        await talk.resume("login")
        app = SojournApp(talk)
        async with app.run_test(size=(120, 24)) as pilot:
            await pilot.pause()

            assert "$0.02+ · 1 fact + 1 ? · focus: fix the login" in line(app, StatusBar)
