"""What the model sees: does a context hold what answers the question, what does it save, and what does it cost.

`make bench-context ARGS="--data DIR"` runs all of it; `--quick --json` takes about a minute and prints JSON. The
conversations belong to others and are read in place. docs/reference/benchmarks.md says what each figure means.
"""

import asyncio
import logging
import platform
import sys
from pathlib import Path
from typing import Any, Final

import context_conversations
import context_scale
from report import Figure, Report, Table, Target, note, parse_arguments, publish

DATA: Final = Path(__file__).parents[2] / "shared" / "data"
WHERE_FROM: Final = (
    "The conversations are not here, so only what needs none is measured. LoCoMo: github.com/snap-research/locomo (CC"
    " BY-NC 4.0). Give its folder with --data DIR."
)


def _at_most(bound: float) -> Target:
    return Target(relation="<=", bound=bound)


def _at_least(bound: float) -> Target:
    return Target(relation=">=", bound=bound)


FIGURES: Final[dict[str, tuple[str, Target | None]]] = {
    "evidence_recall_1000": ("share of the evidence that is, to the letter, in a context of 1,000 tokens", None),
    "evidence_recall_2000": ("the same at 2,000 tokens", _at_least(0.80)),
    "evidence_recall_4000": ("the same at 4,000 tokens", None),
    "all_evidence_2000": ("share of questions with all of their evidence at 2,000 tokens", None),
    "over_last_n_2000": ("how many times the evidence that the last messages hold at 2,000 tokens", _at_least(2.5)),
    "tokens_saved": ("tokens saved at 2,000, compared with the whole history", _at_least(0.85)),
    "context_precision": ("share of the messages found that are of a day of the evidence", None),
    "recall_after_compaction_delta": ("change of the recall at 2,000 after the older messages are summarised", None),
    "build_p50_ms": ("building a context of 8,000 tokens without a search", _at_most(5)),
    "build_growth": ("the same with 100,000 messages and 10,000 facts, over 1,000 and 100", _at_most(1.2)),
    "build_with_search_1k_p50_ms": ("building with a search, sessions of 400 to 700 messages", _at_most(35)),
    "build_with_search_100k_p50_ms": ("building with a search over 100,000 messages", _at_most(60)),
    "shared_prefix": ("share of a context of 32,000 tokens that is the beginning of the one before", _at_least(0.80)),
}


async def _measured(data: Path | None, *, quick: bool) -> dict[str, dict[str, Any]]:
    parts: dict[str, dict[str, Any]] = {}
    if data is not None:
        note("measuring conversations ...")
        parts["conversations"] = await context_conversations.measure(data, quick=quick, note=note)
    note("measuring scale ...")
    parts["scale"] = await context_scale.measure(data, quick=quick, note=note)
    return parts


def main(arguments: list[str] | None = None) -> None:
    """Run every part and print the report."""
    logging.basicConfig(level=logging.ERROR)
    asked = parse_arguments("What the model sees: evidence, savings, costs.", arguments)
    data: Path | None = asked.data or DATA
    if not (data / "locomo").is_dir():
        note(WHERE_FROM)
        data = None
    parts = asyncio.run(_measured(data, quick=asked.quick))
    values = {name: value for part in parts.values() for name, value in part["figures"].items()}
    figures = [
        Figure(name=name, value=values.get(name), meaning=meaning, target=target)
        for name, (meaning, target) in FIGURES.items()
    ]
    report = Report(
        benchmark="context",
        quick=asked.quick,
        figures=figures,
        detail={name: part["detail"] for name, part in parts.items()},
        tables=[_baselines(parts["conversations"]["detail"])] if "conversations" in parts else [],
        machine={"python": platform.python_version(), "machine": platform.machine()},
    )
    publish(report, as_json=asked.as_json, stdout=sys.stdout)


def _baselines(detail: dict[str, Any]) -> Table:
    rows = [
        (name, f"{found['evidence_recall']:.3f}", f"{found['tokens']:,.0f}")
        for name, found in detail["baselines"].items()
    ]
    return Table(title="LoCoMo, other ways to choose", columns=("", "evidence", "tokens"), rows=rows)


if __name__ == "__main__":
    main()
