"""What the messages of a talk cost, each counted once: a context asks for the same message again and again."""

from collections.abc import Sequence
from itertools import islice
from typing import Final

from sojourn.context.talk import Group, Line, flat
from sojourn.context.tokens import TokenCounter, count_message
from sojourn.model.message import Message

_MANY: Final = 4
"""If it remembers so many times what it is told to keep, it forgets the others."""
_RUNS: Final = 8
"""Of so many beginnings of a talk it remembers how they went on."""


class Costs:
    """Counts messages with one counter, and remembers them. Lives for one context, or as long as its counter."""

    def __init__(self, counter: TokenCounter) -> None:
        self.counter = counter
        self._known: dict[int, int] = {}
        self._held: dict[int, Message] = {}  # so that a message's id stays its own
        self._runs: dict[int, tuple[list[Line], list[int]]] = {}

    def __call__(self, message: Message) -> int:
        """Return what *message* costs."""
        name = id(message)
        if name not in self._known:
            self._held[name] = message
            self._known[name] = count_message(self.counter, message)
        return self._known[name]

    def each(self, lines: Sequence[Line]) -> list[int]:
        """Return what each of *lines* costs. They mostly go on from, or are a part of, what was asked about before."""
        given = [*lines]
        if not given:
            return []
        run, costs = self._runs.get(id(given[0]), ([], []))
        both = min(len(run), len(given))
        if given[:both] != run[:both]:
            run, costs, both = [], [], 0
        found = costs[:both] + [self(line.message) for line in given[both:]]
        if len(found) > len(run):
            if len(self._runs) >= _RUNS:
                self._runs.clear()
            self._runs[id(given[0])] = given, found
        return found

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
            self._runs.clear()
