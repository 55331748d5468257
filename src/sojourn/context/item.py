"""What may go into a context: pieces with a price, a worth and a reason."""

from typing import Literal

from sojourn.model.ids import Seq
from sojourn.model.value import Value

SectionName = Literal[
    "system", "pinned", "profile", "summary", "messages", "facts", "retrieved", "focus", "working_set", "interaction",
    "research", "research_history",
]  # fmt: skip
Why = Literal["does not fit", "below the floor of its worth", "left out by the mode", "already in the context"]


class Item(Value, frozen=True, kw_only=True):
    """One piece of a context: its text as it will be shown, what it costs, how much it is worth here, and why.

    *seqs* are the entries it comes from. A *required* item is in every context.
    """

    section: SectionName
    text: str
    tokens: int
    score: float
    reason: str
    seqs: tuple[Seq, ...] = ()
    source: str = ""
    required: bool = False

    @property
    def density(self) -> float:
        """Worth per token."""
        return self.score / max(self.tokens, 1)


class Dropped(Value, frozen=True, kw_only=True):
    """A piece that is not in the context, and why."""

    section: SectionName
    text: str
    tokens: int
    why: Why
    seqs: tuple[Seq, ...] = ()


class Section(Value, frozen=True, kw_only=True):
    """One part of a context: its items in the order in which they are shown."""

    name: SectionName
    items: tuple[Item, ...]

    @property
    def tokens(self) -> int:
        """What the section costs."""
        return sum(item.tokens for item in self.items)
