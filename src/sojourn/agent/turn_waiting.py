"""Waiting until a session's turn is free, wherever it is held."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Final

import anyio

from sojourn.engine.session import Session
from sojourn.engine.turn import HeldTurn
from sojourn.errors import LockedError
from sojourn.model.events import Event

_FIRST: Final = 0.02
_LONGEST: Final = 0.5


async def enter_turn(
    stack: AsyncExitStack, session: Session, *, resume: bool = False, opening: Sequence[Event] = (), wait: bool = True
) -> HeldTurn:
    """Take the turn of *session* until *stack* is left; see `Session.turn`. Somebody else's is waited for.

    Raises:
        LockedError: another turn is going on, and nobody wants to *wait*.
    """
    pause = _FIRST
    while True:
        try:
            return await stack.enter_async_context(session.turn(resume=resume, opening=opening))
        except LockedError:
            if not wait:
                raise
        await anyio.sleep(pause)
        pause = min(pause * 2, _LONGEST)
