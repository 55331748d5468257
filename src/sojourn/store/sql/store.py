"""The store on a SQL database: checks input on the event loop, then has one operation run in one transaction."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, Self

from sojourn.clock import Clock
from sojourn.errors import CorruptError, SessionNotFoundError
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
from sojourn.store.feed import Feed
from sojourn.store.process import this_process
from sojourn.store.protocol import (
    BackupReport,
    CheckReport,
    Claim,
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
    Store,
)
from sojourn.store.rebuilding import rebuild_each
from sojourn.store.rows import copy_more_rows, copy_rows, micros, prepare
from sojourn.store.sql import care, documents, journal, leases, redaction, sessions
from sojourn.store.sql.driver import Driver

_ANY_SESSIONS: Final = SessionQuery()
_SMALL: Final = 50
"""So many entries are read at once rather than on a thread, where the database allows."""


class SqlStore:
    """A store on a SQL database. Opened and closed with `async with`; lives on one event loop."""

    def __init__(
        self,
        driver: Driver,
        *,
        clock: Clock,
        tenant: TenantId,
        open_copy: Callable[[Path], Store],
        feed: Feed | None = None,
    ) -> None:
        """Use *driver*, which this store opens and closes. *open_copy* opens what the driver's `copy` wrote."""
        self._driver = driver
        self._open_copy = open_copy
        self._clock = clock
        self._tenant = tenant
        self._feed = feed or Feed()
        self._process = this_process()

    def __repr__(self) -> str:
        return f"SqlStore({self._driver!r}, tenant={self._tenant!r})"

    @property
    def driver(self) -> Driver:
        """What runs this store's operations; what else is kept in the same database may use it too."""
        return self._driver

    @property
    def tenant(self) -> TenantId:
        return self._tenant

    @property
    def index_location(self) -> str:
        return self._driver.index_location

    @property
    def documents(self) -> "SqlDocuments":
        return SqlDocuments(self._driver, clock=self._clock, tenant=self._tenant)

    async def __aenter__(self) -> Self:
        await self._driver.open(self._feed)
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._driver.close()

    def for_tenant(self, tenant: str) -> "SqlStore":
        checked = check_tenant_id(tenant)
        return SqlStore(self._driver, clock=self._clock, tenant=checked, open_copy=self._open_copy, feed=self._feed)

    # --- sessions

    async def create_session(self, session_id: str, created: SessionCreated | None = None) -> SessionRow:
        checked, first, at = check_session_id(session_id), created or SessionCreated(), self._now()
        check_row_texts(first)
        row = await self._driver.write(lambda: sessions.create(self._tenant, checked, first, at=at))
        self._feed.publish(self._tenant, checked, row.header.head)
        return row

    async def import_session(self, session_id: str, entries: Sequence[Entry]) -> SessionRow:
        checked, rows = check_session_id(session_id), copy_rows(check_journal(entries))
        return await self._driver.write(lambda: sessions.import_journal(self._tenant, checked, rows))

    async def extend_session(self, session_id: str, entries: Sequence[Entry]) -> SessionRow:
        checked, rows = check_session_id(session_id), copy_more_rows(check_more(entries))
        row = await self._driver.write(lambda: journal.extend(self._tenant, checked, rows))
        self._feed.publish(self._tenant, checked, row.header.head)
        return row

    async def get_session(self, session_id: str) -> SessionRow:
        checked = check_session_id(session_id)
        return (await self._driver.read(lambda: sessions.get(self._tenant, checked), small=True)).row

    async def find_session(self, session_id: str) -> SessionRow | None:
        checked = check_session_id(session_id)
        stored = await self._driver.read(lambda: sessions.find(self._tenant, checked), small=True)
        return stored.row if stored else None

    async def list_sessions(self, query: SessionQuery | None = None) -> SessionPage:
        return await self._driver.read(lambda: sessions.list_page(self._tenant, query or _ANY_SESSIONS))

    async def count_sessions(self, query: SessionQuery | None = None) -> int:
        return await self._driver.read(lambda: sessions.count(self._tenant, query or _ANY_SESSIONS))

    async def fork_session(
        self, session_id: str, fork_id: str, *, at: int | None = None, began_at: datetime | None = None
    ) -> SessionRow:
        parent, child = check_session_id(session_id), check_session_id(fork_id)
        now = self._now() if began_at is None else micros(began_at)
        return await self._driver.write(lambda: sessions.fork(self._tenant, parent, child, place=at, at=now))

    async def list_forks(self, session_id: str) -> list[SessionId]:
        checked = check_session_id(session_id)
        return await self._driver.read(lambda: sessions.fork_ids(self._tenant, checked))

    async def detach_forks(self, session_id: str) -> list[SessionId]:
        checked = check_session_id(session_id)
        return await self._driver.write(lambda: sessions.detach(self._tenant, checked))

    async def purge_session(self, session_id: str, *, detach: bool = False) -> None:
        checked = check_session_id(session_id)
        await self._driver.write(lambda: sessions.purge(self._tenant, checked, detach_first=detach))
        await self._driver.erase_traces()

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
        now = self._clock.now()
        receipt = await self._driver.write(lambda: journal.append(self._tenant, request, now=now, asked=self._moment))
        self._feed.publish(self._tenant, checked, receipt.last)
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
        return await self._driver.read(
            lambda: journal.read(self._tenant, checked, after=after, before=before, limit=limit, order=order),
            small=limit <= _SMALL,
        )

    async def last_messages(self, session_id: str, limit: int = 20, *, before: int | None = None) -> list[Entry]:
        checked = check_session_id(session_id)
        return await self._driver.read(
            lambda: journal.last_messages(self._tenant, checked, limit=limit, before=before), small=limit <= _SMALL
        )

    async def load(self, session_id: str, *, at: int | None = None) -> Loaded:
        checked = check_session_id(session_id)
        return await self._driver.read(lambda: journal.load(self._tenant, checked, at=at))

    async def rewrite(self, session_id: str, payloads: Mapping[int, str]) -> Redaction:
        checked, given = check_session_id(session_id), check_payloads(payloads)
        done = await self._driver.write(lambda: redaction.rewrite(self._tenant, checked, given))
        await self._driver.erase_traces()
        return done

    async def redact(self, session_id: str, seqs: Iterable[int]) -> Redaction:
        checked, asked = check_session_id(session_id), tuple(seqs)
        done = await self._driver.write(lambda: redaction.redact(self._tenant, checked, asked))
        await self._driver.erase_traces()
        return done

    # --- what goes with a journal

    async def save_snapshot(self, session_id: str, snapshot: Snapshot, *, epoch: int) -> None:
        checked = check_session_id(session_id)
        await self._driver.write(lambda: journal.save_snapshot(self._tenant, checked, snapshot, epoch=epoch))

    async def acquire_lease(self, session_id: str, holder: str, *, ttl: float = 30.0) -> Lease:
        checked, moment = check_session_id(session_id), self._moment()
        return await self._driver.write(
            lambda: leases.acquire(self._tenant, checked, holder, ttl=ttl, moment=moment), fleeting=True
        )

    async def find_lease(self, session_id: str) -> Lease | None:
        checked, moment = check_session_id(session_id), self._moment()
        return await self._driver.write(lambda: leases.find(self._tenant, checked, moment=moment), fleeting=True)

    async def renew_lease(self, lease: Lease, *, ttl: float = 30.0) -> None:
        moment = self._moment()
        await self._driver.write(lambda: leases.renew(self._tenant, lease, ttl=ttl, moment=moment), fleeting=True)

    async def release_lease(self, lease: Lease) -> None:
        await self._driver.write(lambda: leases.release(self._tenant, lease), fleeting=True)

    async def save_partial(self, session_id: str, text: str) -> None:
        checked, at = check_session_id(session_id), self._now()
        check_text(text, "partial text")
        await self._driver.write(lambda: documents.save_partial(self._tenant, checked, text, at=at))

    async def find_partial(self, session_id: str) -> Partial | None:
        checked = check_session_id(session_id)
        return await self._driver.read(lambda: documents.find_partial(self._tenant, checked), small=True)

    def subscribe(self, session_id: str) -> AbstractAsyncContextManager[AsyncIterator[Seq]]:
        checked = check_session_id(session_id)
        head, version = Seq(0), -1

        async def find_head() -> Seq:
            nonlocal head, version
            now = await self._driver.data_version()
            if now is None or now != version:
                head, version = (await self.get_session(checked)).header.head, now or -1
            return head

        return self._feed.follow(self._tenant, checked, find_head=find_head, poll_seconds=self._driver.poll_seconds)

    # --- care

    async def backup(self, target: Path, *, on_progress: Progress | None = None) -> BackupReport:
        return await back_up(target, copy=self._driver.copy, opened=self._open_copy, on_progress=on_progress)

    async def check(self, *, on_progress: Progress | None = None) -> CheckReport:
        problems = [Problem(what=what) for what in await self._driver.check_storage()]
        try:
            everything = await self._driver.read(care.list_all)
        except CorruptError as error:
            return CheckReport(sessions=0, entries=0, problems=(*problems, Problem(what=error.detail)))
        entries = 0
        for done, (tenant, session_id) in enumerate(everything, 1):
            count, wrong = await self._check_session(tenant, session_id)
            entries += count
            problems += wrong
            if on_progress is not None:
                on_progress(done, len(everything))
        return CheckReport(sessions=len(everything), entries=entries, problems=tuple(problems))

    async def rebuild(self, *, on_progress: Progress | None = None) -> int:
        everything = await self._driver.read(care.list_all)
        return await rebuild_each(
            [partial(self._driver.write, partial(care.rebuild_session, *place)) for place in everything],
            on_progress=on_progress,
        )

    async def tidy(self) -> None:
        """Give space that nothing uses any more back to the system, as far as the database allows.

        Raises:
            BusyError: others use the database too much for that now.
        """
        await self._driver.tidy()

    async def _check_session(self, tenant: TenantId, session_id: SessionId) -> tuple[int, list[Problem]]:
        try:
            count, wrong = await self._driver.read(partial(care.check_session, tenant, session_id))
        except CorruptError as error:
            count, wrong = 0, [Problem(what=error.detail, session_id=session_id)]
        reason = wrong[0].what if wrong else None
        try:
            await self._driver.write(partial(care.quarantine, tenant, session_id, reason))
        except (CorruptError, SessionNotFoundError) as error:
            wrong.append(Problem(what=f"it cannot be put in quarantine: {error.detail}", session_id=session_id))
        return count, wrong

    def _now(self) -> int:
        return micros(self._clock.now())

    def _moment(self) -> leases.Moment:
        return leases.Moment(self._process, self._clock.monotonic())


class SqlDocuments:
    """A tenant's documents in a SQL database."""

    def __init__(self, driver: Driver, *, clock: Clock, tenant: TenantId) -> None:
        self._driver = driver
        self._clock = clock
        self._tenant = tenant

    async def save(self, key: str, data: dict[str, Any]) -> None:
        raw_key, text, at = encode_key(key), encode_document(data), micros(self._clock.now())
        await self._driver.write(lambda: documents.save(self._tenant, raw_key, text, at=at))

    async def load(self, key: str) -> dict[str, Any] | None:
        raw_key = encode_key(key)
        return await self._driver.read(lambda: documents.load(self._tenant, raw_key))

    async def exists(self, key: str) -> bool:
        return await self.load(key) is not None

    async def delete(self, key: str) -> None:
        raw_key = encode_key(key)
        await self._driver.write(lambda: documents.delete(self._tenant, raw_key))

    async def list_keys(self, prefix: str = "") -> list[str]:
        raw_prefix = encode_key(prefix)
        return await self._driver.read(lambda: documents.list_keys(self._tenant, raw_prefix))
