"""Connections to one PostgreSQL server: made when they are needed, lent, and kept for the next.

A call that needs a connection and finds none idle makes one itself, so it learns at once, and exactly, why the server
cannot be reached; nothing runs in the background, and after an outage the next call simply connects. (A pool that
reconnects by itself can only tell its callers that they waited too long.)
"""

import os
import re
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import anyio
import psycopg
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8Dumper

from sojourn.errors import BusyError, ClosedError, InvalidInputError, StoreError
from sojourn.store.sql.postgres_errors import translated

LIMIT: Final = 10
WAIT_SECONDS: Final = 10.0
IDLE_SECONDS: Final = 300.0
_OLDEST_SERVER: Final = 15_00_00

# What the address does not say. A dead network is noticed within half a minute, not after hours.
_DEFAULTS: Final[dict[str, Any]] = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    "application_name": "sojourn",
}
# A commit counts when it is on the disk, whatever the server's default. A client that vanished in the middle of a
# transaction frees its sessions after a minute.
_SETTINGS: Final = b"""
SELECT set_config('lock_timeout', '10s', false),
       set_config('idle_in_transaction_session_timeout', '60s', false),
       CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', false) END,
       pg_postmaster_start_time()::text
"""


@dataclass(slots=True, kw_only=True, eq=False)
class Line:
    """A connection on loan. *fresh*: nobody used it before. *server_start* tells one run of the server from another."""

    connection: AsyncConnection[tuple[Any, ...]]
    server_start: str
    fresh: bool = True
    idle_since: float = 0.0

    @property
    def is_standby(self) -> bool:
        """Whether the server only follows another one, and can only be read."""
        return self.connection.info.parameter_status("in_hot_standby") == "on"

    @property
    def is_lost(self) -> bool:
        """Whether the connection is of no more use."""
        return self.connection.closed

    @property
    def is_idle(self) -> bool:
        """Whether the connection is between transactions, and so fit for the next user."""
        return self.connection.pgconn.transaction_status == TransactionStatus.IDLE


class Address:
    """Where the server is, from a `postgresql://` address. Shows everything but the password."""

    def __init__(self, url: str) -> None:
        """Read *url*.

        Raises:
            InvalidInputError: it cannot be read; the message does not repeat it, for there may be a password in it.
        """
        try:
            given = conninfo_to_dict(url)
        except psycopg.Error:
            given = {"port": "unreadable"}
        port, host = str(given.get("port", "")), str(given.get("host", ""))
        if not re.fullmatch(r"[0-9,]*", port) or "@" in host:  # a piece of the password may have got there
            raise InvalidInputError(
                "a PostgreSQL address looks like postgresql://user:password@host:5432/database, "
                "with special characters in the password written as %40 for @, %3A for :, %2F for /"
            ) from None
        self.params: dict[str, Any] = {**_DEFAULTS, **given, "client_encoding": "utf8"}

    def __str__(self) -> str:
        place = ":".join(str(self.params[part]) for part in ("host", "port") if part in self.params)
        return f"postgresql://{place}/{self.params.get('dbname', '')}"


class Connections:
    """Lends connections, at most ten at a time. Lives from its making to `close`, on one event loop."""

    def __init__(self, address: Address, *, limit: int = LIMIT, wait_seconds: float = WAIT_SECONDS) -> None:
        self._address = address
        self._limit = limit
        self._wait_seconds = wait_seconds
        self._slots = anyio.Semaphore(limit)
        self._idle: list[Line] = []  # the most recently used last
        self._closed = False
        self._pid = os.getpid()

    async def connect(self) -> Line:
        """Return a new connection that is not part of what is lent; who asks closes it.

        Raises:
            StoreError: the server cannot be used; the kind says why.
        """
        with translated(str(self._address)):
            connection = await AsyncConnection.connect(**self._address.params, autocommit=True)
            try:
                self._refuse_unfit(connection)
                connection.adapters.register_dumper(int, Int8Dumper)  # one type for all, so one plan per statement
                rows = await (await connection.execute(_SETTINGS)).fetchall()
            except BaseException:
                await connection.close()
                raise
        return Line(connection=connection, server_start=rows[0][-1])

    def lend(self) -> AbstractAsyncContextManager[Line]:
        """Lend a connection; give it back between transactions, else it is closed.

        Raises:
            BusyError: all are lent, and none came back in time.
            ClosedError: this is closed, or was made in another process.
            StoreError: the server cannot be used; the kind says why.
        """
        return self._lend()

    async def drop_idle(self) -> None:
        """Close the idle connections, since one like them was found dead."""
        idle, self._idle = self._idle, []
        for line in idle:
            await line.connection.close()

    async def close(self) -> None:
        """Wait for what is lent, then disconnect. Closing twice is fine."""
        self._closed = True
        with anyio.CancelScope(shield=True):
            with anyio.move_on_after(self._wait_seconds):
                for _ in range(self._limit):
                    await self._slots.acquire()
            await self.drop_idle()

    @asynccontextmanager
    async def _lend(self) -> AsyncIterator[Line]:
        self._refuse_closed()
        await self._take_slot()
        try:
            self._refuse_closed()
            line = self._idle.pop() if self._idle else await self.connect()
            try:
                yield line
            finally:
                with anyio.CancelScope(shield=True):
                    await self._take_back(line)
        finally:
            self._slots.release()

    async def _take_slot(self) -> None:
        try:
            with anyio.fail_after(self._wait_seconds):
                await self._slots.acquire()
        except TimeoutError:
            raise BusyError(f"{self._address}: all {self._limit} connections are in use") from None

    async def _take_back(self, line: Line) -> None:
        if not line.is_lost and not line.is_idle:
            await _abandon_transaction(line)
        if line.is_lost or not line.is_idle:
            await line.connection.close()
            return
        now = anyio.current_time()
        line.fresh, line.idle_since = False, now
        self._idle.append(line)
        while now - self._idle[0].idle_since > IDLE_SECONDS:
            await self._idle.pop(0).connection.close()

    def _refuse_closed(self) -> None:
        if self._closed or self._pid != os.getpid():  # a forked child would speak into its parent's connections
            raise ClosedError(f"{self._address}")

    def _refuse_unfit(self, connection: AsyncConnection[Any]) -> None:
        if connection.info.server_version < _OLDEST_SERVER:
            raise StoreError(f"{self._address}: Sojourn needs PostgreSQL 15 or newer")
        encoding = connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise StoreError(f"{self._address}: the database's encoding is {encoding}, Sojourn needs UTF8")


async def _abandon_transaction(line: Line) -> None:
    """Roll back, if the connection is in a state to do that; otherwise it is closed, which does the same."""
    if line.connection.pgconn.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
        try:
            await line.connection.execute(b"ROLLBACK")
        except psycopg.Error:
            await line.connection.close()
