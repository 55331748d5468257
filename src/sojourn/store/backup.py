"""Backups count only once they were read back."""

from pathlib import Path

from sojourn.errors import AlreadyExistsError, CorruptError
from sojourn.store.protocol import BackupReport, Progress, Store


def refuse_existing(target: Path) -> None:
    """Raise if *target* is there already: a backup never replaces anything."""
    if target.exists():
        raise AlreadyExistsError(f"{target}")


async def verify_copy(copy: Store, target: Path, *, on_progress: Progress | None = None) -> BackupReport:
    """Open *copy*, which lies at *target*, check every entry, and report.

    Raises:
        CorruptError: the copy is not whole.
    """
    async with copy:
        report = await copy.check(on_progress=on_progress)
    if not report.ok:
        raise CorruptError(f"backup={target}: {report.problems[0].what}")
    return BackupReport(path=target, sessions=report.sessions, entries=report.entries)
