"""How long a person waits at a terminal: for a command, for a list, for a search, and for the app.

A command is timed as a whole process, from its start to its end, with its output going nowhere. What it is compared
with is a program of ten lines that imports click and nothing else: so much a command in Python costs at least. llm
is the nearest other program that keeps conversations in SQLite.

An answer is printed by a model that answers at once, so that only Sojourn is timed. The first paint is timed on a
pseudo-terminal, from the start of the process until the app shows something, and is compared with a Textual app that
shows one word.

The list is of one project among ten, of 10,000 sessions together; llm shows the last conversations of its log. A search
is timed inside the program, as the app does it, over 100,000 messages that are indexed. The app is Textual's, without a
terminal: it opens a session of 10,000 messages, and one of 100, each until it is painted.

`make bench-terminal` takes several minutes, most of them for filling files; ARGS="--quick --json" takes about one and
prints JSON. docs/reference/benchmarks.md says what each figure means.
"""

import asyncio
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import terminal_app
from agent_talk import history
from report import (
    Figure,
    Report,
    Table,
    Target,
    describe_machine,
    format_number,
    format_seconds,
    note,
    parse_arguments,
    publish,
    scratch,
)
from rounds import Case, Sample, alternate, summarise
from terminal_folders import Folders, fill_talk, make_folders
from terminal_paint import BARE_APP
from terminal_paint import paint as paint_on_terminal

BARE: Final = "click alone, --version"
VERSION: Final = "sojourn --version"
HELP: Final = "sojourn --help"
LIST: Final = "sojourn ls"
LIST_IN_GIT: Final = "sojourn ls, in a git repository"
LLM_VERSION: Final = "llm --version"
LLM_LOGS: Final = "llm logs -n 20"
PRINT: Final = "sojourn -p"
PAINT: Final = "the app, painted"
FIRST_PAINT: Final = "the app on a terminal, until it shows"
BARE_PAINT: Final = "textual alone, until it shows"
LARGE: Final = "open, large"
SMALL: Final = "open, small"
_PEER_EVERY: Final = 4
_PACKAGES: Final = ("click", "textual", "llm", "apsw")


class Plan(NamedTuple):
    """How much, and how often."""

    sessions: int
    logged: int
    searched: int
    long_session: int
    rounds: int
    searches: int
    openings: int


FULL: Final = Plan(10_000, 1_000, 100_000, 10_000, rounds=60, searches=200, openings=20)
QUICK: Final = Plan(2_000, 100, 10_000, 2_000, rounds=12, searches=60, openings=5)


class Measured(NamedTuple):
    """Everything that one run found out."""

    commands: dict[str, Sample]
    search: Sample
    first_search: float
    openings: dict[str, Sample]


async def measure(plan: Plan, folder: Path) -> Measured:
    """Fill the files and take every measurement."""
    note("filling files")
    folders = await make_folders(folder, sessions=plan.sessions, logged=plan.logged)
    talk = folder / "talk.db"
    [large] = await fill_talk(talk, sessions=1, messages=plan.long_session, project=terminal_app.PROJECT.id)
    [small] = await fill_talk(talk, sessions=1, messages=100, project=terminal_app.PROJECT.id)
    note("opening the app")
    openings = await _open_app(plan, talk, large=large, small=small)
    note("running commands")
    cases = [
        *_commands(folders),
        _case(PAINT, [_beside("terminal_app.py"), str(talk), large], folder, {}, every=4),
        *_paints(folders, folder),
    ]
    commands = await alternate(cases, rounds=plan.rounds, warm_up=2)
    note("searching")
    searched = folder / "searched.db"
    size = 1_000
    await fill_talk(searched, sessions=plan.searched // size, messages=size, project=terminal_app.PROJECT.id)
    search, first = await _search(plan, searched)
    return Measured(commands, search, first, openings)


def _commands(folders: Folders) -> list[Case]:
    programs = Path(sys.executable).parent
    ours, llm = str(programs / "sojourn"), str(programs / "llm")
    seen = folders.environment
    return [
        _case(BARE, [str(folders.bare), "--version"], folders.plain, seen),
        _case(VERSION, [ours, "--version"], folders.plain, seen),
        _case(HELP, [ours, "--help"], folders.plain, seen),
        _case(LIST, [ours, "ls"], folders.plain, seen),
        _case(LIST_IN_GIT, [ours, "ls"], folders.git, seen),
        _case(
            PRINT,
            [ours, "-p", "hello", "-m", "scripted:hi", "--store", str(folders.plain / "said.db")],
            folders.plain,
            seen,
        ),
        _case(LLM_VERSION, [llm, "--version"], folders.plain, seen, every=_PEER_EVERY),
        _case(LLM_LOGS, [llm, "logs", "-n", "20"], folders.plain, seen, every=_PEER_EVERY),
    ]


def _paints(folders: Folders, folder: Path) -> list[Case]:
    """Return the first paints of the app, in a new session, and of a Textual app that shows one word."""
    bare = folder / "bare_app.py"
    bare.write_text(BARE_APP)
    ours = str(Path(sys.executable).parent / "sojourn")
    programs = (
        (BARE_PAINT, [str(bare)], b"painted"),
        (FIRST_PAINT, [ours, "-m", "scripted:hi", "--no-session"], b"scripted"),
    )

    async def run(words: Sequence[str], until: bytes, _: Any) -> None:
        paint_on_terminal([sys.executable, *words], until, folder=folders.plain, seen=folders.environment)

    return [Case(name=name, act=partial(run, words, until), every=_PEER_EVERY) for name, words, until in programs]


def _case(name: str, words: Sequence[str], folder: Path, seen: dict[str, str], *, every: int = 1) -> Case:
    """Return a command to time; every program is started by the same interpreter."""

    async def run(_: Any) -> None:
        subprocess.run(  # noqa: ASYNC221 - nothing else is to run meanwhile
            [sys.executable, *words],
            cwd=folder,
            env=seen or None,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    return Case(name=name, act=run, every=every)


def _beside(name: str) -> str:
    return str(Path(__file__).with_name(name))


async def _open_app(plan: Plan, store: Path, *, large: str, small: str) -> dict[str, Sample]:
    async with terminal_app.engine(store) as app:

        async def paint(session_id: str, _: Any) -> None:
            await app.sessions.close()  # what is open already is there at once
            await terminal_app.paint(app, session_id)

        cases = [Case(name=LARGE, act=partial(paint, large)), Case(name=SMALL, act=partial(paint, small))]
        return await alternate(cases, rounds=plan.openings, warm_up=2)


async def _search(plan: Plan, store: Path) -> tuple[Sample, float]:
    """Time searches for two or three words, as the app and the command ask; and what the first one waits for."""
    words = sorted({word.strip(".,;:?!").lower() for said in history(400) for word in said.text.split()})
    chance = random.Random(1)
    taken: list[float] = []
    async with terminal_app.engine(store) as app:
        began = time.perf_counter()
        await app.memory.catch_up()
        first = time.perf_counter() - began
        for _ in range(plan.searches):
            question = " ".join(chance.sample([word for word in words if len(word) > 3], chance.choice((2, 3))))
            began = time.perf_counter()
            found = await app.memory.search(
                question, everyone=True, project=terminal_app.PROJECT.id, kinds=("message",), limit=40
            )
            taken.append(time.perf_counter() - began)
            assert found, question
    return summarise(taken), first


def make_figures(found: Measured) -> list[Figure]:
    """Return the watched figures in a fixed order."""
    bare = found.commands[BARE].median
    growth = found.openings[LARGE].median / found.openings[SMALL].median
    return [
        _most("version_over_click", found.commands[VERSION].median / bare, 1.5, "sojourn --version, click alone = 1"),
        _most("ls_over_click", found.commands[LIST].median / bare, 3, "sojourn ls, click alone = 1"),
        _most("ls_in_git_over_click", found.commands[LIST_IN_GIT].median / bare, 3, "the same in a git repository"),
        _most("ls_over_llm", found.commands[LIST].median / found.commands[LLM_LOGS].median, None, "llm logs = 1"),
        _most("print_over_click", found.commands[PRINT].median / bare, None, "sojourn -p, click alone = 1"),
        _most(
            "first_paint_over_textual",
            found.commands[FIRST_PAINT].median / found.commands[BARE_PAINT].median,
            None,
            "the app on a terminal until it shows, a Textual app of one word = 1",
        ),
        _most("open_growth", growth, 1.5, "the app in a long session, in a short one = 1"),
        _most("search_p50_ms", found.search.median * 1000, 50, "a search inside the program"),
    ]


def make_tables(found: Measured) -> list[Table]:
    """Return the numbers for people."""
    bare = found.commands[BARE].median
    rows = [
        (name, format_seconds(sample.median), format_seconds(sample.p95), format_number(sample.median / bare))
        for name, sample in found.commands.items()
    ]
    inside = [
        (name, format_seconds(sample.median), format_seconds(sample.p95))
        for name, sample in (*found.openings.items(), ("search", found.search))
    ]
    first = f"indexing everything before the first search took {format_seconds(found.first_search)}"
    return [
        Table(title="commands, as whole processes", columns=("", "median", "p95", "click = 1"), rows=rows),
        Table(title="inside the program", columns=("", "median", "p95"), rows=inside, notes=(first,)),
    ]


def make_detail(found: Measured, plan: Plan) -> dict[str, Any]:
    """Return the absolute numbers behind the figures."""
    return {
        "plan": plan._asdict(),
        "commands": {name: sample.to_dict() for name, sample in found.commands.items()},
        "openings": {name: sample.to_dict() for name, sample in found.openings.items()},
        "search": found.search.to_dict(),
        "first_search_seconds": round(found.first_search, 3),
    }


def _most(name: str, value: float, bound: float | None, meaning: str) -> Figure:
    target = None if bound is None else Target(relation="<=", bound=bound)
    return Figure(name=name, value=round(value, 3), meaning=meaning, target=target)


def main() -> None:
    """Run the benchmark as the command line says."""
    arguments = parse_arguments("How long a person waits at a terminal: Sojourn, llm, and a program that does nothing.")
    stdout = sys.stdout
    plan = QUICK if arguments.quick else FULL
    machine = describe_machine(arguments.directory, _PACKAGES)
    with redirect_stdout(sys.stderr), scratch(arguments.directory) as folder:
        found = asyncio.run(measure(plan, folder))
    report = Report(
        benchmark="terminal",
        quick=arguments.quick,
        figures=make_figures(found),
        tables=make_tables(found),
        detail=make_detail(found, plan),
        machine=machine,
    )
    publish(report, as_json=arguments.as_json, stdout=stdout)


if __name__ == "__main__":
    main()
