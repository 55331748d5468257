"""The last messages of a live session, in memory: an agent asks for them before every model call."""

from collections import deque
from collections.abc import Iterable
from typing import Final

from sojourn.model.entry import Entry
from sojourn.model.events import MessageAdded

MAX_MESSAGES: Final = 64
MAX_CHARS: Final = 100_000
"""A longer message is not held: it is read when it is asked for."""


class RecentMessages:
    """The newest messages up to the session's head, without a gap. Lives as long as its session is open."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque(maxlen=MAX_MESSAGES)

    def add(self, entries: Iterable[Entry]) -> None:
        """Follow the journal by its next *entries*."""
        for entry in entries:
            if type(entry.event) is MessageAdded:
                if len(entry.payload) > MAX_CHARS:
                    self._entries.clear()
                else:
                    self._entries.append(entry)

    def replace(self, entries: Iterable[Entry]) -> None:
        """Hold *entries*, the newest messages, in place of what was held."""
        self._entries.clear()
        self.add(entries)

    def last(self, limit: int) -> list[Entry] | None:
        """Return the last *limit* messages, oldest first; None if fewer are held."""
        return list(self._entries)[-limit:] if 0 < limit <= len(self._entries) else None
