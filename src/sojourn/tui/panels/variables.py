"""The values that the agent keeps between turns."""

from typing import Final

import msgspec

from sojourn.tui.panels.glance import Glance
from sojourn.tui.panels.panel import Panel
from sojourn.tui.panels.rows import Row, written

_SHOWN: Final = 8


class VariablesPanel(Panel):
    """The variables that were set last."""

    NAME = "VARIABLES"

    def concern(self, glance: Glance) -> tuple[object, ...]:
        return (glance.state.variables if glance.state is not None else None,)

    def head(self, glance: Glance) -> str:
        return str(len(glance.state.variables.values)) if glance.state is not None else ""

    def rows(self, glance: Glance) -> list[Row]:
        if glance.state is None:
            return []
        newest = list(glance.state.variables.values.items())[: -_SHOWN - 1 : -1]
        return [
            Row(mark="·", text=f"{written(name, most=30)} = {written(msgspec.json.encode(value).decode(), most=60)}")
            for name, value in newest
        ]
