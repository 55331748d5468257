"""From PostgreSQL's errors to ours: the one place that knows both."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg

from sojourn.errors import (
    AccessError,
    AlreadyExistsError,
    BusyError,
    ConflictError,
    CorruptError,
    InvalidInputError,
    SojournError,
    StorageFullError,
    StoreError,
    TooLargeError,
    UnavailableError,
)

# By SQLSTATE, or by its first two characters, which name a class of states.
_KINDS: Final[dict[str, type[SojournError]]] = {
    "08": UnavailableError,  # connection exception
    "22": InvalidInputError,  # data exception
    "23": ConflictError,  # integrity constraint violation
    "23505": AlreadyExistsError,
    "25006": AccessError,  # read-only transaction
    "25P03": UnavailableError,  # the server ended an idle transaction, and the connection with it
    "28": AccessError,  # invalid authorization
    "40": BusyError,  # transaction rollback: conflicts and deadlocks, after several tries
    "42501": AccessError,  # insufficient privilege
    "53": BusyError,  # insufficient resources
    "53100": StorageFullError,
    "54": TooLargeError,  # program limit exceeded
    "55P03": BusyError,  # lock not available
    "57014": BusyError,  # cancelled by a timeout
    "57P": UnavailableError,  # shutting down or starting up
    "58P01": CorruptError,  # a file of the database is missing
    "XX001": CorruptError,
    "XX002": CorruptError,
}
_TRANSIENT: Final = frozenset({
    "40001",  # serialization failure
    "40P01",  # deadlock
    "23505",  # somebody else inserted the same first, which the next run will see
    "23503",  # a session was purged while it was being forked, which the next run will see
})  # fmt: skip

# A refused connection has no SQLSTATE, only words.
_WORDS: Final[tuple[tuple[re.Pattern[str], type[SojournError]], ...]] = (
    (re.compile(r"too many (clients|connections)|remaining connection slots"), BusyError),
    (
        re.compile(
            r"authentication failed|no password supplied|no pg_hba\.conf entry|role .* does not exist"
            r"|not permitted to log in|permission denied|pg_hba\.conf rejects"
        ),
        AccessError,
    ),
)


def translate(error: psycopg.Error, where: str) -> SojournError:
    """Return our error for PostgreSQL's; *where* says on which server, without a password."""
    said = (error.diag.message_primary or str(error)).strip().replace("\n\t", " ")
    return _kind(error, said)(f"{where}: {said}")


def is_transient(error: psycopg.Error) -> bool:
    """Tell whether the same operation, run again, can succeed or find out by itself what is in its way."""
    return error.sqlstate in _TRANSIENT


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Raise our errors in place of PostgreSQL's."""
    try:
        yield
    except psycopg.Error as error:
        raise translate(error, where) from error


def _kind(error: psycopg.Error, said: str) -> type[SojournError]:
    state = error.sqlstate
    if state is not None:
        return next((_KINDS[state[:n]] for n in (5, 3, 2) if state[:n] in _KINDS), StoreError)
    if isinstance(error, psycopg.DataError):  # found by the driver before it was sent
        return InvalidInputError
    if isinstance(error, psycopg.OperationalError):
        return next((kind for words, kind in _WORDS if words.search(said)), UnavailableError)
    return StoreError
