"""What a summariser is: somebody who makes one short text of what was known before and what was said since."""

from collections.abc import Sequence
from typing import Protocol

from sojourn.context.talk import Line
from sojourn.model.usage import Usage
from sojourn.model.value import Value


class Summary(Value, frozen=True, kw_only=True):
    """A summary, and what it took to write it (None: nothing). A *text* that is empty cannot be used."""

    text: str
    usage: Usage | None = None


class Summariser(Protocol):
    """Writes summaries. It has no memory of its own: what it wrote before is handed to it as *previous*."""

    @property
    def most_tokens(self) -> int | None:
        """How many tokens of messages it takes at one time; None is any number. A longer talk comes in parts."""
        ...

    @property
    def is_model(self) -> bool:
        """Whether it asks a model, which costs something and can fail."""
        ...

    async def summarise(self, previous: str, lines: Sequence[Line], *, max_tokens: int) -> Summary:
        """Return one text of at most *max_tokens* that says what *previous* said and what *lines* add to it.

        The lines hold no secrets any more.

        Raises:
            ModelError: the model cannot be reached, or refuses.
        """
        ...
