"""Every search index keeps vectors in the same way: by model, by chunk, and never mixed."""

import math

import numpy as np
import pytest

from sojourn.errors import EmbeddingError
from sojourn.memory.index.protocol import SearchIndex
from sojourn.model.ids import SessionId
from tests.memory.index_talk import (
    EVERYWHERE,
    MODEL,
    embed,
    fact,
    key,
    learn,
    near,
    number_of,
    tell,
    unit,
    vector,
)

pytestmark = pytest.mark.anyio


def rows(*chunks: tuple[float, ...]) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    return np.vstack([unit(*chunk) for chunk in chunks])


async def test_the_nearest_come_first_with_their_cosine(index: SearchIndex) -> None:
    await tell(index, "north", "north-east", "east", "south")
    await embed(index, {"north": unit(0, 1), "north-east": unit(1, 1), "east": unit(1, 0), "south": unit(0, -1)})

    found = await index.nearest(MODEL, unit(0.1, 1)[0], EVERYWHERE, 10)

    assert await near(index, 0.1, 1, limit=3) == ["north", "north-east", "east"]
    assert len(found) == 4
    assert [one.score for one in found[:3]] == pytest.approx([0.995, 0.7740, 0.0995], abs=0.002)


async def test_how_long_the_question_vector_is_does_not_matter(index: SearchIndex) -> None:
    await tell(index, "north", "east")
    await embed(index, {"north": unit(0, 1), "east": unit(1, 0)})

    (best, _) = await index.nearest(MODEL, vector(0, 250), EVERYWHERE, 10)

    assert best.score == pytest.approx(1, abs=0.002)


async def test_the_best_chunk_of_a_document_counts(index: SearchIndex) -> None:
    await tell(index, "many chunks", "one chunk")
    await embed(index, {"many chunks": rows((-1, 0), (0, 1), (-1, -1)), "one chunk": unit(1, 1)})

    found = await index.nearest(MODEL, vector(0, 1), EVERYWHERE, 10)

    assert await near(index, 0, 1) == ["many chunks", "one chunk"]
    assert [one.score for one in found] == pytest.approx([1, 0.7071], abs=0.002)


async def test_a_document_of_many_chunks_does_not_crowd_out_others(index: SearchIndex) -> None:
    await tell(index, "long", "short", "other")
    await embed(index, {"long": rows(*((1, number / 1000) for number in range(300))), "short": unit(1, 1)})
    await embed(index, {"other": unit(0, 1)})

    assert await near(index, 1, 0, limit=3) == ["long", "short", "other"]


async def test_new_vectors_take_the_place_of_old_ones(index: SearchIndex) -> None:
    await tell(index, "a giraffe")
    await embed(index, {"a giraffe": rows((1, 0), (0, 1))})

    await embed(index, {"a giraffe": unit(-1, 0)})

    (found,) = await index.nearest(MODEL, vector(0, 1), EVERYWHERE, 10)
    assert found.score == pytest.approx(0, abs=0.002)


async def test_documents_without_vectors_are_listed_newest_first(index: SearchIndex) -> None:
    await tell(index, "one", "two", "three")
    await learn(index, fact("The kettle is blue."))

    assert [one.text for one in await index.without_vectors(MODEL, 10)] == [
        "The kettle is blue.",
        "three",
        "two",
        "one",
    ]
    assert [one.text for one in await index.without_vectors(MODEL, 2)] == ["The kettle is blue.", "three"]
    assert await index.without_vectors(MODEL, 0) == []

    await embed(index, {"three": unit(1, 0), "one": unit(1, 0)})

    assert [one.text for one in await index.without_vectors(MODEL, 10)] == ["The kettle is blue.", "two"]
    assert len(await index.without_vectors("model-b", 10)) == 4


async def test_a_fact_that_changed_needs_vectors_anew(index: SearchIndex) -> None:
    await learn(index, fact("The kettle is blue."))
    await embed(index, {"The kettle is blue.": unit(1, 0)})

    await learn(index, fact("The kettle is green.", seq=2))

    assert [one.text for one in await index.without_vectors(MODEL, 10)] == ["The kettle is green."]
    assert await near(index, 1, 0) == []


async def test_vectors_of_a_document_that_is_gone_are_left_out(index: SearchIndex) -> None:
    await tell(index, "one", "two")
    one, two = await number_of(index, "one"), await number_of(index, "two")
    await index.forget(SessionId("s"), [1])

    await index.add_vectors(MODEL, [(one, unit(1, 0)), (two, unit(1, 0)), (10**12, unit(1, 0))])

    assert await near(index, 1, 0) == ["two"]


async def test_vectors_of_models_are_never_mixed(index: SearchIndex) -> None:
    await tell(index, "one", "two")
    await embed(index, {"one": unit(1, 0)}, model="model-a")
    await embed(index, {"two": unit(1, 0)}, model="model-b")
    await embed(index, {"one": unit(1, 0, 0)}, model="a 'larger' model; of \"three\"")

    (found,) = await index.nearest("model-b", vector(1, 0), EVERYWHERE, 10)
    assert found.number == await number_of(index, "two")
    assert await index.similarities("model-b", vector(1, 0), [await number_of(index, "one")]) == {}
    assert await index.nearest("model-c", vector(1, 0), EVERYWHERE, 10) == []
    assert len(await index.nearest("a 'larger' model; of \"three\"", vector(1, 0, 0), EVERYWHERE, 10)) == 1


async def test_vectors_of_another_size_are_refused_and_nothing_is_kept(index: SearchIndex) -> None:
    await tell(index, "one", "two", "three")
    await embed(index, {"one": unit(1, 0)})
    two, three = await number_of(index, "two"), await number_of(index, "three")

    with pytest.raises(EmbeddingError):
        await index.add_vectors(MODEL, [(two, unit(1, 0)), (three, unit(1, 0, 0))])
    with pytest.raises(EmbeddingError):
        await index.add_vectors("new model", [(two, unit(1, 0)), (three, unit(1, 0, 0))])

    assert [one.text for one in await index.without_vectors(MODEL, 10)] == ["three", "two"]
    assert len(await index.without_vectors("new model", 10)) == 3


async def test_a_question_of_another_size_is_refused(index: SearchIndex) -> None:
    await tell(index, "one")
    await embed(index, {"one": unit(1, 0)})

    with pytest.raises(EmbeddingError):
        await index.nearest(MODEL, vector(1, 0, 0), EVERYWHERE, 10)
    with pytest.raises(EmbeddingError):
        await index.similarities(MODEL, vector(1, 0, 0), [await number_of(index, "one")])
    with pytest.raises(EmbeddingError):
        await index.closest_vectors(MODEL, vector(1, 0, 0), [await number_of(index, "one")])


async def test_zeros_are_near_nothing(index: SearchIndex) -> None:
    await tell(index, "empty", "full", "half empty", "not even a chunk")
    zeros = np.zeros((1, 2), dtype=np.float32)
    await embed(index, {"empty": zeros, "full": unit(1, 0), "half empty": np.vstack([zeros, unit(1, 1)])})
    await embed(index, {"not even a chunk": np.zeros((0, 2), dtype=np.float32)})

    assert await near(index, 1, 0) == ["full", "half empty"]
    assert await near(index, 0, 0) == []
    assert await index.without_vectors(MODEL, 10) == []
    assert await index.similarities(MODEL, vector(0, 0), [await number_of(index, "full")]) == {}


async def test_how_near_named_documents_are_is_told_by_their_best_chunk(index: SearchIndex) -> None:
    await tell(index, "one", "two", "three", "zero")
    await embed(index, {"one": rows((1, 0), (0, 1)), "two": unit(1, 1), "zero": np.zeros((1, 2), dtype=np.float32)})
    one, two, three, zero = [await number_of(index, text) for text in ("one", "two", "three", "zero")]

    told = await index.similarities(MODEL, vector(0, 1), [two, one, three, zero, 10**12])

    assert told == {one: pytest.approx(1, abs=0.002), two: pytest.approx(0.7071, abs=0.002)}
    assert await index.similarities(MODEL, vector(0, 1), []) == {}
    assert await index.similarities("model-b", vector(0, 1), [one]) == {}


async def test_a_document_lends_the_chunk_that_is_nearest_to_the_question(index: SearchIndex) -> None:
    await tell(index, "one", "two", "three", "zero")
    await embed(index, {"one": rows((1, 0), (0, 5)), "two": unit(1, 1), "zero": np.zeros((1, 2), dtype=np.float32)})
    one, two, three, zero = [await number_of(index, text) for text in ("one", "two", "three", "zero")]

    lent = await index.closest_vectors(MODEL, vector(0.1, 1), [two, one, three, zero, 10**12])

    assert sorted(lent) == sorted([one, two])
    assert lent[one].tolist() == pytest.approx([0, 1], abs=0.01)
    assert lent[two].tolist() == pytest.approx([0.7071, 0.7071], abs=0.01)
    assert await index.similarities(MODEL, lent[two], [two]) == {two: pytest.approx(1, abs=0.002)}
    assert await index.closest_vectors(MODEL, vector(0, 1), []) == {}
    assert await index.closest_vectors(MODEL, vector(0, 0), [one]) == {}
    assert await index.closest_vectors("model-b", vector(0, 1), [one]) == {}


async def test_vectors_that_are_no_numbers_are_refused(index: SearchIndex) -> None:
    await tell(index, "one")
    number = await number_of(index, "one")

    for odd in (math.nan, math.inf):
        with pytest.raises(EmbeddingError):
            await index.add_vectors(MODEL, [(number, np.array([[odd, 0]], dtype=np.float32))])

    assert len(await index.without_vectors(MODEL, 10)) == 1


async def test_vectors_of_other_models_are_dropped_and_counted(index: SearchIndex) -> None:
    await tell(index, "one", "two")
    await embed(index, {"one": rows((1, 0), (0, 1)), "two": unit(1, 0)}, model="old")
    await embed(index, {"one": unit(1, 0, 0)}, model="new")

    assert await index.drop_vectors(except_models=["new", "never seen"]) == 3

    assert await index.nearest("old", vector(1, 0), EVERYWHERE, 10) == []
    assert len(await index.nearest("new", vector(1, 0, 0), EVERYWHERE, 10)) == 1
    assert len(await index.without_vectors("old", 10)) == 2
    assert await index.drop_vectors(except_models=["new"]) == 0


async def test_a_model_whose_vectors_were_dropped_may_come_back_with_another_size(index: SearchIndex) -> None:
    await tell(index, "one")
    await embed(index, {"one": unit(1, 0)})
    await index.drop_vectors(except_models=())

    await embed(index, {"one": unit(1, 0, 0)})

    assert len(await index.nearest(MODEL, vector(1, 0, 0), EVERYWHERE, 10)) == 1


async def test_vectors_may_be_as_long_as_large_models_make_them(index: SearchIndex) -> None:
    await tell(index, "one", "two", owner=key())
    rng = np.random.default_rng(3)
    one, two = (rng.standard_normal((1, 3072)).astype(np.float32) for _ in range(2))
    await embed(index, {"one": one / np.linalg.norm(one), "two": two / np.linalg.norm(two)})

    found = await index.nearest(MODEL, one[0], EVERYWHERE, 1)

    assert [stored.document.text for stored in await index.documents([found[0].number])] == ["one"]
    assert found[0].score == pytest.approx(1, abs=0.002)


async def test_adding_no_vectors_changes_nothing(index: SearchIndex) -> None:
    await tell(index, "one")

    await index.add_vectors(MODEL, [])

    assert len(await index.without_vectors(MODEL, 10)) == 1


async def test_whether_there_is_anything_to_compare_with_is_known_without_a_vector(index: SearchIndex) -> None:
    await tell(index, "north")
    assert not await index.has_vectors(MODEL)
    await index.without_vectors(MODEL, 10)
    assert not await index.has_vectors(MODEL)

    await embed(index, {"north": unit(0, 1)})

    assert await index.has_vectors(MODEL)
    assert not await index.has_vectors("another model")
