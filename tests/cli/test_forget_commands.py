"""What is forgotten by hand is shown first, and gone for good after: from the store, the index and the logs."""

from pathlib import Path

import pytest

import sojourn
from sojourn.agent.logs.config import LogConfig
from sojourn.agent.logs.projection import open_log
from sojourn.engine.session import Session
from sojourn.model.message import Message
from tests.cli.seeded import seed, visit
from tests.cli.typed import Type

SECRET = "xylophagous"


async def _told(_: sojourn.Sojourn, session: Session) -> None:
    await session.messages.add(Message(role="user", content="hello"))
    said = await session.messages.add(Message(role="user", content=f"my boat is called {SECRET}"))
    await session.facts.learn(f"the boat is called {SECRET}", causes=[said.seq])
    await session.profile.set("interests", [SECRET])


@pytest.fixture
def told(folder: Path) -> str:
    """A session in which a secret was told, learned and noted; its id."""
    return seed(folder, _told, user_id="ada")


def holding(folder: Path) -> list[str]:
    """Return the files that hold the secret."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [file.name for file in files if SECRET.encode() in file.read_bytes()]


def test_a_message_is_shown_with_what_hangs_on_it_and_stays(told: str, folder: Path, type_: Type) -> None:
    shown = type_("forget", "message", "3")

    assert shown.code == 0
    assert shown.lines == [
        f"[3] user said: my boat is called {SECRET}",
        f"[4] fact learned: the boat is called {SECRET}",
    ]
    assert "nothing was forgotten; --yes" in shown.err
    assert SECRET in type_("show").out


def test_a_forgotten_message_is_gone_with_what_was_learned_from_it(told: str, folder: Path, type_: Type) -> None:
    type_("search", SECRET)

    done = type_("forget", "message", "3", "--yes", "--json").data

    assert (done["forgotten"], done["removed"]) == (True, {told: [3, 4]})
    assert SECRET not in type_("show").out
    assert type_("facts", "ls", "--status", "all", "--json").data["facts"] == []
    assert type_("search", SECRET, "--json").data["hits"] == []
    assert "for good: 1 entry" in type_("forget", "value", "interests", "--yes").err
    assert holding(folder) == []


def test_logs_forget_it_too(told: str, folder: Path, type_: Type) -> None:
    async def logged(_: sojourn.Sojourn, session: Session) -> None:
        log = await open_log(session, LogConfig(base_dir=folder / "logs"))
        log.logger.close()

    visit(folder, told, logged)
    assert any(SECRET in file.read_text("utf-8") for file in (folder / "logs").rglob("*.md"))

    type_("forget", "message", "3", "--yes")

    assert not any(SECRET in file.read_text("utf-8") for file in (folder / "logs").rglob("*.md"))
    assert any("hello" in file.read_text("utf-8") for file in (folder / "logs").rglob("*.md"))


def test_a_fact_is_forgotten_by_its_number_and_what_was_said_stays(told: str, type_: Type) -> None:
    done = type_("forget", "fact", "1", "--yes")

    assert done.code == 0
    assert type_("facts", "ls", "--status", "all", "--json").data["facts"] == []
    assert SECRET in type_("show").out


def test_a_value_is_forgotten_with_all_that_it_was(told: str, type_: Type) -> None:
    shown = type_("forget", "value", "interests", "--json").data
    assert (shown["forgotten"], [one["kind"] for one in shown["entries"]]) == (False, ["profile_updated"])

    type_("forget", "value", "interests", "--yes")

    assert type_("profile", "show", "--json").data["profile"]["interests"] == []


def test_a_session_is_forgotten_whole(told: str, folder: Path, type_: Type) -> None:
    assert "2 messages and 3 entries" in type_("forget", "session", told).err

    type_("forget", "session", told, "--yes")

    assert type_("show", told, "--json").data["messages"] == []
    assert holding(folder) == []


def test_a_user_is_forgotten_in_every_session(told: str, folder: Path, type_: Type) -> None:
    other = seed(folder, _told, user_id="bob", title="Bob's")
    type_("delete", told)

    shown = type_("forget", "user", "ada", "--json").data
    assert (shown["forgotten"], shown["sessions"]) == (False, [told])
    done = type_("forget", "user", "ada", "--yes", "--json").data

    assert (done["forgotten"], done["entries"]) == (True, 5)
    assert SECRET in type_("show", other).out
    assert type_("restore", told).code == 0
    assert type_("show", told, "--json").data["messages"] == []


def test_sessions_that_share_it_are_named(told: str, type_: Type) -> None:
    fork = type_("fork", told).lines[0]

    shown = type_("forget", "message", "3", "-s", fork)

    assert f"also in {told}" in shown.out
    assert "also in 1 session that shares them" in shown.err
    assert type_("forget", "message", "3", "-s", fork, "--yes").code == 0
    assert SECRET not in type_("show", told).out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("message", "1"), 3),
        (("message", "99"), 3),
        (("message", "0"), 2),
        (("message", "x"), 2),
        (("fact", "zebra"), 3),
        (("fact", "boat"), 3),
        (("value", "shoe_size"), 2),
        (("value", "name"), 3),
        (("session", "nowhere"), 3),
        (("user", "nobody"), 3),
    ],
)
def test_what_is_not_there_is_not_forgotten(told: str, type_: Type, words: tuple[str, ...], code: int) -> None:
    assert type_("forget", *words, "--yes").code == code
    assert SECRET in type_("show").out


def test_a_long_session_is_shown_in_short(folder: Path, type_: Type) -> None:
    async def talked(_: sojourn.Sojourn, session: Session) -> None:
        for number in range(40):
            await session.messages.add(Message(role="user", content=f"number {number}"))

    session_id = seed(folder, talked)

    shown = type_("forget", "session", session_id)

    assert len(shown.lines) == 21
    assert shown.lines[-1] == "and 21 more: 21 user said"


def test_words_of_a_fact_do_not_let_it_be_forgotten_and_say_which_it_may_be(folder: Path, type_: Type) -> None:
    type_("new", "Notes")
    fact_id = type_("facts", "add", "prod runs behind nginx").lines[0]

    refused = type_("forget", "fact", "nginx", "--yes", "--json")

    assert refused.code == 3
    assert refused.error["message"] == "'nginx' is a part of a fact: give its number, id or all words"
    assert refused.error["hint"] == f"{fact_id}  prod runs behind nginx"
    assert type_("forget", "fact", "prod runs behind nginx", "--yes").code == 0
