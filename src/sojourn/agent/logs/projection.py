"""A log that follows the journal of a durable session.

It is written behind the turn, on a thread of its own, from what is stored already; so a crash costs nothing: the log
says how far it came, in the transaction that adds what was read, and goes on from there. What is forgotten in the
journal is removed from every file. Nothing in the engine reads a log.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread

from sojourn.agent.logs.config import LogConfig
from sojourn.agent.logs.folding import fold
from sojourn.agent.logs.logger import INSTRUCTIONS, SessionLogger
from sojourn.engine.app import Sojourn
from sojourn.engine.bus import SessionPurged
from sojourn.engine.session import Session
from sojourn.errors import ClosedError, StoreError
from sojourn.model.entry import Entry
from sojourn.model.ids import SessionId
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
        self._session: Session | None = session
        self._session_id: SessionId = session.id
        self._store: Store = session.store
        self._busy = anyio.Lock()
        self._leave: Callable[[], None] | None = None
        logger.follow_journal(session.id)

    def __repr__(self) -> str:
        return f"JournalLog({self._session_id!r}, {self.logger!r})"

    def attach(self, app: Sojourn) -> None:
        """Follow the session in the background of *app*, and forget with it, even when the log is closed."""
        name = f"log/{self.logger.session_dir}"
        app.background.follow(name, self._follow, forget=self.forget)
        app.news.subscribe(SessionPurged, self._purged)
        self._leave = partial(app.background.leave, name)
        if self._session is not None:
            app.background.notify(self._session)

    async def catch_up(self) -> None:
        """Write down what the journal holds beyond what was read. What cannot be written is reported, and waits.

        Raises:
            ClosedError: the log is closed.
        """
        async with self._busy:
            await self._catch_up()

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
        if self._session_id in {*redaction.tombstones, *redaction.sessions}:
            async with self._busy, self._opened() as is_there:
                if is_there:
                    await anyio.to_thread.run_sync(self._wipe)
                    await self._catch_up()

    async def close(self) -> None:
        """Write down the rest, follow the session no more and close the log. Closing twice is fine."""
        self._session = None  # an app remembers this log until it is closed itself, but not all that was said
        if self._leave is not None:
            self._leave()
        async with self._busy:
            if self.logger.folder.is_closed:
                return
            with anyio.CancelScope(shield=True):
                try:
                    await self._catch_up()
                except ClosedError:
                    pass  # the app was closed first, which had the rest written
                finally:
                    await anyio.to_thread.run_sync(self.logger.close)

    async def _follow(self, session: Session) -> None:
        if session.id == self._session_id:
            async with self._busy:
                if not self.logger.folder.is_closed:
                    await self._catch_up()

    async def _purged(self, purged: SessionPurged) -> None:
        if purged.session_id == self._session_id:
            async with self._busy, self._opened() as is_there:
                if is_there:
                    await anyio.to_thread.run_sync(self._wipe)

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[bool]:
        """Have the log open for the time of a block, even if it was closed; tell whether it is there at all."""
        given = self.logger
        if not await anyio.to_thread.run_sync(given.session_dir.is_dir):
            yield False
        elif not given.folder.is_closed:
            yield True
        else:
            self.logger = await anyio.to_thread.run_sync(SessionLogger.reopen, given.session_dir, given.config)
            try:
                yield True
            finally:
                reopened, self.logger = self.logger, given
                await anyio.to_thread.run_sync(reopened.close)

    async def _catch_up(self) -> None:
        row = await self._store.find_session(self._session_id)
        if row is None:
            return
        seq, epoch = await anyio.to_thread.run_sync(self._mark)
        if epoch not in {None, row.epoch} or seq > row.header.head:
            # Something was forgotten while nobody followed, or a crash came while it was removed.
            if not await self._try(self._wipe):
                return
            seq = 0
        while entries := await self._store.read(self._session_id, after=seq, limit=BATCH):
            if not await self._try(partial(self._write, entries, epoch=row.epoch)):
                return
            seq = entries[-1].seq

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
    """Return the log of *session* below the folder that *config* names: the one it has, or a new one, up to date.

    Raises:
        StoreError: the folder cannot be made, or its files cannot be opened.
    """
    folder = await _known_folder(session.store, session.id)
    logger = await anyio.to_thread.run_sync(_reopened, folder, config)
    if logger is None:
        logger = await anyio.to_thread.run_sync(SessionLogger, config)
        await session.store.documents.save(_key(session.id), {"folder": str(_real(logger.session_dir))})
    try:
        log = JournalLog(session, logger)
        await log.catch_up()
    except BaseException:
        logger.close()
        raise
    return log


async def forget_in_logs(store: Store, redaction: Redaction) -> None:
    """Remove what was forgotten from the logs that nobody has open: those that `open_log` made.

    Raises:
        StoreError: a file could not be written.
    """
    for session_id in dict.fromkeys((*redaction.tombstones, *redaction.sessions)):
        folder = await _known_folder(store, session_id)
        config = LogConfig(base_dir=folder.parent) if folder is not None else LogConfig()
        logger = await anyio.to_thread.run_sync(_reopened, folder, config)
        if logger is None:
            continue
        try:
            log = JournalLog(await Session.open(store, session_id), logger)
            await log.forget(redaction)
        finally:
            await anyio.to_thread.run_sync(logger.close)


async def _known_folder(store: Store, session_id: SessionId) -> Path | None:
    known = await store.documents.load(_key(session_id))
    return Path(str(known["folder"])) if known else None


def _key(session_id: SessionId) -> str:
    return f"log/{session_id}"


def _real(folder: Path) -> Path:
    """Return where *folder* really lies: a program may be started elsewhere the next time."""
    return folder.parent.resolve() / folder.name


def _reopened(folder: Path | None, config: LogConfig) -> SessionLogger | None:
    """Open the log in *folder*, if it is there and below the folder that *config* names."""
    if folder is None or _real(folder).parent != config.base_dir.resolve() or not folder.is_dir():
        return None
    return SessionLogger.reopen(folder, config)
