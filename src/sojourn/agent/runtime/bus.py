"""The bus of a runtime: events between components, and others who look, change or listen.

For each event, in this order: hooks see the payload as it came, all at once, and change nothing; pipes get it one after
the other, and each may replace it; listeners hear of the result, and nobody waits for them. An error in any of them is
reported and stops nobody.
"""

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as changed_copy
from typing import Any, Final

import anyio
import anyio.abc
import anyio.to_thread
from msgspec.structs import replace

from sojourn.agent.runtime.component import Component, Tells
from sojourn.agent.runtime.payload import AgentResponse, Payload, Response, ToolObservation, payload_of
from sojourn.clock import Clock, SystemClock
from sojourn.engine.conversations import ConversationSession
from sojourn.errors import AlreadyExistsError, InvalidInputError, SojournError

_log = logging.getLogger(__name__)
Hook = Callable[[Any], Awaitable[None] | None]
Pipe = Callable[[Any], Awaitable[Payload | dict[str, Any] | None] | Payload | dict[str, Any] | None]
Listener = Callable[[Any], Awaitable[None] | None]
CONSOLE: Final = "_console_output"
"""Where an agent's answer goes when nobody else wants it: `console` of the bus is called with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutedMessage:
    """What goes from one component to the next: a text or any other result, in one conversation."""

    text: Any
    inputs: dict[str, Any] = field(default_factory=dict)
    session: ConversationSession | None = None

    @property
    def session_id(self) -> str:
        """The conversation's id; empty outside of one."""
        return self.session.id if self.session is not None else ""


@dataclass(slots=True)
class BusStats:
    """What a bus has done."""

    events_emitted: int = 0
    components_registered: int = 0
    routes_processed: int = 0
    hooks_executed: int = 0


class RuntimeBus:
    """Routes events between components. Lives as long as its runtime, within `async with`."""

    def __init__(
        self, *, clock: Clock | None = None, console: Callable[[str], Awaitable[None] | None] | None = None
    ) -> None:
        self._clock: Clock = clock or SystemClock()
        self._console = console
        self._components: dict[str, Component] = {}
        self._routes: dict[str, tuple[str, ...]] = {}
        self._hooks: dict[str, list[Hook]] = {}
        self._pipes: dict[str, list[Pipe]] = {}
        self._listeners: dict[str, list[Listener]] = {}
        self._tasks: anyio.abc.TaskGroup | None = None
        self._stats = BusStats()

    def __repr__(self) -> str:
        return f"RuntimeBus({', '.join(self._components)})"

    async def __aenter__(self) -> "RuntimeBus":
        self._tasks = anyio.create_task_group()
        await self._tasks.__aenter__()
        return self

    async def __aexit__(self, *exc_info: Any) -> bool | None:
        tasks, self._tasks = self._tasks, None
        try:
            return await tasks.__aexit__(*exc_info) if tasks is not None else None
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None

    # --- who takes part

    @property
    def components(self) -> tuple[Component, ...]:
        """Those that are registered, in the order they came."""
        return tuple(self._components.values())

    def register_component(self, component: Component) -> None:
        """Let *component* take part.

        Raises:
            AlreadyExistsError: another one has its name.
        """
        if component.name in self._components:
            raise AlreadyExistsError(f"component={component.name}")
        self._components[component.name] = component
        self._stats.components_registered += 1
        if isinstance(component, Tells):
            component.set_emit(self.emit)

    def configure_routing(self) -> dict[str, tuple[str, ...]]:
        """Work out who gets what from whom, and return it: what a component says itself, or what is usual.

        An input goes to the first agent; an agent to the outputs, or to the console if there are none.

        Raises:
            InvalidInputError: a component names another that is not there, or they go round in a circle.
        """
        agents = [one.name for one in self.components if one.kind == "agent"]
        outputs = tuple(one.name for one in self.components if one.kind == "output")
        routes: dict[str, tuple[str, ...]] = {}
        for component in self.components:
            if component.targets is not None:
                missing = [name for name in component.targets if name not in self._components and name != CONSOLE]
                if missing:
                    raise InvalidInputError(f"component {component.name}: there is no component {', '.join(missing)}")
                routes[component.name] = component.targets
            elif component.kind == "input":
                routes[component.name] = tuple(agents[:1])
            elif component.kind == "agent":
                routes[component.name] = outputs or (CONSOLE,)
        for name in routes:
            if circle := _circle(routes, (name,)):
                raise InvalidInputError(f"what components give back would go round for ever: {' -> '.join(circle)}")
        self._routes = routes
        return dict(routes)

    def register_hook(self, kind: str, hook: Hook) -> None:
        """Let *hook* see every event of this *kind*; a plain function is called on a thread."""
        self._hooks.setdefault(kind, []).append(hook)

    def register_pipe(self, kind: str, pipe: Pipe) -> None:
        """Let *pipe* replace the payload of every event of this *kind*; None leaves it as it is."""
        self._pipes.setdefault(kind, []).append(pipe)

    def register_event(self, kind: str, listener: Listener) -> None:
        """Let *listener* hear of every event of this *kind*, after the pipes."""
        self._listeners.setdefault(kind, []).append(listener)

    def get_stats(self) -> dict[str, int]:
        """Return how much was done, and how many look, change and listen."""
        return {
            "events_emitted": self._stats.events_emitted,
            "components_registered": self._stats.components_registered,
            "routes_processed": self._stats.routes_processed,
            "hooks_executed": self._stats.hooks_executed,
            "hooks": sum(map(len, self._hooks.values())),
            "pipes": sum(map(len, self._pipes.values())),
            "listeners": sum(map(len, self._listeners.values())),
        }

    # --- events

    async def emit(self, kind: str, payload: Payload | dict[str, Any]) -> Payload:
        """Tell everybody of an event, and return its payload as the pipes left it.

        Raises:
            InvalidInputError: the payload does not fit the kind.
        """
        self._stats.events_emitted += 1
        stamped = payload_of(kind, payload)
        if stamped.timestamp is None:
            stamped = replace(stamped, timestamp=self._clock.now())
        await self._call_hooks(kind, stamped)
        piped = await self._call_pipes(kind, stamped)
        for listener in self._listeners.get(kind, ()):
            if self._tasks is not None:
                self._tasks.start_soon(self._call, listener, piped, f"a listener of {kind}")
            else:
                await self._call(listener, piped, f"a listener of {kind}")
        return piped

    async def emit_from_component(self, source: str, payload: Payload, message: "RoutedMessage") -> list[Any]:
        """Tell everybody of *payload*, hand *message* to the targets of *source*, and return what they gave back.

        What a target gives back is an event of its own, and goes on to that target's targets. The conversation and
        the inputs go with it, whatever the pipes made of the payload.

        Raises:
            SojournError: a target failed in one of our ways; anything else is reported, and gives nothing back.
        """
        piped = await self.emit(payload.kind, payload)
        changed = changed_copy(message, text=_text_of(piped, message.text))
        given = [await self._deliver(target, changed) for target in self._routes.get(source, ())]
        return [one for one in given if one is not None]

    async def _deliver(self, target: str, message: "RoutedMessage") -> Any:
        self._stats.routes_processed += 1
        if target == CONSOLE:
            if self._console is not None:
                await _called(self._console, str(message.text))
            return message.text
        component = self._components[target]
        try:
            result = await component.input(message.text, dict(message.inputs), message.session)
        except SojournError:
            raise
        except Exception:  # noqa: BLE001 - a component is anybody's code, and must not end the runtime
            _log.exception("component %s failed", target)
            return None
        if result is None:
            return None
        answer = _response(component, result, session_id=message.session_id)
        further = await self.emit_from_component(target, answer, changed_copy(message, text=result))
        return further[0] if further else result

    async def _call_hooks(self, kind: str, payload: Payload) -> None:
        hooks: Sequence[Hook] = self._hooks.get(kind, ())
        if not hooks:
            return
        async with anyio.create_task_group() as tasks:
            for hook in hooks:
                self._stats.hooks_executed += 1
                tasks.start_soon(self._call, hook, payload, f"a hook of {kind}")

    async def _call_pipes(self, kind: str, payload: Payload) -> Payload:
        for pipe in self._pipes.get(kind, ()):
            try:
                changed = await _called(pipe, payload)
                if changed is not None:
                    payload = payload_of(kind, changed)
            except Exception:  # noqa: BLE001 - a pipe is anybody's code; the payload stays as it was
                _log.exception("a pipe of %s failed", kind)
        return payload

    @staticmethod
    async def _call(function: Callable[[Payload], Any], payload: Payload, who: str) -> None:
        try:
            await _called(function, payload)
        except Exception:  # noqa: BLE001 - it is anybody's code, and stops nobody
            _log.exception("%s failed", who)


async def _called(function: Callable[..., Any], argument: Any) -> Any:
    """Call *function*: on a thread if it is a plain one."""
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004
        return await function(argument)
    result = await anyio.to_thread.run_sync(function, argument)
    return await result if inspect.isawaitable(result) else result


def _circle(routes: Mapping[str, Sequence[str]], path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the first way from the end of *path* back to its beginning; nothing if there is none."""
    for target in routes.get(path[-1], ()):
        if target == path[0]:
            return (*path, target)
        if target not in path and (found := _circle(routes, (*path, target))):
            return found
    return ()


def _text_of(payload: Payload, otherwise: Any) -> Any:
    """Return what is handed on: what the pipes made of it."""
    for name in ("input", "response", "observation"):
        if hasattr(payload, name):
            return getattr(payload, name)
    return otherwise


def _response(component: Component, result: Any, *, session_id: str) -> Payload:
    about: dict[str, Any] = {"component_id": component.name, "component_type": component.kind, "session_id": session_id}
    if component.kind == "agent":
        return AgentResponse(response=result, **about)
    if component.kind == "tool":
        return ToolObservation(tool=component.name, observation=str(result), **about)
    return Response(response=result, **about)
