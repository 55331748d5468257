"""Where the person types. Enter sends; shift+enter or ctrl+j begins another line.

A paste of many pages is held aside and stands in the text as one mark, so that typing stays quick; it is sent whole.
"""

import re
from typing import ClassVar, Final

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

_LONG: Final = 4_000
"""Characters of a paste that is held aside."""
_MARK: Final = re.compile(r"\[pasted #(\d+): [\d,]+ characters\]")
_REMEMBERED: Final = 200


class Prompt(TextArea):
    """The person's next message."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "send", "send", show=False, priority=True),
        Binding("shift+enter,ctrl+j,alt+enter", "newline", "new line", show=False, priority=True),
        Binding("up", "back_or_up", show=False, priority=True),
        Binding("down", "forth_or_down", show=False, priority=True),
    ]

    class Sent(Message):
        """The person sends *text*."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class WantsQueued(Message):
        """The person wants the newest waiting message back."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - textual's name
        super().__init__(
            "",
            id=id,
            soft_wrap=True,
            show_line_numbers=False,
            highlight_cursor_line=False,
            tab_behavior="focus",
            placeholder="message   ( / commands · @ file · shift+enter new line )",
        )
        self._pasted: list[str] = []
        self._said: list[str] = []
        self._back = 0

    def remember(self, texts: list[str]) -> None:
        """Know what was said before, oldest first: the up key brings it back."""
        self._said, self._back = texts[-_REMEMBERED:], 0

    def whole(self) -> str:
        """Return what is typed, with what was pasted in its place."""

        def put_back(found: re.Match[str]) -> str:
            number = int(found[1])
            return self._pasted[number - 1] if 0 < number <= len(self._pasted) else found[0]

        return _MARK.sub(put_back, self.text)

    def put(self, text: str) -> None:
        """Replace what is typed."""
        self.clear()
        self._pasted = []
        self._insert(text)

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self._insert(event.text)

    def _insert(self, text: str) -> None:
        clean = text.replace("\r\n", "\n").replace("\r", "\n")
        if len(clean) > _LONG:
            self._pasted.append(clean)
            clean = f"[pasted #{len(self._pasted)}: {len(clean):,} characters]"
        self.insert(clean)

    def action_send(self) -> None:
        """Send what is typed, if anything is."""
        text = self.whole().strip()
        if not text:
            return
        self.clear()
        self._pasted = []
        if not self._said or self._said[-1] != text:
            self._said = [*self._said, text][-_REMEMBERED:]
        self._back = 0
        self.post_message(self.Sent(text))

    def action_newline(self) -> None:
        """Begin another line."""
        self.insert("\n")

    def action_back_or_up(self) -> None:
        """Go up a line; from the first, bring back what waits, or what was said before."""
        if self.cursor_location[0] > 0:
            self.action_cursor_up()
        elif not self.text:
            self._back = 0
            self.post_message(self.WantsQueued())
        elif self._back:
            self.recall()

    def action_forth_or_down(self) -> None:
        """Go down a line; from the last, go forth again in what was said before."""
        if self.cursor_location[0] < self.document.line_count - 1:
            self.action_cursor_down()
        elif self._back > 0:
            self._back -= 1
            self.put(self._said[-self._back] if self._back else "")

    def recall(self) -> None:
        """Bring back what was said before."""
        if self._back < len(self._said):
            self._back += 1
            self.put(self._said[-self._back])
            self.move_cursor(self.document.end)
