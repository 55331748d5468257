"""Remembering across sessions: indexing behind the turn, searching, answering, sharing, forgetting."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import sojourn
from sojourn.engine.app import Sojourn
from sojourn.engine.recall.ingesting import EVERY
from sojourn.engine.settings import Settings
from sojourn.errors import AlreadyExistsError, InvalidInputError, SessionNotFoundError
from sojourn.memory.index.document import Hit
from sojourn.model.message import Message
from sojourn.store import open_store
from sojourn.testing.clock import FakeClock
from sojourn.testing.suite.check import Backend

pytestmark = pytest.mark.anyio
QUIET = Settings(keep_profile="yes", learning="off", embeddings="off")
"""Nothing is learned and nothing embedded: what is searched is what was said."""


def texts(hits: list[Hit]) -> list[str]:
    return [hit.document.text for hit in hits]


def remove_index(folder: Path) -> None:
    for file in folder.glob("*.index*"):
        file.unlink()


@pytest.fixture
async def app() -> AsyncIterator[Sojourn]:
    async with sojourn.open("memory:", settings=QUIET) as opened:
        yield opened


# --- search


async def test_what_was_just_said_is_found_before_it_is_indexed(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    await session.messages.user("The staging server lives in Helsinki")

    assert texts(await session.search("where is the staging server?")) == ["The staging server lives in Helsinki"]


@pytest.mark.parametrize(
    "question",
    [
        "Which did I do first, fix the fence or trim the goats' hooves?",
        "How many days passed between the day I fixed the fence and the day I trimmed the hooves?",
    ],
)
async def test_a_question_of_two_parts_finds_both(app: Sojourn, question: str) -> None:
    session = await app.sessions.create("s")
    fence = await session.messages.user("I fixed the fence by the orchard on Saturday")
    await session.messages.assistant("Nice weather for it. Did it take long?")
    await session.messages.user("Most of the day. The hay is in as well")
    hooves = await session.messages.user("We trimmed the hooves of all the goats on Tuesday")
    await session.messages.assistant("The goats must be glad, and the fence will keep them in")
    await session.messages.user("The tractor needs new tyres")
    await app.background.drain()

    found = await session.search(question, limit=2)
    answer = await session.query(question)

    assert {hit.document.seq for hit in found} == {fence.seq, hooves.seq}
    assert {one.seq for one in answer.evidence[:2]} == {fence.seq, hooves.seq}
    assert not answer.found


async def test_a_result_points_at_its_message_and_marks_the_words(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    said = await session.messages.user("We deploy on Fridays, whatever people say")
    await app.background.drain()

    [hit] = await session.search("deploying")
    marked = [hit.snippet[start:end] for start, end in hit.highlights]
    assert (hit.document.session_id, hit.document.seq, hit.document.role) == ("s", said.seq, "user")
    assert marked == ["deploy"]


async def test_a_text_that_is_not_long_can_be_had_whole(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    long = f"We deploy on Fridays{', whatever people say' * 20}"
    for text in ("We deploy\n\non Mondays", long):
        await session.messages.user(text)
    await app.background.drain()

    found = [hit.snippet for hit in await app.memory.search("deploying", session_id="s", whole=100)]
    assert "We deploy\n\non Mondays" in found
    assert long not in found
    assert len(found) == 2


async def test_a_session_finds_only_its_own_and_its_user_finds_all(app: Sojourn) -> None:
    for number in (1, 2):
        session = await app.sessions.create(f"s{number}", user_id="ana")
        await session.messages.user(f"The password hint number {number} is a river")
    await (await app.sessions.create("other", user_id="bo")).messages.user("The password hint of Bo is a river")
    await app.background.drain()
    session = await app.sessions.open("s1")

    assert [hit.document.session_id for hit in await session.search("password hint")] == ["s1"]
    wide = await session.search("password hint", scope="user")
    assert {hit.document.session_id for hit in wide} == {"s1", "s2"}
    assert {hit.document.session_id for hit in await app.memory.search("password hint", user_id="bo")} == {"other"}
    assert await app.memory.search("password hint") == []
    everyone = await app.memory.search("password hint", everyone=True)
    assert {hit.document.session_id for hit in everyone} == {"s1", "s2", "other"}


async def test_a_search_can_be_limited_by_role_project_and_tag(app: Sojourn) -> None:
    one = await app.sessions.create("one", project="shop", tags=["work"])
    await one.messages.user("Does the invoice have a number?")
    await one.messages.assistant("Each invoice has a number")
    two = await app.sessions.create("two", project="blog")
    await two.messages.user("An invoice for the blog")
    await app.background.drain()

    assert texts(await app.memory.search("invoice", roles=["assistant"])) == ["Each invoice has a number"]
    assert {hit.document.session_id for hit in await app.memory.search("invoice", project="blog")} == {"two"}
    assert {hit.document.session_id for hit in await app.memory.search("invoice", tag="work")} == {"one"}
    await app.sessions.tag("two", add=["work"])
    await app.background.drain()
    assert {hit.document.session_id for hit in await app.memory.search("invoice", tag="work")} == {"one", "two"}


async def test_a_fork_finds_what_it_shares_and_not_what_came_after(app: Sojourn) -> None:
    parent = await app.sessions.create("parent")
    shared = await parent.messages.user("The budget is nine hundred euros")
    fork = await app.sessions.fork("parent", "fork", at=shared.seq)
    await parent.messages.user("The budget of the parent grew later")
    await fork.messages.user("The budget of the fork shrank")
    await app.background.drain()

    found = texts(await fork.search("budget"))
    assert set(found) == {"The budget is nine hundred euros", "The budget of the fork shrank"}
    assert len(texts(await app.memory.search("budget"))) == 3


async def test_a_session_in_the_trash_is_not_found(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    await session.messages.user("a purple elephant")
    await app.background.drain()
    await app.sessions.delete("s")
    await app.memory.catch_up()

    assert await app.memory.search("elephant") == []


async def test_what_is_forgotten_is_not_found_and_the_rest_is(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    secret = await session.messages.user("My locker code is marzipan")
    await session.messages.user("The locker is green")
    await app.background.drain()
    await session.forget("message", secret.seq)

    assert texts(await session.search("locker marzipan")) == ["The locker is green"]


async def test_a_purged_session_is_gone_and_its_detached_fork_keeps_what_it_shares(app: Sojourn) -> None:
    parent = await app.sessions.create("parent")
    await parent.messages.user("The lighthouse was painted red")
    fork = await app.sessions.fork("parent", "fork")
    await app.background.drain()
    await app.sessions.delete("parent")
    await app.sessions.purge("parent", detach=True)

    assert [hit.document.session_id for hit in await fork.search("lighthouse")] == ["fork"]
    assert [hit.document.session_id for hit in await app.memory.search("lighthouse")] == ["fork"]


async def test_an_index_that_was_removed_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    async with sojourn.open(path, settings=QUIET) as app:
        await (await app.sessions.create("s")).messages.user("Remember the anchovies")
    remove_index(tmp_path)
    async with sojourn.open(path, settings=QUIET) as app:
        await app.memory.catch_up()
        assert texts(await app.memory.search("anchovies")) == ["Remember the anchovies"]
        assert await app.memory.rebuild() == 1
        assert texts(await app.memory.search("anchovies")) == ["Remember the anchovies"]


async def test_what_was_appended_without_an_app_is_indexed_by_the_next_one(tmp_path: Path) -> None:
    async with open_store(tmp_path / "s.db") as store:
        session = await sojourn.Session.create(store, "s")
        await session.messages.user("The owl is called Minna")
    async with sojourn.open(tmp_path / "s.db", settings=QUIET) as app:
        assert texts(await app.memory.search("owl")) == ["The owl is called Minna"]


async def test_bad_questions_get_an_answer_or_one_clear_sentence(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    await session.messages.user("plain words")
    for question in (
        "",
        "   ",
        "'; DROP TABLE words; --",
        'NEAR("a" AND OR NOT *',
        "\x00\x01",
        "🦊" * 50,
        "w " * 10_000,
    ):
        assert isinstance(await session.search(question), list)
    with pytest.raises(InvalidInputError, match="limit"):
        await session.search("plain", limit=0)
    with pytest.raises(SessionNotFoundError):
        await app.memory.search("plain", session_id="nobody")
    with pytest.raises(InvalidInputError, match="question"):
        await session.query("  ")


async def test_strange_messages_are_indexed_and_found(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    await session.messages.user("")
    await session.messages.user("x" * 1_000_000 + " haystack")
    await session.messages.user("\x00\xff\x1b[31m binary looking needle")
    await session.messages.user("私は東京に住んでいます 🗼")
    await session.messages.user("see parse_config_file() in src/app/config_loader.py")
    await app.background.drain()

    assert "needle" in (await session.search("needle"))[0].document.text
    assert "東京" in (await session.search("東京"))[0].document.text
    assert "config_loader" in (await session.search("config_loader"))[0].document.text


# --- every store


async def test_every_store_has_an_index_that_follows_it(backend: Backend, clock: FakeClock, tmp_path: Path) -> None:
    async with Sojourn(backend.make_store(tmp_path, clock), settings=QUIET, clock=clock) as app:
        session = await app.sessions.create("s")
        await session.messages.user("The ferry leaves at noon")
        fact = await session.facts.learn("The ferry is called Aurora")
        await app.background.drain()
        assert "The ferry leaves at noon" in texts(await app.memory.search("ferry leaving"))
        assert [hit.document.fact_id for hit in await session.search("Aurora", kinds=["fact"])] == [fact.fact_id]
        await session.facts.retire(fact.fact_id, "renamed")
        await app.background.drain()
        assert await session.search("Aurora", kinds=["fact"]) == []


# --- meaning


class Letters:
    """An embedder that finds texts alike that have the same letters; it breaks when it is told to."""

    name = "letters"
    dimensions = 26

    def __init__(self) -> None:
        self.broken = False
        self.asked = 0

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        self.asked += 1
        if self.broken:
            raise RuntimeError("no more letters")
        counts = np.array([[text.lower().count(chr(97 + n)) for n in range(26)] for text in texts], np.float32)
        lengths: NDArray[np.float32] = np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)
        return np.asarray(counts / lengths, np.float32)


async def test_what_is_said_is_embedded_and_found_by_meaning() -> None:
    settings = Settings(learning="off")
    async with sojourn.open("memory:", settings=settings, embedders=[Letters()]) as app:
        session = await app.sessions.create("s")
        await session.messages.user("listen")
        await session.messages.user("xylophone")
        await app.background.drain()
        assert await app.memory.embed() == 2

        [best, *_] = await session.search("silent")
        assert best.document.text == "listen"


async def test_an_embedder_that_breaks_is_reported_and_closing_does_not_mind() -> None:
    letters = Letters()
    letters.broken = True
    async with sojourn.open("memory:", settings=Settings(learning="off"), embedders=[letters]) as app:
        session = await app.sessions.create("s")
        await session.messages.user("The kettle is blue")
        await app.background.drain()
        with pytest.raises(RuntimeError, match="no more letters"):
            await app.memory.embed()
        assert (await session.search("kettle"))[0].document.text == "The kettle is blue"


async def test_a_search_asks_no_model_while_there_is_nothing_to_compare_with() -> None:
    letters = Letters()
    async with sojourn.open("memory:", settings=Settings(learning="off", brief=True), embedders=[letters]) as app:
        session = await app.sessions.create("s")
        await session.messages.user("The kettle is blue")
        await app.background.drain()

        assert (await session.search("kettle"))[0].document.text == "The kettle is blue"
        assert letters.asked == 0


async def test_what_a_brief_program_leaves_is_embedded_by_the_next_one(tmp_path: Path) -> None:
    store, letters = tmp_path / "s.db", Letters()
    settings = Settings(learning="off", brief=True)
    async with sojourn.open(store, settings=settings, embedders=[letters]) as app:
        session = await app.sessions.create("s")
        await session.messages.user("listen")

    assert letters.asked == 0
    async with sojourn.open(store, settings=Settings(learning="off"), embedders=[letters]) as app:
        assert await app.memory.embed() == 1
        [best, *_] = await app.memory.search("silent")
        assert best.document.text == "listen"


# --- answers


async def test_the_profile_answers_without_a_search(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    said = await session.messages.user("I'm Ada, 36, and I write Python")
    await session.profile.set(name="Ada", age=36, programming_languages=["Python"], causes=[said.seq])

    name, language = await session.query("What's my name?"), await session.query("What language do I use?")
    assert (name.text, name.source, [one.seq for one in name.evidence]) == ("Ada", "profile", [said.seq])
    assert language.text == "Python"


async def test_facts_answer_before_messages_do(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    await session.messages.user("The API rate limit is what exactly?")
    fact = await session.facts.learn("The API rate limit is 1000 requests per hour", confidence=0.9)

    answer = await session.query("What is the rate limit of the API?")
    assert (answer.text, answer.source, answer.confidence) == (fact.content, "facts", 0.9)
    assert [one.fact_id for one in answer.evidence] == [fact.fact_id]


async def test_what_was_put_right_is_not_quoted_from_the_message_that_was_wrong() -> None:
    async with sojourn.open("memory:", settings=Settings(keep_profile="yes", embeddings="off")) as app:
        session = await app.sessions.create("s")
        await session.messages.user("The API rate limit is 300 requests per minute.")
        await session.messages.user("no, actually the limit is 500 per minute, not 300")
        await app.background.drain()

        for question in ("What is the API rate limit?", "How many requests can I send in a minute?"):
            answer = await session.query(question)
            assert answer.text is not None
            assert ("500" in answer.text, "300" in answer.text) == (True, False), question


async def test_asking_for_what_is_not_known_finds_nothing(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    await session.profile.set(age=36)
    await session.messages.user("The weather is fine")

    for question in ("What language do I use?", "Which port does the gateway listen on?"):
        answer = await session.query(question)
        assert (answer.found, answer.text, answer.confidence) == (False, None, 0.0)


async def test_a_message_that_holds_the_answer_is_quoted(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    said = await session.messages.user("By the way, the gateway listens on port 8443 in staging")

    answer = await session.query("Which port does the gateway listen on?")
    assert answer.text is not None
    assert "8443" in answer.text
    assert (answer.source, [one.seq for one in answer.evidence]) == ("search", [said.seq])


async def test_what_one_session_knows_of_the_user_answers_in_the_next(app: Sojourn) -> None:
    one = await app.sessions.create("one", user_id="ana")
    await one.facts.learn("The user's cat is called Miso", scope="user", about="user")
    await app.background.drain()
    two = await app.sessions.create("two", user_id="ana")
    stranger = await app.sessions.create("three", user_id="bo")

    answer = await two.query("What is my cat called?")
    assert (answer.text, answer.evidence[0].session_id) == ("The user's cat is called Miso", "one")
    assert not (await stranger.query("What is my cat called?")).found


async def test_where_were_we_is_answered_from_the_state(app: Sojourn) -> None:
    session = await app.sessions.create("s", title="Moving house")
    await session.messages.user("Shall we take the piano?")
    await session.messages.assistant("Yes, by crane.")
    await session.working_set.decide("The piano comes along")
    await session.working_set.open_task("Order a crane")

    answer = await session.query("Where were we?")
    assert answer.text == session.recap()
    assert all(part in session.recap() for part in ("Moving house", "The piano comes along", "Order a crane", "crane."))


# --- beyond one session


async def test_sessions_of_a_project_share_facts_and_files(app: Sojourn) -> None:
    one = await app.sessions.create("one", project="shop")
    await one.facts.learn("The shop uses PostgreSQL 18", scope="project")
    await one.facts.learn("Only this session knows of the surprise", scope="session")
    await one.working_set.touch_file("src/cart.py", action="edited")
    two = await app.sessions.create("two", project="shop")
    await two.facts.learn("the shop uses PostgreSQL 18.", scope="project")
    await app.background.drain()

    [fact] = await app.memory.project_facts("shop")
    [file] = await app.memory.project_files("shop")
    assert set(fact.sessions) == {"one", "two"}
    assert (file.fact.content, file.sessions) == ("src/cart.py was edited", ("one",))
    assert await app.memory.project_facts("blog") == ()


async def test_global_knowledge_is_sure_and_never_crosses_users(app: Sojourn) -> None:
    ana = await app.sessions.create("a", user_id="ana")
    await ana.facts.learn("Tea needs water", scope="global", confidence=0.8)
    await ana.facts.learn("Coffee needs beans", scope="global", confidence=0.81)
    bo = await app.sessions.create("b", user_id="bo")
    await bo.facts.learn("Cocoa needs milk", scope="global", confidence=0.95)
    await app.background.drain()

    knowledge = await app.memory.knowledge("ana")
    assert [one.fact.content for one in knowledge.facts] == ["Coffee needs beans"]
    assert knowledge.search("beans for coffee")[0].sessions == ("a",)
    assert knowledge.get_global_context("cocoa and milk") == ""
    with pytest.raises(InvalidInputError, match="another user"):
        knowledge.add_session(bo.state)


async def test_a_fact_that_another_session_retired_later_does_not_come_back(app: Sojourn) -> None:
    one = await app.sessions.create("one")
    await one.facts.learn("The office is in Lyon", scope="user")
    two = await app.sessions.create("two")
    again = await two.facts.learn("The office is in Lyon", scope="user")
    await two.facts.retire(again.fact_id, "it closed")
    await app.background.drain()

    assert await app.memory.user_facts(None) == ()


# --- talks from elsewhere


async def test_a_talk_from_elsewhere_keeps_its_speakers_and_times(app: Sojourn) -> None:
    long_ago = datetime(2021, 5, 4, 12, 0, tzinfo=UTC)
    session = await app.ingest(
        [
            {"speaker": "Mara", "text": "I adopted a hedgehog", "at": long_ago},
            {"role": "assistant", "content": "Congratulations!", "time": "2021-05-04T12:01:00+00:00"},
            {"role": "user", "content": "It bites", "timestamp": (long_ago + timedelta(days=1)).timestamp(), "mood": 1},
            Message(role="user", content="a lot"),
        ],
        title="Hedgehog",
    )
    entries = await session.store.last_messages(session.id, 10)
    await app.background.drain()

    assert [entry.at.day for entry in entries] == [4, 4, 5, 5]
    [hit] = await session.search("hedgehog", until=long_ago)
    assert (hit.document.speaker, hit.document.at) == ("Mara", long_ago)
    assert session.state.title == "Hedgehog"


async def test_a_talk_that_cannot_be_read_changes_nothing(app: Sojourn) -> None:
    for bad in ([], [{"role": "user", "content": 3}], [{"role": "ghost", "content": "boo"}], ["hello"]):
        with pytest.raises(InvalidInputError):
            await app.ingest(bad, session_id="s")  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="message 2 has the time"):
        await app.ingest([{"content": "a"}, {"content": "b", "at": "yesterday"}], session_id="s")
    assert await app.store.find_session("s") is None
    await app.ingest([{"content": "a"}], session_id="s")
    with pytest.raises(AlreadyExistsError):
        await app.ingest([{"content": "a"}], session_id="s")


async def test_long_talks_report_their_progress(app: Sojourn) -> None:
    seen: list[int] = []
    count = 2 * EVERY + 5
    session = await app.ingest(({"content": f"message {n}"} for n in range(count)), on_progress=seen.append)

    assert seen == [EVERY, 2 * EVERY, count]
    assert session.state.conversation.message_count == count


async def test_catching_up_tells_how_far_it_is_to_all_who_wait_for_it(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    async with sojourn.open(path, settings=QUIET) as app:
        for number in range(3):
            await (await app.sessions.create(f"s{number}")).messages.user("Remember the anchovies")
    remove_index(tmp_path)
    heard: list[tuple[int, int]] = []
    async with sojourn.open(path, settings=QUIET) as app:
        await app.memory.catch_up(on_progress=lambda *far: heard.append(far))
        assert len(await app.memory.search("anchovies")) == 3

    assert heard == [(1, 3), (2, 3), (3, 3)]
