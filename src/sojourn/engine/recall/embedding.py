"""Embedding what the index holds, in small batches on a thread, whenever something new waits.

It never holds anybody up: a search finds by words what is not embedded yet, and what is left when the app closes is
done the next time. Vectors of models that are not used any more are removed when everything has new ones.
"""

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from typing import Final

from sojourn.memory.embeddings.on_thread import embed_on_thread
from sojourn.memory.embeddings.protocol import Embedder
from sojourn.memory.index.chunking import texts_to_embed
from sojourn.memory.index.protocol import SearchIndex

_log = logging.getLogger(__name__)
BATCH: Final = 32
PAUSE: Final = 0.2
"""Seconds to wait before a batch, so that a turn that is going on has the processor."""


class Embedding:
    """The work of embedding one index. Lives from `start` to `stop`."""

    def __init__(self, index: SearchIndex, embedders: Sequence[Embedder]) -> None:
        self._index = index
        self._embedders = tuple(embedders)
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin, in a task of its own."""
        self._task = asyncio.create_task(self._run(), name="sojourn-embedding")

    def wake(self) -> None:
        """Say that there is something new."""
        self._wake.set()

    async def stop(self) -> None:
        """End after the batch that is being done."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def all(self) -> int:
        """Embed everything that waits now; return how many texts that were."""
        done = 0
        for embedder in self._embedders:
            while count := await self._batch(embedder):
                done += count
        await self._index.drop_vectors(except_models=[embedder.name for embedder in self._embedders])
        return done

    async def _run(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                for embedder in self._embedders:
                    left = 1
                    while left:
                        await asyncio.sleep(PAUSE)
                        left = await self._batch(embedder)
                await self._index.drop_vectors(except_models=[embedder.name for embedder in self._embedders])
            except Exception as error:  # noqa: BLE001 - an embedder may be anybody's code; search goes on by words
                _log.warning("embedding stopped until something new comes; search goes on by words: %s", error)

    async def _batch(self, embedder: Embedder) -> int:
        waiting = await self._index.without_vectors(embedder.name, BATCH)
        if not waiting:
            return 0
        pieces = [texts_to_embed(one.text) for one in waiting]
        texts = [text for piece in pieces for text in piece]
        vectors = await embed_on_thread(embedder, texts)
        rows, taken = [], 0
        for one, piece in zip(waiting, pieces, strict=True):
            rows.append((one.number, vectors[taken : taken + len(piece)]))
            taken += len(piece)
        await self._index.add_vectors(embedder.name, rows)
        return len(waiting)
