"""Whatever bit of the database is turned, a command does its work or says what is damaged, and never falls over."""

import asyncio
import random
import shutil
from pathlib import Path
from typing import Final

import pytest

import sojourn
from sojourn.engine.project import find_project
from sojourn.store.sql.sqlite_driver import PAGE_BYTES
from tests.cli.typed import Typed
from tests.faults.commands import run, store_of
from tests.faults.shell import MODEL, Shell

pytestmark = pytest.mark.timeout(300)

QUIET: Final = sojourn.Settings(learning="off", embeddings="off", summarise_turns_every=None)
COMMANDS: Final = (
    "archive talk-0",
    "chat talk-0",
    "compact talk-0 --keep 2",
    "context talk-0",
    "cost",
    "cost --by session",
    "db backup ../copy.db",
    "db path",
    "db query SELECT(count(*))FROM(journal)",
    "db rebuild",
    "db stats",
    "db vacuum",
    "delete talk-0",
    "diff talk-0 branch",
    "doctor",
    "doctor --repair",
    "export --all -o ../out",
    "export talk-0 -f json",
    "facts",
    "facts add talk-1-is-about-whales --session talk-1",
    "focus --session talk-0",
    "forget message 2 --session talk-0 --yes",
    "fork talk-0",
    "ls",
    "ls --all --json",
    "merge talk-0 branch --strategy theirs",
    "new",
    "profile",
    "project ls",
    "project relink old-place new-place --yes",
    "prune --older-than 1h --yes",
    "rename talk-0 another",
    "research",
    "rewind talk-0 --to 3",
    "scrub --all --yes",
    "search whale",
    "search whale --json",
    "show talk-0",
    "show talk-0 --json --all",
    "statusline --session talk-0",
    "tag talk-0 sea",
    "tree talk-0",
    "why 2 talk-0",
)
FLIPS: Final = 1


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("whole")
    shell = Shell.at(place)
    shell.home.mkdir()
    asyncio.run(_seed(store_of(shell), find_project(shell.folder).id))
    return place


async def _seed(path: Path, project: str) -> None:
    async with sojourn.open(path, settings=QUIET) as app:
        for number in range(3):
            session = await app.sessions.create(f"talk-{number}", title=f"Talk {number}", project=project)
            said = await session.messages.user(f"whale {number} my password: correct-horse-9, please")
            for turn in range(5):
                await session.messages.assistant(f"Answer {turn}: the ferry leaves at nine.")
                await session.messages.user(f"And then? {turn}")
            await session.facts.learn(f"whale {number} swims", causes=[said.seq])
        branch = await app.sessions.fork("talk-0", "branch")
        await branch.variables.set("seat", 1)
        await app.memory.rebuild()


def damaged(seeded: Path, place: Path, rng: random.Random) -> Shell:
    """Return a copy of a place, with one bit of its database turned, or with a page of it gone."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(seeded, place)
    shell = Shell(folder=place / "work", home=place / "home")
    path = rng.choice([store_of(shell)] * 3 + [store_of(shell).with_name("sojourn.db.index")])
    data = bytearray(path.read_bytes())
    at = rng.randrange(len(data))
    if rng.random() < 0.3:
        page = at // PAGE_BYTES * PAGE_BYTES
        data[page : page + PAGE_BYTES] = rng.randbytes(PAGE_BYTES)
    else:
        data[at] ^= 1 << rng.randrange(8)
    path.write_bytes(data)
    print(f"damaged {path.name} at {at}")  # noqa: T201 - shown when it fails
    return shell


def assert_told(told: Typed, words: list[str]) -> None:
    """Fail unless the command did its work, or said that something is damaged and who knows more of it."""
    everything = told.out + told.err
    assert told.code in {0, 3, 5}, f"{words}: {told}"
    assert "Traceback" not in everything, f"{words}: {told}"
    if told.code == 5 and words[0] not in {"doctor", "db"}:
        assert "doctor" in everything, f"{words}: {told}"
    if told.code == 5 and "--json" not in words:
        assert told.err.count("error: ") == 1, f"{words}: {told}"


@pytest.mark.batches(share=0.005, rounds=1)
@pytest.mark.parametrize("typed", COMMANDS)
def test_a_damaged_database_is_named_or_does_no_harm(
    seeded: Path, tmp_path: Path, rng: random.Random, typed: str, batch: int
) -> None:
    words = typed.split()
    for _ in range(FLIPS):
        shell = damaged(seeded, tmp_path / "damaged", rng)
        more = MODEL if words[0] == "chat" else ()

        assert_told(run(shell, *words, *more, says="Hello.\n" if more else ""), words)
