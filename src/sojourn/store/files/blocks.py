"""The entries that one session stores itself, read by blocks of the index, from the front or from the back."""

from collections.abc import Iterator
from typing import Self

from sojourn.errors import CorruptError
from sojourn.model.ids import SessionId
from sojourn.store.files.folders import SessionFolder
from sojourn.store.files.index import IndexFile, Record, StaleIndexError
from sojourn.store.files.journal_file import JournalFile
from sojourn.store.files.line import MESSAGE_KIND, JournalLine, decode_line, is_torn, span_of
from sojourn.store.rows import JournalRow


class Blocks:
    """One session's journal and its index, open for reading. *through* is the session that errors name."""

    def __init__(self, folder: SessionFolder, *, through: SessionId) -> None:
        """Open both.

        Raises:
            CorruptError: there is no journal.
        """
        try:
            self._journal = JournalFile(folder.journal)
        except FileNotFoundError as error:
            raise CorruptError(f"session={through}: {folder.journal} is missing") from error
        self._index = IndexFile(folder.index)
        self._through = through
        self._whole = Record(self._journal.first_seq(), 0, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._index.__exit__()
        self._journal.__exit__()

    def forward(self, first: int, last: int, limit: int) -> list[JournalRow]:
        """Return the entries *first* to *last*, at most *limit*.

        Raises:
            CorruptError: one of them is damaged or missing.
        """
        rows: list[JournalRow] = []
        wanted = min(last, first + limit - 1)
        start = self._block(self._place_of(first))[0]
        for data in self._lines(start.offset, self._journal.stamp.size):
            span = span_of(data)
            if span is None or span[1] < first:
                continue  # a line that cannot be told leaves a gap, which is noticed below
            if span[0] > wanted:
                break
            line = decode_line(data, expected=first + len(rows) if rows else span[0])
            rows += [row for row in line.rows if first <= row.seq <= wanted]
            if line.damage is not None and line.damage.seq <= wanted:
                raise self._corrupt(max(first, line.damage.seq), line.damage.what)
        for place, row in enumerate(rows, start=first):
            if row.seq != place:
                raise self._corrupt(place, "the entry is missing")
        if first + len(rows) <= wanted:
            raise self._corrupt(first + len(rows), "the entry is missing")
        return rows

    def backward(self, first: int, last: int, limit: int, *, messages_only: bool = False) -> list[JournalRow]:
        """Return the entries *last* down to *first*, newest first, at most *limit*.

        Raises:
            CorruptError: one that would have to be returned is damaged.
        """
        rows: list[JournalRow] = []
        place, bound = self._place_of(last), self._journal.stamp.size
        while True:
            record, end = self._block(place)
            for data in reversed(list(self._lines(record.offset, min(end, bound)))):
                span = span_of(data)
                if span is not None and span[0] > last:
                    continue
                line = decode_line(data, expected=span[0] if span else last)
                if line.damage is not None and first <= line.damage.seq <= last:
                    raise self._corrupt(line.damage.seq, line.damage.what)
                wanted = [row for row in line.rows if first <= row.seq <= last]
                rows += [row for row in reversed(wanted) if not messages_only or row.kind == MESSAGE_KIND]
                last = line.first - 1
                if len(rows) >= limit or last < first:
                    return rows[:limit]
            if record.offset == 0 or (messages_only and record.messages == 0):
                return rows
            bound = record.offset
            place = self._place_of_message(record.messages) if messages_only else self._place_of(record.seq - 1)

    def line_with(self, seq: int) -> JournalLine | None:
        """Return the line that holds entry *seq*, if it is whole."""
        record, end = self._block(self._place_of(seq))
        for data in self._lines(record.offset, end):
            span = span_of(data)
            if span is not None and span[0] <= seq <= span[1]:
                line = decode_line(data, expected=span[0])
                return line if line.damage is None else None
        return None

    def _lines(self, offset: int, end: int) -> Iterator[bytes]:
        """Give the lines from *offset* to *end*, without one that is unfinished."""
        for place, data in self._journal.raw_lines(offset, end):
            if place + len(data) < self._journal.stamp.size or not is_torn(data):
                yield data

    def _place_of(self, seq: int) -> int | None:
        try:
            return self._index.place_of(seq)
        except StaleIndexError:
            return None

    def _place_of_message(self, number: int) -> int | None:
        try:
            return self._index.place_of_message(number)
        except StaleIndexError:
            return None

    def _block(self, place: int | None) -> tuple[Record, int]:
        """Return the record at *place* and where its block ends; the whole journal if the index does not fit it."""
        size = self._journal.stamp.size
        if place is None:
            return self._whole, size
        try:
            record = self._index.record(place)
            end = self._index.record(place + 1).offset if place + 1 < len(self._index) else size
        except StaleIndexError:
            return self._whole, size
        if record.offset < end <= size and self._journal.begins_line(record.offset, record.seq):
            return record, end
        return self._whole, size

    def _corrupt(self, seq: int, what: str) -> CorruptError:
        return CorruptError(f"session={self._through} entry={seq}: {what}")
