"""What compacting leaves beside a summary: facts, decisions, tasks and files; and the short-term memory."""

import pytest

import sojourn
from sojourn import Session, open_store
from sojourn.engine.compacting import ContextCompactor
from sojourn.engine.compaction import CompactionSettings
from sojourn.engine.session import SessionOptions
from sojourn.engine.settings import Settings
from sojourn.errors import InvalidInputError, ModelError
from sojourn.memory.extraction.protocol import StateExtractor
from sojourn.memory.extraction.rules.extractor import RulesExtractor
from sojourn.memory.extraction.statement import (
    DecisionStatement,
    Exchange,
    Extraction,
    FactStatement,
    FileStatement,
    TaskStatement,
)
from sojourn.model.events import (
    Compacted,
    DecisionMade,
    FactLearned,
    FileTouched,
    Span,
    TaskOpened,
)
from sojourn.model.usage import Usage
from tests.engine.written_summaries import SMALL, Writing, talk

pytestmark = pytest.mark.anyio


def ignored(what: str, error: Exception) -> None:
    """Say nothing about a failure that the test wants."""


class Noting(StateExtractor):
    """An extractor that finds something of each kind in what the user says."""

    def __init__(self) -> None:
        self.read: list[Exchange] = []

    async def extract(self, exchange: Exchange) -> Extraction:
        self.read.append(exchange)
        if exchange.user is None:
            return Extraction()
        number = exchange.user.text.split()[1]
        words = (Span(seq=exchange.user.seq, start=0, end=7),)
        return Extraction(
            facts=(FactStatement(content=f"Fact {number} holds.", confidence=0.9, trust="user", evidence=words),),
            decisions=(DecisionStatement(text=f"Decision {number}", confidence=0.9, trust="user", evidence=words),),
            tasks=(TaskStatement(text=f"Task {number}", confidence=0.9, trust="user", evidence=words),),
            files=(
                FileStatement(path=f"src/{number}.py", action="edited", confidence=0.9, trust="user", evidence=words),
            ),
        )


async def test_what_is_found_in_old_messages_is_written_with_the_summary() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 24, chars=400)
        head = session.head

        done = await ContextCompactor(session, Writing(), settings=SMALL, extractor=Noting()).compact()

        entries = await store.read("s", after=head)
        kinds = {type(entry.event) for entry in entries}
        assert isinstance(entries[0].event, Compacted)
        assert kinds == {Compacted, FactLearned, DecisionMade, TaskOpened, FileTouched}
        assert len({entry.at for entry in entries}) == 1
        assert all(max(entry.causes) <= (done.through or 0) for entry in entries[1:])
        assert len({task.task_id for task in session.state.working_set.open_tasks}) == len(
            session.state.working_set.open_tasks
        )
        assert (await Session.open(store, "s")).state == session.state


async def test_of_many_findings_fifteen_of_each_kind_are_kept_in_order() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 100, chars=100)
        settings = CompactionSettings(threshold=2_000)

        await ContextCompactor(session, Writing(), settings=settings, extractor=Noting()).compact()

        decisions = [decision.text for decision in session.state.working_set.decisions]
        assert len(decisions) == 15
        assert decisions == sorted(decisions, key=lambda text: int(text.split()[1]))
        assert len(session.facts) == 15


async def test_messages_that_were_learned_from_are_not_read_again() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        first = await session.messages.user("Message 0 says something.")
        task = await session.working_set.open_task("Task 0", causes=[first.seq])
        await session.working_set.close_task(task.task_id)
        await talk(session, 30, chars=400, first=2)
        noting = Noting()

        await ContextCompactor(session, Writing(), settings=SMALL, extractor=noting).compact()

        assert noting.read
        assert all(exchange.user is None or exchange.user.seq != first.seq for exchange in noting.read)
        assert "Task 0" not in [task.text for task in session.state.working_set.open_tasks]


class Broken(StateExtractor):
    async def extract(self, exchange: Exchange) -> Extraction:
        raise RuntimeError("broken")


async def test_an_extractor_that_fails_does_not_stop_the_summary() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await talk(session, 30, chars=400)
        failures: list[Exception] = []
        compactor = ContextCompactor(
            session,
            Writing(),
            settings=SMALL,
            extractor=Broken(),
            on_failure=lambda _, error: failures.append(error),
        )

        assert (await compactor.compact()).compacted
        assert failures


async def test_the_rules_find_decisions_and_the_summary_holds_them() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        await session.messages.user("I want to build a booking page for our clinic.")
        await session.messages.assistant("Shall we use a relational database?")
        await session.messages.user("Yes. We decided to use PostgreSQL instead of MongoDB.")
        await talk(session, 30, chars=400)

        await ContextCompactor(session, settings=SMALL, extractor=RulesExtractor()).compact()

        summary = session.state.working_set.summary
        assert "booking page" in summary
        assert "PostgreSQL instead of MongoDB" in summary
        assert any("PostgreSQL" in decision.text for decision in session.state.working_set.decisions)


class AboutUser(StateExtractor):
    async def extract(self, exchange: Exchange) -> Extraction:
        if exchange.user is None:
            return Extraction()
        words = (Span(seq=exchange.user.seq, start=0, end=7),)
        fact = FactStatement(
            content="The user likes tea.", about="user", confidence=0.9, trust="user", evidence=words, scope="user"
        )
        return Extraction(facts=(fact,))


async def test_what_is_found_about_the_user_stays_in_memory_if_his_profile_is_not_kept() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s", options=SessionOptions(keeps_profile=lambda: False))
        await talk(session, 30, chars=400)

        assert (await ContextCompactor(session, Writing(), settings=SMALL, extractor=AboutUser()).compact()).compacted

        assert [fact.content for fact in session.facts] == ["The user likes tea."]
        assert not [entry for entry in await store.read("s") if isinstance(entry.event, FactLearned)]


async def test_in_an_app_a_summarised_message_is_still_found() -> None:
    async with sojourn.open("memory:", settings=Settings(embeddings="off", learning="off")) as app:
        session = await app.sessions.create("s")
        await session.messages.user("The spare key hangs behind the blue barrel.")
        await session.messages.assistant("Noted.")
        await talk(session, 30, chars=400)
        done = await ContextCompactor(session, Writing(), settings=SMALL, extractor=Noting()).compact()

        hits = await session.search("where is the spare key?")

        assert done.compacted
        assert "blue barrel" in hits[0].document.text


async def test_every_five_turns_the_short_term_memory_is_rewritten() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        writing = Writing("They met.", "They parted.", usage=Usage(input_tokens=3))
        compactor = ContextCompactor(session, writing)
        made: list[str | None] = []
        for number in range(10):
            async with session.turn():
                await session.messages.user(f"question {number}")
                await session.messages.assistant(f"answer {number}")
                made.append(await compactor.summarise_turns())

        assert made == [None] * 4 + ["They met."] + [None] * 4 + ["They parted."]
        assert session.state.short_term_memory == "They parted."
        (_, early), (previous, late) = writing.shown
        assert previous == "They met."
        assert late[0].message.text == "question 5"
        assert len(early) == len(late) == 10
        assert session.state.metadata.tokens_by_purpose == {"summarisation": 6}


async def test_asking_twice_in_one_turn_summarises_once() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        writing = Writing()
        compactor = ContextCompactor(session, writing)
        async with session.turn():
            await session.messages.user("hello")
            assert await compactor.summarise_turns(1) == "summary 1"
            assert await compactor.summarise_turns(1) is None

        assert len(writing.shown) == 1
        with pytest.raises(InvalidInputError):
            await compactor.summarise_turns(0)


async def test_a_short_term_memory_that_cannot_be_written_stays_as_it_is() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        failing = Writing(fails=ModelError("gone"))
        compactor = ContextCompactor(session, failing, on_failure=ignored)
        async with session.turn():
            await session.messages.user("hello")
            with pytest.raises(ModelError, match="gone"):
                await compactor.summarise_turns(1)

        assert session.state.short_term_memory is None


async def test_forgetting_reaches_the_short_term_memory_through_those_before_it() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s")
        compactor = ContextCompactor(session, Writing("The code is 1234.", "The code is 1234, they say."))
        async with session.turn():
            told = await session.messages.user("the code is 1234")
            await compactor.summarise_turns(1)
        async with session.turn():
            await session.messages.user("thanks")
            await compactor.summarise_turns(1)

        await session.forget("message", told.seq)

        assert session.state.short_term_memory is None
