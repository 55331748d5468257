"""The search index in a SQLite file of its own, beside the store."""

import logging
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, TypeVar

import apsw

from sojourn.errors import BusyError, ClosedError, CorruptError, StoreError
from sojourn.memory.embeddings.installed import require
from sojourn.memory.index import sqlite_embedding, sqlite_reading, sqlite_writing
from sojourn.memory.index.document import Document, FactRow, Found, Mark, SessionKey, Stored, ToEmbed, Where
from sojourn.memory.index.sqlite_file import give_up, open_for_reading, open_for_writing
from sojourn.memory.index.sqlite_matching import WordSearch
from sojourn.model.events import FactScope
from sojourn.model.ids import Seq, SessionId, TenantId
from sojourn.store.sql.sqlite_worker import Worker

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from sojourn.memory.index.sqlite_vectors import NearestDocuments

T = TypeVar("T")
_WRITER, _WORDS, _VECTORS = 0, 1, 2
_log: Final = logging.getLogger(__name__)


class SqliteIndex:
    """A `SearchIndex` in the file *path*, or in memory. Open it with `async with`; it may be opened again later.

    Three threads have a connection each: one writes, one looks words up, one compares vectors, so that none of them
    waits for another. Other processes may have the same file open.
    """

    def __init__(self, path: Path | None, *, tenant: TenantId) -> None:
        self._path = path
        self._tenant = tenant
        self._pid = 0
        self._workers: tuple[Worker, ...] = ()
        self._words = WordSearch(tenant)
        self._nearest: NearestDocuments | None = None

    def __repr__(self) -> str:
        return f"SqliteIndex({str(self._path) if self._path else 'memory'})"

    async def __aenter__(self) -> Self:
        """Open the file. One that is damaged, or that another version wrote, is emptied: it is derived."""
        self._pid = os.getpid()
        try:
            await self._start("writer", partial(open_for_writing, self._path), write=True)
            if self._path is not None:  # a database in memory has one connection
                await self._start("words", partial(open_for_reading, self._path), write=False)
                await self._start("vectors", partial(open_for_reading, self._path), write=False)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        workers, self._workers, self._nearest = self._workers, (), None
        for worker in reversed(workers):
            await worker.stop()

    async def _start(self, name: str, connect: Callable[[], apsw.Connection], *, write: bool) -> None:
        worker = Worker(f"sojourn-index-{name}", connect, connect, {}, path=self._path, write=write)
        await worker.start()
        self._workers = (*self._workers, worker)

    # --- following the journals

    async def watermarks(self, session_ids: Sequence[SessionId]) -> dict[SessionId, Mark]:
        return await self._read(sqlite_reading.watermarks, session_ids)

    async def add(
        self,
        key: SessionKey,
        *,
        after: Seq,
        through: Seq,
        documents: Sequence[Document] = (),
        facts: Sequence[FactRow] = (),
    ) -> bool:
        add = partial(sqlite_writing.add, after=after, through=through, documents=documents, facts=facts)
        return await self._write(add, key)

    async def update_session(self, key: SessionKey) -> None:
        await self._write(sqlite_writing.update_session, key)

    async def forget(self, session_id: SessionId, seqs: Iterable[int]) -> None:
        """Remove what was derived from these entries.

        Raises:
            BusyError: it is removed, but another process still reads the log that holds it; forget it once more.
        """
        await self._write(sqlite_writing.forget, session_id, list(seqs))
        await self._erase_traces()

    async def drop_session(self, session_id: SessionId) -> None:
        """Remove everything of a session.

        Raises:
            BusyError: it is removed, but another process still reads the log that holds it; drop it once more.
        """
        await self._write(sqlite_writing.drop_session, session_id)
        await self._erase_traces()

    async def clear(self) -> None:
        await self._write(sqlite_writing.clear)
        await self._erase_traces()

    async def sessions(self) -> list[SessionId]:
        return await self._read(sqlite_reading.sessions)

    async def next_place(self, session_id: SessionId) -> int:
        return await self._read(sqlite_reading.next_place, session_id)

    # --- vectors

    async def without_vectors(self, model: str, limit: int) -> list[ToEmbed]:
        return await self._write(sqlite_embedding.without_vectors, model, limit)

    async def add_vectors(self, model: str, vectors: "Sequence[tuple[int, NDArray[float32]]]") -> None:
        """Keep the vectors of documents.

        Raises:
            EmbeddingError: a vector has another size than those of the same model that are kept already.
            MissingExtraError: NumPy is not installed.
        """
        require("numpy", extra="embeddings")
        from sojourn.memory.index.sqlite_vectors import add_vectors  # noqa: PLC0415 - NumPy is optional

        await self._write(add_vectors, model, vectors)

    async def drop_vectors(self, *, except_models: Iterable[str]) -> int:
        return await self._write(partial(sqlite_embedding.drop_vectors, except_models=list(except_models)))

    async def has_vectors(self, model: str) -> bool:
        return await self._read(sqlite_embedding.has_vectors, model)

    # --- looking

    async def match(self, words: Sequence[str], where: Where, limit: int) -> list[Found]:
        return await self._call(_WORDS, lambda connection: self._words.match(connection, words, where, limit))

    async def match_parts(self, parts: Sequence[str], where: Where, limit: int) -> list[Found]:
        return await self._call(_WORDS, lambda connection: self._words.match_parts(connection, parts, where, limit))

    async def nearest(self, model: str, vector: "NDArray[float32]", where: Where, limit: int) -> list[Found]:
        """Return the documents nearest to *vector*.

        Raises:
            EmbeddingError: *vector* has another size than those of *model*.
            MissingExtraError: NumPy is not installed.
        """
        require("numpy", extra="embeddings")
        from sojourn.memory.index.sqlite_vectors import NearestDocuments  # noqa: PLC0415 - NumPy is optional

        if self._nearest is None:
            self._nearest = NearestDocuments(self._tenant)
        look = self._nearest.nearest
        return await self._call(_VECTORS, lambda connection: look(connection, model, vector, where, limit))

    async def similarities(self, model: str, vector: "NDArray[float32]", numbers: Sequence[int]) -> dict[int, float]:
        """Return how near each of these documents is to *vector*.

        Raises:
            EmbeddingError: *vector* has another size than those of *model*.
            MissingExtraError: NumPy is not installed.
        """
        require("numpy", extra="embeddings")
        from sojourn.memory.index.sqlite_vectors import similarities  # noqa: PLC0415 - NumPy is optional

        return await self._read(similarities, model, vector, numbers)

    async def closest_vectors(
        self, model: str, vector: "NDArray[float32]", numbers: Sequence[int]
    ) -> "dict[int, NDArray[float32]]":
        """Return of each of these documents the vector that is nearest to *vector*.

        Raises:
            EmbeddingError: *vector* has another size than those of *model*.
            MissingExtraError: NumPy is not installed.
        """
        require("numpy", extra="embeddings")
        from sojourn.memory.index.sqlite_vectors import closest_vectors  # noqa: PLC0415 - NumPy is optional

        return await self._read(closest_vectors, model, vector, numbers)

    async def documents(self, numbers: Sequence[int]) -> list[Stored]:
        return await self._read(sqlite_reading.documents, numbers)

    async def around(self, numbers: Sequence[int], *, before: int, after: int) -> dict[int, list[Stored]]:
        return await self._read(partial(sqlite_reading.around, before=before, after=after), numbers)

    async def frequencies(self, words: Sequence[str]) -> tuple[int, list[int]]:
        return await self._call(_WORDS, lambda connection: self._words.frequencies(connection, words))

    # --- facts

    async def find_fact(self, session_id: SessionId, fact_id: str) -> FactRow | None:
        return await self._read(sqlite_reading.find_fact, session_id, fact_id)

    async def facts(
        self,
        *,
        session_id: SessionId | None = None,
        user_id: str | None = None,
        project: str | None = None,
        scopes: Sequence[FactScope] = (),
        slot: str | None = None,
        fact_id: str | None = None,
        min_confidence: float = 0.0,
        limit: int = 1000,
    ) -> list[FactRow]:
        ask = partial(
            sqlite_reading.facts,
            session_id=session_id,
            user_id=user_id,
            project=project,
            scopes=scopes,
            slot=slot,
            fact_id=fact_id,
            min_confidence=min_confidence,
            limit=limit,
        )
        return await self._read(ask)

    # --- the threads

    async def _write(self, work: Callable[..., T], *args: object) -> T:
        return await self._call(_WRITER, lambda connection: work(connection, self._tenant, *args))

    async def _read(self, work: Callable[..., T], *args: object) -> T:
        return await self._call(_WORDS, lambda connection: work(connection, self._tenant, *args))

    async def _erase_traces(self) -> None:
        if self._path is not None and not await self._call(_WRITER, sqlite_writing.erase_traces):
            raise BusyError("it is removed, but another process still reads the log that holds it; remove it once more")

    async def _call(self, place: int, work: Callable[[apsw.Connection], T]) -> T:
        try:
            return await self._worker(place).call(work)
        except CorruptError as error:
            _log.error("the search index %s is damaged; it is made anew when it is opened next: %s", self._path, error)
            with suppress(StoreError):  # if not even this can be written, opening will fail, with the same effect
                await self._worker(_WRITER).call(give_up)
            raise

    def _worker(self, place: int) -> Worker:
        # A forked child must not use its parent's connections: SQLite would corrupt the file.
        if not self._workers or self._pid != os.getpid():
            raise ClosedError(f"{self!r}")
        return self._workers[min(place, len(self._workers) - 1)]
