"""What a check is, and what it is given to work with."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from sojourn.clock import Clock
from sojourn.store import open_store
from sojourn.store.protocol import Store
from sojourn.testing.clock import FakeClock

MakeStore = Callable[[Path, Clock], Store]
"""Returns a store, not opened yet, whose data belongs to a folder: the same folder, the same data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """One check's own storage, empty at first. A store made by `open` is still to be opened with `async with`."""

    open: Callable[[], Store]
    open_backup: Callable[[Path], Store]
    folder: Path
    """A folder for whatever the check writes beside the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """A kind of store to be checked.

    *open_backup* opens what its `backup` wrote, by default a SQLite file. *shared* says that two store objects can
    have the same storage open; checks of that are left out where it is False.
    """

    make_store: MakeStore
    open_backup: Callable[[Path], Store] = open_store
    shared: bool = True

    def storage(self, folder: Path) -> Storage:
        """Return new storage in *folder*, on a clock that never tells the same time twice."""
        clock = FakeClock(tick=0.001)
        place = folder / "store"
        place.mkdir(parents=True)
        return Storage(open=lambda: self.make_store(place, clock), open_backup=self.open_backup, folder=folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One promise of the store protocol. Its name is the promise; `run` raises `AssertionError` if it is broken."""

    name: str
    run: Callable[[Storage], Awaitable[None]]
    shared: bool = False
    """Whether it needs two store objects on the same storage."""

    def __str__(self) -> str:
        return self.name.replace("_", " ")


def on_store(body: Callable[[Store], Awaitable[None]]) -> Check:
    """Make a check of a function that needs one opened store."""

    async def run(storage: Storage) -> None:
        async with storage.open() as store:
            await body(store)

    return Check(name=_name(body), run=run)


def on_storage(body: Callable[[Storage], Awaitable[None]]) -> Check:
    """Make a check of a function that opens its store by itself."""
    return Check(name=_name(body), run=body)


def on_shared_storage(body: Callable[[Storage], Awaitable[None]]) -> Check:
    """Make a check of a function that opens several stores on the same storage."""
    return Check(name=_name(body), run=body, shared=True)


def _name(body: Callable[..., object]) -> str:
    return str(getattr(body, "__name__", body))
