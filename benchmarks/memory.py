"""What is remembered: is the evidence found, is what was extracted true, and how fast is a search.

`make bench-memory ARGS="--data DIR"` runs all of it; `--quick --json` takes a minute or two and prints JSON. The data
sets belong to others and are read in place. docs/reference/benchmarks.md says what each figure means.
"""

import platform
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import memory_corrections
import memory_profile
import memory_retrieval
import memory_scale
import memory_written
from report import Figure, Report, Table, Target, note, parse_arguments, publish

DATA: Final = Path(__file__).parents[2] / "shared" / "data"
WHERE_FROM: Final = (
    "The data sets are not here, so only what needs none is measured. LoCoMo: github.com/snap-research/locomo (CC BY-NC"
    " 4.0). LongMemEval: github.com/xiaowu0162/LongMemEval (MIT). PersonaExt: the persona extraction set of chat"
    " sentences with labelled triples. Give their folder with --data DIR."
)
BINS: Final = 10


def _at_most(bound: float) -> Target:
    return Target(relation="<=", bound=bound)


def _at_least(bound: float) -> Target:
    return Target(relation=">=", bound=bound)


FIGURES: Final[dict[str, tuple[str, Target | None]]] = {
    "locomo_recall_5": ("share of the evidence among the best 5 turns, LoCoMo", None),
    "locomo_recall_10": ("the same among the best 10", _at_least(0.79)),
    "locomo_recall_20": ("the same among the best 20", _at_least(0.86)),
    "locomo_mrr": ("mean of 1 / place of the first evidence", None),
    "query_p50_ms": ("one search on LoCoMo, the question's embedding included", _at_most(30)),
    "lme_recall_all_5": ("LongMemEval, 50 sessions: all evidence sessions among the best 5", _at_least(0.93)),
    "profile_precision_min": ("the lowest precision of name, location, occupation, interests", _at_least(0.90)),
    "recall_name": ("recall of names by rules, PersonaExt", _at_least(0.85)),
    "recall_location": ("the same for places", _at_least(0.60)),
    "recall_occupation": ("the same for jobs", _at_least(0.60)),
    "recall_interests": ("the same for interests", _at_least(0.60)),
    "false_per_100": ("wrong statements per 100 messages that state nothing about the user", _at_most(1.0)),
    "calibration_error": ("how far confidence is from the share that is right, in ten bins", _at_most(0.08)),
    "fact_precision": ("precision of technical facts on written exchanges", _at_least(0.90)),
    "search_100k_p50_ms": ("a hybrid search over 100,000 documents", _at_most(40)),
    "search_1m_p50_ms": ("the same over 1,000,000", _at_most(150)),
    "index_add_ms": ("adding a document to the full-text index, batched", _at_most(0.3)),
    "corrections_won": ("share of correction dialogues after which the correction holds", _at_least(1.0)),
}


def calibration_error(pairs: Iterable[tuple[float, bool]]) -> float | None:
    """Return the mean distance between confidence and the share that is right, weighted by how often it is used."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for confidence, right in pairs:
        bins[min(int(confidence * BINS), BINS - 1)].append((confidence, right))
    count = sum(map(len, bins))
    if not count:
        return None
    return (
        sum(abs(sum(confidence for confidence, _ in one) - sum(right for _, right in one)) for one in bins if one)
        / count
    )


def main(arguments: list[str] | None = None) -> None:
    """Run every part and print the report."""
    asked = parse_arguments("What is remembered: retrieval, extraction, corrections and scale.", arguments)
    data: Path | None = asked.data or DATA
    if not (data / "locomo").is_dir():
        note(WHERE_FROM)
        data = None
    parts: dict[str, Callable[..., dict[str, Any]]] = {
        "retrieval": memory_retrieval.measure,
        "profile": memory_profile.measure,
        "written": memory_written.measure,
        "corrections": memory_corrections.measure,
        "scale": memory_scale.measure,
    }
    values: dict[str, float | None] = {}
    detail: dict[str, Any] = {}
    pairs: list[tuple[float, bool]] = []
    for name, measure in parts.items():
        if name == "retrieval" and data is None:
            continue
        note(f"measuring {name} ...")
        measured = measure(data, quick=asked.quick)
        values |= measured["figures"]
        detail[name] = measured["detail"]
        pairs += measured.get("pairs", ())
    values["calibration_error"] = calibration_error(pairs)
    figures = [
        Figure(name=name, value=values.get(name), meaning=meaning, target=target)
        for name, (meaning, target) in FIGURES.items()
    ]
    report = Report(
        benchmark="memory",
        quick=asked.quick,
        figures=figures,
        detail=detail,
        tables=[_baselines(detail)] if "retrieval" in detail else [],
        machine={"python": platform.python_version(), "machine": platform.machine()},
    )
    publish(report, as_json=asked.as_json, stdout=sys.stdout)


def _baselines(detail: dict[str, Any]) -> Table:
    baselines: dict[str, dict[str, float]] = detail["retrieval"].get("baselines", {})
    columns = sorted({key for row in baselines.values() for key in row})
    rows = [(name, *[f"{row[key]:.3f}" if key in row else "" for key in columns]) for name, row in baselines.items()]
    return Table(title="LoCoMo, other ways of looking in the same run", columns=("", *columns), rows=rows)


if __name__ == "__main__":
    main()
