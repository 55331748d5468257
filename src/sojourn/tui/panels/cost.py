"""What the session cost: on what, how much of it came from a cache, and what it may cost."""

from rich.text import Text

from sojourn.desk.figures import amount, percent
from sojourn.desk.spending import cost_of
from sojourn.desk.wording import count, money
from sojourn.model.statistics import SessionMetadata
from sojourn.tui.panels.actions import show_screen
from sojourn.tui.panels.glance import Glance
from sojourn.tui.panels.panel import Panel
from sojourn.tui.panels.rows import Gauge, Row


class CostPanel(Panel):
    """Money and tokens by purpose."""

    NAME = "COST"

    def concern(self, glance: Glance) -> tuple[object, ...]:
        if glance.state is None:
            return (None, None, glance.limits)
        return glance.state.metadata, glance.state.working_set.token_budget.limit, glance.limits

    def head(self, glance: Glance) -> str:
        if glance.state is None:
            return ""
        return cost_of(glance.state.metadata)

    def rows(self, glance: Glance) -> list[Row]:
        state = glance.state
        if state is None or not state.metadata.tokens_by_purpose:
            return []
        spent = state.metadata
        rows = [
            Row(text=f"{purpose}  {amount(tokens)}", right=_cost(spent, purpose), act=show_screen("spending"))
            for purpose, tokens in spent.tokens_by_purpose.items()
        ]
        sent = spent.input_tokens + spent.cache_creation_tokens + spent.cache_read_tokens
        told = f"in {amount(sent)} · out {amount(spent.output_tokens)}"
        if spent.cache_read_tokens:
            told += f" · cache {percent(spent.cache_read_tokens, sent)}"
        rows.append(Row(text=told, style="dim"))
        if spent.unpriced_calls:
            rows.append(Row(text=f"{count(spent.unpriced_calls, 'call')} without a known price", style="dim"))
        return [*rows, *_budget(glance)]


def _cost(spent: SessionMetadata, purpose: str) -> str:
    micros = spent.cost_micros.get(purpose)
    return "–" if micros is None and spent.unpriced_calls else money(micros or 0)


def _budget(glance: Glance) -> list[Row]:
    """Return how much of what may be spent is spent, if there is a limit."""
    state, limits = glance.state, glance.limits
    if state is None:
        return []
    rows: list[Row] = []
    colour = glance.colours.get("primary", "")
    tokens = state.working_set.token_budget.limit
    if tokens is None and limits is not None:
        tokens = limits.session_tokens
    if tokens is not None:
        used = state.working_set.token_budget.used
        rows.append(Row(text=f"budget {amount(used)} of {amount(tokens)} tokens"))
        rows.append(Row(text=Gauge([("█", min(used, tokens))], max(tokens, 1), style=colour)))
    if limits is not None and limits.session_micros is not None:
        spent = sum(state.metadata.cost_micros.values())
        most = limits.session_micros
        rows.append(Row(text=Text(f"budget {money(spent)} of {money(most)}")))
        rows.append(Row(text=Gauge([("█", min(spent, most))], max(most, 1), style=colour)))
    return rows
