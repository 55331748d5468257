"""The screen about money: what this session cost, what all of them cost, on what, and when."""

from datetime import timedelta
from typing import ClassVar, Final, Literal, cast, get_args

from rich.text import Text
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import DataTable, Static

from sojourn.desk.columns import fit
from sojourn.desk.figures import amount, sparkline
from sojourn.desk.spending import By, Group, Spending, Sum, read_session_spending, read_spending
from sojourn.desk.visible import safe
from sojourn.desk.wording import count, money, one_line
from sojourn.errors import SojournError
from sojourn.model.header import SessionHeader
from sojourn.tui.choices import choices
from sojourn.tui.host import Host
from sojourn.tui.key_line import KeyLine

Where = Literal["session", "project", "everything"]
_WHERE: Final[tuple[Where, ...]] = get_args(Where)
_NAMES: Final[dict[Where, str]] = {"session": "this session", "project": "this project", "everything": "everything"}
_WAYS: Final[dict[Where, tuple[By, ...]]] = {
    "session": ("purpose", "model", "day"),
    "project": ("model", "day", "session", "purpose"),
    "everything": ("model", "day", "session", "project", "purpose"),
}
"""What the calls of each place can be put together by."""
_PERIODS: Final[tuple[int | None, ...]] = (30, 7, 90, 365, None)
"""Days to look back; None looks at all."""
_BARS: Final = 60
"""Days that have a bar, at most."""
_NARROW: Final = 76
"""Columns below which only the name, the cost and the tokens in all are shown."""
_ROWS: Final = 500


class SpendingScreen(Screen[None]):
    """What was spent. The figures are those that `sojourn cost` tells."""

    DEFAULT_CSS = """
    SpendingScreen #head { height: auto; padding: 0 1; background: $panel; link-style: none; }
    SpendingScreen #sum { height: auto; padding: 1 1 0 1; }
    SpendingScreen #bars { height: auto; padding: 0 1; color: $primary; display: none; }
    SpendingScreen DataTable { height: 1fr; margin: 1 1 0 1; background: $background; }
    SpendingScreen DataTable > .datatable--cursor { background: $primary 25%; color: $text; text-style: bold; }
    SpendingScreen DataTable > .datatable--header { background: $background; color: $text-muted; text-style: none; }
    SpendingScreen #notes { height: auto; padding: 0 1; color: $text-muted; }
    """
    AUTO_FOCUS: ClassVar[str | None] = "DataTable"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "next_where", "where"),
        Binding("right", "next_way(1)", "by", priority=True),
        Binding("left", "next_way(-1)", "by before", show=False, priority=True),
        Binding("d", "next_period", "days"),
        Binding("f5,ctrl+l", "read_again", "read again", show=False),
        Binding("escape", "leave", "back"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._where: Where = "session"
        self._by: dict[Where, By] = {where: ways[0] for where, ways in _WAYS.items()}
        self._days: int | None = _PERIODS[0]
        self._spent = Spending()
        self._inherited = 0
        self._nested: tuple[SessionHeader, ...] = ()
        self._seen: object = None
        self._groups: list[Group] = []

        self._head = Static("", id="head")
        self._total = Static("", id="sum", markup=False)
        self._bars = Static("", id="bars", markup=False)
        self._table = DataTable[Text](cursor_type="row", zebra_stripes=False)
        self._told = Static("", id="notes", markup=False)

    def compose(self) -> ComposeResult:
        yield self._head
        yield self._total
        yield self._bars
        yield self._table
        yield self._told
        yield KeyLine()

    def on_mount(self) -> None:
        if self._app.session is None:
            self._where = "project"
            self._read()
        self.watch(self._app, "state", self._state_changed)

    @property
    def _app(self) -> Host:
        return cast(Host, self.app)

    @property
    def groups(self) -> tuple[Group, ...]:
        """What the table shows, from the top."""
        return tuple(self._groups)

    @property
    def by(self) -> By:
        """What calls are put together by."""
        return self._by[self._where]

    # --- reading

    def _state_changed(self) -> None:
        """Follow what the open session spends."""
        state = self._app.state
        seen = None if state is None else state.metadata.tokens_by_purpose
        if self._where == "session" and (self._seen is None or self._seen is not seen):
            self._read()
        self._seen = seen

    @work(exclusive=True, group="spending")
    async def _read(self) -> None:
        """Read the journals: for many sessions that takes a while, and says how far it is."""
        self._draw_head()
        if self._where != "session":
            self._total.update("reading …")
        app, session = self._app, self._app.session
        try:
            if self._where == "session" and session is not None:
                spent = await read_session_spending(app.sojourn.store, session.id)
                with_origin = sum(session.state.metadata.cost_micros.values())
                self._inherited = max(0, with_origin - spent.total.cost_micros)
                self._nested = await app.sojourn.sessions.children(session.id)
            else:
                since = None if self._days is None else app.sojourn.clock.now() - timedelta(days=self._days)
                project = app.conversation.project.id if self._where == "project" else None
                spent = await read_spending(app.sojourn.store, project=project, since=since, on_progress=self._tell)
                self._inherited, self._nested = 0, ()
        except SojournError as error:
            app.complain(error)
            return
        self._spent = spent
        self._draw()

    def _tell(self, done: int, total: int) -> None:
        if done % 20 == 0:
            self._total.update(f"reading {done:,} of {count(total, 'session')} …")

    # --- drawing

    def _draw(self) -> None:
        self._draw_head()
        self._total.update(Text("\n").join(_sum_lines(self._spent.total, self._period())))
        self._draw_bars()
        self._groups = self._spent.by(self.by)[:_ROWS]
        self._draw_table()
        self._told.update(safe("\n".join(self._notes())))

    def _draw_head(self) -> None:
        """Draw what is chosen. All of it is ours, so that it may be markup, to be clicked."""
        wheres = choices({one: _NAMES[one] for one in _WHERE}, self._where, action="where")
        ways = choices({one: one for one in _WAYS[self._where]}, self.by, action="way")
        self._head.update(f"[b]Cost[/b]   {wheres}\n   by  {ways}")

    def _draw_bars(self) -> None:
        bars = self._bars
        bars.display = self._where != "session" and self._spent.total.calls > 0
        if bars.display:
            last = self._app.sojourn.clock.now().astimezone(self._spent.zone).date()
            days = min(self._days or _BARS, _BARS, max(7, self.size.width - 30))
            sums = self._spent.per_day(last=last, days=days)
            most = max(sums, key=lambda one: one.cost_micros)
            values = [one.cost_micros for one in sums] if most.cost_micros else [one.tokens for one in sums]
            dearest = f"   most in a day: {money(most.cost_micros)}" if most.cost_micros else ""
            first = last - timedelta(days=days - 1)
            bars.update(f"{first:%d %b} {sparkline(values)} {last:%d %b}{dearest}")

    def _draw_table(self) -> None:
        table = self._table
        is_narrow = self.size.width < _NARROW
        table.clear(columns=True)
        titles = ["tokens"] if is_narrow else ["calls", "in", "cache read", "cache write", "out", "from cache"]
        table.add_column(self.by)
        for title in ("cost", *titles):
            table.add_column(Text(title, justify="right"))
        room = max(12, self.size.width - (26 if is_narrow else 74))
        for group in self._groups:
            cells = _cells(group.sum, is_narrow=is_narrow)
            name = Text(safe(fit(one_line(self._label(group), most=200), room)))
            table.add_row(name, *[Text(cell, justify="right") for cell in cells])

    def _label(self, group: Group) -> str:
        own = self._app.conversation.project
        return own.name if self.by == "project" and group.key == own.id else group.name

    def _notes(self) -> list[str]:
        notes = []
        if not self._spent.calls:
            notes.append("Nothing was spent yet: each call of a model is counted here.")
        unpriced = self._spent.unpriced
        if unpriced:
            named = ", ".join(
                f"{one_line(model, most=40)} ({count(calls, 'call')})" for model, calls in unpriced.items()
            )
            notes.append(f"without a known price: {named}")
        if self._inherited:
            notes.append(f"{money(self._inherited)} more was spent before the fork, and is counted in its origin")
        spent = sum(header.cost_micros for header in self._nested)
        if spent:
            notes.append(f"its agents spent {money(spent)} more, in {count(len(self._nested), 'session')} of their own")
        if self._spent.unreadable:
            notes.append(f"damaged, and left out: {', '.join(self._spent.unreadable)}; sojourn doctor says more")
        if self.by == "session" and self._groups:
            notes.append("enter opens the session")
        return notes

    def _period(self) -> str:
        if self._where == "session":
            return "in this session"
        return "in all" if self._days is None else f"in the last {self._days} days"

    def on_resize(self, event: events.Resize) -> None:
        del event
        if self._spent.calls:
            self._draw_bars()
            self._draw_table()

    # --- keys

    def action_next_where(self) -> None:
        """Look at this session, at its project, or at everything."""
        self.action_where(_WHERE[(_WHERE.index(self._where) + 1) % len(_WHERE)])

    def action_where(self, where: Where) -> None:
        """Look at another place."""
        if where == "session" and self._app.session is None:
            self.notify("nothing was said yet")
            where = "project"
        self._where = where
        self._read()

    def action_next_way(self, by: int) -> None:
        """Put the calls together in another way."""
        ways = _WAYS[self._where]
        self.action_way(ways[(ways.index(self.by) + by) % len(ways)])

    def action_way(self, by: By) -> None:
        """Put the calls together by model, day, session, project or purpose."""
        self._by[self._where] = by
        self._draw()

    def action_next_period(self) -> None:
        """Look back for another number of days."""
        if self._where == "session":
            self.notify("a session is shown whole; tab looks at the project")
            return
        self._days = _PERIODS[(_PERIODS.index(self._days) + 1) % len(_PERIODS)]
        self._read()

    def action_read_again(self) -> None:
        """Read the figures anew."""
        self._read()

    def action_leave(self) -> None:
        """Go back to where one was."""
        self.dismiss()

    @on(DataTable.RowSelected)
    async def _opened(self, event: DataTable.RowSelected) -> None:
        app = self._app
        if self.by != "session" or not 0 <= event.cursor_row < len(self._groups):
            return
        if app.chat.turns.is_busy:
            app.notify("wait until the answer is there, or stop it with esc", severity="warning")
            return
        app.back_to_chat()
        await app.open_session(self._groups[event.cursor_row].key)


def _sum_lines(total: Sum, period: str) -> list[Text]:
    first = Text(total.cost_text, style="bold")
    first.append(f" {period}", style="not bold")
    if total.calls:
        first.append(f" · {count(total.calls, 'call')}", style="not bold")
    if not total.tokens:
        return [first]
    told = [f"in {amount(total.input_tokens)}"]
    if total.cache_read_tokens or total.cache_creation_tokens:
        told += [f"cache read {amount(total.cache_read_tokens)}", f"cache write {amount(total.cache_creation_tokens)}"]
    told.append(f"out {amount(total.output_tokens)}")
    if total.cache_read_tokens and total.cache_share is not None:
        told.append(f"{total.cache_share:.0%} of what was sent came from a cache")
    return [first, Text(" · ".join(told), style="dim")]


def _cells(one: Sum, *, is_narrow: bool) -> list[str]:
    """Return the figures of a row."""
    if is_narrow:
        return [one.cost_text, amount(one.tokens)]
    share = "" if one.cache_share is None or not one.cache_read_tokens else f"{one.cache_share:.0%}"
    tokens = (one.input_tokens, one.cache_read_tokens, one.cache_creation_tokens, one.output_tokens)
    return [one.cost_text, f"{one.calls:,}", *[amount(number) if number else "–" for number in tokens], share]
