"""The conformance suite: every promise of `sojourn.store.protocol`, checked on any store.

With pytest, parametrise a test over `CONFORMANCE` and run each check on a `Backend`'s storage. Without it, run
everything with one call:

    await run_store_conformance(lambda folder, clock: MyStore(folder / "data", clock=clock))
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Final

from sojourn.store import open_store
from sojourn.store.protocol import Store
from sojourn.testing.suite import (
    appending,
    bad_input,
    care,
    documents,
    following,
    forgetting,
    forks,
    importing,
    leases,
    listing,
    reading,
    sessions,
    tenants,
)
from sojourn.testing.suite.check import Backend, Check, MakeStore


def _checks_of(module: ModuleType) -> list[Check]:
    return [value for value in vars(module).values() if isinstance(value, Check)]


CONFORMANCE: Final[tuple[Check, ...]] = tuple(
    check
    for module in (
        sessions, listing, appending, reading, forks, importing, forgetting, leases, following, documents, tenants,
        care, bad_input,
    )
    for check in _checks_of(module)
)  # fmt: skip
"""All checks. Their names are unique."""


async def run_store_conformance(
    make_store: MakeStore, *, open_backup: Callable[[Path], Store] = open_store, shared: bool = True
) -> tuple[str, ...]:
    """Run every check on stores that *make_store* makes, and return the promises that were kept.

    Args:
        make_store: returns a store, not opened yet, whose data belongs to the folder it is given, on the given clock.
        open_backup: opens what the store's `backup` wrote; by default a SQLite file.
        shared: whether two stores can have the same storage open; False leaves the checks of that out.

    Raises:
        ExceptionGroup: the checks that failed, each noted with its name.
    """
    backend = Backend(make_store=make_store, open_backup=open_backup, shared=shared)
    kept: list[str] = []
    broken: list[Exception] = []
    for check in CONFORMANCE:
        if check.shared and not shared:
            continue
        with tempfile.TemporaryDirectory(prefix="sojourn-check-") as folder:
            try:
                await check.run(backend.storage(Path(folder)))
            except Exception as error:  # noqa: BLE001 - raised together at the end
                error.add_note(f"while checking that {check}")
                broken.append(error)
            else:
                kept.append(str(check))
    if broken:
        raise ExceptionGroup(f"{len(broken)} of {len(broken) + len(kept)} promises are broken", broken)
    return tuple(kept)
