"""What the app does when its store cannot be read any more: it says so, loses no word, and stays."""

import subprocess
import sys
from pathlib import Path

import pytest

from sojourn.tui.app import SojournApp
from sojourn.tui.chat.prompt import Prompt
from tests.tui.apps import PROJECT, conversation, engine, until

pytestmark = pytest.mark.anyio

SIZE = (100, 30)


def complaints(app: SojournApp) -> list[str]:
    return [one.message for one in app._notifications if one.severity == "error"]


def break_store(path: Path) -> None:
    """Take the journal away, as a mistyped command in another terminal does: in a process of its own.

    Two libraries of SQLite in one process would take each other's locks away, and ruin the file.
    """
    code = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('DROP TABLE journal')"
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)


async def test_what_cannot_be_stored_is_told_and_stays_in_the_prompt(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    async with engine(path) as sojourn:
        app = SojournApp(conversation(sojourn, says=["All right."] * 3))
        async with app.run_test(size=SIZE) as pilot:
            await until(pilot, lambda: bool(app.chat.query(Prompt)))
            app.chat.say("hello")
            await app.chat.turns.wait_until_idle()
            break_store(path)
            app.chat.say("and something that took me long to write")
            await app.chat.turns.wait_until_idle()
            await until(pilot, lambda: bool(complaints(app)))

            assert app.is_running
            assert app.chat.prompt.text == "and something that took me long to write"


async def test_what_cannot_be_read_any_more_is_told(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    async with engine(path) as sojourn:
        said = [{"role": "assistant" if one % 2 else "user", "content": f"message {one}"} for one in range(200)]
        await sojourn.ingest(said, session_id="long", project=PROJECT.id)
        talk = conversation(sojourn)
        await talk.resume("long")
        app = SojournApp(talk)
        async with app.run_test(size=SIZE) as pilot:
            await until(pilot, lambda: bool(app.chat.transcript.items))
            break_store(path)
            app.chat.action_read()
            await until(pilot, lambda: bool(complaints(app)), press="home")
            await app.open_session("long")
            await pilot.pause()

            assert app.is_running
