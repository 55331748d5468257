"""Taking a lease, and keeping it while work goes on: it is renewed from time to time, and who loses it stops.

Most turns end before a lease is renewed for the first time. So a timer stands for the renewal until then.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

import anyio

from sojourn.errors import BusyError, LeaseLostError, UnavailableError
from sojourn.model.ids import SessionId
from sojourn.store.protocol import Lease, Store

LEASE_SECONDS: Final = 30.0
RENEW_SECONDS: Final = 10.0


async def acquired(store: Store, session_id: SessionId, holder: str) -> Lease:
    """Take the lease. Whoever is cancelled meanwhile gives it back, or nobody could take it until it expires.

    Raises:
        LockedError: somebody else holds it.
    """
    try:
        return await store.acquire_lease(session_id, holder, ttl=LEASE_SECONDS)
    except asyncio.CancelledError:
        with anyio.CancelScope(shield=True):  # a store finishes what it has begun
            lease = await store.find_lease(session_id)
            if lease is not None and lease.holder == holder:
                await store.release_lease(lease)
        raise


@asynccontextmanager
async def kept(
    store: Store,
    lease: Lease,
    *,
    is_held: Callable[[], bool] = lambda: True,
    after: float = RENEW_SECONDS,
    pause: Callable[[float], Awaitable[None]] = anyio.sleep,
) -> AsyncIterator[None]:
    """Renew *lease* while the body runs; if it is lost, the body is cancelled and `LeaseLostError` raised.

    One that *is_held* no more was given back, and is left alone. A store that cannot be reached for a moment is asked
    again, as long as the lease holds. It is renewed *after* so many seconds first; *pause* waits between the others.
    """
    lost: list[Exception] = []
    renewing: list[asyncio.Task[None]] = []
    with anyio.CancelScope() as scope:

        async def renew() -> None:
            try:
                await _renew(store, lease, is_held, pause)
            except Exception as error:  # noqa: BLE001 - raised below, where the body is
                lost.append(error)
                scope.cancel()

        timer = asyncio.get_running_loop().call_later(after, lambda: renewing.append(asyncio.ensure_future(renew())))
        try:
            yield
        finally:
            timer.cancel()
            for task in renewing:
                task.cancel()
                with anyio.CancelScope(shield=True):
                    await asyncio.wait([task])
    if lost:
        raise lost[0]


async def _renew(
    store: Store, lease: Lease, is_held: Callable[[], bool], pause: Callable[[float], Awaitable[None]]
) -> None:
    """Renew *lease* again and again, until this is cancelled or the lease is lost."""
    failed = 0
    while True:
        try:
            if is_held():
                await store.renew_lease(lease, ttl=LEASE_SECONDS)
            failed = 0
        except LeaseLostError:
            if is_held():
                raise
        except (BusyError, UnavailableError):
            failed += 1
            if failed * RENEW_SECONDS >= LEASE_SECONDS:
                raise
        await pause(RENEW_SECONDS)
