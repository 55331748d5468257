"""The arithmetic of vectors: what is packed comes back, and the nearest are the nearest."""

import numpy as np
import pytest
from numpy.typing import NDArray

from sojourn.errors import EmbeddingError
from sojourn.memory.index import vectors
from sojourn.memory.index.vectors import Rows, VectorTable, Wanted, cosines, pack, unit_rows, unpack

Floats = NDArray[np.float32]


def made(count: int, dimensions: int, *, seed: int = 1) -> Floats:
    """Return vectors in clusters, as those of texts are: each is one of a few topics, with a twist."""
    random = np.random.default_rng(seed)
    topics = random.standard_normal((max(count // 50, 2), dimensions))
    twisted = topics[random.integers(0, len(topics), count)] + random.standard_normal((count, dimensions)) + 0.3
    return unit_rows(twisted.astype(np.float32))


def rows_of(
    table: Floats,
    *,
    numbers: list[int] | None = None,
    sessions: list[int] | None = None,
    seqs: list[int] | None = None,
    labels: list[int] | None = None,
) -> Rows:
    counted = list(range(len(table)))
    scales, quantised = unpack(pack(table), table.shape[1])
    return Rows(
        numbers=np.array(numbers or counted, np.int64),
        sessions=np.array(sessions or [1] * len(table), np.int32),
        seqs=np.array(seqs or counted, np.int32),
        times=np.array(seqs or counted, np.int64) * 10,
        labels=np.array(labels or [0] * len(table), np.uint16),
        scales=scales,
        quantised=quantised,
    )


def compass(**options: list[int]) -> VectorTable:
    """Return a table of north, east, south and west, which are rows 0 to 3."""
    table = VectorTable(2)
    table.append(rows_of(np.array([[0, 1], [1, 0], [0, -1], [-1, 0]], np.float32), **options))
    return table


def found(table: VectorTable, question: list[float], wanted: Wanted | None = None) -> list[int]:
    return [number for number, _ in table.nearest(np.array(question, np.float32), wanted or Wanted())]


def test_a_packed_vector_is_a_byte_for_each_number_and_a_scale() -> None:
    table = made(20, 256)
    packed = pack(table)

    scales, quantised = unpack(packed, 256)

    assert {len(one) for one in packed} == {260}
    np.testing.assert_allclose(quantised * scales[:, None], table, atol=0.002)


def test_a_packed_cosine_is_right_to_two_thousandths() -> None:
    table, question = made(5000, 256), made(1, 256, seed=2)[0]

    np.testing.assert_allclose(cosines(question, *unpack(pack(table), 256)), table @ question, atol=0.002)


def test_rows_of_zeros_are_left_out() -> None:
    np.testing.assert_allclose(unit_rows(np.array([[3, 4], [0, 0]], np.float32)), [[0.6, 0.8]])


@pytest.mark.parametrize("odd", [[[np.nan, 1]], [[np.inf, 1]], [1, 2]])
def test_what_is_no_table_of_numbers_is_refused(odd: object) -> None:
    with pytest.raises(EmbeddingError):
        unit_rows(np.array(odd, np.float32))


def test_the_nearest_comes_first_with_its_cosine() -> None:
    [(first, score), *others] = compass().nearest(np.array([3, 4], np.float32), Wanted())

    assert (first, [number for number, _ in others]) == (0, [1, 3, 2])
    assert score == pytest.approx(0.8, abs=0.001)


def test_a_question_without_direction_finds_nothing() -> None:
    assert found(compass(), [0, 0]) == []


def test_an_empty_table_finds_nothing() -> None:
    assert found(VectorTable(2), [1, 0]) == []


def test_a_document_is_found_once_by_its_best_vector() -> None:
    assert found(compass(numbers=[7, 8, 8, 7]), [1, 0.1]) == [8, 7]


def test_of_equally_near_documents_the_one_with_the_higher_number_is_first() -> None:
    assert found(compass(numbers=[5, 6, 7, 8]), [1, 1])[:2] == [6, 5]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Wanted(sessions=np.array([2])), [1, 3]),
        (Wanted(sessions=np.array([], np.int64)), []),
        (Wanted(sessions=np.array([1, 99])), [0]),
        (Wanted(stretches=((2, 1, 2),)), [1]),
        (Wanted(stretches=((2, 3, None), (1, 1, None))), [0, 3]),
        (Wanted(stretches=()), []),
        (Wanted(labels=(1,)), [0, 2]),
        (Wanted(labels=()), []),
        (Wanted(since=20, until=30), [1, 2]),
        (Wanted(since=20, labels=(0,)), [1, 3]),
    ],
)
def test_only_what_is_wanted_is_found(wanted: Wanted, expected: list[int]) -> None:
    table = compass(sessions=[1, 2, 3, 2], seqs=[1, 2, 3, 4], labels=[1, 0, 1, 0])

    assert sorted(found(table, [1, 1], wanted)) == expected


def test_the_first_pass_keeps_nearly_all_of_the_nearest() -> None:
    vectors_of_texts, questions = made(20_000, 256), made(30, 256, seed=1)
    table = VectorTable(256, exact_rows=0, candidates=1000)
    table.append(rows_of(vectors_of_texts))

    kept = 0
    for question in questions:
        nearest = np.argsort(-(vectors_of_texts @ question))[:50].tolist()
        kept += len({*nearest} & {*found(table, question.tolist())[:50]})

    assert kept / (30 * 50) > 0.95


def test_the_first_pass_looks_only_at_what_is_wanted() -> None:
    table = VectorTable(64, exact_rows=0, candidates=5)
    table.append(rows_of(made(1000, 64), sessions=[number % 100 for number in range(1000)]))

    numbers = found(table, made(1, 64)[0].tolist(), Wanted(sessions=np.array([42])))

    assert len(numbers) >= 5
    assert {number % 100 for number in numbers} == {42}


def test_what_comes_after_the_first_search_is_found_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "BLOCK_ROWS", 64)
    rows = made(300, 100)
    table = VectorTable(100, exact_rows=0, candidates=20)
    for start in range(0, 300, 50):
        table.append(rows_of(rows[start : start + 50], numbers=list(range(start, start + 50))))
        newest = start + 49
        assert found(table, rows[newest].tolist())[0] == newest

    assert len(table) == 300
