"""The ids of all calls that a session's journal holds, so that none is used twice.

Some servers count their calls from zero in each answer. A context shows only the latest of them, but another one, for a
larger model, may show them all: then two calls of one name would be taken for one.
"""

from collections.abc import Iterable
from typing import Final

from sojourn.engine.session import Session
from sojourn.model.events import MessageAdded
from sojourn.model.ids import Seq
from sojourn.model.message import ToolCall
from sojourn.store.protocol import MAX_PAGE

RANDOM: Final = 16
"""Characters from which on an id is taken for one that was drawn, and is met no more."""


class CallIds:
    """What a journal holds of them. Lives as long as its talk; what was read once is not read again."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._found: set[str] = set()
        self._through = Seq(0)

    async def found(self) -> set[str]:
        """Return the ids of all calls up to the journal's head."""
        session = self._session
        while self._through < session.head:
            entries = await session.store.read(session.id, after=self._through, limit=MAX_PAGE)
            if not entries:
                break
            for entry in entries:
                if isinstance(entry.event, MessageAdded):
                    self._found.update(call.id for call in entry.event.message.tool_calls)
            self._through = entries[-1].seq
        return self._found


def are_counted(calls: Iterable[ToolCall]) -> bool:
    """Tell whether the ids of *calls* may be met again: one of them is short."""
    return any(len(call.id) < RANDOM for call in calls)
