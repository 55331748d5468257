"""Sojourn in the journal benchmark: a `Session` on SQLite, durable at every append."""

from pathlib import Path
from typing import Final

import apsw
from contestant import SESSION
from turn import batches, make_turn

from sojourn.engine.session import Session
from sojourn.model.events import Event
from sojourn.store import Durability, Store, open_store

_BATCH: Final = 57
"""Turns per append when a file is filled. Three batches are 513 entries, which is also when a session that appends one
turn at a time keeps its snapshots: so a filled file has the same ones."""


class LiveSojourn:
    """An open session, and the store that it is in."""

    def __init__(self, store: Store, session: Session) -> None:
        self.store = store
        self.session = session

    def prepare(self, number: int) -> tuple[Event, ...]:
        return make_turn(number).to_events()

    async def append(self, turn: tuple[Event, ...]) -> None:
        await self.session.append(*turn)

    async def append_and_look(self, turn: tuple[Event, ...]) -> None:
        """Store the turn and look at the state that it leads to, which is made when somebody looks."""
        await self.session.append(*turn)
        assert self.session.state.head == self.session.head

    async def last_messages(self, limit: int) -> int:
        return len(await self.store.last_messages(SESSION, limit))

    async def close(self) -> None:
        """Close the store but not the session: as after a crash, its last entries are in no snapshot."""
        await self.store.close()


class Sojourn:
    """The contestant that this benchmark is about."""

    name = "Sojourn"
    about = "Session on SQLite, WAL, synchronous=FULL"

    async def fill(self, path: Path, turns: int) -> None:
        async with open_store(path, durability=Durability.FULL) as store:
            session = await Session.create(store, SESSION)
            for batch in batches(turns, size=_BATCH):
                await session.append(*(event for turn in batch for event in turn.to_events()))

    async def open(self, path: Path) -> LiveSojourn:
        store = await self.open_store(path)
        session = await Session.open(store, SESSION)
        assert session.state.head == session.head
        return LiveSojourn(store, session)

    async def open_store(self, path: Path) -> Store:
        """Open the file alone."""
        store = open_store(path, durability=Durability.FULL)
        await store.__aenter__()
        return store

    def checkpoint(self, path: Path) -> None:
        checkpoint_apsw(path)


def checkpoint_apsw(path: Path) -> None:
    """Empty the log of a file that apsw's SQLite wrote.

    Python's `sqlite3` is another copy of the library: it must not touch the file in the same process, because closing
    it there would drop the locks of this one.
    """
    connection = apsw.Connection(str(path))
    connection.pragma("wal_checkpoint(truncate)")
    connection.close()
