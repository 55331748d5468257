"""The list of sessions, and what can be done to the chosen one: name it, tag it, put it away, and take that back."""

from collections.abc import Awaitable
from typing import ClassVar, cast

from textual.binding import Binding, BindingType
from textual.message import Message

from sojourn.desk.visible import safe
from sojourn.errors import SojournError
from sojourn.model.ids import SessionId
from sojourn.tui.finder.housekeeping import Housekeeping
from sojourn.tui.finder.lines import SessionLine
from sojourn.tui.finder.view import Place
from sojourn.tui.host import Host
from sojourn.tui.rows import RowList


class SessionList(RowList[SessionLine]):
    """Lives as long as its screen. *place* is where the sessions are that it shows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "pick", "open"),
        Binding("f", "screen.fork", "fork"),
        Binding("r", "screen.ask('rename')", "rename"),
        Binding("t", "screen.ask('tag')", "tag"),
        Binding("a", "archive", "archive"),
        Binding("a", "unarchive", "unarchive"),
        Binding("d,delete", "throw_away", "trash"),
        Binding("d,delete", "restore", "restore"),
        Binding("u", "undo", "undo"),
        Binding("space", "screen.preview", "preview"),
        Binding("v", "screen.place", "active/archived/trash", show=False),
        Binding("s", "screen.sort", "sort", show=False),
        Binding("n", "screen.begin", "new"),
        Binding("slash", "screen.search", "search"),
    ]

    class Changed(Message):
        """Something about a session has changed."""

        def __init__(self, session_id: SessionId) -> None:
            super().__init__()
            self.session_id = session_id

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - textual's name
        super().__init__(id=id)
        self.place: Place = "active"
        self._left: SessionId | None = None

    def on_mount(self) -> None:
        self._care = Housekeeping(self._app.sojourn.sessions)

    @property
    def _app(self) -> Host:
        return cast(Host, self.app)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - textual's
        """Offer what can be done to a session where it is."""
        match action:
            case "archive":
                return self.place == "active"
            case "unarchive":
                return self.place == "archived"
            case "throw_away":
                return self.place != "trash"
            case "restore":
                return self.place == "trash"
            case _:
                return True

    # --- what can be done

    async def rename(self, title: str) -> bool:
        """Give the chosen session a title; tell whether it has it."""
        line = self.chosen
        return line is not None and await self._do(line, self._care.rename(line.header, title.strip()))

    async def tag(self, written: str) -> bool:
        """Let the chosen session have these tags, which commas part, and no others; tell whether it has them."""
        line = self.chosen
        tags = list(dict.fromkeys(tag.strip() for tag in written.split(",") if tag.strip()))
        return line is not None and await self._do(line, self._care.tag(line.header, tags))

    async def action_archive(self) -> None:
        """Put the chosen session aside."""
        if (line := self.chosen) is not None:
            await self._do(line, self._care.archive(line.header))

    async def action_unarchive(self) -> None:
        """Take the chosen session out of the archive."""
        if (line := self.chosen) is not None:
            await self._do(line, self._care.unarchive(line.header))

    async def action_throw_away(self) -> None:
        """Throw the chosen session into the trash. If it is the one that is open, it is left first."""
        line, app = self.chosen, self._app
        if line is None:
            return
        is_open = app.session is not None and app.session.id == line.key
        if is_open and app.chat.turns.is_busy:
            self.notify("it is being answered: wait, or stop it with esc in the chat", severity="warning")
        elif await self._do(line, self._care.throw_away(line.header)) and is_open:
            await app.action_new_session()
            self._left = line.key

    async def action_restore(self) -> None:
        """Take the chosen session out of the trash."""
        if (line := self.chosen) is not None:
            await self._do(line, self._care.restore(line.header))

    async def action_undo(self) -> None:
        """Take back what was done last."""
        try:
            undone = await self._care.undo()
        except SojournError as error:
            self._app.complain(error)
            return
        if undone is None:
            self.notify("there is nothing to take back")
            return
        session_id, said = undone
        if session_id == self._left and self._app.session is None:
            await self._app.open_session(session_id)  # it was open when it was thrown away
        self.notify(safe(said), markup=False)
        self.post_message(self.Changed(session_id))

    async def _do(self, line: SessionLine, act: Awaitable[str]) -> bool:
        """Do something to a session and say what; tell whether it was done."""
        before = self._care.steps
        try:
            said = await act
        except SojournError as error:
            self._app.complain(error)
            return False
        self.notify(safe(f"{said}; u takes it back" if self._care.steps > before else said), markup=False)
        self.post_message(self.Changed(line.key))
        return True
