"""What really went over the wire, for people: `raw.jsonl`.

A request holds the whole talk, and to look for secrets in a large one takes a while. So it is done on a thread; what
comes after it waits behind it, in order. Small things are written at once.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import msgspec

from sojourn.agent.logs.cleaning import kept, wire_json
from sojourn.agent.logs.files import LogFile, on_disk
from sojourn.clock import Clock
from sojourn.errors import StoreError

RAW_FILE: Final = "raw.jsonl"
LARGE: Final = 16_384
"""Bytes from which on a thread does it."""
_LINE_END: Final = b"\n"


class RawWriter:
    """Writes `raw.jsonl`: a line for each request, answer and piece of an answer. Any thread may use it, until `close`.

    What cannot be written is handed to *on_trouble*.
    """

    def __init__(self, folder: Path, *, clock: Clock, on_trouble: Callable[[StoreError], None]) -> None:
        """Write into *folder*; a line that a crash cut off is ended.

        Raises:
            StoreError: the file cannot be made.
        """
        self.file = LogFile(folder / RAW_FILE)
        self._clock = clock
        self._on_trouble = on_trouble
        self._lock = threading.Lock()
        self._thread: ThreadPoolExecutor | None = None
        self._waiting = 0
        self._is_closed = False
        if not self.file.exists():
            self.file.create()
        elif not self._ends_with_a_line():
            self.file.append(_LINE_END)

    def __repr__(self) -> str:
        return f"RawWriter({str(self.file.path)!r})"

    def write_request(self, endpoint: str, payload: Any) -> None:
        """Note what is sent, and where to."""
        self._take("request", {"endpoint": kept(endpoint)}, "payload", payload)

    def write_response(self, status: int, body: Any) -> None:
        """Note a whole answer."""
        self._take("response", {"status": status}, "body", body)

    def write_chunk(self, chunk: Any) -> None:
        """Note a piece of a streamed answer."""
        self._take("stream_chunk", {}, "chunk", chunk)

    def forget(self) -> None:
        """Remove every line, and leave one that says so: a request holds all that was said before it.

        Raises:
            StoreError: the file could not be written.
        """
        self._finish()
        line = {"type": "forgotten", "timestamp": self._clock.now().timestamp()}
        with self._lock:
            self.file.replace([msgspec.json.encode(line) + _LINE_END])

    def close(self) -> None:
        """Write what waits; what comes now is not taken. Closing twice is fine."""
        self._is_closed = True
        self._finish()

    def _take(self, kind: str, told: dict[str, Any], name: str, value: Any) -> None:
        if self._is_closed:
            return
        line = {"type": kind, "timestamp": self._clock.now().timestamp(), **told}
        whole = _copied(value)
        with self._lock:
            if whole is None or (len(whole) < LARGE and not self._waiting):
                self._write({**line, name: wire_json(value)})
                return
            self._waiting += 1
            self._thread = self._thread or ThreadPoolExecutor(max_workers=1, thread_name_prefix="sojourn-raw-log")
            self._thread.submit(self._write_later, line, name, whole)

    def _write_later(self, line: dict[str, Any], name: str, whole: bytes) -> None:
        value = wire_json(msgspec.json.decode(whole))
        with self._lock:
            self._waiting -= 1
            self._write({**line, name: value})

    def _write(self, line: dict[str, Any]) -> None:
        try:
            self.file.append(msgspec.json.encode(line) + _LINE_END)
        except StoreError as error:
            self._on_trouble(error)

    def _finish(self) -> None:
        """Wait until everything is written that waits now."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.shutdown(wait=True)

    def _ends_with_a_line(self) -> bool:
        size = self.file.size()
        if not size:
            return True
        with on_disk(self.file.path), self.file.path.open("rb") as opened:
            opened.seek(size - 1)
            return opened.read(1) == _LINE_END


def _copied(value: Any) -> bytes | None:
    """Return *value* as JSON, to be cleaned later: its owner may change it meanwhile. None if it is no JSON."""
    try:
        return msgspec.json.encode(value)
    except (TypeError, ValueError, RecursionError):
        return None
