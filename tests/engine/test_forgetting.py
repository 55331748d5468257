"""What is forgotten is gone from every file, in every fork, with all that was derived from it."""

from pathlib import Path

import psycopg
import pytest
from msgspec.structs import replace
from psycopg import sql

import sojourn
from sojourn import Session, events
from sojourn.engine.forgetting import foresee
from sojourn.engine.settings import Settings
from sojourn.errors import InvalidInputError, NotFoundError
from sojourn.model.message import ToolCall
from sojourn.model.state import encode_snapshot
from sojourn.store.protocol import Snapshot
from sojourn.testing.postgres import fresh_schema

pytestmark = pytest.mark.anyio

SECRET = "Xylophagous-4711"
QUIET = Settings(keep_profile="yes", learning="off", embeddings="off")


def holds(folder: Path, content: str) -> list[Path]:
    """Return the files below *folder* that hold *content*."""
    return [file for file in folder.rglob("*") if file.is_file() and content.encode() in file.read_bytes()]


@pytest.fixture(params=["sqlite", "files"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "s.db") if request.param == "sqlite" else f"files:{tmp_path / 'f'}"


async def filled(session: Session) -> int:
    """Say a secret, derive things from it, and return the seq of the message that said it."""
    await session.messages.user("hello")
    told = await session.messages.user(f"my password is {SECRET}")
    learned = await session.append(
        events.FactLearned(fact_id="f", content=f"the password is {SECRET}"),
        events.ProfileUpdated(fields={"interests": [SECRET]}),
        causes=[told.seq],
    )
    await session.append(events.SummaryUpdated(text=f"user told {SECRET}"), causes=[learned.first])
    await session.working_set.decide("keep it safe", causes=[told.seq])
    await session.close()
    return told.seq


async def test_a_forgotten_message_takes_all_that_was_derived_from_it(location: str, tmp_path: Path) -> None:
    async with sojourn.open(location, settings=Settings(keep_profile="yes")) as app:
        session = await app.sessions.create("s")
        seq = await filled(session)
        fork = await app.sessions.fork("s", "fork")
        await fork.append(events.FactLearned(fact_id="g", content=f"{SECRET} again"), causes=[seq])
        await app.store.save_snapshot("s", await _snapshot(session), epoch=0)
        assert holds(tmp_path, SECRET)
        await session.forget("message", seq)

        assert session.state.knowledge_base.facts == {}
        assert session.state.user_profile.interests == ()
        assert session.state.working_set.summary == ""
        assert session.state.working_set.decisions == ()
        assert session.state.conversation.message_count == 1
        await fork.refresh()
        assert fork.state.knowledge_base.facts == {}
        assert holds(tmp_path, SECRET) == []
    assert holds(tmp_path, SECRET) == []


async def _snapshot(session: Session) -> Snapshot:

    return Snapshot(seq=session.head, data=encode_snapshot(session.state))


async def test_a_fact_and_a_field_are_forgotten_by_name_and_the_message_stays(location: str, tmp_path: Path) -> None:
    async with sojourn.open(location, settings=Settings(keep_profile="yes")) as app:
        session = await app.sessions.create("s")
        await session.messages.user("hello")
        await session.append(events.FactLearned(fact_id="f", content=f"likes {SECRET}"))
        await session.append(events.FactReinforced(fact_id="f", references=(SECRET,)))
        await session.append(events.ProfileUpdated(fields={"name": SECRET}))
        await session.append(events.ProfileUpdated(fields={"age": 36}))
        await session.forget("fact", "f")
        await session.forget("field", "name")

        assert session.state.knowledge_base.facts == {}
        assert (session.state.user_profile.name, session.state.user_profile.age) == (None, 36)
        assert session.state.conversation.message_count == 1
        assert holds(tmp_path, SECRET) == []


async def test_a_whole_user_is_forgotten_and_others_are_not(location: str, tmp_path: Path) -> None:
    async with sojourn.open(location, settings=Settings(keep_profile="yes")) as app:
        ada = await app.sessions.create("a", user_id="lovelace-1815", title=SECRET)
        await filled(ada)
        await app.sessions.fork("a", "b")
        await app.sessions.archive("a")
        bob = await app.sessions.create("c", user_id="bob")
        await bob.messages.user("I am Bob")
        await app.forget_user("lovelace-1815")

        assert holds(tmp_path, SECRET) == []
        assert holds(tmp_path, "lovelace-1815") == []
        assert bob.state.conversation.message_count == 1
        assert (await app.store.check()).ok
        assert (await app.sessions.open("b")).state.session_id == "b"


async def test_forgetting_reaches_the_copies_kept_before_migrations(tmp_path: Path) -> None:
    async with sojourn.open(tmp_path / "s.db") as app:
        session = await app.sessions.create("s")
        told = await session.messages.user(SECRET)
        await app.store.backup(tmp_path / "s.db.before-v2")
        await session.forget("message", told.seq)

    assert holds(tmp_path, SECRET) == []


async def test_forgetting_a_call_reaches_what_the_tool_was_given_and_said(location: str, tmp_path: Path) -> None:
    async with sojourn.open(location) as app:
        session = await app.sessions.create("s")
        await session.messages.user("look it up")
        call = ToolCall(id="c", name="find", arguments={"what": SECRET})
        asked = await session.messages.assistant(tool_calls=[call])
        await session.messages.tool_started("c", "find", {"what": SECRET})
        await session.messages.tool_ran("c", "find", success=False, error=f"no {SECRET} here")
        await session.messages.tool("c", f"{SECRET} was not found", error=True)
        await session.forget("message", asked.seq)

        assert holds(tmp_path, SECRET) == []
        assert session.state.conversation.message_count == 1


async def test_what_is_private_is_forgotten_too() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create("s")
        await session.append(events.ProfileUpdated(fields={"name": "Ada"}))
        await session.forget("field", "name")

        assert session.state.user_profile.name is None


async def test_what_is_not_there_cannot_be_forgotten() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create("s")
        head = session.head
        for name in ("no-such-fact", "x"):
            with pytest.raises(NotFoundError):
                await session.forget("fact", name)
        with pytest.raises(NotFoundError):
            await session.forget("message", 1)
        with pytest.raises(InvalidInputError):
            await session.forget("field", "confidence_scores")

        assert session.head == head


async def test_why_leads_from_a_belief_to_the_words_that_were_said() -> None:
    async with sojourn.open("memory:", settings=Settings(keep_profile="yes")) as app:
        session = await app.sessions.create("s")
        asked = await session.messages.user("what does it cost?")
        called = await session.messages.assistant(tool_calls=[ToolCall(id="c", name="price")])
        result = await session.messages.tool("c", "12 euros")
        learned = await session.append(events.FactLearned(fact_id="f", content="costs 12 euros"), causes=[result.seq])
        await session.append(events.ProfileUpdated(fields={"name": "Ada"}), causes=[asked.seq])
        await session.append(events.SummaryUpdated(text="price asked"), causes=[learned.last])
        decision = await session.working_set.decide("buy it", causes=[learned.last])

        fact = await session.why("f")
        assert [entry.seq for entry in fact.entries] == [called.seq, result.seq, learned.last]
        assert [(quote.role, quote.text) for quote in fact.quotes] == [("assistant", ""), ("tool", "12 euros")]
        assert [quote.text for quote in (await session.why("name")).quotes] == ["what does it cost?"]
        assert (await session.why("summary")).quotes == fact.quotes
        assert (await session.why(decision)).subject == "buy it"
        with pytest.raises(NotFoundError):
            await session.why("nothing of the kind")


async def test_a_session_saved_to_a_file_comes_back_the_same(tmp_path: Path) -> None:
    async with sojourn.open("memory:", settings=Settings(keep_profile="yes")) as app:
        session = await app.sessions.create("s", title="Plans", user_id="ada")
        await filled(session)
        fork = await app.sessions.fork("s", "f", at=3)
        await fork.variables.set("x", {"a": [1, 2.5, None]})
        await fork.save(tmp_path / "f.json")
        before = await app.store.read("f")

    async with sojourn.open(tmp_path / "other.db") as app:
        loaded = await app.sessions.load(tmp_path / "f.json")
        assert loaded.state == fork.state
        assert await app.store.read("f") == before
        again = await app.sessions.load(tmp_path / "f.json", session_id="twin")
        assert again.state.conversation == loaded.state.conversation
        assert (await app.store.check()).ok


async def test_a_file_that_is_no_session_is_refused_and_stores_nothing(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    async with sojourn.open("memory:") as app:
        for text in ("", "{}", '{"format": "sojourn-session"}', "\ud83d".encode("utf-16", "surrogatepass").hex()):
            bad.write_text(text)
            with pytest.raises(InvalidInputError, match="not a saved session"):
                await app.sessions.load(bad)
        assert (await app.sessions.list()).rows == ()


def postgres_rows(url: str) -> str:
    """Return every row of every table and view in the store's schema, as text."""
    with psycopg.connect(url) as connection:
        names = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p', 'v')"
            " AND relnamespace = current_schema()::regnamespace"
        ).fetchall()
        found = [
            connection.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(name))).fetchall() for (name,) in names
        ]
    assert len(found) > 10
    return repr(found)


async def test_on_postgres_what_is_forgotten_cannot_be_read_by_sql(postgres_url: str) -> None:
    with fresh_schema(postgres_url) as url:
        async with sojourn.open(url, settings=Settings(keep_profile="yes")) as app:
            session = await app.sessions.create("s")
            seq = await filled(session)
            fork = await app.sessions.fork("s", "fork")
            await fork.append(events.FactLearned(fact_id="g", content=f"{SECRET} again"), causes=[seq])
            assert SECRET in postgres_rows(url)
            await session.forget("message", seq)

            assert SECRET not in postgres_rows(url)
            assert session.state.conversation.message_count == 1


async def test_on_postgres_a_profile_that_is_not_kept_is_not_written(postgres_url: str) -> None:
    with fresh_schema(postgres_url) as url:
        async with sojourn.open(url, settings=Settings(keep_profile="no")) as app:
            session = await app.sessions.create("s")
            await session.profile.set(name=SECRET)
            await session.facts.learn(f"{SECRET} keeps bees", about="user")

            assert session.state.user_profile.name == SECRET
            assert SECRET not in postgres_rows(url)


# --- seen before it is done


async def test_what_would_go_is_what_goes(location: str) -> None:
    async with sojourn.open(location, settings=QUIET) as app:
        session = await app.sessions.create("s")
        seq = await filled(session)
        head = session.head

        foreseen = await foresee(session, "message", seq)

        assert session.head == head
        assert (await session.store.read("s", after=seq - 1, limit=1))[0].event == foreseen.entries[0].event
        redaction = await session.forget("message", seq)
        assert tuple(entry.seq for entry in foreseen.entries) == redaction.tombstones[session.id]
        assert foreseen.others == ()


async def test_sessions_that_read_what_would_go_are_foreseen(location: str) -> None:
    async with sojourn.open(location, settings=QUIET) as app:
        parent = await app.sessions.create("parent")
        seq = await filled(parent)
        fork = await parent.fork("fork")
        await fork.fork("deeper")
        await parent.fork("earlier", at=seq - 1)
        detached = await parent.fork("lonely")
        own = await fork.messages.user("only here")

        foreseen = await foresee(fork, "message", seq)
        of_its_own = await foresee(fork, "message", own.seq)

        assert set(foreseen.others) == {"parent", "deeper", "lonely"}
        assert of_its_own.others == ()
        await app.store.detach_forks("parent")
        assert (await foresee(detached, "message", seq)).others == ()


async def test_what_is_not_there_is_not_foreseen() -> None:
    async with sojourn.open("memory:", settings=QUIET) as app:
        session = await app.sessions.create("s")

        with pytest.raises(NotFoundError):
            await foresee(session, "message", 1)
        with pytest.raises(InvalidInputError):
            await foresee(session, "field", "shoe_size")


async def test_a_forgotten_session_stays_where_it_was_put(location: str) -> None:
    async with sojourn.open(location, settings=QUIET) as app:
        await app.sessions.create("archived")
        await app.sessions.create("trashed", user_id="ada")
        await app.sessions.create("rewound")
        await app.sessions.archive("archived")
        await app.sessions.delete("trashed")
        await app.sessions.rewind("rewound", at=1)

        for name in ("archived", "rewound"):
            await (await app.sessions.open(name, exact=True)).forget("session")
        await app.forget_user("ada")

        headers = {name: (await app.store.get_session(name)).header for name in ("archived", "trashed", "rewound")}
        assert headers["archived"].archived_at is not None
        assert headers["trashed"].trashed_at is not None
        assert headers["rewound"].superseded_by is not None


async def test_a_fact_that_the_state_holds_no_more_is_explained_by_itself() -> None:
    async with sojourn.open("memory:", settings=QUIET) as app:
        session = await app.sessions.create("s")
        said = await session.messages.user("prod runs behind nginx")
        fact = await session.facts.learn("prod runs behind nginx", causes=[said.seq])

        explained = await session.why(replace(fact, fact_id="fallen-out"))

        assert [quote.text for quote in explained.quotes] == ["prod runs behind nginx"]
