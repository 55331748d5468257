"""What the messages of a talk cost, each counted once: a context asks for the same message again and again."""

from collections.abc import Iterable

from sojourn.context.talk import Line
from sojourn.context.tokens import TokenCounter, count_message
from sojourn.model.message import Message


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

    def of(self, lines: Iterable[Line]) -> int:
        """Return what *lines* cost together."""
        known, total = self._known, 0
        for line in lines:
            found = known.get(id(line.message))
            total += found[1] if found is not None else self(line.message)
        return total

    def keep(self, lines: Iterable[Line]) -> None:
        """Remember no others than *lines*."""
        known = self._known
        self._known = {id(line.message): known[id(line.message)] for line in lines if id(line.message) in known}
