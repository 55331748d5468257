"""What the messages of a talk cost, each counted once: a context asks for the same message again and again."""

from collections.abc import Sequence
from itertools import islice
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
        self._known: dict[int, int] = {}
        self._held: dict[int, Message] = {}  # so that a message's id stays its own

    def __call__(self, message: Message) -> int:
        """Return what *message* costs."""
        name = id(message)
        if name not in self._known:
            self._held[name] = message
            self._known[name] = count_message(self.counter, message)
        return self._known[name]

    def each(self, lines: Sequence[Line]) -> list[int]:
        """Return what each of *lines* costs."""
        known = self._known
        try:
            return [known[id(line.message)] for line in lines]
        except KeyError:  # one is new
            return [self(line.message) for line in lines]

    def of(self, lines: Sequence[Line]) -> int:
        """Return what *lines* cost together."""
        return sum(self.each(lines))

    def of_groups(self, talk: Sequence[Group]) -> list[int]:
        """Return what each group of *talk* costs."""
        costs = iter(self.each(flat(talk)))
        # Nearly all groups are one message.
        return [next(costs) if len(group) == 1 else sum(islice(costs, len(group))) for group in talk]

    def keep(self, lines: Sequence[Line]) -> None:
        """Remember *lines*, and not many others."""
        if len(self._known) > _MANY * (len(lines) + 1):
            kept = {id(line.message): line.message for line in lines if id(line.message) in self._known}
            self._known = {name: self._known[name] for name in kept}
            self._held = kept
