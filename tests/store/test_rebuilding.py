"""A damaged session is named when everything is rebuilt, and does not keep the others from it."""

from pathlib import Path

import apsw
import pytest

from sojourn.errors import CorruptError
from sojourn.model.events import SessionRenamed
from sojourn.store import open_store

pytestmark = pytest.mark.anyio


def damage_sqlite(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE journal SET payload = replace(payload, 'first', 'wrong') WHERE session_id = 'bad'")
    connection.execute("UPDATE sessions SET title = 'stale' WHERE session_id = 'good'")
    connection.close()


def damage_files(root: Path) -> None:
    journal = root / "sessions" / "bad" / "journal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b"first", b"wrong"))
    (root / "sessions" / "good" / "metadata.json").unlink()


@pytest.mark.parametrize("kind", ["sqlite", "files"])
async def test_the_others_are_rebuilt_and_the_damaged_one_is_named(kind: str, tmp_path: Path) -> None:
    location = str(tmp_path / "s.db") if kind == "sqlite" else f"files:{tmp_path / 'f'}"
    async with open_store(location) as store:
        for name in ("bad", "good"):
            await store.create_session(name)
            await store.append(name, [SessionRenamed(title="first")])
    damage_sqlite(tmp_path / "s.db") if kind == "sqlite" else damage_files(tmp_path / "f")

    async with open_store(location) as store:
        with pytest.raises(CorruptError, match="session=bad"):
            await store.rebuild()
        assert (await store.get_session("good")).header.title == "first"


async def test_a_row_that_cannot_be_read_is_listed_as_damaged_and_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    async with open_store(path) as store:
        for name in ("bad", "good"):
            await store.create_session(name)
        await store.fork_session("bad", "fork")
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE sessions SET created_at = 'yesterday' WHERE session_id IN ('bad', 'fork')")
    connection.close()

    async with open_store(path) as store:
        listed = {str(row.header.session_id): row.quarantined for row in (await store.list_sessions()).rows}
        assert listed["good"] is None
        assert "its row is damaged" in str(listed["bad"])
        assert await store.rebuild() == 3
        assert all(row.quarantined is None for row in (await store.list_sessions()).rows)
        assert (await store.check()).ok


@pytest.mark.parametrize("damage", ["UPDATE documents SET data = '{\"x\":2}'", "UPDATE partials SET text = 'lies'"])
async def test_a_document_or_a_partial_text_that_was_altered_is_not_returned(damage: str, tmp_path: Path) -> None:
    async with open_store(tmp_path / "s.db") as store:
        await store.create_session("s")
        await store.save_partial("s", "true")
        await store.documents.save("d", {"x": 1})
        connection = apsw.Connection(str(tmp_path / "s.db"))
        connection.execute(damage)
        connection.close()

        with pytest.raises(CorruptError, match="checksum"):
            await (store.documents.load("d") if "documents" in damage else store.find_partial("s"))
