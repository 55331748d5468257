"""Pages of sessions: how many, and where the next one begins."""

from typing import Final

from sojourn.errors import InvalidInputError
from sojourn.model.header import SessionHeader
from sojourn.model.ids import check_session_id
from sojourn.store.checks import check_text
from sojourn.store.protocol import SessionQuery
from sojourn.store.rows import micros

MAX_SESSIONS: Final = 1000
_END_OF_TIME: Final = 2**63 - 1


def check_limit(limit: int, *, most: int = MAX_SESSIONS) -> None:
    """Refuse a page size that no store serves."""
    if not 1 <= limit <= most:
        raise InvalidInputError(f"limit={limit}: a page has 1 to {most}")


def check_query(query: SessionQuery) -> None:
    """Refuse a query that no store can answer."""
    check_limit(query.limit)
    for name in ("user_id", "project", "tag", "parent", "text"):
        text = getattr(query, name)
        if text is not None:
            check_text(text, f"{name}={text!r:.100}")


def cursor_after(last: SessionHeader) -> str:
    """Return the cursor of the page after the one that ends with *last*."""
    return f"{micros(last.updated_at)}_{last.session_id}"


def cursor_start(cursor: str | None) -> tuple[int, str]:
    """Return the place, by activity and id, that a page with this *cursor* lies before."""
    if cursor is None:
        return _END_OF_TIME, ""
    at, _, session_id = cursor.partition("_")
    try:
        check_session_id(session_id)
        if not (at.isascii() and at.isdigit() and int(at) <= _END_OF_TIME):
            raise ValueError(at)
    except ValueError as error:
        raise InvalidInputError(f"cursor={cursor!r:.100} is not one that a page gave") from error
    return int(at), session_id
