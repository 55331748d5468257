"""What a turn costs: Sojourn's journal beside the floor that SQLite sets and beside the session layers of frameworks.

`make bench-journal` runs all of it in two to three minutes; ARGS="--quick --json" takes at most one and prints JSON.
docs/reference/benchmarks.md says what each figure means.
"""

import asyncio
import sqlite3
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Final, NamedTuple

import apsw
from contestant import Contestant
from journal_concurrent import measure_concurrent
from journal_figures import Measured, make_detail, make_figures, make_tables
from journal_floor import Floor, ThreadedFloor
from journal_measures import (
    Entrant,
    Files,
    fill,
    measure_append,
    measure_bytes,
    measure_last,
    measure_on_open_stores,
    measure_opening,
)
from journal_peers import Adk, AdvancedOpenAI, LangGraph, load_peers
from journal_sojourn import Sojourn
from report import Report, describe_machine, note, parse_arguments, publish, scratch

_PACKAGES: Final = ("openai-agents", "google-adk", "langgraph", "langgraph-checkpoint-sqlite")


class Plan(NamedTuple):
    """How much of everything. A peer that slows down with its history gets the size that it can bear."""

    large: int
    bearable: dict[str, int]
    append_rounds: int
    read_rounds: int
    open_rounds: int
    concurrent_rounds: int
    concurrent_turns: int
    sit_out: int
    bytes_turns: int
    bytes_turns_slow: int


FULL: Final = Plan(
    large=100_000,
    bearable={AdvancedOpenAI.name: 10_000, Adk.name: 10_000, LangGraph.name: 1_000},
    append_rounds=500,
    read_rounds=400,
    open_rounds=200,
    concurrent_rounds=11,
    concurrent_turns=40,
    sit_out=10,
    bytes_turns=1_000,
    bytes_turns_slow=50,
)
QUICK: Final = Plan(
    large=20_000,
    bearable={AdvancedOpenAI.name: 600, Adk.name: 300, LangGraph.name: 200},
    append_rounds=200,
    read_rounds=100,
    open_rounds=40,
    concurrent_rounds=9,
    concurrent_turns=15,
    sit_out=8,
    bytes_turns=300,
    bytes_turns_slow=20,
)


async def measure(plan: Plan, peers: list[Contestant], folder: Path) -> Measured:
    """Fill the files and take every measurement."""
    files = Files(folder)
    contestants: list[Contestant] = [Sojourn(), Floor(), ThreadedFloor(), *peers]
    entrants = [_enter(contestant, plan) for contestant in contestants]
    note("filling files")
    stored = await fill(entrants, files)
    note("reading the last messages")
    last = await measure_last(entrants, files, rounds=plan.read_rounds)
    note("opening and forking")
    opening = await measure_opening(entrants, files, rounds=plan.open_rounds)
    on_open_stores = await measure_on_open_stores(files, rounds=plan.open_rounds)
    note("appending")
    append = await measure_append(entrants, files, rounds=plan.append_rounds)
    note("counting bytes")
    written = await measure_bytes(entrants, files)
    note("appending to many sessions at once")
    concurrent = await measure_concurrent(folder, rounds=plan.concurrent_rounds, turns=plan.concurrent_turns)
    return Measured(
        entrants=entrants,
        append=append,
        written=written,
        last=last,
        opening=opening,
        on_open_stores=on_open_stores,
        concurrent=concurrent,
        stored=stored,
    )


def _enter(contestant: Contestant, plan: Plan) -> Entrant:
    large = plan.bearable.get(contestant.name)
    if large is None:
        return Entrant(contestant, plan.large, 1, plan.bytes_turns)
    return Entrant(contestant, large, plan.sit_out, plan.bytes_turns_slow)


def main() -> None:
    """Run the benchmark as the command line says."""
    arguments = parse_arguments(
        "What a turn costs: Sojourn's journal, SQLite's floor, and the session layers of peers."
    )
    stdout = sys.stdout
    sqlite = f"{apsw.sqlite_lib_version()} (Sojourn, floors), {sqlite3.sqlite_version} (peers)"
    machine = describe_machine(arguments.directory, _PACKAGES, sqlite=sqlite)
    # stdout is for the report; whatever a peer prints goes elsewhere.
    with redirect_stdout(sys.stderr), scratch(arguments.directory) as folder:
        note("importing the peers")
        found = asyncio.run(measure(QUICK if arguments.quick else FULL, load_peers(), folder))
    report = Report(
        benchmark="journal",
        quick=arguments.quick,
        figures=make_figures(found),
        tables=make_tables(found),
        detail=make_detail(found),
        machine=machine,
    )
    publish(report, as_json=arguments.as_json, stdout=stdout)


if __name__ == "__main__":
    main()
