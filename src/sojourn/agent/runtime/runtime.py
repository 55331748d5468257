"""A runtime: it starts components, reads the user's lines, and lets each conversation go on where it stood."""

import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Final

import anyio

from sojourn.agent.runtime.bus import RoutedMessage, RuntimeBus
from sojourn.agent.runtime.component import Component, Reads, Starts, Stops
from sojourn.agent.runtime.payload import InputReceived
from sojourn.clock import Clock
from sojourn.engine.by_id import HasStore
from sojourn.engine.conversations import CLI_SESSION, Conversations, ConversationSession
from sojourn.errors import NotFoundError, SojournError
from sojourn.store.protocol import Store

_log = logging.getLogger(__name__)
ENDS: Final = ("exit", ";")
"""Lines that end the input."""
START_SECONDS: Final = 30.0
"""How long the components may take to start, all together."""


class AsyncRuntime:
    """Runs components until the input ends or `stop` is called. Lives for one run; what was said outlives it.

    Attributes:
        bus: where hooks, pipes and listeners are registered.
    """

    def __init__(
        self,
        source: Store | HasStore,
        *,
        console: Callable[[str], Awaitable[None] | None] | None = None,
        on_error: Callable[[SojournError], Awaitable[None] | None] | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Keep conversations in an app, or in a bare store.

        Args:
            source: where.
            console: gets answers that no component takes.
            on_error: told of a turn that failed; the input goes on. Without it, failures are logged.
            clock: tells the time.
        """
        self.bus = RuntimeBus(clock=clock, console=console)
        self._conversations = Conversations(source)
        self._on_error = on_error
        self._running = False
        self._scope: anyio.CancelScope | None = None

    def __repr__(self) -> str:
        return f"AsyncRuntime({self.bus!r}, {'running' if self._running else 'stopped'})"

    async def get_or_create_session(self, session_id: str = CLI_SESSION) -> ConversationSession:
        """Return the conversation of this id: the same object each time, while it is in memory."""
        return await self._conversations.get_or_create(session_id)

    async def start(self, components: Iterable[Component] = (), *, session_id: str = CLI_SESSION) -> None:
        """Start *components*, route between them, and read lines from the first that has some, until the input ends.

        Without one, wait until `stop` is called. However it ends, every component is stopped.

        Raises:
            InvalidInputError: the components do not fit together.
        """
        for component in components:
            self.bus.register_component(component)
        self.bus.configure_routing()
        self._running = True
        try:
            with anyio.CancelScope() as self._scope:
                await self._start_components()
                async with self.bus:
                    await self._input_loop(session_id)
        finally:
            self._running = False
            with anyio.CancelScope(shield=True):
                await self._stop_components()
                await self._conversations.close()

    async def stop(self) -> None:
        """End the run: what is under way is cancelled, and what was said so far is stored."""
        self._running = False
        if self._scope is not None:
            self._scope.cancel()

    async def process_user_input(
        self,
        text: str,
        source: str,
        session: ConversationSession | None = None,
        *,
        inputs: dict[str, Any] | None = None,
    ) -> str | None:
        """Hand what the user said to whoever gets the input of *source*, and return the answer, if there is one.

        The question and the answer are recorded once, by the agent that answers.

        Raises:
            NotFoundError: there is no such component.
            SojournError: the turn failed.
        """
        if source not in {one.name for one in self.bus.components}:
            raise NotFoundError(f"component={source}")
        conversation = session or await self.get_or_create_session()
        received = InputReceived(
            input=text, inputs=inputs or {}, session_id=conversation.id, component_id=source, component_type="input"
        )
        message = RoutedMessage(text=text, inputs=inputs or {}, session=conversation)
        given = await self.bus.emit_from_component(source, received, message)
        return str(given[0]) if given else None

    def get_stats(self) -> dict[str, Any]:
        """Return how much went over the bus, and how many conversations are in memory."""
        return {**self.bus.get_stats(), "running": self._running, "sessions": len(self._conversations)}

    # --- how

    async def _input_loop(self, session_id: str) -> None:
        reader = next((one for one in self.bus.components if isinstance(one, Reads)), None)
        if reader is None:
            await anyio.sleep_forever()
            return
        source = reader.name if isinstance(reader, Component) else ""
        while self._running:
            line = await reader.read_line()
            if line is None or line.strip() in ENDS:
                break
            if not line.strip():
                continue
            session = await self.get_or_create_session(session_id)
            try:
                await self.process_user_input(line, source, session)
            except SojournError as error:
                await self._report(error)

    async def _report(self, error: SojournError) -> None:
        if self._on_error is None:
            _log.error("a turn failed: %s", error)
            return
        told = self._on_error(error)
        if told is not None:
            await told

    async def _start_components(self) -> None:
        waiting = [one for one in self.bus.components if isinstance(one, Starts)]
        with anyio.move_on_after(START_SECONDS) as limit:
            try:
                async with anyio.create_task_group() as tasks:
                    for component in waiting:
                        tasks.start_soon(component.start)
            except BaseExceptionGroup as group:
                raise group.exceptions[0] from None
        if limit.cancelled_caught:
            _log.warning("some components had not started after %g seconds and were stopped; going on", START_SECONDS)

    async def _stop_components(self) -> None:
        for component in self.bus.components:
            if isinstance(component, Stops):
                try:
                    await component.stop()
                except Exception:  # noqa: BLE001 - a component is anybody's code; the others must be stopped, too
                    _log.exception("component %s could not be stopped", component.name)
