"""Markdown that somebody wrote, as HTML in which nothing of his is HTML. Without a renderer it is shown as it is."""

from collections.abc import Callable
from html import escape
from importlib.util import find_spec
from typing import Final

from sojourn.desk.legible import legible

_LONGEST: Final = 100_000
"""Characters of a text that are worth rendering: more is no message but a file, and is shown as it is."""


class Rendering:
    """Renders one text after the other. Lives for one export."""

    def __init__(self) -> None:
        self._render = _renderer() if find_spec("markdown_it") is not None else None

    def __call__(self, text: str) -> str:
        """Return *text* as HTML."""
        shown = legible(text)
        if self._render is None or len(shown) > _LONGEST:
            return f'<p class="plain">{escape(shown)}</p>\n'
        return self._render(shown)


def _renderer() -> Callable[[str], str]:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - it comes with the terminal app, and not with everything

    renderer = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return lambda text: str(renderer.render(text))
