"""What a store can do. Every store does the same, as `sojourn.testing` checks; only where the bytes lie differs.

A store belongs to one tenant at a time; `for_tenant` gives another tenant's view of the same storage, and no call can
reach across. Every call is atomic: it happens whole or raises and changes nothing, except for `UnknownOutcomeError`.

Renaming, tagging, archiving, trashing and restoring a session are not calls: they are events, appended like any other,
and the session's row follows them in the same transaction.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any, Protocol, Self, runtime_checkable

from sojourn.model.entry import Draft, Entry
from sojourn.model.events import Event, SessionCreated
from sojourn.model.header import SessionHeader
from sojourn.model.ids import Seq, SessionId, TenantId
from sojourn.model.value import Value

MAX_PAGE = 10_000
"""The most entries that one read returns; ask again for more."""


Progress = Callable[[int, int], None]
"""Hears how far long work has come: how many sessions are done, and of how many."""


class Durability(Enum):
    """When an append counts as done.

    FULL: when it is on the disk, so that a power cut cannot take it. RELAXED: when the operating system has it; a
    crash of the process loses nothing, a power cut may lose the last moments (on SQLite up to 1,000 pages of log,
    about 300 events).
    """

    FULL = "full"
    RELAXED = "relaxed"


class Order(Enum):
    """Which end of the journal a read begins at."""

    OLDEST_FIRST = "oldest_first"
    NEWEST_FIRST = "newest_first"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """A session as the store lists it.

    *epoch* grows when stored entries were forgotten, so that a live state knows it must be rebuilt. *quarantined*
    says what is damaged; such a session can be read up to the damage, forked before it, and not appended to.
    """

    header: SessionHeader
    epoch: int = 0
    quarantined: str | None = None


class Receipt(Value, frozen=True, kw_only=True):
    """Proof of an append: its entries are *first* to *last*, and *entries* as a read gives them back.

    *repeated*: the idempotency key was used before; then nothing was written now, and *entries* is empty.
    *lease* is the turn that was taken with it, if that was asked for.
    """

    first: Seq
    last: Seq
    at: datetime
    epoch: int = 0
    repeated: bool = False
    entries: tuple[Entry, ...] = ()
    lease: "Lease | None" = None


class Snapshot(Value, frozen=True, kw_only=True):
    """A session's state after entry *seq*, as bytes that only the model reads."""

    seq: Seq
    data: bytes


class Loaded(Value, frozen=True, kw_only=True):
    """What it takes to make a state: the row, the best snapshot if any, and the entries after it."""

    row: SessionRow
    snapshot: Snapshot | None
    tail: tuple[Entry, ...]


class Lease(Value, frozen=True, kw_only=True):
    """The right to run a session's turn. *token* grows with every holder, so an old holder is recognised."""

    session_id: SessionId
    holder: str
    token: int


class Claim(Value, frozen=True, kw_only=True):
    """The wish to take a session's turn for *ttl* seconds, together with an append."""

    holder: str
    ttl: float = 30.0


class Partial(Value, frozen=True, kw_only=True):
    """Text that is being streamed and is not yet a message."""

    text: str
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionQuery:
    """Which sessions to list, newest activity first. *text* is looked for in titles, ignoring case.

    *archived*, *trashed*, *superseded* and *nested* choose: False leaves such sessions out, True lists only them, None
    lists both. One that was superseded goes on under another id; one that is nested has a parent, whichever.
    *cursor* is the one that the page before gave.
    """

    user_id: str | None = None
    project: str | None = None
    tag: str | None = None
    parent: SessionId | None = None
    text: str | None = None
    archived: bool | None = False
    trashed: bool | None = False
    superseded: bool | None = None
    nested: bool | None = None
    limit: int = 50
    cursor: str | None = None


class SessionPage(Value, frozen=True, kw_only=True):
    """One page of sessions, and the cursor of the next, if there is one."""

    rows: tuple[SessionRow, ...]
    cursor: str | None = None


class Redaction(Value, frozen=True, kw_only=True):
    """What was forgotten: for each session that stores some of it, the entries that are now tombstones."""

    tombstones: dict[SessionId, tuple[Seq, ...]] = {}
    sessions: tuple[SessionId, ...] = ()
    """Every session whose state has changed by it: forks that read a forgotten entry, too."""


class Problem(Value, frozen=True, kw_only=True):
    """Something an integrity check found. Without a session it concerns the storage as a whole."""

    what: str
    session_id: SessionId | None = None
    seq: Seq | None = None


class CheckReport(Value, frozen=True, kw_only=True):
    """The outcome of an integrity check."""

    sessions: int
    entries: int
    problems: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.problems


class BackupReport(Value, frozen=True, kw_only=True):
    """A backup that was read back and found whole."""

    path: Path
    sessions: int
    entries: int


@runtime_checkable
class CanTidy(Protocol):
    """A store that can give back space which deleted data left."""

    async def tidy(self) -> None:
        """Give space that nothing uses any more back to the system, as far as the storage allows.

        Raises:
            BusyError: others use the storage too much for that now.
        """
        ...


class StateProvider(Protocol):
    """Documents by key. A key is any string; a document is a JSON object."""

    async def save(self, key: str, data: dict[str, Any]) -> None:
        """Store *data* under *key*, in place of what was there.

        Raises:
            InvalidInputError: *data* is not JSON, or *key* is not UTF-8.
        """
        ...

    async def load(self, key: str) -> dict[str, Any] | None:
        """Return the document under *key*, or None."""
        ...

    async def exists(self, key: str) -> bool:
        """Tell whether there is a document under *key*."""
        ...

    async def delete(self, key: str) -> None:
        """Remove the document under *key*, if there is one."""
        ...

    async def list_keys(self, prefix: str = "") -> list[str]:
        """Return the keys that begin with *prefix*, sorted."""
        ...


class Store(Protocol):
    """Journals and what belongs to them, for one tenant. Open it with `async with`; close it to release the storage."""

    @property
    def tenant(self) -> TenantId:
        """Whose data this is."""
        ...

    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *exc_info: object) -> None: ...

    async def close(self) -> None:
        """Finish what was asked for and release the storage. Closing twice is fine."""
        ...

    @property
    def documents(self) -> StateProvider:
        """The tenant's documents by key."""
        ...

    @property
    def index_location(self) -> str:
        """Where the search index of this storage belongs: `memory:`, a file's path, or a `postgresql://` address."""
        ...

    def for_tenant(self, tenant: str) -> "Store":
        """Return another tenant's view of the same storage; it lives as long as this store."""
        ...

    # --- sessions

    async def create_session(self, session_id: str, created: SessionCreated | None = None) -> SessionRow:
        """Begin a session: its first entry is *created*.

        Raises:
            AlreadyExistsError: the id is taken, be it in the trash.
        """
        ...

    async def import_session(self, session_id: str, entries: Sequence[Entry]) -> SessionRow:
        """Begin a session with a journal from elsewhere: its entries, 1 to the last, are stored to the letter.

        Raises:
            AlreadyExistsError: the id is taken.
            InvalidEventError: the entries are not a whole journal.
        """
        ...

    async def extend_session(self, session_id: str, entries: Sequence[Entry]) -> SessionRow:
        """Let a session go on with at most 1,000 entries from elsewhere, stored to the letter and with their own times.

        Raises:
            ConflictError: they do not begin right behind the session's head.
            InvalidEventError: they have a gap, or begin a session.
            SessionNotFoundError: there is no such session.
        """
        ...

    async def get_session(self, session_id: str) -> SessionRow:
        """Return the session's row.

        Raises:
            SessionNotFoundError: there is none.
        """
        ...

    async def find_session(self, session_id: str) -> SessionRow | None:
        """Return the session's row, or None."""
        ...

    async def list_sessions(self, query: SessionQuery | None = None) -> SessionPage:
        """Return a page of sessions, newest activity first."""
        ...

    async def count_sessions(self, query: SessionQuery | None = None) -> int:
        """Return how many sessions there are in all the pages of *query*."""
        ...

    async def fork_session(
        self, session_id: str, fork_id: str, *, at: int | None = None, began_at: datetime | None = None
    ) -> SessionRow:
        """Begin *fork_id* as a continuation of *session_id* after its entry *at* (None: its head).

        The fork reads the shared entries where they are; its own first entry is a `SessionForked`, of now, or of
        *began_at* if the fork was made elsewhere.

        Raises:
            InvalidInputError: *at* is not between 1 and the head.
            AlreadyExistsError: the fork's id is taken.
        """
        ...

    async def list_forks(self, session_id: str) -> list[SessionId]:
        """Return the sessions that read entries which *session_id* stores, sorted."""
        ...

    async def detach_forks(self, session_id: str) -> list[SessionId]:
        """Copy into each session that reads from *session_id* the entries it reads; return these sessions."""
        ...

    async def purge_session(self, session_id: str, *, detach: bool = False) -> None:
        """Remove the session and everything stored for it, for good.

        Raises:
            ForksExistError: others read from it and *detach* is False.
        """
        ...

    # --- journals

    async def append(
        self,
        session_id: str,
        events: Sequence[Event | Draft],
        *,
        expected: int | None = None,
        key: str | None = None,
        lease: Lease | Claim | None = None,
        release: bool = False,
        clear_partial: bool = False,
    ) -> Receipt:
        """Append all *events* or none, and return where they stand once they are durable.

        Args:
            session_id: whose journal.
            events: what happened; a `Draft` says also what it was derived from.
            expected: the head that the caller has seen; None means "at the head, wherever it is".
            key: an idempotency key. The same key on the same session returns the first receipt and writes nothing.
            lease: a lease that must still be held; or a claim on it, which is taken with the append or not at all. No
                turn is taken over text that another one left unfinished, unless it is cleared.
            release: give *lease* back with the append.
            clear_partial: remove the partial text in the same transaction.

        Raises:
            ConflictError: the head is not *expected*; or a turn is claimed, and partial text is there.
            LeaseLostError: *lease* is not held any more.
            LockedError: somebody else holds what is claimed.
            InvalidInputError: a claim has a key or is to be released, or nothing is there to be released.
            InvalidEventError, TooLargeError: an event cannot be stored.
            SessionNotFoundError: there is no such session.
        """
        ...

    async def read(
        self,
        session_id: str,
        *,
        after: int = 0,
        before: int | None = None,
        limit: int = 1000,
        order: Order = Order.OLDEST_FIRST,
    ) -> list[Entry]:
        """Return at most *limit* entries with *after* < seq < *before*, through the chain of forks.

        The cost depends on *limit* and on the depth of the fork, not on the length of the journal.
        """
        ...

    async def last_messages(self, session_id: str, limit: int = 20, *, before: int | None = None) -> list[Entry]:
        """Return the last *limit* messages (before entry *before*), oldest first, by one indexed read."""
        ...

    async def load(self, session_id: str, *, at: int | None = None) -> Loaded:
        """Return what it takes to make the state after entry *at* (None: the head).

        Raises:
            SessionNotFoundError: there is no such session.
            InvalidInputError: *at* is beyond the head.
        """
        ...

    async def redact(self, session_id: str, seqs: Iterable[int]) -> Redaction:
        """Replace these entries, and all that was derived from them, by tombstones, wherever they are read.

        Snapshots that could hold the content are removed, partial text too, and the sessions' rows are made anew.
        """
        ...

    async def rewrite(self, session_id: str, payloads: Mapping[int, str]) -> Redaction:
        """Put other JSON texts of the same kind in place of what these entries say, for good, wherever they are read.

        It takes a secret out of an entry and leaves the rest; what was derived from the entry stays. The entries keep
        their places, times and causes; a tombstone stays one. Snapshots that could hold the content are removed,
        partial text too, and the sessions' rows are made anew. The result names the changed entries as tombstones.

        Raises:
            InvalidInputError: an entry is not there.
            InvalidEventError: a text is not an event of the entry's kind; nothing was changed.
        """
        ...

    # --- what goes with a journal

    async def save_snapshot(self, session_id: str, snapshot: Snapshot, *, epoch: int) -> None:
        """Keep a state for faster loading; nothing is kept if the session is past *epoch* by now.

        Raises:
            InvalidInputError: the snapshot is not of one of the session's own entries.
        """
        ...

    async def acquire_lease(self, session_id: str, holder: str, *, ttl: float = 30.0) -> Lease:
        """Take the session's turn for *ttl* seconds, if it is free, expired, or its process is gone.

        Raises:
            LockedError: somebody else holds it.
        """
        ...

    async def find_lease(self, session_id: str) -> Lease | None:
        """Return the lease that somebody holds; None if it is free, expired, or its process is gone.

        Raises:
            SessionNotFoundError: there is no such session.
        """
        ...

    async def renew_lease(self, lease: Lease, *, ttl: float = 30.0) -> None:
        """Hold *lease* for *ttl* seconds from now.

        Raises:
            LeaseLostError: it is not held any more.
        """
        ...

    async def release_lease(self, lease: Lease) -> None:
        """Give the turn back. Releasing a lost lease does nothing."""
        ...

    async def save_partial(self, session_id: str, text: str) -> None:
        """Keep the streamed text so far, in place of what was kept before."""
        ...

    async def find_partial(self, session_id: str) -> Partial | None:
        """Return the streamed text that no append has cleared yet."""
        ...

    def subscribe(self, session_id: str) -> AbstractAsyncContextManager[AsyncIterator[Seq]]:
        """Follow a session: the iterator yields its head each time it has moved, by whichever process."""
        ...

    # --- care

    async def backup(self, target: Path, *, on_progress: Progress | None = None) -> BackupReport:
        """Write a consistent copy to *target* while the store is in use, read it back, and report.

        *on_progress* hears of the reading back.

        Raises:
            AlreadyExistsError: *target* exists.
        """
        ...

    async def check(self, *, on_progress: Progress | None = None) -> CheckReport:
        """Check the storage and every entry of every tenant; quarantine the sessions that are damaged."""
        ...

    async def rebuild(self, *, on_progress: Progress | None = None) -> int:
        """Make everything that is derived from the journals anew, for every tenant; return how many sessions.

        Raises:
            CorruptError: some journals are damaged; the others are done, and the error names the damaged ones.
        """
        ...
