"""A full disk stops writing, and only writing: a clear error, nothing lost, and it goes on once there is space."""

import asyncio
import resource
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from sojourn.engine.session import Session
from sojourn.errors import StorageFullError
from sojourn.store import Store, open_store
from tests.faults.disks import ROOM, free_bytes, resize
from tests.faults.ledger import Begun, Done, Ledger, nonce_of, read_all, turn, verify
from tests.faults.processes import Child

INDEX_OF_LOG = 32 * 1024  # SQLite cannot even read without it
STORES = [pytest.param("sojourn.db", id="sqlite"), pytest.param("files:folder", id="files")]


def place(store: str, folder: Path) -> str:
    """Return the location of *store*, named as in STORES, in *folder*."""
    scheme, _, name = store.rpartition(":")
    return f"{scheme}:{folder / name}" if scheme else str(folder / name)


async def append(session: Session, ledger: Ledger, nonce: str) -> None:
    ledger.take(Begun(session.id, nonce))
    receipt = await session.append(*turn(nonce, bulk=3000))
    ledger.take(Done(session.id, nonce, receipt.first, receipt.last))


async def fill(session: Session, ledger: Ledger, name: str) -> list[str]:
    """Append until there is no space, and thrice more; return the nonces of what was refused."""
    refused: list[str] = []
    for count in range(100_000):
        nonce = f"{name}-{count}"
        try:
            await append(session, ledger, nonce)
        except StorageFullError:
            refused.append(nonce)
            if len(refused) == 4:
                return refused
    raise AssertionError("the disk is never full")


async def fill_and_free(store: Store, ledger: Ledger, take_space: Callable[[], None], free: Callable[[], None]) -> None:
    """Run out of space and get it back, with the same store open, twice."""
    session = await Session.create(store, "filling")
    for time in ("once", "again"):
        take_space()
        refused = await fill(session, ledger, time)
        await verify(store, ledger)
        stored = {found[0] for entry in await read_all(store, "filling") if (found := nonce_of(entry))}
        assert stored.isdisjoint(refused), "refused and stored all the same"
        assert session.head == len(await read_all(store, "filling"))

        free()
        await append(session, ledger, f"after-{time}")
        await verify(store, ledger)


def fill_under_a_limit(pipe: Connection, location: str) -> None:
    """Fill the store until no file may grow any more; the limit holds for this process alone."""

    def set_limit(most: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

    async def main() -> None:
        ledger = Ledger()
        async with open_store(location) as store:
            limits = iter((ROOM, 2 * ROOM))
            await fill_and_free(
                store,
                ledger,
                take_space=lambda: set_limit(next(limits)),
                free=lambda: set_limit(resource.RLIM_INFINITY),
            )
        async with open_store(location) as store:
            await verify(store, ledger)
        pipe.send(len(ledger.done))

    asyncio.run(main())


@pytest.mark.parametrize("store", STORES)
def test_a_file_size_limit_stops_writing_until_it_is_lifted(tmp_path: Path, store: str) -> None:
    child = Child(fill_under_a_limit, place(store, tmp_path))

    [acknowledged] = child.rest()

    assert child.join() == 0
    assert acknowledged > 50


@pytest.mark.anyio
@pytest.mark.parametrize("store", STORES)
async def test_a_full_disk_stops_writing_until_it_grows(small_disk: Path, store: str) -> None:
    ledger, location, sizes = Ledger(), place(store, small_disk), [ROOM]

    def grow() -> None:
        sizes.append(sizes[-1] * 2)
        resize(small_disk, sizes[-1])

    async with open_store(location) as opened:
        await fill_and_free(opened, ledger, take_space=lambda: None, free=grow)

    async with open_store(location) as opened:
        await verify(opened, ledger)


@pytest.mark.anyio
@pytest.mark.parametrize("store", STORES)
async def test_removing_other_files_is_enough(small_disk: Path, store: str) -> None:
    ledger, filler = Ledger(), small_disk / "filler"

    def take_space() -> None:
        filler.write_bytes(b"\0" * int(free_bytes(small_disk) * 0.7))

    async with open_store(place(store, small_disk)) as opened:
        session = await Session.create(opened, "filling")
        take_space()
        await fill(session, ledger, "once")
        filler.unlink()
        await append(session, ledger, "after")

        await verify(opened, ledger)


@pytest.mark.anyio
@pytest.mark.parametrize("store", STORES)
async def test_a_store_is_not_begun_on_a_full_disk(small_disk: Path, store: str) -> None:
    filler = small_disk / "filler"
    filler.write_bytes(b"\0" * free_bytes(small_disk))

    with pytest.raises(StorageFullError):
        async with open_store(place(store, small_disk)) as opened:
            await Session.create(opened, "first")
    filler.unlink()
    async with open_store(place(store, small_disk)) as opened:
        session = await Session.create(opened, "first")

    assert session.head == 1


@pytest.mark.anyio
@pytest.mark.parametrize("turns", [3, 20, 35])
@pytest.mark.parametrize("store", STORES)
async def test_a_store_on_a_full_disk_can_be_closed_opened_and_read(small_disk: Path, store: str, turns: int) -> None:
    ledger, filler = Ledger(), small_disk / "filler"
    async with open_store(place(store, small_disk)) as opened:
        session = await Session.create(opened, "filling")
        for count in range(turns):
            await append(session, ledger, f"{count}")
        filler.write_bytes(b"\0" * (free_bytes(small_disk)))
    filler.unlink()
    filler.write_bytes(b"\0" * (free_bytes(small_disk) - INDEX_OF_LOG))

    async with open_store(place(store, small_disk)) as opened:
        await verify(opened, ledger)
