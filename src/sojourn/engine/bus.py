"""News for whoever wants to know what happens: published at once, to each handler in the order of subscription.

A handler is a function or a coroutine function. One that fails stops nobody: its error is handed to `on_error`, which
logs it unless told otherwise. Publishing waits for the handlers, so nothing is left running behind anybody's back.
"""

import inspect
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeVar

from sojourn.model.ids import Seq, SessionId

_log = logging.getLogger(__name__)

Component = Literal[
    "conversation", "user_profile", "knowledge_base", "interaction_context", "metadata", "working_memory",
    "working_set", "variables", "research", "interrupts", "session", "all",
]  # fmt: skip
ChangeType = Literal["update", "add", "remove"]


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """Something happened in a session."""

    session_id: SessionId
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChanged(News):
    """A part of the state changed."""

    component: Component
    change_type: ChangeType = "update"
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCreated(News):
    """A session began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLoaded(News):
    """A stored session was opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionForked(News):
    """A session began as a fork."""

    forked_from: SessionId
    forked_at: Seq


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPurged(News):
    """A session was removed for good; *forks* hold by themselves now what they shared with it."""

    forks: tuple[SessionId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FocusChanged(News):
    """Something else is in focus."""

    focus_type: str
    focus_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityReferenced(News):
    """Something with a name was mentioned."""

    entity_type: str
    entity_id: str
    title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptRaised(News):
    """A question waits for a human."""

    interrupt_id: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptResolved(News):
    """A question was answered, cancelled, or ran out of time."""

    interrupt_id: str
    status: str


N = TypeVar("N", bound=News)
Handler = Callable[[N], Awaitable[None] | None]
ErrorHandler = Callable[[News, Exception], None]


def log_error(news: News, error: Exception) -> None:
    """Write a handler's failure to the log."""
    _log.error("a handler of %s failed: %s", type(news).__name__, error, exc_info=error)


class EventBus:
    """Who wants to know what. Lives as long as its app."""

    def __init__(self, *, on_error: ErrorHandler = log_error) -> None:
        self._handlers: dict[type[News], list[Handler[Any]]] = {}
        self._on_error = on_error

    def subscribe(self, kind: type[N], handler: Handler[N]) -> Callable[[], None]:
        """Call *handler* with all news of exactly this *kind*; twice is once. Return what ends it."""
        handlers = self._handlers.setdefault(kind, [])
        if handler not in handlers:
            handlers.append(handler)
        return lambda: self.unsubscribe(kind, handler)

    def unsubscribe(self, kind: type[N], handler: Handler[N]) -> None:
        """Call *handler* no more; nothing happens if it was not called anyway."""
        handlers = self._handlers.get(kind, [])
        if handler in handlers:
            handlers.remove(handler)

    def has_subscribers(self, kind: type[News]) -> bool:
        """Tell whether anybody wants to know."""
        return bool(self._handlers.get(kind))

    def clear(self) -> None:
        """Forget all handlers."""
        self._handlers.clear()

    async def publish(self, news: News) -> None:
        """Call each handler in turn; return when the last one has finished."""
        for handler in tuple(self._handlers.get(type(news), ())):
            try:
                outcome = handler(news)
                if inspect.isawaitable(outcome):
                    await outcome
            except Exception as error:  # noqa: BLE001 - one failing handler stops nobody, and is reported
                self._on_error(news, error)
