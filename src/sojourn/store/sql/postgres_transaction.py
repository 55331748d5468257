"""One operation in one PostgreSQL transaction, statement by statement.

An append takes four round trips: begin, move the head, write, commit. Pipeline mode would save one of them and costs
psycopg twice the time on the event loop, so only statements with many rows use it.

If the connection breaks during the COMMIT, only the server knows the outcome. `Attempt` keeps what it can be asked
by: the transaction's number, and the first entry that the transaction wrote.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, NamedTuple, TypeVar, cast

import anyio
import anyio.lowlevel
import psycopg
from psycopg import AsyncConnection

from sojourn.errors import AccessError
from sojourn.model.ids import Seq, SessionId, TenantId
from sojourn.store.sql.postgres_connections import Line
from sojourn.store.sql.statement import Operation, Statement

T = TypeVar("T")
Statements = Mapping[str, bytes]

_BEGIN_READING: Final = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_BEGIN_WRITING: Final = b"BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_current_xact_id()::text"
_ASK: Final = b"SELECT pg_xact_status(%s::xid8)"
_NOT_PREPARED: Final = frozenset(
    {"list_sessions", "count_sessions"}
)  # which index is best depends on which filters are given
_RETURNS_ROWS: Final = re.compile(rb"\A(SELECT|WITH)|\bRETURNING\b")


class Probe(NamedTuple):
    """An entry that a transaction wrote: where it is, and by what it is known."""

    tenant: TenantId
    session_id: SessionId
    seq: int
    at: int
    crc: int


class Outcome(Enum):
    """How a transaction whose COMMIT got no reply has ended."""

    COMMITTED = "committed"
    ABORTED = "aborted"
    PENDING = "pending"
    UNKNOWN = "unknown"


@dataclass(slots=True, kw_only=True)
class Attempt:
    """One run of an operation on a connection: how far it came, and what it did."""

    line: Line
    result: Any = None
    committing: bool = False
    number: str = ""
    probe: Probe | None = None
    heads: dict[tuple[TenantId, SessionId], Seq] = field(default_factory=dict)

    def note(self, statement: Statement) -> None:
        """Remember what *statement* writes, as far as it matters after the commit."""
        name, many = statement.name, statement.many
        if not many:
            return
        first: Any = many[0]
        last: Any = many[-1]
        if name == "insert_entry":
            tenant, session_id, seq, at, *_, crc = first
            self.probe = self.probe or Probe(tenant, session_id, seq, at, crc)
            self.heads[tenant, session_id] = last[2]
        elif name == "replace_entry":
            self.probe = self.probe or Probe(*(first[part] for part in Probe._fields))


def encode_statements(texts: Mapping[str, str]) -> Statements:
    """Return the statements as the driver wants them."""
    return {name: text.encode() for name, text in texts.items()}


async def read(attempt: Attempt, statements: Statements, operation: Operation[T]) -> T:
    """Run an operation that only reads, on one consistent view of the data."""
    connection = attempt.line.connection
    await connection.execute(_BEGIN_READING, prepare=False)
    result = await _drive(attempt, statements, operation)
    await connection.execute(b"COMMIT", prepare=False)
    return result


async def write(attempt: Attempt, statements: Statements, operation: Operation[T]) -> T:
    """Run an operation and commit it; *attempt* tells, if an error is raised, what has to be found out."""
    connection = attempt.line.connection
    if attempt.line.is_standby:
        raise AccessError("this PostgreSQL server is a standby, which can only be read")
    begun = await connection.execute(_BEGIN_WRITING, prepare=False)
    begun.nextset()
    attempt.number = (await begun.fetchall())[0][0]
    result = await _drive(attempt, statements, operation)
    attempt.result = result
    with anyio.CancelScope(shield=True):  # once it is asked for, the caller waits for its outcome
        attempt.committing = True
        await connection.execute(b"COMMIT", prepare=False)
    return result


async def find_outcome(line: Line, statements: Statements, attempt: Attempt) -> Outcome:
    """Ask the server how the transaction of *attempt* ended.

    What the journal holds is proof. The transaction's number is none once the server was started anew: it may have
    been given again.
    """
    status = await _status(line.connection, attempt.number)
    if status == "in progress":
        return Outcome.PENDING
    if attempt.probe is not None:
        return Outcome.COMMITTED if await _is_stored(line.connection, statements, attempt.probe) else Outcome.ABORTED
    if line.server_start != attempt.line.server_start:
        return Outcome.UNKNOWN
    return {"committed": Outcome.COMMITTED, "aborted": Outcome.ABORTED}.get(status or "", Outcome.UNKNOWN)


async def _drive(attempt: Attempt, statements: Statements, operation: Operation[T]) -> T:
    connection = attempt.line.connection
    try:
        statement = next(operation)
        while True:
            attempt.note(statement)
            statement = operation.send(await _execute(connection, statements[statement.name], statement))
    except StopIteration as finished:
        return cast(T, finished.value)


async def _execute(
    connection: AsyncConnection[tuple[Any, ...]], text: bytes, statement: Statement
) -> list[tuple[Any, ...]]:
    name, params, many = statement.name, statement.params, statement.many
    if many is not None and len(many) != 1:
        with anyio.CancelScope(shield=True):  # psycopg cannot leave a pipeline that is cut off in the middle
            await connection.cursor().executemany(text, many)
        await anyio.lowlevel.checkpoint_if_cancelled()
        return []
    given = many[0] if many else params
    anew = statement.replan or name in _NOT_PREPARED
    cursor = await connection.execute(text, given, prepare=False if anew else None)
    return await cursor.fetchall() if _RETURNS_ROWS.search(text) else []


async def _status(connection: AsyncConnection[tuple[Any, ...]], number: str) -> str | None:
    try:
        return cast(str | None, (await (await connection.execute(_ASK, [number])).fetchall())[0][0])
    except psycopg.errors.InvalidParameterValue:  # a number of the future: the server lost it in a crash
        return "aborted"


async def _is_stored(connection: AsyncConnection[tuple[Any, ...]], statements: Statements, probe: Probe) -> bool:
    place = {"first": probe.seq, "last": probe.seq, "limit": 1}
    rows = await (await connection.execute(statements["select_entries"], {**probe._asdict(), **place})).fetchall()
    return bool(rows) and (rows[0][1], rows[0][-1]) == (probe.at, probe.crc)
