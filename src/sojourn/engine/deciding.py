"""Appending what the state calls for, when it matters that nobody else was first.

Most events commute and are simply appended. Some must happen once: a question is answered by one of two people, a
session is thrown away by one of two callers. These are decided on a state and appended behind exactly that state; if
somebody else came first, the state is brought up to date and it is decided anew.
"""

from collections.abc import Awaitable, Callable, Sequence

from sojourn.engine.live import Live
from sojourn.errors import ConflictError, LeaseLostError
from sojourn.model.entry import Draft
from sojourn.model.events import Event
from sojourn.model.state import SessionState
from sojourn.store.protocol import Receipt

Decide = Callable[[SessionState], Awaitable[Sequence[Event | Draft]]]
"""Says what a state calls for. It may be asked again, about a newer state, and may refuse by raising."""


async def append_decided(session: Live, decide: Decide) -> Receipt | None:
    """Append what *decide* makes of the state at the journal's head; None if that is nothing.

    Every repetition means that another append succeeded, so someone always gets ahead.

    Raises:
        LeaseLostError: the turn that is held through *session* was taken over.
    """
    await session.refresh()
    while True:
        state = session.state
        events = await decide(state)
        if not events:
            return None
        try:
            return await session.append(*events, expected=state.head)
        except LeaseLostError:
            raise
        except ConflictError:
            await session.refresh()
