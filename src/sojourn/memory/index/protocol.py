"""What a database must offer so that `Search` can look through it.

An index belongs to one tenant and holds only what is derived from journals. Every call is atomic. It is shared by all
processes that have the store open: the watermark of a session moves in the transaction that adds its documents, so that
an entry is indexed once, whoever does it.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol, Self

from sojourn.memory.index.document import Document, FactRow, Found, Mark, SessionKey, Stored, ToEmbed, Where
from sojourn.model.events import FactScope
from sojourn.model.ids import Seq, SessionId

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


class SearchIndex(Protocol):
    """Documents, their words and their vectors, for one tenant. Open it with `async with`."""

    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *exc_info: object) -> None: ...

    # --- following the journals

    async def watermarks(self, session_ids: Sequence[SessionId]) -> dict[SessionId, Mark]:
        """Return how far each of these sessions is indexed; those that are not known are left out."""
        ...

    async def add(
        self,
        key: SessionKey,
        *,
        after: Seq,
        through: Seq,
        documents: Sequence[Document] = (),
        facts: Sequence[FactRow] = (),
    ) -> bool:
        """Take in what entries *after* + 1 to *through* of a session say, and move its watermark to *through*.

        A fact takes the place of its earlier form, as does its document; a retired fact has no document. Returns False
        and changes nothing if the watermark is not *after*: somebody else was first.
        """
        ...

    async def update_session(self, key: SessionKey) -> None:
        """Take in a session's changed tags, project, user, or that it is in the trash."""
        ...

    async def forget(self, session_id: SessionId, seqs: Iterable[int]) -> None:
        """Remove what was derived from these entries, so that no trace of it stays in the index's files."""
        ...

    async def drop_session(self, session_id: SessionId) -> None:
        """Remove everything of a session, watermark included: it is gone, or to be indexed anew."""
        ...

    async def clear(self) -> None:
        """Remove everything of every session of this tenant."""
        ...

    async def sessions(self) -> list[SessionId]:
        """Return the sessions that have a watermark, sorted."""
        ...

    async def next_place(self, session_id: SessionId) -> int:
        """Return the place that the session's next message has."""
        ...

    # --- vectors

    async def without_vectors(self, model: str, limit: int) -> list[ToEmbed]:
        """Return documents that have no vectors of *model*, newest first."""
        ...

    async def add_vectors(self, model: str, vectors: "Sequence[tuple[int, NDArray[float32]]]") -> None:
        """Keep the vectors of documents: for each number, one row for each chunk of its text.

        A document that is gone by now is left out.

        Raises:
            EmbeddingError: a vector has another size than those of the same model that are kept already.
        """
        ...

    async def drop_vectors(self, *, except_models: Iterable[str]) -> int:
        """Remove the vectors of all other models; return how many."""
        ...

    async def has_vectors(self, model: str) -> bool:
        """Tell whether there is anything that a vector of *model* can be compared with.

        Raises:
            MissingExtraError: vectors cannot be kept here.
        """
        ...

    # --- looking

    async def match(self, words: Sequence[str], where: Where, limit: int) -> list[Found]:
        """Return the documents that hold most of the weight of *words*, best first, by BM25 over word stems.

        A word of several tokens is a phrase; one that ends in `*` stands for all that begin so. Words that nearly
        every document holds are left out when rarer ones are there.
        """
        ...

    async def match_parts(self, parts: Sequence[str], where: Where, limit: int) -> list[Found]:
        """Return documents that hold *parts* within words: identifiers, paths, scripts without spaces. Best first."""
        ...

    async def nearest(self, model: str, vector: "NDArray[float32]", where: Where, limit: int) -> list[Found]:
        """Return the documents whose best vector of *model* is nearest to *vector*, by cosine, best first."""
        ...

    async def similarities(self, model: str, vector: "NDArray[float32]", numbers: Sequence[int]) -> dict[int, float]:
        """Return the cosine of *vector* and the best vector of *model* of each of these documents.

        Documents without vectors of *model* are left out. It says of a document that another way found, or of a
        neighbour in the talk, how near it is.
        """
        ...

    async def closest_vectors(
        self, model: str, vector: "NDArray[float32]", numbers: Sequence[int]
    ) -> "dict[int, NDArray[float32]]":
        """Return of each of these documents that vector of *model* which is nearest to *vector*, with length 1.

        Documents without vectors of *model* are left out. It stands for what a document says about the question, so
        that others can be compared with it.
        """
        ...

    async def documents(self, numbers: Sequence[int]) -> list[Stored]:
        """Return documents by number, in that order; those that are gone are left out."""
        ...

    async def around(self, numbers: Sequence[int], *, before: int, after: int) -> dict[int, list[Stored]]:
        """Return for each of these messages its neighbours in the talk, by place, without itself."""
        ...

    async def frequencies(self, words: Sequence[str]) -> tuple[int, list[int]]:
        """Return how many documents there are, and for each word in how many of them it stands (about)."""
        ...

    # --- facts

    async def find_fact(self, session_id: SessionId, fact_id: str) -> FactRow | None:
        """Return a fact of a session as it stands, whatever its status."""
        ...

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
        ...
