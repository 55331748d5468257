"""The least that storing a turn durably in SQLite can cost: hand-written statements, nothing checked, no session.

The floor runs on the thread of its caller, which blocks an event loop for as long as the disk takes. The threaded
floor does the same work behind one worker thread, as any asyncio program has to.
"""

import asyncio
import queue
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec
from contestant import RECENT, SESSION, Live
from journal_sojourn import checkpoint_apsw
from turn import batches, make_turn

from sojourn.model.events import Event

_SCHEMA: Final = """
CREATE TABLE sessions (
    session_id TEXT PRIMARY KEY, head INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    messages INTEGER NOT NULL, tokens INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE messages (
    session_id TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (session_id, seq)
);
CREATE TABLE usage (
    session_id TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (session_id, seq)
);
"""
_HEAD: Final = "SELECT head FROM sessions WHERE session_id = ?"
_INSERT_MESSAGE: Final = "INSERT INTO messages VALUES (?, ?, ?, ?)"
_INSERT_USAGE: Final = "INSERT INTO usage VALUES (?, ?, ?, ?)"
_ADVANCE: Final = """
UPDATE sessions SET head = ?, updated_at = ?, messages = messages + 2, tokens = tokens + ? WHERE session_id = ?
"""
_LAST: Final = "SELECT seq, at, body FROM messages WHERE session_id = ? ORDER BY seq DESC LIMIT ?"
_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder().decode


class LiveFloor:
    """An open file and the number of its last entry."""

    def __init__(self, path: Path) -> None:
        self._connection = apsw.Connection(str(path))
        self._connection.pragma("synchronous", "full")
        rows: list[Any] = self._connection.execute(_HEAD, (SESSION,)).fetchall()
        self._head: int = rows[0][0]

    def prepare(self, number: int) -> tuple[Event, ...]:
        return make_turn(number).to_events()

    def append_now(self, turn: tuple[Any, ...]) -> None:
        """Store a turn in one transaction, on this thread."""
        user, assistant, usage = turn
        execute, head, at = self._connection.execute, self._head, time.time_ns() // 1000
        messages = [
            (SESSION, head + 1, at, _encode(user).decode()),
            (SESSION, head + 2, at, _encode(assistant).decode()),
        ]
        execute("BEGIN IMMEDIATE")
        self._connection.executemany(_INSERT_MESSAGE, messages)
        execute(_INSERT_USAGE, (SESSION, head + 3, at, _encode(usage).decode()))
        execute(_ADVANCE, (head + 3, at, usage.input_tokens + usage.output_tokens, SESSION))
        execute("COMMIT")
        self._head = head + 3

    def last_messages_now(self, limit: int) -> list[Any]:
        """Read and decode the last messages, oldest first, on this thread."""
        rows = self._connection.execute(_LAST, (SESSION, limit)).fetchall()
        return [(seq, at, _decode(body)) for seq, at, body in reversed(rows)]

    async def append(self, turn: tuple[Any, ...]) -> None:
        self.append_now(turn)

    async def last_messages(self, limit: int) -> int:
        return len(self.last_messages_now(limit))

    async def close(self) -> None:
        self._connection.close()


class Floor:
    """Hand-written SQLite on the calling thread."""

    name = "floor"
    about = "hand-written apsw on the calling thread, WAL, synchronous=FULL"

    async def fill(self, path: Path, turns: int) -> None:
        connection = apsw.Connection(str(path))
        connection.pragma("page_size", 2048)  # as Sojourn has it
        connection.pragma("journal_mode", "wal")
        connection.execute(_SCHEMA)
        connection.execute("INSERT INTO sessions VALUES (?, 0, 0, 0, 0)", (SESSION,))
        connection.close()
        live = LiveFloor(path)
        live._connection.pragma("synchronous", "off")
        for batch in batches(turns, size=1000):
            for turn in batch:
                live.append_now(turn.to_events())
        await live.close()

    async def open(self, path: Path) -> Live:
        live = LiveFloor(path)
        live.last_messages_now(RECENT)
        return live

    def checkpoint(self, path: Path) -> None:
        checkpoint_apsw(path)


class LiveThreadedFloor:
    """The floor behind one thread, which ends with `close`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._loop = asyncio.get_running_loop()
        self._jobs: queue.SimpleQueue[tuple[Callable[[], Any] | None, asyncio.Future[Any]]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="floor", daemon=True)
        self._live: LiveFloor
        self._thread.start()

    def prepare(self, number: int) -> tuple[Event, ...]:
        return make_turn(number).to_events()

    async def start(self) -> None:
        """Open the file on the thread."""
        await self._call(self._open)

    async def append(self, turn: tuple[Any, ...]) -> None:
        await self._call(lambda: self._live.append_now(turn))

    async def last_messages(self, limit: int) -> int:
        return len(await self._call(lambda: self._live.last_messages_now(limit)))

    async def close(self) -> None:
        await self._call(self._live._connection.close)
        await self._call(None)
        self._thread.join()

    async def _call(self, job: Callable[[], Any] | None) -> Any:
        done = self._loop.create_future()
        self._jobs.put((job, done))
        return await done

    def _open(self) -> None:
        self._live = LiveFloor(self._path)

    def _run(self) -> None:
        job: Callable[[], Any] | None = self._open
        while job is not None:
            job, done = self._jobs.get()
            outcome = job() if job else None
            self._loop.call_soon_threadsafe(done.set_result, outcome)


class ThreadedFloor(Floor):
    """Hand-written SQLite on a thread of its own."""

    name = "floor, one thread"
    about = "the floor behind one worker thread, as an asyncio program has to"

    async def open(self, path: Path) -> Live:
        live = LiveThreadedFloor(path)
        await live.start()
        await live.last_messages(RECENT)
        return live
