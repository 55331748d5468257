"""A file that is there whole or not at all: written beside its place, and moved there when it is complete."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

import anyio.to_thread

from sojourn.errors import AccessError, AlreadyExistsError
from sojourn.store.filesystem import take_free_place


class NewFile:
    """A file in the making. Lives within `new_file`."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file = file
        self.path = path

    async def write(self, data: bytes) -> None:
        """Add *data* to what was written.

        Raises:
            AccessError: it cannot be written, as when the disk is full.
        """
        try:
            await anyio.to_thread.run_sync(self._file.write, data)
        except OSError as error:
            raise AccessError(f"{self.path}: {error.strerror or error}") from error


@asynccontextmanager
async def new_file(path: Path, *, replace: bool) -> AsyncIterator[NewFile]:
    """Give a file to write, which takes its place at *path* when the block ends well; only its owner may read it.

    Only a file is ever replaced: what is something else, as /dev/null is, stays what it is.

    Raises:
        AlreadyExistsError: there is something at *path*, and it is not to be replaced.
        AccessError: the file cannot be written, or what is at *path* is no file.
    """
    unfinished = path.with_name(f".{path.name[:100]}.{os.urandom(4).hex()}.tmp")
    try:
        await anyio.to_thread.run_sync(partial(_check_place, path, replace=replace))
        descriptor = os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except OSError as error:
        raise AccessError(f"{path}: {error.strerror or error}") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield NewFile(file, path)
            await anyio.to_thread.run_sync(_settle, file, path)
        _place(unfinished, path, replace=replace)
    finally:
        unfinished.unlink(missing_ok=True)


def _settle(file: BinaryIO, path: Path) -> None:
    try:
        file.flush()
        os.fsync(file.fileno())
    except OSError as error:
        raise AccessError(f"{path}: {error.strerror or error}") from error


def _check_place(path: Path, *, replace: bool) -> None:
    if not replace and os.path.lexists(path):
        raise AlreadyExistsError(f"{path}")
    if path.exists() and not path.is_file():
        raise AccessError(f"{path} is no file that could be replaced")


def _place(unfinished: Path, path: Path, *, replace: bool) -> None:
    try:
        if replace:
            unfinished.replace(path)
        else:
            take_free_place(unfinished, path)
    except FileExistsError as error:
        raise AlreadyExistsError(f"{path}") from error
    except OSError as error:
        raise AccessError(f"{path}: {error.strerror or error}") from error
