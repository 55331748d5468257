"""A session in Sojourn's own form, which any Sojourn takes in: the journal to the letter, but for secrets."""

from collections.abc import AsyncIterator

from sojourn.desk.exporting.source import Source
from sojourn.engine import portable
from sojourn.engine.loading import load_state


async def document(source: Source) -> AsyncIterator[str]:
    """Yield the session as one JSON document."""
    pieces = portable.document(
        source.store,
        source.header.session_id,
        head=source.header.head,
        state=await _state(source),
        saved_at=source.saved_at,
        change=source.redactor.payload,
    )
    async for text in _told(pieces, source):
        yield text


async def lines(source: Source) -> AsyncIterator[str]:
    """Yield the session as lines of JSON: first about it, then each of its entries."""
    pieces = portable.lines(
        source.store,
        source.header.session_id,
        head=source.header.head,
        state=await _state(source),
        saved_at=source.saved_at,
        change=source.redactor.payload,
    )
    async for text in _told(pieces, source):
        yield text


async def _state(source: Source) -> dict[str, object]:
    loaded = await load_state(source.store, source.header.session_id, at=source.header.head)
    state: dict[str, object] = source.redactor.json(loaded.state.to_dict())
    return state


async def _told(pieces: AsyncIterator[bytes], source: Source) -> AsyncIterator[str]:
    async for piece in pieces:
        yield piece.decode()
        source.read(min(piece.count(b"\n"), source.header.head))
