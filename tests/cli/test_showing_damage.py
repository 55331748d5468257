"""Of a session that is damaged, what was said before the damage is shown, and that it is damaged."""

import asyncio
from pathlib import Path

import apsw
import pytest

import sojourn
from sojourn.model.message import Message
from tests.cli.typed import Type

QUIET = sojourn.Settings(learning="off", embeddings="off", summarise_turns_every=None)


@pytest.fixture(params=["sqlite", "files"])
def damaged(request: pytest.FixtureRequest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A session in which the fourth of six lines is damaged."""
    (folder / "home").mkdir()
    location = str(folder / "home" / "sojourn.db") if request.param == "sqlite" else f"files:{folder / 'kept'}"
    monkeypatch.setenv("SOJOURN_STORE", location)

    async def keep() -> None:
        async with sojourn.open(location, settings=QUIET) as app:
            session = await app.sessions.create("talk", title="Talk")
            for number in range(6):
                await session.messages.add(Message(role="user", content=f"line {number}"))

    asyncio.run(keep())
    if request.param == "sqlite":
        database = apsw.Connection(str(folder / "home" / "sojourn.db"))
        database.execute("UPDATE journal SET payload = replace(payload, 'line 3', 'lime 3')")
        database.close()
    else:
        journal = folder / "kept" / "sessions" / "talk" / "journal.jsonl"
        journal.write_bytes(journal.read_bytes().replace(b"line 3", b"lime 3"))
    return location


@pytest.mark.parametrize("words", [(), ("--all",), ("--from", "1"), ("--last", "50")])
@pytest.mark.parametrize("checked", [False, True])
def test_what_was_said_before_the_damage_is_shown(
    damaged: str, type_: Type, words: tuple[str, ...], checked: bool
) -> None:
    if checked:
        assert type_("doctor").code == 5

    told, answered = type_("show", "talk", *words), type_("show", "talk", *words, "--json")

    assert (told.code, answered.code) == (5, 5)
    assert [one["text"] for one in answered.answer["data"]["messages"]] == ["line 0", "line 1", "line 2"]
    assert answered.error["kind"] == "CorruptError"
    assert "line 2" in told.out
    assert "lime" not in told.out
    assert "what was said before the damage is shown" in told.err


def test_fewer_can_be_asked_for_and_the_rest_is_counted(damaged: str, type_: Type) -> None:
    type_("doctor")

    told = type_("show", "talk", "--last", "2", "--json").answer["data"]

    assert ([one["text"] for one in told["messages"]], told["earlier"]) == (["line 1", "line 2"], 1)


def test_behind_the_damage_nothing_is_believed(damaged: str, type_: Type) -> None:
    told = type_("show", "talk", "--from", "5", "--json")

    assert (told.code, told.answer["data"]["messages"]) == (5, [])
