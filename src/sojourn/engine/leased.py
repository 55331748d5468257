"""Appending to a session while its turn may be held, and may end any moment."""

from collections.abc import Callable, Sequence

from sojourn.errors import LeaseLostError
from sojourn.model.entry import Draft
from sojourn.model.events import Event
from sojourn.model.ids import SessionId
from sojourn.store.protocol import Claim, Lease, Receipt, Store


async def append_as_held(
    store: Store,
    session_id: SessionId,
    drafts: Sequence[Event | Draft],
    *,
    held: Callable[[], Lease | Claim | None],
    expected: int | None,
    key: str | None,
    release: bool,
    clear_partial: bool,
) -> Receipt:
    """Append *drafts* under the lease that is *held* when they are written; with *release* it is given back, if any is.

    A turn may end while an append beside it waits for the store. Then its lease is gone, but nobody took it away: the
    append is made once more, under whatever is held by then.

    Raises:
        LeaseLostError: somebody else took the turn over. The other errors are those of `Store.append`.
    """
    while True:
        lease = held()
        try:
            return await store.append(
                session_id,
                drafts,
                expected=expected,
                key=key,
                lease=lease,
                release=release and lease is not None,
                clear_partial=clear_partial,
            )
        except LeaseLostError:
            if held() is lease:
                raise
