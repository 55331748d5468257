"""What a live session gathers for the next model call."""

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

import sojourn
from sojourn import Message, Session, Settings, Sojourn, events
from sojourn.context.context import Context
from sojourn.context.models import ModelCatalog, ModelInfo
from sojourn.context.validity import problems
from sojourn.engine.contexts import MemoryRetriever
from sojourn.engine.session import SessionOptions
from sojourn.errors import InvalidInputError
from sojourn.model.ids import Seq
from sojourn.model.message import ToolCall
from sojourn.store import open_store
from sojourn.store.protocol import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

pytestmark = pytest.mark.anyio
QUIET = Settings(keep_profile="yes", learning="off", embeddings="off")


@pytest.fixture
async def app() -> AsyncIterator[Sojourn]:
    async with sojourn.open("memory:", settings=QUIET) as opened:
        yield opened


def texts(context: Context, name: str) -> list[str]:
    return [item.text for section in context.sections if section.name == name for item in section.items]


def told(count: int, about: str = "the weather in the hills") -> list[dict[str, Any]]:
    roles = ("user", "assistant")
    return [{"role": roles[number % 2], "content": f"{number}: {about} is fine"} for number in range(count)]


async def test_old_messages_are_found_with_their_neighbours_and_recent_ones_are_there(app: Sojourn) -> None:
    talk = told(300)
    talk[40]["content"] = "Where does the ferry to Skye leave?"
    talk[41]["content"] = "The ferry to Skye leaves from Mallaig"
    talk[42]["content"] = "Thank you, that helps"
    session = await app.ingest(talk)
    await app.background.drain()

    context = await session.context("Tell about Skye's ferry", budget=1_000, system="Be brief.")

    found = "\n".join(texts(context, "retrieved"))
    assert "The ferry to Skye leaves from Mallaig" in found
    assert "Thank you, that helps" in found
    assert "assistant: 299: the weather" in texts(context, "messages")[-2]
    assert context.tokens.count <= 1_000
    assert problems(context.messages) == []


async def test_neighbours_that_the_search_left_out_are_read(app: Sojourn) -> None:
    talk = told(30)
    talk[15]["content"] = "A ferry to Skye"
    session = await app.ingest(talk)
    found = await MemoryRetriever(app.memory, session.id, session.store).retrieve("ferry to Skye", limit=1)
    best, *beside = [(one.seq, one.reason) for one in found]
    assert [seq - best[0] for seq, _ in beside] == [-1, 1]
    assert all(reason == f"beside entry {best[0]}, which fits" for _, reason in beside)


async def test_without_retrieval_only_the_session_itself_is_asked(app: Sojourn) -> None:
    session = await app.ingest(told(100))
    context = await session.context("the hills?", retrieve=False, budget=500)
    assert texts(context, "retrieved") == []


async def test_a_session_without_an_app_has_a_context_too() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store)
        await session.messages.user("hello")
        assert [message.text for message in (await session.context()).messages] == ["hello"]


async def test_a_question_that_was_appended_is_not_asked_twice(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    await session.messages.user("What is the time?")
    asked = await session.context("What is the time?")
    left_out = await session.context()
    assert [message.text for message in asked.messages] == ["What is the time?"] == [m.text for m in left_out.messages]
    await session.messages.assistant("Nine")
    answered = await session.context()
    assert [message.text for message in answered.messages] == ["What is the time?", "Nine"]


async def test_while_a_question_is_worked_on_what_was_found_for_it_stays_the_same(app: Sojourn) -> None:
    talk = told(600)
    talk[10]["content"] = "The ferry to Skye leaves from Mallaig"
    session = await app.ingest(talk)
    await app.background.drain()
    question = "Where does the ferry to Skye leave?"
    await session.messages.user(question)
    first = await session.context(question, budget=3_000)
    call = Message(role="assistant", tool_calls=(ToolCall(id="c", name="look"),))
    result = Message(role="tool", content="The ferry to Skye is late", tool_call_id="c")
    await session.append(events.MessageAdded(message=call), events.MessageAdded(message=result))
    second = await session.context(question, budget=3_000)
    assert "Mallaig" in str(texts(first, "retrieved"))
    assert second.messages[: len(first.messages)] == first.messages
    assert second.shared_prefix == first.tokens.count
    assert second.messages[-1].text == "The ferry to Skye is late"


async def test_nothing_is_learned_from_what_a_context_put_before_the_question() -> None:
    settings = Settings(keep_profile="yes", learning="rules", embeddings="off")
    async with sojourn.open("memory:", settings=settings) as app:
        session = await app.sessions.create("s")
        await session.append(events.DecisionMade(text="My name is Olaf and I live in Bergen"))
        context = await session.context("What is decided of Bergen? My name is Mira.")
        assert "Olaf" in context.messages[-1].text
        stored = await app.sessions.create("other")
        await stored.messages.add(context.messages[-1])
        await app.background.drain()
        assert stored.state.user_profile.name == "Mira"
        assert stored.state.user_profile.location is None


async def test_a_call_that_a_crash_left_open_is_closed(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    call = Message(role="assistant", tool_calls=(ToolCall(id="c", name="look"),))
    await session.append(
        events.MessageAdded(message=Message(role="user", content="look")), events.MessageAdded(message=call)
    )
    context = await session.context("go on")
    assert [message.role for message in context.messages] == ["user", "assistant", "tool", "assistant", "user"]
    assert context.payload("anthropic")["messages"][-1]["content"][-1]["text"] == "go on"


async def test_facts_of_the_user_and_the_project_reach_other_sessions_and_no_other_user(app: Sojourn) -> None:
    first = await app.sessions.create("a", user_id="mira", project="boats")
    await first.facts.learn("Mira's cat is called Pim", scope="user")
    await first.facts.learn("The hull is painted green", scope="project")
    await first.facts.learn("The lamp is broken", scope="session")
    for name, user, project in (("b", "mira", "boats"), ("c", "mira", None), ("d", "olaf", "boats")):
        await app.sessions.create(name, user_id=user, project=project)

    async def known(name: str) -> list[str]:
        session = await app.sessions.open(name)
        return sorted(texts(await session.context("cat hull lamp green Pim painted broken"), "facts"))

    assert await known("b") == [
        "- (of the project) The hull is painted green",
        "- (of the user) Mira's cat is called Pim",
    ]
    assert await known("c") == ["- (of the user) Mira's cat is called Pim"]
    assert await known("d") == []


async def test_after_a_compaction_the_summary_stands_for_what_it_covers(app: Sojourn) -> None:
    session = await app.ingest(told(20))
    await session.append(events.Compacted(summary="They praised the weather.", through=session.head, kept=0))
    await session.messages.user("And now?")
    context = await session.context("And now?", retrieve=False)
    assert [message.text for message in context.messages] == ["And now?"]
    assert "They praised the weather." in context.system


async def test_the_research_at_hand_is_shown(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    await session.research.start("Which boats are fast?")
    context = await session.context("go on")
    assert context.mode == "comprehensive"
    assert "Which boats are fast?" in "\n".join(texts(context, "research"))


async def test_what_is_forgotten_is_in_no_context_any_more(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    await session.messages.user("My secret is a purple door")
    await session.messages.assistant("I see")
    assert "purple" in str((await session.context("purple?")).messages)
    seq = (await session.last_messages(2))[0].seq
    await session.forget("message", seq)
    later = await session.context("what else?")
    assert "purple" not in str(later.messages) + later.explain()


class Counting:
    """Counts what is read of a store's journal."""

    def __init__(self, store: Store) -> None:
        self.read = 0
        self._last, self._read = store.last_messages, store.read
        store.last_messages, store.read = self.last_messages, self.entries  # type: ignore[method-assign]

    async def last_messages(self, *args: Any, **rest: Any) -> Any:
        found = await self._last(*args, **rest)
        self.read += len(found)
        return found

    async def entries(self, *args: Any, **rest: Any) -> Any:
        found = await self._read(*args, **rest)
        self.read += len(found)
        return found


async def test_how_much_is_read_does_not_depend_on_how_much_there_is(app: Sojourn) -> None:
    counted = []
    for count in (2_000, 8_000):
        session = await app.ingest(told(count))
        await app.background.drain()
        counter = Counting(app.store)
        await session.context("now?", budget=4_000, retrieve=False)
        first, counter.read = counter.read, 0
        await session.messages.user("and?")
        await session.context("now?", budget=4_000, retrieve=False)
        counted.append((first, counter.read))
    assert counted[0] == counted[1]
    assert counted[0][0] <= 600
    assert counted[0][1] <= 1


async def test_behind_a_summary_nothing_is_read(app: Sojourn) -> None:
    session = await app.ingest(told(2_000))
    await session.append(events.Compacted(summary="They spoke.", through=Seq(session.head - 10), kept=10))
    fresh = await Session.open(app.store, session.id)
    counter = Counting(app.store)
    context = await fresh.context("now?", retrieve=False)
    assert len(context.messages) == 11
    assert counter.read <= 10


async def test_the_beginning_is_shared_from_turn_to_turn(app: Sojourn) -> None:
    session = await app.ingest(told(400))
    shares = []
    for turn in range(12):
        context = await session.context(f"question {turn}", system="Be brief.", budget=3_000, retrieve=False)
        shares.append(context.shared_prefix / context.tokens.count)
        await session.messages.user(f"question {turn}")
        await session.messages.assistant("It is fine")
    assert shares[0] == 0.0
    assert sum(share > 0.9 for share in shares) >= 10


async def test_who_only_looks_changes_nothing_for_the_next_context(app: Sojourn) -> None:
    looked_at, left_alone = await app.ingest(told(400)), await app.ingest(told(400))
    await app.background.drain()
    built = []
    for session in (looked_at, left_alone):
        await session.context("question", model="claude-x", system="Be brief.", budget=3_000)
        if session is looked_at:
            await session.context("another", model="gpt-4o", window=9_000, remember=False)
            await session.context("question", model="claude-x", system="Be brief.", budget=500, remember=False)
        await session.append(events.UsageRecorded(model="claude-x", input_tokens=4_000))
        built.append(await session.context("so?", model="claude-x", system="Be brief.", budget=3_000))
    assert built[0].shared_prefix == built[1].shared_prefix > 0
    assert built[0].tokens == built[1].tokens


async def test_a_window_can_be_given_for_a_look() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store)
        context = await session.context("hi", model="unheard-of", window=6_000, remember=False)
        assert (context.window, context.budget) == (6_000, 4_000)


async def test_middle_out_reads_the_first_message_however_long_ago_it_was(app: Sojourn) -> None:
    session = await app.ingest(told(500))
    context = await session.context("so?", strategy="middle_out", budget=600, retrieve=False)
    assert context.messages[0].text.startswith("0: the weather")
    assert context.messages[-2].text.startswith("499: ")


async def test_the_window_of_a_model_decides_the_budget_and_can_be_given() -> None:
    models = ModelCatalog({"small": ModelInfo(window=5_000)})
    async with open_store("memory:") as store:
        session = await Session.create(store, options=SessionOptions(models=models))
        assert (await session.context("hi", model="small")).budget == 3_000
        assert (await session.context("hi", model="unheard-of")).budget == 8_000
        assert (await session.context("hi", model="unheard-of")).window is None


async def test_windows_are_a_setting() -> None:
    settings = Settings(learning="off", embeddings="off", models={"small": ModelInfo(window=5_000)})
    async with sojourn.open("memory:", settings=settings) as app:
        session = await app.sessions.create("s")
        assert (await session.context("hi", model="small")).window == 5_000


async def test_estimates_follow_what_the_provider_reports(app: Sojourn) -> None:
    session = await app.sessions.create("s")
    question = "Tell me of the hills and of the weather there. " * 20
    before = (await session.context(question, model="claude-x")).tokens
    for _ in range(6):
        await session.context(question, model="claude-x")
        reported = round(before.count * 1.5)
        await session.append(events.UsageRecorded(model="claude-x-20310101", input_tokens=reported))
    after = (await session.context(question, model="claude-x")).tokens
    assert before.certainty == after.certainty == "estimated"
    assert after.count == pytest.approx(before.count * 1.5, rel=0.05)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"question": None}, "texts"),
        ({"question": "hi", "budget": -5}, "from 1"),
        ({"question": "hi", "mode": "large"}, "use one of"),
        ({"question": "hi", "system": "rule " * 900, "budget": 100}, "raise it or shorten"),
    ],
)
async def test_what_cannot_be_built_is_refused_in_one_sentence(app: Sojourn, given: dict[str, Any], says: str) -> None:
    session = await app.sessions.create("s")
    with pytest.raises(InvalidInputError, match=says):
        await session.context(**given)
    assert session.head == 1


async def test_what_was_pasted_into_a_question_does_not_hide_what_is_asked() -> None:
    async with sojourn.open("memory:") as app:
        session = await app.sessions.create()
        await session.messages.user("The harbour key hangs behind the blue door.")
        await session.messages.assistant("Noted: behind the blue door.")
        for number in range(150):
            await session.messages.user(f"Line {number} of the log says that all is well with the pumps today.")
            await session.messages.assistant(f"The pumps are well, as line {number} says.")
        await app.background.drain()
        pasted = "\n".join(f"pump {number} ok" for number in range(400))
        context = await session.context(f"Look at this log:\n{pasted}\nWhere does the harbour key hang?", budget=5_000)

        found = [item.text for section in context.sections if section.name == "retrieved" for item in section.items]
        assert any("behind the blue door" in text for text in found)


class Refusing:
    """An embedder that nobody is to ask."""

    name = "refusing"
    dimensions = 2

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        raise AssertionError(f"it was asked for {texts}")


async def test_nothing_is_looked_for_when_the_first_thing_is_said() -> None:
    async with sojourn.open("memory:", settings=Settings(learning="off"), embedders=[Refusing()]) as app:
        session = await app.sessions.create()
        await session.messages.user("Where is the kettle?")

        context = await session.context()

        assert texts(context, "retrieved") == []
        assert [message.text for message in context.messages] == ["Where is the kettle?"]


async def test_what_was_learned_before_the_first_question_is_looked_for(app: Sojourn) -> None:
    session = await app.sessions.create()
    await session.facts.learn("The kettle is on the balcony")
    await session.messages.user("Where is the kettle?")
    await app.background.drain()

    context = await session.context()

    assert any("balcony" in item.text for section in context.sections for item in section.items)


@pytest.fixture
async def brief() -> AsyncIterator[Sojourn]:
    settings = Settings(keep_profile="yes", learning="off", embeddings="off", brief=True)
    async with sojourn.open("memory:", settings=settings) as opened:
        yield opened


async def test_a_brief_program_counts_a_short_talk_roughly(brief: Sojourn) -> None:
    session = await brief.ingest(told(6))
    context = await session.context("and now?", model="gpt-4o")
    assert context.tokens.certainty == "estimated"
    assert problems(context.messages) == []


async def test_a_brief_program_counts_a_talk_that_may_not_fit_exactly(brief: Sojourn) -> None:
    session = await brief.ingest(told(60))
    context = await session.context("and now?", model="gpt-4o", budget=1_000)
    assert context.tokens.certainty == "exact"
    assert context.tokens.count <= 1_000


async def test_a_long_question_is_counted_exactly_however_short_the_talk_is(brief: Sojourn) -> None:
    session = await brief.sessions.create()
    context = await session.context("\u6f22" * 1_000, model="gpt-4o", budget=4_000)
    assert context.tokens.certainty == "exact"
