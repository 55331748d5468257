"""`snapshots/<seq>-<checksum>.json`: states as bytes, for faster loading. A damaged one is as good as none."""

import re
import zlib
from pathlib import Path
from typing import Final

from sojourn.model.ids import Seq
from sojourn.store.files.disk import Disk, is_unfinished, make_folder
from sojourn.store.protocol import Snapshot

_NAME: Final = re.compile(r"(\d{1,15})-([0-9a-f]{8})\.json")


def save(folder: Path, snapshot: Snapshot, disk: Disk) -> None:
    """Keep *snapshot* in place of one of the same entry."""
    make_folder(folder)
    path = folder / f"{snapshot.seq}-{zlib.crc32(snapshot.data):08x}.json"
    disk.replace(path, snapshot.data)
    for seq, _, other in _found(folder):
        if seq == snapshot.seq and other != path:
            other.unlink(missing_ok=True)


def find_best(folder: Path, *, first: int, last: int) -> Snapshot | None:
    """Return the latest sound snapshot of the entries *first* to *last*."""
    for seq, checksum, path in sorted(_found(folder), reverse=True):
        if first <= seq <= last:
            data = path.read_bytes()
            if zlib.crc32(data) == checksum:
                return Snapshot(seq=Seq(seq), data=data)
    return None


def drop(folder: Path, *, first: int) -> None:
    """Remove the snapshots of entry *first* and later, and what a crash left of others."""
    for seq, _, path in _found(folder):
        if seq >= first:
            path.unlink(missing_ok=True)
    if folder.is_dir():
        for path in folder.iterdir():
            if is_unfinished(path.name):
                path.unlink(missing_ok=True)


def copy(source: Path, target: Path, disk: Disk, *, first: int, last: int) -> None:
    """Copy the sound snapshots of the entries *first* to *last*."""
    for seq, checksum, path in _found(source):
        if first <= seq <= last:
            data = path.read_bytes()
            if zlib.crc32(data) == checksum:
                save(target, Snapshot(seq=Seq(seq), data=data), disk)


def _found(folder: Path) -> list[tuple[int, int, Path]]:
    if not folder.is_dir():
        return []
    matches = ((_NAME.fullmatch(path.name), path) for path in folder.iterdir())
    return [(int(match[1]), int(match[2], 16), path) for match, path in matches if match]
