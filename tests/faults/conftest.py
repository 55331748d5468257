"""Options of the fault tests, and the seed that makes a failing one repeatable.

pytest tests/faults --rounds 2000 --fault-seed 42
"""

import random
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from sojourn.testing.postgres import fresh_schema
from tests.faults.disks import ROOM, mounted

DEFAULT_ROUNDS = 200


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("faults")
    group.addoption("--rounds", type=int, default=DEFAULT_ROUNDS, help="how often a writer is killed, in all")
    group.addoption("--fault-seed", type=int, default=None, help="repeat the fault tests of a run that failed")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "batches(share, rounds): kill share * --rounds times, `rounds` times per test")
    if config.getoption("fault_seed", None) is None:
        config.option.fault_seed = random.SystemRandom().randrange(2**32)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each test that takes a *batch* its share of the rounds."""
    if "batch" in metafunc.fixturenames:
        share = metafunc.definition.get_closest_marker("batches")
        assert share is not None, "a test with batches says how many rounds make one"
        rounds = metafunc.config.getoption("rounds", DEFAULT_ROUNDS) * share.kwargs["share"]
        metafunc.parametrize("batch", range(max(1, round(rounds / share.kwargs["rounds"]))))


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    """Return this test's own random numbers; how to get the same again is printed when it fails."""
    seed = request.config.getoption("fault_seed", 0)
    print(f"repeat with: pytest {request.node.nodeid!r} --fault-seed {seed}")  # noqa: T201 - shown when it fails
    return random.Random(seed ^ zlib.crc32(request.node.name.encode()))


@pytest.fixture
def location(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Give the place of a new store: of the kind that the test asks for with `EVERYWHERE` or `on`, or SQLite."""
    match getattr(request, "param", "sqlite"):
        case "sqlite":
            yield str(tmp_path / "sojourn.db")
        case "files":
            yield f"files:{tmp_path / 'folder'}"
        case "postgres":
            with fresh_schema(request.getfixturevalue("postgres_url")) as url:
                yield url


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a disk of 1 MiB that can grow."""
    disk = tmp_path / "disk"
    disk.mkdir()
    with mounted(disk, size=ROOM):
        yield disk
