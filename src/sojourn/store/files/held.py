"""A session as one process knows it: what its journal adds up to, and what the derived files do not have yet."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from msgspec import structs

from sojourn.errors import CorruptError
from sojourn.model.entry import Entry
from sojourn.model.ids import Seq
from sojourn.model.state import SessionState, replay
from sojourn.store.files.index import STRIDE, Record
from sojourn.store.files.journal_file import NO_STAMP, Placed, Stamp
from sojourn.store.files.line import MESSAGE_KIND, NO_ORIGIN, Damage, Origin
from sojourn.store.files.projections import recent_messages
from sojourn.store.protocol import SessionRow
from sojourn.store.rows import read_entry


class Use(NamedTuple):
    """Where an idempotency key was used: its append's first and last entry, and when, in microseconds."""

    first: int
    last: int
    at: int


@dataclass(slots=True, kw_only=True)
class Held:
    """What is known of a session. True while its journal's *stamp* stays and its lock is held.

    The journal's whole lines reach to *end*; an unfinished one may follow. The index knows lines up to *indexed*, and
    its last record is of entry *block*. *records*, *keys* and *anew* are what the derived files still lack; *behind*
    says whether they lack anything; *settled* is the stamp of the `metadata.json` that says the same. Entry *cleared*
    removed the partial text from before it.
    """

    row: SessionRow
    origin: Origin = NO_ORIGIN
    state: SessionState | None = None
    stamp: Stamp = NO_STAMP
    settled: Stamp | None = None
    end: int = 0
    indexed: int = 0
    block: int = 0
    messages: int = 0
    records: list[Record] = field(default_factory=list)
    keys: dict[str, Use] = field(default_factory=dict)
    receipts: int = 0
    receipts_through: int = 0
    cleared: int = 0
    anew: bool = False
    behind: bool = False
    recent: deque[dict[str, Any]] | None = None
    working: bytes | None = None
    state_seq: int = 0
    state_bytes: int = 0

    @property
    def head(self) -> Seq:
        """The last entry."""
        return self.row.header.head

    def take(self, placed: Placed, entries: Sequence[Entry] | None = None) -> Damage | None:
        """Follow the journal by one line, of which any part may be known already; say what is wrong with it, if so.

        *entries* are the line's, if the caller has them.
        """
        line = placed.line
        if line.damage is not None:
            return line.damage
        known = self.state.head if self.state is not None else 0
        if line.last > known:
            if entries is None:
                entries = []
                for row in line.rows:
                    try:
                        entries.append(read_entry(row, self.row.header.session_id))
                    except CorruptError as error:
                        return Damage(row.seq, error.detail)
            self._fold([entry for entry in entries if entry.seq > known])
        if placed.end > self.indexed:
            self._index(placed)
        if line.key is not None and line.last > self.receipts_through:
            self.keys[line.key] = Use(line.first, line.last, line.rows[0].at)
        if placed.end > self.end:
            self.end, self.behind = placed.end, True
            self.cleared = line.last if line.clears_partial else self.cleared
        return None

    def quarantine(self, damage: Damage, *, head: int) -> None:
        """Note that the journal is damaged; entries up to *head* are there all the same."""
        header = structs.replace(self.row.header, head=Seq(max(head, self.head)))
        self.row = replace(self.row, header=header, quarantined=f"entry={damage.seq}: {damage.what}")
        self.end, self.behind = self.stamp.size, True

    def _fold(self, entries: Sequence[Entry]) -> None:
        self.state = replay(entries, state=self.state)
        if self.state is not None:
            self.row = replace(self.row, header=self.state.header)
        if self.recent is not None:
            self.recent += recent_messages(entries)

    def _index(self, placed: Placed) -> None:
        line = placed.line
        if placed.offset == 0 or line.first >= self.block + STRIDE:
            self.records.append(Record(line.first, placed.offset, self.messages))
            self.block = line.first
        self.messages += sum(row.kind == MESSAGE_KIND for row in line.rows)
        self.indexed = placed.end
