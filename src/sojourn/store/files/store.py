"""The store on readable files: checks input on the event loop, then has one operation done on a thread."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from sojourn.clock import Clock
from sojourn.model.entry import Draft, Entry
from sojourn.model.events import Event, SessionCreated
from sojourn.model.ids import Seq, SessionId, TenantId, check_session_id, check_tenant_id
from sojourn.store.backup import back_up
from sojourn.store.checks import (
    check_events,
    check_journal,
    check_more,
    check_payloads,
    check_row_texts,
    check_text,
    check_turn,
    encode_document,
    encode_key,
)
from sojourn.store.files import care, documents, journal, leases, redaction, sessions, streaming, transcript
from sojourn.store.files.folders import TenantFolder
from sojourn.store.files.journal_file import Stamp, stamp_of
from sojourn.store.files.root import Root
from sojourn.store.protocol import (
    BackupReport,
    CheckReport,
    Claim,
    Durability,
    Lease,
    Loaded,
    Order,
    Partial,
    Problem,
    Progress,
    Receipt,
    Redaction,
    SessionPage,
    SessionQuery,
    SessionRow,
    Snapshot,
)
from sojourn.store.rebuilding import rebuild_each
from sojourn.store.rows import copy_more_rows, copy_rows, micros, prepare

T = TypeVar("T")
_ANY_SESSIONS: Final = SessionQuery()
_POLL_SECONDS: Final = 0.1


class FilesStore:
    """A store in a folder. Opened and closed with `async with`; lives in one process, on one event loop."""

    def __init__(
        self,
        root: Path,
        *,
        tenant: TenantId,
        durability: Durability,
        clock: Clock,
        shared: Root | None = None,
    ) -> None:
        """Keep sessions in the folder *root*, made if it does not exist; *shared* is another view's of the same."""
        self._root = shared or Root(root, durability)
        self._durability = durability
        self._clock = clock
        self._tenant = tenant
        self._shelf = self._root.shelf(tenant)

    def __repr__(self) -> str:
        return f"FilesStore({self._root!r}, tenant={self._tenant!r})"

    @property
    def tenant(self) -> TenantId:
        return self._tenant

    @property
    def index_location(self) -> str:
        return str(self._root.path / "index.db")

    @property
    def documents(self) -> "FilesDocuments":
        return FilesDocuments(self._root, self._shelf.home)

    async def __aenter__(self) -> Self:
        await self._root.open()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._root.close()

    def for_tenant(self, tenant: str) -> "FilesStore":
        return FilesStore(
            self._root.path,
            tenant=check_tenant_id(tenant),
            durability=self._durability,
            clock=self._clock,
            shared=self._root,
        )

    # --- sessions

    async def create_session(self, session_id: str, created: SessionCreated | None = None) -> SessionRow:
        checked, first, at = check_session_id(session_id), created or SessionCreated(), self._now()
        check_row_texts(first)
        row = await self._run(checked, lambda: sessions.create(self._shelf, checked, first, at=at))
        self._root.feed.publish(self._tenant, checked, row.header.head)
        return row

    async def import_session(self, session_id: str, entries: Sequence[Entry]) -> SessionRow:
        checked, rows = check_session_id(session_id), copy_rows(check_journal(entries))
        return await self._run(checked, lambda: sessions.import_journal(self._shelf, checked, rows))

    async def extend_session(self, session_id: str, entries: Sequence[Entry]) -> SessionRow:
        checked, rows = check_session_id(session_id), copy_more_rows(check_more(entries))
        row = await self._run(checked, lambda: journal.extend(self._shelf, checked, rows))
        self._root.feed.publish(self._tenant, checked, row.header.head)
        return row

    async def get_session(self, session_id: str) -> SessionRow:
        checked = check_session_id(session_id)
        return await self._run(checked, lambda: sessions.get(self._shelf, checked))

    async def find_session(self, session_id: str) -> SessionRow | None:
        checked = check_session_id(session_id)
        known = await self._run(checked, lambda: self._shelf.find(checked))
        return known.row if known else None

    async def list_sessions(self, query: SessionQuery | None = None) -> SessionPage:
        return await self._root.run(None, lambda: sessions.list_page(self._shelf, query or _ANY_SESSIONS))

    async def count_sessions(self, query: SessionQuery | None = None) -> int:
        return await self._root.run(None, lambda: sessions.count(self._shelf, query or _ANY_SESSIONS))

    async def fork_session(
        self, session_id: str, fork_id: str, *, at: int | None = None, began_at: datetime | None = None
    ) -> SessionRow:
        parent, child = check_session_id(session_id), check_session_id(fork_id)
        now = self._now() if began_at is None else micros(began_at)
        return await self._run(parent, lambda: sessions.fork(self._shelf, parent, child, place=at, at=now))

    async def list_forks(self, session_id: str) -> list[SessionId]:
        checked = check_session_id(session_id)
        return await self._root.run(None, lambda: sessions.fork_ids(self._shelf, checked))

    async def detach_forks(self, session_id: str) -> list[SessionId]:
        checked = check_session_id(session_id)
        return await self._root.run(None, lambda: sessions.detach(self._shelf, checked))

    async def purge_session(self, session_id: str, *, detach: bool = False) -> None:
        checked = check_session_id(session_id)
        await self._root.run(None, lambda: sessions.purge(self._shelf, checked, detach_first=detach))

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
        checked = check_session_id(session_id)
        prepared = prepare(check_events(events))
        if key is not None:
            check_text(key, "an idempotency key")
        if lease is not None or release:
            check_turn(lease, key=key, release=release)
        request = journal.Append(checked, prepared, expected, key, lease, release, clear_partial)
        at = self._now()
        receipt = await self._run(checked, lambda: journal.append(self._shelf, request, at=at, asked=self._moment))
        self._root.feed.publish(self._tenant, checked, receipt.last)
        return receipt

    async def read(
        self,
        session_id: str,
        *,
        after: int = 0,
        before: int | None = None,
        limit: int = 1000,
        order: Order = Order.OLDEST_FIRST,
    ) -> list[Entry]:
        checked = check_session_id(session_id)
        return await self._run(
            checked,
            lambda: journal.read(self._shelf, checked, after=after, before=before, limit=limit, order=order),
        )

    async def last_messages(self, session_id: str, limit: int = 20, *, before: int | None = None) -> list[Entry]:
        checked = check_session_id(session_id)
        return await self._run(checked, lambda: journal.last_messages(self._shelf, checked, limit=limit, before=before))

    async def load(self, session_id: str, *, at: int | None = None) -> Loaded:
        checked = check_session_id(session_id)
        return await self._run(checked, lambda: journal.load(self._shelf, checked, at=at))

    async def rewrite(self, session_id: str, payloads: Mapping[int, str]) -> Redaction:
        checked, given = check_session_id(session_id), check_payloads(payloads)
        return await self._root.run(None, lambda: redaction.rewrite(self._shelf, checked, given))

    async def redact(self, session_id: str, seqs: Iterable[int]) -> Redaction:
        checked, asked = check_session_id(session_id), tuple(seqs)
        return await self._root.run(None, lambda: redaction.redact(self._shelf, checked, asked))

    # --- what goes with a journal

    async def save_snapshot(self, session_id: str, snapshot: Snapshot, *, epoch: int) -> None:
        checked = check_session_id(session_id)
        await self._run(checked, lambda: journal.save_snapshot(self._shelf, checked, snapshot, epoch=epoch))

    async def acquire_lease(self, session_id: str, holder: str, *, ttl: float = 30.0) -> Lease:
        checked, moment = check_session_id(session_id), self._moment()
        return await self._run(checked, lambda: leases.acquire(self._shelf, checked, holder, ttl=ttl, moment=moment))

    async def find_lease(self, session_id: str) -> Lease | None:
        checked, moment = check_session_id(session_id), self._moment()
        return await self._run(checked, lambda: leases.find(self._shelf, checked, moment=moment))

    async def renew_lease(self, lease: Lease, *, ttl: float = 30.0) -> None:
        moment = self._moment()
        await self._run(lease.session_id, lambda: leases.renew(self._shelf, lease, ttl=ttl, moment=moment))

    async def release_lease(self, lease: Lease) -> None:
        moment = self._moment()
        await self._run(lease.session_id, lambda: leases.release(self._shelf, lease, moment=moment))

    async def save_partial(self, session_id: str, text: str) -> None:
        checked, at = check_session_id(session_id), self._clock.now()
        check_text(text, "partial text")
        await self._run(checked, lambda: streaming.save(self._shelf, checked, text, at=at))

    async def find_partial(self, session_id: str) -> Partial | None:
        checked = check_session_id(session_id)
        return await self._run(checked, lambda: streaming.find(self._shelf, checked))

    async def write_full(self, session_id: str) -> Path:
        """Write the session's `full.json`, its whole conversation, as it is now; return where it is.

        Raises:
            SessionNotFoundError: there is no such session.
            CorruptError: its journal is damaged.
        """
        checked = check_session_id(session_id)
        await self._root.run(None, lambda: transcript.write_full(self._shelf, checked))
        return self._shelf.home.session(checked).full

    def subscribe(self, session_id: str) -> AbstractAsyncContextManager[AsyncIterator[Seq]]:
        checked = check_session_id(session_id)
        path = self._shelf.home.session(checked).journal
        head, seen = Seq(0), None

        async def find_head() -> Seq:
            nonlocal head, seen
            now: Stamp | None = await self._run(checked, lambda: stamp_of(path))
            if now is None or now != seen:
                head, seen = (await self.get_session(checked)).header.head, now
            return head

        return self._root.feed.follow(self._tenant, checked, find_head=find_head, poll_seconds=_POLL_SECONDS)

    # --- care

    async def backup(self, target: Path, *, on_progress: Progress | None = None) -> BackupReport:
        async def copy(place: Path) -> None:
            shelves = await self._root.all_shelves()
            await self._root.run(None, partial(care.copy_all, shelves, self._root.path, place))

        def opened(place: Path) -> FilesStore:
            return FilesStore(place, tenant=self._tenant, durability=self._durability, clock=self._clock)

        return await back_up(target, copy=copy, opened=opened, on_progress=on_progress)

    async def check(self, *, on_progress: Progress | None = None) -> CheckReport:
        everything = await self._root.all_sessions()
        entries, problems = 0, list[Problem]()
        for done, (shelf, session_id) in enumerate(everything, 1):
            found, wrong = await self._root.run(None, partial(care.check_session, shelf, session_id))
            entries += found
            problems += wrong
            if on_progress is not None:
                on_progress(done, len(everything))
        for shelf in await self._root.all_shelves():
            problems += await self._root.run(None, partial(care.check_tenant, shelf.home))
        return CheckReport(sessions=len(everything), entries=entries, problems=tuple(problems))

    async def rebuild(self, *, on_progress: Progress | None = None) -> int:
        everything = await self._root.all_sessions()
        return await rebuild_each(
            [partial(self._root.run, None, partial(care.rebuild_session, *place)) for place in everything],
            on_progress=on_progress,
        )

    async def _run(self, session_id: SessionId, work: Callable[[], T]) -> T:
        return await self._root.run(f"{self._tenant}/{session_id}", work)

    def _now(self) -> int:
        return micros(self._clock.now())

    def _moment(self) -> leases.Moment:
        return leases.Moment(self._root.process, self._clock.monotonic())


class FilesDocuments:
    """A tenant's documents in a folder."""

    def __init__(self, root: Root, home: TenantFolder) -> None:
        self._root = root
        self._home = home

    async def save(self, key: str, data: dict[str, Any]) -> None:
        raw_key, text = encode_key(key), encode_document(data)
        await self._run(lambda: documents.save(self._home, raw_key, text, self._root.disk))

    async def load(self, key: str) -> dict[str, Any] | None:
        raw_key = encode_key(key)
        return await self._run(lambda: documents.load(self._home, raw_key))

    async def exists(self, key: str) -> bool:
        return await self.load(key) is not None

    async def delete(self, key: str) -> None:
        raw_key = encode_key(key)
        await self._run(lambda: documents.delete(self._home, raw_key, self._root.disk))

    async def list_keys(self, prefix: str = "") -> list[str]:
        raw_prefix = encode_key(prefix)
        return await self._run(lambda: documents.list_keys(self._home, raw_prefix))

    async def _run(self, work: Callable[[], T]) -> T:
        return await self._root.run(f"{self._home.tenant} documents", work)
