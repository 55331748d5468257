"""The column beside the talk: every panel, one below the other, and one cursor for all of them."""

from typing import ClassVar, Final, cast

from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.geometry import Region
from textual.widgets import Static

from sojourn.errors import SojournError
from sojourn.model.header import SessionHeader
from sojourn.store.protocol import SessionQuery
from sojourn.tui.host import Host
from sojourn.tui.panels.context import ContextPanel
from sojourn.tui.panels.cost import CostPanel
from sojourn.tui.panels.focus import FocusPanel
from sojourn.tui.panels.glance import Glance, Server, look_at_servers
from sojourn.tui.panels.knowledge import KnowledgePanel
from sojourn.tui.panels.panel import HEADING, Panel
from sojourn.tui.panels.profile import ProfilePanel
from sojourn.tui.panels.research import ResearchPanel
from sojourn.tui.panels.rows import ROW
from sojourn.tui.panels.servers import ServersPanel
from sojourn.tui.panels.sessions import SessionsPanel
from sojourn.tui.panels.thinking import ThinkingPanel
from sojourn.tui.panels.variables import VariablesPanel
from sojourn.tui.panels.working_set import WorkingSetPanel

_SESSIONS: Final = 5
_MINUTE: Final = 60.0
_SOON: Final = 2.0
"""Seconds after which the servers are looked at again: they come and go without a word in the journal."""
_PANELS: Final = (
    ContextPanel, FocusPanel, ResearchPanel, ThinkingPanel, WorkingSetPanel, KnowledgePanel, ProfilePanel,
    VariablesPanel, CostPanel, SessionsPanel, ServersPanel,
)  # fmt: skip
_COLOURS: Final = ("primary", "secondary", "accent", "success", "warning", "error")
_ROOM: Final = 72
"""Columns from which on there is room for the talk beside the panels."""
_EMPTY: Final = "What the session knows will stand here: it fills as you talk."


class SidePanel(VerticalScroll, can_focus=True):
    """Every panel. Tab comes here; up and down go from heading to heading, and to the rows that can be chosen."""

    DEFAULT_CSS = """
    SidePanel { scrollbar-size-vertical: 1; }
    SidePanel #nothing { color: $text-muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "step(-1)", "up", show=False),
        Binding("down,j", "step(1)", "down", show=False),
        Binding("enter,space", "act", "open or fold"),
        Binding("left", "fold(True)", "fold", show=False),
        Binding("right", "fold(False)", "unfold", show=False),
        Binding("escape", "leave", "write"),
    ]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - textual's name
        super().__init__(id=id)
        self._panels = [kind() for kind in _PANELS]
        self._nothing = Static(_EMPTY, id="nothing", markup=False)
        self._cursor: tuple[Panel, int] | None = None
        self._sessions: tuple[SessionHeader, ...] = ()
        self._servers: tuple[Server, ...] = ()
        self._listed: object = None
        self._colours: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        yield from self._panels
        yield self._nothing

    def on_mount(self) -> None:
        self._paint()
        self._app.theme_changed_signal.subscribe(self, lambda _: self._paint())
        self.watch(self._app, "state", self._look)
        self.watch(self._app, "filling", self._look)
        self.set_interval(_MINUTE, self._list_sessions)
        if self._app.conversation.mcp is not None:
            self.set_interval(_SOON, self._look)

    def on_show(self) -> None:
        self._fit()
        self._look()

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        """Where there is no room for two columns, be the only one."""
        self.styles.width = "100%" if self.app.size.width < _ROOM else None

    @property
    def _app(self) -> Host:
        return cast(Host, self.app)

    def panel(self, name: str) -> Panel:
        """Return the panel that is called *name*."""
        return next(panel for panel in self._panels if name == panel.NAME)

    # --- looking

    def _look(self) -> None:
        """Draw what changed. Nothing is drawn while nobody sees it."""
        if not self.display or not self.is_mounted:
            return
        state = self._app.state
        servers = look_at_servers(self._app.conversation.mcp)
        if servers != self._servers:
            self._servers = servers
        listed = None if state is None else (state.session_id, state.title, state.header.message_count)
        if listed != self._listed:
            self._listed = listed
            self._list_sessions()
        self._draw()

    def _draw(self) -> None:
        glance = self._glance()
        changed = [panel.show(glance) for panel in self._panels]
        if any(changed):
            self._nothing.display = not any(panel.display for panel in self._panels)
            self._keep_cursor()

    def _glance(self) -> Glance:
        conversation, state = self._app.conversation, self._app.state
        agent = conversation.agent
        return Glance(
            now=self._app.sojourn.clock.now(),
            state=state,
            filling=self._app.filling,
            limits=agent.budget.limits if agent is not None and agent.budget is not None else None,
            sessions=self._sessions,
            servers=self._servers,
            colours=self._colours,
        )

    @work(exclusive=True, group="side-sessions")
    async def _list_sessions(self) -> None:
        """Read which sessions were used last; what is not shown is not read."""
        if not self.display:
            return
        query = SessionQuery(project=self._app.conversation.project.id, limit=4 * _SESSIONS)
        try:
            page = await self._app.sojourn.sessions.list(query)
        except SojournError as error:
            self._app.complain(error)
            return
        current = [row.header for row in page.rows if row.header.superseded_by is None]
        self._sessions = tuple(current[:_SESSIONS])
        self._draw()

    def _paint(self) -> None:
        """Take the colours of the theme."""
        variables = self._app.theme_variables
        self._colours = {name: _rich(variables.get(name, "")) for name in _COLOURS}
        self._look()

    # --- the cursor

    def _stops(self) -> list[tuple[Panel, int]]:
        return [(panel, number) for panel in self._panels if panel.display for number in panel.stops]

    def _keep_cursor(self) -> None:
        if self._cursor is not None and self._cursor not in self._stops():
            self._put_cursor(next(((one, HEADING) for one, _ in self._stops() if one is self._cursor[0]), None))

    def _put_cursor(self, stop: tuple[Panel, int] | None) -> None:
        self._cursor = stop
        for panel in self._panels:
            panel.choose(stop[1] if stop is not None and stop[0] is panel else None)
        if stop is not None:
            line = Region(0, stop[0].virtual_region.y + stop[0].line_of(stop[1]), 1, 2)
            self.scroll_to_region(line, animate=False, force=True)

    def on_focus(self) -> None:
        stops = self._stops()
        if self._cursor not in stops:
            self._cursor = stops[0] if stops else None
        self._put_cursor(self._cursor)

    def on_blur(self) -> None:
        cursor = self._cursor
        self._put_cursor(None)
        self._cursor = cursor

    def action_step(self, by: int) -> None:
        """Go to the heading or row above or below."""
        stops = self._stops()
        if stops:
            place = stops.index(self._cursor) if self._cursor in stops else -1
            self._put_cursor(stops[min(len(stops) - 1, max(0, place + by))])

    def action_act(self) -> None:
        """Fold the panel at its heading; at a row, do what it is for."""
        if self._cursor is not None:
            self._act(*self._cursor)

    def action_fold(self, folded: bool) -> None:
        """Fold the panel that the cursor is in, or unfold it."""
        if self._cursor is not None:
            panel = self._cursor[0]
            panel.fold(folded=folded)
            self._keep_cursor()

    def action_leave(self) -> None:
        """Go back to writing; where the panels took the talk's place, that comes back."""
        if self.app.size.width < _ROOM:
            self.remove_class("wanted")
        self._app.chat.prompt.focus()

    def on_click(self, event: events.Click) -> None:
        number = event.style.meta.get(ROW)
        if isinstance(event.widget, Panel) and isinstance(number, int):
            self._cursor = (event.widget, number)
            self._act(event.widget, number)

    def _act(self, panel: Panel, number: int) -> None:
        row = panel.row(number)
        if row is None:
            panel.fold(folded=not panel.is_folded)
            self._keep_cursor()
        elif row.act is not None:
            self._run(panel, number)

    @work(group="side-acts")
    async def _run(self, panel: Panel, number: int) -> None:
        row = panel.row(number)
        if row is None or row.act is None:
            return
        try:
            await row.act(self._app)
        except SojournError as error:
            self._app.complain(error)
        self._look()


def _rich(colour: str) -> str:
    """Return a colour of the theme as Rich writes it; nothing, for one that it has no name for."""
    return colour if colour.startswith("#") else ""
