"""Questions in SQL to a whole database: for its owner, who may look at everything and change nothing.

It is no part of a `Store`: a store shows one tenant, and this shows all of them, so it is never offered to a server's
clients. A question gets a connection of its own, which cannot write, and which takes nothing but one SELECT.
"""

from pathlib import Path
from typing import Final

from sojourn.errors import InvalidInputError, MissingExtraError
from sojourn.store.answer import Answer
from sojourn.store.location import read_location

MAX_ROWS: Final = 100_000


async def query(location: str | Path, sql: str, *, limit: int = 100, seconds: float = 10.0) -> Answer:
    """Run one SELECT on the database at *location* and return at most *limit* rows, within *seconds*.

    Raises:
        InvalidInputError: it is no SELECT that the database understands, or the store has no SQL.
        StoreError: it took too long, or the database cannot be read; the kind says why.
    """
    if not 1 <= limit <= MAX_ROWS:
        raise InvalidInputError(f"a query returns 1 to {MAX_ROWS:,} rows")
    if not sql.strip(" \t\r\n;"):
        raise InvalidInputError("write a SELECT")
    _check_text(sql)
    kind, path = read_location(location)
    if kind == "postgresql":
        return await _ask_postgres(str(location), sql, limit=limit, seconds=seconds)
    if kind == "files":
        raise InvalidInputError(
            f"a store of files has no SQL: grep and jq read {path}/sessions/*/journal.jsonl, one entry a line"
        )
    if path is None:
        raise InvalidInputError("there is no database to ask")
    from sojourn.store.sql.sqlite_question import ask  # noqa: PLC0415 - nobody pays for a driver that he does not use

    return await ask(path, sql, limit=limit, seconds=seconds)


def _check_text(sql: str) -> None:
    try:
        sql.encode()
    except UnicodeEncodeError as error:
        raise InvalidInputError(f"the SQL is no text in UTF-8, from character {error.start + 1} on") from error
    if "\0" in sql:
        raise InvalidInputError("the SQL holds a character that no database takes, of the code 0")


async def _ask_postgres(url: str, sql: str, *, limit: int, seconds: float) -> Answer:
    try:
        from sojourn.store.sql.postgres_question import ask  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("PostgreSQL needs: pip install 'sojourn[postgres]'") from error
    return await ask(url, sql, limit=limit, seconds=seconds)
