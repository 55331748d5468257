"""The stores that the tests run on, and how Hypothesis looks for examples."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from sojourn.testing import Backend, FakeClock
from sojourn.testing.backends import FILES, MEMORY, SQLITE, postgres_backend
from sojourn.testing.postgres import NoPostgresError, postgres_server

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
settings.register_profile("explore", parent=settings.get_profile("repeatable"), derandomize=False)
settings.load_profile("repeatable")

LOCAL = {"memory": MEMORY, "sqlite": SQLITE, "files": FILES}


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


@pytest.fixture(params=[*LOCAL, "postgres"])
def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Each kind of store in turn."""
    if request.param == "postgres":
        with postgres_backend(request.getfixturevalue("postgres_url")) as made:
            yield made
    else:
        yield LOCAL[request.param]
