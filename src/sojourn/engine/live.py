"""What the parts of a live session need of it: its state, and a way to append."""

from collections.abc import Iterable
from typing import Protocol

from sojourn.clock import Clock
from sojourn.model.entry import Draft, Entry
from sojourn.model.events import Event
from sojourn.model.ids import SessionId
from sojourn.model.state import SessionState
from sojourn.store.protocol import Receipt, Store


class Live(Protocol):
    """A live session, as its nouns see it."""

    @property
    def id(self) -> SessionId: ...

    @property
    def state(self) -> SessionState:
        """The state now."""
        ...

    @property
    def store(self) -> Store: ...

    @property
    def clock(self) -> Clock: ...

    async def last_messages(self, limit: int = 20) -> list[Entry]:
        """Return the last *limit* messages that the state holds, oldest first."""
        ...

    async def append(self, *events: Event | Draft, causes: Iterable[int] = (), expected: int | None = None) -> Receipt:
        """Append all *events* or none, as derived from *causes*."""
        ...

    async def refresh(self) -> None:
        """Bring the state up to the journal's head."""
        ...
