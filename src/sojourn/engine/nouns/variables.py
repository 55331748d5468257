"""Named values that the agent keeps between turns: `session.variables`."""

import copy
from collections.abc import Iterable
from typing import Any

from sojourn.engine.inputs import MAX_NAME, check_text
from sojourn.engine.live import Live
from sojourn.errors import NotFoundError
from sojourn.model.events import VariableRemoved, VariableSet


class VariablesNoun:
    """Read like a dict; what is read is a copy. Set and removed by methods, because that is durable and takes time."""

    def __init__(self, session: Live) -> None:
        self._session = session

    def __getitem__(self, name: str) -> Any:
        try:
            return copy.deepcopy(self._session.state.variables.values[name])
        except KeyError:
            raise NotFoundError(f"there is no variable {name!r:.100}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._session.state.variables.values

    def __len__(self) -> int:
        return len(self._session.state.variables.values)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a copy of the variable's value, or *default*."""
        return copy.deepcopy(self._session.state.variables.values.get(name, default))

    def to_dict(self) -> dict[str, Any]:
        """Return a copy of all variables."""
        return copy.deepcopy(self._session.state.variables.values)

    async def set(self, name: str, value: Any, *, causes: Iterable[int] = ()) -> None:
        """Give a variable a value, any JSON."""
        check_text(name, "a variable's name", most=MAX_NAME)
        await self._session.append(VariableSet(name=name, value=value), causes=causes)

    async def remove(self, name: str, *, causes: Iterable[int] = ()) -> None:
        """Remove a variable, if there is one of that name."""
        if name in self:
            await self._session.append(VariableRemoved(name=name), causes=causes)
