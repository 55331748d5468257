"""Vectors in memory, and which of them are nearest to a question. NumPy only: no database, no clock, no threads.

Vectors have length 1 and are kept as bytes with one scale each: a quarter of the memory, and a cosine that is right to
two thousandths. Up to `EXACT_ROWS` wanted rows are compared one by one. Beyond, a first pass compares one bit for each
dimension, on the side of the mean or against it, and the rows that share most bits are compared exactly: a twentieth,
but no fewer and no more than `CANDIDATES`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sojourn.errors import EmbeddingError

Floats = NDArray[np.float32]
EXACT_ROWS: Final = 50_000
CANDIDATES: Final = (5000, 20_000)
BLOCK_ROWS: Final = 65_536
_SLICE: Final = 1024
_FIRST: Final = 1000
_FAR: Final = np.iinfo(np.uint16).max
_SCALE_BYTES: Final = 4


# --- one vector as bytes


def unit_rows(vectors: Floats) -> Floats:
    """Return *vectors* with each row at length 1; rows of zeros are left out.

    Raises:
        EmbeddingError: it is no table of finite numbers.
    """
    if vectors.ndim != 2 or not np.isfinite(vectors).all():
        raise EmbeddingError("vectors are rows of finite numbers")
    lengths = np.linalg.norm(vectors.astype(np.float32, copy=False), axis=1)
    kept = lengths > 0
    rows: Floats = (vectors[kept] / lengths[kept, None]).astype(np.float32, copy=False)
    return rows


def pack(rows: Floats) -> list[bytes]:
    """Return each row of *rows*, none of them all zeros, as a scale and a byte for each number."""
    scales = (np.abs(rows).max(axis=1) / 127).astype("<f4")
    quantised = np.rint(rows / scales[:, None]).astype(np.int8)
    return [scale.tobytes() + row.tobytes() for scale, row in zip(scales, quantised, strict=True)]


def unpack(packed: Sequence[bytes], dimensions: int) -> tuple[Floats, NDArray[np.int8]]:
    """Return the scales and the bytes of packed rows, a row each."""
    joined = np.frombuffer(b"".join(packed), np.uint8).reshape(len(packed), _SCALE_BYTES + dimensions)
    scales = np.ascontiguousarray(joined[:, :_SCALE_BYTES]).view("<f4").ravel().astype(np.float32, copy=False)
    return scales, joined[:, _SCALE_BYTES:].view(np.int8)


def cosines(question: Floats, scales: Floats, quantised: NDArray[np.int8]) -> Floats:
    """Return the cosine of *question*, which has length 1, and each row."""
    found = np.empty(len(scales), np.float32)
    for start in range(0, len(scales), _SLICE):  # so that the rows as floats fit the processor's cache
        some = slice(start, start + _SLICE)
        # Not `@`: that starts threads, which wait for each other when the machine is busy.
        np.einsum("ij,j->i", quantised[some].astype(np.float32), question, out=found[some])
    found *= scales
    return found


# --- many of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Vectors to be taken in, with what is known of their documents: a row of each array for each vector."""

    numbers: NDArray[np.int64]
    sessions: NDArray[np.int32]
    seqs: NDArray[np.int32]
    times: NDArray[np.int64]
    labels: NDArray[np.uint16]
    scales: Floats
    quantised: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, which: slice | NDArray[np.intp]) -> "Rows":
        return Rows(
            numbers=self.numbers[which],
            sessions=self.sessions[which],
            seqs=self.seqs[which],
            times=self.times[which],
            labels=self.labels[which],
            scales=self.scales[which],
            quantised=self.quantised[which],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which rows may be found. Every condition that is given must hold; *labels* are whatever the rows' maker means.

    *stretches* are (session, first seq, last seq or None for the end).
    """

    sessions: NDArray[np.int64] | None = None
    stretches: tuple[tuple[int, int, int | None], ...] | None = None
    labels: tuple[int, ...] | None = None
    since: int | None = None
    until: int | None = None


class VectorTable:
    """All vectors of one model. It only grows; who owns it makes a new one when too many of its rows are gone."""

    def __init__(self, dimensions: int, *, exact_rows: int = EXACT_ROWS, candidates: int | None = None) -> None:
        self.dimensions = dimensions
        self._exact_rows = exact_rows
        self._candidates = candidates
        self._blocks: list[_Block] = []
        self._mean: Floats | None = None

    def __len__(self) -> int:
        return sum(block.count for block in self._blocks)

    @property
    def candidates(self) -> int:
        """How many rows the first pass leaves, about."""
        least, most = CANDIDATES
        return self._candidates or min(max(len(self) // 20, least), most)

    def append(self, rows: Rows) -> None:
        """Take in *rows*."""
        taken = 0
        while taken < len(rows):
            if not self._blocks or self._blocks[-1].room == 0:
                self._blocks.append(_Block(self.dimensions))
            block = self._blocks[-1]
            some = rows[taken : taken + block.room]
            block.append(some)
            taken += len(some)
        if self._mean is not None:
            for block in self._blocks:
                block.encode(self._mean)

    def nearest(self, question: Floats, wanted: Wanted) -> Iterator[tuple[int, float]]:
        """Yield the wanted documents by the cosine of their best vector, best first, each once.

        Of more than `EXACT_ROWS` wanted rows these are the best of the first pass.
        """
        unit = unit_rows(question.reshape(1, -1).astype(np.float32))
        if not len(unit):
            return
        masks = _masks(self._blocks, wanted)
        count = sum(block.count if mask is None else int(mask.sum()) for block, mask in masks)
        if count > self._exact_rows:
            chosen = self._first_pass(unit[0], masks)
        else:
            chosen = [(block, None if mask is None else np.flatnonzero(mask)) for block, mask in masks]
        seen: set[int] = set()
        for number, score in _sorted(*_compare(unit[0], chosen)):
            if number not in seen:
                seen.add(number)
                yield number, score

    def _first_pass(
        self, question: Floats, masks: "list[tuple[_Block, NDArray[np.bool_] | None]]"
    ) -> "list[tuple[_Block, NDArray[np.intp] | None]]":
        """Return the rows that share most bits with *question*."""
        mean = self._mean
        if mean is None:
            mean = self._mean = self._blocks[0].mean()
            for block in self._blocks:
                block.encode(mean)
        bits = _bits(question[None, :] > mean)[0]
        distances = [block.distances(bits, mask) for block, mask in masks]
        counts = np.zeros(64 * len(bits) + 1, np.int64)
        for one in distances:
            counts += np.bincount(one[one < _FAR], minlength=len(counts))
        limit = int(np.searchsorted(np.cumsum(counts), self.candidates))
        return [(block, np.flatnonzero(one <= limit)) for (block, _), one in zip(masks, distances, strict=True)]


class _Block:
    """Up to `BLOCK_ROWS` rows. Its memory is taken as rows come, for what is not written has no pages yet."""

    def __init__(self, dimensions: int) -> None:
        self.count = 0
        self._encoded = 0
        self._rows = Rows(
            numbers=np.empty(BLOCK_ROWS, np.int64),
            sessions=np.empty(BLOCK_ROWS, np.int32),
            seqs=np.empty(BLOCK_ROWS, np.int32),
            times=np.empty(BLOCK_ROWS, np.int64),
            labels=np.empty(BLOCK_ROWS, np.uint16),
            scales=np.empty(BLOCK_ROWS, np.float32),
            quantised=np.empty((BLOCK_ROWS, dimensions), np.int8),
        )
        self._codes = np.empty((-(-dimensions // 64), BLOCK_ROWS), np.uint64)

    @property
    def room(self) -> int:
        return BLOCK_ROWS - self.count

    @property
    def rows(self) -> Rows:
        return self._rows[: self.count]

    def append(self, rows: Rows) -> None:
        target = self._rows[self.count : self.count + len(rows)]
        target.numbers[:] = rows.numbers
        target.sessions[:] = rows.sessions
        target.seqs[:] = rows.seqs
        target.times[:] = rows.times
        target.labels[:] = rows.labels
        target.scales[:] = rows.scales
        target.quantised[:] = rows.quantised
        self.count += len(rows)

    def mean(self) -> Floats:
        """Return about the mean of the rows."""
        some = self._rows[: min(self.count, _SLICE)]
        mean: Floats = (some.quantised * some.scales[:, None]).mean(axis=0, dtype=np.float32)
        return mean

    def encode(self, mean: Floats) -> None:
        """Bring the bits up to the last row."""
        for start in range(self._encoded, self.count, _SLICE):
            stop = min(start + _SLICE, self.count)
            some = self._rows[start:stop]
            self._codes[:, start:stop] = _bits(some.quantised * some.scales[:, None] > mean).T
        self._encoded = self.count

    def distances(self, bits: NDArray[np.uint64], mask: NDArray[np.bool_] | None) -> NDArray[np.uint16]:
        """Return in how many bits each row differs, `_FAR` for those that are not wanted."""
        found = np.zeros(self.count, np.uint16)
        for word, codes in zip(bits, self._codes, strict=True):
            found += np.bitwise_count(codes[: self.count] ^ word)
        if mask is not None:
            found[~mask] = _FAR
        return found


def _bits(sides: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return a row of 64-bit words for each row of truths."""
    missing = -sides.shape[1] % 64
    padded = np.pad(sides, ((0, 0), (0, missing))) if missing else sides
    return np.packbits(padded, axis=1).view(np.uint64)


def _compare(
    question: Floats, chosen: "list[tuple[_Block, NDArray[np.intp] | None]]"
) -> tuple[NDArray[np.int64], Floats]:
    numbers, scores = [np.empty(0, np.int64)], [np.empty(0, np.float32)]
    for block, which in chosen:
        rows = block.rows
        if which is None:
            numbers.append(rows.numbers)
            scores.append(cosines(question, rows.scales, rows.quantised))
        elif len(which):
            numbers.append(rows.numbers[which])
            scores.append(cosines(question, rows.scales[which], rows.quantised[which]))
    return np.concatenate(numbers), np.concatenate(scores)


def _sorted(numbers: NDArray[np.int64], scores: Floats) -> Iterator[tuple[int, float]]:
    """Yield numbers and scores, best first; all are sorted only for who asks for more than the first."""
    if len(scores) > _FIRST:
        least = np.partition(scores, -_FIRST)[-_FIRST]
        first = scores >= least
        yield from _sorted_all(numbers[first], scores[first])
        numbers, scores = numbers[~first], scores[~first]
    yield from _sorted_all(numbers, scores)


def _sorted_all(numbers: NDArray[np.int64], scores: Floats) -> Iterator[tuple[int, float]]:
    order = np.lexsort((-numbers, -scores))
    yield from zip(numbers[order].tolist(), scores[order].tolist(), strict=True)


def _masks(blocks: "list[_Block]", wanted: Wanted) -> "list[tuple[_Block, NDArray[np.bool_] | None]]":
    """Return for each block which of its rows are wanted; None for all of them."""
    allowed = None if wanted.sessions is None else _table(wanted.sessions)
    labels = None if wanted.labels is None else np.array(wanted.labels, np.uint16)
    return [(block, _mask(block.rows, wanted, allowed, labels)) for block in blocks]


def _table(numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return truths by number, the last of them False."""
    table = np.zeros(int(numbers.max(initial=0)) + 2, np.bool_)
    table[numbers] = True
    return table


def _mask(
    rows: Rows, wanted: Wanted, allowed: NDArray[np.bool_] | None, labels: NDArray[np.uint16] | None
) -> NDArray[np.bool_] | None:
    conditions: list[NDArray[np.bool_]] = []
    if allowed is not None:
        conditions.append(allowed[np.minimum(rows.sessions, len(allowed) - 1)])
    if wanted.stretches is not None:
        conditions.append(_in_stretches(rows, wanted.stretches))
    if labels is not None:
        conditions.append(np.isin(rows.labels, labels))
    if wanted.since is not None:
        conditions.append(rows.times >= wanted.since)
    if wanted.until is not None:
        conditions.append(rows.times <= wanted.until)
    return np.logical_and.reduce(conditions) if conditions else None


def _in_stretches(rows: Rows, stretches: tuple[tuple[int, int, int | None], ...]) -> NDArray[np.bool_]:
    found = np.zeros(len(rows), np.bool_)
    for session, first, last in stretches:
        here = np.flatnonzero(rows.sessions == session)
        seqs = rows.seqs[here]
        found[here[(seqs >= first) & (seqs <= (seqs if last is None else last))]] = True
    return found
