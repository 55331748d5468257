"""What the model was shown last: how much of its window that fills, and with what."""

from typing import Final

from rich.text import Text

from sojourn.desk.figures import amount, percent
from sojourn.tui.filling import Filling
from sojourn.tui.panels.glance import Glance
from sojourn.tui.panels.panel import Panel
from sojourn.tui.panels.rows import Flow, Gauge, Row

_TOOLS: Final = "tools"
_PARTS: Final = (
    ("▚", "tools", (_TOOLS,)),
    ("█", "system", ("system", "pinned")),
    ("▓", "summary", ("summary",)),
    ("▒", "known", ("profile", "facts", "focus", "working_set", "interaction", "research", "research_history")),
    ("░", "recalled", ("retrieved",)),
    ("■", "messages", ("messages",)),
)
"""How each part is drawn in the bar, what it is called, and which sections of a context it is made of."""


class ContextPanel(Panel):
    """How full the model's context is."""

    NAME = "CONTEXT"

    def concern(self, glance: Glance) -> tuple[object, ...]:
        return (glance.filling,)

    def head(self, glance: Glance) -> str:
        filling = glance.filling
        if filling is None:
            return ""
        if filling.window is None:
            return filling.share
        told = f"{filling.sign}{amount(filling.tokens)}"
        return f"{told} / {amount(filling.window)}  {percent(filling.tokens, filling.window)}"

    def rows(self, glance: Glance) -> list[Row]:
        filling = glance.filling
        if filling is None or not filling.tokens:
            return []
        parts = _parts(filling)
        whole = filling.window or sum(tokens for _, _, tokens in parts)
        bar = Gauge([(sign, tokens) for sign, _, tokens in parts], whole, style=glance.colours.get("primary", ""))
        told = [
            Text.assemble((sign, glance.colours.get("primary", "")), f" {name} {amount(tokens)}")
            for sign, name, tokens in parts
        ]
        rows = [Row(text=bar), Row(text=Flow(told))]
        if any(one.section == "messages" for one in filling.context.dropped):
            rows.append(Row(mark="⋯", text="older messages do not fit", style="dim"))
        if filling.is_guess:
            rows.append(Row(text="an estimate, until something is said", style="dim"))
        return rows


def _parts(filling: Filling) -> list[tuple[str, str, int]]:
    tokens: dict[str, int] = {section.name: section.tokens for section in filling.context.sections}
    tokens[_TOOLS] = filling.tools
    found = [(sign, name, sum(tokens.get(one, 0) for one in sections)) for sign, name, sections in _PARTS]
    return [part for part in found if part[2]]
