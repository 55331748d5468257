"""What the journal benchmark asks of everyone it compares. One file on disk per contestant and size, one session in it.

A contestant is used the way its own documentation shows. `open` includes reading what a program needs to go on with
the conversation: a state, or the last 20 messages.
"""

import sqlite3
import tempfile
from pathlib import Path
from typing import Any, Final, Protocol

SESSION: Final = "session"
RECENT: Final = 20


class Live(Protocol):
    """A session that is open."""

    def prepare(self, number: int) -> Any:
        """Return turn *number* in the contestant's own types; this is not timed."""
        ...

    async def append(self, turn: Any) -> None:
        """Store the prepared *turn*."""
        ...

    async def last_messages(self, limit: int) -> int:
        """Read the last *limit* messages and return how many came."""
        ...

    async def close(self) -> None:
        """Release the file."""
        ...


class Contestant(Protocol):
    """A library, or a hand-written floor."""

    name: str
    about: str
    """How it was set up, and what it does less than the others."""

    async def fill(self, path: Path, turns: int) -> None:
        """Make a file with one session of so many turns, and release it."""
        ...

    async def open(self, path: Path) -> Live:
        """Open the session in *path*, ready to go on."""
        ...

    def checkpoint(self, path: Path) -> None:
        """Bring everything that the log holds into *path* itself; nobody has it open."""
        ...


def stock_checkpoint(path: Path) -> None:
    """Empty the log of a file that Python's own `sqlite3` wrote."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()


def stock_durability(journal_mode: str) -> str:
    """Return the default `synchronous` of Python's own `sqlite3` in this mode: what a peer that sets none runs with.

    It is asked of a file with a table in it, because builds may have another default for the write-ahead log.
    """
    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder, "asked.db"))
        connection.execute(f"PRAGMA journal_mode = {journal_mode}").fetchall()
        connection.execute("CREATE TABLE asked (answer)")
        level = int(connection.execute("PRAGMA synchronous").fetchone()[0])
        connection.close()
    return ("OFF", "NORMAL", "FULL", "EXTRA")[level]
