"""Every store keeps every promise of the protocol, and the suite that says so can be failed."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import sojourn.testing.suite
from sojourn.clock import Clock
from sojourn.errors import ConflictError, LockedError, SojournError
from sojourn.model.ids import DEFAULT_TENANT
from sojourn.store import open_store
from sojourn.store.protocol import Receipt, StateProvider, Store
from sojourn.store.sql.sqlite_driver import SqliteDriver
from sojourn.store.sql.store import SqlStore
from sojourn.testing import CONFORMANCE, Backend, Check, run_store_conformance
from sojourn.testing.expectations import expect, expect_equal, expect_raises

RUN_OPTIMISED = """
import asyncio
from test_conformance import make_forgetful
from sojourn.testing import run_store_conformance

try:
    asyncio.run(run_store_conformance(make_forgetful, shared=False))
except ExceptionGroup as group:
    print("broken", {type(error).__name__ for error in group.exceptions})
"""


IMPORT_ALONE = """
import sys

for name in ("hypothesis", "psycopg", "psycopg_pool", "pytest"):
    sys.modules[name] = None  # importing it now fails, as if it were not installed
import sojourn.testing
import sojourn.testing.backends
"""


class Forgetful(SqlStore):
    """A store in memory that ignores idempotency keys."""

    async def append(self, session_id: str, events: Sequence[Any], **options: Any) -> Receipt:
        return await super().append(session_id, events, **{**options, "key": None})


def make_memory(folder: Path, clock: Clock) -> Store:
    return open_store("memory:", clock=clock)


def make_forgetful(folder: Path, clock: Clock) -> Store:
    return Forgetful(SqliteDriver(None), clock=clock, tenant=DEFAULT_TENANT, open_copy=open_store)


@pytest.mark.anyio
@pytest.mark.parametrize("check", CONFORMANCE, ids=lambda check: check.name)
async def test_a_store_keeps_its_promise_that(check: Check, backend: Backend, tmp_path: Path) -> None:
    if check.shared and not backend.shared:
        pytest.skip("its storage belongs to one store object")

    await check.run(backend.storage(tmp_path))


def test_every_check_has_a_name_of_its_own() -> None:
    assert len({check.name for check in CONFORMANCE}) == len(CONFORMANCE) > 150


def test_every_call_of_the_protocol_is_made_by_the_suite() -> None:
    suite = "".join(path.read_text() for path in Path(sojourn.testing.suite.__file__).parent.glob("*.py"))
    calls = {name for protocol in (Store, StateProvider) for name in vars(protocol) if not name.startswith("_")}

    assert {name for name in calls if f".{name}" not in suite} == set()


@pytest.mark.anyio
async def test_the_suite_runs_without_pytest_and_tells_what_was_kept() -> None:
    kept = await run_store_conformance(make_memory, shared=False)

    assert set(kept) == {str(check) for check in CONFORMANCE if not check.shared}
    assert "an append with one bad event writes nothing" in kept


@pytest.mark.anyio
async def test_a_store_that_breaks_promises_is_told_which() -> None:
    with pytest.raises(ExceptionGroup, match="promises are broken") as caught:
        await run_store_conformance(make_forgetful, shared=False)

    notes = {note for error in caught.value.exceptions for note in error.__notes__}
    assert "while checking that the same key gives the first receipt and writes nothing" in notes
    assert "while checking that one key under concurrency is written once" in notes
    assert len(notes) < 10


def test_the_suite_cannot_be_switched_off_by_optimisation() -> None:
    python = [sys.executable, "-O", "-c", RUN_OPTIMISED]
    run = subprocess.run(python, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)

    assert "'AssertionError'" in run.stdout, run.stderr


def test_the_suite_needs_no_test_tool_and_no_driver_to_be_installed() -> None:
    run = subprocess.run([sys.executable, "-c", IMPORT_ALONE], capture_output=True, text=True, check=False)

    assert run.returncode == 0, run.stderr


def test_expectations_say_what_was_found_and_what_was_expected() -> None:
    with pytest.raises(AssertionError, match="the head is 2, expected 3"):
        expect_equal(2, 3, "the head")
    with pytest.raises(AssertionError, match="expected that the sky is green"):
        expect(0, "the sky is green")


def raise_locked() -> None:
    raise LockedError("x")


@pytest.mark.parametrize("kind", [ConflictError, SojournError])
def test_an_expected_error_must_be_of_the_very_kind(kind: type[SojournError]) -> None:
    with pytest.raises(AssertionError, match="raised LockedError, expected"), expect_raises(kind):
        raise_locked()


def test_an_expected_error_must_be_raised() -> None:
    with pytest.raises(AssertionError, match="nothing was raised, expected LockedError"), expect_raises(LockedError):
        pass
