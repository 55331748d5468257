"""How well the rules read what is said about the work: facts, decisions, tasks, files, intent and topic.

`written/` has exchanges written for this measurement, each with what should be found in it, and at least as many in
which nothing should be. A statement is right if it says what is expected of the exchange; whatever else is found is
wrong, and so is finding the same thing twice. `optional` expectations may be found and need not be.

Each kind has two files. The rules were tuned on `*_tune`, so its figures say only that nothing broke. Of `*_held` (for
intent written before its rules, for the other kinds when theirs were nearly done) only the totals were looked at, so
its figures are the ones to quote; but its sentences come from the same hand as the rules, and other people's will be
read somewhat worse. Once a miss in `*_held` is looked at and mended, the exchange belongs into `*_tune`.
`fact_precision` is that of `technical_held`.

    python benchmarks/memory_written.py [--quick] [--json] [--wrong tune] [--data shared/data]

With LongMemEval at hand (`--data`), the facts found in its assistants' long general answers are counted as well: there
should be nearly none.
"""

import argparse
import json
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from sojourn.memory.extraction.rules.extractor import RulesExtractor
from sojourn.memory.extraction.statement import (
    DecisionStatement,
    Exchange,
    Extraction,
    FactStatement,
    FileStatement,
    Heard,
    TaskStatement,
)

WRITTEN: Final = Path(__file__).parent / "written"
HALVES: Final = ("tune", "held")
STATEMENTS: Final = ("technical", "decisions", "tasks", "files")
INTENTS: Final = ("question", "command", "research", "chat", "clarification")
LONGMEMEVAL: Final = Path("longmemeval") / "longmemeval_oracle_dev.json"
ANSWERS: Final = 2_000

Row = dict[str, Any]
Pairs = list[tuple[float, bool]]


class Tally:
    """Counts what was right, wrong and missed."""

    def __init__(self) -> None:
        self.right = self.wrong = self.missed = 0

    def as_dict(self) -> dict[str, float | int | None]:
        """Return precision and recall with what they were counted from."""
        said, expected = self.right + self.wrong, self.right + self.missed
        return {
            "precision": round(self.right / said, 3) if said else None,
            "recall": round(self.right / expected, 3) if expected else None,
            "right": self.right,
            "wrong": self.wrong,
            "missed": self.missed,
        }


def measure(data: Path | None, *, quick: bool) -> dict[str, Any]:
    """Return the figures, their detail, and (confidence, right) of every statement made in the held half."""
    extractor = RulesExtractor()
    detail: dict[str, Any] = {}
    pairs: Pairs = []
    for kind in STATEMENTS:
        halves = {half: _statements(extractor, kind, half, pairs if half == "held" else []) for half in HALVES}
        detail[kind] = {half: tally.as_dict() for half, tally in halves.items()}
    detail["intent"] = {half: _intents(extractor, half, pairs if half == "held" else []) for half in HALVES}
    detail["topic"] = {half: _topics(extractor, half).as_dict() for half in HALVES}
    detail["extract_median_us"] = _median_us(extractor, rounds=2 if quick else 10)
    if data is not None and (data / LONGMEMEVAL).exists():
        detail["facts per 100 LongMemEval assistant messages"] = _general(extractor, data, quick=quick)
    return {"figures": {"fact_precision": detail["technical"]["held"]["precision"]}, "detail": detail, "pairs": pairs}


def rows(kind: str, half: str) -> list[Row]:
    """Return the exchanges of one file."""
    return [json.loads(line) for line in (WRITTEN / f"{kind}_{half}.jsonl").read_text(encoding="utf-8").splitlines()]


def exchange_of(row: Row) -> Exchange:
    """Return the exchange that a row holds."""
    answer = row.get("assistant")
    return Exchange(
        user=Heard(role="user", text=row["user"]),
        assistant=Heard(role="assistant", text=answer) if answer else None,
        tools=tuple(Heard(role="tool", text=text) for text in row.get("tools", ())),
    )


def judged(kind: str, row: Row, extraction: Extraction) -> tuple[list[tuple[Any, bool]], list[Row]]:
    """Return each statement with whether it is right, and the expectations that were not met."""
    statements: dict[str, tuple[Any, ...]] = {
        "technical": tuple(fact for fact in extraction.facts if fact.about != "user"),
        "decisions": extraction.decisions,
        "tasks": extraction.tasks,
        "files": extraction.files,
    }
    open_expectations: list[Row] = list(row["expect"])
    results = []
    for statement in statements[kind]:
        met = next((expected for expected in open_expectations if _MATCHES[kind](statement, expected)), None)
        if met is not None:
            open_expectations.remove(met)
        results.append((statement, met is not None))
    return results, [expected for expected in open_expectations if not expected.get("optional")]


def _fact_matches(fact: FactStatement, expected: Row) -> bool:
    content = fact.content.lower()
    if fact.removes != expected.get("removes", False):
        return False
    return expected.get("value", "").lower() in content and all(word.lower() in content for word in expected["about"])


def _text_matches(statement: DecisionStatement | TaskStatement, expected: Row) -> bool:
    if isinstance(statement, TaskStatement) and statement.done != expected.get("done", False):
        return False
    return expected["has"].lower() in statement.text.lower()


def _file_matches(statement: FileStatement, expected: Row) -> bool:
    return statement.path == expected["path"] and expected["action"] in {"*", statement.action}


_MATCHES: Final[dict[str, Callable[[Any, Row], bool]]] = {
    "technical": _fact_matches,
    "decisions": _text_matches,
    "tasks": _text_matches,
    "files": _file_matches,
}


def _statements(extractor: RulesExtractor, kind: str, half: str, pairs: Pairs) -> Tally:
    tally = Tally()
    for row in rows(kind, half):
        results, missed = judged(kind, row, extractor.read(exchange_of(row)))
        for statement, right in results:
            tally.right += right
            tally.wrong += not right
            pairs.append((statement.confidence, right))
        tally.missed += len(missed)
    return tally


def _intents(extractor: RulesExtractor, half: str, pairs: Pairs) -> dict[str, Any]:
    tallies = {intent: Tally() for intent in INTENTS}
    for row in rows("intent", half):
        intent = extractor.read(exchange_of(row)).intent
        assert intent is not None
        right = intent.type == row["expect"]
        tallies[intent.type].right += right
        tallies[intent.type].wrong += not right
        tallies[row["expect"]].missed += not right
        pairs.append((intent.confidence, right))
    return {intent: tally.as_dict() for intent, tally in tallies.items()}


def _topics(extractor: RulesExtractor, half: str) -> Tally:
    tally = Tally()
    for row in rows("topic", half):
        topic = extractor.read(exchange_of(row)).topic
        right = topic is not None and topic.lower() in {accepted.lower() for accepted in row["expect"]}
        tally.right += right
        tally.wrong += topic is not None and not right
        tally.missed += bool(row["expect"]) and not right
    return tally


def _median_us(extractor: RulesExtractor, *, rounds: int) -> float:
    """Return the median time for one message, everything that is looked for together."""
    exchanges = [
        exchange_of(row) for kind in (*STATEMENTS, "intent", "topic") for half in HALVES for row in rows(kind, half)
    ]
    taken = []
    for _ in range(rounds):
        for exchange in exchanges:
            start = time.perf_counter_ns()
            extractor.read(exchange)
            messages = 1 + (exchange.assistant is not None) + len(exchange.tools)
            taken.append((time.perf_counter_ns() - start) / 1_000 / messages)
    return round(statistics.median(taken), 1)


def general_answers(data: Path, *, limit: int) -> Iterator[tuple[str, str]]:
    """Yield question and answer of LongMemEval's sessions, each session once."""
    seen: set[str] = set()
    count = 0
    for sample in json.loads((data / LONGMEMEVAL).read_text(encoding="utf-8")):
        for session_id, turns in zip(sample["haystack_session_ids"], sample["haystack_sessions"], strict=True):
            if session_id in seen:
                continue
            seen.add(session_id)
            for asked, answered in pairwise(turns):
                if asked["role"] == "user" and answered["role"] == "assistant":
                    yield asked["content"], answered["content"]
                    count += 1
                    if count == limit:
                        return


def _general(extractor: RulesExtractor, data: Path, *, quick: bool) -> float:
    found = answers = 0
    for asked, answered in general_answers(data, limit=200 if quick else ANSWERS):
        extraction = extractor.read(exchange_of({"user": asked, "assistant": answered}))
        found += sum(fact.trust == "assistant" and fact.about != "user" for fact in extraction.facts)
        answers += 1
    return round(100 * found / answers, 2) if answers else 0.0


def _show_wrong(half: str) -> None:
    """Print what was wrong and what was missed in one half, for the one who tunes."""
    extractor = RulesExtractor()
    for kind in STATEMENTS:
        for row in rows(kind, half):
            results, missed = judged(kind, row, extractor.read(exchange_of(row)))
            for statement, right in results:
                if not right:
                    print(f"{kind} WRONG {row['user']!r}\n    {statement}")
            for expected in missed:
                print(f"{kind} MISSED {row['user']!r} {row.get('assistant', '')!r}\n    {expected}")
    confused: Counter[str] = Counter()
    for row in rows("intent", half):
        intent = extractor.read(exchange_of(row)).intent
        if intent is not None and intent.type != row["expect"]:
            confused[f"{row['expect']} read as {intent.type}: {row['user']!r}"] += 1
    for row in rows("topic", half):
        topic = extractor.read(exchange_of(row)).topic
        if (topic or "").lower() not in {accepted.lower() for accepted in row["expect"] or [""]}:
            confused[f"topic {topic!r} of {row['user']!r}"] += 1
    print("\n".join(confused))


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--wrong", choices=HALVES, help="print what is wrong and missed in this half")
    parser.add_argument("--data", type=Path, default=None)
    arguments = parser.parse_args()
    if arguments.wrong:
        _show_wrong(arguments.wrong)
        return
    measured = measure(arguments.data, quick=arguments.quick)
    if arguments.json:
        print(json.dumps(measured))
        return
    print(f"fact_precision {measured['figures']['fact_precision']}")
    for kind, detail in measured["detail"].items():
        if not isinstance(detail, dict):
            print(f"{kind:<14} {detail}")
            continue
        for half, figures in detail.items():
            for name, figure in ({"": figures} if "precision" in figures else figures).items():
                print(
                    f"{kind:<10} {half:<5} {name:<14} precision {figure['precision']}  recall {figure['recall']}"
                    f"  ({figure['right']} right, {figure['wrong']} wrong, {figure['missed']} missed)"
                )
    buckets: dict[float, list[bool]] = {}
    for confidence, right in measured["pairs"]:
        buckets.setdefault(confidence, []).append(right)
    for confidence, rights in sorted(buckets.items()):
        print(f"said with {confidence}: {sum(rights)} of {len(rights)} right")


if __name__ == "__main__":
    main()
