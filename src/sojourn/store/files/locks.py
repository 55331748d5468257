"""Locks that processes share: `flock` on a file of its own, so that the files it protects can be replaced."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sojourn.errors import BusyError

PATIENCE_SECONDS: Final = 10.0
_SHORTEST_WAIT, _LONGEST_WAIT = 0.001, 0.02


@contextmanager
def hold(path: Path, *, shared: bool = False, patience: float = PATIENCE_SECONDS) -> Iterator[None]:
    """Hold the lock *path* for a while, alone or *shared* with others who share it.

    Raises:
        BusyError: somebody else kept it for *patience* seconds.
        FileNotFoundError: the lock's folder does not exist, or was removed in the meantime.
    """
    while True:
        descriptor = _open(path)
        try:
            _take(descriptor, path, shared=shared, patience=patience)
            if _is_current(descriptor, path):
                yield
                return
        finally:
            os.close(descriptor)


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        try:
            return os.open(path, os.O_RDONLY)  # in a folder that may only be read, an existing lock still serves
        except OSError:
            raise error from None


def _take(descriptor: int, path: Path, *, shared: bool, patience: float) -> None:
    waited, wait = 0.0, _SHORTEST_WAIT
    while True:
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            if waited >= patience:
                raise BusyError(f"{path.parent}") from None
            time.sleep(wait)
            waited += wait
            wait = min(wait * 2, _LONGEST_WAIT)
        else:
            return


def _is_current(descriptor: int, path: Path) -> bool:
    """Tell whether the locked file is still the one of this name: a purge takes the lock away with its folder."""
    try:
        return path.stat().st_ino == os.fstat(descriptor).st_ino
    except FileNotFoundError:
        return False
