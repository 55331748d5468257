"""The search index on PostgreSQL, in the same database and schema as the journals.

It shares the store's connections and lives as long as the store is open. Words and parts of words need nothing but
PostgreSQL; vectors need the extension pgvector, 0.8 or newer. Without it everything works but what concerns vectors,
which says so by `MissingExtraError`.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, Self, TypeVar

from sojourn.errors import ClosedError, MissingExtraError, StoreError
from sojourn.memory.index import postgres_looking as looking
from sojourn.memory.index import postgres_vectors as embedding
from sojourn.memory.index import postgres_writing as writing
from sojourn.memory.index.document import Document, FactRow, Found, Mark, SessionKey, Stored, ToEmbed, Where
from sojourn.memory.index.postgres_statements import VERSIONS, Texts, run, search_migrations
from sojourn.model.events import FactScope
from sojourn.model.ids import Seq, SessionId, TenantId
from sojourn.store.sql.postgres_driver import PostgresDriver
from sojourn.store.sql.statement import Operation, Rows

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

T = TypeVar("T")
_OLDEST_PGVECTOR: Final = (0, 8)
_TABLES: Final = ("search_documents", "search_facts", "search_sessions", "search_unembedded")
_log = logging.getLogger(__name__)


class PostgresIndex:
    """The index of one tenant. Opened and closed with `async with`, while the store that owns *driver* is open."""

    def __init__(self, driver: PostgresDriver, *, tenant: TenantId, few: int = embedding.FEW) -> None:
        """Use the connections of *driver*, which a store opens and closes: the `driver` of an open `SqlStore`.

        Where there are up to *few* documents to look at, all their vectors are compared; of more, an index finds the
        nearest, or nearly so.
        """
        self._driver = driver
        self._tenant = tenant
        self._few = few
        self._texts: Texts | None = None
        self._no_vectors = ""  # why there are none

    def __repr__(self) -> str:
        return f"PostgresIndex({self._driver!r}, tenant={self._tenant!r})"

    async def __aenter__(self) -> Self:
        await self._driver.migrate(search_migrations(), versions=VERSIONS)
        schema, self._no_vectors = await self._find_pgvector()
        self._texts = Texts(schema)
        if self._no_vectors:
            _log.warning("search goes by words only: %s", self._no_vectors)
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        self._texts = None

    # --- following the journals

    async def watermarks(self, session_ids: Sequence[SessionId]) -> dict[SessionId, Mark]:
        """Return how far each of these sessions is indexed; those that are not known are left out."""
        rows = await self._select("select_watermarks", session_ids=list(session_ids))
        return {SessionId(one): Mark(seq=Seq(watermark), epoch=epoch) for one, watermark, epoch in rows}

    async def add(
        self,
        key: SessionKey,
        *,
        after: Seq,
        through: Seq,
        documents: Sequence[Document] = (),
        facts: Sequence[FactRow] = (),
    ) -> bool:
        """Take in entries *after* + 1 to *through* of a session; False if the watermark is not *after*."""
        columns = writing.prepare(documents, facts)
        return await self._write(
            partial(writing.add, self._tenant, key, after=after, through=through, columns=columns, facts=facts)
        )

    async def update_session(self, key: SessionKey) -> None:
        """Take in a session's changed tags, project, user, or that it is in the trash."""
        await self._write(partial(writing.update_session, self._tenant, key))

    async def forget(self, session_id: SessionId, seqs: Iterable[int]) -> None:
        """Remove what was derived from these entries, and have the server free its space.

        Deleted rows cannot be read any more at once, and VACUUM removes them from the tables, unless somebody still
        reads an older state; then the server does it later, as it cleans the index of the vectors. The freed space may
        keep its bytes until it is written anew. The full-text index keeps each word that ever stood somewhere, without
        saying where, until REINDEX. The server's write-ahead log, replicas and backups keep what they have for as long
        as they are kept.
        """
        await self._write(partial(writing.forget, self._tenant, session_id, tuple(seqs)))
        await self._erase_traces()

    async def drop_session(self, session_id: SessionId) -> None:
        """Remove everything of a session, and have the server free its space as `forget` does."""
        await self._write(partial(writing.drop_session, self._tenant, session_id))
        await self._erase_traces()

    async def clear(self) -> None:
        """Remove everything of every session of this tenant, and have the server free its space as `forget` does."""
        await self._write(partial(writing.clear, self._tenant))
        await self._erase_traces()

    async def sessions(self) -> list[SessionId]:
        """Return the sessions that have a watermark, sorted."""
        return [SessionId(one) for (one,) in await self._select("list_sessions")]

    async def next_place(self, session_id: SessionId) -> int:
        """Return the place that the session's next message has."""
        rows = await self._select("select_next_place", session_id=session_id)
        return int(rows[0][0]) if rows else 0

    # --- vectors

    async def without_vectors(self, model: str, limit: int) -> list[ToEmbed]:
        """Return documents that have no vectors of *model*, newest first.

        Raises:
            MissingExtraError: the server has no pgvector.
        """
        self._need_vectors()
        if limit <= 0:
            return []
        while (found := await self._read(partial(embedding.waiting, self._tenant, model, limit))) is None:
            await self._write(partial(embedding.queue_more, self._tenant, model))
        return found

    async def add_vectors(self, model: str, vectors: "Sequence[tuple[int, NDArray[float32]]]") -> None:
        """Keep the vectors of documents: for each number, one row for each chunk of its text.

        Raises:
            EmbeddingError: a vector has another size than those of the same model that are kept already.
            MissingExtraError: the server has no pgvector.
        """
        self._need_vectors()
        chunks = embedding.prepare(vectors)
        if chunks.documents:
            await self._write(partial(embedding.add_vectors, self._tenant, model, chunks))

    async def drop_vectors(self, *, except_models: Iterable[str]) -> int:
        """Remove the vectors of all other models; return how many."""
        kept = tuple(except_models)
        return await self._write(partial(embedding.drop_models, self._tenant, except_models=kept))

    async def has_vectors(self, model: str) -> bool:
        """Tell whether there is anything that a vector of *model* can be compared with.

        Raises:
            MissingExtraError: the server has no pgvector.
        """
        self._need_vectors()
        known = await self._read(partial(embedding.find_model, self._tenant, model))
        return known is not None and known.vectors is not None

    # --- looking

    async def match(self, words: Sequence[str], where: Where, limit: int) -> list[Found]:
        """Return the documents that hold most of the weight of *words*, best first, by BM25 over word stems."""
        return await self._read(partial(looking.match, self._tenant, words, where, limit)) if limit > 0 else []

    async def match_parts(self, parts: Sequence[str], where: Where, limit: int) -> list[Found]:
        """Return documents that hold *parts* within words: identifiers, paths, scripts without spaces. Best first."""
        return await self._read(partial(looking.match_parts, self._tenant, parts, where, limit)) if limit > 0 else []

    async def nearest(self, model: str, vector: "NDArray[float32]", where: Where, limit: int) -> list[Found]:
        """Return the documents whose best vector of *model* is nearest to *vector*, by cosine, best first.

        Raises:
            EmbeddingError: *vector* has another size than those that are kept.
            MissingExtraError: the server has no pgvector.
        """
        question = self._question(model, vector)
        if question is None or limit <= 0:
            return []
        return await self._read(partial(embedding.nearest, self._tenant, question, where, limit, few=self._few))

    def _question(self, model: str, vector: "NDArray[float32]") -> embedding.Question | None:
        """Return what is asked for in *vector*; nothing, if it points nowhere."""
        self._need_vectors()
        text = embedding.written(vector)
        return embedding.Question(model, text, len(vector)) if text is not None else None

    async def similarities(self, model: str, vector: "NDArray[float32]", numbers: Sequence[int]) -> dict[int, float]:
        """Return the cosine of *vector* and the best vector of *model* of each of these documents.

        Raises:
            EmbeddingError: *vector* has another size than those that are kept.
            MissingExtraError: the server has no pgvector.
        """
        question = self._question(model, vector)
        return await self._read(partial(embedding.similarities, self._tenant, question, numbers)) if question else {}

    async def closest_vectors(
        self, model: str, vector: "NDArray[float32]", numbers: Sequence[int]
    ) -> "dict[int, NDArray[float32]]":
        """Return of each of these documents that vector of *model* which is nearest to *vector*.

        Raises:
            EmbeddingError: *vector* has another size than those that are kept.
            MissingExtraError: the server has no pgvector.
        """
        question = self._question(model, vector)
        return await self._read(partial(embedding.closest_vectors, self._tenant, question, numbers)) if question else {}

    async def documents(self, numbers: Sequence[int]) -> list[Stored]:
        """Return documents by number, in that order; those that are gone are left out."""
        return await self._read(partial(looking.documents, self._tenant, numbers))

    async def around(self, numbers: Sequence[int], *, before: int, after: int) -> dict[int, list[Stored]]:
        """Return for each of these messages its neighbours in the talk, by place, without itself."""
        return await self._read(partial(looking.around, self._tenant, numbers, before=before, after=after))

    async def frequencies(self, words: Sequence[str]) -> tuple[int, list[int]]:
        """Return how many documents there are, and for each word in how many of them it stands (about)."""
        return await self._read(partial(looking.frequencies, self._tenant, words))

    # --- facts

    async def find_fact(self, session_id: SessionId, fact_id: str) -> FactRow | None:
        """Return a fact of a session as it stands, whatever its status."""
        return await self._read(partial(looking.find_fact, self._tenant, session_id, fact_id))

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
        """Return the facts that meet every given condition, of every status, last changed first."""
        return await self._read(
            partial(
                looking.facts,
                self._tenant,
                session_id=session_id,
                user_id=user_id,
                project=project,
                scopes=scopes,
                slot=slot,
                fact_id=fact_id,
                min_confidence=min_confidence,
                limit=limit,
            )
        )

    # --- the database

    async def _read(self, operation: Callable[[], Operation[T]]) -> T:
        return await self._driver.read(operation, statements=self._open_texts())

    async def _write(self, operation: Callable[[], Operation[T]]) -> T:
        return await self._driver.write(operation, statements=self._open_texts())

    async def _select(self, name: str, **params: object) -> Rows:
        def operation() -> Operation[Rows]:
            return (yield run(name, tenant=self._tenant, **params))

        return await self._read(operation)

    async def _erase_traces(self) -> None:
        await self._driver.erase_traces(_TABLES)
        if tables := await self._read(partial(embedding.vector_tables, self._tenant)):
            await self._driver.erase_traces(tables, indexes=False)  # cleaning a large HNSW index takes minutes

    async def _find_pgvector(self) -> tuple[str, str]:
        """Return the schema of pgvector, and why it cannot be used, if so. It is added to the database if need be."""

        def find() -> Operation[Rows]:
            return (yield run("find_pgvector"))

        def create() -> Operation[None]:
            yield run("create_pgvector")

        ((version, schema, available),) = await self._driver.read(find, statements=Texts(""))
        if version is None and not available:
            return schema, "this PostgreSQL server has no extension pgvector; install it, 0.8 or newer"
        if version is None:
            try:
                await self._driver.write(create, statements=Texts(schema))
            except StoreError as error:
                return schema, f"the extension pgvector cannot be added to the database: {error.detail}"
            ((version, schema, _),) = await self._driver.read(find, statements=Texts(""))
        if tuple(int(part) for part in version.split(".")[:2]) < _OLDEST_PGVECTOR:
            return schema, f"pgvector {version} is too old; install 0.8 or newer and run ALTER EXTENSION vector UPDATE"
        return schema, ""

    def _need_vectors(self) -> None:
        if self._no_vectors:
            raise MissingExtraError(self._no_vectors)

    def _open_texts(self) -> Texts:
        if self._texts is None:
            raise ClosedError(f"{self!r}")
        return self._texts
