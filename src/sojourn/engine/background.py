"""Work that follows the journals, behind the back of whoever appends, and never lost.

A worker sees every entry of every session that is opened, in order. How far it came is a watermark, stored with the
data: after a crash it goes on from there, so it may see the last entries once more and must not mind. What still waits
when the app is closed is done before it closes. A worker that fails is reported, and tried again with the next entry.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import anyio

from sojourn.engine.session import Session
from sojourn.errors import SojournError
from sojourn.model.entry import Entry
from sojourn.model.ids import SessionId
from sojourn.store.protocol import Redaction, StateProvider

_log = logging.getLogger(__name__)
BATCH: Final = 100
GATHERED: Final = 0.05
"""Seconds that work waits for more: a turn appends several times, and what it says is best read in one go."""

Work = Callable[[Session, Sequence[Entry]], Awaitable[bool | None]]
"""Called with what is new; it returns False to be called again with that and more."""
Follower = Callable[[Session], Awaitable[None]]
"""Work that keeps its own watermark: called with a session that went on."""
Forgetter = Callable[[Redaction], Awaitable[None]]
"""Removes what was forgotten from what a follower derived."""
FailureHandler = Callable[[str, SessionId, Exception], None]


def log_failure(worker: str, session_id: SessionId, error: Exception) -> None:
    """Write a worker's failure to the log."""
    _log.error("background work %s failed on session %s: %s", worker, session_id, error, exc_info=error)


class Background:
    """The workers of an app, and which sessions they have not caught up with. Sessions as long as its app."""

    def __init__(self, *, on_failure: FailureHandler = log_failure) -> None:
        self._workers: dict[str, Work] = {}
        self._followers: dict[str, Follower] = {}
        self._forgetters: dict[str, Forgetter] = {}
        self._behind: dict[SessionId, Session] = {}
        self._wake = anyio.Event()
        self._busy = anyio.Lock()
        self._on_failure = on_failure

    def register(self, name: str, work: Work) -> None:
        """Let *work* follow the journals, under a *name* that its watermarks are kept by."""
        self._workers[name] = work

    def follow(self, name: str, follower: Follower, *, forget: Forgetter | None = None) -> None:
        """Let *follower*, which knows how far it came, be called with each session that went on.

        *forget* is called with what is forgotten in any session.
        """
        self._followers[name] = follower
        if forget is not None:
            self._forgetters[name] = forget

    def leave(self, name: str) -> None:
        """Call the follower of this name no more; nothing happens if there is none."""
        self._followers.pop(name, None)
        self._forgetters.pop(name, None)

    async def forget(self, redaction: Redaction) -> None:
        """Let every follower remove what was forgotten. One that fails stops no other; its error is raised at last."""
        failed: list[SojournError] = []
        for forget in tuple(self._forgetters.values()):
            try:
                await forget(redaction)
            except SojournError as error:
                failed.append(error)
        if failed:
            raise failed[0]

    def notify(self, session: Session) -> None:
        """Note that a session was opened or went on."""
        if self._workers or self._followers:
            self._behind[session.id] = session
            self._wake.set()

    async def run(self) -> None:
        """Do the work as it comes, a moment later, until cancelled."""
        while True:
            await self._wake.wait()
            await anyio.sleep(GATHERED)
            self._wake = anyio.Event()
            await self.drain()

    async def drain(self) -> None:
        """Do all the work that waits now."""
        async with self._busy:
            while self._behind:
                session_id, session = self._behind.popitem()
                try:
                    for name, work in self._workers.items():
                        await self._catch_up(name, work, session)
                    for name, follower in tuple(self._followers.items()):
                        await self._call(name, follower, session)
                except BaseException:  # whoever drains was cancelled, and the work is still to be done
                    self._behind.setdefault(session_id, session)
                    raise

    async def _call(self, name: str, follower: Follower, session: Session) -> None:
        try:
            await follower(session)
        except Exception as error:  # noqa: BLE001 - one failing follower stops nobody, and is reported
            self._on_failure(name, session.id, error)

    async def _catch_up(self, name: str, work: Work, session: Session) -> None:
        documents: StateProvider = session.store.documents
        mark = f"watermark/{name}/{session.id}"
        saved = await documents.load(mark)
        # What a fork shares with its parent was seen in the parent.
        seq = int(saved["seq"]) if saved else session.state.header.forked_at or 0
        try:
            while entries := await session.store.read(session.id, after=seq, limit=BATCH):
                if await work(session, entries) is False and len(entries) < BATCH:
                    return
                seq = entries[-1].seq
                await documents.save(mark, {"seq": seq})
        except Exception as error:  # noqa: BLE001 - one failing worker stops nobody, and is reported
            self._on_failure(name, session.id, error)
