"""Names of things: sessions, tenants, places in a journal."""

import re
from functools import lru_cache
from typing import Final, NewType

from sojourn.errors import InvalidInputError, InvalidSessionIdError

SessionId = NewType("SessionId", str)
TenantId = NewType("TenantId", str)
Seq = NewType("Seq", int)
"""A place in one session's journal: 1 for the first entry, then 2, 3 ... without gaps; 0 is before the first."""

DEFAULT_TENANT: Final = TenantId("default")
_SESSION_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def check_session_id(text: str) -> SessionId:
    """Return *text* as a session id.

    Raises:
        InvalidSessionIdError: it has another form.
    """
    if not isinstance(text, str) or not _is_id(text):
        raise InvalidSessionIdError(f"got {text!r:.200}")
    return SessionId(text)


@lru_cache(maxsize=4096)
def _is_id(text: str) -> bool:
    return _SESSION_ID.fullmatch(text) is not None


def check_tenant_id(text: str) -> TenantId:
    """Return *text* as a tenant id; tenants are named like sessions.

    Raises:
        InvalidInputError: it has another form.
    """
    if not isinstance(text, str) or not _is_id(text):
        raise InvalidInputError(f"tenant {text!r:.200}")
    return TenantId(text)
