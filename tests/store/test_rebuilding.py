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
