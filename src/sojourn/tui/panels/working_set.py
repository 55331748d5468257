"""The work at hand: what was decided, what remains to be done, which files were touched, and what is pinned."""

from typing import Final

from sojourn.tui.panels.actions import jump_to, show_screen
from sojourn.tui.panels.glance import Glance
from sojourn.tui.panels.panel import Panel
from sojourn.tui.panels.rows import Row, written

_SHOWN: Final = 5
"""Of each kind, the newest."""


class WorkingSetPanel(Panel):
    """Open tasks, decisions, files and pinned sentences, the newest of each."""

    NAME = "WORK"

    def concern(self, glance: Glance) -> tuple[object, ...]:
        if glance.state is None:
            return (None,) * 4
        work = glance.state.working_set  # its token budget changes with every call, and is not shown here
        return work.pinned_facts, work.open_tasks, work.decisions, work.files_touched

    def rows(self, glance: Glance) -> list[Row]:
        if glance.state is None:
            return []
        work = glance.state.working_set
        tasks = [
            Row(mark="☐", text=written(one.text), act=jump_to(one.seq)) for one in work.open_tasks[: -_SHOWN - 1 : -1]
        ]
        decisions = [
            Row(mark="⇒", text=written(one.text), act=jump_to(one.seq)) for one in work.decisions[: -_SHOWN - 1 : -1]
        ]
        files = [
            Row(mark="▤", text=f"{_path(one.path)} ({written(one.action, most=12)})", style="dim", act=jump_to(one.seq))
            for one in work.files_touched[: -_SHOWN - 1 : -1]
        ]
        pinned = [
            Row(mark="⚑", text=written(text), act=show_screen("review"))
            for text in work.pinned_facts[: -_SHOWN - 1 : -1]
        ]
        rows = []
        for shown, total in (
            (pinned, len(work.pinned_facts)),
            (tasks, len(work.open_tasks)),
            (decisions, len(work.decisions)),
            (files, len(work.files_touched)),
        ):
            rows += shown
            if total > len(shown):
                rows.append(Row(mark="⋯", text=f"{total - len(shown)} more", style="dim"))
        return rows


def _path(path: str) -> str:
    """Return the end of a path, which tells most."""
    told = written(path, most=1_000)
    return told if len(told) <= 60 else f"…{told[-59:]}"
