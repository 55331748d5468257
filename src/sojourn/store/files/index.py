"""`index.jsonl`: where in a journal every 64th entry or so stands, and how many messages come before it.

Records have one length, so that the right one is found by halving, whatever the journal's length. The index is
derived: a record that does not fit the journal is not believed, and the file is made anew when it is behind.
"""

import os
import re
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple, Self

STRIDE: Final = 64
"""How many entries stand between two records, at least; at most that and one append."""
_FORM: Final = re.compile(rb'\{"seq": *(\d+),"offset": *(\d+),"messages": *(\d+),"crc":"([0-9a-f]{8})"\}\n')


class Record(NamedTuple):
    """A line of the journal: it begins with entry *seq*, at *offset*, and *messages* of the journal come before it."""

    seq: int
    offset: int
    messages: int


class StaleIndexError(Exception):
    """A record is not what was written: the index must not be used."""


def encode_record(record: Record) -> bytes:
    """Return *record* as a line of fixed length."""
    text = b'"seq":%12d,"offset":%16d,"messages":%12d' % record
    return b'{%b,"crc":"%08x"}\n' % (text, zlib.crc32(text))


_WIDTH: Final = len(encode_record(Record(0, 0, 0)))


class IndexFile:
    """An open index, empty if there is no file. Records are read when they are asked for."""

    def __init__(self, path: Path) -> None:
        try:
            self._descriptor: int | None = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            self._descriptor = None
        self._count = 0 if self._descriptor is None else os.fstat(self._descriptor).st_size // _WIDTH

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)

    def __len__(self) -> int:
        return self._count

    def record(self, place: int) -> Record:
        """Return the record at *place*.

        Raises:
            StaleIndexError: it is damaged, or there is none.
        """
        if self._descriptor is None or not 0 <= place < self._count:
            raise StaleIndexError
        data = os.pread(self._descriptor, _WIDTH, place * _WIDTH)
        found = _FORM.fullmatch(data)
        if found is None or int(found[4], 16) != zlib.crc32(data[1 : found.start(4) - 8]):
            raise StaleIndexError
        return Record(int(found[1]), int(found[2]), int(found[3]))

    def place_of(self, seq: int) -> int:
        """Return the place of the last record that is not behind entry *seq*."""
        return max(0, bisect_right(range(self._count), seq, key=lambda place: self.record(place).seq) - 1)

    def place_of_message(self, number: int) -> int:
        """Return the place of the record whose block holds the journal's message *number*, counted from 1."""
        return bisect_left(range(self._count), number, key=lambda place: self.record(place).messages) - 1


def add_records(path: Path, records: Sequence[Record], *, anew: bool) -> None:
    """Write *records* at the end of the index, or in place of all it holds."""
    flags = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if anew else 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        whole = os.fstat(descriptor).st_size // _WIDTH * _WIDTH  # a crash may have left part of a record
        os.pwrite(descriptor, b"".join(map(encode_record, records)), whole)
    finally:
        os.close(descriptor)
