"""Events with times of their own, written into a journal: in pieces, so that a long talk needs little memory.

If it breaks off between two pieces, the session is there with the first ones, and importing it again goes on.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

import msgspec

from sojourn.errors import InvalidInputError
from sojourn.model.codec import CODEC
from sojourn.model.entry import Entry
from sojourn.model.events import Compacted, Event, MessageAdded
from sojourn.model.ids import Seq, SessionId
from sojourn.model.message import Message
from sojourn.store.protocol import Store

_PIECE: Final = 500
_MOST: Final = 1000


class JournalWriter:
    """Writes one session's journal, from its first entry or from where it ends. Lives for one talk."""

    def __init__(
        self, store: Store, session_id: SessionId, *, head: int, at: datetime, calls: dict[str, Seq], dry_run: bool
    ) -> None:
        """Go on behind entry *head*, which is 0 for a new session, and was written *at* some time.

        *calls* says which message called which tool. With *dry_run* it is only counted.
        """
        self._store = store
        self._session_id = session_id
        self._is_begun = head > 0
        self._head = head
        self._at = at
        self._calls = calls
        self._dry_run = dry_run
        self._waiting: list[Entry] = []
        self.messages = 0
        self.refused = 0
        """Events that cannot be stored: too large, or nested too deep."""

    async def add(self, events: Iterable[Event], *, at: datetime | None = None) -> None:
        """Add what happened *at* some time, or, if nobody knows, when what came before it did."""
        self._at = at or self._at
        for event in events:
            self._add(event)
        if len(self._waiting) >= _PIECE:
            await self.flush()

    async def flush(self) -> None:
        """Store what waits.

        Raises:
            ConflictError: somebody else wrote to the session meanwhile.
        """
        waiting, self._waiting = self._waiting, []
        if self._dry_run or not waiting:
            return
        if not self._is_begun:
            await self._store.import_session(self._session_id, waiting)
            self._is_begun = True
            return
        for start in range(0, len(waiting), _MOST):
            await self._store.extend_session(self._session_id, waiting[start : start + _MOST])

    def _add(self, event: Event) -> None:
        if isinstance(event, Compacted):
            event = msgspec.structs.replace(event, through=Seq(self._head))
        try:
            encoded = CODEC.encode(event)
        except InvalidInputError:
            self.refused += 1
            return
        self._head += 1
        message = event.message if isinstance(event, MessageAdded) else None
        self._waiting.append(
            Entry(
                session_id=self._session_id,
                seq=Seq(self._head),
                at=self._at,
                event=encoded.event,
                causes=self._causes(message),
                payload=encoded.payload,
                version=encoded.version,
            )
        )
        if message is not None:
            self.messages += 1
            self._calls.update({call.id: Seq(self._head) for call in message.tool_calls})

    def _causes(self, message: Message | None) -> tuple[Seq, ...]:
        """Return the message that a result of a tool answers, so that forgetting that one reaches it."""
        if message is None or message.tool_call_id is None or message.tool_call_id not in self._calls:
            return ()
        return (self._calls[message.tool_call_id],)
