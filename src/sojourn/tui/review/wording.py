"""The line in which a fact is put into words: another wording for one that is known, or a new one."""

from textual import on
from textual.message import Message
from textual.widgets import Input

from sojourn.tui.review.known import Known


class WordingLine(Input):
    """Hidden until somebody is asked. Enter answers; what asks decides what escape does."""

    DEFAULT_CSS = """
    WordingLine { border: round $accent; height: 3; display: none; }
    WordingLine:focus { border: round $accent; }
    """

    class Worded(Message):
        """The person wrote *text*: for the fact *known*, or, if that is None, for a new one."""

        def __init__(self, known: Known | None, text: str) -> None:
            super().__init__()
            self.known = known
            self.text = text

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - textual's name
        super().__init__(id=id)
        self._known: Known | None = None

    def ask(self, known: Known | None, *, title: str) -> None:
        """Ask for words, beginning with those that the fact has."""
        self._known = known
        self.value = known.fact.content if known is not None else ""
        self.border_title = title
        self.display = True
        self.focus()

    @on(Input.Submitted)
    def _answered(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Worded(self._known, self.value.strip()))
