"""What is found in messages that nobody has learned from: facts, decisions, tasks and files, to be kept with a summary.

A message that was read before is not read again: a task that was done since would be opened once more.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from sojourn.engine.learner import TIME_LIMIT, FailureHandler, Learner, exchanges_of, log_failure
from sojourn.engine.session import Session
from sojourn.memory.extraction.protocol import StateExtractor
from sojourn.memory.extraction.statement import Exchange, Extraction, Statement
from sojourn.model.entry import Entry
from sojourn.model.events import (
    DecisionMade,
    FactLearned,
    FactReinforced,
    FileTouched,
    IntentClassified,
    ProfileUpdated,
    TaskClosed,
    TaskOpened,
)

_LEARNED: Final = (
    DecisionMade, FactLearned, FactReinforced, FileTouched, IntentClassified, ProfileUpdated, TaskClosed, TaskOpened,
)  # fmt: skip
Stated = TypeVar("Stated", bound=Statement)


class Findings:
    """All that was found. Lives for one append."""

    def __init__(self, found: Sequence[Extraction], *, on_failure: FailureHandler = log_failure) -> None:
        self._found = found
        self._on_failure = on_failure

    async def take_in(self, session: Session, *, limit: int) -> None:
        """Append the surest *limit* of each kind, in the order in which they were said."""
        best = Extraction(
            facts=_best((one for found in self._found for one in found.facts), limit),
            decisions=_best((one for found in self._found for one in found.decisions), limit),
            tasks=_best((one for found in self._found for one in found.tasks), limit),
            files=_best((one for found in self._found for one in found.files if one.action != "mentioned"), limit),
        )
        learner = Learner(_never, on_failure=self._on_failure)
        await learner.take_in(session, best, about=Exchange())


async def read_findings(
    extractor: StateExtractor | None,
    window: Iterable[Entry],
    old: Sequence[Entry],
    *,
    time_limit: float = TIME_LIMIT,
    on_failure: FailureHandler = log_failure,
) -> Findings:
    """Return what *extractor* finds in the messages *old*, except those that an entry of *window* was learned from.

    What it fails at, or takes too long for, is reported, and nothing is found in it.
    """
    if extractor is None:
        return Findings(())
    known = {seq for entry in window if isinstance(entry.event, _LEARNED) for seq in entry.causes}
    found: list[Extraction] = []
    for exchange in exchanges_of(old):
        said = [one for one in (exchange.user, exchange.assistant, *exchange.tools) if one is not None]
        if any(one.seq in known for one in said):
            continue
        await asyncio.sleep(0)  # rules do not wait for anything: let others go on between two exchanges
        try:
            async with asyncio.timeout(time_limit):
                found.append(await extractor.extract(exchange))
        except Exception as error:  # noqa: BLE001 - an extractor may be anybody's code; the messages are stored
            on_failure("extracting what is summarised", error)
    return Findings(found, on_failure=on_failure)


def _best(statements: Iterable[Stated], limit: int) -> tuple[Stated, ...]:
    listed = list(statements)
    ranked = sorted(range(len(listed)), key=lambda number: (-listed[number].confidence, -number))
    return tuple(listed[number] for number in sorted(ranked[:limit]))


def _never() -> StateExtractor:
    raise AssertionError("what was found is only taken in")
