"""A small disk that can be full, and can grow."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

ROOM: Final = 1024 * 1024


@contextmanager
def mounted(disk: Path, *, size: int) -> Iterator[None]:
    """Have a disk of *size* bytes at *disk*; the test is skipped where none can be made."""
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)], capture_output=True, text=True, check=False
    )
    if made.returncode != 0:
        pytest.skip(f"a disk that can be full needs the right to mount one: {made.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def resize(disk: Path, size: int) -> None:
    """Let the disk have *size* bytes from now on."""
    subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)


def free_bytes(disk: Path) -> int:
    """Return how many bytes the disk still takes."""
    found = os.statvfs(disk)
    return found.f_bavail * found.f_frsize


def fill_up(disk: Path, *, but: int = 0) -> Path:
    """Leave *but* bytes free on the disk, and return the file that takes the rest."""
    filler = disk / "filler"
    filler.write_bytes(b"\0" * max(0, free_bytes(disk) - but))
    return filler
