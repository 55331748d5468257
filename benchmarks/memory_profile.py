"""How well what people state about themselves is read by rules alone: precision, recall, false statements, speed.

Four measurements:

* **Labelled sentences** (`personaext/personaext_dev.jsonl` in the data folder; skipped without it). A statement is
  *confirmed* if its field is that of the label and its value shares a content word with the labelled object, both
  without endings. Recall is the share of labelled sentences with a confirmed statement, though many a label is not
  stated at all ("just walked my dog": likes dogs). A sentence may also state more than its label, so a statement that
  is not confirmed need not be wrong: a sample, drawn by hash, was judged by hand, with more of half 0 where
  something is shown rather than told, and the verdicts are in `written/reviewed_profile.json` by the hashes of
  sentence, field and value. Precision is
  (confirmed + unconfirmed * share of the judged that are right) / all. Figures are given for two halves by hash;
  patterns were written with an eye on half 0, and nothing of half 1 but what the judged sample shows.
* **Written exchanges** (`written/profile_*.jsonl`), for the fields that no public set labels. The part `check` was not
  looked at while patterns were written.
* **Text that states nothing about its writer**: the written negatives, questions, and answers of assistants pasted as
  if a user had said them (`longmemeval` in the data folder). Every statement there is false.
* **Speed**: the median time of reading one labelled sentence, or a written one without data.
"""

import json
import re
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from sojourn.memory.extraction.rules.profile import About, statements
from sojourn.memory.extraction.rules.reading import read
from sojourn.memory.extraction.statement import Heard

WRITTEN: Final = Path(__file__).parent / "written"
REVIEWED: Final = WRITTEN / "reviewed_profile.json"
LABELLED: Final = ("name", "location", "occupation", "interests")
OWN: Final = frozenset({"i", "my", "me", "mine", "we", "our", "us"})
"""Labelled subjects that are the speaker; the others are somebody's dog or brother."""
_LIVES: Final = re.compile(r"\b(?:lives?|living|lived|resid(?:e|ing))\b")
_STOPS: Final = frozenset(
    {"a", "an", "the", "of", "my", "in", "at", "on", "to", "for", "with", "and", "i", "is", "am", "are"}
)
_ENDINGS: Final = ("ings", "ing", "ers", "er", "ies", "es", "ed", "s", "y", "e", "i")
SAMPLED: Final = 12
"""One of so many unconfirmed statements is in the sample that is judged by hand."""

Pair = tuple[float, bool]


@dataclass(slots=True)
class Tally:
    """What was counted for one field."""

    labelled: int = 0
    found: int = 0
    stated: int = 0
    confirmed: int = 0
    judged: list[bool] = field(default_factory=list)

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.labelled + other.labelled,
            self.found + other.found,
            self.stated + other.stated,
            self.confirmed + other.confirmed,
            self.judged + other.judged,
        )

    @property
    def recall(self) -> float:
        """The share of what was there that was found."""
        return self.found / self.labelled if self.labelled else 1.0

    @property
    def precision(self) -> float:
        """The share of what was said that is right, as far as labels and judged samples tell."""
        if not self.stated:
            return 1.0
        unconfirmed = self.stated - self.confirmed
        share = sum(self.judged) / len(self.judged) if self.judged else 0.0
        return (self.confirmed + unconfirmed * share) / self.stated

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and what follows from them."""
        return {
            "precision": round(self.precision, 4),
            "recall": round(self.recall, 4),
            "labelled": self.labelled,
            "stated": self.stated,
            "confirmed": self.confirmed,
            "judged": len(self.judged),
            "judged_right": sum(self.judged),
        }


def measure(data: Path | None, *, quick: bool) -> dict[str, Any]:
    """Measure; *data* is the folder with the data sets, of which those that are there are used."""
    pairs: list[Pair] = []
    tallies, speeds = _labelled(data, quick=quick, pairs=pairs)
    written = _written(pairs)
    false, messages = _false(data, quick=quick)
    if not speeds:
        speeds = [_timed(record["user"])[1] for _, record in _records()]
    fields = (
        {name: tallies[0].get(name, Tally()) + tallies[1].get(name, Tally()) for name in LABELLED} if tallies else {}
    )
    precisions = [tally.precision for tally in fields.values()]
    precisions += [parts["tune"].precision for parts in written.values()] + [
        parts["check"].precision for parts in written.values()
    ]
    figures: dict[str, float | None] = {
        "profile_precision_min": round(min(precisions), 4),
        **{f"recall_{name}": round(fields[name].recall, 4) if fields else None for name in LABELLED},
        "false_per_100": round(100 * false / messages, 3) if messages else None,
    }
    detail = {
        "labelled": {name: tally.to_dict() for name, tally in fields.items()},
        "halves": [{name: tally.to_dict() for name, tally in half.items()} for half in tallies],
        "written": {name: {part: tally.to_dict() for part, tally in parts.items()} for name, parts in written.items()},
        "nothing_stated": {"messages": messages, "statements": false},
        "speed_median_us": round(statistics.median(speeds) * 1e6, 1),
        "speed_p95_us": round(sorted(speeds)[int(len(speeds) * 0.95)] * 1e6, 1),
    }
    return {"figures": figures, "detail": detail, "pairs": pairs}


# --- labelled sentences


def field_of(row: dict[str, str]) -> str | None:
    """Return the profile field that a label speaks of; None if it is of none, or not of the speaker's own."""
    relation = row["relation"]
    if row["subject"] not in OWN:
        return None
    if relation == "name":
        return "name"
    if relation == "live_in_citystatecountry" or (relation == "live_in_general" and _LIVES.search(row["text"])):
        return "location"
    if relation in {"employed_by_general", "employed_by_company", "job_status"}:
        return "occupation"
    return "interests" if relation.startswith(("like_", "favorite_")) else None


def agrees(value: object, labelled: str) -> bool:
    """Tell whether two values share a content word, whatever its ending."""
    return bool(_stems(str(value)) & _stems(labelled))


def key_of(text: str, name: str, value: object) -> str:
    """Return the name under which the verdict on a statement is kept; it tells nothing of the sentence."""
    sentence = sha256(text.encode()).hexdigest()[:16]
    return f"{sentence}:{name}:{sha256(str(value).casefold().encode()).hexdigest()[:12]}"


def half_of(text: str) -> int:
    """Return in which half of the sentences this one is."""
    return sha256(text.encode()).digest()[30] % 2


def is_sampled(key: str) -> bool:
    """Tell whether the statement belongs to the sample that is judged by hand."""
    return sha256(f"sample {key}".encode()).digest()[0] % SAMPLED == 0


def rows(data: Path | None) -> list[dict[str, str]]:
    """Return the labelled sentences, none if they are not there."""
    path = data / "personaext" / "personaext_dev.jsonl" if data else None
    if path is None or not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _labelled(data: Path | None, *, quick: bool, pairs: list[Pair]) -> tuple[list[dict[str, Tally]], list[float]]:
    verdicts: dict[str, bool] = json.loads(REVIEWED.read_text(encoding="utf-8")) if REVIEWED.exists() else {}
    halves: list[dict[str, Tally]] = [defaultdict(Tally), defaultdict(Tally)]
    speeds = []
    found = rows(data)
    for row in found[:: 8 if quick else 1]:
        about, seconds = _timed(row["text"])
        speeds.append(seconds)
        tally = halves[half_of(row["text"])]
        expected = field_of(row)
        if expected:
            tally[expected].labelled += 1
            tally[expected].found += any(
                said.field == expected and not said.removes and agrees(said.value, row["object"])
                for said in about.profile
            )
        for said in about.profile:
            if said.removes or said.field not in LABELLED:
                continue
            tally[said.field].stated += 1
            key = key_of(row["text"], said.field, said.value)
            if said.field == expected and agrees(said.value, row["object"]):
                tally[said.field].confirmed += 1
                if is_sampled(key):
                    pairs.append((said.confidence, True))
            elif key in verdicts:
                tally[said.field].judged.append(verdicts[key])
                if is_sampled(key):
                    pairs.append((said.confidence, verdicts[key]))
    return ([dict(half) for half in halves] if found else []), speeds


def _timed(text: str) -> tuple[About, float]:
    start = time.perf_counter()
    about = statements(read(Heard(role="user", text=text)))
    return about, time.perf_counter() - start


def _stems(text: str) -> set[str]:
    return {_stem(word) for word in re.findall(r"[a-z0-9']+", text.lower()) if word not in _STOPS}


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


# --- written exchanges


def _records() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(WRITTEN.glob("profile_*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield path.stem.removeprefix("profile_"), json.loads(line)


def heard_before(record: dict[str, Any]) -> tuple[Heard, ...]:
    """Return the messages before that of a written exchange."""
    return tuple(Heard(role=message["role"], text=message["text"]) for message in record.get("before", ()))


def stated(name: str, about: About) -> list[tuple[str, float]]:
    """Return what is stated of a field, or in facts, with its confidence."""
    if name == "facts":
        return [(f"{fact.value} {fact.content}", fact.confidence) for fact in about.facts if not fact.removes]
    return [(str(said.value), said.confidence) for said in about.profile if said.field == name and not said.removes]


def _written(pairs: list[Pair]) -> dict[str, dict[str, Tally]]:
    tallies: dict[str, dict[str, Tally]] = defaultdict(lambda: {"tune": Tally(), "check": Tally()})
    for name, record in _records():
        about = statements(read(Heard(role="user", text=record["user"])), heard_before(record))
        tally = tallies[name][record["part"]]
        expected = [str(item["value"]) for item in record["expect"]]
        values = stated(name, about)
        tally.labelled += len(expected)
        tally.found += sum(any(_is_value(value, wanted, name) for value, _ in values) for wanted in expected)
        tally.stated += len(values)
        for value, confidence in values:
            right = any(_is_value(value, wanted, name) for wanted in expected)
            tally.confirmed += right
            pairs.append((confidence, right))
    return dict(tallies)


def _is_value(value: str, wanted: str, name: str) -> bool:
    if name == "facts":
        return wanted.casefold() in value.casefold()
    if name == "current_project":
        return value.casefold() == wanted.casefold() or len(_stems(value) & _stems(wanted)) * 3 >= 2 * len(
            _stems(wanted) | _stems(value)
        )
    return value.casefold() == wanted.casefold()


# --- text that states nothing


def _false(data: Path | None, *, quick: bool) -> tuple[int, int]:
    """Return how many statements were found in how many messages that state nothing about their writer."""
    false = messages = 0
    for name, record in _records():
        if not record["expect"]:
            about = statements(read(Heard(role="user", text=record["user"])), heard_before(record))
            false += len(stated(name, about))
            messages += 1
    for text in _pasted(data, quick=quick):
        about = statements(read(Heard(role="user", text=text)))
        false += sum(not said.removes for said in about.profile) + sum(not fact.removes for fact in about.facts)
        messages += 1
    return false, messages


def _pasted(data: Path | None, *, quick: bool) -> Iterator[str]:
    path = data / "longmemeval" / "longmemeval_oracle_dev.json" if data else None
    if path is None or not path.exists():
        return
    for number, item in enumerate(json.loads(path.read_text(encoding="utf-8"))):
        if quick and number % 5:
            continue
        yield item["question"]
        for session in item["haystack_sessions"]:
            yield from (turn["content"] for turn in session if turn["role"] == "assistant")


def main() -> None:
    """Measure with the data folder that is given, and print the figures and what is behind them."""
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    result = measure(Path(arguments[0]) if arguments else None, quick="--quick" in sys.argv)
    result["detail"]["confidences"] = _bins(result.pop("pairs"))
    print(json.dumps(result, indent=2))


def _bins(pairs: list[Pair]) -> dict[str, Any]:
    """Return, for ten bins of confidence, how much was said and how much of it was right, and the mean gap."""
    bins: dict[int, list[Pair]] = defaultdict(list)
    for pair in pairs:
        bins[min(9, int(pair[0] * 10))].append(pair)
    gap = sum(abs(sum(c for c, _ in bin_) - sum(r for _, r in bin_)) for bin_ in bins.values()) / max(1, len(pairs))
    rows_ = {
        f"{number / 10:.1f}": (len(bin_), round(sum(r for _, r in bin_) / len(bin_), 3))
        for number, bin_ in sorted(bins.items())
    }
    return {"bins": rows_, "calibration_error": round(gap, 4), "families": len(Counter(c for c, _ in pairs))}


if __name__ == "__main__":
    main()
