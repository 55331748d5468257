"""Which process this is, and whether another one is still there."""

import os
from pathlib import Path
from typing import NamedTuple


class Process(NamedTuple):
    """One process of one boot of one machine. A pid alone is not enough: it is given again, and containers count anew.

    *pid_space* tells the containers of a machine apart.
    """

    boot_id: str
    pid_space: str
    pid: int
    pid_start: int

    def is_gone(self, *, seen_from: "Process") -> bool:
        """Tell whether this process has certainly ended; of another machine's or container's nobody can tell."""
        within_sight = (self.boot_id, self.pid_space) == (seen_from.boot_id, seen_from.pid_space)
        return within_sight and _start_of(self.pid) != self.pid_start


def this_process() -> Process:
    """Return the process that asks."""
    pid = os.getpid()
    return Process(_boot_id(), _pid_space(), pid, _start_of(pid) or 0)


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return os.uname().nodename  # no Linux: a reboot then looks like a pid that is gone


def _pid_space() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""  # no Linux: no containers of this kind


def _start_of(pid: int) -> int | None:
    """Return when *pid* started, in clock ticks since boot; 0 where that is not told; None if there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return None if Path("/proc/self").exists() else _start_by_signal(pid)
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    state, start = fields[0], int(fields[19])
    return None if state in "ZX" else start  # a zombie has ended, whether or not anybody asked


def _start_by_signal(pid: int) -> int | None:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        return 0
    return 0
