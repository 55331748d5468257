"""The session that is exported: its entries in pages, as they stood when the export began."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from sojourn.desk.exporting.redaction import Redactor
from sojourn.model.entry import Entry
from sojourn.model.events import MessageAdded
from sojourn.model.header import SessionHeader
from sojourn.model.message import Message
from sojourn.store.protocol import Store

Tools = Literal["none", "names", "full"]
"""How much of tool calls and their results a document shows: nothing, which tools, or all."""
_PAGE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A session on its way out. Lives for one export.

    *saved_at* is when that is; *read* hears of each page how many entries were read.
    """

    store: Store
    header: SessionHeader
    saved_at: datetime
    redactor: Redactor
    tools: Tools = "full"
    read: Callable[[int], None] = field(default=lambda _: None)

    @property
    def title(self) -> str:
        """What the document is called."""
        return self.redactor.again(" ".join((self.header.title or "A session without a title").split()))

    async def entries(self, *, watched: bool = True) -> AsyncIterator[Entry]:
        """Yield every entry, oldest first, page by page. One who reads twice is *watched* once."""
        after, head = 0, self.header.head
        while after < head:
            page = await self.store.read(self.header.session_id, after=after, before=head + 1, limit=_PAGE)
            for entry in page:
                yield entry
            if watched:
                self.read(len(page))
            after = page[-1].seq

    def message(self, entry: Entry) -> Message | None:
        """Return the message that an entry adds, as it may be shown; None if it adds none."""
        event = entry.event
        return self.redactor.message(event.message) if isinstance(event, MessageAdded) else None
