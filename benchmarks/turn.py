"""The turn that every contestant of the journal benchmark stores: two messages of 300 characters, and their usage."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sojourn.model.events import Event, MessageAdded, UsageRecorded
from sojourn.model.message import Message

LENGTH: Final = 300
MODEL: Final = "benchmark-model"
_WORDS: Final = "the session is a journal and everything else is a view of it so a turn costs the same at any age " * 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What was asked and answered, and what it cost."""

    user: str
    assistant: str
    input_tokens: int
    output_tokens: int

    def to_events(self) -> tuple[Event, Event, Event]:
        """Return the turn as Sojourn's events."""
        usage = UsageRecorded(model=MODEL, input_tokens=self.input_tokens, output_tokens=self.output_tokens)
        return (
            MessageAdded(message=Message(role="user", content=self.user)),
            MessageAdded(message=Message(role="assistant", content=self.assistant)),
            usage,
        )


def make_turn(number: int) -> Turn:
    """Return the turn with this *number*; no two numbers give the same texts."""
    start = number % 97
    return Turn(
        user=f"question {number}: {_WORDS[start:]}"[:LENGTH],
        assistant=f"answer {number}: {_WORDS[start + 31 :]}"[:LENGTH],
        input_tokens=900 + number % 100,
        output_tokens=75,
    )


def batches(turns: int, *, size: int) -> Iterator[list[Turn]]:
    """Yield the turns 0 to *turns* - 1 in lists of at most *size*."""
    for first in range(0, turns, size):
        yield [make_turn(number) for number in range(first, min(first + size, turns))]
