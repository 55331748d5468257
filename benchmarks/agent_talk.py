"""What is said in the agent benchmark, the same for everybody: a long history, and turns that go on from it.

The texts are made up of sentences as an agent at work on somebody's software hears and says them. A message has 40 to
400 tokens, most of them few. In every third exchange of the history a tool was called.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal

MODEL: Final = "benchmark-model"
TOOL: Final = "look_up"
TOOL_ABOUT: Final = "Look up a subject in the project's files."
INSTRUCTIONS: Final = (
    "You help a team with the software of a harbour. Look things up before you answer, say what you changed and why,"
    " and ask if a request can be read in two ways."
)
_SENTENCES: Final = (
    "The import job for {thing} stopped again last night, and the log only says that the connection was closed.",
    "I looked at {thing} and found two places where the time zone is dropped before the value is stored.",
    "Could you check whether {thing} still needs the old configuration, or can we remove it with the next release?",
    "The test for {thing} fails about once in {number} runs, always on the slower of the two machines.",
    "It works now: the queue is drained before {thing} closes, and nothing is sent twice any more.",
    "There are {number} rows with an empty reference, all of them written before the migration of {thing}.",
    "Please keep the public names as they are, since three other teams import them from {thing}.",
    "I would rather not add another dependency for that; the standard library has what {thing} needs.",
    "The berth plan is computed once an hour, so a change in {thing} may take a while to show up.",
    "With an index on the arrival time, listing {thing} takes {number} milliseconds instead of several seconds.",
    "The customer in Rotterdam wants the report about {thing} in their own language and on one page.",
    "def arrivals(ships): return sorted((ship for ship in ships if ship.berth), key=lambda ship: ship.due)",
    "Traceback: KeyError {number} in schedule.py, called from {thing}, which was called with an empty plan.",
    "Let us decide that {thing} keeps its own copy for now, and look at it again when the new feed is there.",
    "I am not sure that this is right: the note from {number} days ago says the opposite about {thing}.",
    "As far as I can see nobody calls it any more, so the next step is to mark {thing} as deprecated.",
)
_THINGS: Final = (
    "the berth planner", "the tide table", "the customs export", "the pilot roster", "the invoice service",
    "the ship register", "the weather feed", "the night report", "the mobile page", "the crane scheduler",
    "the message gateway", "the search index", "the archive of bills", "the access list", "the backup script",
)  # fmt: skip
_SENTENCE_TOKENS: Final = 23


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message of a history. A call of the tool has its subject in *text*; its result has the same *call*."""

    kind: Literal["user", "assistant", "call", "result"]
    text: str
    call: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What the user asks, which calls the model makes of the tool (ids and subjects), and what it answers then.

    *found* is what the tool returns for each of the subjects.
    """

    question: str
    calls: tuple[tuple[str, str], ...]
    found: dict[str, str]
    answer: str


class Speaker:
    """Makes texts, no two of them alike. Two speakers with the same seed say the same."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._count = 0

    def text(self) -> str:
        """Return a text of about 40 to 400 tokens; short ones are more common."""
        self._count += 1
        tokens = 40 + 360 * self._chance.random() ** 2
        pick = self._chance.choice
        sentences = [
            pick(_SENTENCES).format(thing=pick(_THINGS), number=self._chance.randrange(2, 900))
            for _ in range(max(2, round(tokens / _SENTENCE_TOKENS)))
        ]
        return f"({self._count}) {' '.join(sentences)}"


def history(messages: int) -> list[Said]:
    """Return a history of so many messages. A multiple of four ends with an answer."""
    return list(islice(_exchanges(Speaker(1)), messages))


def _exchanges(speaker: Speaker) -> Iterator[Said]:
    number = 0
    while True:
        number += 1
        yield Said(kind="user", text=speaker.text())
        if number % 3 == 0:
            yield Said(kind="call", text=f"subject {number}", call=f"call_history_{number}")
            yield Said(kind="result", text=speaker.text(), call=f"call_history_{number}")
        yield Said(kind="assistant", text=speaker.text())


def turns(*, tools: int) -> Iterator[Turn]:
    """Yield turns, each with so many calls of the tool, for ever."""
    speaker = Speaker(2)
    number = 0
    while True:
        number += 1
        calls = tuple((f"call_{number}_{place}", f"subject {number}.{place}") for place in range(tools))
        yield Turn(
            question=speaker.text(),
            calls=calls,
            found={subject: speaker.text() for _, subject in calls},
            answer=speaker.text(),
        )
