"""A question that must be answered before something goes on: a few answers, each with a key of its own."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import HorizontalGroup, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Static


class Question(ModalScreen[str | None]):
    """Asks, and gives back the answer that was chosen; None if the person would rather not say.

    The first answer should be the one that changes nothing: who presses enter without reading does no harm.
    """

    DEFAULT_CSS = """
    Question { align: center middle; }
    Question > VerticalScroll {
        width: 80%; max-width: 90; min-width: 36; height: auto; max-height: 80%;
        border: round $accent; background: $surface; padding: 1 2;
    }
    Question Static { height: auto; }
    Question .said { margin: 1 0; color: $text-muted; }
    Question HorizontalGroup { height: auto; }
    Question Button { margin: 0 1 0 0; min-width: 6; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "answer('')", "no"),
        Binding("left", "app.focus_previous", "previous", show=False),
        Binding("right", "app.focus_next", "next", show=False),
    ]

    def __init__(self, question: str, *, said: Sequence[Text] = (), answers: Sequence[tuple[str, str, str]]) -> None:
        """Ask *question*, with lines that explain it. An answer is a key, a value to give back, and its label."""
        super().__init__()
        self._question = question
        self._said = said
        self._answers = tuple(answers)

    def compose(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            yield Static(Text(self._question, style="bold"), markup=False)
            yield Static(Text("\n").join(self._said), markup=False, classes="said")
            with HorizontalGroup():
                for key, value, label in self._answers:
                    yield Button(Text(f"{key} {label}").markup, name=value, compact=True)

    def on_key(self, event: events.Key) -> None:
        for key, value, _ in self._answers:
            if event.key == key:
                event.stop()
                self.dismiss(value or None)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.dismiss(event.button.name or None)

    def action_answer(self, value: str) -> None:
        """Give an answer."""
        self.dismiss(value or None)
