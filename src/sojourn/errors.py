"""Every error Sojourn raises, in one tree, with one table to the codes that the outside world sees.

    SojournError
    ├── InvalidInputError          the caller gave something unusable; nothing was changed
    │   ├── InvalidSessionIdError
    │   ├── InvalidEventError
    │   └── TooLargeError
    ├── NotFoundError              the named thing does not exist
    │   └── SessionNotFoundError
    ├── ConflictError              somebody else was first
    │   ├── AlreadyExistsError
    │   ├── ForksExistError
    │   ├── LockedError
    │   ├── LeaseLostError
    │   └── NotPendingError
    ├── BudgetExceededError        it would cost more than was allowed
    ├── ApprovalNeededError        a human has to say yes first, and nobody could be asked
    ├── ModelError                 a language or embedding model failed, or answered with something else
    │   ├── ModelUnavailableError
    │   ├── EmbeddingError
    │   └── ExtractionError
    ├── McpError                   a server of tools could not be reached, or did not do what it was asked
    └── StoreError                 the storage could not do it
        ├── BusyError
        ├── StorageFullError
        ├── AccessError
        ├── UnavailableError
        ├── UnknownOutcomeError
        ├── CorruptError
        ├── NewerVersionError
        ├── UnsafeLibraryError
        ├── MissingExtraError
        └── ClosedError

A class's docstring is the sentence its user reads, so it says what to do; the arguments say about what.
After every error except `UnknownOutcomeError` nothing was written.
"""

from dataclasses import dataclass
from typing import Final


class SojournError(Exception):
    """Something went wrong in Sojourn."""

    def __init__(self, detail: str = "") -> None:
        sentence = (self.__doc__ or "").splitlines()[0]
        super().__init__(f"{sentence} ({detail})" if detail else sentence)
        self.detail = detail


class InvalidInputError(SojournError, ValueError):
    """The input cannot be used. Correct it and try again."""


class InvalidSessionIdError(InvalidInputError):
    """A session id is 1 to 128 letters, digits, dots, hyphens or underscores, and begins with a letter or digit."""


class InvalidEventError(InvalidInputError):
    """The event cannot be stored as JSON of its kind. Correct the value that is named."""


class TooLargeError(InvalidInputError):
    """The event is larger than the store accepts. Split it, or store the bulk elsewhere and keep a reference."""


class NotFoundError(SojournError, LookupError):
    """There is no such thing here. Check its name."""


class SessionNotFoundError(NotFoundError):
    """There is no session with this id. List the sessions to see which exist."""


class ConflictError(SojournError):
    """Another writer moved the session first. Read what it added and retry."""


class AlreadyExistsError(ConflictError):
    """Something with this name exists already. Choose another name."""


class ForksExistError(ConflictError):
    """Other sessions read their beginning from this one. Detach them first, or purge with detach."""

    def __init__(self, session_id: str, forks: tuple[str, ...]) -> None:
        super().__init__(f"session={session_id} forks={', '.join(forks)}")
        self.forks = forks


class LockedError(ConflictError):
    """Somebody else holds this session's turn. Wait until it ends, or until its lease expires."""


class LeaseLostError(ConflictError):
    """This lease is no longer held: it expired and another holder took over. Begin the turn again."""


class NotPendingError(ConflictError):
    """This question waits for no answer any more: it was answered or cancelled, or its time is over."""


class BudgetExceededError(SojournError):
    """This would cost more than was allowed, so nothing was asked of a model. Raise the limit to go on."""


class ApprovalNeededError(SojournError):
    """A human has to allow this first, and nobody can be asked here. The question waits in the session."""


class ModelError(SojournError):
    """The model could not be reached, or its answer cannot be used. What was said is stored; try again later."""


class ModelUnavailableError(ModelError):
    """The model cannot be reached now, or broke off. What was said is stored; try again in a while."""


class EmbeddingError(ModelError):
    """The embedding model failed, or gave vectors of another size. Search goes on by words."""


class ExtractionError(ModelError):
    """The extractor failed or took too long. What was said is stored; nothing was learned from it."""


class McpError(SojournError):
    """The MCP server could not do this. What was said is stored; look at its status and try again."""


class StoreError(SojournError):
    """The storage could not complete the request."""


class BusyError(StoreError):
    """The database stayed locked by another process for too long. Try again."""


class StorageFullError(StoreError):
    """There is no space left for the data. Free some and try again; everything acknowledged is safe."""


class AccessError(StoreError):
    """The store may not be read or written with these rights. Check the path and its permissions."""


class UnavailableError(StoreError):
    """The database server cannot be reached. It is tried anew on the next call."""


class UnknownOutcomeError(StoreError):
    """The connection broke during a commit, so it may or may not be stored. Retry with the same idempotency key."""


class CorruptError(StoreError):
    """Stored data is damaged. It is left as it is; run an integrity check, then restore or salvage."""


class NewerVersionError(StoreError):
    """This data was written by a newer Sojourn. Upgrade Sojourn to open it; nothing was changed."""


class UnsafeLibraryError(StoreError):
    """The SQLite library in use can corrupt databases. Install apsw 3.51.3 or newer."""


class MissingExtraError(StoreError):
    """An optional part of Sojourn is not installed."""


class ClosedError(StoreError):
    """The store is closed, or was opened in another process. Open it again here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What one error looks like from outside: HTTP status, JSON-RPC code, WebSocket close code, exit code."""

    http: int
    rpc: int
    ws: int
    exit: int


OUTSIDE: Final[dict[type[SojournError], Outside]] = {
    SojournError: Outside(http=500, rpc=-32000, ws=4500, exit=1),
    InvalidInputError: Outside(http=400, rpc=-32602, ws=4400, exit=2),
    TooLargeError: Outside(http=413, rpc=-32013, ws=4413, exit=2),
    NotFoundError: Outside(http=404, rpc=-32004, ws=4404, exit=3),
    ConflictError: Outside(http=409, rpc=-32009, ws=4409, exit=4),
    LockedError: Outside(http=423, rpc=-32023, ws=4423, exit=4),
    BudgetExceededError: Outside(http=402, rpc=-32029, ws=4402, exit=1),
    ApprovalNeededError: Outside(http=409, rpc=-32010, ws=4409, exit=4),
    ModelError: Outside(http=502, rpc=-32052, ws=4502, exit=1),
    ModelUnavailableError: Outside(http=503, rpc=-32053, ws=4503, exit=1),
    McpError: Outside(http=502, rpc=-32052, ws=4502, exit=1),
    StoreError: Outside(http=500, rpc=-32000, ws=4500, exit=1),
    BusyError: Outside(http=503, rpc=-32053, ws=4503, exit=4),
    StorageFullError: Outside(http=507, rpc=-32057, ws=4507, exit=1),
    UnavailableError: Outside(http=503, rpc=-32053, ws=4503, exit=1),
    CorruptError: Outside(http=500, rpc=-32005, ws=4500, exit=5),
    NewerVersionError: Outside(http=500, rpc=-32005, ws=4500, exit=5),
}


def outside(error: SojournError) -> Outside:
    """Return the outside codes of *error*: its own, or those of its nearest ancestor."""
    return next(OUTSIDE[cls] for cls in type(error).__mro__ if cls in OUTSIDE)
