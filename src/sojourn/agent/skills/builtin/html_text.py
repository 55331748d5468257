"""What a page of HTML says, without its markup."""

import re
from html.parser import HTMLParser
from typing import Final

_SILENT: Final = frozenset({"script", "style", "noscript", "template", "svg"})
_BLOCKS: Final = frozenset({
    "address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "footer", "form", "header", "hr",
    "h1", "h2", "h3", "h4", "h5", "h6", "li", "main", "nav", "ol", "p", "pre", "section", "table", "td", "th", "title",
    "tr", "ul",
})  # fmt: skip
_SPACES: Final = re.compile(r"[^\S\n]+")
_LINES: Final = re.compile(r" *\n *(?:\n *)+")


def text_of(html: str) -> str:
    """Return the text of a page, a line for each block; damaged markup is read as far as it goes."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    text = _SPACES.sub(" ", "".join(reader.parts))
    return _LINES.sub("\n\n", re.sub(r" *\n *", "\n", text)).strip()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - as it is called
        if tag in _SILENT:
            self._silent += 1
        if tag in _BLOCKS:
            self.parts.append("\n- " if tag == "li" else "\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(self._silent - 1, 0)
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.parts.append(data)
