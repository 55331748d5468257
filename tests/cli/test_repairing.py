"""`sojourn doctor --repair` puts right what can be put right, tells what it recovered, and removes nothing."""

import asyncio
from pathlib import Path

import apsw
import pytest

import sojourn
from sojourn.cli.surroundings import Surroundings, look_around
from tests.cli.typed import Type

QUIET = sojourn.Settings(learning="off", embeddings="off", summarise_turns_every=None)


@pytest.fixture(params=["sqlite", "files"])
def kept(request: pytest.FixtureRequest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two sessions of five messages each, in one kind of store, then in the other; returns what holds them."""
    (folder / "home").mkdir()
    place = folder / "home" / "sojourn.db" if request.param == "sqlite" else folder / "kept"
    location = str(place) if request.param == "sqlite" else f"files:{place}"
    monkeypatch.setenv("SOJOURN_STORE", location)

    async def keep() -> None:
        async with sojourn.open(location, settings=QUIET) as app:
            for name in ("talk", "other"):
                session = await app.sessions.create(name, title=name.title(), tags=["work"])
                for number in range(5):
                    await session.messages.user(f"{name} line {number}")

    asyncio.run(keep())
    return place


def damage(place: Path, said: str) -> None:
    """Change a letter of what was said, behind the store's back."""
    wrong = said.replace("line", "lime")
    if place.is_dir():
        journal = place / "sessions" / said.split(maxsplit=1)[0] / "journal.jsonl"
        journal.write_bytes(journal.read_bytes().replace(said.encode(), wrong.encode()))
    else:
        database = apsw.Connection(str(place))
        database.execute("UPDATE journal SET payload = replace(payload, ?, ?)", (said, wrong))
        database.close()


def test_what_is_before_the_damage_goes_on_beside_the_damaged_session(kept: Path, type_: Type) -> None:
    damage(kept, "talk line 3")

    mended = type_("doctor", "--repair", "--json")

    assert mended.code == 5
    recovered = mended.answer["data"]["recovered"]["talk"]
    shown = type_("show", recovered, "--json").data
    assert [one["text"] for one in shown["messages"]] == ["talk line 0", "talk line 1", "talk line 2"]
    assert (shown["session"]["title"], shown["session"]["tags"]) == ("Talk", ["work", "recovered"])
    assert "line 2" in type_("show", "talk").out


def test_repairing_again_recovers_nothing_twice(kept: Path, type_: Type) -> None:
    damage(kept, "talk line 3")
    first = type_("doctor", "--repair", "--json").answer["data"]["recovered"]

    again = type_("doctor", "--repair", "--json").answer["data"]["recovered"]

    assert first == again
    assert len(type_("ls", "--all", "--json").data["sessions"]) == 3


def test_people_are_told_what_was_recovered_and_what_can_be_done(kept: Path, type_: Type) -> None:
    damage(kept, "talk line 3")

    looked, mended = type_("doctor"), type_("doctor", "--repair")

    assert "sojourn doctor --repair" in looked.err
    assert any(line.startswith("recovered talk up to entry 4, as ") for line in mended.lines)
    assert "stays as it is" in mended.err


def test_a_session_that_is_damaged_from_its_first_entry_is_left_alone(kept: Path, type_: Type) -> None:
    if kept.is_dir():
        journal = kept / "sessions" / "talk" / "journal.jsonl"
        journal.write_bytes(journal.read_bytes().replace(b"session_created", b"session_cremated", 1))
    else:
        database = apsw.Connection(str(kept))
        database.execute("UPDATE journal SET crc = crc + 1 WHERE session_id = 'talk' AND seq = 1")
        database.close()

    mended = type_("doctor", "--repair", "--json")

    assert (mended.code, mended.answer["data"]["recovered"]) == (5, {})


def test_a_list_that_is_wrong_is_made_right(folder: Path, type_: Type) -> None:
    type_("new", "Talk", "--session-id", "talk")
    database = apsw.Connection(str(folder / "home" / "sojourn.db"))
    database.execute("UPDATE sessions SET title = 'wrong', message_count = 7")
    database.close()
    assert type_("doctor").code == 5

    mended = type_("doctor", "--repair", "--json")

    assert (mended.code, mended.data["check"]["ok"], mended.data["recovered"]) == (0, True, {})
    assert type_("ls", "--json").data["sessions"][0]["title"] == "Talk"


def test_where_nothing_is_wrong_nothing_is_changed(kept: Path, type_: Type) -> None:
    before = type_("ls", "--all", "--json").data

    assert type_("doctor", "--repair").code == 0
    assert type_("ls", "--all", "--json").data == before


# --- around the store


def test_files_that_others_may_read_are_named_and_closed(folder: Path, type_: Type) -> None:
    type_("new", "Talk")
    database = folder / "home" / "sojourn.db"
    database.chmod(0o644)

    told, mended = type_("doctor"), type_("doctor", "--repair")

    assert told.code == mended.code == 0
    assert f"caution   others on this machine may read {database}" in told.lines
    assert f"closed    {database} to others" in mended.lines
    assert database.stat().st_mode & 0o777 == 0o600


def test_only_the_names_of_keys_are_told(folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOJOURN_MODEL", "scripted:hello")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)

    told, answered = type_("doctor"), type_("doctor", "--json")

    assert any(line.startswith("keys      ") and "OPENAI_API_KEY" in line for line in told.lines)
    assert answered.data["keys"]["ANTHROPIC_API_KEY"] is False
    assert "very-secret" not in told.out + answered.out


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Surroundings(free=1_000_000), "nearly full"),
        (Surroundings(free=1 << 40, data=1 << 41), "nearly full"),
        (Surroundings(free=1 << 40, network=True), "another machine"),
        (Surroundings(free=1 << 40, log=1 << 30), "1.0 GiB"),
    ],
)
def test_what_is_amiss_around_a_store_is_a_sentence(found: Surroundings, words: str) -> None:
    (caution,) = found.cautions

    assert words in caution


@pytest.mark.parametrize("location", ["memory:", "postgresql://host/db", "/nowhere/kept.db"])
def test_there_is_nothing_around_what_is_not_here(location: str) -> None:
    assert look_around(location) is None
