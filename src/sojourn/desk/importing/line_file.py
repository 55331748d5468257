"""A file of JSON lines that somebody else wrote: each line is bounded, and one that cannot be read is counted.

A file may be larger than memory. It is gone through once, to see what there is, and then asked for single lines.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import msgspec

from sojourn.errors import AccessError

MAX_LINE: Final = 64 << 20
"""Bytes of a line that are read: an event may have a quarter of it."""
_SKIPPED: Final = 1 << 20


class Spot(NamedTuple):
    """Where a line stands in its file, and which it is."""

    number: int
    offset: int
    size: int


class LineFile:
    """An open file of JSON lines. Lives for the time of a `with`."""

    def __init__(self, path: Path) -> None:
        """Open the file, if it is one.

        Raises:
            AccessError: it cannot be read, or is no regular file.
        """
        self.path = path
        self.not_understood = 0
        """Lines that are no JSON objects, or too long."""
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe in its place must not hold us up
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                os.close(descriptor)
                raise AccessError(f"{path} is no file")
        except OSError as error:
            raise AccessError(f"{path}: {error.strerror or error}") from error
        self._file = os.fdopen(descriptor, "rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._file.close()

    def scan(self) -> Iterator[tuple[Spot, dict[str, Any]]]:
        """Yield each line that is a JSON object, from the first on, and count the others."""
        number = offset = 0
        while True:
            self._file.seek(offset)  # whoever gets a line may read another one meanwhile
            line = self._file.readline(MAX_LINE)
            if not line:
                return
            number += 1
            spot = Spot(number, offset, len(line))
            offset += len(line)
            if len(line) == MAX_LINE and not line.endswith(b"\n"):
                offset = self._end_of_line(offset)
                self.not_understood += 1
                continue
            if not line.strip():
                continue
            data = parsed(line)
            if data is None:
                self.not_understood += 1
            else:
                yield spot, data

    def read(self, spot: Spot) -> dict[str, Any]:
        """Return the line at *spot*; nothing, if somebody has written over it since."""
        self._file.seek(spot.offset)
        return parsed(self._file.read(spot.size)) or {}

    def _end_of_line(self, offset: int) -> int:
        self._file.seek(offset)
        while piece := self._file.readline(_SKIPPED):
            offset += len(piece)
            if piece.endswith(b"\n"):
                break
        return offset


def parsed(line: bytes) -> dict[str, Any] | None:
    """Return the JSON object that a line holds; None if it holds none."""
    try:
        data = msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError):
        return None
    return data if isinstance(data, dict) else None
