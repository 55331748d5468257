"""The screen itself: which facts are listed, and what each key does with the one that is chosen."""

from collections.abc import Awaitable, Callable
from typing import ClassVar, Final, cast

import anyio
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static

from sojourn.engine.nouns.facts import Facts
from sojourn.engine.session import Session
from sojourn.errors import SojournError
from sojourn.model.events import FactStatus
from sojourn.tui.host import Host
from sojourn.tui.key_line import KeyLine
from sojourn.tui.review.changes import Change, Verb, change, take_back
from sojourn.tui.review.evidence import EvidencePane
from sojourn.tui.review.grounds import find_grounds
from sojourn.tui.review.head import ReviewHead
from sojourn.tui.review.known import SCOPES, STATUSES, Known, Scope, chosen, counts, read_known
from sojourn.tui.review.listing import FactList
from sojourn.tui.review.wording import WordingLine

_PAUSE: Final = 0.1
_SHOWN: Final = 150
"""Facts that are listed; a search finds the others."""
_TALL: Final = 24
"""Rows from which on there is room for what a fact rests on."""
_UNDOABLE: Final = 50
_NO_SESSION: Final = "say something first: what you add belongs to a session"
_EMPTY: Final[dict[FactStatus, str]] = {
    "active": "Nothing was learned yet: it fills as you talk. n adds something yourself.",
    "candidate": "Nothing waits to be accepted.",
    "retired": "Nothing was retired.",
}


class ReviewScreen(Screen[None]):
    """What was learned, to be accepted, corrected, retired and explained.

    Attributes:
        facts: the list.
        evidence: what the chosen fact rests on.
        wording: where a fact is put into words.
    """

    DEFAULT_CSS = """
    ReviewScreen #search { border: none; height: 1; padding: 0 1; background: $surface; }
    ReviewScreen #empty { height: auto; padding: 1 2; color: $text-muted; display: none; }
    ReviewScreen #said { height: auto; padding: 0 1; color: $accent; }
    """
    AUTO_FOCUS: ClassVar[str | None] = "#facts"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "accept", "accept"),
        Binding("r", "retire", "retire"),
        Binding("e", "edit", "edit"),
        Binding("w", "why", "why"),
        Binding("R", "restore", "restore"),
        Binding("p", "pin", "pin"),
        Binding("n", "add", "new"),
        Binding("u", "undo", "undo"),
        Binding("slash", "search", "search"),
        Binding("tab", "next_scope", "scope"),
        Binding("right", "next_status(1)", "status"),
        Binding("left", "next_status(-1)", "status before", show=False),
        Binding("escape", "leave", "back"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._scope: Scope = "all"
        self._status: FactStatus | None = None
        self._known: list[Known] = []
        self._done: list[Change] = []
        self._seen: tuple[object, ...] = ()
        self._changing = anyio.Lock()
        self._wanted: str | None = None
        self._head = ReviewHead("", id="head")
        self._search = Input(placeholder="/ search", id="search", compact=True)
        self._empty = Static("", id="empty", markup=False)
        self.facts = FactList(id="facts")
        self.evidence = EvidencePane(id="evidence")
        self.wording = WordingLine(id="wording")
        self._said = Static("", id="said", markup=False)

    def compose(self) -> ComposeResult:
        yield self._head
        yield self._search
        yield self._empty
        yield self.facts
        yield self.evidence
        yield self.wording
        yield self._said
        yield KeyLine()

    def on_mount(self) -> None:
        self.evidence.set_class(self.app.size.height >= _TALL, "open")
        self.watch(self._app, "state", self._state_changed)

    @property
    def _app(self) -> Host:
        return cast(Host, self.app)

    # --- reading and listing

    def _state_changed(self) -> None:
        state = self._app.state
        seen = (None, None) if state is None else (state.knowledge_base, state.working_set.pinned_facts)
        if len(self._seen) != len(seen) or any(a is not b for a, b in zip(self._seen, seen, strict=True)):
            self._seen = seen
            self._read()

    @work(exclusive=True, group="review-reading")
    async def _read(self) -> None:
        app = self._app
        try:
            self._known = await read_known(
                app.sojourn, app.session, project=app.conversation.project.id, scope=self._scope
            )
        except SojournError as error:
            app.complain(error)
            return
        wanted = next((one for one in self._known if one.fact.fact_id == self._wanted), None)
        if wanted is not None:
            self._status = wanted.fact.status
        elif self._status is None:
            self._status = "candidate" if counts(self._known)["candidate"] else "active"
        self._list()
        if wanted is not None:
            self._wanted = None
            self.facts.choose(wanted.fact.fact_id)

    def look_for(self, fact_id: str) -> None:
        """Put the cursor on this fact, once the facts are read."""
        self._wanted = fact_id
        if self.is_mounted:
            self._read()

    def _list(self) -> None:
        """Show what was read, as far as it is asked for."""
        status, state = self._status or "active", self._app.state
        found = chosen(self._known, status=status, words=self._search.value)
        pinned = state.working_set.pinned_facts if state is not None else ()
        self.facts.show(found[:_SHOWN], now=self._app.sojourn.clock.now(), pinned=pinned)
        self._empty.display = not found
        self._empty.update("Nothing like that was learned." if self._searching else _EMPTY[status])
        left_out = len(found) - len(found[:_SHOWN])
        self._head.show(self._scope, status, counts(self._known), left_out=left_out)

    @property
    def _searching(self) -> bool:
        return bool(self._search.value.strip())

    @on(Input.Changed, "#search")
    @work(exclusive=True, group="review-searching")
    async def _search_changed(self) -> None:
        """List what fits, once the person pauses: whoever types on does not wait for each letter."""
        await anyio.sleep(_PAUSE)
        self._list()

    @on(Input.Submitted, "#search")
    def _search_done(self) -> None:
        self.action_to_list()

    # --- what keys do with the list

    def action_search(self) -> None:
        """Type what to look for."""
        self._search.focus()

    def action_to_list(self) -> None:
        """Go back to the list."""
        self.facts.focus()

    def action_next_scope(self) -> None:
        """Look at the next scope."""
        self.action_scope(SCOPES[(SCOPES.index(self._scope) + 1) % len(SCOPES)])

    def action_scope(self, scope: Scope) -> None:
        """Look at the facts of this session, of its project, of its user, or all."""
        self._scope = scope
        self._read()

    def action_next_status(self, by: int) -> None:
        """Look at the next status."""
        self.action_status(STATUSES[(STATUSES.index(self._status or "active") + by) % len(STATUSES)])

    def action_status(self, status: FactStatus) -> None:
        """Look at what holds, at what waits, or at what was retired."""
        self._status = status
        self._list()

    def action_leave(self) -> None:
        """Close what is open last: the line that is edited, the search, or the screen."""
        if self.wording.display:
            self._close_wording()
        elif self._search.value or self._search.has_focus:
            self._search.value = ""
            self.action_to_list()
        else:
            self.dismiss()

    # --- why

    def action_why(self) -> None:
        """Show what the chosen fact rests on, or hide it."""
        self.evidence.toggle_class("open")
        self._explain()
        self.facts.focus()

    @on(FactList.Other)
    def _other_chosen(self) -> None:
        self._explain()

    @on(OptionList.OptionSelected, "#facts")
    def _entered(self) -> None:
        if not self.evidence.has_class("open"):
            self.action_why()
        self.evidence.enter()

    @work(exclusive=True, group="review-why")
    async def _explain(self) -> None:
        if not self.evidence.has_class("open"):
            return
        known = self.facts.chosen
        if known is None:
            self.evidence.show(None)
            return
        try:
            session = (await self._sessions_of(known))[0]
            grounds = await find_grounds(session, session.facts.find(known.fact.fact_id) or known.fact)
        except SojournError as error:
            self._app.complain(error)
            return
        self.evidence.show(grounds)

    @on(EvidencePane.Jump)
    async def _jump(self, event: EvidencePane.Jump) -> None:
        app = self._app
        is_here = app.session is not None and app.session.id == event.session_id
        if not is_here and app.chat.turns.is_busy:
            app.notify("wait until the answer is there, or stop it with esc", severity="warning")
            return
        app.back_to_chat()
        if is_here:
            app.follow(at=event.seq)
        else:
            await app.open_session(event.session_id, at=event.seq)

    # --- changing

    def action_accept(self) -> None:
        """Let the chosen fact hold."""
        self._change_chosen(lambda facts, fact_id: facts.activate(fact_id), "accepted")

    def action_restore(self) -> None:
        """Let the chosen fact hold again."""
        self._change_chosen(lambda facts, fact_id: facts.activate(fact_id), "it holds again")

    def action_retire(self) -> None:
        """Let the chosen fact hold no more."""
        self._change_chosen(lambda facts, fact_id: facts.retire(fact_id), "retired")

    def action_pin(self) -> None:
        """Let every context of this session hold the chosen fact, or let it go."""
        known, session = self.facts.chosen, self._app.session
        if known is None:
            return
        if session is None:
            self._say(_NO_SESSION)
            return
        text = known.fact.content
        if text in session.state.working_set.pinned_facts:
            self._change(None, lambda one: one.working_set.unpin(text), "unpinned")
        else:
            self._change(None, lambda one: one.working_set.pin(text), "pinned: the model always sees it")

    def action_edit(self) -> None:
        """Put the wording of the chosen fact right."""
        if self.facts.chosen is not None:
            self.wording.ask(self.facts.chosen, title="put it right, then enter")

    def action_add(self) -> None:
        """Let the session know something."""
        if self._app.session is None:
            self._say(_NO_SESSION)
        else:
            self.wording.ask(None, title="what is so, then enter")

    def _close_wording(self) -> None:
        self.wording.display = False
        self.action_to_list()

    @on(WordingLine.Worded)
    def _worded(self, event: WordingLine.Worded) -> None:
        text, known = event.text, event.known
        self._close_wording()
        if known is not None and text and text != known.fact.content:
            fact_id = known.fact.fact_id
            self._change(known, lambda one: one.facts.correct(fact_id, text), "put right")
        elif known is None and text:
            self._change(None, lambda one: self._learn(one, text), "noted")

    async def _learn(self, session: Session, text: str) -> None:
        """Take in what the person says, and put the cursor on it."""
        self._wanted = (await session.facts.learn(text, source="user", confidence=1.0)).fact_id

    def _say(self, text: str) -> None:
        """Say in the line at the bottom what was done: it hides nothing, and stays until something else is."""
        self._said.update(text)

    def _change_chosen(self, verb: Callable[[Facts, str], Awaitable[object]], told: str) -> None:
        known = self.facts.chosen
        if known is not None:
            fact_id = known.fact.fact_id
            self._change(known, lambda session: verb(session.facts, fact_id), told)

    @work(group="review-changing")
    async def _change(self, known: Known | None, verb: Verb, told: str) -> None:
        """Change a fact wherever it is held, or the open session if *known* is None; one change after the other."""
        async with self._changing:
            try:
                fact = known.fact if known is not None else None
                done = await change(await self._sessions_of(known), verb, told=told, fact=fact)
            except SojournError as error:
                self._app.complain(error)
                return
            if done.is_empty:
                self._say("it was so already")
                return
            self._done = [*self._done, done][-_UNDOABLE:]
            kept = ", in memory only (/keep yes writes it down)" if done.is_in_memory else ""
            self._say(f"{told}{kept}; u takes it back")
            self._catch_up()

    @work(group="review-changing")
    async def action_undo(self) -> None:
        """Take the last change back."""
        async with self._changing:
            if not self._done:
                self._say("nothing was changed here")
                return
            done = self._done.pop()
            try:
                await take_back(done)
            except SojournError as error:
                self._app.complain(error)
                return
            self._say(f"taken back: {done.told}")
            self._catch_up()

    def _catch_up(self) -> None:
        """Show what changed, be it in memory only or in a session that nobody follows."""
        session = self._app.session
        if session is not None:
            self._app.state = session.state
        self._read()

    async def _sessions_of(self, known: Known | None) -> list[Session]:
        """Return the sessions in which a fact is changed, the one that said so last first."""
        here = self._app.session
        if here is not None and (known is None or known.is_here):
            return [here]
        sessions = self._app.sojourn.sessions
        return [await sessions.open(one, exact=True) for one in (known.sessions if known is not None else ())]
