"""What the person said before, to be said again: in this session first, then in others of its project."""

from typing import Final

from sojourn.engine.session import Session
from sojourn.model.events import MessageAdded
from sojourn.store.protocol import SessionQuery, Store

_REMEMBERED: Final = 200
_OTHERS: Final = 5
"""Other sessions that are looked into."""
_READ: Final = 60
"""Messages that are read of each."""


class History:
    """What was said, and how far back one has gone in it. Lives as long as the prompt."""

    def __init__(self) -> None:
        self._said: list[str] = []
        self._back = 0
        self.wants_more = True
        """Whether other sessions were not looked into yet."""

    def begin(self, texts: list[str]) -> None:
        """Know what was said in a session that was opened, oldest first."""
        self._said, self._back, self.wants_more = texts[-_REMEMBERED:], 0, True

    def add(self, text: str) -> None:
        """Know what was just said."""
        if not self._said or self._said[-1] != text:
            self._said = [*self._said, text][-_REMEMBERED:]
        self._back = 0

    def rewind(self) -> None:
        """Begin with what was said last."""
        self._back = 0

    def is_shown(self, text: str) -> bool:
        """Tell whether *text* is what was brought back, and nobody has changed it since."""
        return self._back > 0 and self._said[-self._back].strip() == text.strip()

    def back(self) -> str | None:
        """Return what was said before that; None if nothing was."""
        if self._back >= len(self._said):
            return None
        self._back += 1
        return self._said[-self._back]

    def forth(self) -> str | None:
        """Return what was said after that; None if nothing was."""
        self._back = max(0, self._back - 1)
        return self._said[-self._back] if self._back else None

    async def read_others(self, store: Store, *, project: str, session: Session | None) -> None:
        """Know what was said lately in other sessions of *project*, before what was said in *session*."""
        self.wants_more = False
        page = await store.list_sessions(SessionQuery(project=project, limit=_OTHERS + 1))
        ids = [row.header.session_id for row in page.rows]
        own = session.id if session is not None else None
        older: list[str] = []
        for session_id in [one for one in ids if one != own][:_OTHERS]:
            entries = await store.last_messages(session_id, _READ)
            said = [entry.event.message for entry in entries if isinstance(entry.event, MessageAdded)]
            older = [*(message.text for message in said if message.role == "user"), *older]
        known = set(self._said)
        fresh = list(dict.fromkeys(text for text in older if text.strip() and text not in known))
        self._said = [*fresh, *self._said]
