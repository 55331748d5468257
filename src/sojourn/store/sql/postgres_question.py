"""One SELECT on a PostgreSQL database, in a transaction that cannot write.

The question becomes a cursor of the server: that takes a SELECT and nothing else. It is sent as a prepared statement,
which holds one statement, so nothing behind a semicolon can end the transaction. What a function of the server does
beside its tables, such as to read a file there, is as its owner allowed it to this user.
"""

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final

import psycopg

from sojourn.errors import InvalidInputError, SojournError, StoreError
from sojourn.store.answer import Answer, Room
from sojourn.store.sql.postgres_connections import Address, Connections
from sojourn.store.sql.postgres_errors import translate

_CANCELLED: Final = "57014"
_FORBIDDEN: Final = "42501"
_NOT_UNDERSTOOD: Final = ("42", "0A", "25")
"""Classes of states: wrong words or names, what no cursor can do, what a transaction that only reads refuses."""
_PIECE: Final = 500
"""Rows that come at once: a page of events fits into memory."""
_PLAIN: Final = (bool, int, float, str, bytes, type(None), datetime, date, time, timedelta, Decimal, list, dict)


async def ask(url: str, sql: str, *, limit: int, seconds: float) -> Answer:
    """Run *sql* on a connection of its own. The errors are those of `query`."""
    address = Address(url)
    line = await Connections(address).connect()
    try:
        return await _answer(line.connection, sql, limit=limit, seconds=seconds)
    except psycopg.Error as error:
        raise _as_ours(error, str(address), seconds) from error
    finally:
        await line.connection.close()


async def _answer(connection: psycopg.AsyncConnection[Any], sql: str, *, limit: int, seconds: float) -> Answer:
    await connection.execute(b"BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
    await connection.execute(
        "SELECT set_config('statement_timeout', %s, true)", (f"{max(1, round(seconds * 1000))}ms",)
    )
    question = f"DECLARE question NO SCROLL CURSOR FOR {sql}".encode()
    await connection.execute(question, prepare=True)
    columns: tuple[str, ...] = ()
    rows: list[tuple[Any, ...]] = []
    room = Room()
    while len(rows) <= limit:
        wanted = min(_PIECE, limit + 1 - len(rows))
        cursor = await connection.execute(f"FETCH {wanted} FROM question".encode())
        columns = tuple(column.name for column in cursor.description or ())
        piece = await cursor.fetchall()
        for row in piece:
            room.take(row)
            rows.append(tuple(map(_plain, row)))
        if len(piece) < wanted:
            break
    return Answer(columns=columns, rows=tuple(rows[:limit]), more=len(rows) > limit)


def _plain(value: Any) -> Any:
    """Return a value that JSON has a form for; PostgreSQL has types without number."""
    return value if isinstance(value, _PLAIN) else str(value)


def _as_ours(error: psycopg.Error, where: str, seconds: float) -> SojournError:
    if error.sqlstate == _CANCELLED:
        return StoreError(f"the query took longer than {seconds:g} s")
    if (error.sqlstate or "").startswith(_NOT_UNDERSTOOD) and error.sqlstate != _FORBIDDEN:
        said = (error.diag.message_primary or str(error)).strip()
        return InvalidInputError(f"PostgreSQL does not understand it as one SELECT: {said}")
    return translate(error, where)
