"""How the question at hand is thought about: how hard it was judged, what was tried, and how good that was."""

from typing import Final

from sojourn.model.reasoning import complexity_from
from sojourn.model.research import Attempt
from sojourn.tui.panels.glance import Glance
from sojourn.tui.panels.panel import Panel
from sojourn.tui.panels.rows import Row, written

_MARKS: Final = {"in_progress": "◌", "completed": "✔", "failed": "✗"}
_SHOWN: Final = 4


class ThinkingPanel(Panel):
    """The analysis and the attempts of the research that is going on."""

    NAME = "THINKING"

    def concern(self, glance: Glance) -> tuple[object, ...]:
        return (glance.state.active_research if glance.state is not None else None,)

    def rows(self, glance: Glance) -> list[Row]:
        active = glance.state.active_research if glance.state is not None else None
        if active is None:
            return []
        rows = []
        if active.complexity:
            analysis = complexity_from(active.complexity)
            rows.append(Row(mark="∴", text=f"judged {analysis.complexity_level}, {analysis.confidence:.0%} sure"))
            if analysis.rationale:
                rows.append(Row(text=written(analysis.rationale), style="dim"))
        rows += [_row(attempt) for attempt in active.attempts[-_SHOWN:]]
        for gap in active.insights.get("knowledge_gaps", ())[-2:]:
            rows.append(Row(mark="?", text=f"missing: {written(gap)}", style="dim"))
        if active.tool_run_count:
            failed = sum(not run.success for run in active.tool_runs)
            told = f"{active.tool_run_count:,} tool runs" + (f", {failed} failed" if failed else "")
            rows.append(Row(mark="▹", text=told, style="dim"))
        return rows


def _row(attempt: Attempt) -> Row:
    quality = f"{attempt.quality_score:.0%}" if attempt.quality_score is not None else ""
    text = attempt.strategy.replace("_", " ") + (f": {written(attempt.outcome, most=60)}" if attempt.outcome else "")
    return Row(mark=_MARKS.get(attempt.status, "→"), text=text, right=quality)
