"""The lines at the top and at the bottom: which session, which model, how full its context is, what it cost."""

from rich.text import Text
from textual.widgets import Static

from sojourn.desk.columns import fit, width
from sojourn.desk.spending import cost_of
from sojourn.desk.visible import safe
from sojourn.desk.wording import count, one_line
from sojourn.model.state import SessionState
from sojourn.tui.filling import Filling


class TitleBar(Static):
    """Which session is open, and at the right where one is. It is drawn anew when its width changes."""

    title: str = ""
    places: tuple[str, ...] = ()

    def show(self, title: str, *places: str) -> None:
        """Show *title*, and of *places* as many as there is room for."""
        self.title, self.places = safe(one_line(title)), tuple(safe(one_line(place, most=40)) for place in places)
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        columns = self.size.width
        if not columns:  # it has no place yet
            return
        left = f" sojourn ▸ {self.title}"
        right = ""
        for number in range(len(self.places), 0, -1):
            told = f"{' · '.join(self.places[:number])} "
            if width(left) + 2 + width(told) <= columns:
                right = told
                break
        line = Text(fit(left, columns), style="bold", no_wrap=True)
        if right:
            line.append(" " * (columns - width(left) - width(right)))
            line.append(right, style="not bold")
        self.update(line)


class StatusBar(Static):
    """One line about the open session. It is drawn anew when something changes."""

    def show(
        self, state: SessionState | None, *, model: str, filling: Filling | None, busy: bool, waiting: int
    ) -> None:
        """Say where things stand. What is *waiting* is told before what can be left out of a narrow line."""
        parts = ["● answering (esc stops)" if busy else "○ ready"]
        if waiting:
            parts.append(f"{waiting} waiting")
        parts.append(safe(one_line(model, most=40)))
        if filling is not None:
            parts.append(f"context {filling.share}")
        if state is not None:
            parts.append(cost_of(state.metadata))
            parts.append(_known(state))
            about = state.focus_context.get("label") or state.focus_context.get("title") or state.focus_id
            if about:
                parts.append(f"focus: {safe(one_line(str(about), most=30))}")
        self.update(Text(" · ".join(parts), no_wrap=True, overflow="ellipsis"))


def _known(state: SessionState) -> str:
    """Return how many facts count, and how many wait to be accepted."""
    known = state.knowledge_base
    waiting = len(known.with_status("candidate"))
    return count(len(known.with_status()), "fact") + (f" + {waiting} ?" if waiting else "")
