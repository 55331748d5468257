"""What was typed goes to the model, one message after the other.

Who types while the model answers waits in a queue, which he can look at and change until it is his message's turn.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import anyio

from sojourn.agent.cancellation import CancellationToken
from sojourn.agent.events import TurnEvent
from sojourn.desk.conversation import Conversation, Show
from sojourn.errors import SojournError

_ENOUGH: Final = 100
"""Messages that may wait."""

Turn = Callable[[CancellationToken, Show], Awaitable[None]]


class Watcher:
    """What a screen does about turns."""

    async def turn_began(self) -> None:
        """A message is on its way."""

    async def turn_event(self, event: TurnEvent) -> None:
        """Something happened in the turn."""

    async def turn_ended(self, error: SojournError | None, *, said: str) -> None:
        """The turn is over, in whatever way. *said* is what it began with; empty if it was gone on with."""

    def queue_changed(self) -> None:
        """Other messages wait now."""


class Turns:
    """The queue, and the turn that goes on. Lives as long as the screen."""

    def __init__(self, conversation: Conversation, watcher: Watcher) -> None:
        self._conversation = conversation
        self._watcher = watcher
        self._waiting: deque[str] = deque()
        self._token: CancellationToken | None = None
        self._idle = anyio.Event()
        self._idle.set()

    @property
    def waiting(self) -> tuple[str, ...]:
        """The messages that wait, the next one first."""
        return tuple(self._waiting)

    @property
    def is_busy(self) -> bool:
        """Whether a turn goes on."""
        return self._token is not None

    def put(self, text: str) -> bool:
        """Let *text* wait for its turn; False if too many wait already."""
        if len(self._waiting) >= _ENOUGH:
            return False
        self._waiting.append(text)
        if self._idle.is_set():
            self._idle = anyio.Event()
        self._watcher.queue_changed()
        return True

    def take_back(self) -> str | None:
        """Take the newest message out of the queue, to be changed; None if none waits."""
        text = self._waiting.pop() if self._waiting else None
        self._watcher.queue_changed()
        return text

    def stop(self) -> bool:
        """Stop the turn that goes on; False if there is none."""
        if self._token is None:
            return False
        self._token.cancel()
        return True

    def drop_waiting(self) -> None:
        """Send nothing more of what waits."""
        self._waiting.clear()
        self._watcher.queue_changed()

    async def wait_until_idle(self) -> None:
        """Wait until no turn goes on and no message waits."""
        await self._idle.wait()

    async def run(self) -> None:
        """Take the messages that wait, one after the other, until there are none. A failure stops nothing behind it."""
        if self.is_busy:
            return
        try:
            while self._waiting:
                text = self._waiting.popleft()
                self._watcher.queue_changed()
                await self._run(partial(self._conversation.say, text), said=text)
        finally:
            self._idle.set()

    async def go_on(self) -> None:
        """Go on with a turn that was cut off, then with what waits."""
        if not self.is_busy:
            self._idle = anyio.Event()
            await self._run(self._conversation.go_on, said="")
            await self.run()

    async def _run(self, turn: Turn, *, said: str) -> None:
        """Run one turn. Its events are handed on in order, without making the model wait for the screen."""
        self._token = CancellationToken()
        error: SojournError | None = None
        send, receive = anyio.create_memory_object_stream[TurnEvent](10_000)
        try:
            await self._watcher.turn_began()
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._hand_on, receive)
                try:
                    await turn(self._token, send.send_nowait)
                except SojournError as failed:
                    error = failed
                finally:
                    send.close()
        finally:
            try:
                await self._watcher.turn_ended(error, said=said)
            finally:
                self._token = None  # not before: the next turn would begin on a screen that still ends this one
                self._watcher.queue_changed()

    async def _hand_on(self, receive: "anyio.abc.ObjectReceiveStream[TurnEvent]") -> None:
        async with receive:
            async for event in receive:
                await self._watcher.turn_event(event)
