"""A field for text that holds long pastes aside: each stands in the text as one mark, and counts as what it is.

So typing stays quick, and what was pasted with control characters in it never reaches the terminal.
"""

import re
from collections.abc import Sequence
from typing import Final

from textual import events
from textual.widgets import TextArea

_LONG: Final = 4_000
"""Characters of a paste that is held aside."""
_MARK: Final = re.compile(r"\[pasted #(\d+): [\d,]+ characters\]")
_NOISE: Final = re.compile("\x1b\\[20[01]~")
"""What a terminal puts around a paste; it is no part of it."""
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that move the cursor, change colours or turn the direction of writing."""


class PasteArea(TextArea):
    """A field for text, and what was pasted into it."""

    _pasted: tuple[str, ...] = ()

    def whole(self) -> str:
        """Return what is typed, with what was pasted in its place."""
        return whole(self.text, self._pasted)

    def put(self, text: str) -> None:
        """Replace what is typed."""
        self.empty()
        self._insert(text)
        self.move_cursor(self.document.end)

    def empty(self) -> None:
        """Take away what is typed, and what was pasted."""
        self.clear()
        self._pasted = ()

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self._insert(event.text)

    def action_paste(self) -> None:
        """Put in what was copied in this app."""
        self._insert(self.app.clipboard)

    def _insert(self, text: str) -> None:
        clean = _NOISE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
        if len(clean) > _LONG or _CONTROL.search(clean):
            self._pasted = (*self._pasted, clean)
            clean = f"[pasted #{len(self._pasted)}: {len(clean):,} characters]"
        start, end = sorted(self.selection)
        done = self.replace(clean, start, end, maintain_selection_offset=False)
        self.move_cursor(done.end_location)


def whole(text: str, pasted: Sequence[str]) -> str:
    """Return *text* with what was *pasted* in place of its marks."""

    def put_back(found: re.Match[str]) -> str:
        number = int(found[1])
        return pasted[number - 1] if 0 < number <= len(pasted) else found[0]

    return _MARK.sub(put_back, text)
