"""How much a store holds, counted from the rows of its sessions: no journal is read for it."""

import heapq
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import msgspec

from sojourn.engine.loading import load_state
from sojourn.errors import CorruptError
from sojourn.model.header import SessionHeader
from sojourn.store.all_sessions import all_sessions
from sojourn.store.protocol import SessionQuery, SessionRow, Store

_LARGEST: Final = 5


@dataclass(slots=True, kw_only=True)
class Stock:
    """What sessions hold together. Lives while they are counted; *aside* counts those that a list leaves out."""

    sessions: int = 0
    messages: int = 0
    entries: int = 0
    tokens: int = 0
    cost_micros: int = 0
    oldest: datetime | None = None
    newest: datetime | None = None
    aside: dict[str, int] = field(
        default_factory=lambda: {"archived": 0, "in the trash": 0, "rewound": 0, "damaged": 0}
    )
    largest: list[SessionHeader] = field(default_factory=list)

    def add(self, row: SessionRow, *, inherited: SessionHeader | None) -> None:
        """Count a session, without what it *inherited* as a fork: that is counted at its parent."""
        header = row.header
        before = inherited or msgspec.structs.replace(header, message_count=0, total_tokens=0, cost_micros=0)
        self.sessions += 1
        self.aside["archived"] += header.archived_at is not None
        self.aside["in the trash"] += header.trashed_at is not None
        self.aside["rewound"] += header.superseded_by is not None
        self.aside["damaged"] += row.quarantined is not None
        self.entries += header.head - (header.forked_at or 0)
        self.messages += header.message_count - before.message_count
        self.tokens += header.total_tokens - before.total_tokens
        self.cost_micros += header.cost_micros - before.cost_micros
        if header.head > 0:  # a row that cannot be read has no times
            self.oldest = min(self.oldest or header.created_at, header.created_at)
            self.newest = max(self.newest or header.updated_at, header.updated_at)

    def to_data(self) -> dict[str, Any]:
        """Return it for programs."""
        names = ("sessions", "messages", "entries", "tokens", "cost_micros", "oldest", "newest", "largest")
        counted = {name: msgspec.to_builtins(getattr(self, name)) for name in names}
        return counted | {name.replace("in the trash", "trashed"): number for name, number in self.aside.items()}


async def take_stock(store: Store, *, project: str | None = None) -> Stock:
    """Count what every session of *store*, or of one *project*, holds, also those that are put aside."""
    stock, headers = Stock(), list[SessionHeader]()
    async for row in all_sessions(store, SessionQuery(project=project, archived=None, trashed=None)):
        stock.add(row, inherited=await inherited(store, row))
        headers.append(row.header)
    stock.largest = heapq.nlargest(_LARGEST, headers, key=lambda header: (header.message_count, header.total_tokens))
    return stock


async def inherited(store: Store, row: SessionRow) -> SessionHeader | None:
    """Return what a fork began with, if its parent is there to be counted; None for others, and if it is damaged."""
    header = row.header
    if header.forked_from is None or header.forked_at is None or await store.find_session(header.forked_from) is None:
        return None
    try:
        return (await load_state(store, header.session_id, at=header.forked_at + 1)).state.header
    except CorruptError:  # its row is all there is
        return None
