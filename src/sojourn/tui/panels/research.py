"""What is being researched, step by step, and what was researched before."""

from typing import Final

from sojourn.model.events import PlanStep
from sojourn.model.research import Research, ResearchHeader
from sojourn.tui.panels.actions import jump_to
from sojourn.tui.panels.glance import Glance
from sojourn.tui.panels.panel import Panel
from sojourn.tui.panels.rows import Gauge, Row, written

_SHOWN: Final = 3
_AROUND: Final = 7
"""Steps that are shown of a long plan."""
_MARKS: Final = {"pending": "○", "in_progress": "◌", "completed": "✔", "skipped": "–", "failed": "✗"}


class ResearchPanel(Panel):
    """How far the research has come."""

    NAME = "RESEARCH"

    def concern(self, glance: Glance) -> tuple[object, ...]:
        return (glance.state.research if glance.state is not None else None,)

    def head(self, glance: Glance) -> str:
        active = glance.state.active_research if glance.state is not None else None
        if active is None or not active.steps:
            return ""
        return f"{_done(active)} of {len(active.steps)}"

    def rows(self, glance: Glance) -> list[Row]:
        if glance.state is None:
            return []
        active = glance.state.active_research
        rows = [] if active is None else _rows_of(active, glance.colours.get("primary", ""))
        return rows + [_row_of(past) for past in glance.state.research_history[: -_SHOWN - 1 : -1]]


def _rows_of(research: Research, colour: str) -> list[Row]:
    rows = [Row(mark="?", text=written(research.query), act=jump_to(research.seq))]
    if research.steps:
        rows.append(Row(text=Gauge([("█", _done(research))], len(research.steps), style=colour)))
    before, shown, after = _window(research)
    if before:
        rows.append(Row(mark="⋯", text=f"{before} before", style="dim"))
    rows += [_step(step, is_current=step.id == research.current_step_id) for step in shown]
    if after:
        rows.append(Row(mark="⋯", text=f"{after} to come", style="dim"))
    return rows


def _window(research: Research) -> tuple[int, tuple[PlanStep, ...], int]:
    """Return the steps around the current one, and how many there are before and after them."""
    steps = research.steps
    current = next((place for place, step in enumerate(steps) if step.id == research.current_step_id), 0)
    start = max(0, min(current - _AROUND // 2, len(steps) - _AROUND))
    shown = steps[start : start + _AROUND]
    return start, shown, len(steps) - start - len(shown)


def _step(step: PlanStep, *, is_current: bool) -> Row:
    current = is_current and step.status == "in_progress"
    style = "bold" if current else "dim" if step.status in {"completed", "skipped"} else ""
    return Row(mark=_MARKS[step.status], text=written(step.description), style=style)


def _done(research: Research) -> int:
    return sum(step.status == "completed" for step in research.steps)


def _row_of(past: ResearchHeader) -> Row:
    told = f"{written(past.query, most=60)} ({past.steps_completed} of {past.steps})"
    return Row(mark="✔", text=told, style="dim", act=jump_to(past.ended_seq))
