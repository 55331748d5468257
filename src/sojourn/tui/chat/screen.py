"""The chat screen: the talk, what stands beside it, and where one types."""

import time
from collections.abc import Iterable
from typing import ClassVar, Final, cast

from textual import on, work
from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Static

from sojourn.agent.events import ModelAnswered, TurnEvent
from sojourn.desk import slash_commands
from sojourn.desk.visible import safe
from sojourn.desk.wording import one_line
from sojourn.engine.session import Session
from sojourn.errors import SojournError
from sojourn.tui.chat.answer import LiveAnswer
from sojourn.tui.chat.cards import Card, CutOffCard
from sojourn.tui.chat.commands import SHOWS, is_app_command
from sojourn.tui.chat.items import Item, place_before
from sojourn.tui.chat.keeping import KeepCard
from sojourn.tui.chat.prompt import Prompt
from sojourn.tui.chat.replies import reply
from sojourn.tui.chat.status import StatusBar, TitleBar
from sojourn.tui.chat.transcript import Transcript
from sojourn.tui.chat.turns import Turns, Watcher
from sojourn.tui.host import Host, SessionOpened
from sojourn.tui.key_line import KeyLine
from sojourn.tui.panels import SidePanel

_TWICE: Final = 0.8
"""Seconds within which a second Esc belongs to the first."""


class ChatScreen(Screen[None], Watcher):
    """Where one talks. Lives as long as the app, below every other screen.

    Attributes:
        transcript: the talk.
        answer: what is being said.
        prompt: where one types.
    """

    AUTO_FOCUS: ClassVar[str | None] = "#prompt"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "stop / twice rewinds"),
        Binding("ctrl+o", "details", "details"),
        Binding("ctrl+b", "panels", "panels"),
        Binding("f2", "beside", "into the panels", show=False),
        Binding("ctrl+up,pageup", "read", "read back", show=False),
    ]

    def compose(self) -> ComposeResult:
        # They are held: a turn may end while the app closes, and then they cannot be looked up.
        self.transcript = Transcript(id="transcript")
        self.prompt = Prompt(id="prompt")
        self._status = StatusBar("", id="status", markup=False)
        self._title = TitleBar("", id="title", markup=False)
        self._cards = Vertical(id="cards")
        self._keeping = KeepCard()
        self._queue = Static("", id="queue", markup=False)
        yield self._title
        with Horizontal(id="middle"):
            with Vertical(id="talk"):
                yield self.transcript
                yield self._cards
                yield self._keeping
            yield SidePanel(id="side")
        yield self._queue
        yield self.prompt
        yield self._status
        yield KeyLine(everywhere=True, also={"escape": "stop · twice: back"})

    def on_mount(self) -> None:
        app = self._app
        self._turns = Turns(app.conversation, self)
        self._verbose = app.is_verbose
        self._escaped = 0.0
        self._began_at = 0
        self._left: set[str] = set()
        self.answer = LiveAnswer(id="answer")
        self.answer.is_verbose = self._verbose
        self.transcript.set_tail(self.answer)
        self.transcript.show_details(verbose=self._verbose)
        self.watch(app, "state", self._state_changed)
        self.watch(app, "filling", self._draw_status)
        for note in app.notes:
            self.note(note)

    # --- parts

    @property
    def _app(self) -> Host:
        return cast(Host, self.app)

    @property
    def turns(self) -> Turns:
        """What is on its way to the model."""
        return self._turns

    # --- talking

    @on(Prompt.Sent)
    def _sent(self, event: Prompt.Sent) -> None:
        if is_app_command(event.text, self._app.conversation):
            self._command(event.text)
        else:
            self.say(event.text)

    def say(self, text: str) -> None:
        """Say *text* to the model, now or when it is its turn."""
        if not self._turns.put(text):
            self.app.notify("too many messages wait; this one stays in the prompt", severity="warning")
            self.prompt.put(text)
            return
        self._run()

    @work(group="turns", exit_on_error=True)
    async def _run(self) -> None:
        await self._turns.run()

    @work(group="turns", exit_on_error=True)
    async def _go_on(self) -> None:
        await self._turns.go_on()

    @work(group="commands", exit_on_error=True)
    async def _command(self, line: str) -> None:
        """Run a slash command; those that have a screen open it."""
        name = line.split(maxsplit=1)[0][1:].lower()
        if name in SHOWS and len(line.split()) == 1:
            self._app.action_show(SHOWS[name])
            return
        if name in {"exit", "quit"}:
            await self._app.action_leave()
            return
        before = self._app.session
        try:
            lines = await slash_commands.run(self._app.conversation, line)
        except SojournError as error:
            self._app.complain(error)
            return
        if self._app.session is not before:
            self._app.follow()
        self._keeping.look()
        self.note("\n".join(lines))

    async def turn_began(self) -> None:
        self._began_at = self._app.session.head if self._app.session is not None else 0
        await self.answer.begin()
        self.transcript.anchor()
        self._draw_status()

    async def turn_event(self, event: TurnEvent) -> None:
        if isinstance(event, ModelAnswered):  # it is stored, and shown as what it is
            await self._catch_up()
            await self.answer.clear()
        await self.answer.show(event)

    async def turn_ended(self, error: SojournError | None, *, said: str) -> None:
        if not self.is_attached:  # the app was closed meanwhile; the journal has what there is
            return
        await self._catch_up()
        await self.answer.end()
        if error is not None:
            self._app.complain(error)
            stored = any(item.is_prompt and item.seq > self._began_at for item in self.transcript.items)
            if not stored and not self.prompt.text:
                self.prompt.put(said)  # it is stored nowhere, and the person may want to say it again
        self._draw_status()

    def queue_changed(self) -> None:
        if not self.is_attached:
            return
        queue = self._queue
        lines = [f"  ◷ {number}. {one_line(text)}" for number, text in enumerate(self._turns.waiting, 1)]
        queue.update(safe("\n".join([*lines, "     up takes the last one back"] if lines else [])))
        queue.display = bool(lines)
        self.prompt.note_waiting(self._turns.waiting)
        self._draw_status()

    @on(Prompt.WantsQueued)
    def _take_back(self) -> None:
        text = self._turns.take_back()
        if text is None:
            self.prompt.recall()
        else:
            self.prompt.put(text)

    async def stop_and_wait(self) -> None:
        """Stop the turn that goes on, if any, and wait until what there is of it is kept, and what is not sent."""
        await self.prompt.leave()
        self._turns.drop_waiting()
        self._turns.stop()
        await self._turns.wait_until_idle()

    # --- following the journal

    async def on_session_opened(self, event: SessionOpened) -> None:
        if not self._turns.is_busy:
            await self.answer.end()
        try:
            await self.transcript.show(event.session, at=event.at)
        except SojournError as error:
            self._app.complain(error)
            return
        self._left.clear()
        if not self._turns.is_busy:  # what is being said began this session, and is remembered
            self.prompt.remember([item.text for item in self.transcript.items if item.is_prompt])
        await self._draw_cards()
        self.prompt.focus()

    async def on_session_moved(self) -> None:
        await self._catch_up()
        await self._draw_cards()

    async def _catch_up(self) -> None:
        """Show what is new. What cannot be read is told, and read the next time.

        What is being said in a turn of one's own stays as it is: the news may be of what was said before it.
        """
        try:
            items = await self.transcript.follow()
        except SojournError as error:
            self._app.complain(error)
            return
        if not self._turns.is_busy and any(item.kind == "assistant" for item in items):
            await self.answer.clear()

    def _state_changed(self) -> None:
        state = self._app.state
        conversation = self._app.conversation
        title = (state.title if state is not None else None) or "a new session"
        self._title.show(title, conversation.project.name, conversation.choice.model)
        self._draw_status()

    def _draw_status(self) -> None:
        conversation = self._app.conversation
        self._status.show(
            self._app.state,
            model=conversation.choice.model,
            filling=self._app.filling,
            busy=self._turns.is_busy,
            waiting=len(self._turns.waiting),
        )

    # --- questions that wait

    async def _draw_cards(self) -> None:
        """Show a card for each question that waits, and none for those that were answered."""
        cards = self._cards
        session = self._app.session
        pending = {one.interrupt_id: one for one in (session.interrupts.pending() if session is not None else [])}
        for card in list(cards.query(Card)):
            if card.interrupt.interrupt_id not in pending:
                if card.has_focus_within:
                    self.prompt.focus()
                await card.remove()
        shown = {card.interrupt.interrupt_id for card in cards.query(Card)}
        fresh = [Card(one) for key, one in pending.items() if key not in shown]
        await cards.mount_all(fresh)
        try:
            await self._draw_cut_off(session, asked=bool(pending))
        except SojournError as error:
            self._app.complain(error)
        cards.display = bool(cards.children)
        if fresh and not self.prompt.text:
            fresh[0].query("Button, Input").first().focus()

    async def _draw_cut_off(self, session: Session | None, *, asked: bool) -> None:
        cards = self._cards
        offered = cards.query(CutOffCard)
        wanted = (
            session is not None
            and not asked
            and session.id not in self._left
            and await self._app.conversation.is_cut_off()
            and not self._turns.is_busy
        )
        if wanted and not offered:
            await cards.mount(CutOffCard())
        elif not wanted and offered:
            await offered.remove()
        if session is not None and (wanted or asked) and not self._turns.is_busy:
            partial = await session.store.find_partial(session.id)
            if partial is not None:
                await self.answer.show_cut_off(partial.text)

    @on(Card.Answered)
    async def _answered(self, event: Card.Answered) -> None:
        session = self._app.session
        if session is None:
            return
        try:
            await reply(session, event.interrupt, event.answer)
        except SojournError as error:
            self._app.complain(error)
        self.prompt.focus()
        await self._draw_cards()
        if not self._turns.is_busy and not session.interrupts.pending() and await self._app.conversation.is_cut_off():
            self._go_on()

    @on(Prompt.SentNothing)
    async def _wants_nothing_else(self) -> None:
        if self.query(CutOffCard):
            await self._wants_to_go_on()

    @on(CutOffCard.GoOn)
    async def _wants_to_go_on(self) -> None:
        self._go_on()
        await self._cards.query(CutOffCard).remove()
        self.prompt.focus()

    @on(CutOffCard.Leave)
    async def _leaves(self) -> None:
        if self._app.session is not None:
            self._left.add(self._app.session.id)
        await self._draw_cards()
        self.prompt.focus()

    # --- doing something at a message

    @on(Transcript.Chosen)
    async def _chosen(self, event: Transcript.Chosen) -> None:
        session = self._app.session
        if session is None or self._turns.is_busy:
            self.app.notify("wait until the answer is there, or stop it with esc", severity="warning")
            return
        try:
            await self._do(session, event.item, event.what)
        except SojournError as error:
            self._app.complain(error)

    async def _do(self, session: Session, item: Item, what: str) -> None:
        sessions = self._app.sojourn.sessions
        match what:
            case "edit" if item.is_prompt:
                before = await place_before(session.store, session.id, item)
                await self._app.open_session((await sessions.rewind(session.id, at=before)).id)
                self.prompt.put(item.text)
            case "edit":
                self.app.notify("only what you said can be edited and sent again; f forks here")
            case "rewind":
                await self._app.open_session((await sessions.rewind(session.id, at=item.seq)).id)
            case "fork":
                await self._app.open_session((await sessions.fork(session.id, at=item.seq)).id)
                self.app.notify("a fork: the other session stays as it is")
            case "undo" if item.kind == "compaction":
                await self._app.sojourn.compactor(session).undo()
            case _:
                self.app.notify("there is no summary here")

    @on(Transcript.Left)
    def _writes(self) -> None:
        self.prompt.focus()

    # --- keys

    def action_stop(self) -> None:
        """Stop the answer. Twice, with nothing typed, goes back to something said before."""
        if self._turns.stop():
            return
        if not self.prompt.has_focus:  # a card has it
            self.prompt.focus()
            return
        now = time.monotonic()
        twice, self._escaped = now - self._escaped < _TWICE, now
        if self.prompt.text:
            if twice:
                self.prompt.put("")
        elif twice:
            self._app.action_show("branches")

    def action_details(self) -> None:
        """Show thinking and what tools gave back, or hide them."""
        self._verbose = not self._verbose
        self.answer.is_verbose = self._verbose
        self.transcript.show_details(verbose=self._verbose)

    def action_panels(self) -> None:
        """Show or hide what stands beside the talk."""
        side = self.query_one(SidePanel)
        side.set_class(side.display, "hidden")
        side.set_class(not side.display, "wanted")

    def action_beside(self) -> None:
        """Go into the panels, which are shown for it; from there, go back to writing."""
        side = self.query_one(SidePanel)
        if side.has_focus:
            side.action_leave()
            return
        if not side.display:
            self.action_panels()
        side.focus()

    def action_read(self) -> None:
        """Go into the talk, to read back and to choose a message."""
        self.transcript.focus()
        self.transcript.action_step(0)

    def palette(self) -> Iterable[SystemCommand]:
        """Yield what the command palette offers of this screen."""
        yield SystemCommand("Details", "Show thinking and what tools gave back, or hide them", self.action_details)
        yield SystemCommand("Panels", "Show or hide what stands beside the talk", self.action_panels)

    def note(self, text: str) -> None:
        """Show something that is no part of the talk."""
        self.transcript.note(text)
