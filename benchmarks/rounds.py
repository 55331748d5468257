"""Timing in rounds: each round times every case once, in a new random order, so that all of them see the same noise.

What a case prepares and tidies up is not timed. A slow case may sit out most rounds.
"""

import gc
import random
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One thing to time: *act* gets what *prepare* returned, and *finish* gets what *act* returned."""

    name: str
    act: Callable[[Any], Awaitable[Any]]
    prepare: Callable[[], Any] | None = None
    finish: Callable[[Any], Awaitable[None]] | None = None
    every: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Durations of one case, in seconds."""

    median: float
    mean: float
    p95: float
    rounds: int

    def to_dict(self) -> dict[str, float]:
        """Return the sample for a report's detail, in microseconds."""
        micros = {name: round(getattr(self, name) * 1e6, 2) for name in ("median", "mean", "p95")}
        return {**{f"{name}_us": value for name, value in micros.items()}, "rounds": self.rounds}


def summarise(durations: Sequence[float]) -> Sample:
    """Return the sample that *durations*, in seconds, make."""
    ordered = sorted(durations)
    return Sample(
        median=statistics.median(ordered),
        mean=statistics.fmean(ordered),
        p95=ordered[int(0.95 * (len(ordered) - 1))],
        rounds=len(ordered),
    )


async def alternate(cases: Sequence[Case], *, rounds: int, warm_up: int = 5, seed: int = 1) -> dict[str, Sample]:
    """Time all *cases* in *rounds* rounds, and return a sample for each by its name."""
    durations: dict[str, list[float]] = {case.name: [] for case in cases}
    order, chance = list(cases), random.Random(seed)
    for _ in range(warm_up):
        for case in order:
            if case.every == 1:
                await _time(case)
    # What exists now stays until the end; without this, each full collection would walk through all of the peers.
    gc.collect()
    gc.freeze()
    for number in range(rounds):
        chance.shuffle(order)
        for case in order:
            if number % case.every == 0:
                durations[case.name].append(await _time(case))
    return {name: summarise(taken) for name, taken in durations.items()}


async def _time(case: Case) -> float:
    subject = case.prepare() if case.prepare else None
    begin = time.perf_counter()
    outcome = await case.act(subject)
    taken = time.perf_counter() - begin
    if case.finish:
        await case.finish(outcome)
    return taken
