"""A command is killed at any moment: all is whole, no half file has a name, and typing it again completes it."""

import asyncio
import random
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

import sojourn
from sojourn.engine.project import find_project
from sojourn.engine.session import Session
from sojourn.model.events import MessageAdded
from sojourn.store import open_store
from tests.cli.foreign_sessions import claude_talk, codex_talk
from tests.faults.commands import KILLED, Command, run, store_of
from tests.faults.ledger import EVERYTHING, read_all
from tests.faults.shell import Shell

pytestmark = pytest.mark.timeout(300)

QUIET: Final = sojourn.Settings(learning="off", embeddings="off", summarise_turns_every=None)
KEY: Final = "sk-" + "a1b2c3d4" * 4
SECRET: Final = "correct-horse-9"
SESSIONS: Final = 5
TURNS: Final = 16

Kept = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A command that changes or writes something; *again* is how it is typed the second time, if otherwise.

    What was said before stays to the letter unless it *removes*; then, once it is done, no file holds these words.
    *done* is what the second time may end with as well, if the first one came so far.
    """

    words: tuple[str, ...]
    again: tuple[str, ...] | None = None
    removes: tuple[str, ...] = ()
    done: int = 0


CASES: Final = {
    "import": Case(words=("import", "../elsewhere")),
    "export": Case(
        words=("export", "--all", "-f", "json", "--no-redact", "-o", "../out"),
        again=("export", "--all", "-f", "json", "--no-redact", "-o", "../out", "--force"),
    ),
    "backup": Case(words=("db", "backup", "../out/copy.db"), done=4),
    "rebuild": Case(words=("db", "rebuild")),
    "vacuum": Case(words=("db", "vacuum")),
    "compact": Case(words=("compact", "talk-1", "--keep", "5")),
    "merge": Case(words=("merge", "talk-0", "branch", "--strategy", "theirs")),
    "relink": Case(words=("project", "relink", "old-place", "new-place", "--yes"), done=3),
    "scrub": Case(words=("scrub", "--all", "--yes"), removes=(KEY, SECRET)),
    "forget-session": Case(words=("forget", "session", "talk-2", "--yes"), removes=("whale-2-",)),
    "forget-message": Case(
        words=("forget", "message", "2", "--session", "talk-3", "--yes"), removes=("whale-3-0-",), done=3
    ),
    "repair": Case(words=("doctor", "--repair")),
}


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A place with sessions, and sessions of others to take in: to be copied."""
    place = tmp_path_factory.mktemp("seeded")
    shell = Shell.at(place)
    shell.home.mkdir()
    asyncio.run(_seed(store_of(shell), find_project(shell.folder).id))
    other = Shell(folder=shell.folder, home=place / "other")
    other.home.mkdir()
    asyncio.run(_seed(store_of(other), "elsewhere", prefix="guest"))
    exported = run(other, "export", "--all", "-f", "jsonl", "--no-redact", "-o", "../elsewhere")
    assert exported.code == 0, exported.err
    shutil.rmtree(other.home)
    claude_talk().written(place / "elsewhere")
    codex_talk().written(place / "elsewhere")
    return place


async def _seed(path: Path, project: str, *, prefix: str = "talk") -> None:
    async with sojourn.open(path, settings=QUIET) as app:
        for number in range(SESSIONS):
            where = project if number % 2 else "old-place"
            session = await app.sessions.create(f"{prefix}-{number}", title=f"Talk {number}", project=where)
            for turn in range(TURNS):
                said = await session.messages.user(f"whale-{number}-{turn}- my password: {SECRET} and {KEY}, please")
                await session.messages.assistant(f"Answer {turn}: the ferry leaves at nine. " * 5)
                await session.facts.learn(f"fact {turn} of {number}", causes=[said.seq])
        if prefix == "talk":
            branch = await app.sessions.fork("talk-0", "branch")
            for number in range(20):
                await branch.variables.set(f"seat {number}", number)
                await branch.facts.learn(f"the branch knows {number}")
        await app.memory.rebuild()


async def _kept(path: Path) -> Kept:
    """Return what the store holds, as far as two ways to the same end must agree on it."""
    kept: Kept = {}
    async with open_store(path) as store:
        for row in (await store.list_sessions(EVERYTHING)).rows:
            header = row.header
            state = (await Session.open(store, header.session_id)).state
            journal = await read_all(store, header.session_id)
            kept[header.session_id] = {
                "title": header.title,
                "project": header.project,
                "trashed": header.trashed_at is not None,
                "said": [
                    (entry.event.message.role, entry.event.message.text)
                    for entry in journal
                    if isinstance(entry.event, MessageAdded)
                ],
                "facts": sorted(fact.content for fact in state.knowledge_base.facts.values()),
                "variables": dict(state.variables.values),
                "summary": bool(state.working_set.summary),
                "payloads": [entry.payload for entry in journal],
            }
    return kept


def kept(shell: Shell) -> Kept:
    return asyncio.run(_kept(store_of(shell)))


def without_payloads(found: Kept) -> Kept:
    return {name: {key: one[key] for key in one if key != "payloads"} for name, one in found.items()}


def outputs(shell: Shell) -> dict[str, str]:
    """Return the files that were written beside the store, by name; of a store, what it holds."""
    out = shell.folder.parent / "out"
    found = {}
    for path in sorted(out.iterdir()) if out.exists() else ():
        if path.name.startswith("."):
            continue  # it has no name of its own yet
        if path.suffix == ".db":
            found[path.name] = repr(without_payloads(asyncio.run(_kept(path))))
        else:
            found[path.name] = path.read_text().partition('"entries"')[2]  # before it is said when it was written
    return found


def new_place(seeded: Path, place: Path) -> Shell:
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(seeded, place)
    return Shell(folder=place / "work", home=place / "home")


def assert_stays(before: Kept, after: Kept) -> None:
    """Fail if something that was kept before is not there to the letter."""
    for session_id, one in before.items():
        assert after[session_id]["payloads"][: len(one["payloads"])] == one["payloads"], session_id


def holds(folder: Path, text: str) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


@pytest.mark.batches(share=0.01, rounds=2)
@pytest.mark.parametrize("name", CASES)
def test_a_command_that_is_killed_is_completed_by_typing_it_again(
    seeded: Path, tmp_path: Path, rng: random.Random, name: str, batch: int
) -> None:
    case, again = CASES[name], CASES[name].again or CASES[name].words
    shell = new_place(seeded, tmp_path / "whole")
    before, begun = kept(shell), time.monotonic()
    done = run(shell, *case.words)
    duration = time.monotonic() - begun
    assert done.code == 0, done.err
    goal, files = kept(shell), outputs(shell)

    for _ in range(2):
        shell = new_place(seeded, tmp_path / "killed")
        command = Command(shell, *case.words)
        told = command.ends_within(rng.uniform(0, duration)) or command.kill()
        assert told.code in {0, KILLED}, told.err

        checked = run(shell, "doctor")
        assert checked.code == 0, checked.out
        if not case.removes:
            assert_stays(before, kept(shell))
        unfinished = outputs(shell)
        assert unfinished == {name: files[name] for name in unfinished}, "a half file has a name"
        completed = run(shell, *again)
        assert completed.code in {0, case.done}, completed.err
        assert without_payloads(kept(shell)) == without_payloads(goal)
        assert outputs(shell) == files
        assert [found for text in case.removes for found in holds(shell.home, text)] == []
        assert run(shell, "doctor").code == 0
