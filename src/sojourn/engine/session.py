"""A live session: a journal in a store, and its state in memory.

Reads of the state never touch the store. An append returns when it is durable, and the state then holds it, together
with whatever other processes appended in between; the fold itself waits until somebody looks. A snapshot every 512
entries keeps loading independent of age.
"""

from collections.abc import Iterable
from typing import Final, Self

import uuid_utils

from sojourn.errors import CorruptError
from sojourn.model.entry import Draft, Entry, as_drafts
from sojourn.model.events import Event, SessionCreated
from sojourn.model.ids import Seq, SessionId, check_session_id
from sojourn.model.state import SessionState, decode_snapshot, encode_snapshot, replay
from sojourn.store.protocol import MAX_PAGE, Lease, Receipt, Snapshot, Store

SNAPSHOT_EVERY: Final = 512
_WORTH_A_SNAPSHOT: Final = 128
"""A session that is closed keeps a snapshot if at least so many entries came since the last one."""


def new_session_id() -> SessionId:
    """Return an id that no other session has; ids made later sort later."""
    return check_session_id(str(uuid_utils.uuid7()))


class Session:
    """One session, open. Lives from `open`, `create` or `fork` to `close`; several may be open on one journal."""

    def __init__(self, store: Store, state: SessionState, *, epoch: int, snapshot_at: Seq) -> None:
        """Take a state that was loaded from *store*; use `open` or `create` instead."""
        self._store = store
        self._folded = state
        self._unfolded: list[Entry] = []
        self._epoch = epoch
        self._snapshot_at = snapshot_at

    def __repr__(self) -> str:
        return f"Session({self.id!r}, head={self.head})"

    @classmethod
    async def create(cls, store: Store, session_id: str | None = None, created: SessionCreated | None = None) -> Self:
        """Begin a session and open it.

        Raises:
            AlreadyExistsError: the id is taken.
        """
        row = await store.create_session(session_id or new_session_id(), created)
        return await cls.open(store, row.header.session_id)

    @classmethod
    async def open(cls, store: Store, session_id: str) -> Self:
        """Open a session as it is now.

        Raises:
            SessionNotFoundError: there is no such session.
        """
        state, epoch, snapshot_at = await _load(store, session_id)
        session = cls(store, state, epoch=epoch, snapshot_at=snapshot_at)
        await session._snapshot_if_due()
        return session

    @property
    def id(self) -> SessionId:
        return self._folded.session_id

    @property
    def state(self) -> SessionState:
        """The state now: a value that does not change when the session goes on."""
        if self._unfolded:
            folded = self._folded
            for entry in self._unfolded:
                folded = folded.apply(entry)
            self._folded = folded
            self._unfolded.clear()
        return self._folded

    @property
    def head(self) -> Seq:
        """The last entry that the state holds."""
        return self._unfolded[-1].seq if self._unfolded else self._folded.head

    async def append(
        self,
        *events: Event | Draft,
        causes: Iterable[int] = (),
        expected: int | None = None,
        key: str | None = None,
        lease: Lease | None = None,
        clear_partial: bool = False,
    ) -> Receipt:
        """Append all *events* or none; once this returns they are durable and in the state.

        *causes* are the entries that the events were derived from. The other arguments, and the errors, are those of
        `Store.append`. Without *expected* the events go to the end of the journal, behind what others appended.
        """
        receipt = await self._store.append(
            self.id,
            as_drafts(events, causes=causes),
            expected=expected,
            key=key,
            lease=lease,
            clear_partial=clear_partial,
        )
        if receipt.epoch != self._epoch:
            await self.reload()
        elif receipt.first == self.head + 1 and receipt.entries:
            self._unfolded += receipt.entries
        elif receipt.last > self.head:
            await self._read_on()
        await self._snapshot_if_due()
        return receipt

    async def refresh(self) -> None:
        """Bring the state up to the journal's head, reading only what is new."""
        row = await self._store.get_session(self.id)
        if row.epoch != self._epoch:
            await self.reload()
        elif row.header.head > self.head:
            await self._read_on()

    async def _read_on(self) -> None:
        while entries := await self._store.read(self.id, after=self.head, limit=MAX_PAGE):
            # Another task of this session may have moved the head while this one waited.
            self._unfolded += [entry for entry in entries if entry.seq > self.head]
            if len(entries) < MAX_PAGE:
                break

    async def reload(self) -> None:
        """Make the state anew from the store: something in its past was forgotten."""
        self._folded, self._epoch, self._snapshot_at = await _load(self._store, self.id)
        self._unfolded.clear()

    async def last_messages(self, limit: int = 20) -> list[Entry]:
        """Return the last *limit* messages, oldest first."""
        return await self._store.last_messages(self.id, limit)

    async def fork(self, fork_id: str | None = None, *, at: int | None = None) -> Self:
        """Begin a session that continues this one after its entry *at* (None: its head), and open it."""
        row = await self._store.fork_session(self.id, fork_id or new_session_id(), at=at)
        return await type(self).open(self._store, row.header.session_id)

    async def close(self) -> None:
        """Keep a snapshot if that makes the next opening faster. Nothing else needs saving."""
        if self.head - self._snapshot_at >= _WORTH_A_SNAPSHOT:
            await self._save_snapshot()

    async def _snapshot_if_due(self) -> None:
        if self.head - self._snapshot_at >= SNAPSHOT_EVERY:
            await self._save_snapshot()

    async def _save_snapshot(self) -> None:
        snapshot = Snapshot(seq=self.head, data=encode_snapshot(self.state))
        await self._store.save_snapshot(self.id, snapshot, epoch=self._epoch)
        self._snapshot_at = snapshot.seq


async def _load(store: Store, session_id: str) -> tuple[SessionState, int, Seq]:
    """Return the state at the head, the epoch it belongs to, and the entry of the snapshot it was made from."""
    loaded = await store.load(session_id)
    header = loaded.row.header
    start = decode_snapshot(loaded.snapshot.data) if loaded.snapshot else None
    if start is None and loaded.snapshot is not None:  # written by another version
        return await _replay_all(store, header.session_id, through=header.head), loaded.row.epoch, Seq(0)
    state = replay(loaded.tail, state=start)
    if state is None:
        raise CorruptError(f"session={session_id} has no entries")
    return state, loaded.row.epoch, loaded.snapshot.seq if loaded.snapshot else Seq(0)


async def _replay_all(store: Store, session_id: SessionId, *, through: Seq) -> SessionState:
    state: SessionState | None = None
    after = 0
    while after < through:
        entries = await store.read(session_id, after=after, before=through + 1, limit=MAX_PAGE)
        state = replay(entries, state=state)
        after = entries[-1].seq
    if state is None:
        raise CorruptError(f"session={session_id} has no entries")
    return state
