"""The line at the foot of every screen: the keys that do something there, as many as there is room for."""

from collections.abc import Mapping, Sequence
from typing import Final

from textual import events
from textual.app import App
from textual.binding import Binding
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from sojourn.desk.columns import width

_GAP: Final = 2
_LAST: Final = ("escape", "f1")
"""Keys that stand at the end, and stay where there is little room: the way back, and the list of all keys."""
_WRITTEN: Final[Mapping[str, str]] = {"escape": "esc", "space": "space"}


class KeyLine(Static):
    """One line of keys, each of which can be clicked. Lives as long as its screen.

    Keys that work everywhere stand in the chat only, and behind its own: the other screens have enough of their own.
    """

    DEFAULT_CSS = """
    KeyLine { dock: bottom; height: 1; padding: 0 1; color: $footer-description-foreground;
              background: $footer-background; }
    """

    def __init__(self, *, everywhere: bool = False, also: Mapping[str, str] | None = None) -> None:
        """Show the keys that work *everywhere*, too, and those of *also*, which a part of the screen hides."""
        super().__init__("", markup=False)
        self._everywhere = everywhere
        self._also = dict(also or {})
        self._shown: list[tuple[str, str, str]] = []

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def _changed(self, screen: "Screen[object]") -> None:
        if self.is_attached and screen is self.screen:
            self.call_after_refresh(self._draw)

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        if not self.is_attached:  # the screen was closed meanwhile
            return
        self._shown = fitting(self._keys(), max(1, self.content_size.width))
        gap = Content(" " * _GAP)
        self.update(gap.join([_piece(shown, what) for _, shown, what in self._shown]))

    def on_click(self, event: events.Click) -> None:
        """Press the key that was clicked."""
        at, start = event.get_content_offset(self), 0
        for key, shown, what in self._shown:
            end = start + width(shown) + 1 + width(what)
            if at is not None and start <= at.x < end:
                self.app.simulate_key(key)
            start = end + _GAP

    def _keys(self) -> list[tuple[str, str, str]]:
        """Return each key, how it is written, and what it does: those of a part first, then the screen's."""
        found: dict[str, tuple[str, str, str]] = {}
        for key, what in self._also.items():
            found[f"also {key}"] = (key, self._written(Binding(key, "", what)), what)
        for node, binding, is_enabled, _ in self.screen.active_bindings.values():
            is_apps = isinstance(node, App) and not self._everywhere and binding.key not in _LAST
            if binding.show and is_enabled and not is_apps:
                found.setdefault(binding.action, (binding.key, self._written(binding), binding.description))
        return list(found.values())

    def _written(self, binding: Binding) -> str:
        return _WRITTEN.get(binding.key) or self.app.get_key_display(binding)


def fitting(keys: Sequence[tuple[str, str, str]], columns: int) -> list[tuple[str, str, str]]:
    """Return those *keys* that fit into *columns*; the way back and the list of all keys are left out last."""
    last = sorted((one for one in keys if one[0] in _LAST), key=lambda one: _LAST.index(one[0]))
    first = [one for one in keys if one[0] not in _LAST]
    while first and _columns([*first, *last]) > columns:
        first.pop()
    while len(last) > 1 and _columns(last) > columns:
        last.pop()
    return [*first, *last]


def _columns(keys: Sequence[tuple[str, str, str]]) -> int:
    return sum(width(shown) + 1 + width(what) + _GAP for _, shown, what in keys) - _GAP


def _piece(shown: str, what: str) -> Content:
    return Content.assemble((shown, "bold $footer-key-foreground"), f" {what}")
