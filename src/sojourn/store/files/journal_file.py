"""An open `journal.jsonl`: read in lines, appended to, and cut only where an unfinished line begins."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple, Self

from sojourn.errors import UnknownOutcomeError
from sojourn.store.files.disk import Disk
from sojourn.store.files.line import MOST_HEAD_BYTES, JournalLine, decode_line, is_torn, span_of


class Stamp(NamedTuple):
    """Which file a journal is and how far it goes: as long as this stays, so does what was read."""

    inode: int
    size: int
    changed_ns: int


NO_STAMP: Final = Stamp(0, 0, 0)
"""The stamp of no file."""


def stamp_of(path: Path) -> Stamp | None:
    """Return a file's stamp; None if there is no such file."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return Stamp(found.st_ino, found.st_size, found.st_mtime_ns)


class Placed(NamedTuple):
    """A line, and its place in the file."""

    offset: int
    end: int
    line: JournalLine


class JournalFile:
    """A journal that is open for reading. It shows the file as long as it was when it was opened."""

    def __init__(self, path: Path) -> None:
        """Open the journal.

        Raises:
            FileNotFoundError: there is none.
        """
        self._file = path.open("rb")
        found = os.fstat(self._file.fileno())
        self.stamp = Stamp(found.st_ino, found.st_size, found.st_mtime_ns)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._file.close()

    def raw_lines(self, offset: int, end: int) -> Iterator[tuple[int, bytes]]:
        """Give the lines from *offset* to *end*, each with its place, unread."""
        self._file.seek(offset)
        while offset < end:
            data = self._file.readline(end - offset)
            if not data:
                return
            yield offset, data
            offset += len(data)

    def lines(self, offset: int, *, expected: int) -> Iterator[Placed]:
        """Give the lines from *offset* on, the first of which should begin with entry *expected*.

        An unfinished last line is left out; the first damaged line is the last that is given.
        """
        for place, data in self.raw_lines(offset, self.stamp.size):
            line = decode_line(data, expected=expected)
            end = place + len(data)
            if line.damage is not None and end == self.stamp.size and is_torn(data):
                return
            yield Placed(place, end, line)
            if line.damage is not None:
                return
            expected = line.last + 1

    def first_seq(self) -> int:
        """Return the first entry that the journal's first line says it has; 1 if it cannot be read."""
        span = span_of(os.pread(self._file.fileno(), MOST_HEAD_BYTES, 0))
        return span[0] if span else 1

    def begins_line(self, offset: int, seq: int) -> bool:
        """Tell whether a line that begins with entry *seq* stands at *offset*."""
        before = min(offset, 1)
        data = os.pread(self._file.fileno(), MOST_HEAD_BYTES, offset - before)
        span = span_of(data[before:])
        return data[:before] in {b"", b"\n"} and span is not None and span[0] == seq


def append_line(path: Path, data: bytes, *, end: int, disk: Disk) -> Stamp:
    """Write a line at *end*, over an unfinished one if there is one, and wait until it is durable.

    If that fails the journal is cut back to *end*, so that the next line is clean.

    Raises:
        OSError: it could not be written; the journal is as it was.
        UnknownOutcomeError: it could not be written, and not be cut back either.
    """
    descriptor = os.open(path, os.O_RDWR)
    try:
        if os.fstat(descriptor).st_size > end:
            os.ftruncate(descriptor, end)
        try:
            _write_all(descriptor, data, end)
            disk.settle(descriptor)
        except OSError:
            _cut(descriptor, end, path, disk)
            raise
        found = os.fstat(descriptor)
        return Stamp(found.st_ino, found.st_size, found.st_mtime_ns)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, data: bytes, offset: int) -> None:
    rest = memoryview(data)
    while rest:
        written = os.pwrite(descriptor, rest, offset)
        rest, offset = rest[written:], offset + written


def _cut(descriptor: int, end: int, path: Path, disk: Disk) -> None:
    try:
        os.ftruncate(descriptor, end)
        disk.settle(descriptor)
    except OSError as error:
        raise UnknownOutcomeError(f"{path}: {error.strerror}") from error
