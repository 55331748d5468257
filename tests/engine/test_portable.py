"""A whole session goes into a file, in either form, and comes back to the letter."""

import errno
import os
from pathlib import Path

import pytest

import sojourn
from sojourn.engine import portable
from sojourn.engine.new_file import new_file
from sojourn.errors import AccessError, AlreadyExistsError, InvalidInputError, NewerVersionError
from sojourn.store import Store
from sojourn.testing.factories import NEWER_TOPIC, UNKNOWN, make_journal, one_of_each
from sojourn.testing.fingerprint import read_all

pytestmark = pytest.mark.anyio


async def _written(store: Store, session_id: str, path: Path, *, as_lines: bool) -> None:
    header = (await store.get_session(session_id)).header
    form = portable.lines if as_lines else portable.document
    async with new_file(path, replace=False) as file:
        async for piece in form(store, header.session_id, head=header.head, state={}, saved_at=header.created_at):
            await file.write(piece)


@pytest.mark.parametrize("as_lines", [False, True])
async def test_a_journal_comes_back_to_the_letter(tmp_path: Path, *, as_lines: bool) -> None:
    entries = make_journal([*one_of_each(), UNKNOWN, NEWER_TOPIC], session_id="s")
    async with sojourn.open("memory:") as app:
        await app.store.import_session("s", entries)
        await _written(app.store, "s", tmp_path / "s", as_lines=as_lines)
        await portable.load(app.store, tmp_path / "s", session_id="t")

        assert (await portable.read(tmp_path / "s")).entries == tuple(entries)
        assert [entry.payload for entry in await read_all(app.store, "t")] == [entry.payload for entry in entries]


async def test_what_is_not_a_whole_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "s"
    for broken in (b"", b"{", b"[]", b"\xff\xfe", b'{"format":"sojourn-session-lines"}\n', b'{"a":' * 5_000):
        file.write_bytes(broken)
        with pytest.raises(InvalidInputError):
            await portable.read(file)
    for form in ("sojourn-session", "sojourn-session-lines"):
        file.write_text(f'{{"format":"{form}","version":9,"session_id":"s","entries":[]}}\n')
        with pytest.raises(NewerVersionError):
            await portable.read(file)
    with pytest.raises(AccessError):
        await portable.read(tmp_path)


async def test_a_new_file_takes_the_place_of_none(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("mine")
    with pytest.raises(AlreadyExistsError):
        async with new_file(there, replace=False):
            pass

    async with new_file(there, replace=True) as file:
        await file.write(b"yours")
    assert there.read_text() == "yours"
    assert there.stat().st_mode & 0o777 == 0o600


async def _broken_off(path: Path, *, meanwhile: str | None = None) -> None:
    async with new_file(path, replace=False) as file:
        await file.write(b"half")
        if meanwhile is None:
            raise RuntimeError("the power went")
        _write(path, meanwhile)


def _write(path: Path, text: str) -> None:
    path.write_text(text)


def _files(folder: Path) -> dict[str, str]:
    return {one.name: one.read_text() for one in folder.iterdir()}


def _names(folder: Path) -> set[str]:
    return {one.name for one in folder.iterdir()}


async def test_a_file_that_was_not_finished_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        await _broken_off(tmp_path / "s")

    assert _files(tmp_path) == {}


async def test_a_file_that_came_meanwhile_is_left_alone(tmp_path: Path) -> None:
    with pytest.raises(AlreadyExistsError):
        await _broken_off(tmp_path / "s", meanwhile="theirs")

    assert _files(tmp_path) == {"s": "theirs"}


async def test_a_file_takes_the_place_of_files_only(tmp_path: Path) -> None:
    pipe, link, folder = tmp_path / "pipe", tmp_path / "link", tmp_path / "folder"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    folder.mkdir()

    for place in (pipe, link, folder):
        with pytest.raises(AccessError):
            async with new_file(place, replace=True) as file:
                await file.write(b"x")

    assert pipe.is_fifo()
    assert link.is_symlink()
    assert _names(tmp_path) == {"folder", "link", "pipe"}


async def test_a_link_that_leads_to_a_file_is_replaced_and_the_file_is_not(tmp_path: Path) -> None:
    (tmp_path / "own").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "own")

    async with new_file(tmp_path / "link", replace=True) as file:
        await file.write(b"new")

    assert _files(tmp_path) == {"own": "mine", "link": "new"}


async def test_a_disk_where_a_file_has_one_name_only_takes_files_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    async with new_file(tmp_path / "a", replace=False) as file:
        await file.write(b"new")
    with pytest.raises(AlreadyExistsError):
        await _broken_off(tmp_path / "b", meanwhile="other")

    assert _files(tmp_path) == {"a": "new", "b": "other"}
