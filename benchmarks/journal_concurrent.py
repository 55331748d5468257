"""Many sessions at once: Sojourn against the same group commit without an engine.

The bare group writes the very rows that Sojourn stores for a turn, into a file that Sojourn made, encoded beforehand.
What it leaves out is everything that makes them a session: checks, encoding, checksums, state, errors, cancellation.
"""

import asyncio
import queue
import statistics
import threading
import time
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

import apsw
from contestant import SESSION
from journal_sojourn import Sojourn
from turn import make_turn

from sojourn.engine.session import Session
from sojourn.model.events import Event
from sojourn.store import Store

SESSIONS: Final = 64
_MOST: Final = 512
_ENTRIES: Final = 3
_ADVANCE: Final = """
UPDATE sessions SET head = ?, updated_at = ?, message_count = message_count + 2, total_tokens = total_tokens + 1000
WHERE tenant = 'default' AND session_id = ?
"""


class Many(Protocol):
    """Many sessions that are open on one file. Lives from `create` to `close`."""

    @property
    def commits(self) -> int:
        """How many transactions were committed so far."""
        ...

    async def append(self, number: int, turn: tuple[Event, ...]) -> None:
        """Store *turn* in session *number*, durably."""
        ...

    async def close(self) -> None:
        """Release the file."""
        ...


class Throughput(NamedTuple):
    """What one round of concurrent appends did."""

    turns_per_second: float
    turns_per_commit: float


async def measure_concurrent(folder: Path, *, rounds: int, turns: int) -> dict[str, Throughput]:
    """Let every session append *turns* turns at the same time, Sojourn and the bare group by turns; return medians."""
    groups: dict[str, Many] = {
        "Sojourn": await ManySojourn.create(folder / "many.db"),
        "bare group commit": await BareGroup.create(folder / "bare.db"),
    }
    seen: dict[str, list[Throughput]] = {name: [] for name in groups}
    for number in range(rounds):
        names = sorted(groups, reverse=bool(number % 2))
        for name in names:
            seen[name].append(await _append_everywhere(groups[name], turns=turns))
    for group in groups.values():
        await group.close()
    return {name: Throughput(*map(statistics.median, zip(*taken, strict=True))) for name, taken in seen.items()}


async def _append_everywhere(group: Many, *, turns: int) -> Throughput:
    ready = [make_turn(number).to_events() for number in range(turns)]

    async def talk(number: int) -> None:
        for turn in ready:
            await group.append(number, turn)

    commits, begin = group.commits, time.perf_counter()
    async with asyncio.TaskGroup() as tasks:
        for number in range(SESSIONS):
            tasks.create_task(talk(number))
    stored = SESSIONS * turns
    return Throughput(stored / (time.perf_counter() - begin), stored / (group.commits - commits))


class ManySojourn:
    """Live sessions on one store."""

    def __init__(self, store: Store, sessions: list[Session]) -> None:
        self._store = store
        self._sessions = sessions

    @classmethod
    async def create(cls, path: Path) -> "ManySojourn":
        """Make a file with so many sessions."""
        store = await Sojourn().open_store(path)
        return cls(store, [await Session.create(store, _session_id(number)) for number in range(SESSIONS)])

    @property
    def commits(self) -> int:
        driver: Any = self._store._driver  # type: ignore[attr-defined]  # only a SQL store has one
        return int(driver.commits)

    async def append(self, number: int, turn: tuple[Event, ...]) -> None:
        await self._sessions[number].append(*turn)

    async def close(self) -> None:
        await self._store.close()


class _Job(NamedTuple):
    """A turn's rows, the session's new row, and who waits for them."""

    rows: list[tuple[Any, ...]]
    advance: tuple[Any, ...]
    done: asyncio.Future[None]


class BareGroup:
    """A queue, a thread, and one transaction for whatever waits."""

    def __init__(self, path: Path, template: list[tuple[Any, ...]], columns: list[str]) -> None:
        self.commits = 0
        self._loop = asyncio.get_running_loop()
        self._path = path
        self._template = template
        self._places = [columns.index(name) for name in ("session_id", "seq", "at")]
        self._insert = f"INSERT INTO journal VALUES ({', '.join('?' * len(columns))})"
        self._heads = [1] * SESSIONS
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="bare-group", daemon=True)
        self._thread.start()

    @classmethod
    async def create(cls, path: Path) -> "BareGroup":
        """Let Sojourn make a file with the sessions and a turn to copy, and take it over."""
        model = await ManySojourn.create(path)
        await model.append(0, make_turn(0).to_events())
        await model.close()
        connection = apsw.Connection(str(path))
        columns = [str(name) for _, name, *_ in connection.execute("PRAGMA table_info(journal)")]
        turn = "FROM journal WHERE session_id = ? AND seq > 1"
        template = connection.execute(f"SELECT * {turn} ORDER BY seq", (_session_id(0),)).fetchall()
        assert len(template) == _ENTRIES
        connection.execute(f"DELETE {turn}", (_session_id(0),))
        connection.close()
        return cls(path, template, columns)

    async def append(self, number: int, turn: tuple[Event, ...]) -> None:  # noqa: ARG002 - its rows are ready
        session_id, head, at = _session_id(number), self._heads[number], time.time_ns() // 1000
        self._heads[number] = head + _ENTRIES
        rows = [self._place(row, session_id, head + 1 + index, at) for index, row in enumerate(self._template)]
        done = self._loop.create_future()
        self._jobs.put(_Job(rows, (head + _ENTRIES, at, session_id), done))
        await done

    async def close(self) -> None:
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)

    def _place(self, row: tuple[Any, ...], session_id: str, seq: int, at: int) -> tuple[Any, ...]:
        changed = list(row)
        for place, value in zip(self._places, (session_id, seq, at), strict=True):
            changed[place] = value
        return tuple(changed)

    # --- on the thread

    def _run(self) -> None:
        connection = apsw.Connection(str(self._path))
        connection.pragma("synchronous", "full")
        connection.pragma("secure_delete", True)
        while (batch := self._next_batch()) is not None:
            connection.execute("BEGIN IMMEDIATE")
            for rows, advance, _ in batch:
                connection.executemany(self._insert, rows)
                connection.execute(_ADVANCE, advance)
            connection.execute("COMMIT")
            self.commits += 1
            self._loop.call_soon_threadsafe(_resolve, batch)
        connection.close()

    def _next_batch(self) -> list[_Job] | None:
        job = self._jobs.get()
        if job is None:
            return None
        batch = [job]
        while len(batch) < _MOST and not self._jobs.empty():
            job = self._jobs.get()
            if job is None:
                self._jobs.put(None)
                break
            batch.append(job)
        return batch


def _resolve(batch: list[_Job]) -> None:
    for job in batch:
        job.done.set_result(None)


def _session_id(number: int) -> str:
    return f"{SESSION}-{number}"
