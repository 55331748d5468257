"""The screen that shows what the model is sent next."""

from typing import ClassVar, Final, Literal, cast, get_args

import anyio.to_thread
import msgspec
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Input, Static, TextArea

from sojourn.context.builder import default_budget
from sojourn.context.context import Context
from sojourn.context.tokens import counter_for
from sojourn.desk.visible import escaped, safe
from sojourn.engine.session import Session
from sojourn.errors import InvalidInputError, SojournError
from sojourn.providers.payloads import Form
from sojourn.tui.host import Host
from sojourn.tui.inspector.account import Account, account_of, account_of_nothing
from sojourn.tui.inspector.lines import (
    InspectorRow,
    PartRow,
    PieceRow,
    detail_of,
    head_of,
    headings,
    markdown_of,
    rows_of,
)
from sojourn.tui.inspector.notes import last_reported, origins, pretended
from sojourn.tui.key_line import KeyLine
from sojourn.tui.rows import RowList

Wish = Literal["ask", "pretend", "filter"]

_ASKS: Final[dict[Wish, str]] = {
    "ask": "a question, to see what it would be sent with; empty asks nothing",
    "pretend": "another model or window, as gpt-4o or 200k; empty is the one at hand",
    "filter": "show only what holds these words; empty shows all",
}
_FORMS: Final[tuple[Form, ...]] = get_args(Form)
_NOTHING_YET: Final = "Nothing was said yet: the first message is sent with this. The rest fills as you talk."
_BUSY: Final = "wait until the answer is there, or stop it with esc"


class InspectorScreen(Screen[None]):
    """What the model is sent next: parts, pieces, reasons. It is made anew whenever the session moves."""

    AUTO_FOCUS: ClassVar[str | None] = "#pieces"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "back"),
        Binding("p", "payload", "payload"),
        Binding("w", "why", "why"),
        Binding("y", "copy", "copy"),
        Binding("c", "compact", "compact"),
        Binding("u", "undo", "undo it"),
        Binding("a", "wish('ask')", "ask…"),
        Binding("m", "wish('pretend')", "pretend…"),
        Binding("slash", "wish('filter')", "filter"),
    ]
    DEFAULT_CSS: ClassVar[str] = """
    InspectorScreen #heading { height: auto; padding: 0 1; background: $panel; }
    InspectorScreen #columns { height: 1; padding: 0 1 0 3; }
    InspectorScreen #pieces { height: 2fr; padding: 0 1; }
    InspectorScreen #about { height: 1fr; min-height: 4; border-top: solid $panel; padding: 0 1; }
    InspectorScreen #about:focus { border-top: solid $accent; }
    InspectorScreen #about Static { height: auto; }
    InspectorScreen #payload { display: none; height: 1fr; border: none; }
    InspectorScreen #wish { display: none; border: round $primary; height: 3; }
    InspectorScreen.-payload #payload { display: block; }
    InspectorScreen.-payload #pieces, InspectorScreen.-payload #about, InspectorScreen.-payload #columns {
        display: none;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        # Held here: what was being worked out finds them even if the screen is closed meanwhile.
        self._heading = Static("", id="heading", markup=False)
        self._columns = Static("", id="columns", markup=False)
        self._list = RowList[InspectorRow](id="pieces", empty="nothing holds these words; esc shows all again")
        self._pane = TextArea("", id="payload", read_only=True, show_line_numbers=False)
        self._below = VerticalScroll(id="about")
        self._text = Static("", markup=False)
        self._field = Input(id="wish")

    def compose(self) -> ComposeResult:
        yield self._heading
        yield self._columns
        yield self._list
        yield self._pane
        with self._below:
            yield self._text
        yield self._field
        yield KeyLine()

    def on_mount(self) -> None:
        self._account: Account | None = None
        self._shown: Context | None = None
        self._opened: set[str] = set()
        self._filter = ""
        self._question = self._drafted()
        self._pretended = ""
        self._reported = ""
        self._form = -1
        self._wish: Wish = "ask"
        self.watch(self._app, "state", self._moved)

    @property
    def _app(self) -> Host:
        return cast(Host, self.app)

    @property
    def account(self) -> Account | None:
        """What is shown; None until it is there."""
        return self._account

    def _drafted(self) -> str:
        """Return what stands in the prompt and will be asked next, if it is something to say."""
        typed = self._app.chat.prompt.whole().strip()
        return "" if typed.startswith("/") else typed

    # --- what is shown

    def _moved(self) -> None:
        self._look()

    @work(exclusive=True, group="look")
    async def _look(self) -> None:
        """Make the account anew, and show it."""
        try:
            await self._make()
        except SojournError as error:
            self._heading.update(safe(f"This cannot be sent: {error}"))
            return
        self._draw()

    async def _make(self) -> None:
        conversation = self._app.conversation
        session, agent = conversation.session, conversation.agent
        models = self._app.sojourn.models
        model, window = await self._pretend()
        name = model or conversation.choice.model
        if session is None or agent is None:
            known = window or (await anyio.to_thread.run_sync(models.window, name)) or conversation.choice.window
            counted = await anyio.to_thread.run_sync(counter_for(name).count, conversation.instructions)
            self._shown = None
            self._account = account_of_nothing(
                conversation.instructions,
                model=name,
                window=known,
                tokens=counted,
                allowed=default_budget(known),
            )
            return
        self._shown = await agent.preview(self._question, model=model, window=window)
        self._reported = await last_reported(session)
        self._account = account_of(
            self._shown,
            model=name,
            window=conversation.choice.window if model is None else None,
            question=self._question,
            tools=agent.tools,
            had_one=agent.last_context is not None,
        )

    async def _pretend(self) -> tuple[str | None, int | None]:
        """Return the model or the window to pretend; what names neither is told, and left."""
        if not self._pretended:
            return None, None
        try:
            return await anyio.to_thread.run_sync(pretended, self._pretended, self._app.sojourn.models)
        except InvalidInputError as error:
            self._pretended = ""
            self._app.complain(error)
            return None, None

    def _draw(self) -> None:
        account = self._account
        if account is None:
            return
        columns = max(20, self.size.width - 2)
        head = head_of(account, columns, reported=self._reported, pretended=self._pretended)
        if self._shown is None:
            head.append(f"\n{_NOTHING_YET}", style="italic")
        self._heading.update(head)
        self._list.show(rows_of(account, self._opened, wanted=self._filter))
        self.call_after_refresh(self._draw_headings)
        if self.has_class("-payload"):
            self._show_payload()

    def _draw_headings(self) -> None:
        """Write the headings as wide as the rows are drawn, which a scrollbar makes narrower."""
        columns = self._list.scrollable_content_region.width - len("❯ ")
        self._columns.update(headings(max(20, columns)))

    def on_resize(self, _: events.Resize) -> None:
        self._draw()

    @on(RowList.Moved)
    def _tell(self) -> None:
        """Show all of what is chosen."""
        row = self._list.chosen
        match row:
            case PartRow(part=part):
                text = detail_of(part, None)
            case PieceRow(part=part, piece=piece):
                text = detail_of(part, piece)
            case _:
                text = ""
        self._about(text)

    def _about(self, text: str) -> None:
        pane = self._below
        self._text.update(text)
        pane.scroll_home(animate=False)

    @on(RowList.Picked)
    def _toggle(self) -> None:
        """Open or close a part; a piece is closed with its part."""
        row = self._list.chosen
        if row is None or self._account is None:
            return
        name = row.part.name
        self._opened ^= {name}
        self._list.show(rows_of(self._account, self._opened, wanted=self._filter), choose=name)

    # --- keys

    def action_back(self) -> None:
        """Close what is open: the field, the payload, the filter; then the screen."""
        field = self._field
        if field.display:
            self._close_field()
        elif self.has_class("-payload"):
            self.remove_class("-payload")
            self._form = -1
            self._list.focus()
        elif self._filter:
            self._filter = ""
            self._draw()
        else:
            self.dismiss()

    def action_payload(self) -> None:
        """Show what a provider's API would be sent; again shows it for the next one."""
        if self._shown is None:
            self.app.notify("nothing was said yet: there is nothing to send")
            return
        self._form = (self._form + 1) % len(_FORMS)
        self.add_class("-payload")
        self._show_payload()
        self._pane.focus()

    def _show_payload(self) -> None:
        form = _FORMS[self._form]
        pane = self._pane
        text = self._payload(form)
        pane.load_text(text)
        self._heading.update(
            f"What {form} would be sent: {len(text):,} characters · p shows the next form, y copies it, esc goes back"
        )

    def _payload(self, form: Form) -> str:
        if self._shown is None:
            return ""
        try:
            found = self._shown.payload(form)
        except SojournError as error:
            return safe(str(error))
        return escaped(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())

    @work(exclusive=True, group="why")
    async def action_why(self) -> None:
        """Show the entries that the chosen piece is from."""
        row, session = self._list.chosen, self._app.session
        if row is None or session is None:
            return
        if isinstance(row, PartRow):
            self._about(detail_of(row.part, None))
            return
        piece = row.piece
        try:
            found = await origins(session, piece.seqs)
        except SojournError as error:
            self._app.complain(error)
            return
        told = found or "it stands in no entry of this session: it is made when a context is"
        self._about(safe(f"it is here because: {piece.why}\n\n{told}"))

    def action_copy(self) -> None:
        """Put the payload that is shown, or the whole account as Markdown, on the clipboard."""
        if self.has_class("-payload"):
            self.app.copy_to_clipboard(self._payload(_FORMS[self._form]))
            self.app.notify(f"copied what {_FORMS[self._form]} would be sent")
        elif self._account is not None:
            self.app.copy_to_clipboard(markdown_of(self._account))
            self.app.notify("copied as Markdown")

    @work(exclusive=True, group="compaction")
    async def action_compact(self) -> None:
        """Let a summary stand for the older messages now."""
        session = self._free_session()
        if session is None:
            return
        self.app.notify("compacting …")
        try:
            done = await self._app.sojourn.compact(session, force=True)
        except SojournError as error:
            self._app.complain(error)
            return
        if done.compacted:
            told = f"compacted: {done.tokens_before:,} tokens of messages are {done.tokens_after:,} now; u undoes it"
        else:
            told = f"nothing was compacted: {done.reason}"
        self.app.notify(told, markup=False, timeout=10)
        self._look()

    @work(exclusive=True, group="compaction")
    async def action_undo(self) -> None:
        """Take the last compaction back."""
        session = self._free_session()
        if session is None:
            return
        try:
            done = await self._app.sojourn.compactor(session).undo()
        except SojournError as error:
            self._app.complain(error)
            return
        told = f"undone: {done.tokens_before:,} tokens of messages are {done.tokens_after:,} again"
        self.app.notify(told, markup=False)
        self._look()

    def _free_session(self) -> Session | None:
        if self._app.session is None:
            self.app.notify("nothing was said yet")
        elif self._app.chat.turns.is_busy:
            self.app.notify(_BUSY, severity="warning")
        else:
            return self._app.session
        return None

    # --- what is typed here

    def action_wish(self, wish: Wish) -> None:
        """Let the person type a question, another model, or words to look for."""
        field = self._field
        self._wish = wish
        field.placeholder = _ASKS[wish]
        field.value = {"ask": self._question, "pretend": self._pretended, "filter": self._filter}[wish]
        field.display = True
        field.focus()

    @on(Input.Changed, "#wish")
    def _typed(self, event: Input.Changed) -> None:
        if self._wish == "filter" and event.input.display:
            self._filter = event.value.strip()
            self._draw()

    @on(Input.Submitted, "#wish")
    def _wished(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        if self._wish == "filter":
            self._filter = text
            self._draw()
        elif self._wish == "ask":
            self._question = text
        else:
            self._pretended = text
        self._close_field()
        if self._wish != "filter":
            self._look()

    def _close_field(self) -> None:
        self._field.display = False
        self._list.focus()
