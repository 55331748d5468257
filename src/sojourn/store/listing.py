"""Pages of sessions: how many, and where the next one begins."""

from typing import Final

from sojourn.errors import InvalidInputError
from sojourn.model.header import SessionHeader
from sojourn.store.rows import micros

MAX_SESSIONS: Final = 1000
_END_OF_TIME: Final = 2**63 - 1


def check_limit(limit: int, *, most: int = MAX_SESSIONS) -> None:
    """Refuse a page size that no store serves."""
    if not 1 <= limit <= most:
        raise InvalidInputError(f"limit={limit}: a page has 1 to {most}")


def cursor_after(last: SessionHeader) -> str:
    """Return the cursor of the page after the one that ends with *last*."""
    return f"{micros(last.updated_at)}_{last.session_id}"


def cursor_start(cursor: str | None) -> tuple[int, str]:
    """Return the place, by activity and id, that a page with this *cursor* lies before."""
    if cursor is None:
        return _END_OF_TIME, ""
    at, _, session_id = cursor.partition("_")
    if not (at.isascii() and at.isdigit() and session_id):
        raise InvalidInputError(f"cursor={cursor!r:.100} is not one that a page gave")
    return int(at), session_id
