"""From measurements to a report: the watched figures with their targets, the tables, and the detail."""

from dataclasses import dataclass
from typing import Any, Final

from contestant import RECENT
from journal_concurrent import SESSIONS, Throughput
from journal_floor import Floor, ThreadedFloor
from journal_measures import LOOKING, SMALL, Entrant, Pair
from journal_peers import OpenAI
from journal_sojourn import Sojourn
from report import Figure, Table, Target, format_bytes, format_number, format_seconds
from rounds import Sample

US: Final = Sojourn.name
FLOOR: Final = Floor.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Everything that one run found out; the keys are the contestants' names."""

    entrants: list[Entrant]
    append: dict[str, Pair]
    written: dict[str, float | None]
    last: dict[str, Sample]
    opening: dict[str, Sample]
    on_open_stores: dict[str, Sample]
    concurrent: dict[str, Throughput]
    stored: dict[str, float]


def make_figures(found: Measured) -> list[Figure]:
    """Return the watched figures in a fixed order."""
    ours, floor, openai = found.append[US], found.append[FLOOR], found.append[OpenAI.name]
    fork = max(sample.median for name, sample in found.opening.items() if name.startswith("fork/"))
    small, large = (found.opening[f"{US}/{size}"].median for size in ("small", "large"))
    group, bare = found.concurrent["Sojourn"], found.concurrent["bare group commit"]
    return [
        _most("append_over_floor", ours.large.median / floor.large.median, 1.6, "a turn, against hand-written SQLite"),
        _most("append_over_openai", ours.large.median / openai.large.median, 1.0, "a turn, against SQLiteSession"),
        _most("append_growth", ours.large.median / ours.small.median, 1.15, "a turn in the large session, small = 1"),
        _most("bytes_per_turn", found.written[US], 24 * 1024, "written by a turn, snapshots and checkpoints included"),
        _least("turns_per_commit", group.turns_per_commit, 16, f"{SESSIONS} sessions at once"),
        _least(
            "concurrent_over_raw", group.turns_per_second / bare.turns_per_second, 0.6, "against a bare group commit"
        ),
        _most("fork_over_resume", fork / small, 3, "the worst fork of the large session, resume of the small = 1"),
        _most("resume_growth", large / small, 2, "resume of the large session, small = 1"),
        _most("last20_over_floor", found.last[US].median / found.last[FLOOR].median, 2, "against a bare SELECT"),
        Figure(
            name="bytes_per_message", value=round(found.stored[US], 1), meaning="on disk, usage and snapshots included"
        ),
    ]


def make_detail(found: Measured) -> dict[str, Any]:
    """Return the absolute numbers behind the figures, and those of the peers."""
    return {
        "messages": {one.name: {"small": SMALL, "large": one.large} for one in found.entrants},
        "setup": {one.name: one.contestant.about for one in found.entrants},
        "append": {name: _pair(pair) for name, pair in found.append.items()},
        "bytes_per_turn": {
            one.name: {"turns": one.bytes_turns, "bytes": found.written[one.name]} for one in found.entrants
        },
        "last_messages": {name: sample.to_dict() for name, sample in found.last.items()},
        "opening": {name: sample.to_dict() for name, sample in found.opening.items()},
        "on_open_stores": {name: sample.to_dict() for name, sample in found.on_open_stores.items()},
        "concurrent": {name: throughput._asdict() for name, throughput in found.concurrent.items()},
        "bytes_per_message": found.stored,
        "ratios": _ratios(found),
    }


def make_tables(found: Measured) -> list[Table]:
    """Return the tables for people."""
    return [_contestants(found), _appends(found), _readings(found), _openings(found), _concurrency(found)]


def _most(name: str, value: float | None, bound: float, meaning: str) -> Figure:
    return Figure(name=name, value=_rounded(value), meaning=meaning, target=Target(relation="<=", bound=bound))


def _least(name: str, value: float, bound: float, meaning: str) -> Figure:
    return Figure(name=name, value=_rounded(value), meaning=meaning, target=Target(relation=">=", bound=bound))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _pair(pair: Pair) -> dict[str, Any]:
    growth = round(pair.large.median / pair.small.median, 3)
    return {"small": pair.small.to_dict(), "large": pair.large.to_dict(), "growth": growth}


def _ratios(found: Measured) -> dict[str, float]:
    """Return comparisons that are worth a look but have no target."""
    ours, threaded = found.append[US], found.append[ThreadedFloor.name]
    warm = found.on_open_stores
    worst = max(sample.median for name, sample in warm.items() if name.startswith("fork/"))
    ratios = {
        "append_over_floor_small": ours.small.median / found.append[FLOOR].small.median,
        "append_and_state_over_floor": found.append[LOOKING].large.median / found.append[FLOOR].large.median,
        "append_over_threaded_floor": ours.large.median / threaded.large.median,
        "last20_over_threaded_floor": found.last[US].median / found.last[ThreadedFloor.name].median,
        "resume_growth_closed": found.opening["closed/large"].median / found.opening["closed/small"].median,
        "resume_growth_warm": warm["resume/large"].median / warm["resume/small"].median,
        "fork_over_resume_warm": worst / warm["resume/small"].median,
    }
    return {name: round(value, 3) for name, value in ratios.items()}


def _contestants(found: Measured) -> Table:
    rows = [(one.name, f"{one.large:,}", one.contestant.about) for one in found.entrants]
    return Table(title="contestants", columns=("", "messages", "set up as"), rows=rows)


def _appends(found: Measured) -> Table:
    rows = []
    sizes = {one.name: one.large for one in found.entrants}
    for name, pair in found.append.items():
        rows.append(
            (
                name,
                f"{sizes.get(name, sizes[US]):,}",
                format_seconds(pair.small.median),
                format_seconds(pair.large.median),
                format_seconds(pair.large.mean),
                format_seconds(pair.large.p95),
                format_number(pair.large.median / pair.small.median),
                format_bytes(found.written.get(name)),
                format_bytes(found.stored.get(name)),
            )
        )
    return Table(
        title=f"append one turn to a session of {SMALL} messages and to a large one",
        columns=("", "large", "small", "large", "mean", "p95", "growth", "written/turn", "file/message"),
        rows=rows,
        notes=("small, large: medians; mean and p95 at the large size; growth: large over small",),
    )


def _readings(found: Measured) -> Table:
    floor = found.last[FLOOR].median
    rows = [
        (name, format_seconds(sample.median), format_seconds(sample.p95), format_number(sample.median / floor))
        for name, sample in found.last.items()
    ]
    title = f"read the last {RECENT} messages of the large session"
    return Table(title=title, columns=("", "median", "p95", "over floor"), rows=rows)


def _openings(found: Measured) -> Table:
    cold, warm = found.opening, found.on_open_stores
    rows = [_opening(one.name, cold[f"{one.name}/small"], cold[f"{one.name}/large"]) for one in found.entrants]
    rows.append(_opening(f"{US}, closed properly", cold["closed/small"], cold["closed/large"]))
    rows.append(_opening(f"{US}, store open", warm["resume/small"], warm["resume/large"]))
    for name in ("fork/head", "fork/middle", "fork/first percent"):
        rows.append(_opening(f"{US}, {name.replace('/', ' at its ')}", None, cold[name]))
        rows.append(_opening(f"{US}, {name.replace('/', ' at its ')}, store open", None, warm[name]))
    return Table(
        title="resume, or fork, until a program can go on",
        columns=("", f"{SMALL} messages", "large", "growth"),
        rows=rows,
    )


def _opening(name: str, small: Sample | None, large: Sample) -> tuple[str, str, str, str]:
    growth = large.median / small.median if small else None
    return name, format_seconds(small.median if small else None), format_seconds(large.median), format_number(growth)


def _concurrency(found: Measured) -> Table:
    rows = [
        (name, format_number(throughput.turns_per_second), format_number(throughput.turns_per_commit))
        for name, throughput in found.concurrent.items()
    ]
    title = f"{SESSIONS} sessions append at once"
    return Table(title=title, columns=("", "turns/s", "turns/commit"), rows=rows)
