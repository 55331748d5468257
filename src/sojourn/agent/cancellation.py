"""Stopping what is under way, from anywhere: a key press, another thread, a server's request."""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import anyio
import anyio.lowlevel

_log = logging.getLogger(__name__)


class CancellationToken:
    """Tells a turn to stop. Lives as long as the turn it was given to, or longer: `reset` makes it new.

    It may be cancelled from any thread. Callbacks are called on the thread that cancels, in the order they came.
    """

    def __init__(self) -> None:
        self._cancelled = False
        self._callbacks: list[Callable[[], None]] = []

    def __repr__(self) -> str:
        return f"CancellationToken({'cancelled' if self._cancelled else 'going on'})"

    @property
    def is_cancelled(self) -> bool:
        """Whether somebody asked to stop."""
        return self._cancelled

    def cancel(self) -> None:
        """Ask to stop. Asking twice is asking once; a callback that fails is reported and stops nobody else."""
        if self._cancelled:
            return
        self._cancelled = True
        for callback in tuple(self._callbacks):
            _call(callback)

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call *callback* on cancel, or at once if that is past; return what takes it back."""
        self._callbacks.append(callback)
        if self._cancelled:
            _call(callback)
        return lambda: self._callbacks.remove(callback) if callback in self._callbacks else None

    def raise_if_cancelled(self) -> None:
        """Do nothing, unless somebody asked to stop.

        Raises:
            asyncio.CancelledError: somebody did.
        """
        if self._cancelled:
            raise asyncio.CancelledError("Operation cancelled by user")

    def reset(self) -> None:
        """Make it new; the callbacks stay."""
        self._cancelled = False


@contextmanager
def cancelled_by(*tokens: CancellationToken) -> Iterator[anyio.CancelScope]:
    """Cancel the body as soon as one of *tokens* is cancelled, from any thread; the scope tells whether it was."""
    loop, thread = asyncio.get_running_loop(), threading.get_ident()
    with anyio.CancelScope() as scope:

        def cancel() -> None:
            if threading.get_ident() == thread:
                scope.cancel()  # at once: nothing more is told
            else:
                loop.call_soon_threadsafe(scope.cancel)

        removers = [token.on_cancel(cancel) for token in tokens]
        try:
            yield scope
        finally:
            for remove in removers:
                remove()


async def checkpoint() -> None:
    """Let whoever watches the turn act on what he was just told, and stop here if he cancelled it."""
    await anyio.lowlevel.checkpoint()
    await anyio.lowlevel.checkpoint_if_cancelled()


def _call(callback: Callable[[], None]) -> None:
    try:
        callback()
    except Exception:  # noqa: BLE001 - a callback is anybody's code, and the others must still hear of it
        _log.exception("a callback of a cancellation failed")
