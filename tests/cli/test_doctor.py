"""`sojourn doctor`: whole or damaged, and what is missing."""

import asyncio
from pathlib import Path

import apsw
import pytest

import sojourn
from tests.cli.typed import Type


def kept(location: Path) -> str:
    async def keep() -> str:
        async with sojourn.open(location) as app:
            session = await app.sessions.create()
            await session.messages.user("one")
            return session.id

    location.parent.mkdir(parents=True, exist_ok=True)
    return asyncio.run(keep())


def test_a_whole_store_is_said_to_be_whole(folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOJOURN_MODEL", "scripted:hello")
    kept(folder / "home" / "sojourn.db")

    told = type_("doctor")

    assert told.code == 0
    assert any(line.startswith("whole     1 session,") for line in told.lines)
    assert any(line.startswith("model     ") and "SOJOURN_MODEL" in line for line in told.lines)
    data = type_("doctor", "--json").data
    assert data["check"]["ok"] is True
    assert data["extras"]["openai"] is True


def test_a_damaged_entry_is_named_and_the_exit_code_says_repair(folder: Path, type_: Type) -> None:
    location = folder / "home" / "sojourn.db"
    session_id = kept(location)
    database = apsw.Connection(str(location))
    database.execute("UPDATE journal SET payload = replace(payload, 'one', 'two')")
    database.close()

    told = type_("doctor")

    assert told.code == 5
    assert any(line.startswith(f"damaged   {session_id}, entry ") for line in told.lines)
    answered = type_("doctor", "--json")
    assert (answered.code, answered.error["kind"]) == (5, "CorruptError")


def test_a_file_that_is_no_store_is_said_to_be_damaged(folder: Path, type_: Type) -> None:
    broken = folder / "broken.db"
    broken.write_bytes(b"this is no database, but somebody's homework " * 200)

    told = type_("doctor", "--store", str(broken))

    assert told.code == 5
    assert any(line.startswith("damaged   ") for line in told.lines)


def test_what_a_newer_program_wrote_is_not_said_to_be_damaged(folder: Path, type_: Type) -> None:
    location = folder / "home" / "sojourn.db"
    kept(location)
    database = apsw.Connection(str(location))
    database.execute("PRAGMA user_version = 9999")
    database.close()

    told = type_("doctor")

    assert told.code == 5
    assert any(line.startswith("unknown   This data was written by a newer Sojourn.") for line in told.lines)
    assert not any("damaged" in line or "backup" in line for line in told.lines)


def test_where_nothing_is_kept_yet_nothing_is_made(folder: Path, type_: Type) -> None:
    assert type_("doctor").code == 0
    assert not (folder / "home").exists()
