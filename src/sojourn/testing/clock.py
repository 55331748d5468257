"""A clock that moves only when it is told to."""

from datetime import UTC, datetime, timedelta


class FakeClock:
    """Tells a made-up time. With *tick*, every look at the wall time moves it on by so many seconds."""

    def __init__(self, *, now: datetime = datetime(2030, 1, 1, tzinfo=UTC), tick: float = 0.0) -> None:
        self._now = now
        self._monotonic = 1_000.0
        self._tick = tick

    def __repr__(self) -> str:
        return f"FakeClock({self._now.isoformat()})"

    def now(self) -> datetime:
        """Return the wall time."""
        shown = self._now
        if self._tick:
            self.advance(seconds=self._tick)
        return shown

    def monotonic(self) -> float:
        """Return the seconds since an imaginary boot."""
        return self._monotonic

    def advance(self, *, seconds: float) -> None:
        """Let time pass."""
        if seconds < 0:
            raise ValueError("time does not run backwards; jump the wall time instead")
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds

    def jump(self, *, seconds: float) -> None:
        """Set the wall time forward or back, as a correction of the machine's clock does; no time passes."""
        self._now += timedelta(seconds=seconds)
