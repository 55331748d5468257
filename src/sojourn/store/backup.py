"""Backups count only once they were read back, and have their name only then: what was cut off is no backup."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from sojourn.errors import AccessError, AlreadyExistsError, CorruptError
from sojourn.store.filesystem import take_free_place
from sojourn.store.protocol import BackupReport, Progress, Store

_BESIDE: Final = ("", "-wal", "-shm")


async def back_up(
    target: Path,
    *,
    copy: Callable[[Path], Awaitable[None]],
    opened: Callable[[Path], Store],
    on_progress: Progress | None = None,
) -> BackupReport:
    """Let *copy* write a copy beside *target*, read it back as *opened* opens it, and put it there.

    Raises:
        AlreadyExistsError: *target* is there already: a backup never replaces anything.
        CorruptError: the copy is not whole, because what it was made of is not. It is at *target* all the same.
        AccessError: it cannot be put there.
    """
    _refuse_existing(target)
    unfinished = target.with_name(f".{target.name[:100]}.{os.urandom(4).hex()}.part")
    try:
        await copy(unfinished)
        async with opened(unfinished) as made:
            report = await made.check(on_progress=on_progress)
        await asyncio.to_thread(_place, unfinished, target)
    finally:
        await asyncio.shield(asyncio.to_thread(_remove, unfinished))
    if not report.ok:
        raise CorruptError(f"backup={target}: {report.problems[0].what}")
    return BackupReport(path=target, sessions=report.sessions, entries=report.entries)


def _refuse_existing(target: Path) -> None:
    if os.path.lexists(target):
        raise AlreadyExistsError(f"{target}")


def _place(unfinished: Path, target: Path) -> None:
    """Give the copy its name once it is on the disk: SQLite does not wait for that when it copies."""
    try:
        descriptor = os.open(unfinished, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        take_free_place(unfinished, target)
    except FileExistsError as error:
        raise AlreadyExistsError(f"{target}") from error
    except OSError as error:
        raise AccessError(f"{target}: {error.strerror or error}") from error


def _remove(unfinished: Path) -> None:
    """Remove what has not become a backup."""
    if unfinished.is_dir():
        import shutil  # noqa: PLC0415 - it loads what unpacks archives, and a list of sessions makes no backup

        shutil.rmtree(unfinished)
        return
    for end in _BESIDE:
        unfinished.with_name(f"{unfinished.name}{end}").unlink(missing_ok=True)
