"""What is around a store: who may read its files, how full the disk is, and whether it is another machine's."""

import shutil
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sojourn.desk.wording import size
from sojourn.store.filesystem import is_network_path
from sojourn.store.location import read_location

_FREE: Final = 256 * 1024 * 1024
"""Bytes that should be free, whatever the store's size."""
_LOG: Final = 128 * 1024 * 1024
"""Twice of what SQLite keeps of its log when nobody is in the way."""
_BESIDE: Final = ("-wal", "-shm", ".index", ".index-wal", ".index-shm")
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What was found. *open_to_others* are the files and folders of the store that not only their owner may use."""

    open_to_others: tuple[Path, ...] = ()
    free: int | None = None
    network: bool = False
    log: int = 0
    data: int = 0

    @property
    def cautions(self) -> list[str]:
        """What should be known, each in a sentence; none if all is as it should be."""
        found = [f"others on this machine may read {path}" for path in self.open_to_others]
        if self.free is not None and self.free < max(_FREE, self.data):
            found.append(f"the disk is nearly full: {size(self.free)} are free")
        if self.network:
            found.append("it is on another machine's disk: that is slow, and two machines must not use it at once")
        if self.log > _LOG:
            found.append(f"SQLite's log has grown to {size(self.log)}: a program keeps the file open")
        return found


def look_around(location: str | Path) -> Surroundings | None:
    """Look at what is around the store at *location*; None if it is a server's affair, or not there yet."""
    path = read_location(location).path
    if path is None or not path.exists():
        return None
    files = [path, *(one for end in _BESIDE if (one := path.with_name(f"{path.name}{end}")).exists())]
    log = path.with_name(f"{path.name}-wal")
    return Surroundings(
        open_to_others=tuple(one for one in files if one.stat().st_mode & _OTHERS),
        free=shutil.disk_usage(path).free,
        network=is_network_path(path),
        log=log.stat().st_size if log.exists() else 0,
        data=path.stat().st_size,
    )


def close_to_others(found: Surroundings) -> tuple[Path, ...]:
    """Let only their owner use the store's files; return those that are closed now. Others' files stay as they are."""
    closed = []
    for path in found.open_to_others:
        with suppress(PermissionError):
            path.chmod(path.stat().st_mode & ~_OTHERS)
            closed.append(path)
    return tuple(closed)
