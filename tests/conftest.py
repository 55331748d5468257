"""The stores that the tests run on, and how Hypothesis looks for examples."""

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, settings

from sojourn.store import open_store
from sojourn.testing import Backend, FakeClock
from sojourn.testing.postgres import NoPostgresError, fresh_schema, postgres_server

# The same examples in every run, so that a red build is red for everybody. To look for new ones, now and then:
# pytest --hypothesis-profile=explore tests/unit tests/store
settings.register_profile(
    "repeatable",
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
settings.register_profile("explore", parent=settings.get_profile("repeatable"), derandomize=False, max_examples=2_000)
settings.load_profile("repeatable")

MEMORY = Backend(make_store=lambda _, clock: open_store("memory:", clock=clock), shared=False)
SQLITE = Backend(make_store=lambda folder, clock: open_store(folder / "sojourn.db", clock=clock))
FILES = Backend(
    make_store=lambda folder, clock: open_store(f"files:{folder}", clock=clock),
    open_backup=lambda path: open_store(f"files:{path}"),
)
BACKENDS = ("memory", "sqlite", "files", "postgres")
NOT_BUILT = {
    name: f"{name} is not built yet"
    for name, module in (("files", "sojourn.store.files.store"),)
    if importlib.util.find_spec("sojourn.store.files") is None or importlib.util.find_spec(module) is None
}


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The address of a real server: the one that SOJOURN_TEST_POSTGRES names, or one that is started for the run."""
    try:
        with postgres_server() as url:
            yield url
    except NoPostgresError as error:
        pytest.skip(f"no PostgreSQL server: {error}")


@contextmanager
def postgres_backend(server_url: str) -> Iterator[Backend]:
    """Give stores that share one new schema, so a test must ask for one storage only."""
    with fresh_schema(server_url) as url:
        yield Backend(make_store=lambda _, clock: open_store(url, clock=clock))


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Each kind of store in turn."""
    name = request.param
    if name in NOT_BUILT:
        pytest.skip(NOT_BUILT[name])
    if name == "postgres":
        with postgres_backend(request.getfixturevalue("postgres_url")) as made:
            yield made
    else:
        yield {"memory": MEMORY, "sqlite": SQLITE, "files": FILES}[name]
