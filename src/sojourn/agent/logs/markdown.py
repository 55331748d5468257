"""The text files of a log: `context.md`, `verbose.md` and `raw.jsonl`."""

import threading
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import msgspec

from sojourn.agent.logs.cleaning import kept, wire_json
from sojourn.agent.logs.files import LogFile, on_disk
from sojourn.agent.logs.rendering import context_header, event_text, message_text, verbose_header
from sojourn.agent.logs.storage import EventRow, MessageRow
from sojourn.clock import Clock

CONTEXT_FILE: Final = "context.md"
VERBOSE_FILE: Final = "verbose.md"
RAW_FILE: Final = "raw.jsonl"
_LINE_END: Final = b"\n"

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


class RawWriter:
    """Writes `raw.jsonl`: a line for each request, answer and piece of an answer. Any thread may use it."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        """Write into *folder*; a line that a crash cut off is ended."""
        self.file = LogFile(folder / RAW_FILE)
        self._clock = clock
        self._lock = threading.Lock()
        if not self.file.exists():
            self.file.create()
        elif not self._ends_with_a_line():
            self.file.append(_LINE_END)

    def __repr__(self) -> str:
        return f"RawWriter({str(self.file.path)!r})"

    def write_request(self, endpoint: str, payload: dict[str, Any]) -> None:
        """Note what is sent, and where to."""
        self._write("request", endpoint=kept(endpoint), payload=wire_json(payload))

    def write_response(self, status: int, body: Any) -> None:
        """Note a whole answer."""
        self._write("response", status=status, body=wire_json(body))

    def write_chunk(self, chunk: Any) -> None:
        """Note a piece of a streamed answer."""
        self._write("stream_chunk", chunk=wire_json(chunk))

    def forget(self) -> None:
        """Remove every line, and leave one that says so: a request holds all that was said before it."""
        with self._lock:
            self.file.replace([self._line("forgotten")])

    def _write(self, kind: str, **told: Any) -> None:
        line = self._line(kind, **told)
        with self._lock:
            self.file.append(line)

    def _line(self, kind: str, **told: Any) -> bytes:
        return msgspec.json.encode({"type": kind, "timestamp": self._clock.now().timestamp(), **told}) + _LINE_END

    def _ends_with_a_line(self) -> bool:
        size = self.file.size()
        if not size:
            return True
        with on_disk(self.file.path), self.file.path.open("rb") as opened:
            opened.seek(size - 1)
            return opened.read(1) == _LINE_END
