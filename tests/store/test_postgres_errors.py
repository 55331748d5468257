"""PostgreSQL's errors become ours, and no message ever shows a password."""

import psycopg
import pytest
from psycopg import errors as pg

from sojourn.errors import (
    AccessError,
    AlreadyExistsError,
    BusyError,
    CorruptError,
    InvalidInputError,
    SojournError,
    StorageFullError,
    StoreError,
    TooLargeError,
    UnavailableError,
)
from sojourn.store import open_store
from sojourn.store.sql.postgres_errors import translate


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ada:sesame@127.0.0.1:1/db",
        "postgresql://ada:sesame@host.invalid/db",
        "postgresql:///db?host=/nowhere&password=sesame",
    ],
)
@pytest.mark.anyio
async def test_a_server_that_cannot_be_reached_is_named_without_the_password(address: str) -> None:
    store = open_store(address)
    with pytest.raises(UnavailableError) as caught:
        await store.__aenter__()

    assert "sesame" not in f"{store!r} {caught.value} {caught.value.__cause__}"
    assert "/db" in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ada:open@sesame:1@host/db",
        "postgresql://ada:open@sesame@host/db",
        "postgresql://ada:sesame%zz@host/db",
        "postgresql://[ada:sesame",
        "postgresql://host/db?sesame=1",
        "postgresql://ada:open@host:sesame/db",
    ],
)
def test_an_address_that_cannot_be_read_is_refused_without_repeating_it(address: str) -> None:
    with pytest.raises(InvalidInputError, match="looks like") as caught:
        open_store(address)

    assert "sesame" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (pg.DiskFull, StorageFullError),
        (pg.OutOfMemory, BusyError),
        (pg.TooManyConnections, BusyError),
        (pg.LockNotAvailable, BusyError),
        (pg.QueryCanceled, BusyError),
        (pg.DeadlockDetected, BusyError),
        (pg.SerializationFailure, BusyError),
        (pg.InsufficientPrivilege, AccessError),
        (pg.InvalidPassword, AccessError),
        (pg.ReadOnlySqlTransaction, AccessError),
        (pg.DataCorrupted, CorruptError),
        (pg.IndexCorrupted, CorruptError),
        (pg.AdminShutdown, UnavailableError),
        (pg.CannotConnectNow, UnavailableError),
        (pg.ConnectionFailure, UnavailableError),
        (pg.UniqueViolation, AlreadyExistsError),
        (pg.ProgramLimitExceeded, TooLargeError),
        (pg.NumericValueOutOfRange, InvalidInputError),
        (pg.UndefinedTable, StoreError),
        (psycopg.DataError, InvalidInputError),
        (psycopg.OperationalError, UnavailableError),
        (psycopg.InterfaceError, StoreError),
    ],
)
def test_each_error_of_postgresql_becomes_one_of_ours(theirs: type[psycopg.Error], ours: type[SojournError]) -> None:
    assert type(translate(theirs("what it says"), "here")) is ours


@pytest.mark.parametrize(
    ("words", "ours"),
    [
        ('FATAL:  password authentication failed for user "ada"', AccessError),
        ('FATAL:  no pg_hba.conf entry for host "1.2.3.4"', AccessError),
        ("fe_sendauth: no password supplied", AccessError),
        ("FATAL:  sorry, too many clients already", BusyError),
        ("FATAL:  the database system is starting up", UnavailableError),
    ],
)
def test_a_refused_connection_is_understood_by_its_words(words: str, ours: type[SojournError]) -> None:
    assert type(translate(psycopg.OperationalError(f"connection failed: {words}"), "here")) is ours
