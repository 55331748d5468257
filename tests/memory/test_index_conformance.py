"""Every search index follows the journals in the same way: it takes in, replaces, forgets and starts anew."""

import anyio
import pytest
from msgspec.structs import replace

from sojourn.errors import SojournError
from sojourn.memory.index.document import Mark, Stored, Where
from sojourn.memory.index.protocol import SearchIndex
from sojourn.model.ids import Seq, SessionId
from tests.memory.conftest import OpenIndex
from tests.memory.index_talk import (
    EVERYWHERE,
    MODEL,
    at,
    embed,
    fact,
    fact_document,
    fact_row,
    head,
    holding,
    key,
    learn,
    matching,
    message,
    near,
    number_of,
    tell,
    unit,
)

pytestmark = pytest.mark.anyio

S = SessionId("s")


# --- taking in


async def test_a_session_that_was_never_added_has_no_watermark(index: SearchIndex) -> None:
    assert await index.watermarks([S, SessionId("other")]) == {}
    assert await index.watermarks([]) == {}
    assert await index.sessions() == []


async def test_adding_moves_the_watermark_even_without_documents(index: SearchIndex) -> None:
    assert await index.add(key(epoch=3), after=Seq(0), through=Seq(7))

    assert await index.watermarks([S, SessionId("other")]) == {S: Mark(seq=Seq(7), epoch=3)}
    assert await index.sessions() == ["s"]


async def test_who_adds_second_is_told_so_and_changes_nothing(index: SearchIndex) -> None:
    known = fact("The kettle is blue.")
    await learn(index, known)
    changed = fact("The kettle is green.")

    added = await index.add(
        key(project="other", epoch=9),
        after=Seq(0),
        through=Seq(5),
        documents=[message("a giraffe"), fact_document(changed, seq=5)],
        facts=[fact_row(changed, key())],
    )

    assert not added
    assert await index.watermarks([S]) == {S: Mark(seq=Seq(1), epoch=0)}
    assert await matching(index, "giraffe", "kettle") == ["The kettle is blue."]
    assert await index.facts(project="other") == []
    found = await index.find_fact(S, "f1")
    assert found
    assert found.fact == known


async def test_nobody_adds_ahead_of_the_watermark(index: SearchIndex) -> None:
    assert not await index.add(key(), after=Seq(4), through=Seq(5), documents=[message("a giraffe", seq=5)])

    assert await index.sessions() == []
    assert await matching(index, "giraffe") == []


async def test_of_two_who_add_the_same_at_once_one_is_first(shared_index: OpenIndex) -> None:
    told: list[bool] = []

    async def add(one: SearchIndex) -> None:
        told.append(await one.add(key(), after=Seq(0), through=Seq(1), documents=[message("a giraffe")]))

    async with shared_index() as first, shared_index() as second:
        async with anyio.create_task_group() as tasks:
            for each in (first, second) * 3:
                tasks.start_soon(add, each)

        assert sorted(told) == [False] * 5 + [True]
        assert await matching(second, "giraffe") == ["a giraffe"]


async def test_a_document_comes_back_as_it_was_given(index: SearchIndex) -> None:
    given = message("Grüße, 東京! 👩‍👩‍👧 'quoted' \\ {\"a\": null}\r\n\ttab", seq=1)
    given = replace(given, speaker="Zoë")
    learned = fact("The kettle is blue.", seq=2)
    documents = [given, fact_document(learned, seq=2)]
    await index.add(key(), after=Seq(0), through=Seq(2), documents=documents, facts=[fact_row(learned, key())])
    numbers = [one.number for one in await index.without_vectors(MODEL, 10)]

    stored = await index.documents(numbers)

    assert sorted((one.document for one in stored), key=lambda one: one.seq) == documents


async def test_documents_are_given_in_the_order_asked_and_without_those_that_are_gone(index: SearchIndex) -> None:
    await tell(index, "one", "two", "three")
    one, two, three = [await number_of(index, text) for text in ("one", "two", "three")]
    await index.forget(S, [2])

    stored = await index.documents([three, two, 10**12, one, three])

    assert [place.number for place in stored] in ([three, one, three], [three, one])
    assert await index.documents([]) == []


async def test_a_text_with_nul_is_indexed_like_any_other(index: SearchIndex) -> None:
    await tell(index, "before\0after giraffe", "\0")

    assert [text.replace("\ufffd", "\0") for text in await matching(index, "giraffe")] == ["before\0after giraffe"]


async def test_a_very_long_message_is_found_by_its_beginning(index: SearchIndex) -> None:
    await tell(index, "giraffe " + " ".join(f"word{number}" for number in range(30_000)))

    assert len(await matching(index, "giraffe")) == 1
    assert len(await matching(index, "word77")) == 1


async def test_the_next_place_follows_the_last_message(index: SearchIndex) -> None:
    assert await index.next_place(S) == 0

    await tell(index, "one", "two")
    await learn(index, fact("The kettle is blue."))

    assert await index.next_place(S) == 2
    assert await index.next_place(SessionId("other")) == 0


# --- facts


async def test_a_fact_takes_the_place_of_its_earlier_form(index: SearchIndex) -> None:
    await learn(index, fact("The kettle is blue."))
    changed = fact("The kettle is green.", seq=2, confidence=0.9)
    await learn(index, changed)

    assert await matching(index, "kettle") == ["The kettle is green."]
    assert await matching(index, "blue") == []
    assert [row.fact for row in await index.facts(session_id=S)] == [changed]


async def test_a_fact_that_changed_twice_in_one_addition_is_there_once(index: SearchIndex) -> None:
    forms = [fact("The kettle is blue.", seq=1), fact("The kettle is green.", seq=2)]
    documents = [fact_document(one, seq=seq) for seq, one in enumerate(forms, start=1)]
    rows = [fact_row(one, key()) for one in forms]

    await index.add(key(), after=Seq(0), through=Seq(2), documents=documents, facts=rows)

    assert await matching(index, "kettle") == ["The kettle is green."]
    assert [row.fact for row in await index.facts()] == [forms[1]]


async def test_a_retired_fact_is_not_found_by_searching_but_by_its_id(index: SearchIndex) -> None:
    await learn(index, fact("The kettle is blue."))
    gone = fact("The kettle is blue.", seq=2, status="retired", retired_reason="broken")

    await index.add(key(), after=Seq(1), through=Seq(2), facts=[fact_row(gone, key())])

    assert await matching(index, "kettle") == []
    found = await index.find_fact(S, "f1")
    assert found
    assert found.fact == gone
    assert [row.fact.status for row in await index.facts(session_id=S)] == ["retired"]


async def test_the_document_of_a_retired_fact_is_not_taken_in(index: SearchIndex) -> None:
    await learn(index, fact("The kettle is blue.", status="retired"))

    assert await matching(index, "kettle") == []
    assert await index.find_fact(S, "f1")


async def test_the_same_fact_in_two_sessions_is_two(index: SearchIndex) -> None:
    await learn(index, fact("The kettle is blue."), owner=key("a"))
    await learn(index, fact("The kettle is green."), owner=key("b"))

    assert sorted(await matching(index, "kettle")) == ["The kettle is blue.", "The kettle is green."]
    assert len(await index.facts(fact_id="f1")) == 2
    assert await index.find_fact(S, "f1") is None


async def test_facts_are_listed_by_every_condition_together_last_changed_first(index: SearchIndex) -> None:
    ada, bob = key("a", user_id="ada", project="tea"), key("b", user_id="bob", project="tea")
    await learn(index, fact("One.", fact_id="1", seq=1, scope="user", slot="kettle", confidence=0.5), owner=ada)
    await learn(index, fact("Two.", fact_id="2", seq=2, scope="project", slot="kettle"), owner=ada)
    await learn(index, fact("Three.", fact_id="3", seq=3, scope="project", status="candidate"), owner=bob)

    async def ids(**conditions: object) -> list[str]:
        return [row.fact.fact_id for row in await index.facts(**conditions)]  # type: ignore[arg-type]  # any of them

    assert await ids() == ["3", "2", "1"]
    assert await ids(limit=2) == ["3", "2"]
    assert await ids(session_id="a") == ["2", "1"]
    assert await ids(user_id="bob") == ["3"]
    assert await ids(project="tea", scopes=("project",)) == ["3", "2"]
    assert await ids(scopes=("user", "global")) == ["1"]
    assert await ids(slot="kettle", min_confidence=0.6) == ["2"]
    assert await ids(slot="kettle", user_id="bob") == []
    assert await ids(fact_id="1") == ["1"]


async def test_a_fact_comes_back_with_all_that_is_known_of_it(index: SearchIndex) -> None:
    known = fact(
        "Tee mit Zucker \0 ☕", tags=("a", "ß"), slot="tee/süße", value="zwei", about="user", evidence=(1, 2, 9)
    )
    await learn(index, known, owner=key(user_id="ada", project="tea"))

    row = await index.find_fact(S, "f1")

    assert row == fact_row(known, key(user_id="ada", project="tea"))
    assert await index.facts(slot="tee/süße") == [row]


# --- sessions that change


async def test_a_session_that_moves_takes_its_documents_and_facts_along(index: SearchIndex) -> None:
    await learn(index, fact("The kettle is blue."), owner=key(user_id="ada", project="tea"))

    await index.update_session(key(user_id="bob", project="coffee", tags=("kitchen",)))

    assert await matching(index, "kettle", where=Where(user_id="ada")) == []
    assert await matching(index, "kettle", where=Where(user_id="bob", project="coffee", tag="kitchen"))
    assert [row.user_id for row in await index.facts(project="coffee")] == ["bob"]
    assert await index.facts(project="tea") == []
    assert await head(index) == 1


async def test_updating_a_session_that_is_not_indexed_does_nothing(index: SearchIndex) -> None:
    await index.update_session(key(user_id="ada"))

    assert await index.sessions() == []


async def test_a_later_addition_brings_the_session_up_to_date(index: SearchIndex) -> None:
    await tell(index, "a giraffe", owner=key(user_id="ada"))
    await tell(index, "an okapi", owner=key(user_id="ada", tags=("zoo",), epoch=2))

    assert await matching(index, "giraffe", where=Where(user_id="ada", tag="zoo")) == ["a giraffe"]
    assert await index.watermarks([S]) == {S: Mark(seq=Seq(2), epoch=2)}


# --- forgetting


async def test_what_is_forgotten_is_not_found_in_any_way(index: SearchIndex) -> None:
    await tell(index, "the giraffe_id is 東京", "an okapi")
    await embed(index, {"the giraffe_id is 東京": unit(1, 0), "an okapi": unit(0.5, 0.5)})
    number = await number_of(index, "the giraffe_id is 東京")

    await index.forget(S, [1])

    assert await matching(index, "giraffe_id") == []
    assert await holding(index, "giraffe_id", "東京") == []
    assert await near(index, 1, 0) == ["an okapi"]
    assert await index.documents([number]) == []
    assert await index.around([number], before=1, after=1) in ({}, {number: []})
    assert (await index.frequencies(["giraffe_id"]))[1] == [0]
    assert await index.watermarks([S]) == {S: Mark(seq=Seq(2))}


async def test_a_fact_that_rests_on_what_is_forgotten_goes_too(index: SearchIndex) -> None:
    await tell(index, "our kettle is blue", "hello")
    await learn(index, fact("The kettle is blue.", seq=3, evidence=(1, 3)))
    await learn(index, fact("The cup is white.", fact_id="f2", seq=4, evidence=(2, 4)))

    await index.forget(S, [1])

    assert await matching(index, "kettle") == []
    assert await matching(index, "cup") == ["The cup is white."]
    assert await index.find_fact(S, "f1") is None
    assert [row.fact.fact_id for row in await index.facts()] == ["f2"]


async def test_forgetting_reaches_the_named_session_only(index: SearchIndex) -> None:
    await tell(index, "a giraffe", owner=key("a"))
    await tell(index, "a giraffe", owner=key("b"))

    await index.forget(SessionId("a"), [1, 2, 3])
    await index.forget(SessionId("never seen"), [1])
    await index.forget(SessionId("b"), [])

    (left,) = await index.match(["giraffe"], EVERYWHERE, 10)
    (stored,) = await index.documents([left.number])
    assert stored.document.session_id == "b"


async def test_a_dropped_session_can_be_indexed_anew(index: SearchIndex) -> None:
    await tell(index, "a giraffe", owner=key("a"))
    await learn(index, fact("The kettle is blue."), owner=key("a"))
    await tell(index, "a giraffe", owner=key("b"))
    await embed(index, {"The kettle is blue.": unit(1, 0)})

    await index.drop_session(SessionId("a"))

    assert await index.sessions() == ["b"]
    assert await matching(index, "giraffe", "kettle") == ["a giraffe"]
    assert await index.find_fact(SessionId("a"), "f1") is None
    assert await near(index, 1, 0) == []
    assert await index.next_place(SessionId("a")) == 0
    await tell(index, "a new beginning", owner=key("a"))
    assert await matching(index, "beginning") == ["a new beginning"]


async def test_clearing_leaves_an_empty_index_that_can_be_filled(index: SearchIndex) -> None:
    await tell(index, "a giraffe", owner=key("a"))
    await learn(index, fact("The kettle is blue."), owner=key("b"))
    await embed(index, {"a giraffe": unit(1, 0)})

    await index.clear()

    assert await index.sessions() == []
    assert await matching(index, "giraffe", "kettle") == []
    assert await near(index, 1, 0) == []
    assert await index.facts() == []
    assert await index.frequencies(["giraffe"]) == (0, [0])
    await tell(index, "an okapi", owner=key("a"))
    assert await matching(index, "okapi") == ["an okapi"]


# --- neighbours


def told(stored: list[Stored]) -> list[str]:
    return [one.document.text for one in stored]


async def test_the_neighbours_of_a_message_are_those_before_and_after_it_in_its_session(index: SearchIndex) -> None:
    await tell(index, "a1", "a2", "a3", "a4", owner=key("a"))
    await tell(index, "b1", "b2", owner=key("b"))
    first, third, other = [await number_of(index, text) for text in ("a1", "a3", "b2")]

    around = await index.around([first, third, other], before=1, after=2)

    assert {number: told(stored) for number, stored in around.items()} == {
        first: ["a2", "a3"],
        third: ["a2", "a4"],
        other: ["b1"],
    }


async def test_neighbours_are_counted_by_place_and_not_by_entry(index: SearchIndex) -> None:
    documents = [message("one", seq=2, place=0), message("two", seq=40, place=1), message("three", seq=41, place=2)]
    await index.add(key(), after=Seq(0), through=Seq(50), documents=documents)
    learned = fact("The kettle is blue.")
    await learn(index, learned)
    two, kettle = await number_of(index, "two"), await number_of(index, learned.content)

    around = await index.around([two, kettle], before=5, after=5)

    assert told(around[two]) == ["one", "three"]
    assert around.get(kettle, []) == []


async def test_no_neighbours_are_given_where_none_are_asked_for(index: SearchIndex) -> None:
    await tell(index, "one", "two", "three")
    two = await number_of(index, "two")

    assert await index.around([], before=1, after=1) == {}
    assert (await index.around([two], before=0, after=0)).get(two, []) == []
    assert told((await index.around([two], before=1, after=0))[two]) == ["one"]


# --- who shares it


async def test_reopening_keeps_everything(shared_index: OpenIndex) -> None:
    async with shared_index() as index:
        await tell(index, "a giraffe", owner=key(user_id="ada", tags=("zoo",)))
        await learn(index, fact("The kettle is blue."), owner=key(user_id="ada", tags=("zoo",)))
        await embed(index, {"a giraffe": unit(1, 0)})

    async with shared_index() as index:
        assert await head(index) == 2
        assert await matching(index, "giraffe", where=Where(user_id="ada", tag="zoo")) == ["a giraffe"]
        assert await near(index, 1, 0) == ["a giraffe"]
        assert await index.find_fact(S, "f1")
        assert [one.text for one in await index.without_vectors(MODEL, 10)] == ["The kettle is blue."]
        assert await index.next_place(S) == 1


async def test_what_one_adds_another_finds_at_once(shared_index: OpenIndex) -> None:
    async with shared_index() as one, shared_index() as other:
        await tell(one, "a giraffe")
        await embed(one, {"a giraffe": unit(1, 0)})
        assert await matching(other, "giraffe") == ["a giraffe"]
        assert await near(other, 1, 0) == ["a giraffe"]

        await other.forget(S, [1])
        assert await matching(one, "giraffe") == []
        assert await near(one, 1, 0) == []


async def test_tenants_never_see_each_other(shared_index: OpenIndex) -> None:
    async with shared_index("one") as mine, shared_index("two") as theirs:
        await tell(mine, "a giraffe_id", owner=key(user_id="ada"))
        await learn(mine, fact("The kettle is blue."), owner=key(user_id="ada"))
        number = await number_of(mine, "a giraffe_id")
        await embed(mine, {"a giraffe_id": unit(1, 0)})
        await tell(theirs, "an okapi")
        await embed(theirs, {"an okapi": unit(0, 1)})

        assert await head(theirs) == 1
        assert await matching(theirs, "giraffe_id", "kettle") == []
        assert await holding(theirs, "giraffe_id") == []
        assert await near(theirs, 1, 0) == ["an okapi"]
        assert await theirs.similarities(MODEL, unit(1, 0)[0], [number]) == {}
        assert await theirs.facts() == []
        assert await theirs.find_fact(S, "f1") is None
        assert (await theirs.frequencies(["giraffe_id", "okapi"])) == (1, [0, 1])
        assert await theirs.without_vectors(MODEL, 10) == []


async def test_a_tenant_that_clears_its_index_takes_nothing_from_others(shared_index: OpenIndex) -> None:
    async with shared_index("one") as mine, shared_index("two") as theirs:
        for index in (mine, theirs):
            await tell(index, "a giraffe")
            await embed(index, {"a giraffe": unit(1, 0)})

        await mine.forget(S, [1])
        await mine.drop_session(S)
        assert await mine.drop_vectors(except_models=()) == 0
        await mine.clear()

        assert await matching(theirs, "giraffe") == ["a giraffe"]
        assert await near(theirs, 1, 0) == ["a giraffe"]


async def test_a_closed_index_says_so(shared_index: OpenIndex) -> None:
    async with shared_index() as index:
        pass

    with pytest.raises(SojournError):
        await index.sessions()


async def test_times_are_kept_to_the_microsecond(index: SearchIndex) -> None:
    moment = at(1).replace(microsecond=123_457)
    given = message("a giraffe")
    given = replace(given, at=moment)
    await index.add(key(), after=Seq(0), through=Seq(1), documents=[given])

    (stored,) = await index.documents([await number_of(index, "a giraffe")])

    assert stored.document.at == moment
