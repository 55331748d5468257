"""From SQLite's errors to ours: the one place that knows both."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw

from sojourn.errors import (
    AccessError,
    BusyError,
    CorruptError,
    StorageFullError,
    StoreError,
    TooLargeError,
)

_KINDS: Final[dict[type[apsw.Error], type[StoreError]]] = {
    apsw.BusyError: BusyError,
    apsw.LockedError: BusyError,
    apsw.FullError: StorageFullError,
    apsw.ReadOnlyError: AccessError,
    apsw.PermissionsError: AccessError,
    apsw.CantOpenError: AccessError,
    apsw.AuthError: AccessError,
    apsw.CorruptError: CorruptError,
    apsw.NotADBError: CorruptError,
    apsw.FormatError: CorruptError,
}
# A quota or a file size limit shows as a failed write, not as a full disk.
_FULL_CODES: Final = {apsw.SQLITE_IOERR_WRITE, apsw.SQLITE_IOERR_SHMSIZE, apsw.SQLITE_IOERR_TRUNCATE}


def translate(error: apsw.Error, path: Path | None) -> StoreError | TooLargeError:
    """Return our error for SQLite's."""
    detail = f"{path or 'memory'}: {error}"
    if isinstance(error, apsw.TooBigError):
        return TooLargeError(detail)
    if isinstance(error, apsw.IOError) and getattr(error, "extendedresult", 0) in _FULL_CODES:
        return StorageFullError(detail)
    if isinstance(error, apsw.SQLError) and str(error).startswith("no such"):
        return CorruptError(detail)  # the statements fit the schema, so it is the schema that is damaged
    return _KINDS.get(type(error), StoreError)(detail)


@contextmanager
def translated(path: Path | None) -> Iterator[None]:
    """Raise our errors in place of SQLite's and of the operating system's."""
    try:
        yield
    except apsw.Error as error:
        raise translate(error, path) from error
    except OSError as error:
        raise AccessError(f"{path}: {error.strerror or error}") from error
