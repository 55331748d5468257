"""A log that follows the journal of a durable session.

It is written behind the turn, on a thread of its own, from what is stored already; so a crash costs nothing: the log
says how far it came, in the transaction that adds what was read, and goes on from there. What is forgotten in the
journal is removed from every file. Nothing in the engine reads a log.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread

from sojourn.agent.logs.config import LogConfig
from sojourn.agent.logs.folding import fold
from sojourn.agent.logs.logger import INSTRUCTIONS, SessionLogger
from sojourn.agent.logs.whereabouts import drop_notes, find_logs, note_log
from sojourn.engine.app import Sojourn
from sojourn.engine.bus import SessionPurged
from sojourn.engine.session import Session
from sojourn.errors import ClosedError, StoreError
from sojourn.model.entry import Entry
from sojourn.store.protocol import Redaction, Store

BATCH: Final = 500
_SEQ: Final = "journal_seq"
_EPOCH: Final = "journal_epoch"
_WIPING: Final = -1
"""In place of an epoch: something was forgotten, and not every file knows."""


class JournalLog:
    """One session's journal, in one log. Lives as long as the log is open."""

    def __init__(self, session: Session, logger: SessionLogger) -> None:
        """Let *logger* say what the journal of *session* says: all of it, and what is appended once it is attached.

        Raises:
            InvalidInputError: messages were logged with it already, or it follows another session.
        """
        self.logger = logger
        self._session = session
        self._store: Store = session.store
        self._busy = anyio.Lock()
        self._is_noted = False
        self._leave: list[Callable[[], None]] = []
        logger.follow_journal(session.id)

    def __repr__(self) -> str:
        return f"JournalLog({self._session.id!r}, {self.logger!r})"

    @property
    def is_closed(self) -> bool:
        """Whether nothing is written any more."""
        return self.logger.folder.is_closed

    def attach(self, app: Sojourn) -> None:
        """Follow the session in the background of *app*, until the log is closed.

        What is forgotten in the app from now on is forgotten in every log of its sessions, open or not.
        """
        let_logs_forget(app)
        name = f"log/{self.logger.session_dir}"
        app.background.follow(name, self._follow, forget=self.forget)
        self._leave = [partial(app.background.leave, name), app.news.subscribe(SessionPurged, self._purged)]
        app.background.notify(self._session)

    async def catch_up(self) -> None:
        """Write down what the journal holds beyond what was read. What cannot be done is reported, and waits.

        Raises:
            ClosedError: the log is closed.
        """
        async with self._busy:
            try:
                await self._catch_up()
            except ClosedError:
                raise
            except StoreError as error:
                self.logger.folder.report(error)

    async def rebuild(self) -> None:
        """Write everything anew from the journal; what did not come from it stays.

        Raises:
            ClosedError: the log is closed.
        """
        async with self._busy:
            if await self._try(self._clear):
                await self._catch_up()

    async def forget(self, redaction: Redaction) -> None:
        """Remove from every file what was forgotten in the journal, and write the rest anew.

        What cannot be derived from the journal goes altogether: it may tell of what was forgotten.

        Raises:
            StoreError: a file could not be written.
        """
        if self._session.id in {*redaction.tombstones, *redaction.sessions}:
            async with self._busy:
                await self._wipe_all()
                await self._catch_up()

    async def renew(self) -> None:
        """Do what `catch_up` does, but fail if something that was forgotten cannot be removed.

        Raises:
            StoreError: a file could not be written.
        """
        async with self._busy:
            if await self._is_outdated():
                await self._wipe_all()
            await self._catch_up()

    async def close(self) -> None:
        """Write down the rest, follow the session no more and close the log. Closing twice is fine."""
        leave, self._leave = self._leave, []
        for one in leave:
            one()
        async with self._busy:
            if self.is_closed:
                return
            with anyio.CancelScope(shield=True):
                try:
                    await self._catch_up()
                except ClosedError:
                    pass  # the app was closed first, which had the rest written
                finally:
                    await anyio.to_thread.run_sync(self.logger.close)

    async def _follow(self, session: Session) -> None:
        if session.id == self._session.id:
            async with self._busy:
                if not self.is_closed:
                    await self._catch_up()

    async def _purged(self, purged: SessionPurged) -> None:
        if purged.session_id == self._session.id:
            async with self._busy:
                await self._wipe_all()

    async def _wipe_all(self) -> None:
        # A folder that somebody removed holds nothing any more.
        if await anyio.to_thread.run_sync(self.logger.session_dir.is_dir):
            await anyio.to_thread.run_sync(self._wipe)

    async def _catch_up(self) -> None:
        row = await self._store.find_session(self._session.id)
        if row is None:
            return
        if not self._is_noted:
            await note_log(self._store, self._session.id, self.logger.info)
            self._is_noted = True
        if await self._is_outdated() and not await self._try(self._wipe):
            return
        seq, _ = await anyio.to_thread.run_sync(self._mark)
        while entries := await self._store.read(self._session.id, after=seq, limit=BATCH):
            if not await self._try(partial(self._write, entries, epoch=row.epoch)):
                return
            seq = entries[-1].seq

    async def _is_outdated(self) -> bool:
        """Tell whether something was forgotten while nobody followed, or a crash came while it was removed."""
        row = await self._store.find_session(self._session.id)
        seq, epoch = await anyio.to_thread.run_sync(self._mark)
        return row is not None and (epoch not in {None, row.epoch} or seq > row.header.head)

    async def _try(self, work: Callable[[], None]) -> bool:
        """Do *work* on a thread; tell whether it could be done."""
        try:
            await anyio.to_thread.run_sync(work)
        except ClosedError:
            raise
        except StoreError as error:
            self.logger.folder.report(error)
            return False
        return True

    # --- on a thread

    def _mark(self) -> tuple[int, int | None]:
        """Return how far the journal was read, and how often it had been rewritten by then; None if never."""
        with self.logger.folder.reading() as storage:
            epoch = storage.get_metadata(_EPOCH)
            return int(storage.get_metadata(_SEQ) or 0), None if epoch is None else int(epoch)

    def _write(self, entries: Sequence[Entry], *, epoch: int) -> None:
        with self.logger.folder.batch() as batch:
            done = int(batch.storage.get_metadata(_SEQ) or 0)  # another process may follow the same journal
            for entry in entries:
                if entry.seq > done:
                    fold(batch, entry)
            batch.storage.set_metadata(_SEQ, str(max(done, entries[-1].seq)))
            batch.storage.set_metadata(_EPOCH, str(epoch))

    def _clear(self) -> None:
        with self.logger.folder.batch() as batch:
            batch.rewrites = True
            batch.storage.delete_messages(after=INSTRUCTIONS)
            batch.storage.delete_events(derived_only=True)
            batch.storage.set_metadata(_SEQ, "0")

    def _wipe(self) -> None:
        """Empty every file. Until all of them are, the log says so, and the next who opens it goes on."""
        with self.logger.folder.batch() as batch:
            batch.storage.set_metadata(_SEQ, "0")
            batch.storage.set_metadata(_EPOCH, str(_WIPING))
        self.logger.forget_all()
        with self.logger.folder.batch() as batch:
            batch.storage.delete_metadata(_EPOCH)


async def open_log(session: Session, config: LogConfig) -> JournalLog:
    """Return the log of *session* below the folder that *config* names: its newest, or a new one, up to date.

    Raises:
        StoreError: the folder cannot be made, or its files cannot be opened.
    """
    below = await anyio.to_thread.run_sync(config.base_dir.resolve)
    known = [folder for folder in await find_logs(session.store, session.id) if folder.parent == below]
    if known:
        logger = await anyio.to_thread.run_sync(SessionLogger.reopen, known[0], config)
    else:
        logger = await anyio.to_thread.run_sync(SessionLogger, config)
    try:
        log = JournalLog(session, logger)
        await log.catch_up()
    except BaseException:
        logger.close()
        raise
    return log


def let_logs_forget(app: Sojourn) -> None:
    """Forget in the logs what is forgotten in *app*, whoever wrote them, and whether they are open or not."""
    known = _KnownLogs(app.store)
    app.background.follow("logs", known.idle, forget=partial(forget_in_logs, app.store))
    app.news.subscribe(SessionPurged, known)


async def forget_in_logs(store: Store, redaction: Redaction) -> None:
    """Remove what was forgotten from all logs of the sessions that it concerns.

    Raises:
        StoreError: a file could not be written; the other logs have forgotten it.
    """
    failed: list[StoreError] = []
    for session_id in dict.fromkeys((*redaction.tombstones, *redaction.sessions)):
        for folder in await find_logs(store, session_id):
            try:
                await _renew(await Session.open(store, session_id), folder)
            except StoreError as error:
                failed.append(error)
    if failed:
        raise failed[0]


async def _renew(session: Session, folder: Path) -> None:
    logger = await anyio.to_thread.run_sync(SessionLogger.reopen, folder)
    try:
        await JournalLog(session, logger).renew()
    finally:
        await anyio.to_thread.run_sync(logger.close)


@dataclass(frozen=True, slots=True)
class _KnownLogs:
    """Empties the logs of sessions that are purged. Two for one store are equal, so only one is called."""

    store: Store

    async def __call__(self, purged: SessionPurged) -> None:
        for folder in await find_logs(self.store, purged.session_id):
            await anyio.to_thread.run_sync(_emptied, folder)
        await drop_notes(self.store, purged.session_id)

    async def idle(self, session: Session) -> None:
        """Leave following to the logs that are open."""


def _emptied(folder: Path) -> None:
    with SessionLogger.reopen(folder) as logger:
        logger.forget_all()
