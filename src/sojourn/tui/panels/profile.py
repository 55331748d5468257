"""Who the user is, as far as that is known."""

from typing import Final

from sojourn.model.profile import LISTS, SCALARS
from sojourn.tui.panels.glance import Glance
from sojourn.tui.panels.panel import Panel
from sojourn.tui.panels.rows import Row, written

_NAMES: Final = {
    "expertise_level": "level",
    "programming_languages": "languages",
    "communication_style": "style",
    "current_project": "project",
    "project_tech_stack": "stack",
}
_UNSURE: Final = 0.8


class ProfilePanel(Panel):
    """The fields that are known; those that are not sure are marked."""

    NAME = "PROFILE"

    def concern(self, glance: Glance) -> tuple[object, ...]:
        return (glance.state.user_profile if glance.state is not None else None,)

    def rows(self, glance: Glance) -> list[Row]:
        if glance.state is None:
            return []
        profile = glance.state.user_profile
        sure = profile.confidence_scores
        rows = []
        for name in (*SCALARS, *LISTS):
            value = getattr(profile, name)
            if value:
                told = ", ".join(value) if isinstance(value, tuple) else str(value)
                mark = "●" if sure.get(name, 0.0) > _UNSURE else "○"
                label = _NAMES.get(name, name)
                rows.append(Row(mark=mark, mark_style="dim", text=f"{label}: {written(told)}"))
        return rows
