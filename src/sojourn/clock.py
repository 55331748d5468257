"""Time, as a value that is handed in. Nothing else in Sojourn asks the operating system what time it is."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time. Two kinds: `now` for people, `monotonic` for deadlines."""

    def now(self) -> datetime:
        """Return the wall time in UTC. It may jump; never order or expire by it."""
        ...

    def monotonic(self) -> float:
        """Return seconds since this machine booted, the same in each of its processes, never going back."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.clock_gettime(_BOOT_CLOCK)


# CLOCK_BOOTTIME also counts while a laptop sleeps, so a lease does not outlive a closed lid.
_BOOT_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
