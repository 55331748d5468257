"""Named values that the agent keeps between turns."""

from typing import Any, Final

from msgspec.structs import replace

from sojourn.model.entry import Entry
from sojourn.model.events import VariableRemoved, VariableSet
from sojourn.model.value import Value

MAX_VARIABLES: Final = 200


class Variables(Value, frozen=True, kw_only=True):
    """At most 200 variables, the last set ones; a value is any JSON."""

    values: dict[str, Any] = {}

    def apply(self, entry: Entry) -> "Variables":
        """Return the variables after *entry*."""
        match entry.event:
            case VariableSet(name=name, value=value):
                kept = {known: old for known, old in self.values.items() if known != name}
                return replace(self, values=dict([*kept.items(), (name, value)][-MAX_VARIABLES:]))
            case VariableRemoved(name=name):
                return replace(self, values={known: old for known, old in self.values.items() if known != name})
            case _:
                return self
