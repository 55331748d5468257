"""The last few sessions of the project, to go on in another one."""

from sojourn.desk.wording import ago, count
from sojourn.model.header import SessionHeader
from sojourn.tui.panels.actions import begin_session, open_session
from sojourn.tui.panels.glance import Glance
from sojourn.tui.panels.panel import Panel
from sojourn.tui.panels.rows import Row, written


class SessionsPanel(Panel):
    """What else was talked about lately."""

    NAME = "SESSIONS"

    def concern(self, glance: Glance) -> tuple[object, ...]:
        # The list is read anew every minute: then the ages are right again, too.
        return (glance.sessions,)

    def rows(self, glance: Glance) -> list[Row]:
        here = glance.state.session_id if glance.state is not None else None
        rows = [self._row(header, glance, is_here=header.session_id == here) for header in glance.sessions]
        return [*rows, Row(mark="+", text="new session", style="dim", act=begin_session())] if rows else []

    def _row(self, header: SessionHeader, glance: Glance, *, is_here: bool) -> Row:
        told = f"{count(header.message_count, 'msg')} · {ago(header.updated_at, glance.now)}"
        return Row(
            mark="▶" if is_here else "",
            mark_style=glance.colours.get("accent", ""),
            text=f"{written(header.title or 'no title', most=50)}\n{told}",
            style="bold" if is_here else "",
            act=None if is_here else open_session(header.session_id),
        )
