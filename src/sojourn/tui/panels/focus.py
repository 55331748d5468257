"""What is worked on, and what was mentioned."""

from typing import Final

from sojourn.tui.panels.glance import Glance
from sojourn.tui.panels.panel import Panel
from sojourn.tui.panels.rows import Row, written

_SHOWN: Final = 6


class FocusPanel(Panel):
    """The focus, the topic, the entities that were mentioned last, and the short-term memory."""

    NAME = "FOCUS"

    def concern(self, glance: Glance) -> tuple[object, ...]:
        state = glance.state
        return (None, None) if state is None else (state.working_memory, state.interaction_context.current_topic)

    def rows(self, glance: Glance) -> list[Row]:
        state = glance.state
        if state is None:
            return []
        rows = []
        context = state.focus_context
        label = context.get("label") or context.get("title") or state.focus_id
        if label or state.focus_type != "general":
            kind = "" if state.focus_type == "general" else f"{state.focus_type} "
            rows.append(Row(mark="◎", text=written(f"{kind}{label or ''}".strip())))
        if state.interaction_context.current_topic:
            rows.append(Row(mark="#", text=written(state.interaction_context.current_topic)))
        rows += [
            Row(mark="·", text=f"{written(one.title or one.id)} ({written(one.type, most=20)})", style="dim")
            for one in state.referenced_entities[: -_SHOWN - 1 : -1]
        ]
        if state.short_term_memory:
            rows.append(Row(mark="…", text=written(state.short_term_memory, most=160), style="dim"))
        return rows
