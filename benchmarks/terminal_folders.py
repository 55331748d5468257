"""What the terminal benchmark's commands are run on: stores, a git repository, another program's log, a bare program.

Imports the project, and of the peers only what fills their files, when that is asked for.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from agent_talk import history

import sojourn
from sojourn.engine.project import find_project
from sojourn.engine.session import new_session_id
from sojourn.model.events import MessageAdded, SessionCreated
from sojourn.model.message import Message
from sojourn.store import Durability
from sojourn.testing.clock import FakeClock

PROJECTS: Final = 10
"""Projects that the sessions of a list belong to; one of them is the one that is asked from."""
_AT_ONCE: Final = 500
_YEAR: Final = timedelta(days=365)
_BARE: Final = """
import click


@click.command()
@click.version_option("1.0", prog_name="bare")
def main() -> None:
    click.echo("hello")


main()
"""
_FILL_LLM: Final = """
import sys
import llm, sqlite_utils
from llm.migrations import migrate

class Stub(llm.Model):
    model_id = "stub"

    def execute(self, prompt, stream, response, conversation):
        yield "All right."

database = sqlite_utils.Database(sys.argv[1])
migrate(database)
for number in range(int(sys.argv[2])):
    response = Stub().conversation().prompt(f"Question {number}", stream=False)
    response.text()
    response.log_to_db(database)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders:
    """Where everything is: *plain* is no repository, *git* is one; *home* holds the sessions of both."""

    plain: Path
    git: Path
    home: Path
    llm: Path
    bare: Path

    @property
    def environment(self) -> dict[str, str]:
        """What the commands see: these folders and nothing of the person's own."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SOJOURN", "LLM", "GIT"))}
        return {**kept, "SOJOURN_HOME": str(self.home), "LLM_USER_PATH": str(self.llm)}


async def make_folders(folder: Path, *, sessions: int, logged: int) -> Folders:
    """Make all of it, with so many sessions, and so many conversations in llm's log."""
    folders = Folders(
        plain=folder / "plain", git=folder / "git", home=folder / "home", llm=folder / "llm", bare=folder / "bare.py"
    )
    for one in (folders.plain, folders.git, folders.home, folders.llm):
        one.mkdir()
    folders.bare.write_text(_BARE)
    _run(["git", "init", "-q", str(folders.git)])
    named = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    _run(["git", *named, "-C", str(folders.git), "commit", "-q", "--allow-empty", "-m", "first"])
    _run([sys.executable, "-c", _FILL_LLM, str(folders.llm / "logs.db"), str(logged)])
    ours = [find_project(folders.plain).id, find_project(folders.git).id]
    others = [f"path-{number:016x}" for number in range(PROJECTS - len(ours))]
    await _fill_list(folders.home / "sojourn.db", sessions, [*ours, *others])
    return folders


async def _fill_list(path: Path, sessions: int, projects: Sequence[str]) -> None:
    """Make sessions of one message each, spread over the projects in turn and over the last year."""
    clock = FakeClock(now=datetime.now(UTC) - _YEAR, tick=_YEAR.total_seconds() / sessions / 2)
    said = history(100)

    async def begin(store: Any, number: int) -> None:
        created = SessionCreated(
            title=f"Talk {number}: {said[number % 100].text[:40]}", project=projects[number % PROJECTS]
        )
        session_id = new_session_id()
        await store.create_session(session_id, created)
        await store.append(session_id, [MessageAdded(message=Message(role="user", content=f"Question {number}"))])

    async with sojourn.open_store(path, durability=Durability.RELAXED, clock=clock) as store:
        for first in range(0, sessions, _AT_ONCE):
            numbers = range(first, min(first + _AT_ONCE, sessions))
            await asyncio.gather(*(begin(store, number) for number in numbers))


async def fill_talk(path: Path, *, sessions: int, messages: int, project: str) -> list[str]:
    """Keep so many sessions of so many messages in the store at *path*, and return their ids."""
    ids: list[str] = []
    async with sojourn.open_store(path, durability=Durability.RELAXED) as store:
        said = _messages(sessions * messages)
        for number in range(sessions):
            session_id = new_session_id()
            await store.create_session(session_id, SessionCreated(title=f"Talk {number}", project=project))
            events = [MessageAdded(message=next(said)) for _ in range(messages)]
            for first in range(0, messages, _AT_ONCE):
                await store.append(session_id, events[first : first + _AT_ONCE])
            ids.append(session_id)
    return ids


def _messages(number: int) -> Iterator[Message]:
    """Yield messages of a talk that repeats nothing to the letter."""
    spoken = [one for one in history(2_000) if one.kind in {"user", "assistant"}]
    for place in range(number):
        said = spoken[place % len(spoken)]
        yield Message(role="assistant" if place % 2 else "user", content=f"{said.text} (number {place})")


def _run(command: Sequence[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
