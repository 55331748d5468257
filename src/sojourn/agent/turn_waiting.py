"""Waiting until a session's turn is free, wherever it is held."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Final

import anyio

from sojourn.agent.wish import waits
from sojourn.engine.session import Session
from sojourn.engine.turn import HeldTurn, is_inside_turn
from sojourn.errors import InvalidInputError, LockedError
from sojourn.model.events import Event

_FIRST: Final = 0.02
_LONGEST: Final = 0.5


async def enter_turn(
    stack: AsyncExitStack, session: Session, *, resume: bool = False, opening: Sequence[Event] = (), wait: bool = True
) -> HeldTurn:
    """Take the turn of *session* until *stack* is left; see `Session.turn`. Somebody else's is waited for.

    Raises:
        LockedError: another turn is going on, and nobody wants to *wait*, or it would be for ever.
        InvalidInputError: nothing waits that could be resumed, or nothing any more.
    """
    pause = _FIRST
    while True:
        if resume:
            await session.refresh()
            await _check_waiting(session)
        try:
            held = await stack.enter_async_context(session.turn(resume=resume, opening=opening))
        except LockedError:
            if not wait:
                raise
            if await is_inside_turn(session):
                raise LockedError("this was asked for inside the turn that it would wait for") from None
        else:
            if resume:
                await _check_waiting(session)  # another process may have answered just before
            return held
        await anyio.sleep(pause)
        pause = min(pause * 2, _LONGEST)


async def _check_waiting(session: Session) -> None:
    if not await waits(session):
        raise InvalidInputError("there is nothing to resume: what was said last has its answer")
