"""Which pieces go into a context: the most worth for its tokens, with a floor for each part.

First what is required; then each section gets its floor, filled with its best pieces; then what is left goes to the
pieces with the most worth per token, wherever they belong. The same pieces and budget always give the same plan.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from sojourn.context.item import Dropped, Item, SectionName, Why
from sojourn.errors import InvalidInputError
from sojourn.model.value import Value

LEAST_WORTH: Final = 0.02
"""A piece that is worth less is left out even if there is room for it: what does not help, distracts."""


class Plan(Value, frozen=True, kw_only=True):
    """What goes in, by section, in the order in which it was offered; and what does not."""

    chosen: dict[SectionName, tuple[Item, ...]]
    dropped: tuple[Dropped, ...]
    tokens: int


def make_plan(
    items: Sequence[Item],
    budget: int,
    *,
    floors: Mapping[SectionName, int] | None = None,
    ceilings: Mapping[SectionName, int] | None = None,
) -> Plan:
    """Choose among *items* so that they cost at most *budget* tokens.

    Args:
        items: what may go in.
        budget: tokens in all.
        floors: tokens that a section gets before others compete for them, if it has pieces for them.
        ceilings: tokens that a section gets at most.

    Raises:
        InvalidInputError: what is required costs more than the budget.
    """
    if budget < 0:
        raise InvalidInputError(f"a budget is a number of tokens from 0, got {budget}")
    choosing = _Choosing(items, budget)
    choosing.take_required()
    for section, floor in (floors or {}).items():
        choosing.take_best({section: floor}, only=section)
    choosing.take_best(ceilings or {})
    return choosing.plan()


class _Choosing:
    """The state of choosing. Lives for one plan."""

    def __init__(self, items: Sequence[Item], budget: int) -> None:
        self._items = items
        self._budget = budget
        self._left = budget
        self._chosen: set[int] = set()
        self._spent: dict[SectionName, int] = {}
        order = sorted(range(len(items)), key=lambda number: (-items[number].density, -items[number].score, number))
        self._worthy = [number for number in order if items[number].score >= LEAST_WORTH]

    def take_required(self) -> None:
        for number, item in enumerate(self._items):
            if item.required:
                self._take(number)
        if self._left < 0:
            raise InvalidInputError(
                f"what every context holds costs {self._budget - self._left:,} tokens, and the budget is"
                f" {self._budget:,}; shorten the system prompt or unpin something"
            )

    def take_best(self, limits: Mapping[SectionName, int], *, only: SectionName | None = None) -> None:
        """Take pieces by their worth per token, of one section or of all, while there is room for them."""
        for number in self._worthy:
            item = self._items[number]
            if number in self._chosen or item.tokens > self._left or only not in (None, item.section):
                continue
            limit = limits.get(item.section)
            if limit is None or self._spent.get(item.section, 0) + item.tokens <= limit:
                self._take(number)

    def _take(self, number: int) -> None:
        item = self._items[number]
        self._chosen.add(number)
        self._spent[item.section] = self._spent.get(item.section, 0) + item.tokens
        self._left -= item.tokens

    def plan(self) -> Plan:
        chosen: dict[SectionName, list[Item]] = {}
        dropped: list[Dropped] = []
        for number, item in enumerate(self._items):
            if number in self._chosen:
                chosen.setdefault(item.section, []).append(item)
            else:
                dropped.append(_dropped(item))
        return Plan(
            chosen={name: tuple(found) for name, found in chosen.items()},
            dropped=tuple(dropped),
            tokens=self._budget - self._left,
        )


def _dropped(item: Item) -> Dropped:
    why: Why = "does not fit" if item.score >= LEAST_WORTH else "below the floor of its worth"
    return Dropped(section=item.section, text=item.text, tokens=item.tokens, why=why, seqs=item.seqs)
