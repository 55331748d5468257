"""A session in Sojourn's own form, which any Sojourn takes in: the journal to the letter, but for secrets."""

from collections.abc import AsyncIterator, Callable

from sojourn.desk.exporting.source import Source
from sojourn.engine import portable
from sojourn.engine.loading import load_state

Form = Callable[..., AsyncIterator[bytes]]
"""One of the forms that `portable` writes."""


def document(source: Source) -> AsyncIterator[str]:
    """Yield the session as one JSON document."""
    return _told(portable.document, source)


def lines(source: Source) -> AsyncIterator[str]:
    """Yield the session as lines of JSON: first about it, then each of its entries."""
    return _told(portable.lines, source)


async def _state(source: Source) -> dict[str, object]:
    loaded = await load_state(source.store, source.header.session_id, at=source.header.head)
    state: dict[str, object] = source.redactor.json(loaded.state.to_dict())
    return state


async def _told(form: Form, source: Source) -> AsyncIterator[str]:
    pieces = form(
        source.store,
        source.header.session_id,
        head=source.header.head,
        state=await _state(source),
        saved_at=source.saved_at,
        change=source.redactor.payload,
    )
    async for piece in pieces:
        yield piece.decode()
        source.read(min(piece.count(b"\n"), source.header.head))
