"""From a stored journal to a state: the best snapshot, and the entries after it."""

from typing import NamedTuple

from sojourn.errors import CorruptError
from sojourn.model.ids import Seq, SessionId
from sojourn.model.state import SessionState, decode_snapshot, replay
from sojourn.store.protocol import MAX_PAGE, Store


class LoadedState(NamedTuple):
    """A state, the epoch of the journal that it belongs to, and the entry of the snapshot that it was made from."""

    state: SessionState
    epoch: int
    snapshot_at: Seq


async def load_state(store: Store, session_id: str, *, at: int | None = None) -> LoadedState:
    """Return the session's state after entry *at* (None: its head).

    Raises:
        SessionNotFoundError: there is no such session.
        InvalidInputError: it has no such entry.
    """
    loaded = await store.load(session_id, at=at)
    header, epoch = loaded.row.header, loaded.row.epoch
    start = decode_snapshot(loaded.snapshot.data, seq=loaded.snapshot.seq) if loaded.snapshot else None
    if start is None and loaded.snapshot is not None:  # of no use: begin at the beginning
        return LoadedState(await _replay_all(store, header.session_id, through=at or header.head), epoch, Seq(0))
    state = replay(loaded.tail, state=start)
    if state is None:
        raise CorruptError(f"session={session_id} has no entries")
    return LoadedState(state, epoch, loaded.snapshot.seq if loaded.snapshot else Seq(0))


async def _replay_all(store: Store, session_id: SessionId, *, through: int) -> SessionState:
    state: SessionState | None = None
    after = 0
    while after < through:
        entries = await store.read(session_id, after=after, before=through + 1, limit=MAX_PAGE)
        state = replay(entries, state=state)
        after = entries[-1].seq
    if state is None:
        raise CorruptError(f"session={session_id} has no entries")
    return state
