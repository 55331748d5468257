"""Questions that wait for the person: may a tool run, which of two things was meant, shall a turn go on.

They come from the journal, so they are there again after a restart, and vanish when somebody answers elsewhere.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
from textual.app import ComposeResult
from textual.containers import HorizontalGroup, VerticalGroup
from textual.message import Message
from textual.widgets import Button, Input, Static

from sojourn.agent.permissions.verdicts import Approval
from sojourn.desk.visible import safe
from sojourn.model.interrupts import Interrupt

_SHOWN: Final = 600
"""Characters of an argument that are shown."""
_LABELS: Final = {
    Approval.ONCE: "yes, once",
    Approval.NO: "no",
    Approval.FILE: "this file",
    Approval.FOLDER: "this folder",
    Approval.SESSION: "always here",
    Approval.APPROVE_ALL: "all of this turn",
    Approval.DENY_ALL: "nothing of this turn",
}


class Card(VerticalGroup):
    """One question. Lives until it is answered, here or elsewhere."""

    class Answered(Message):
        """The person answered: with one of the choices, or with a text."""

        def __init__(self, interrupt: Interrupt, answer: str) -> None:
            super().__init__()
            self.interrupt = interrupt
            self.answer = answer

    def __init__(self, interrupt: Interrupt) -> None:
        super().__init__(classes="card")
        self.interrupt = interrupt

    def compose(self) -> ComposeResult:
        asked = self.interrupt.question or self.interrupt.message or "It waits for an answer."
        yield Static(safe(asked), markup=False, classes="question")
        for line in _arguments(self.interrupt):
            yield Static(line, markup=False, classes="argument")
        choices = _choices(self.interrupt)
        if choices:
            with HorizontalGroup():
                for number, (value, label) in enumerate(choices):
                    yield Button(label, name=value, compact=True, variant="primary" if number == 0 else "default")
        else:
            yield Input(placeholder="your answer, then enter", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.post_message(self.Answered(self.interrupt, event.button.name or ""))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip():
            self.post_message(self.Answered(self.interrupt, event.value.strip()))


class CutOffCard(VerticalGroup):
    """Says that the last turn was cut off, and asks whether it shall go on."""

    class GoOn(Message):
        """The person wants the turn to go on."""

    class Leave(Message):
        """The person wants to leave it."""

    def __init__(self) -> None:
        super().__init__(classes="card")

    def compose(self) -> ComposeResult:
        told = "The last turn was cut off before it was answered. Enter goes on with it."
        yield Static(told, markup=False, classes="question")
        with HorizontalGroup():
            yield Button("go on with it", name="go", compact=True, variant="primary")
            yield Button("leave it", name="leave", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self.post_message(self.GoOn() if event.button.name == "go" else self.Leave())


def _choices(interrupt: Interrupt) -> Sequence[tuple[str, str]]:
    """Return what can be chosen, the no first: who presses enter without reading allows nothing."""
    offered = interrupt.data.get("options")
    if interrupt.kind == "confirmation" and offered:
        known = [one for one in Approval if one in offered]
        return [(one.value, _LABELS[one]) for one in known]
    match interrupt.kind:
        case "confirmation":
            return [("no", "no"), ("yes", "yes")]
        case "agent_review":
            return [("reject", "reject"), ("approve", "approve"), ("modify", "change it")]
        case "clarification":
            return []
        case _:
            return [("seen", "all right")]


def _arguments(interrupt: Interrupt) -> list[str]:
    lines = []
    for name, value in interrupt.data.get("arguments", {}).items():
        written = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        more = f" … {len(written) - _SHOWN:,} more characters" if len(written) > _SHOWN else ""
        lines.append(safe(f"{name}: {written[:_SHOWN]}{more}"))
    return lines
