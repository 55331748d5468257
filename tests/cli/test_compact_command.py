"""A session is compacted by hand: seen first, told after, and taken back."""

import json
from pathlib import Path

import pytest

import sojourn
from sojourn.engine.session import Session
from sojourn.model.message import Message
from tests.cli.seeded import seed
from tests.cli.typed import Type


async def _talked(_: sojourn.Sojourn, session: Session) -> None:
    await session.messages.add(Message(role="user", content="We must move billing to Postgres 16 before May."))
    for number in range(30):
        role, text = ("assistant", "moved") if number % 2 else ("user", "please move")
        content = f"{text} table number {number} of billing. " + "It was checked twice and has no gaps. " * 8
        await session.messages.add(Message(role=role, content=content))  # type: ignore[arg-type]  # one of two roles


@pytest.fixture
def talked(folder: Path) -> str:
    """A session of 31 messages; its id."""
    return seed(folder, _talked)


def test_what_would_go_is_said_and_nothing_goes(talked: str, type_: Type) -> None:
    dry = type_("compact", "--dry-run")

    assert dry.code == 0
    assert dry.lines[0] == "[2] user said: We must move billing to Postgres 16 before May."
    assert "would stand for 11 messages" in dry.err
    assert type_("context", "--bare", "--json").data["parts"][0]["name"] == "messages"


def test_a_summary_stands_for_the_old_messages_and_is_taken_back(talked: str, type_: Type) -> None:
    done = type_("compact", "--keep", "4", "--json").data

    assert (done["compacted"], len(done["proposal"]["old"])) == (True, 27)
    assert done["tokens_after"] < done["tokens_before"]
    assert "Postgres 16" in done["summary"]
    assert len(type_("show", "--all", "--json").data["messages"]) == 31
    assert type_("context", "--bare", "--why", "summary").code == 0

    undone = type_("compact", "--undo")
    assert "taken back" in undone.err
    assert type_("context", "--bare", "--why", "summary").code == 3
    assert type_("compact", "--undo").code == 3


@pytest.mark.parametrize("also", [(), ("--dry-run",)])
def test_no_message_goes_that_was_asked_to_stay(talked: str, type_: Type, also: tuple[str, ...]) -> None:
    done = type_("compact", "--keep", "31", *also)

    assert (done.code, done.out) == (0, "")
    assert done.err == "nothing was compacted: --keep 31 leaves 31 messages as they are, and there are no more\n"
    assert type_("context", "--bare", "--why", "summary").code == 3


def test_people_see_the_summary_and_what_it_saved(talked: str, type_: Type) -> None:
    done = type_("compact")

    assert any("Postgres 16" in line for line in done.lines)
    assert "a summary stands for 11 messages now" in done.err
    assert "sojourn compact --undo" in done.err


def test_a_model_writes_the_summary_when_it_is_named(talked: str, type_: Type) -> None:
    answer = {"summary": "Billing moves.", "decided": ["Postgres 16"], "known": [], "open": []}

    done = type_("compact", "--model", f"scripted:{json.dumps(answer)}", "--json").data

    assert done["summary"].startswith("Billing moves.")
    assert type_("cost", "--by", "purpose", "--json").data["groups"][0]["key"] == "summarisation"


def test_a_model_that_writes_none_changes_nothing_and_says_so(talked: str, type_: Type) -> None:
    failed = type_("compact", "--model", "scripted:no idea")

    assert failed.code == 1
    assert "nothing was compacted" in failed.err
    assert "Traceback" not in failed.err
    assert type_("compact", "--undo").code == 3


def test_a_session_that_is_short_stays_as_it_is(folder: Path, type_: Type) -> None:
    async def brief(_: sojourn.Sojourn, session: Session) -> None:
        await session.messages.add(Message(role="user", content="hello"))

    seed(folder, brief)

    short = type_("compact")
    assert (short.code, short.out) == (0, "")
    assert "nothing was compacted: there are too few messages" in short.err


def test_what_matters_most_is_in_the_summary(folder: Path, type_: Type) -> None:
    async def strayed(app: sojourn.Sojourn, session: Session) -> None:
        await _talked(app, session)
        await session.messages.add(Message(role="assistant", content="By the way, the zebra ate the login cookie."))
        for _ in range(20):
            await session.messages.add(Message(role="user", content="Go on with the tables of billing."))

    seed(folder, strayed)

    assert "zebra" in type_("compact", "--focus", "the login cookie").out


@pytest.mark.parametrize(
    "words", [("--undo", "--dry-run"), ("--undo", "--keep", "3"), ("--keep", "0"), ("--model", "no such"), ("--what",)]
)
def test_options_that_say_nothing_together_are_refused(talked: str, type_: Type, words: tuple[str, ...]) -> None:
    assert type_("compact", *words).code == 2


def test_while_a_turn_goes_on_nothing_is_compacted(folder: Path, type_: Type) -> None:
    async def held(app: sojourn.Sojourn, session: Session) -> None:
        await _talked(app, session)
        await app.store.acquire_lease(session.id, "somebody else", ttl=600)

    seed(folder, held)

    refused = type_("compact", "--json")

    assert (refused.code, refused.error["kind"]) == (4, "LockedError")
    assert type_("compact", "--dry-run").code == 0
