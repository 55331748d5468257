"""The line at the bottom: which model, how full its context is, what it cost, what is known."""

from rich.text import Text
from textual.widgets import Static

from sojourn.context.tokens import Tokens
from sojourn.desk.visible import safe
from sojourn.desk.wording import count, money, one_line
from sojourn.model.state import SessionState


class StatusBar(Static):
    """One line about the open session. It is drawn anew when something changes."""

    def show(
        self,
        state: SessionState | None,
        *,
        model: str,
        tokens: Tokens | None,
        window: int | None,
        busy: bool,
        waiting: int,
    ) -> None:
        """Say where things stand. *tokens* is what the model was sent last; without a *window* there is no share."""
        parts = ["● answering (esc stops)" if busy else "○ ready", safe(one_line(model, most=40))]
        if tokens is not None:
            parts.append(f"context {tokens.count / window:.0%}" if window else f"context {tokens} tokens")
        if state is not None:
            parts.append(money(state.header.cost_micros))
            parts.append(count(len(state.knowledge_base.facts), "fact"))
            if state.focus_id is not None:
                parts.append(f"focus: {safe(one_line(state.focus_id, most=30))}")
        if waiting:
            parts.append(f"{waiting} waiting")
        self.update(Text(" · ".join(parts), no_wrap=True, overflow="ellipsis"))
