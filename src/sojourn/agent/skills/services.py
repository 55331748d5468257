"""What skills may need of the agent that runs them: its session, its settings, whatever a program puts there."""

from typing import Any, Final

SESSION: Final = "session"
"""The live session: a `sojourn.Session`."""
CANCELLATION: Final = "cancellation"
"""What tells the turn to stop: a `CancellationToken`."""


class ServiceContainer:
    """Things by name. One belongs to one agent, and lives as long as it; what it holds is not closed by it."""

    def __init__(self, services: dict[str, Any] | None = None) -> None:
        self._services: dict[str, Any] = dict(services or {})

    def __repr__(self) -> str:
        return f"ServiceContainer({', '.join(self._services)})"

    @property
    def names(self) -> tuple[str, ...]:
        """What there is, in the order in which it came."""
        return tuple(self._services)

    def get(self, name: str, default: Any = None) -> Any:
        """Return what is there under *name*, or *default*."""
        return self._services.get(name, default)

    def require(self, name: str) -> Any:
        """Return what is there under *name*.

        Raises:
            KeyError: there is nothing.
        """
        if name not in self._services:
            raise KeyError(f"no service {name!r:.100} is registered")
        return self._services[name]

    def register(self, name: str, service: Any) -> None:
        """Put *service* there under *name*, in place of what was."""
        self._services[name] = service

    def has(self, name: str) -> bool:
        """Tell whether something is there under *name*."""
        return name in self._services

    def unregister(self, name: str) -> Any:
        """Take away what is there under *name*, and return it; None if there was nothing."""
        return self._services.pop(name, None)

    def clear(self) -> None:
        """Take everything away."""
        self._services.clear()
