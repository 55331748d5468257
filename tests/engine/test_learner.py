"""Learning from what is said: what is taken as true, what waits for a review, and what an extractor may do wrong."""

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import sojourn
from sojourn.engine.learner import INJECTED, Learner
from sojourn.engine.settings import Settings
from sojourn.memory.extraction.protocol import StateExtractor
from sojourn.memory.extraction.statement import (
    DecisionStatement,
    Exchange,
    Extraction,
    FactStatement,
    FileStatement,
    Heard,
    ProfileStatement,
    TaskStatement,
    Trust,
)
from sojourn.model.events import Span
from sojourn.model.message import Message
from sojourn.providers.structured import StructuredAnswer

pytestmark = pytest.mark.anyio
KEEP = Settings(keep_profile="yes", embeddings="off")
Reader = Callable[[Heard, Trust], Extraction]


def words(heard: Heard) -> tuple[Span, ...]:
    return (Span(seq=heard.seq, start=0, end=len(heard.text)),)


class Scripted(StateExtractor):
    """An extractor that does with each message what it was told to."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.read: list[Exchange] = []

    async def extract(self, exchange: Exchange) -> Extraction:
        self.read.append(exchange)
        if exchange.user is not None:
            return self._reader(exchange.user, "user")
        if exchange.assistant is not None:
            return self._reader(exchange.assistant, "assistant")
        return self._reader(exchange.tools[0], "external")


class Model:
    """A model that finds nothing, and counts how often it was asked."""

    name = "scripted"

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.calls = 0

    async def structured(
        self, *, system: str, prompt: str, schema: dict[str, Any], max_tokens: int
    ) -> StructuredAnswer:
        self.calls += 1
        self.asked.set()
        return StructuredAnswer(text="{}", input_tokens=100, output_tokens=2, model="scripted")


def nothing(heard: Heard, trust: Trust) -> Extraction:
    return Extraction()


def make(extractor: StateExtractor) -> StateExtractor:
    return extractor


def lives_in(heard: Heard, trust: Trust) -> Extraction:
    """The last word of whatever is said is where the user lives."""
    place = heard.text.split()[-1]
    stated = ProfileStatement(
        field="location", value=place, confidence=0.9, trust=trust, evidence=words(heard), former=None
    )
    return Extraction(profile=(stated,))


async def test_what_the_user_says_is_taken_as_true_with_the_words_it_rests_on() -> None:
    async with sojourn.open("memory:", settings=KEEP, extractor=Scripted(lives_in)) as app:
        session = await app.sessions.create("s")
        said = await session.messages.user("I live in Porto")
        await app.background.drain()

        assert session.profile().location == "Porto"
        assert [quote.seq for quote in (await session.why("location")).quotes] == [said.seq]


async def test_what_the_assistant_says_about_the_user_waits_for_a_review() -> None:
    async with sojourn.open("memory:", settings=KEEP, extractor=Scripted(lives_in)) as app:
        session = await app.sessions.create("s")
        await session.messages.assistant("So you live in Oslo")
        await app.background.drain()

        [candidate] = session.facts.review()
        assert (session.profile().location, candidate.status, candidate.value) == (None, "candidate", "Oslo")
        await session.facts.activate(candidate.fact_id)
        assert session.profile().location == "Oslo"


async def test_a_value_that_the_user_replaced_is_not_proposed_again() -> None:
    async with sojourn.open("memory:", settings=KEEP, extractor=Scripted(lives_in)) as app:
        session = await app.sessions.create("s")
        await session.messages.user("I live in Porto")
        await session.messages.user("I moved to Berlin")
        await session.messages.assistant("You said you live in Porto")
        await app.background.drain()

        assert session.profile().location == "Berlin"
        assert session.facts.review() == []
        assert [former.value for former in session.profile().history("location")] == ["Porto"]


async def test_statements_become_facts_decisions_tasks_and_files() -> None:
    def read(heard: Heard, trust: Trust) -> Extraction:
        evidence = words(heard)
        shared: dict[str, Any] = {"confidence": 0.9, "trust": trust, "evidence": evidence}
        return Extraction(
            facts=(FactStatement(content="The port is 8080", **shared),),
            decisions=(DecisionStatement(text="use SQLite", **shared),),
            tasks=(TaskStatement(text="write the tests", **shared),),
            files=(
                FileStatement(path="a.py", action="edited", **shared),
                FileStatement(path="b.py", action="mentioned", **shared),
            ),
            topic="the server",
        )

    async with sojourn.open("memory:", settings=KEEP, extractor=Scripted(read)) as app:
        session = await app.sessions.create("s", project="shop")
        await session.messages.user("anything")
        await app.background.drain()

        state = session.state
        [fact] = state.knowledge_base.facts.values()
        assert (fact.content, fact.status, fact.scope) == ("The port is 8080", "active", "project")
        assert [one.text for one in state.working_set.decisions] == ["use SQLite"]
        assert [one.text for one in state.working_set.open_tasks] == ["write the tests"]
        assert [one.path for one in state.working_set.files_touched] == ["a.py"]
        assert state.interaction_context.current_topic == "the server"


async def test_a_statement_that_cannot_be_kept_does_not_take_the_others_with_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def read(heard: Heard, trust: Trust) -> Extraction:
        shared: dict[str, Any] = {"confidence": 0.9, "trust": trust, "evidence": words(heard)}
        return Extraction(
            facts=(FactStatement(content="  ", **shared), FactStatement(content="The port is 8080", **shared))
        )

    async with sojourn.open("memory:", settings=KEEP, extractor=Scripted(read)) as app:
        session = await app.sessions.create("s")
        await session.messages.user("anything")
        await app.background.drain()

        assert [fact.content for fact in session.facts] == ["The port is 8080"]
        assert "taking in what was said failed" in caplog.text


async def test_a_tool_can_only_propose() -> None:
    def read(heard: Heard, trust: Trust) -> Extraction:
        shared: dict[str, Any] = {"confidence": 0.99, "trust": trust, "evidence": words(heard)}
        return Extraction(
            facts=(FactStatement(content="The limit is 5", **shared),),
            decisions=(DecisionStatement(text="obey the page", **shared),),
            tasks=(TaskStatement(text="send the password", **shared),),
        )

    async with sojourn.open("memory:", settings=KEEP, extractor=Scripted(read)) as app:
        session = await app.sessions.create("s")
        await session.messages.add(Message(role="tool", content="limit: 5", tool_call_id="c"))
        await app.background.drain()

        assert [fact.status for fact in session.facts] == ["candidate"]
        assert (session.state.working_set.decisions, session.state.working_set.open_tasks) == ((), ())


async def test_what_the_user_takes_back_is_retired() -> None:
    def read(heard: Heard, trust: Trust) -> Extraction:
        gone = FactStatement(content="staging server", removes=True, confidence=0.9, trust=trust, evidence=words(heard))
        return Extraction(facts=(gone,) if heard.text.startswith("forget") else ())

    async with sojourn.open("memory:", settings=KEEP, extractor=Scripted(read)) as app:
        session = await app.sessions.create("s")
        kept = await session.facts.learn("The production server is in Rome")
        gone = await session.facts.learn("The staging server is in Turin")
        await session.messages.user("forget what I said about the staging server")
        await app.background.drain()

        assert session.facts.get(kept.fact_id).status == "active"
        assert session.facts.get(gone.fact_id).status == "retired"


async def test_an_extractor_sees_the_talk_before_and_what_was_injected() -> None:
    extractor = Scripted(nothing)
    async with sojourn.open("memory:", settings=KEEP, extractor=extractor) as app:
        session = await app.sessions.create("s")
        await session.messages.assistant("How old are you?")
        await session.messages.add(Message(role="user", content="NOTE 31", metadata={INJECTED: [[0, 5]]}))
        await app.background.drain()

        last = extractor.read[-1]
        assert last.user is not None
        assert last.user.injected == ((0, 5),)
        assert [one.text for one in last.before] == ["How old are you?"]


async def test_an_extractor_that_hangs_or_talks_nonsense_is_reported_and_the_talk_goes_on() -> None:
    class Hanging(StateExtractor):
        async def extract(self, exchange: Exchange) -> Extraction:
            await asyncio.Event().wait()
            raise AssertionError

    class Nonsense(StateExtractor):
        async def extract(self, exchange: Exchange) -> Extraction:
            return 42  # type: ignore[return-value]

    async with sojourn.open("memory:", settings=Settings(learning="off")) as app:
        session = await app.sessions.create("s")
        await session.messages.user("hello")
        reported: list[str] = []
        for extractor in (Hanging(), Nonsense()):
            learner = Learner(
                partial(make, extractor), time_limit=0.01, on_failure=lambda _, error: reported.append(str(error))
            )
            await learner.read(session, await session.last_messages())

        assert ["more than" in reported[0], "returned int" in reported[1]] == [True, True]
        assert session.state.conversation.message_count == 1


async def test_a_grammar_is_loaded_beside_what_goes_on() -> None:
    made_on: list[int] = []

    def make_slowly() -> StateExtractor:
        made_on.append(threading.get_ident())
        return Scripted(lambda _heard, _trust: Extraction())

    async with sojourn.open("memory:", settings=Settings(learning="off")) as app:
        session = await app.sessions.create("s")
        await session.messages.user("hello")
        learner = Learner(make_slowly)
        for _ in range(2):
            await learner.read(session, await session.last_messages())

    assert len(made_on) == 1
    assert made_on[0] != threading.get_ident()


async def test_after_a_crash_what_was_read_is_not_counted_twice(tmp_path: Path) -> None:
    async with sojourn.open(tmp_path / "s.db", settings=KEEP) as app:
        session = await app.sessions.create("s")
        await session.messages.user("What is the rate limit?")
        await app.background.drain()
        before = session.state
        await app.store.documents.delete("watermark/learn/s")  # the note of how far it came was lost
    async with sojourn.open(tmp_path / "s.db", settings=KEEP) as app:
        session = await app.sessions.open("s")
        await app.background.drain()

        assert before.interaction_context.question_count == 1
        assert session.state.interaction_context == before.interaction_context
        assert session.state.knowledge_base == before.knowledge_base


async def test_a_fork_does_not_read_again_what_its_parent_read() -> None:
    extractor = Scripted(nothing)
    async with sojourn.open("memory:", settings=KEEP, extractor=extractor) as app:
        parent = await app.sessions.create("parent")
        await parent.messages.user("one")
        await app.background.drain()
        fork = await app.sessions.fork("parent", "fork")
        await fork.messages.user("two")
        await app.background.drain()

        assert [one.user.text for one in extractor.read if one.user is not None] == ["one", "two"]


async def test_learning_can_be_switched_off_whole_and_by_kind() -> None:
    said = "My name is Ada. We decided to use SQLite."
    async with sojourn.open("memory:", settings=Settings(keep_profile="yes", learning="off")) as app:
        session = await app.sessions.create("s")
        await session.messages.user(said)
        await app.background.drain()
        assert session.head == 2
    kinds = Settings(keep_profile="yes", learned_kinds=frozenset({"decisions"}), embeddings="off")
    async with sojourn.open("memory:", settings=kinds) as app:
        session = await app.sessions.create("s")
        await session.messages.user(said)
        await app.background.drain()
        assert not session.profile().has_information()
        assert len(session.state.working_set.decisions) == 1


async def test_a_model_reads_later_and_what_it_cost_is_counted() -> None:
    model = Model()
    async with sojourn.open("memory:", settings=KEEP, model=model) as app:
        session = await app.sessions.create("s")
        await session.messages.user("Good morning")
        await session.messages.assistant("Good morning to you")
        await model.asked.wait()
        await app.learn_later()

        assert session.state.metadata.tokens_by_purpose == {"extraction": 102}


async def test_a_model_waits_for_enough_exchanges_and_stops_when_its_budget_is_spent() -> None:
    model = Model()
    settings = Settings(keep_profile="yes", embeddings="off", model_reads_every=2, model_reads_tokens=50)
    async with sojourn.open("memory:", settings=settings, model=model) as app:
        session = await app.sessions.create("s")
        await session.messages.user("Good morning")
        await app.learn_later()
        assert model.calls == 0
        await session.messages.user("It rains")
        await app.learn_later()
        assert model.calls == 0  # the question alone would cost more than the budget
        assert session.state.metadata.tokens_by_purpose == {}
