"""The list of facts. The chosen one has a sign before it: a colour alone may not be seen."""

from collections.abc import Collection, Sequence
from datetime import datetime

from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from sojourn.tui.review.known import Known
from sojourn.tui.review.rows import FactLines, fact_row


class FactList(OptionList):
    """Facts, one of them chosen. Lives as long as its screen; `show` replaces what it holds."""

    DEFAULT_CSS = """
    FactList { height: 1fr; max-height: 100%; border: none; padding: 0; background: $background; }
    FactList:focus { border: none; background-tint: transparent; }
    FactList > .option-list--option-highlighted { background: $primary 15%; color: $text; text-style: none; }
    FactList:focus > .option-list--option-highlighted { background: $primary 30%; color: $text; text-style: none; }
    """

    class Other(Message):
        """Another fact is chosen."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - textual's name
        super().__init__(id=id, markup=False)
        self._facts: list[Known] = []
        self._pinned: Collection[str] = ()
        self._now: datetime | None = None
        self._marked: int | None = None

    @property
    def facts(self) -> tuple[Known, ...]:
        """What it holds, from the top."""
        return tuple(self._facts)

    @property
    def chosen(self) -> Known | None:
        """The fact that the cursor is on."""
        place = self.highlighted
        return self._facts[place] if place is not None and place < len(self._facts) else None

    def show(self, facts: Sequence[Known], *, now: datetime, pinned: Collection[str]) -> None:
        """Hold *facts*; the cursor stays on its fact, or where that was."""
        before, place = self.chosen, self.highlighted or 0
        self._facts, self._now, self._pinned = list(facts), now, pinned
        self._marked = None
        self.set_options([Option(self._row(number)) for number in range(len(self._facts))])
        if self._facts:
            self.highlighted = min(place, len(self._facts) - 1)
        if before is not None:
            self.choose(before.fact.fact_id)
        self._mark()
        self.post_message(self.Other())

    def choose(self, fact_id: str) -> None:
        """Put the cursor on this fact, if it is in the list."""
        places = [place for place, one in enumerate(self._facts) if one.fact.fact_id == fact_id]
        if places:
            self.highlighted = places[0]

    def on_option_list_option_highlighted(self) -> None:
        if self._marked != self.highlighted:
            self._mark()
            self.post_message(self.Other())

    def _mark(self) -> None:
        for number, is_chosen in ((self._marked, False), (self.highlighted, True)):
            if number is not None and number < len(self._facts):
                self.replace_option_prompt_at_index(number, self._row(number, is_chosen=is_chosen))
        self._marked = self.highlighted

    def _row(self, number: int, *, is_chosen: bool = False) -> FactLines:
        known = self._facts[number]
        now = self._now or known.fact.updated_at
        return fact_row(known, now=now, is_pinned=known.fact.content in self._pinned, is_chosen=is_chosen)
