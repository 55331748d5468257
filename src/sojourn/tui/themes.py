"""How the app looks: dark, light, strong and plain themes of its own, beside those that Textual brings.

Colour is never the only sign of anything. Who asks for none (`NO_COLOR`), or has a terminal that knows none, gets the
plain theme: the terminal's own two colours, with bold and reversed text where others have a colour.
"""

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import anyio
from textual.theme import Theme

from sojourn.desk.settling import settle

DEFAULT_THEME: Final = "sojourn-dark"
PLAIN_THEME: Final = "sojourn-plain"

THEMES: Final = (
    Theme(
        name="sojourn-dark",
        primary="#7aa2c8",
        secondary="#b39a6b",
        accent="#d9a05b",
        foreground="#d8d6d0",
        background="#16181b",
        surface="#1d2024",
        panel="#262a2f",
        success="#84a98c",
        warning="#d9a05b",
        error="#dd8b86",
        dark=True,
    ),
    Theme(
        name="sojourn-light",
        primary="#2f5f8a",
        secondary="#7a6231",
        accent="#85490c",
        foreground="#23262a",
        background="#faf8f4",
        surface="#f1eee8",
        panel="#e6e2da",
        success="#3f6b4a",
        warning="#85490c",
        error="#a03a34",
        dark=False,
    ),
    Theme(
        name="sojourn-contrast",
        primary="#66ccff",
        secondary="#ffd75f",
        accent="#ffff5f",
        foreground="#ffffff",
        background="#000000",
        surface="#000000",
        panel="#262626",
        success="#5fff87",
        warning="#ffd75f",
        error="#ff8787",
        dark=True,
        text_alpha=1.0,
        variables={"text-muted": "#d0d0d0", "block-cursor-text-style": "bold"},
    ),
    Theme(
        name=PLAIN_THEME,
        ansi=True,
        primary="ansi_default",
        secondary="ansi_default",
        accent="ansi_default",
        foreground="ansi_default",
        background="ansi_default",
        surface="ansi_default",
        panel="ansi_default",
        boost="ansi_default",
        success="ansi_default",
        warning="ansi_default",
        error="ansi_default",
        dark=True,
        variables={
            "ansi-background": "ansi_default",
            "ansi-foreground": "ansi_default",
            "block-cursor-foreground": "ansi_default",
            "block-cursor-background": "ansi_default",
            "block-cursor-text-style": "reverse",
            "input-cursor-foreground": "ansi_default",
            "input-cursor-background": "ansi_default",
            "input-cursor-text-style": "reverse",
            "input-selection-background": "ansi_default",
            "input-selection-foreground": "ansi_default",
            "screen-selection-background": "ansi_default",
            "screen-selection-foreground": "ansi_default",
        },
    ),
)


def wants_no_colour(environment: Mapping[str, str]) -> bool:
    """Tell whether a person asked for no colour, or has a terminal without any."""
    return bool(environment.get("NO_COLOR")) or environment.get("TERM", "") in {"dumb", "vt100", "vt220"}


@contextmanager
def told_to_textual(environment: MutableMapping[str, str], *, plain: bool) -> Iterator[None]:
    """Let an app that is made within know whether it has to do without colours; Textual reads that once."""
    before = environment.get("NO_COLOR")
    if plain:
        environment["NO_COLOR"] = "1"
    else:
        environment.pop("NO_COLOR", None)  # Textual hears an empty one, too, which means nothing
    try:
        yield
    finally:
        if before is None:
            environment.pop("NO_COLOR", None)
        else:
            environment["NO_COLOR"] = before


def chosen_theme(wanted: str | None, known: Mapping[str, Any], *, plain: bool) -> str:
    """Return the theme to begin with: the plain one if that has to be, else the one that is *wanted* and *known*."""
    if plain:
        return PLAIN_THEME
    return wanted if wanted is not None and wanted in known else DEFAULT_THEME


class ThemeMemory:
    """Remembers in the person's configuration which theme was chosen. Lives as long as the app."""

    def __init__(self, file: Path, current: Callable[[], str]) -> None:
        """Write to *file* what *current* returns, once it is another than now."""
        self._file = file
        self._current = current
        self._known = current()
        self._writing = anyio.Lock()

    async def note(self) -> bool:
        """Write the theme down if it was changed; tell whether it was.

        Raises:
            InvalidInputError, AccessError: the configuration cannot be changed.
        """
        async with self._writing:
            name = self._current()
            if name == self._known:
                return False
            await settle(("theme",), name, file=self._file)
            self._known = name
            return True
