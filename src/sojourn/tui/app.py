"""The app: which session is open, which screen shows, and which key does what.

Widgets below read two things of it. `app.state` is the open session's state, a value that is replaced whenever the
journal has moved, in this process or in another: a widget watches it and draws itself anew. `app.conversation` is
where one talks, and `app.sojourn` the engine. Whatever a user, a model or a tool wrote is drawn through `safe`.
"""

import os
import time
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Final

from textual import work
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from sojourn.agent.agent import Agent
from sojourn.desk.conversation import Conversation
from sojourn.engine.bus import StateChanged
from sojourn.engine.session import Session
from sojourn.errors import SojournError
from sojourn.tui.chat.screen import ChatScreen
from sojourn.tui.filling import filling_of
from sojourn.tui.host import Host, SessionMoved, SessionOpened
from sojourn.tui.screens import SCREENS
from sojourn.tui.themes import THEMES, ThemeMemory, chosen_theme, told_to_textual, wants_no_colour

WIDE: Final = 100
"""Columns from which on there is room beside the talk."""

_TWICE: Final = 2.0
"""Seconds within which a second ctrl+c belongs to the first."""


class SojournApp(Host):
    """Lives from the first paint until the person leaves; its result is the exit code."""

    TITLE = "sojourn"
    CSS_PATH = "app.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "ctrl+p"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r", "show('find')", "find"),
        Binding("ctrl+t", "show('branches')", "tree"),
        Binding("ctrl+g", "show('context')", "context"),
        Binding("ctrl+k", "show('review')", "facts"),
        Binding("ctrl+e", "show('spending')", "cost", show=False),
        Binding("ctrl+n", "new_session", "new", show=False),
        Binding("f1,question_mark", "show('keys')", "keys"),
        Binding("ctrl+q", "leave", "quit", show=False, priority=True),
        Binding("ctrl+c", "interrupt", "copy, stop or leave", show=False, priority=True),
    ]

    def __init__(
        self,
        conversation: Conversation,
        *,
        notes: Sequence[str] = (),
        first: str | None = None,
        ask_which: bool = False,
        verbose: bool = False,
        look: str | None = None,
        config: Path | None = None,
    ) -> None:
        """Show *conversation*, in the session that it is in already, if any.

        *notes* are shown once, above the talk. *first* is said at once. With *ask_which* the finder opens first,
        and *verbose* shows thinking and what tools put out. *look* is the name of a theme;
        another one that is chosen is remembered in *config*, if that is given.
        """
        plain = wants_no_colour(os.environ)
        with told_to_textual(os.environ, plain=plain):
            super().__init__(ansi_color=True if plain else None)
        self.conversation = conversation
        self.notes = tuple(notes)
        self._first = first
        self.is_verbose = verbose
        self._ask_which = ask_which
        self._interrupted = 0.0
        self._followed: Session | None = None
        self.animation_level = "none"  # a slow line shows the end of a movement, not its steps
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = chosen_theme(look, self.available_themes, plain=plain)
        self._looks = ThemeMemory(config, lambda: self.theme) if config is not None and not plain else None

    @property
    def chat(self) -> ChatScreen:
        """The screen that one talks in. It is always there, below the others."""
        screen = self.screen_stack[0]
        if not isinstance(screen, ChatScreen):
            raise RuntimeError("the chat is the first screen")
        return screen

    def get_default_screen(self) -> Screen[Any]:
        return ChatScreen()

    async def on_mount(self) -> None:
        self.theme_changed_signal.subscribe(self, lambda _: self._remember_look())
        self.sojourn.news.subscribe(StateChanged, self._heard)
        self.follow()
        # The chat is mounted after the app is: what needs it, or covers it, comes then.
        if self._ask_which:
            self.call_after_refresh(self.action_show, "find")
        if self._first:
            self.call_after_refresh(self.chat.say, self._first)

    # --- which session is open

    async def open_session(self, session_id: str, *, at: int | None = None) -> None:
        """Go on in another session, and show it from entry *at* on, or from its end. What goes wrong is told."""
        try:
            await self.conversation.resume(session_id)
        except SojournError as error:
            self.complain(error)
            return
        self.follow(at=at)

    def _heard(self, news: StateChanged) -> None:
        """Follow the session that the conversation has gone into by itself: what was said began it."""
        session = self.session
        if session is not None and session is not self._followed and news.session_id == session.id:
            self.follow()

    def follow(self, *, at: int | None = None) -> None:
        """Show the session that the conversation is in, and keep showing it as it moves."""
        session = self._followed = self.session
        self.state = session.state if session is not None else None
        self.filling = None
        self._measure()
        self.chat.post_message(SessionOpened(session, at=at))
        self.workers.cancel_group(self, "following")
        if session is not None:
            self._follow(session)

    @work(group="following")
    async def _follow(self, session: Session) -> None:
        try:
            async with session.store.subscribe(session.id) as heads:
                await session.refresh()  # it may have moved since it was opened, in another process
                self._moved(session)
                async for _ in heads:
                    await session.refresh()
                    self._moved(session)
        except SojournError as error:
            self.complain(error)

    def _moved(self, session: Session) -> None:
        if session is self.session:
            self.state = session.state
            self._measure()
            self.chat.post_message(SessionMoved())

    def _measure(self) -> None:
        """See how full the model's window is."""
        agent, state = self.conversation.agent, self.state
        if agent is None or state is None:
            return
        if agent.last_context is not None:
            window = self.conversation.choice.window
            self.filling = filling_of(agent, agent.last_context, window=window, is_guess=False)
        elif state.conversation.message_count and self.filling is None:
            self._look_ahead(agent)

    @work(exclusive=True, group="looking-ahead")
    async def _look_ahead(self, agent: Agent) -> None:
        """See how full the window would be, in a session that was just opened."""
        try:
            context = await agent.preview()
        except SojournError:
            return  # there is an answer after the next message, or the error is told then
        if agent is self.conversation.agent and agent.last_context is None:
            self.filling = filling_of(agent, context, window=self.conversation.choice.window, is_guess=True)

    @work(group="look")
    async def _remember_look(self) -> None:
        try:
            if self._looks is not None and await self._looks.note():
                self.notify("this look is remembered")
        except SojournError as error:
            self.complain(error)

    # --- what keys do

    def action_show(self, name: str) -> None:
        """Show a screen; one that shows already is not shown twice."""
        module, _, kind = SCREENS[name][0].partition(":")
        screen_type = getattr(import_module(module), kind)
        if not any(isinstance(screen, screen_type) for screen in self.screen_stack):
            self.push_screen(screen_type())

    async def action_new_session(self) -> None:
        """Let what is said next begin a session."""
        self.conversation.start_afresh()
        self.follow()
        self.notify("what you say next begins a new session")

    async def action_interrupt(self) -> None:
        """Copy what is selected; else stop the answer; else leave, if it is pressed twice."""
        selected = self.screen.get_selected_text() or getattr(self.focused, "selected_text", "")
        now = time.monotonic()
        if selected:
            self.copy_to_clipboard(selected)
        elif self.chat.turns.stop():
            self.notify("stopped; what was said is kept")
        elif now - self._interrupted < _TWICE:
            await self.action_leave()
        else:
            self._interrupted = now
            self.notify("ctrl+c again leaves; so does ctrl+q")

    async def action_leave(self) -> None:
        """Stop what goes on, and leave; what was said is kept."""
        await self.chat.stop_and_wait()
        self.exit(0)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:  # noqa: ARG002 - textual's name
        for name, (_, title, text) in SCREENS.items():
            yield SystemCommand(title, text, lambda name=name: self.action_show(name))
        yield SystemCommand("New session", "What you say next begins one", self.action_new_session)
        yield from self.chat.palette()
        yield SystemCommand("Theme", "Choose how it looks", self.action_change_theme)
        yield SystemCommand("Quit", "Leave; what was said is kept", self.action_leave)
