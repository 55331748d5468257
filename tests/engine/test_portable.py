"""A whole session goes into a file, in either form, and comes back to the letter."""

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


async def test_a_file_that_was_not_finished_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        await _broken_off(tmp_path / "s")

    assert _files(tmp_path) == {}


async def test_a_file_that_came_meanwhile_is_left_alone(tmp_path: Path) -> None:
    with pytest.raises(AlreadyExistsError):
        await _broken_off(tmp_path / "s", meanwhile="theirs")

    assert _files(tmp_path) == {"s": "theirs"}
