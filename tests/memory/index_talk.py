"""Talk to be indexed, with as few words as possible, and what an index finds as plain texts."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sojourn.memory.index.document import Document, FactRow, Found, SessionKey, Where
from sojourn.memory.index.protocol import SearchIndex
from sojourn.model.ids import Seq, SessionId
from sojourn.model.knowledge import Fact

NEW_YEAR = datetime(2030, 1, 1, tzinfo=UTC)
EVERYWHERE = Where(everyone=True)
MODEL = "model-a"

Vector = NDArray[np.float32]


def key(session_id: str = "s", **options: Any) -> SessionKey:
    return SessionKey(session_id=SessionId(session_id), **options)


def at(seq: int) -> datetime:
    """Return when entry *seq* was written: a minute after the one before."""
    return NEW_YEAR + timedelta(minutes=seq)


def message(
    text: str, *, seq: int = 1, session_id: str = "s", place: int | None = None, role: str = "user"
) -> Document:
    return Document(
        session_id=SessionId(session_id),
        seq=Seq(seq),
        kind="message",
        text=text,
        at=at(seq),
        role=role,
        place=seq - 1 if place is None else place,
    )


def fact(content: str, *, fact_id: str = "f1", seq: int = 1, **options: Any) -> Fact:
    evidence = options.pop("evidence", (seq,))
    given: dict[str, Any] = {"confidence": 0.8, "scope": "session", "status": "active", **options}
    return Fact(
        fact_id=fact_id,
        content=content,
        sources=("conversation",),
        learned_at=at(seq),
        updated_at=at(seq),
        evidence=tuple(map(Seq, evidence)),
        **given,
    )


def fact_document(known: Fact, *, seq: int, session_id: str = "s") -> Document:
    return Document(
        session_id=SessionId(session_id),
        seq=Seq(seq),
        kind="fact",
        text=known.content,
        at=at(seq),
        fact_id=known.fact_id,
    )


def fact_row(known: Fact, owner: SessionKey) -> FactRow:
    return FactRow(session_id=owner.session_id, user_id=owner.user_id, project=owner.project, fact=known)


async def head(index: SearchIndex, session_id: str = "s") -> int:
    """Return up to where a session is indexed."""
    mark = (await index.watermarks([SessionId(session_id)])).get(SessionId(session_id))
    return mark.seq if mark else 0


async def tell(index: SearchIndex, *texts: str, owner: SessionKey | None = None, role: str = "user") -> None:
    """Add messages to a session, after those that it has."""
    whose = owner or key()
    done = await head(index, whose.session_id)
    told = [
        message(text, seq=seq, session_id=whose.session_id, role=role) for seq, text in enumerate(texts, start=done + 1)
    ]
    assert await index.add(whose, after=Seq(done), through=Seq(done + len(texts)), documents=told)


async def learn(index: SearchIndex, known: Fact, *, owner: SessionKey | None = None) -> None:
    """Add a fact with its document to a session, as one more entry."""
    whose = owner or key()
    done = await head(index, whose.session_id)
    document = fact_document(known, seq=done + 1, session_id=whose.session_id)
    row = fact_row(known, whose)
    assert await index.add(whose, after=Seq(done), through=Seq(done + 1), documents=[document], facts=[row])


async def texts_of(index: SearchIndex, found: Sequence[Found]) -> list[str]:
    """Return the texts that were found, best first; scores must fall."""
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    return [stored.document.text for stored in await index.documents([one.number for one in found])]


async def matching(index: SearchIndex, *words: str, where: Where = EVERYWHERE, limit: int = 10) -> list[str]:
    return await texts_of(index, await index.match(words, where, limit))


async def holding(index: SearchIndex, *parts: str, where: Where = EVERYWHERE, limit: int = 10) -> list[str]:
    return await texts_of(index, await index.match_parts(parts, where, limit))


async def near(index: SearchIndex, *numbers: float, where: Where = EVERYWHERE, limit: int = 10) -> list[str]:
    return await texts_of(index, await index.nearest(MODEL, vector(*numbers), where, limit))


def vector(*numbers: float) -> Vector:
    return np.array(numbers, dtype=np.float32)


def unit(*numbers: float) -> Vector:
    """Return one chunk's vector, of length 1, as the rows of one document."""
    row = vector(*numbers)
    return (row / np.linalg.norm(row)).reshape(1, -1).astype(np.float32)


async def number_of(index: SearchIndex, text: str) -> int:
    """Return the number of the document with this text."""
    pending = {one.text: one.number for one in await index.without_vectors("a model that nobody has", 10_000)}
    return pending[text]


async def embed(index: SearchIndex, vectors: dict[str, Vector], *, model: str = MODEL) -> None:
    """Give documents, by their texts, their vectors."""
    await index.add_vectors(model, [(await number_of(index, text), rows) for text, rows in vectors.items()])
