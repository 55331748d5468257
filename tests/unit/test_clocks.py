"""Clocks: the machine's, and the one that tests hold in their hands."""

from datetime import UTC, timedelta

import pytest

from sojourn.clock import SystemClock
from sojourn.testing import FakeClock
from sojourn.testing.factories import NEW_YEAR


def test_the_machines_clock_tells_utc_and_never_goes_back() -> None:
    clock = SystemClock()
    first, second = clock.monotonic(), clock.monotonic()

    assert clock.now().tzinfo is UTC
    assert 0 < first <= second


def test_a_fake_clock_stands_still_until_it_is_told() -> None:
    clock = FakeClock()
    before = (clock.now(), clock.monotonic())

    assert (clock.now(), clock.monotonic()) == before
    clock.advance(seconds=61)
    assert clock.now() == NEW_YEAR + timedelta(seconds=61)
    assert clock.monotonic() == before[1] + 61


def test_a_jump_moves_the_wall_time_only() -> None:
    clock = FakeClock()
    before = clock.monotonic()
    clock.jump(seconds=-3600)

    assert clock.now() == NEW_YEAR - timedelta(hours=1)
    assert clock.monotonic() == before


def test_a_ticking_clock_never_tells_the_same_time_twice() -> None:
    clock = FakeClock(tick=0.001)

    assert len({clock.now() for _ in range(100)}) == 100


def test_time_does_not_run_backwards() -> None:
    with pytest.raises(ValueError, match="backwards"):
        FakeClock().advance(seconds=-1)


def test_a_fake_clock_shows_its_time() -> None:
    assert repr(FakeClock()) == "FakeClock(2030-01-01T00:00:00+00:00)"
