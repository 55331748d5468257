"""A turn in a task of its own: whoever listens may stop, leave or be slow, in any way he likes.

The turn holds a lease and cancel scopes, which only the task that made them may leave. An iteration can be dropped
anywhere, and is then closed by whichever task comes by. So the two are kept apart by a queue of events.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable

import anyio

from sojourn.agent.cancellation import CancellationToken, cancelled_by
from sojourn.agent.events import ContentChunk, SessionCancelled, SessionWaiting, ToolBatchStarted, TurnEvent
from sojourn.agent.gate import Announce

Work = Callable[[Announce], Awaitable[None]]


async def events_of(work: Work, token: CancellationToken | None) -> AsyncGenerator[TurnEvent, None]:
    """Run *work* in a task, and yield what it announces. Cancelling *token*, or closing this, cancels it.

    Either way this ends when the work has ended, and not before. What the work raises is raised here, if anybody
    still listens.
    """
    told: asyncio.Queue[TurnEvent | None] = asyncio.Queue()  # None is the end
    left = CancellationToken()
    tokens = (left,) if token is None else (token, left)
    task = asyncio.create_task(_run(work, tokens, told.put_nowait), name="sojourn-turn")
    task.add_done_callback(lambda _: told.put_nowait(None))  # also of one that was cancelled before it began
    try:
        while (event := await told.get()) is not None:
            yield event
        await asyncio.shield(task)
    finally:
        if not task.done():
            left.cancel()
            await _ended(task)
        if not task.cancelled():
            task.exception()  # whoever left early does not want to hear of it


async def _ended(task: asyncio.Task[None]) -> None:
    """Wait for the end of *task*, however often this is cancelled meanwhile; only then be cancelled."""
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            with anyio.CancelScope(shield=True):
                await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled


async def answer_in(events: AsyncIterator[TurnEvent]) -> str:
    """Return what is said after the last call of tools: the answer.

    If a human has to allow a call first, it is what he is asked.
    """
    said: list[str] = []
    async for event in events:
        if isinstance(event, ToolBatchStarted):
            said.clear()
        elif isinstance(event, ContentChunk):
            said.append(event.text)
        elif isinstance(event, SessionWaiting):
            said = [event.interrupt.question or ""]
    return "".join(said)


async def _run(work: Work, tokens: tuple[CancellationToken, ...], tell: Callable[[TurnEvent | None], None]) -> None:
    """Run *work* until it ends or one of *tokens* is cancelled, and *tell* what it announces; None is the end."""
    try:
        with cancelled_by(*tokens) as scope:
            await work(tell)
        if scope.cancelled_caught:
            tell(SessionCancelled())
    finally:
        tell(None)
