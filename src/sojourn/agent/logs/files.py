"""A log's text files: only their owner may use them, a link in their place is never followed, all is UTF-8."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from sojourn.errors import AccessError, StorageFullError

_FULL: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class OutOfStepError(Exception):
    """The file has another length than it should: a crash or another program came between."""


@contextmanager
def on_disk(path: Path) -> Iterator[None]:
    """Raise our errors in place of the operating system's."""
    try:
        yield
    except OSError as error:
        kind = StorageFullError if error.errno in _FULL else AccessError
        raise kind(f"{path}: {error.strerror or error}") from error


class LogFile:
    """One file of a log. Opened for each write, so that a file which was moved or removed is noticed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __repr__(self) -> str:
        return f"LogFile({str(self.path)!r})"

    def exists(self) -> bool:
        """Tell whether the file is there, and is a file."""
        try:
            return stat.S_ISREG(self.path.lstat().st_mode)
        except OSError:
            return False

    def size(self) -> int:
        """Return how many bytes it has; -1 if there is no such file."""
        return self.path.lstat().st_size if self.exists() else -1

    def create(self) -> None:
        """Make the file, empty; whatever is there already is refused."""
        with on_disk(self.path):
            os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o600))

    def append(self, data: bytes, *, at: int | None = None) -> None:
        """Write *data* at the end, which must be at this byte if it is said.

        Raises:
            OutOfStepError: the file ends somewhere else; nothing was written.
        """
        with on_disk(self.path), _opened(self.path, os.O_WRONLY | os.O_APPEND) as handle:
            if at is not None and os.fstat(handle).st_size != at:
                raise OutOfStepError(self.path.name)
            _write(handle, data)

    def replace(self, pieces: Iterable[bytes]) -> int:
        """Write the file anew, all of it or nothing, and return how long it is."""
        unfinished = self.path.with_name(f"{self.path.name}.new")
        size = 0
        with on_disk(self.path):
            with suppress(FileNotFoundError):
                unfinished.unlink()
            try:
                with _opened(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as handle:
                    for piece in pieces:
                        _write(handle, piece)
                        size += len(piece)
                unfinished.replace(self.path)
            except BaseException:
                with suppress(OSError):
                    unfinished.unlink()
                raise
        return size


@contextmanager
def _opened(path: Path, flags: int) -> Iterator[int]:
    handle = os.open(path, flags | _NO_LINK, 0o600)
    try:
        yield handle
    finally:
        os.close(handle)


def _write(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]
