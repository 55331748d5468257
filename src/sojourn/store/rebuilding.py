"""Rebuilding many sessions, of which some may be damaged: the others are done all the same."""

from collections.abc import Awaitable, Callable, Sequence

from sojourn.errors import CorruptError


async def rebuild_each(sessions: Sequence[Callable[[], Awaitable[None]]]) -> int:
    """Run each of *sessions*, and return how many there are.

    Raises:
        CorruptError: some are damaged; the error names them, and the others are done.
    """
    damaged: list[str] = []
    for rebuild in sessions:
        try:
            await rebuild()
        except CorruptError as error:
            damaged.append(error.detail)
    if damaged:
        raise CorruptError(f"{len(damaged)} of {len(sessions)} sessions: {'; '.join(damaged)[:1000]}")
    return len(sessions)
