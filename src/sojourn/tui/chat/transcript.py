"""The talk as it is shown: a window of at most fifty items on a journal of any length.

Items are read when one scrolls to where they are. What is far away is taken down again, so that the screen stays as
quick after ten thousand messages as after ten.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar, Final, cast

import anyio
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from sojourn.desk.visible import safe
from sojourn.desk.wording import count
from sojourn.engine.session import Session
from sojourn.errors import SojournError
from sojourn.tui.chat.items import Item, read_earlier, read_later
from sojourn.tui.chat.views import ItemView
from sojourn.tui.host import Host

MOST: Final = 50
"""Items that are there at once."""
_FIRST: Final = 20
"""Items that a session opens with."""
_STEP: Final = 15
_NOTES: Final = 5
_BEGIN: Final = """\
Say something: it is kept as you talk, and found again.

ctrl+r   find an earlier session
/        run a command
@        name a file
f1       see every key"""
_NEAR: Final = 3
"""Lines from an edge at which more is read."""


class Transcript(VerticalScroll):
    """What was said in a session. Lives as long as the screen; `show` changes the session."""

    can_focus = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "step(-1)", "up", show=False),
        Binding("down,j", "step(1)", "down", show=False),
        Binding("left_curly_bracket", "prompt(-1)", "previous prompt", show=False),
        Binding("right_curly_bracket", "prompt(1)", "next prompt", show=False),
        Binding("home,g", "oldest", "oldest", show=False),
        Binding("end,G", "newest", "newest", show=False),
        Binding("enter,v", "whole", "all of it"),
        Binding("y", "copy", "copy"),
        Binding("e", "chosen('edit')", "edit and resend"),
        Binding("f", "chosen('fork')", "fork here"),
        Binding("b", "chosen('rewind')", "back to here"),
        Binding("u", "chosen('undo')", "undo the summary"),
        Binding("escape", "leave", "write", show=False),
    ]

    class Chosen(Message):
        """Something is to be done at an item: edit it and send it again, fork, rewind, or undo a compaction."""

        def __init__(self, item: Item, what: str) -> None:
            super().__init__()
            self.item = item
            self.what = what

    class Left(Message):
        """The person wants to write."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - textual's name
        super().__init__(id=id)
        self._session: Session | None = None
        self._views: list[ItemView] = []
        self._begin = Static(_BEGIN, id="begin", markup=False)
        self._earlier = Static("", id="earlier", markup=False)
        self._later = Static("", id="later", markup=False)
        self._tail: Widget | None = None
        self._chosen: int | None = None
        self._verbose = False
        self._is_reading = False
        self._at_end = True
        self._notes: list[Static] = []
        self._changing = anyio.Lock()

    # --- what is shown

    @property
    def _app(self) -> Host:
        return cast(Host, self.app)

    @property
    def items(self) -> list[Item]:
        """What is there now, oldest first."""
        return [view.item for view in self._views]

    @property
    def is_at_end(self) -> bool:
        """Whether the newest item is there: what comes next is shown at once."""
        return self._at_end

    def compose(self) -> ComposeResult:
        yield self._begin
        yield self._earlier
        yield self._later

    async def show(self, session: Session | None, *, at: int | None = None) -> None:
        """Show a session's last items, or those around entry *at*."""
        async with self._changing:
            if session is not self._session and self._session is not None:
                await self.remove_children(self._notes)
                self._notes = []
            self._session, self._chosen, self._at_end = session, None, True
            if session is None:
                items: list[Item] = []
            elif at is None:
                items = await read_earlier(session, before=session.head + 1, count=_FIRST)
            else:
                later = await read_later(session, after=at - 1, count=_FIRST)
                items = [*await read_earlier(session, before=at, count=_FIRST // 2), *later]
                self._at_end = len(later) < _FIRST
            await self._replace(items)
            self._tell_rest()
        if at is None or not items:
            self.anchor()
        else:
            self._choose(next((index for index, item in enumerate(items) if item.seq >= at), len(items) - 1))

    async def follow(self) -> list[Item]:
        """Show what the journal holds beyond the newest item, if that is in view; return what was added."""
        async with self._changing:  # two who follow at once would add the same items twice
            session = self._session
            if session is None or not self._at_end:
                self._tell_rest()
                return []
            last = self._views[-1].item.seq if self._views else 0
            items = await read_later(session, after=last, count=MOST)
            await self._add_later(items)
            self._tell_rest()
            return items

    def set_tail(self, tail: Widget) -> None:
        """Keep *tail* behind the newest item: what is being said right now."""
        self._tail = tail
        self.mount(tail)

    def note(self, text: str) -> None:
        """Show something that is no part of the talk, below what was said last, until there are too many."""
        note = Static(safe(text), markup=False, classes="aside note-beside")
        self._notes.append(note)
        self.mount(note, before=self._later)
        while len(self._notes) > _NOTES:
            self._notes.pop(0).remove()

    def show_details(self, *, verbose: bool) -> None:
        """Show thinking and tool results, or hide them."""
        self._verbose = verbose
        for view in self._views:
            view.show_details(verbose=verbose)

    # --- the window

    async def _replace(self, items: Sequence[Item]) -> None:
        await self.remove_children(self._views)
        self._views = self._new_views(items[-MOST:])
        await self.mount_all(self._views, before=self._later)

    async def _add_later(self, items: Sequence[Item]) -> None:
        """Add items below, and take down as many above, where nobody looks."""
        if not items:
            return
        place = None if self._at_end and self._shows_end() else self._place()
        views = self._new_views(items)
        await self.mount_all(views, before=self._later)
        both = [*self._views, *views]
        gone, self._views = both[:-MOST], both[-MOST:]
        self._shift(-len(gone))
        await self.remove_children(gone)
        self._keep(place)

    async def _add_earlier(self, items: Sequence[Item]) -> None:
        """Add items above, and take down as many below, where nobody looks."""
        if not items:
            return
        place = self._place()
        views = self._new_views(items)
        await self.mount_all(views, after=self._earlier)
        both = [*views, *self._views]
        self._views, gone = both[:MOST], both[MOST:]
        self._shift(len(views))
        if gone:
            self._at_end = False
            await self.remove_children(gone)
        self._keep(place)

    def _shows_end(self) -> bool:
        """Tell whether the end is in view. A short talk stands at the foot, as if it were scrolled beyond its top."""
        return self.max_scroll_y == 0 or self.is_vertical_scroll_end

    def _place(self) -> tuple[ItemView, float] | None:
        """Return the topmost item in view, and how far above or below the edge it begins."""
        top = self.scroll_y
        view = next((one for one in self._views if one.virtual_region.bottom > top), None)
        return None if view is None else (view, view.virtual_region.y - top)

    def _keep(self, place: tuple[ItemView, float] | None) -> None:
        """Show what stood at *place* where it stood, once everything has its new place."""
        if place is None:
            return
        view, distance = place

        def scroll() -> None:
            if view.is_attached:
                self.scroll_to(y=view.virtual_region.y - distance, animate=False, immediate=True)

        self.call_after_refresh(scroll)

    def _shift(self, by: int) -> None:
        moved = None if self._chosen is None else self._chosen + by
        self._chosen = moved if moved is not None and 0 <= moved < len(self._views) else None

    def _new_views(self, items: Sequence[Item]) -> list[ItemView]:
        return [ItemView(item, verbose=self._verbose) for item in items]

    def watch_scroll_y(self, old: float, new: float) -> None:
        super().watch_scroll_y(old, new)
        if new < old:
            self._want_earlier()
        elif new > old:
            self._want_later()

    def action_page_up(self) -> None:
        super().action_page_up()
        self._want_earlier()

    def action_page_down(self) -> None:
        super().action_page_down()
        self._want_later()

    def _want_earlier(self) -> None:
        if self.scroll_y <= _NEAR and not self._is_reading:
            self._read_earlier()

    def _want_later(self) -> None:
        if not self._at_end and self.scroll_y >= self.max_scroll_y - _NEAR and not self._is_reading:
            self._read_later()

    @work(exclusive=True, group="reading")
    async def _read_earlier(self) -> None:
        async def read(session: Session) -> None:
            await self._add_earlier(await read_earlier(session, before=self._views[0].item.seq, count=_STEP))

        await self._read_on(read)

    @work(exclusive=True, group="reading")
    async def _read_later(self) -> None:
        async def read(session: Session) -> None:
            items = await read_later(session, after=self._views[-1].item.seq, count=_STEP)
            self._at_end = len(items) < _STEP
            await self._add_later(items)

        await self._read_on(read)

    async def _read_on(self, read: Callable[[Session], Awaitable[None]]) -> None:
        """Read on from what is shown, if anything is. What cannot be read is told."""
        self._is_reading = True
        try:
            async with self._changing:
                if self._session is not None and self._views:
                    await read(self._session)
                    self._tell_rest()
        except SojournError as error:
            self._app.complain(error)
        finally:
            self._is_reading = False

    def _tell_rest(self) -> None:
        self._begin.display = not self._views
        session = self._session
        said = session.state.conversation.message_count if session is not None else 0
        first = self._views[0].item if self._views else None
        shown = sum(item.message is not None for item in self.items)
        missing = max(0, said - shown)
        starts = session is None or first is None or first.seq <= (session.state.conversation.first_message or 0)
        self._earlier.update("" if starts or not missing else f"⋯ {count(missing, 'other message')} (PgUp reads on)")
        self._earlier.display = not starts and missing > 0
        self._later.update("⋯ newer messages below (End shows them)")
        self._later.display = not self._at_end

    # --- keys

    def action_step(self, by: int) -> None:
        """Choose the item above or below."""
        last = len(self._views) - 1
        self._choose(last if self._chosen is None else min(last, max(0, self._chosen + by)))

    def action_prompt(self, by: int) -> None:
        """Choose the next thing that a person said, above or below."""
        index = (len(self._views) if self._chosen is None else self._chosen) + by
        while 0 <= index < len(self._views):
            if self._views[index].item.is_prompt:
                self._choose(index)
                return
            index += by

    async def action_oldest(self) -> None:
        """Go to the beginning of the talk, and choose what was said first."""
        if self._session is not None:
            await self._go(at=1)
            self.scroll_home(animate=False)
            self._choose(0)

    async def action_newest(self) -> None:
        """Go to the end of the talk, and choose what was said last."""
        await self._go()
        self._choose(len(self._views) - 1)

    async def _go(self, *, at: int | None = None) -> None:
        try:
            await self.show(self._session, at=at)
        except SojournError as error:
            self._app.complain(error)

    def action_whole(self) -> None:
        """Show all of the chosen item, or less again."""
        if self._chosen is not None:
            view = self._views[self._chosen]
            view.show_details(verbose=not view.is_verbose)

    def action_copy(self) -> None:
        """Put the chosen item's text on the clipboard."""
        if self._chosen is not None:
            self.app.copy_to_clipboard(self._views[self._chosen].item.text)
            self.app.notify("copied")

    def action_chosen(self, what: str) -> None:
        """Do something at the chosen item."""
        if self._chosen is not None:
            self.post_message(self.Chosen(self._views[self._chosen].item, what))

    def action_leave(self) -> None:
        """Go back to writing."""
        self._choose(None)
        self.post_message(self.Left())

    def _choose(self, index: int | None) -> None:
        for number, view in enumerate(self._views):
            view.set_class(number == index, "chosen")
        self._chosen = index if index is not None and 0 <= index < len(self._views) else None
        if self._chosen is not None:
            self.scroll_to_widget(self._views[self._chosen], animate=False)
