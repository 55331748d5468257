"""Bad input, case by case, and that no call was forgotten. Every store runs all of it in `test_conformance`."""

import inspect
from pathlib import Path

import pytest

from sojourn.errors import InvalidInputError, SessionNotFoundError
from sojourn.store import open_store
from sojourn.store.protocol import Store
from sojourn.testing import FakeClock
from sojourn.testing.suite.bad_input import (
    UNKNOWN_SESSION,
    BadCall,
    bad_appends,
    bad_companions,
    bad_reads,
    expect_refused,
    with_session,
)

CASES = [*bad_appends(), *bad_reads(), *bad_companions()] + [
    BadCall(f"{what} of an unknown session", SessionNotFoundError, call) for what, call in with_session(UNKNOWN_SESSION)
]


@pytest.mark.anyio
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what.encode("ascii", "backslashreplace").decode())
async def test_it_is_refused_in_one_clear_line_and_nothing_changes(case: BadCall) -> None:
    async with open_store("memory:", clock=FakeClock(tick=0.001)) as store:
        await expect_refused(store, [case])


def test_every_call_that_takes_a_sessions_id_is_tried_with_bad_ones() -> None:
    taking = {
        name
        for name, method in inspect.getmembers(Store, inspect.isfunction)
        if "session_id" in inspect.signature(method).parameters
    }

    assert taking - {"create_session", "find_session", "import_session"} == {
        what.split()[0] for what, _ in with_session("s")
    }


@pytest.mark.parametrize("location", ["", "redis://localhost", "sqlite:///x.db", "http://example.org/x"])
def test_a_location_of_no_known_kind_is_refused(location: str) -> None:
    with pytest.raises(InvalidInputError, match="give a path, memory:, files:DIR or postgresql://"):
        open_store(location)


@pytest.mark.parametrize("tenant", ["", "../x", "a\n", "a" * 129])
def test_a_store_is_not_opened_for_a_tenant_without_a_name(tenant: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="tenant"):
        open_store(tmp_path / "sojourn.db", tenant=tenant)

    assert list(tmp_path.iterdir()) == []
