"""The Markdown files of a log: `context.md` and `verbose.md`."""

from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Final, Generic, TypeVar

from sojourn.agent.logs.files import LogFile
from sojourn.agent.logs.rendering import context_header, event_text, message_text, verbose_header
from sojourn.agent.logs.storage import EventRow, MessageRow

CONTEXT_FILE: Final = "context.md"
VERBOSE_FILE: Final = "verbose.md"

R = TypeVar("R", MessageRow, EventRow)
"""What a text is made of."""


class MarkdownWriter(Generic[R]):
    """One Markdown file, made of the rows of a table: appended to row by row, or written anew from all of them.

    Both give the same text. Use `of_messages` or `of_events`.
    """

    def __init__(self, path: Path, *, header: str, render: Callable[[R], str]) -> None:
        self.file = LogFile(path)
        self._header = header
        self._render: Callable[[R], str] = render

    def __repr__(self) -> str:
        return f"MarkdownWriter({str(self.file.path)!r})"

    @staticmethod
    def of_messages(folder: Path, *, started: datetime) -> "MarkdownWriter[MessageRow]":
        """Return the writer of `context.md`."""
        return MarkdownWriter(folder / CONTEXT_FILE, header=context_header(started), render=message_text)

    @staticmethod
    def of_events(folder: Path, *, started: datetime) -> "MarkdownWriter[EventRow]":
        """Return the writer of `verbose.md`."""
        return MarkdownWriter(folder / VERBOSE_FILE, header=verbose_header(started), render=event_text)

    def rendered(self, rows: Iterable[R]) -> bytes:
        """Return *rows* as they stand in the file."""
        return "".join(map(self._render, rows)).encode()

    def rewrite(self, rows: Iterable[R]) -> int:
        """Write the file anew, of all its rows, and return its length."""
        return self.file.replace(self._pieces(rows))

    def _pieces(self, rows: Iterable[R]) -> Iterable[bytes]:
        yield self._header.encode()
        for row in rows:
            yield self._render(row).encode()
