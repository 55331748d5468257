"""A summariser that writes what a test tells it to, and talks that are long enough to be summarised."""

import asyncio
from collections.abc import Sequence

from sojourn import Session
from sojourn.context.compaction.summariser import Summary
from sojourn.context.talk import Line
from sojourn.engine.compaction import CompactionSettings
from sojourn.model.usage import Usage

SMALL = CompactionSettings(threshold=1_000)


class Writing:
    """A summariser that writes what it is told to, notes what it was shown, and can be held."""

    is_model = True

    def __init__(
        self, *texts: str, most_tokens: int | None = None, usage: Usage | None = None, fails: Exception | None = None
    ) -> None:
        self.texts = list(texts)
        self.most_tokens = most_tokens
        self.usage = usage
        self.fails = fails
        self.shown: list[tuple[str, list[Line]]] = []
        self.asked = asyncio.Event()
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def summarise(self, previous: str, lines: Sequence[Line], *, max_tokens: int) -> Summary:
        self.shown.append((previous, list(lines)))
        self.asked.set()
        await self.may_answer.wait()
        if self.fails is not None:
            raise self.fails
        text = self.texts.pop(0) if self.texts else f"summary {len(self.shown)}"
        return Summary(text=text, usage=self.usage)

    def hold(self) -> None:
        self.may_answer.clear()


async def talk(session: Session, count: int, *, chars: int = 1_200, first: int = 0) -> None:
    """Let user and assistant speak in turn."""
    for number in range(first, first + count):
        text = f"Message {number} says something. ".ljust(chars, "x")
        if number % 2 == 0:
            await session.messages.user(text)
        else:
            await session.messages.assistant(text)


async def count_messages(session: Session) -> int:
    return len([entry async for entry in session.messages.all()])
