"""A turn: the exclusive right to work on a session's next answer.

Only one turn of a session runs at a time, whichever process it is in. It is held by a lease that is renewed while the
turn goes on, and free at once when its process is gone; the next turn then marks the dead one interrupted and closes
what it left open.

A turn that needs a human who is not there is put aside: it ends as waiting, and its tool calls stay open. A turn that
resumes it finds them; any other turn closes them.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import ContextVar
from typing import Final, Protocol

import anyio
import uuid_utils

from sojourn.clock import Clock
from sojourn.engine.holding import LEASE_SECONDS, acquired, kept
from sojourn.engine.repair import closing_events
from sojourn.errors import ConflictError, LeaseLostError
from sojourn.model.entry import Draft
from sojourn.model.events import Event, TurnEnded, TurnOutcome, TurnStarted
from sojourn.model.ids import Seq, SessionId
from sojourn.model.state import SessionState
from sojourn.store.protocol import Claim, Lease, Partial, Receipt, Store

_INSIDE: Final[ContextVar[tuple[str, ...]]] = ContextVar("sojourn_turns", default=())
"""The turns that whoever runs is inside of."""


class Leasing(Protocol):
    """A live session whose appends can be tied to a lease."""

    @property
    def id(self) -> SessionId: ...
    @property
    def state(self) -> SessionState: ...
    @property
    def store(self) -> Store: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def head(self) -> Seq: ...
    @property
    def lease(self) -> Lease | None:
        """What appends are tied to."""
        ...

    async def refresh(self) -> None: ...
    def hold(self, lease: Lease | None) -> None:
        """Tie every append to *lease* from now on, or to none."""
        ...

    async def append(
        self,
        *events: Event | Draft,
        causes: Iterable[int] = (),
        expected: int | None = None,
        lease: Lease | Claim | None = None,
        release: bool = False,
        clear_partial: bool = False,
    ) -> Receipt: ...


class HeldTurn:
    """A turn that is going on. Lives for the time of its `async with`."""

    def __init__(self, turn_id: str, seconds: Callable[[], float]) -> None:
        """Have this name; *seconds* tells how long it has been going on."""
        self._turn_id = turn_id
        self._seconds = seconds
        self._waits = False
        self._completed = False

    def __repr__(self) -> str:
        return f"HeldTurn({self._turn_id!r}{', put aside' if self._waits else ''})"

    @property
    def turn_id(self) -> str:
        """The name under which the journal knows it."""
        return self._turn_id

    @property
    def is_put_aside(self) -> bool:
        """Whether it ends as waiting."""
        return self._waits

    @property
    def is_completed(self) -> bool:
        """Whether somebody was given what completes it, to append it."""
        return self._completed

    def put_aside(self) -> None:
        """Let the turn end as waiting when its body is left normally: its tool calls stay open."""
        self._waits = True

    def completed(self) -> TurnEnded:
        """Return what completes the turn, for whoever appends it together with the last that is said in it.

        It is not appended once more when the body is left. That append may give the lease back, too.
        """
        self._completed = True
        return TurnEnded(turn_id=self._turn_id, outcome="completed", seconds=self._seconds())


Holding = AbstractAsyncContextManager[HeldTurn]
"""The time in which a turn is held."""


@asynccontextmanager
async def run_turn(
    session: Leasing, *, turn_id: str | None = None, resume: bool = False, opening: Sequence[Event] = ()
) -> AsyncIterator[HeldTurn]:
    """Hold the session's turn for the time of the `async with`, and append *opening* with its start.

    Leaving it normally completes the turn, or puts it aside if `put_aside` was called; an error fails it, a cancel
    cancels it. With *resume* the tool calls that the turn before left open, and never started, stay open: they are
    this turn's to run. A call that it did start gets its result here, because nobody knows whether it ran.

    Raises:
        LockedError: another turn of this session is going on.
        LeaseLostError: the lease could not be renewed in time and somebody else took over.
    """
    name = turn_id or str(uuid_utils.uuid7())
    started = session.clock.monotonic()

    def seconds() -> float:
        return max(0.0, session.clock.monotonic() - started)

    holder = f"{os.uname().nodename}:{os.getpid()}:{name}"
    turn = HeldTurn(name, seconds)
    outcome: TurnOutcome = "failed"
    began = False
    try:
        try:
            lease = await _begin(session, name, holder, resume=resume, opening=opening)
        except asyncio.CancelledError:
            await _take_up(session, holder)
            raise
        began = True
        _INSIDE.set((*_INSIDE.get(), name))
        async with kept(session.store, lease, is_held=lambda: session.lease == lease):
            yield turn
        outcome = "waiting" if turn.is_put_aside else "completed"
    except anyio.get_cancelled_exc_class():
        outcome = "cancelled"
        raise
    finally:
        _INSIDE.set(tuple(one for one in _INSIDE.get() if one != name))
        # It may have been given back before, and another turn may have begun since. Or it was taken, and then something
        # else failed before the turn had begun.
        held = session.lease if session.lease is not None and session.lease.holder == holder else None
        ended = held is None and (not began or (turn.is_completed and outcome == "completed"))
        if not ended:
            with anyio.CancelScope(shield=True):
                try:
                    await _end(session, name, outcome, seconds=seconds())
                finally:
                    if held is not None:
                        session.hold(None)
                        await session.store.release_lease(held)


async def is_inside_turn(session: Leasing) -> bool:
    """Tell whether whoever asks is inside the turn of *session* that is going on, and would wait for ever."""
    if not _INSIDE.get():
        return False
    await session.refresh()
    turn = session.state.conversation.turn
    return turn is not None and turn.outcome is None and turn.turn_id in _INSIDE.get()


async def _take_up(session: Leasing, holder: str) -> None:
    """Hold what *holder* was given by an append that was cancelled: a store finishes what it has begun."""
    with anyio.CancelScope(shield=True):
        lease = await session.store.find_lease(session.id)
    if lease is not None and lease.holder == holder:
        session.hold(lease)


async def _begin(session: Leasing, turn_id: str, holder: str, *, resume: bool, opening: Sequence[Event]) -> Lease:
    """Take the turn, close what an earlier one left open, but for what is *resume*d, and start this one.

    All of it is one append at the head that the session knows. If others have moved it, or have left text unfinished,
    the turn is taken first, and what they did is read then.
    """

    async def start(
        partial: Partial | None = None, *, expected: int | None = None, lease: Claim | None = None
    ) -> Receipt:
        left_open = closing_events(
            session.state, partial, reason="its process ended without finishing the turn", keep_unstarted=resume
        )
        return await session.append(
            *left_open,
            TurnStarted(turn_id=turn_id),
            *opening,
            expected=expected,
            lease=lease,
            clear_partial=partial is not None,
        )

    try:
        begun = await start(expected=session.head, lease=Claim(holder=holder, ttl=LEASE_SECONDS))
    except ConflictError:
        lease = await acquired(session.store, session.id, holder)
    else:
        if begun.lease is None:
            raise AssertionError("an append with a claim takes the turn")
        return begun.lease
    session.hold(lease)
    try:
        await session.refresh()
        await start(await session.store.find_partial(session.id))
    except BaseException:
        session.hold(None)
        with anyio.CancelScope(shield=True):
            await session.store.release_lease(lease)
        raise
    return lease


async def _end(session: Leasing, turn_id: str, outcome: TurnOutcome, *, seconds: float) -> None:
    """End the turn if it is still this one's to end."""
    if outcome not in ("completed", "waiting"):
        await session.refresh()  # an append that was cancelled is stored, and the state has not heard of it
    turn = session.state.conversation.turn
    if turn is None or turn.turn_id != turn_id or turn.outcome is not None:
        return
    try:
        if outcome in ("completed", "waiting"):
            await session.append(TurnEnded(turn_id=turn_id, outcome=outcome, seconds=seconds))
        else:
            partial = await session.store.find_partial(session.id)
            events = closing_events(session.state, partial, outcome=outcome)
            await session.append(*events, clear_partial=partial is not None)
    except LeaseLostError:
        return  # whoever took over has closed this turn
