"""What the model was shown last: how much of its window that fills, and with what."""

from typing import Final

from rich.text import Text

from sojourn.context.context import Context
from sojourn.desk.figures import amount, percent
from sojourn.tui.panels.glance import Glance
from sojourn.tui.panels.panel import Panel
from sojourn.tui.panels.rows import Flow, Gauge, Row

_PARTS: Final = (
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
        return glance.context, glance.window

    def head(self, glance: Glance) -> str:
        context = glance.context
        if context is None:
            return ""
        window = context.window or glance.window
        sign = "~" if glance.is_guess or context.tokens.certainty == "estimated" else ""
        told = f"{sign}{amount(context.tokens.count)}"
        if window is None:
            return f"{told} tokens"
        return f"{told} / {amount(window)}  {percent(context.tokens.count, window)}"

    def rows(self, glance: Glance) -> list[Row]:
        context = glance.context
        if context is None or not context.tokens.count:
            return []
        parts = _parts(context)
        whole = context.window or glance.window or sum(tokens for _, _, tokens in parts)
        bar = Gauge([(sign, tokens) for sign, _, tokens in parts], whole, style=glance.colours.get("primary", ""))
        told = [
            Text.assemble((sign, glance.colours.get("primary", "")), f" {name} {amount(tokens)}")
            for sign, name, tokens in parts
        ]
        rows = [Row(text=bar), Row(text=Flow(told))]
        left_out = sum(one.section == "messages" for one in context.dropped)
        if left_out:
            rows.append(Row(mark="⋯", text=f"{left_out:,} older messages do not fit", style="dim"))
        if glance.is_guess:
            rows.append(Row(text="an estimate, until something is said", style="dim"))
        return rows


def _parts(context: Context) -> list[tuple[str, str, int]]:
    tokens: dict[str, int] = {section.name: section.tokens for section in context.sections}
    found = [(sign, name, sum(tokens.get(one, 0) for one in sections)) for sign, name, sections in _PARTS]
    return [part for part in found if part[2]]
