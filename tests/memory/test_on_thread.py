"""Embedding on a thread gives what embedding gives, and leaves no thread at work behind."""

import asyncio
import threading
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from sojourn.errors import EmbeddingError
from sojourn.memory.embeddings.on_thread import AT_ONCE, embed_on_thread


class Lengths:
    """One number for a text: how long it is."""

    name = "lengths"
    dimensions = 1

    def __init__(self) -> None:
        self.asked: list[int] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.append(len(texts))
        return np.asarray([[len(text)] for text in texts], np.float32).reshape(len(texts), 1)


class Held(Lengths):
    """Works until it is let go."""

    def __init__(self, *, fails: bool = False) -> None:
        super().__init__()
        self.began = threading.Event()
        self.let_go = threading.Event()
        self.ended = False
        self.fails = fails

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.began.set()
        self.let_go.wait(10)
        self.ended = True
        if self.fails:
            raise EmbeddingError("as the test wants it")
        return super().embed(texts)


@pytest.mark.anyio
@pytest.mark.parametrize("number", [0, 1, AT_ONCE, AT_ONCE + 1, 3 * AT_ONCE])
async def test_each_text_gets_its_row_however_many_there_are(number: int) -> None:
    embedder = Lengths()

    rows = await embed_on_thread(embedder, ["x" * length for length in range(number)])

    assert [float(row[0]) for row in rows] == list(range(number))
    assert max(embedder.asked) <= AT_ONCE


@pytest.mark.anyio
@pytest.mark.parametrize("fails", [False, True])
async def test_who_is_cancelled_ends_when_the_thread_has_ended(fails: bool) -> None:
    embedder = Held(fails=fails)
    work = asyncio.create_task(embed_on_thread(embedder, ["a"]))
    await asyncio.to_thread(embedder.began.wait, 10)

    work.cancel()
    await asyncio.sleep(0)
    work.cancel()  # somebody is impatient
    await asyncio.sleep(0)
    assert not work.done()
    embedder.let_go.set()
    with pytest.raises(asyncio.CancelledError):
        await work

    assert embedder.ended
    assert embedder.asked == ([] if fails else [1])


@pytest.mark.anyio
async def test_what_the_embedder_raises_is_raised() -> None:
    embedder = Held(fails=True)
    embedder.let_go.set()

    with pytest.raises(EmbeddingError):
        await embed_on_thread(embedder, ["a"])
