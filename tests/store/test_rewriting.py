"""A part of an entry that is taken out is in no file any more, and a crash in the middle leaves nothing half done."""

from pathlib import Path

import pytest

from sojourn.model.events import SessionCreated
from sojourn.model.ids import SessionId
from sojourn.store import Store, open_store
from sojourn.store.files.redaction import _Part, _Plan
from sojourn.store.files.sealed import seal
from sojourn.testing.factories import said
from sojourn.testing.fingerprint import read_all

pytestmark = pytest.mark.anyio

TITLED = '{"kind":"session_created","title":"a title"}'
CLEAN = '{"kind":"message_added","message":{"role":"user","content":"it is gone"}}'


async def _secretive(store: Store) -> None:
    """Put swordfish wherever content goes: a title, a message, a fork, partial text."""
    await store.create_session("s", SessionCreated(title="swordfish"))
    await store.append("s", [said("it is swordfish"), said("harmless")])
    await store.fork_session("s", "child")
    await store.append("child", [said("mine")])
    for session_id in ("s", "child"):
        await store.save_partial(session_id, "swordfish, so")


def _holders(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and b"swordfish" in path.read_bytes()]


@pytest.mark.parametrize("kind", ["sqlite", "files"])
async def test_nothing_that_was_taken_out_is_left_in_any_file(tmp_path: Path, kind: str) -> None:
    location = f"files:{tmp_path / 'kept'}" if kind == "files" else str(tmp_path / "kept.db")
    async with open_store(location) as store:
        await _secretive(store)
    assert _holders(tmp_path) != []

    async with open_store(location) as store:
        await store.rewrite("child", {1: TITLED, 2: CLEAN})
        assert [entry.payload for entry in (await read_all(store, "s"))[:2]] == [TITLED, CLEAN]
        assert (await store.check()).ok
    assert _holders(tmp_path) == []


async def test_rewriting_that_a_crash_interrupted_is_finished_by_the_next_to_open(tmp_path: Path) -> None:
    async with open_store(f"files:{tmp_path}") as store:
        await _secretive(store)
    plan = _Plan([_Part(SessionId("s"), [1], 1, {1: TITLED, 2: CLEAN}), _Part(SessionId("child"), [1], 1, {})])
    (tmp_path / "sessions" / ".forgetting.json").write_bytes(seal(plan))

    async with open_store(f"files:{tmp_path}") as store:
        rows = [await store.get_session(session_id) for session_id in ("s", "child")]
        texts = [entry.event for entry in await store.last_messages("child")]
        assert (await store.check()).ok

    assert _holders(tmp_path) == []
    assert [(row.epoch, row.header.title) for row in rows] == [(1, "a title"), (1, "a title")]
    assert texts == [said("it is gone"), said("harmless"), said("mine")]
    assert not (tmp_path / "sessions" / ".forgetting.json").exists()
