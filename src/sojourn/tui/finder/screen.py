"""The screen on which a session is found: a search box, filters, the sessions, and a look into the chosen one.

Titles are searched as one types; what was said is searched behind it and joins the list when it is found.
"""

import asyncio
from dataclasses import replace
from typing import ClassVar, Final, cast

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import HorizontalGroup
from textual.screen import Screen
from textual.widgets import Input, Static

from sojourn.desk.visible import safe
from sojourn.errors import SojournError
from sojourn.model.ids import SessionId
from sojourn.tui.finder.filters import Filters
from sojourn.tui.finder.found import Found
from sojourn.tui.finder.glance import GlanceView, glance_at
from sojourn.tui.finder.lines import SessionLine, heading
from sojourn.tui.finder.sessions import SessionList
from sojourn.tui.finder.view import View
from sojourn.tui.host import Host
from sojourn.tui.key_line import KeyLine
from sojourn.tui.rows import RowList

_PAUSE: Final = 0.15
"""Seconds without a key before what was said is searched."""
_LOW: Final = 18
"""Lines of a screen on which there is no room for a look into a session."""


class FinderScreen(Screen[None]):
    """Lives from the key that shows it until something was opened, or Esc."""

    AUTO_FOCUS: ClassVar[str | None] = "#finder-words"
    DEFAULT_CSS = """
    FinderScreen #finder-head { height: 1; background: $panel; }
    FinderScreen #finder-head Static { width: auto; padding: 0 1; text-style: bold; }
    FinderScreen #finder-words { width: 1fr; background: $panel; }
    FinderScreen #finder-count { width: 20; text-align: right; color: $text-muted; text-style: none; }
    FinderScreen #finder-heading { height: 1; color: $text-muted; padding: 0 0 0 2; }
    FinderScreen #finder-ask { display: none; border: round $accent; height: 3; }
    FinderScreen #finder-ask.asking { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "scope", "scope", priority=True),
        Binding("shift+tab", "place", "show", priority=True),
        Binding("ctrl+s", "sort", "sort"),
        Binding("down", "into_list(1)", "sessions", show=False),
        Binding("up", "into_list(-1)", "sessions", show=False),
        Binding("pagedown", "into_list(0)", "sessions", show=False),
        Binding("escape", "back", "back"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._found: Found | None = None
        self._asked: str | None = None
        self._searching = True
        # Held here: what was being looked for finds them even if the screen is closed meanwhile.
        self._words = Input(placeholder="a title, or what was said", compact=True, id="finder-words")
        self._count = Static("", id="finder-count", markup=False)
        self._filters = Filters(id="finder-filters")
        self._heading = Static("", id="finder-heading", markup=False)
        self._sessions = SessionList(id="finder-list")
        self._preview = GlanceView(id="finder-glance")
        self._ask = Input(id="finder-ask")

    def compose(self) -> ComposeResult:
        with HorizontalGroup(id="finder-head"):
            yield Static("Find", markup=False)
            yield self._words
            yield self._count
        yield self._filters
        yield self._heading
        yield self._sessions
        yield self._preview
        yield self._ask
        yield KeyLine()

    def on_mount(self) -> None:
        self._view = View(project=self._app.conversation.project.id)
        self._find()

    # --- parts

    @property
    def _app(self) -> Host:
        return cast(Host, self.app)

    @property
    def sessions(self) -> SessionList:
        """The sessions."""
        return self._sessions

    @property
    def view(self) -> View:
        """What is looked for."""
        return self._view

    @property
    def is_searching(self) -> bool:
        """Whether there may be more to come for the words that were typed."""
        return self._searching

    # --- finding

    @on(Input.Changed, "#finder-words")
    def _typed(self, event: Input.Changed) -> None:
        self._look_at(replace(self._view, text=event.value.strip()))

    def _look_at(self, view: View) -> None:
        before = self._view
        if view != before:
            self._view, self.sessions.place = view, view.place
            self._searching = True
            if replace(view, text=before.text) != before:
                self.refresh_bindings()
                self._draw_filters()
            self._find()

    @work(exclusive=True, group="finding")
    async def _find(self) -> None:
        """Show the sessions of the view: by their titles at once, then by what was said in them."""
        found = Found(self._app.sojourn, self._view, here=self._app.conversation.project)
        self._found = found
        try:
            await found.read_on()
            self._draw(afresh=True)
            if found.view.text:
                await asyncio.sleep(_PAUSE)
                await found.search()
                self._draw()
            await found.count_forks()
        except SojournError as error:
            self._app.complain(error)
        self._searching = False
        self._draw()

    @on(RowList.NearEnd)
    def _wants_more(self) -> None:
        if self._found is not None and not self._found.is_whole:
            self._read_on(self._found)

    @work(exclusive=True, group="reading")
    async def _read_on(self, found: Found) -> None:
        try:
            await found.read_on()
            self._draw_if_current(found)
            await found.count_forks()
        except SojournError as error:
            self._app.complain(error)
        self._draw_if_current(found)

    def _draw_if_current(self, found: Found) -> None:
        if found is self._found:
            self._draw()

    # --- drawing

    def on_resize(self) -> None:
        self._preview.display = self.size.height >= _LOW
        self._draw_filters()

    def _draw_filters(self) -> None:
        self._filters.show(self._view, columns=self.size.width)
        columns, everywhere = self.sessions.scrollable_content_region.width - 2, self._view.scope == "all"
        self._heading.update(heading(columns, shows_project=everywhere))

    def _draw(self, *, afresh: bool = False, choose: SessionId | None = None) -> None:
        """Show what was found; *afresh* from the top."""
        found = self._found
        if found is None or not self.is_attached:
            return  # the screen is not there yet, or is being taken down
        lines = self._lines(found)
        first = lines[0].key if lines and afresh else None
        self.sessions.show(lines, choose=choose or first, empty="searching …" if self._searching else found.nothing())
        more = "" if found.is_whole else "+"
        number = f"{len(lines):,}{more} {'session' if len(lines) == 1 else 'sessions'}"
        self._count.update(f"{number}{' …' if self._searching else ''}", layout=False)

    def _lines(self, found: Found) -> list[SessionLine]:
        session = self._app.session
        return found.lines(is_open=session.id if session is not None else None)

    @on(RowList.Moved)
    def _moved(self) -> None:
        line = self.sessions.chosen
        if line is None:
            self._preview.update("")
        else:
            self._glance(line)

    @work(exclusive=True, group="glancing")
    async def _glance(self, line: SessionLine) -> None:
        at = line.match.seq if line.match is not None else None
        try:
            glance = await glance_at(self._app.sojourn.store, line.header, at=at)
        except SojournError as error:
            self._preview.update(safe(str(error)), layout=False)
            return
        self._preview.show(line, glance)

    # --- keys that change what is shown

    def action_scope(self) -> None:
        """Look into every project, or only into this one."""
        self._look_at(self._view.next_scope())

    def action_place(self) -> None:
        """Show what was archived, what was thrown away, or neither."""
        self._look_at(self._view.next_place())

    def action_sort(self) -> None:
        """Sort by the last activity, by the beginning, or by the cost."""
        self._look_at(self._view.next_sort())

    def action_into_list(self, by: int) -> None:
        """Go from the search box to the sessions."""
        self.sessions.focus()
        self.sessions.action_step(by)

    def action_search(self) -> None:
        """Go to the search box."""
        self._words.focus()

    def action_preview(self) -> None:
        """Show more of the chosen session, or less."""
        view = self._preview
        view.toggle_class("large")
        view.display = view.is_large or self.size.height >= _LOW
        self._moved()

    def action_back(self) -> None:
        """Leave what was asked for; then leave the screen."""
        if self._asked is not None:
            self._stop_asking()
        else:
            self.dismiss()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - textual's
        """Leave the view as it is while something is asked."""
        return self._asked is None or action not in {"scope", "place", "sort", "into_list"}

    # --- opening

    @on(RowList.Picked)
    async def _picked(self) -> None:
        await self._open()

    @on(Input.Submitted, "#finder-words")
    async def _entered(self) -> None:
        await self._open()

    async def _open(self) -> None:
        """Go on in the chosen session, at what was found in it."""
        line = self.sessions.chosen
        if line is None or self._is_busy():
            return
        if line.header.trashed_at is not None:
            self.notify("it is in the trash: d takes it out", severity="warning")
        elif line.header.superseded_by is not None:
            await self._fork(line, "a fork of what was left behind; the rest stays as it is")
        else:
            await self._go_to(line.key, at=line.match.seq if line.match is not None else None)

    async def action_fork(self) -> None:
        """Go on in a fork of the chosen session."""
        line = self.sessions.chosen
        if line is not None and not self._is_busy():
            await self._fork(line, "a fork: the other session stays as it is")

    async def _fork(self, line: SessionLine, said: str) -> None:
        try:
            forked = await self._app.sojourn.sessions.fork(line.key)
        except SojournError as error:
            self._app.complain(error)
            return
        await self._go_to(forked.id, at=line.match.seq if line.match is not None else None)
        self._app.notify(said)

    async def _go_to(self, session_id: SessionId, *, at: int | None) -> None:
        await self._app.open_session(session_id, at=at)
        if self._app.session is not None and self._app.session.id == session_id:
            self._app.back_to_chat()

    async def action_begin(self) -> None:
        """Leave, and let what is said next begin a session."""
        if not self._is_busy():
            await self._app.action_new_session()
            self._app.back_to_chat()

    def _is_busy(self) -> bool:
        """Tell whether an answer is on its way, and say so."""
        if self._app.chat.turns.is_busy:
            self.notify("wait until the answer is there, or stop it with esc in the chat", severity="warning")
            return True
        return False

    # --- naming, tagging, putting away

    def action_ask(self, what: str) -> None:
        """Ask for a title or for tags."""
        line = self.sessions.chosen
        if line is None:
            return
        self._asked = what
        ask = self._ask
        if what == "rename":
            ask.border_title, ask.value = "title · enter keeps it, esc does not", line.header.title or ""
        else:
            ask.border_title, ask.value = "tags, with commas between them", ", ".join(line.header.tags)
        ask.add_class("asking")
        ask.focus()
        self.refresh_bindings()

    @on(Input.Submitted, "#finder-ask")
    async def _answered(self, event: Input.Submitted) -> None:
        keep = self.sessions.rename if self._asked == "rename" else self.sessions.tag
        if await keep(event.value):
            self._stop_asking()

    def _stop_asking(self) -> None:
        self._asked = None
        self._ask.remove_class("asking")
        self.sessions.focus()
        self.refresh_bindings()

    @on(SessionList.Changed)
    async def _changed(self, event: SessionList.Changed) -> None:
        await self._renew(event.session_id)

    async def _renew(self, session_id: SessionId) -> None:
        """Show a session as it is now; if it belongs here no more, choose the one that stood below it."""
        keys = [line.key for line in self.sessions.rows]
        place = keys.index(session_id) if session_id in keys else None
        if self._found is None:
            return
        await self._found.renew(session_id)
        here = {line.key for line in self._lines(self._found)}
        rest = [*keys[place + 1 :], *reversed(keys[:place])] if place is not None else []
        chosen = session_id if session_id in here else next((key for key in rest if key in here), None)
        self._draw(choose=chosen)
