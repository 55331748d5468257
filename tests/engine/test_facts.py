"""`session.facts` and `session.profile`: what is written, what is returned, and what is refused."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from sojourn import Session, open_store
from sojourn.engine.session import SessionOptions
from sojourn.errors import InvalidInputError, NotFoundError
from sojourn.model.events import FactLearned, FactRetired, kind_of
from sojourn.model.state import replay

pytestmark = pytest.mark.anyio


@pytest.fixture
async def session() -> AsyncIterator[Session]:
    async with open_store("memory:") as store:
        yield await Session.create(store, "s")


async def kinds(session: Session) -> list[str]:
    return [kind_of(entry.event) for entry in await session.store.read(session.id, after=1, limit=10_000)]


# --- facts


async def test_a_fact_that_was_learned_knows_where_it_came_from(session: Session) -> None:
    message = await session.messages.user("The port is 8080")
    fact = await session.facts.learn(
        "The port is 8080", source="file", confidence=0.7, tags=["net"], references=["a.toml"], causes=[message.seq]
    )

    assert fact == session.facts.get(fact.fact_id)
    assert (fact.source, fact.confidence, fact.tags, fact.references) == ("file", 0.7, ("net",), ("a.toml",))
    assert fact.evidence == (message.seq, session.head)
    assert [one.content for one in session.facts] == ["The port is 8080"]


async def test_learning_the_same_again_reinforces_it_and_then_writes_nothing(session: Session) -> None:
    first = await session.facts.learn("The port is 8080", confidence=0.5)
    again = await session.facts.learn("the port is 8080!", source="tool", confidence=0.9)
    await session.facts.learn("The port is 8080", source="tool", confidence=0.9)

    assert again.fact_id == first.fact_id
    assert (again.confidence, again.sources) == (0.9, ("conversation", "tool"))
    assert await kinds(session) == ["fact_learned", "fact_reinforced"]


async def test_a_retired_fact_is_returned_retired_until_there_is_new_evidence(session: Session) -> None:
    said = await session.messages.user("Tea is hot")
    fact = await session.facts.learn("Tea is hot", causes=[said.seq])
    await session.facts.retire(fact.fact_id, "it is cold by now")
    head = session.head

    again = await session.facts.learn("Tea is hot", causes=[said.seq])
    assert (again.status, again.retired_reason, session.head) == ("retired", "it is cold by now", head)

    said_again = await session.messages.user("The new tea is hot")
    back = await session.facts.learn("Tea is hot", causes=[said_again.seq])
    assert (back.status, back.retired_reason, back.fact_id) == ("active", None, fact.fact_id)


async def test_a_candidate_is_accepted_and_a_retired_fact_restored(session: Session) -> None:
    fact = await session.facts.learn("Tea is hot", status="candidate")
    assert session.facts.search("tea") == []

    assert (await session.facts.activate(fact.fact_id)).status == "active"
    await session.facts.retire(fact.fact_id)
    assert (await session.facts.activate(fact.fact_id)).status == "active"
    head = session.head
    await session.facts.activate(fact.fact_id)
    assert session.head == head


async def test_a_fact_is_reinforced_by_its_id_and_retired_once(session: Session) -> None:
    fact = await session.facts.learn("Tea is hot", confidence=0.5)
    surer = await session.facts.reinforce(fact.fact_id, source="tool", confidence=0.9, references=["log"])
    await session.facts.retire(fact.fact_id, "cold")
    retired = await session.facts.retire(fact.fact_id, "colder")

    assert (surer.confidence, surer.sources, surer.references) == (0.9, ("conversation", "tool"), ("log",))
    assert retired.retired_reason == "cold"


async def test_a_correction_keeps_the_id_and_is_accepted(session: Session) -> None:
    fact = await session.facts.learn("The limit is 100", status="candidate")
    corrected = await session.facts.correct(fact.fact_id, "The limit is 1000")

    assert (corrected.fact_id, corrected.content) == (fact.fact_id, "The limit is 1000")
    assert (corrected.status, corrected.confidence, corrected.sources[-1]) == ("active", 1.0, "user")
    assert (await session.facts.learn("the limit is 1000")).fact_id == fact.fact_id


async def test_a_correction_to_what_is_known_already_leaves_one_fact(session: Session) -> None:
    right = await session.facts.learn("The limit is 1000", confidence=0.6)
    wrong = await session.facts.learn("The limit is 100")
    kept = await session.facts.correct(wrong.fact_id, "The limit is 1000")

    assert (kept.fact_id, kept.confidence) == (right.fact_id, 1.0)
    assert [fact.fact_id for fact in session.facts.with_status("active")] == [right.fact_id]
    assert session.facts.get(wrong.fact_id).status == "retired"


async def test_a_fact_that_is_worth_less_than_the_hundred_is_returned_all_the_same(session: Session) -> None:
    await session.append(*(FactLearned(fact_id=f"f{n}", content=f"fact {n}", confidence=0.9) for n in range(100)))
    fact = await session.facts.learn("hardly anything", confidence=0.1)

    assert (fact.content, fact.confidence, session.facts.find(fact.fact_id)) == ("hardly anything", 0.1, None)
    assert len(session.facts) == 100


async def test_questions_go_to_the_state(session: Session) -> None:
    await session.facts.learn("Port 80 is open", source="tool", tags=["net"])
    await session.facts.learn("Tea is hot", confidence=0.4)

    assert [fact.content for fact in session.facts.relevant("which ports", limit=3)] == ["Port 80 is open"]
    assert session.facts.relevant("tea") == []
    assert len(session.facts.relevant("tea", min_confidence=0.3)) == 1
    assert session.facts.from_source("tool") == session.facts.tagged("net") == session.facts.search("port")
    assert [fact.content for fact in session.facts.recent(1)] == ["Tea is hot"]
    assert session.facts.find_similar("tea is HOT") == session.facts.recent(1)[0]


async def test_two_sessions_that_learn_the_same_at_once_have_one_fact(session: Session) -> None:
    other = await Session.open(session.store, "s")
    await session.facts.learn("Tea is hot")
    await other.facts.learn("Tea is hot", source="tool")
    await session.refresh()

    assert [fact.sources for fact in session.facts] == [("conversation", "tool")]
    assert session.state == other.state == replay(await session.store.read("s"))


FACT_MISTAKES: list[tuple[str, Callable[[Session], Awaitable[Any]]]] = [
    ("characters", lambda session: session.facts.learn("x" * 1_000_000)),
    ("empty", lambda session: session.facts.learn("  ")),
    ("empty", lambda session: session.facts.learn(None)),  # type: ignore[arg-type]  # on purpose
    ("from 0 to 1", lambda session: session.facts.learn("x", confidence=1.5)),
    ("from 0 to 1", lambda session: session.facts.learn("x", confidence=float("nan"))),
    ("from 0 to 1", lambda session: session.facts.learn("x", confidence="high")),  # type: ignore[arg-type]  # on purpose
    ("scope", lambda session: session.facts.learn("x", scope="galaxy")),  # type: ignore[arg-type]  # on purpose
    ("status", lambda session: session.facts.learn("x", status="true")),  # type: ignore[arg-type]  # on purpose
    ("about", lambda session: session.facts.learn("x", about="dog")),
    ("source", lambda session: session.facts.learn("x", source="")),
    ("references", lambda session: session.facts.learn("x", references="a.md")),
    ("references", lambda session: session.facts.learn("x", references=[str(n) for n in range(21)])),
    ("tags", lambda session: session.facts.learn("x", tags="tag")),
    ("utf-8", lambda session: session.facts.learn("\ud800")),
    ("derived", lambda session: session.facts.learn("x", causes=[99])),
]


@pytest.mark.parametrize(("word", "mistake"), FACT_MISTAKES)
async def test_a_fact_that_cannot_be_used_is_refused_in_a_sentence(
    session: Session, word: str, mistake: Callable[[Session], Awaitable[Any]]
) -> None:
    with pytest.raises(InvalidInputError, match=word):
        await mistake(session)
    assert await kinds(session) == []


UNKNOWN_FACTS: list[Callable[[Session], Awaitable[Any]]] = [
    lambda session: session.facts.reinforce("fact-0"),
    lambda session: session.facts.correct("fact-0", "Tea is warm"),
    lambda session: session.facts.retire("fact-0"),
    lambda session: session.facts.activate("fact-0"),
]


@pytest.mark.parametrize("change", UNKNOWN_FACTS)
async def test_a_fact_that_is_not_there_cannot_be_changed(
    session: Session, change: Callable[[Session], Awaitable[Any]]
) -> None:
    with pytest.raises(NotFoundError, match="fact-0"):
        await change(session)
    assert await kinds(session) == []


# --- the profile


async def test_fields_are_set_one_by_one_together_or_from_a_dict(session: Session) -> None:
    await session.profile.set("name", "Alice", confidence=1.0)
    await session.profile.set(age=30, interests=["tea"])
    profile = await session.profile.update({"interests": "chess", "location": "", "occupation": None})

    assert (profile.name, profile.age, profile.interests) == ("Alice", 30, ("tea", "chess"))
    assert profile.confidence_scores == {"name": 1.0, "age": 0.8, "interests": 0.8}
    assert profile == session.profile() == session.state.user_profile


async def test_an_update_without_any_value_writes_nothing(session: Session) -> None:
    await session.profile.update({"name": "", "interests": []})

    assert await kinds(session) == []


async def test_removing_clears_a_field_or_an_item_and_else_writes_nothing(session: Session) -> None:
    await session.profile.set(name="Alice", interests=["tea", "chess"])
    await session.profile.remove("interests", "Tea")
    await session.profile.remove("name", "Bob")
    profile = await session.profile.remove("age")

    assert (profile.name, profile.interests) == ("Alice", ("chess",))
    assert await kinds(session) == ["profile_updated", "profile_field_removed"]


PROFILE_MISTAKES: list[tuple[str, Callable[[Session], Awaitable[Any]]]] = [
    ("hat", lambda session: session.profile.set(hat="bowler")),
    ("hat", lambda session: session.profile.update({"hat": None})),
    ("confidence_scores", lambda session: session.profile.update({"confidence_scores": {"name": 0.0}})),
    ("updated_at", lambda session: session.profile.remove("updated_at")),
    ("characters", lambda session: session.profile.set(name="x" * 1_000_000)),
    ("age", lambda session: session.profile.set(age="thirty")),
    ("age", lambda session: session.profile.set(age=True)),
    ("age", lambda session: session.profile.set(age=151)),
    ("name", lambda session: session.profile.set(name=["a"])),
    ("interests", lambda session: session.profile.set(interests={"a": 1})),
    ("interests", lambda session: session.profile.set(interests=[1])),
    ("interests", lambda session: session.profile.set(interests=[str(n) for n in range(51)])),
    ("remove it", lambda session: session.profile.set(name="")),
    ("field", lambda session: session.profile.set()),
    ("from 0 to 1", lambda session: session.profile.set(name="A", confidence=2)),
    ("dict", lambda session: session.profile.update("name")),  # type: ignore[arg-type]  # on purpose
]


@pytest.mark.parametrize(("word", "mistake"), PROFILE_MISTAKES)
async def test_a_profile_that_cannot_be_used_is_refused_in_a_sentence(
    session: Session, word: str, mistake: Callable[[Session], Awaitable[Any]]
) -> None:
    with pytest.raises(InvalidInputError, match=word):
        await mistake(session)
    assert await kinds(session) == []


async def test_the_nouns_do_the_same_when_nothing_about_the_user_may_be_written() -> None:
    async with open_store("memory:") as store:
        session = await Session.create(store, "s", options=SessionOptions(keeps_profile=lambda: False))
        profile = await session.profile.set(name="Alice", interests=["tea"])
        fact = await session.facts.learn("Alice likes tea", about="user")
        again = await session.facts.learn("Alice likes tea", about="user", source="tool")
        public = await session.facts.learn("Tea is hot")
        await session.facts.learn("Tea is hot", about="user", source="tool")
        await session.facts.retire(fact.fact_id, "she does not")

        assert profile.name == "Alice"
        assert again.sources == ("conversation", "tool")
        assert session.facts.get(fact.fact_id).status == "retired"
        assert session.facts.get(public.fact_id).about == "user"
        assert await kinds(session) == ["fact_learned"]
        assert "Alice" not in repr(await store.read("s"))


async def test_a_fact_is_retired_by_another_process_too(session: Session) -> None:
    fact = await session.facts.learn("Tea is hot")
    other = await Session.open(session.store, "s")
    await other.append(FactRetired(fact_id=fact.fact_id, reason="cold"))
    await session.refresh()

    assert session.facts.get(fact.fact_id).retired_reason == "cold"
