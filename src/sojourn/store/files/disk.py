"""Files and folders, written so that a crash leaves the old or the new, readable by their owner alone.

The one place that turns the operating system's errors into ours, and that knows what durability means here.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from sojourn.errors import AccessError, StorageFullError, StoreError
from sojourn.store.protocol import Durability

_FULL: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_REFUSED: Final = {
    errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ELOOP, errno.ENAMETOOLONG,
}  # fmt: skip
_UNFINISHED: Final = ".new"


@contextmanager
def translated(root: Path) -> Iterator[None]:
    """Raise our errors in place of the operating system's."""
    try:
        yield
    except OSError as error:
        detail = f"{error.filename or root}: {error.strerror or error}"
        if error.errno in _FULL:
            raise StorageFullError(detail) from error
        if error.errno in _REFUSED:
            raise AccessError(detail) from error
        raise StoreError(detail) from error


def read_file(path: Path) -> bytes | None:
    """Return what is in *path*; None if there is no such file."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def make_folder(path: Path) -> None:
    """Make *path* a folder that only its owner may enter, with those above it, unless it exists."""
    if path.is_dir():
        return
    make_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)


def unfinished_of(path: Path) -> Path:
    """Return the file in which a replacement for *path* is written."""
    return path.with_name(f".{path.name}{_UNFINISHED}")


def is_unfinished(name: str) -> bool:
    """Tell whether a file of this name is what a crash left of a replacement."""
    return name.startswith(".") and name.endswith(_UNFINISHED)


class Disk:
    """How files are written: with `FULL`, a write that returns is on the disk. Two may not write one file at once."""

    def __init__(self, durability: Durability) -> None:
        self._waits = durability is Durability.FULL

    def settle(self, descriptor: int) -> None:
        """Wait until what was written to an open file is on the disk."""
        if self._waits:
            os.fsync(descriptor)

    def settle_folder(self, path: Path) -> None:
        """Wait until the names in a folder are on the disk."""
        if self._waits:
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def replace(self, path: Path, data: bytes) -> None:
        """Make *data* the content of *path*, at once."""
        with self.replacing(path) as file:
            file.write(data)

    @contextmanager
    def replacing(self, path: Path) -> Iterator[BinaryIO]:
        """Give a file to write to, which takes the place of *path* at the end; after an error nothing has changed."""
        fresh = unfinished_of(path)
        try:
            with open(os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "w+b") as file:  # noqa: PTH123 - a mode for the new file
                yield file
                file.flush()
                self.settle(file.fileno())
            fresh.replace(path)
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise
