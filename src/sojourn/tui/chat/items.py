"""What of a journal is shown as a talk, and how it is read: a page at a time, from either end."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from sojourn.engine.session import Session
from sojourn.model import events as ev
from sojourn.model.entry import Entry
from sojourn.model.message import Message
from sojourn.store.protocol import Order, Store

Kind = Literal["user", "assistant", "tool", "system", "compaction", "note"]

_PAGE: Final = 200
"""Entries that are read at once: a turn is some ten of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing in a talk: what was said, what a tool gave back, or something that happened to the talk itself."""

    seq: int
    at: datetime
    kind: Kind
    text: str
    message: Message | None = None

    @property
    def is_prompt(self) -> bool:
        """Whether a person said it."""
        return self.kind == "user"


def item_of(entry: Entry) -> Item | None:
    """Return what is shown of an entry; None if nothing is."""
    match entry.event:
        case ev.MessageAdded(message=message):
            return Item(seq=entry.seq, at=entry.at, kind=message.role, text=message.text, message=message)
        case ev.Compacted() as compacted:
            return Item(seq=entry.seq, at=entry.at, kind="compaction", text=compacted.summary)
        case ev.CompactionUndone():
            text = "the summary was taken back: the messages count again"
        case ev.Forgotten():
            text = "something was forgotten here"
        case ev.BranchMerged(branch=branch):
            text = f"what branch {branch} learned was brought home"
        case ev.TurnEnded(outcome="cancelled"):
            text = "stopped"
        case ev.TurnEnded(outcome="failed"):
            text = "the turn failed; what was said is kept"
        case _:
            return None
    return Item(seq=entry.seq, at=entry.at, kind="note", text=text)


async def read_earlier(session: Session, *, before: int, count: int) -> list[Item]:
    """Return the last *count* items that stand before entry *before*, oldest first."""
    items: list[Item] = []
    while before > 1 and len(items) < count:
        entries = await session.store.read(session.id, before=before, limit=_PAGE, order=Order.NEWEST_FIRST)
        if not entries:
            break
        items = [*_items(list(reversed(entries))), *items]
        before = entries[-1].seq
    return items[-count:]


async def read_later(session: Session, *, after: int, count: int) -> list[Item]:
    """Return the first *count* items that stand after entry *after*, oldest first."""
    items: list[Item] = []
    while len(items) < count:
        entries = await session.store.read(session.id, after=after, limit=_PAGE)
        if not entries:
            break
        items += _items(entries)
        after = entries[-1].seq
    return items[:count]


async def place_before(store: Store, session_id: str, item: Item) -> int:
    """Return the last entry before something that the person said, and before the turn that it began."""
    entries = await store.read(session_id, before=item.seq, limit=1, order=Order.NEWEST_FIRST)
    began_turn = bool(entries) and isinstance(entries[0].event, ev.TurnStarted)
    return max(1, item.seq - 2 if began_turn else item.seq - 1)


def _items(entries: Sequence[Entry]) -> list[Item]:
    return [item for entry in entries if (item := item_of(entry)) is not None]
