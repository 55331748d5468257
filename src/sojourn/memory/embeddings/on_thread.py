"""Embedding on a thread, which is never left alone: whoever is cancelled meanwhile ends when it has ended.

A process that ends while native code works on another thread is aborted by the system, and its exit code says so. So
texts go to the thread a few at a time, and nobody waits long.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import anyio
import anyio.to_thread

from sojourn.memory.embeddings.protocol import Embedder

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

AT_ONCE: Final = 32
"""Texts that the thread is given at once."""


async def embed_on_thread(embedder: Embedder, texts: Sequence[str]) -> "NDArray[float32]":
    """Return a row for each of *texts*. The errors are the embedder's."""
    first, *others = [texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE)] or [texts]
    rows = await _embedded(embedder, first)
    if not others:
        return rows
    import numpy as np  # noqa: PLC0415 - it comes with the embedder, and is much to load

    return np.concatenate([rows, *[await _embedded(embedder, part) for part in others]])


async def _embedded(embedder: Embedder, texts: Sequence[str]) -> "NDArray[float32]":
    work = asyncio.ensure_future(anyio.to_thread.run_sync(embedder.embed, texts))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await _ended(work)
        raise


async def _ended(work: "asyncio.Future[NDArray[float32]]") -> None:
    """Wait for the end of *work*, however often this is cancelled meanwhile."""
    while not work.done():
        try:
            with anyio.CancelScope(shield=True):
                await asyncio.wait([work])
        except asyncio.CancelledError:
            continue  # the caller is about to be told of the first one
    if not work.cancelled():
        work.exception()  # whoever left does not want to hear of it
