"""From measurements of turns to a report: the watched figures with their targets, the tables, and the detail."""

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from report import Figure, Table, Target, format_number, format_seconds
from rounds import Sample

US: Final = "Sojourn"
OPENAI: Final = "openai-agents"
LANGGRAPH: Final = "langgraph"


class Spot(NamedTuple):
    """Who is measured, with how many messages of history, and how many calls of tools in a turn."""

    name: str
    messages: int
    tools: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Everything that one run found out."""

    about: dict[str, str]
    turns: dict[Spot, Sample]
    behind: dict[Spot, Sample]
    first_text: Sample
    before_model: Sample

    def median(self, name: str, messages: int, tools: int = 0) -> float:
        return self.turns[Spot(name, messages, tools)].median

    def over(self, other: str, messages: int, tools: int = 0) -> float:
        """Return how many times *other*'s median ours is."""
        return self.median(US, messages, tools) / self.median(other, messages, tools)


def make_figures(found: Measured, *, small: int, large: int, largest: int) -> list[Figure]:
    """Return the watched figures in a fixed order."""
    growth = found.median(US, largest) / found.median(US, small)
    return [
        _most(f"overhead_over_openai_{small}", found.over(OPENAI, small), 0.33, "a turn, against Runner.run"),
        _most(f"overhead_over_openai_{large}", found.over(OPENAI, large), 0.10, "the same with a longer history"),
        _most(f"overhead_over_langgraph_{large}", found.over(LANGGRAPH, large), None, "against a ReAct agent"),
        _most("overhead_growth", growth, 1.2, f"a turn with {largest:,} messages of history, {small} = 1"),
        _most("first_text_ms", found.first_text.median * 1000, 5, "from the model's first text to who called send"),
    ]


def make_detail(found: Measured) -> dict[str, Any]:
    """Return the absolute numbers behind the figures, and those of the peers."""
    ours = [spot for spot in found.turns if spot.name == US]
    others = [spot for spot in found.turns if not spot.name.startswith(US)]
    return {
        "setup": found.about,
        "turn": [{**spot._asdict(), **sample.to_dict()} for spot, sample in found.turns.items()],
        "behind": [{**spot._asdict(), **sample.to_dict()} for spot, sample in found.behind.items()],
        "ratios": [
            {**spot._asdict(), "overhead_over": round(found.over(*spot), 3)}
            for spot in others
            if Spot(US, *spot[1:]) in ours
        ],
        "first_text": found.first_text.to_dict(),
        "before_model": found.before_model.to_dict(),
    }


def make_tables(found: Measured) -> list[Table]:
    """Return the tables for people."""
    return [_contestants(found), *(_turns(found, tools) for tools in sorted({spot.tools for spot in found.turns}))]


def _most(name: str, value: float, bound: float | None, meaning: str) -> Figure:
    target = None if bound is None else Target(relation="<=", bound=bound)
    return Figure(name=name, value=round(value, 3), meaning=meaning, target=target)


def _contestants(found: Measured) -> Table:
    return Table(title="contestants", columns=("", "set up as"), rows=list(found.about.items()))


def _turns(found: Measured, tools: int) -> Table:
    spots = [spot for spot in found.turns if spot.tools == tools]
    rows = []
    for spot in spots:
        sample, behind = found.turns[spot], found.behind.get(spot)
        rows.append(
            (
                spot.name,
                f"{spot.messages:,}",
                format_seconds(sample.median),
                format_seconds(sample.p95),
                format_number(found.over(*spot)) if not spot.name.startswith(US) else "",
                format_seconds(behind.median) if behind is not None else "",
            )
        )
    return Table(
        title=f"a turn with {tools} tool calls" if tools else "a turn without tools",
        columns=("", "messages", "median", "p95", "ours / it", "behind it"),
        rows=rows,
        notes=("behind it: what Sojourn goes on to do when the answer is there, of which the next turn need not wait",),
    )
