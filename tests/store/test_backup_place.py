"""A backup has its name when it is whole, and not before; it never takes the place of anything."""

import os
from pathlib import Path
from typing import NoReturn

import pytest

from sojourn.errors import AlreadyExistsError, StorageFullError
from sojourn.store import Store, open_store
from sojourn.store.backup import back_up
from sojourn.store.filesystem import take_free_place


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def opened(place: Path) -> Store:
    return open_store(place)


@pytest.mark.anyio
async def test_a_copy_that_fails_leaves_nothing(tmp_path: Path) -> None:
    async def half(place: Path) -> None:
        for name in (place.name, f"{place.name}-wal"):
            place.with_name(name).write_bytes(b"SQLite format 3\0")
        raise StorageFullError(f"{place}")

    with pytest.raises(StorageFullError):
        await back_up(tmp_path / "copy.db", copy=half, opened=opened)

    assert texts(tmp_path) == {}


@pytest.mark.anyio
async def test_what_comes_to_the_place_while_it_is_copied_stays(tmp_path: Path) -> None:
    target = tmp_path / "copy.db"

    async def copy(place: Path) -> None:
        async with open_store(place):
            target.write_text("mine")

    with pytest.raises(AlreadyExistsError):
        await back_up(target, copy=copy, opened=opened)

    assert texts(tmp_path) == {"copy.db": "mine"}


def test_on_a_disk_without_links_a_file_takes_a_free_place_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> NoReturn:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    for name in ("one", "two"):
        (tmp_path / name).write_text(name)

    take_free_place(tmp_path / "one", tmp_path / "place")
    with pytest.raises(FileExistsError):
        take_free_place(tmp_path / "two", tmp_path / "place")

    assert texts(tmp_path) == {"place": "one", "two": "two"}
