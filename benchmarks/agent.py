"""What an agent's turn costs beside the model: Sojourn's and those of other frameworks, each with durable sessions.

Everybody has the same history, the same questions, a tool that returns the same at once, and a stub for a model that
says the same at once. Timed is one call, from the question to the answer with all of it stored: `agent.ask`,
`Runner.run`, `graph.invoke`.

What is alike: all store on SQLite with the same durability, call tools, and neither search nor learn nor summarise.
What is not: Sojourn streams, holds a lease, notes a tool's start before it runs, stores what each call of the model
took, and builds a context within a budget of 32,000 tokens. The others show their model the whole history, which grows;
openai-agents is therefore also run with a limit to its last items. Sojourn's default settings, which search, learn and
summarise, have rows of their own.

`make bench-agent` takes several minutes, nearly all of them LangGraph's; ARGS="--quick --json" takes about one and
prints JSON. docs/reference/benchmarks.md says what each figure means.
"""

import asyncio
import itertools
import sys
import time
from collections.abc import Sequence
from contextlib import aclosing, redirect_stdout
from pathlib import Path
from typing import Any, Final, NamedTuple

import agent_sojourn
from agent_contestant import Contestant, Live
from agent_figures import OPENAI, Measured, Spot, make_detail, make_figures, make_tables
from agent_peers import LangGraph, load_peers
from agent_sojourn import STREAMED, LiveSojourn
from agent_talk import Turn, history, turns
from report import Report, describe_machine, note, parse_arguments, publish, scratch
from rounds import Case, Sample, alternate, summarise

SMALL: Final = 100
LARGE: Final = 2_000
LARGEST: Final = 10_000
TOOLS: Final = 5
_COPIES: Final = {SMALL: 8}
"""So many conversations take turns, so that a small one stays small."""
_PACKAGES: Final = ("openai-agents", "langgraph", "langgraph-prebuilt", "langgraph-checkpoint-sqlite")


class Plan(NamedTuple):
    """How often. What no figure compares takes part in every so many rounds, and so does LangGraph with a long history:
    a turn of it takes a second."""

    rounds: int
    beside: int
    slow: int
    first_texts: int


FULL: Final = Plan(rounds=100, beside=4, slow=10, first_texts=200)
QUICK: Final = Plan(rounds=24, beside=4, slow=8, first_texts=60)


class Entered(NamedTuple):
    """A contestant at one spot: its conversations, and how it came through."""

    spot: Spot
    agents: Sequence[Live]
    case: Case
    behind: list[float]
    asked: list[Turn]


async def measure(plan: Plan, contestants: Sequence[Contestant], folder: Path) -> Measured:
    """Fill the files and take every measurement."""
    note("filling files")
    entered = [await _enter(one, spot, folder, plan) for one in contestants for spot in _spots(one)]
    note("asking")
    # Every conversation has had a turn before one is timed: the first reads what the others know.
    samples = await alternate(
        [one.case for one in entered], rounds=plan.rounds, warm_up=max(len(one.agents) for one in entered)
    )
    for one in entered:
        await _check(one)
    note("waiting for the first text")
    streamed = next(one for one in entered if one.spot == Spot(STREAMED, LARGE, 0))
    first, before = await _first_texts(streamed, plan.first_texts)
    for contestant in contestants:
        await contestant.close()
    return Measured(
        about={one.name: one.about for one in contestants},
        turns={one.spot: samples[one.case.name] for one in entered},
        behind={one.spot: summarise(one.behind) for one in entered if one.spot.name.startswith("Sojourn")},
        first_text=first,
        before_model=before,
    )


def _spots(contestant: Contestant) -> list[Spot]:
    """Return at which sizes, and with how many calls of tools, a contestant takes part."""
    sizes, calls = (SMALL, LARGE), (0, TOOLS)
    if contestant.name == agent_sojourn.PLAIN:
        sizes = (SMALL, LARGE, LARGEST)
    elif contestant.name.startswith(agent_sojourn.PLAIN):
        calls = (0,)
    return [Spot(contestant.name, size, number) for size in sizes for number in calls]


async def _enter(contestant: Contestant, spot: Spot, folder: Path, plan: Plan) -> Entered:
    note(f"  {spot.name}: {spot.messages:,} messages, {spot.tools} tool calls")
    copies = _COPIES.get(spot.messages, 1)
    agents = await contestant.open(folder, messages=spot.messages, tools=spot.tools > 0, copies=copies)
    script, whose = turns(tools=spot.tools), itertools.cycle(agents)
    behind: list[float] = []
    asked: list[Turn] = []

    def prepare() -> tuple[Live, Any]:
        live = next(whose)
        asked.append(next(script))
        return live, live.prepare(asked[-1])

    async def ask(prepared: tuple[Live, Any]) -> tuple[Live, str]:
        live, question = prepared
        return live, await live.ask(question)

    async def finish(done: tuple[Live, str]) -> None:
        live, answer = done
        assert answer == asked[-1].answer
        began = time.perf_counter()
        await live.settle()
        behind.append(time.perf_counter() - began)

    case = Case(name=str(spot), act=ask, prepare=prepare, finish=finish, every=_every(spot, plan))
    return Entered(spot, agents, case, behind, asked)


def _every(spot: Spot, plan: Plan) -> int:
    """Return in every how many rounds a contestant takes part at this spot."""
    if spot.name == LangGraph.name and spot.messages > SMALL:
        return plan.slow
    return 1 if spot.name in (agent_sojourn.PLAIN, OPENAI, LangGraph.name) else plan.beside


async def _check(entered: Entered) -> None:
    """Make sure that every conversation has stored what was said in it."""
    spoken = history(entered.spot.messages) * len(entered.agents)
    stored = [await live.count() for live in entered.agents]
    questions = sum(said.kind == "user" for said in spoken) + len(entered.asked)
    results = sum(said.kind == "result" for said in spoken) + sum(len(turn.calls) for turn in entered.asked)
    assert (sum(one for one, _ in stored), sum(one for _, one in stored)) == (questions, results), entered.spot


async def _first_texts(entered: Entered, count: int) -> tuple[Sample, Sample]:
    """Time from a model's first piece of text until it is with who called `send`; and from the call to the model."""
    live = entered.agents[0]
    assert isinstance(live, LiveSojourn)
    first: list[float] = []
    before: list[float] = []
    for turn in itertools.islice(turns(tools=0), count):
        question = live.prepare(turn)
        began, heard = time.perf_counter(), None
        async with aclosing(live.agent.send(question)) as pieces:
            async for _ in pieces:
                heard = heard or time.perf_counter()
        assert heard is not None
        assert live.model.first_at is not None
        assert live.model.asked_at is not None
        first.append(heard - live.model.first_at)
        before.append(live.model.asked_at - began)
        await live.settle()
    return summarise(first), summarise(before)


def main() -> None:
    """Run the benchmark as the command line says."""
    arguments = parse_arguments("What an agent's turn costs beside the model: Sojourn and other frameworks.")
    stdout = sys.stdout
    machine = describe_machine(arguments.directory, _PACKAGES)
    # stdout is for the report; whatever a peer prints goes elsewhere.
    with redirect_stdout(sys.stderr), scratch(arguments.directory) as folder:
        note("importing the peers")
        contestants: list[Contestant] = [*load_peers(), *agent_sojourn.contestants()]
        found = asyncio.run(measure(QUICK if arguments.quick else FULL, contestants, folder))
    report = Report(
        benchmark="agent",
        quick=arguments.quick,
        figures=make_figures(found, small=SMALL, large=LARGE, largest=LARGEST),
        tables=make_tables(found),
        detail=make_detail(found),
        machine=machine,
    )
    publish(report, as_json=arguments.as_json, stdout=stdout)


if __name__ == "__main__":
    main()
