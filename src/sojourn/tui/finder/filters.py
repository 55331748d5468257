"""The line that says which sessions are shown: a choice for each question, to be changed by key or by mouse."""

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import HorizontalGroup
from textual.widgets import Static

from sojourn.tui.finder.view import PLACES, SCOPES, SORTS, View


class _Choice(Static):
    """One question. A click gives the next answer."""

    DEFAULT_CSS = "_Choice { width: auto; height: 1; padding: 0 2 0 1; }"

    def __init__(self, action: str) -> None:
        super().__init__("", markup=False)
        self._action = action

    async def on_click(self) -> None:
        await self.run_action(self._action)


class Filters(HorizontalGroup):
    """Scope, place and order. Lives as long as its screen."""

    DEFAULT_CSS = "Filters { height: 1; background: $surface; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - textual's name
        super().__init__(id=id)
        self._scope, self._place, self._sort = (
            _Choice("screen.scope"),
            _Choice("screen.place"),
            _Choice("screen.sort"),
        )

    def compose(self) -> ComposeResult:
        yield self._scope
        yield self._place
        yield self._sort

    def show(self, view: View, *, columns: int) -> None:
        """Show what is chosen; where there is room, show also what could be."""
        is_wide = columns >= 90
        self._scope.update(_drawn("scope", SCOPES, view.scope, is_wide=is_wide))
        self._place.update(_drawn("show", PLACES, view.place, is_wide=is_wide))
        self._sort.update(_drawn("sort", SORTS, view.sort, is_wide=is_wide))


def _drawn(question: str, answers: Sequence[str], chosen: str, *, is_wide: bool) -> Text:
    if not is_wide:
        return Text(f"[{chosen}]", style="bold")
    text = Text(f"{question} ", style="dim")
    for answer in answers:
        text.append(f"[{answer}]" if answer == chosen else f" {answer} ", style="bold" if answer == chosen else "dim")
    return text
