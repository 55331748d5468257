"""What the messages of a talk cost, each counted once: a context asks for the same message again and again."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from sojourn.context.talk import Group, Line, flat
from sojourn.context.tokens import TokenCounter, count_message
from sojourn.model.message import Message

_MANY: Final = 4
"""If it remembers so many times what it is told to keep, it forgets the others."""


class Costs:
    """Counts messages with one counter, and remembers them. Lives for one context, or as long as its counter."""

    def __init__(self, counter: TokenCounter) -> None:
        self.counter = counter
        self._known: dict[int, tuple[Message, int]] = {}  # it holds the message, so that the id stays its own

    def __call__(self, message: Message) -> int:
        """Return what *message* costs."""
        known = self._known.get(id(message))
        if known is None:
            known = self._known[id(message)] = (message, count_message(self.counter, message))
        return known[1]

    def each(self, lines: Sequence[Line]) -> list[int]:
        """Return what each of *lines* costs."""
        known = self._known
        for line in lines:
            if id(line.message) not in known:
                self(line.message)
        return [known[id(line.message)][1] for line in lines]

    def of(self, lines: Sequence[Line]) -> int:
        """Return what *lines* cost together."""
        return sum(self.each(lines))

    def of_groups(self, talk: Sequence[Group]) -> list[int]:
        """Return what each group of *talk* costs."""
        lines = flat(talk)
        costs = self.each(lines)
        if len(lines) == len(talk):  # nearly always most groups are one message; here all are
            return costs
        ends = list(accumulate(len(group) for group in talk))
        return [sum(costs[end - len(group) : end]) for group, end in zip(talk, ends, strict=True)]

    def keep(self, lines: Sequence[Line]) -> None:
        """Remember *lines*, and not many others."""
        known = self._known
        if len(known) > _MANY * (len(lines) + 1):
            self._known = {id(line.message): known[id(line.message)] for line in lines if id(line.message) in known}
