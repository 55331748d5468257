"""One text file: read within limits, and replaced as a whole. What goes wrong is said in one sentence."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from sojourn.errors import InvalidInputError

MAX_BYTES: Final = 16 * 1024 * 1024
_LOOKED_AT: Final = 8192
"""Bytes in which a NUL tells that a file holds no text."""
# Never follow a link that took the place of the file meanwhile, and never wait for who writes into a pipe.
_READING: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_WRITING: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class Loaded(NamedTuple):
    """What is in a file, and which file that was."""

    data: bytes
    identity: tuple[int, int, int, int]
    """Device, number, size and time of change: another one means that somebody wrote to it."""


@contextmanager
def in_words(path: Path | str) -> Iterator[None]:
    """Say what the operating system has against it.

    Raises:
        InvalidInputError: in place of an `OSError`.
    """
    try:
        yield
    except OSError as error:
        raise InvalidInputError(f"{str(path)!r:.200}: {error.strerror or error}") from error


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """Open whatever *path* is for reading, without waiting for anybody; a link is not followed."""
    descriptor = os.open(path, _READING)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def load(path: Path) -> Loaded:
    """Return what is in the text file *path*.

    Raises:
        InvalidInputError: there is none, it is not a text file, or it is too large.
    """
    with in_words(path), opened(path) as descriptor:
        found = os.fstat(descriptor)
        if stat.S_ISDIR(found.st_mode):
            raise InvalidInputError(f"{str(path)!r} is a folder: use list_folder")
        if not stat.S_ISREG(found.st_mode):
            raise InvalidInputError(f"{str(path)!r} is a device, a pipe or a socket, not a file")
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InvalidInputError(f"{str(path)!r} has {found.st_size:,} bytes, at most {MAX_BYTES:,} are read: use grep")
    if b"\0" in data[:_LOOKED_AT]:
        raise InvalidInputError(f"{str(path)!r} is a binary file of {len(data):,} bytes, not text")
    return Loaded(data, _identity(found))


def replace(path: Path, data: bytes, *, known: Loaded | None = None) -> bool:
    """Make *data* the content of *path*, at once, and tell whether the file is new; its rights stay as they are.

    Folders above it are made. A crash or a full disk leaves the old file.

    Raises:
        InvalidInputError: it cannot be written, or it is not any more what was *known* of it.
    """
    fresh = path.with_name(f".sojourn-{secrets.token_hex(8)}.new")
    with in_words(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.lstat() if os.path.lexists(path) else None
        if before is not None and not stat.S_ISREG(before.st_mode):
            raise InvalidInputError(f"{str(path)!r} is there already, and is not a file")
        try:
            with open(os.open(fresh, _WRITING, 0o666), "wb") as file:  # noqa: PTH123 - only if it is new
                file.write(data)
                if before is not None:
                    fresh.chmod(stat.S_IMODE(before.st_mode))
                file.flush()
                os.fsync(file.fileno())
            if known is not None and (before is None or _identity(path.lstat()) != known.identity):
                raise InvalidInputError(f"{str(path)!r} was changed by somebody else meanwhile: read it again")
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)
    return before is None


def _identity(found: os.stat_result) -> tuple[int, int, int, int]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
