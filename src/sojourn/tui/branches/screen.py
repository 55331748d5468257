"""The tree of a session: what was said in it, where other branches part, and going to any of it."""

from typing import ClassVar, cast

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Static

from sojourn.desk.rows import session_name
from sojourn.desk.visible import safe
from sojourn.desk.wording import one_line
from sojourn.engine.merge import Strategy
from sojourn.errors import SojournError
from sojourn.tui.branches import merging
from sojourn.tui.branches.comparing import CompareScreen, compare
from sojourn.tui.branches.going import Goal, fork, go
from sojourn.tui.branches.line import FILTERS, Line
from sojourn.tui.branches.nodes import Node, Parts, Rest, Said
from sojourn.tui.branches.offshoots import Offshoot
from sojourn.tui.host import Host
from sojourn.tui.key_line import KeyLine
from sojourn.tui.rows import RowList


class NodeList(RowList[Node]):
    """The tree, and what can be done at the chosen node."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "pick", "go there"),
        Binding("f", "screen.fork", "fork here"),
        Binding("space", "screen.unfold", "unfold"),
        Binding("right", "screen.unfold(True)", "unfold", show=False),
        Binding("left", "screen.unfold(False)", "fold", show=False),
        Binding("equals_sign", "screen.compare", "compare"),
        Binding("m", "screen.merge", "merge"),
        Binding("tab", "screen.filter", "filter"),
    ]


class BranchScreen(Screen[None]):
    """Lives from the key that shows it until one went somewhere, or Esc. The last prompt is chosen at first."""

    AUTO_FOCUS: ClassVar[str | None] = "#branch-list"
    DEFAULT_CSS = """
    BranchScreen #branch-title { height: 1; background: $panel; text-style: bold; padding: 0 1; }
    BranchScreen #branch-filter { height: 1; background: $surface; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "app.pop_screen", "back")]

    def __init__(self) -> None:
        super().__init__()
        self._line: Line | None = None
        self._is_reading = False
        self._is_ready = False
        # Held here: what was being read finds them even if the screen is closed meanwhile.
        self._head = Static("", id="branch-title", markup=False)
        self._choices = Static("", id="branch-filter", markup=False)
        self._list = NodeList(empty="nothing was said yet: the tree grows as you talk", id="branch-list")

    def compose(self) -> ComposeResult:
        yield self._head
        yield self._choices
        yield self._list
        yield KeyLine()

    def on_mount(self) -> None:
        self.watch(self.app, "state", self._moved)

    # --- parts

    @property
    def _app(self) -> Host:
        return cast(Host, self.app)

    @property
    def nodes(self) -> NodeList:
        """The tree."""
        return self._list

    @property
    def is_ready(self) -> bool:
        """Whether the end of the session and its branches are shown."""
        return self._is_ready

    # --- reading

    def _moved(self) -> None:
        """Show the session that is open, and what was said in it since."""
        session = self._app.session
        if session is None:
            self._line, self._is_ready = None, True
            self._draw()
        elif self._line is None or self._line.session is not session:
            self._line, self._is_ready = Line(session), False
            self._read(self._line)
        else:
            self._read_later(self._line)

    @work(exclusive=True, group="tree")
    async def _read(self, line: Line) -> None:
        """Read the end of the session, then find its branches."""
        try:
            await line.read_earlier()
            self._draw(choose=line.last_prompt)
            await line.find_branches()
        except SojournError as error:
            self._app.complain(error)
        self._draw()
        self._is_ready = True

    @work(exclusive=True, group="tree-later")
    async def _read_later(self, line: Line) -> None:
        try:
            await line.read_later()
        except SojournError as error:
            self._app.complain(error)
        self._draw()

    @on(RowList.NearStart)
    def _wants_more(self) -> None:
        if self._line is not None and not self._line.is_whole and not self._is_reading:
            self._read_earlier(self._line)

    @work(group="tree")
    async def _read_earlier(self, line: Line) -> None:
        self._is_reading = True
        try:
            await line.read_earlier()
        except SojournError as error:
            self._app.complain(error)
        finally:
            self._is_reading = False
        self._draw()

    # --- drawing

    def _draw(self, *, choose: tuple[str, int] | None = None) -> None:
        line = self._line
        if not self.is_attached:
            return  # the screen is being taken down
        self.nodes.show(line.nodes(self._app.sojourn.clock.now()) if line is not None else [], choose=choose)
        title = session_name(line.session.state.header) if line is not None else "no session is open"
        self._head.update(safe(f"Branches  {one_line(title)}"))
        text = Text("show ", style="dim")
        for one in FILTERS:
            chosen = line is not None and one == line.filter
            text.append(f"[{one}]" if chosen else f" {one} ", style="bold" if chosen else "dim")
        self._choices.update(text)

    # --- keys

    def action_filter(self) -> None:
        """Show less, or more."""
        line = self._line
        if line is not None:
            line.filter = FILTERS[(FILTERS.index(line.filter) + 1) % len(FILTERS)]
            self._draw()
            self._wants_enough(line)

    def _wants_enough(self, line: Line) -> None:
        if len(self.nodes.rows) < self.size.height and not line.is_whole and not self._is_reading:
            self._read_earlier(line)

    def action_unfold(self, is_open: bool | None = None) -> None:
        """Show what was said in the chosen branch, or hide it; by default whichever it is not."""
        line, branch = self._line, self._branch()
        if line is not None and branch is not None:
            session_id = branch.header.session_id
            line.open(session_id, is_open=not line.is_open(session_id) if is_open is None else is_open)
            self._draw(choose=(session_id, 0))

    def _branch(self) -> Offshoot | None:
        node = self.nodes.chosen
        return node.branch if isinstance(node, Said | Parts) else None

    # --- going somewhere

    @on(RowList.Picked)
    async def _picked(self) -> None:
        node = self.nodes.chosen
        if isinstance(node, Rest):
            self._wants_more()
        elif node is not None and not self._is_busy():
            await self._go_to(node, forks=False)

    async def action_fork(self) -> None:
        """Begin a session that goes on from the chosen node."""
        node = self.nodes.chosen
        if isinstance(node, Said | Parts) and not self._is_busy():
            await self._go_to(node, forks=True)

    async def _go_to(self, node: Said | Parts, *, forks: bool) -> None:
        sessions, store = self._app.sojourn.sessions, self._app.sojourn.store
        try:
            if forks:
                goal = await fork(sessions, store, node)
            else:
                goal = await go(sessions, store, node, is_last=self._is_last(node))
        except SojournError as error:
            self._app.complain(error)
            return
        await self._leave_for(goal)

    async def _leave_for(self, goal: Goal) -> None:
        if self._app.session is None or self._app.session.id != goal.session_id:
            await self._app.open_session(goal.session_id)
        if goal.prompt is not None:
            self._app.chat.prompt.put(goal.prompt)
        if goal.told is not None:
            self._app.notify(goal.told)
        self._app.back_to_chat()

    def _is_last(self, node: Said | Parts) -> bool:
        if isinstance(node, Parts):
            return False
        if node.branch is None:
            return self._line is not None and node.item.seq >= self._line.last
        return not node.branch.is_more and node.item.seq >= node.branch.said[-1].seq

    def _is_busy(self) -> bool:
        """Tell whether an answer is on its way, and say so."""
        if self._app.chat.turns.is_busy:
            self.notify("wait until the answer is there, or stop it with esc in the chat", severity="warning")
            return True
        return False

    # --- two branches

    @work(exclusive=True, group="comparing")
    async def action_compare(self) -> None:
        """Show the chosen branch beside the open session."""
        line, branch = self._line, self._chosen_branch()
        if line is None or branch is None:
            return
        app = self._app.sojourn
        try:
            compared = await compare(app.sessions, app.store, line.session.id, branch.header.session_id)
        except SojournError as error:
            self._app.complain(error)
            return
        self.app.push_screen(CompareScreen(compared))

    def _chosen_branch(self) -> Offshoot | None:
        branch = self._branch()
        if branch is None:
            self.notify("choose a branch first: a line with ├─")
        return branch

    @work(exclusive=True, group="merging")
    async def action_merge(self) -> None:
        """Bring home what the chosen branch has learned, after asking."""
        line, branch = self._line, self._chosen_branch()
        if line is None or branch is None or self._is_busy():
            return
        question = merging.whether(line.session.state.header, branch.header)
        if await self.app.push_screen_wait(question) is None:
            return
        try:
            await self._merge(line, branch)
        except SojournError as error:
            self._app.complain(error)

    async def _merge(self, line: Line, branch: Offshoot) -> None:
        """Merge; if both sides changed something, ask which side decides."""
        sessions, theirs = self._app.sojourn.sessions, branch.header.session_id
        result = await sessions.merge(line.session.id, theirs)
        if not result.merged:
            strategy = await self.app.push_screen_wait(merging.which_side(result))
            if strategy is not None:
                result = await sessions.merge(line.session.id, theirs, strategy=cast(Strategy, strategy))
        self.notify(merging.outcome(result))
