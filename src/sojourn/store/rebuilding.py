"""Making something anew for many sessions, of which some may be damaged: the others are done all the same."""

from collections.abc import Awaitable, Callable, Sequence

from sojourn.errors import CorruptError
from sojourn.store.protocol import Progress


async def rebuild_each(
    sessions: Sequence[Callable[[], Awaitable[None]]], *, on_progress: Progress | None = None
) -> int:
    """Run each of *sessions*, and return how many there are.

    Raises:
        CorruptError: some are damaged; the error names them, and the others are done.
    """
    damaged: list[str] = []
    for done, rebuild in enumerate(sessions, 1):
        try:
            await rebuild()
        except CorruptError as error:
            damaged.append(error.detail)
        if on_progress is not None:
            on_progress(done, len(sessions))
    if damaged:
        raise CorruptError(f"{len(damaged)} of {len(sessions)} sessions: {'; '.join(damaged)[:1000]}")
    return len(sessions)
