"""Keys and passwords are found in what is stored, and taken out for good, wherever they stand."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import sojourn
from sojourn import Agent, LogConfig, LogStream, ScriptedProvider, SessionLogger
from sojourn.engine.project import find_project
from sojourn.model.events import FactLearned, Span
from sojourn.model.ids import Seq
from sojourn.model.message import MediaPart, Message, TextPart, ToolCall
from tests.cli.typed import Type

KEY = "sk-" + "a1b2c3d4" * 4
PASSWORD = "correct-horse-9"


def location(folder: Path) -> str:
    return os.environ.get("SOJOURN_STORE") or str(folder / "home" / "sojourn.db")


def do(folder: Path, work: Callable[[Any], Awaitable[None]]) -> None:
    """Do something with the sessions that are kept."""

    async def run() -> None:
        quiet = sojourn.Settings(learning="off", embeddings="off", keep_profile="yes")
        async with sojourn.open(location(folder), settings=quiet) as app:
            await work(app)

    (folder / "home").mkdir(exist_ok=True)
    asyncio.run(run())


def kept(folder: Path) -> None:
    """Keep a session with secrets in what was said, called, learned and named, and a fork of it."""

    async def keep(app: Any) -> None:
        project = find_project(folder / "work").id
        session = await app.sessions.create("talk", title=f"use {KEY}", project=project)
        said = await session.messages.user(f"my password: {PASSWORD} and more, the ferry leaves at nine")
        call = ToolCall(id="c1", name="fetch", arguments={"headers": {"api_key": KEY}, "id": 7})
        await session.messages.add(Message(role="assistant", content="I call.", tool_calls=(call,)))
        await session.messages.tool("c1", f"token {KEY} accepted")
        learned = FactLearned(
            fact_id="f1",
            content=f"the door opens with {PASSWORD}",
            spans=(Span(seq=said.seq, start=0, end=5), Span(seq=Seq(3), start=0, end=1)),
        )
        await session.append(learned, causes=[said.seq])
        picture = MediaPart(media_type="image/png", data=KEY.encode())
        await session.messages.user((TextPart(text="look"), picture))
        fork = await app.sessions.fork("talk", "branch")
        await fork.messages.user(f"again {KEY}")

    do(folder, keep)


def whole(type_: Type, reference: str) -> str:
    return type_("export", reference, "-f", "json", "--no-redact").out


def holds(folder: Path, text: str) -> bool:
    """Tell whether any file below a folder holds *text*."""
    return any(text.encode() in file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_secrets_are_shown_by_kind_place_and_first_letters_only(anywhere: Path, type_: Type) -> None:
    kept(anywhere)
    shown = type_("scrub", "talk")

    assert shown.code == 0
    assert KEY not in shown.out + shown.err
    assert PASSWORD not in shown.out + shown.err
    assert "3 api key  sk-a…  entries 1, 3, 4" in shown.out
    assert "2 password  corr…  entries 2, 5" in shown.out
    assert "nothing was changed" in shown.err
    assert KEY in whole(type_, "talk")


def test_secrets_are_taken_out_for_good_and_the_rest_stays(anywhere: Path, type_: Type) -> None:
    kept(anywhere)
    done = type_("scrub", "talk", "--yes", "--json").data

    assert (done["scrubbed"], done["rewritten"]) == (True, 6)
    text = whole(type_, "branch")
    assert KEY not in text
    assert PASSWORD not in text
    assert "my password: [redacted:password] and more, the ferry leaves at nine" in text
    assert '"api_key":"[redacted:api_key]"' in text
    assert "the door opens with [redacted:password]" in text
    assert type_("show", "talk", "--json").data["session"]["title"] == "use [redacted:api_key]"
    assert not holds(anywhere / "home", KEY)
    assert not holds(anywhere / "kept", KEY)
    assert not holds(anywhere / "home", PASSWORD)
    assert not holds(anywhere / "kept", PASSWORD)
    assert type_("scrub", "talk").err == "no secrets were found\n"
    assert type_("doctor").code == 0


def test_what_was_quoted_from_a_changed_message_is_quoted_no_more(folder: Path, type_: Type) -> None:
    kept(folder)
    type_("scrub", "talk", "--yes")

    async def look(app: Any) -> None:
        session = await app.sessions.open("talk")
        [fact] = session.facts
        assert fact.spans == ()  # the message that the other one quotes called a tool with a key
        assert [quote.seq for quote in (await session.why(fact)).quotes] == [2]

    do(folder, look)


def test_search_finds_what_stays_and_not_what_went(folder: Path, type_: Type) -> None:
    kept(folder)
    assert type_("search", "--all", PASSWORD, "--json").data["hits"] != []
    type_("scrub", "talk", "--yes")

    assert type_("search", "--all", "correct-horse-9", "--json").data["hits"] == []
    assert type_("search", "--all", "ferry", "--json").data["hits"] != []


def test_logs_forget_them_too(folder: Path, type_: Type) -> None:
    logs = folder / "logs"

    async def talk(app: Any) -> None:
        session = await app.sessions.create("talk", project=find_project(folder / "work").id)
        logger = SessionLogger(LogConfig(base_dir=logs, streams=LogStream.ALL))
        agent = Agent(ScriptedProvider(["noted"]), session=session, app=app, logger=logger)
        await agent.ask("the gate code is zebra-4711-quagga")
        await agent.close()

    do(folder, talk)
    assert holds(logs, "zebra-4711-quagga")
    type_("scrub", "talk", "--pattern", r"zebra-\d+-\w+", "--yes")
    assert not holds(logs, "zebra-4711-quagga")
    assert holds(logs, "the gate code is [redacted:pattern]")


def test_all_sessions_are_looked_through_the_thrown_away_too(folder: Path, type_: Type) -> None:
    kept(folder)
    type_("delete", "branch")
    do(folder, _another)

    found = type_("scrub", "--all", "--json").data["found"]
    assert {one["session_id"] for one in found} == {"talk", "branch", "other"}


async def _another(app: Any) -> None:
    await (await app.sessions.create("other")).messages.user(f"Bearer {KEY}")


def test_a_pattern_finds_its_group_and_leaves_what_the_journal_needs(folder: Path, type_: Type) -> None:
    kept(folder)
    type_("scrub", "talk", "--pattern", "leaves at (nine)", "--pattern", "user|text|message", "--yes")

    text = whole(type_, "talk")
    assert "the ferry leaves at [redacted:pattern]" in text
    assert '"role":"user"' in text
    assert type_("doctor").code == 0


@pytest.mark.parametrize("words", [("--pattern", "("), ("--pattern", "a*"), ("--dry-run", "--yes"), ("--all", "talk")])
def test_what_cannot_be_meant_changes_nothing(folder: Path, type_: Type, words: tuple[str, ...]) -> None:
    kept(folder)
    before = whole(type_, "talk").partition('"entries"')[2]

    assert type_("scrub", *words).code == 2
    assert whole(type_, "talk").partition('"entries"')[2] == before


def test_a_damaged_session_stops_no_other(folder: Path, type_: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOJOURN_STORE", f"files:{folder / 'kept'}")
    kept(folder)
    do(folder, _another)
    [journal] = (folder / "kept").rglob("other/journal.jsonl")
    journal.write_bytes(journal.read_bytes().replace(b"Bearer", b"Borrow"))

    done = type_("scrub", "--all", "--yes")
    assert done.code == 5
    assert KEY not in whole(type_, "talk")
