"""Where the person types. Enter sends; shift+enter or ctrl+j begins another line.

A paste of many pages, or one with control characters, is held aside and stands in the text as one mark: typing stays
quick, nothing reaches the terminal that should not, and it is sent whole. What is typed and not sent is kept as a draft
of its session.
"""

import os
import re
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar, Final, cast

import anyio
from textual import events, on, work
from textual.actions import SkipAction
from textual.app import SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from sojourn.agent.agent import MAX_INPUT
from sojourn.errors import SojournError
from sojourn.tui.chat.commands import app_commands, prompt_commands
from sojourn.tui.chat.completion import Candidate, Completion, Typed, commands_for, mentions_for, typed_at
from sojourn.tui.chat.drafts import Draft, Drafts
from sojourn.tui.chat.editor import edited, editor_command
from sojourn.tui.chat.files import ProjectFiles
from sojourn.tui.chat.history import History

if TYPE_CHECKING:
    from sojourn.tui.app import SojournApp

_LONG: Final = 4_000
"""Characters of a paste that is held aside."""
_MARK: Final = re.compile(r"\[pasted #(\d+): [\d,]+ characters\]")
_NOISE: Final = re.compile("\x1b\\[20[01]~")
"""What a terminal puts around a paste; it is no part of it."""
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that move the cursor, change colours or turn the direction of writing."""
_SAVED_AFTER: Final = 0.4
"""Seconds after which what was typed is kept."""


class Prompt(TextArea):
    """The person's next message. Lives as long as the chat, and brings the completion that stands above it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "send", "send", show=False),
        Binding("shift+enter,ctrl+j,alt+enter", "newline", "new line", show=False),
        Binding("up", "back_or_up", "what was said before", show=False),
        Binding("down", "forth_or_down", "what was said after that", show=False),
        Binding("tab", "complete", "put in what is offered", show=False),
        Binding("escape", "close_completion", "close what is offered", show=False),
        Binding("alt+left,alt+b", "cursor_word_left", "a word back", show=False),
        Binding("alt+right,alt+f", "cursor_word_right", "a word on", show=False),
        Binding("f4", "editor", "write in your editor", show=False),
        Binding("ctrl+x", "cut_or_chord", "cut, or ctrl+x ctrl+e for your editor", show=False),
        Binding("ctrl+e", "end_or_editor", "end of the line", show=False),
        Binding("ctrl+k", "kill_line", "delete to the end of the line", show=False),
    ]

    class Sent(Message):
        """The person sends *text*."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class SentNothing(Message):
        """The person presses enter, and nothing is typed."""

    class WantsQueued(Message):
        """The person wants the newest waiting message back."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - textual's name
        super().__init__(
            "",
            id=id,
            soft_wrap=True,
            show_line_numbers=False,
            highlight_cursor_line=False,
            tab_behavior="focus",
            placeholder="message   ( / commands · @ file · shift+enter new line )",
        )
        self._pasted: list[str] = []
        self._waiting: tuple[str, ...] = ()
        self._history = History()
        self._completion = Completion(id="completion")
        self._dismissed: Typed | None = None
        self._offered_for: Typed | None = None
        self._chord = False
        self._place: str | None = None
        self._is_saving = False
        self._is_leaving = False
        self._writing = anyio.Lock()

    def on_mount(self) -> None:
        app = self._app
        self._drafts = Drafts(app.sojourn.store.documents)
        self._files = ProjectFiles(app.conversation.project.path, monotonic=time.monotonic)
        self.screen.mount(self._completion, before=self)
        self.watch(app, "state", self._session_changed)

    @property
    def _app(self) -> "SojournApp":
        return cast("SojournApp", self.app)

    # --- what is typed

    def remember(self, texts: list[str]) -> None:
        """Know what was said before, oldest first: the up key brings it back."""
        self._history.begin(texts)

    def whole(self) -> str:
        """Return what is typed, with what was pasted in its place."""
        return whole(self.text, self._pasted)

    def put(self, text: str) -> None:
        """Replace what is typed."""
        self.clear()
        self._pasted = []
        self._insert(text)
        self.move_cursor(self.document.end)

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self._insert(event.text)

    def action_paste(self) -> None:
        """Put in what was copied in this app."""
        self._insert(self.app.clipboard)

    def _insert(self, text: str) -> None:
        clean = _NOISE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
        if len(clean) > _LONG or _CONTROL.search(clean):
            self._pasted.append(clean)
            clean = f"[pasted #{len(self._pasted)}: {len(clean):,} characters]"
        start, end = sorted(self.selection)
        done = self.replace(clean, start, end, maintain_selection_offset=False)
        self.move_cursor(done.end_location)

    def action_send(self) -> None:
        """Send what is typed, if anything is; or put in what is offered, unless it is typed already."""
        chosen, typed = self._chosen(), self._typed()
        if chosen is not None and typed is not None and chosen.insert.strip() != self._written(typed):
            self._accept(chosen)
            return
        text = self.whole().strip()
        if not text:
            self.post_message(self.SentNothing())
            return
        if len(text) > MAX_INPUT:
            told = f"this has {len(text):,} characters, and {MAX_INPUT:,} is the most: it stays here"
            self.app.notify(told, severity="warning")
            return
        self._completion.close()
        self.clear()
        self._pasted = []
        self._history.add(text)
        self.post_message(self.Sent(text))

    def action_newline(self) -> None:
        """Begin another line."""
        self.insert("\n")

    async def action_kill_line(self) -> None:
        """Delete to the end of the line; in an empty prompt the key is the app's."""
        if not self.text:
            raise SkipAction
        await self.action_delete_to_end_of_line_or_delete_line()

    # --- what was said before

    def action_back_or_up(self) -> None:
        """Choose what is offered above; go up a line; from the first, bring back what waits or was said before."""
        if self._completion.is_open:
            self._completion.step(-1)
        elif self.cursor_location[0] > 0:
            self.action_cursor_up()
        elif not self.text:
            self._history.rewind()
            self.post_message(self.WantsQueued())
        elif self._history.is_shown(self.whole()):
            self.recall()
        else:
            self.action_cursor_up()

    def action_forth_or_down(self) -> None:
        """Choose what is offered below; go down a line; from the last, go forth in what was said before."""
        if self._completion.is_open:
            self._completion.step(1)
        elif self.cursor_location[0] < self.document.line_count - 1:
            self.action_cursor_down()
        elif self._history.is_shown(self.whole()):
            self.put(self._history.forth() or "")
        else:
            self.action_cursor_down()

    def recall(self) -> None:
        """Bring back what was said before; from the first thing of this session on, what was said in others."""
        text = self._history.back()
        if text is not None:
            self.put(text)
        elif self._history.wants_more:
            self._read_history()

    @work(exclusive=True, group="history")
    async def _read_history(self) -> None:
        app = self._app
        try:
            await self._history.read_others(app.sojourn.store, project=app.conversation.project.id, session=app.session)
        except SojournError as error:
            app.complain(error)
            return
        text = self._history.back()
        if text is not None and (not self.text or self._history.is_shown(self.whole())):
            self.put(text)

    # --- what is offered

    @on(TextArea.Changed)
    def _changed(self) -> None:
        self._keep_soon()
        self._look()

    @on(TextArea.SelectionChanged)
    def _look(self) -> None:
        """Offer what can be put in where the cursor is."""
        typed = self._typed()
        self._offered_for = typed if typed is not None and typed.kind == "command" else None
        if typed is None:
            self._dismissed = None
        if typed is None or (self._dismissed is not None and self._dismissed.start == typed.start):
            self._completion.close()
        elif typed.kind == "command":
            offered = {**app_commands(), **prompt_commands(self._app.conversation.mcp)}
            self._completion.offer(commands_for(typed.text, offered))
        else:
            self._offer_mentions(typed)

    @work(exclusive=True, group="mentions")
    async def _offer_mentions(self, typed: Typed) -> None:
        paths = await self._files.paths()
        if self._typed() == typed:
            self._offered_for = typed
            self._completion.offer(mentions_for(typed.text, paths, self._app.conversation.mcp))

    def _chosen(self) -> Candidate | None:
        """Return what is chosen of what is offered for the text as it is now.

        Whoever types fast is ahead of what is offered: that is for what he had typed before.
        """
        typed = self._typed()
        if typed is not None and typed.kind == "command":
            self._look()
        return self._completion.chosen if typed is not None and typed == self._offered_for else None

    def _typed(self) -> Typed | None:
        row, column = self.cursor_location
        if self.selection.start != self.selection.end:
            return None
        return typed_at(self.document.get_line(row), row=row, column=column)

    def _written(self, typed: Typed) -> str:
        row, column = self.cursor_location
        return self.document.get_line(row)[typed.start : column]

    @on(Completion.Chosen)
    def _clicked(self, event: Completion.Chosen) -> None:
        self._accept(event.candidate)
        self.focus()

    def _accept(self, candidate: Candidate) -> None:
        typed = self._typed()
        self._completion.close()
        if typed is not None:
            row, _ = self.cursor_location
            self.replace(candidate.insert, (row, typed.start), self.cursor_location, maintain_selection_offset=False)
            self.move_cursor((row, typed.start + len(candidate.insert)))

    def action_complete(self) -> None:
        """Put in what is chosen; with nothing offered the key goes to what can be focused next."""
        chosen = self._chosen()
        if chosen is None:
            raise SkipAction
        self._accept(chosen)

    def action_close_completion(self) -> None:
        """Offer nothing more here; with nothing offered the key is the screen's."""
        if not self._completion.is_open:
            raise SkipAction
        self._dismissed = self._typed()
        self._completion.close()

    # --- an editor

    def action_cut_or_chord(self) -> None:
        """Cut what is selected; with nothing selected wait for ctrl+e."""
        if self.selected_text:
            self.action_cut()
        else:
            self._chord = True

    async def _on_key(self, event: events.Key) -> None:
        self._chord = self._chord and event.key == "ctrl+e"
        own = _OWN_KEYS.get(event.key)
        if own is None:
            await super()._on_key(event)
            return
        # Here and not as bindings with priority: those would overtake the letters that were typed just before.
        event.stop()
        event.prevent_default()
        own(self)

    def action_end_or_editor(self) -> None:
        """Go to the end of the line; after ctrl+x open the editor; in an empty prompt the key is the app's."""
        chord, self._chord = self._chord, False
        if chord:
            self.action_editor()
        elif self.text:
            self.action_cursor_line_end()
        else:
            raise SkipAction

    @work(exclusive=True, group="editor")
    async def action_editor(self) -> None:
        """Let the person write in his own editor; the talk goes on meanwhile, and is drawn when he is back."""
        try:
            command = editor_command(os.environ)
            with self.app.batch_update(), self.app.suspend():
                text = await edited(self.whole(), command)
        except SuspendNotSupported:
            self.app.notify("an editor cannot be opened here", severity="warning")
        except SojournError as error:
            self._app.complain(error)
        else:
            self.put(text)

    # --- what is kept

    def note_waiting(self, texts: tuple[str, ...]) -> None:
        """Keep with the draft what was sent and waits for its turn."""
        if texts != self._waiting and not self._is_leaving:
            self._waiting = texts
            self._keep_soon()

    async def leave(self) -> None:
        """Keep what is typed and what waits, as it is now: the app is left."""
        self._is_leaving = True
        await self._keep()

    async def on_unmount(self) -> None:
        if not self._is_leaving:
            await self.leave()

    def _keep_soon(self) -> None:
        if self._place is not None and not self._is_saving and not self._is_leaving:
            self._is_saving = True
            self.set_timer(_SAVED_AFTER, self._keep)

    async def _keep(self) -> None:
        self._is_saving = False
        if self._place is not None:
            await self._save(self._place, self._draft())

    def _draft(self) -> Draft:
        return Draft(text=self.text, pasted=tuple(self._pasted), waiting=self._waiting)

    async def _save(self, place: str, draft: Draft) -> None:
        try:
            async with self._writing:
                await self._drafts.save(place, draft)
        except SojournError as error:
            self._app.complain(error)

    def _session_changed(self) -> None:
        """Put the draft of another session in place of that of the one that was left."""
        app = self._app
        place = app.session.id if app.session is not None else f"new:{app.conversation.project.id}"
        was, self._place = self._place, place
        if place == was:
            return
        if was is not None and was.startswith("new:") and app.chat.turns.is_busy:
            self._move(was, place)  # the session was begun by what was just said; what was typed since goes on in it
            return
        left = self._draft()
        if was is not None:
            self.clear()
            self._pasted, self._waiting = [], ()
        self._change(was, left, place)

    @work(group="drafts")
    async def _move(self, was: str, place: str) -> None:
        await self._save(was, Draft())
        await self._save(place, self._draft())

    @work(group="drafts")
    async def _change(self, was: str | None, left: Draft, place: str) -> None:
        if was is not None:
            await self._save(was, left)
        try:
            async with self._writing:
                found = await self._drafts.load(place)
        except SojournError as error:
            self._app.complain(error)
            return
        if found and place == self._place and not self.text:
            typed = whole(found.text, found.pasted)
            self.put("\n\n".join([*found.waiting, *([typed] if typed else [])]))
            if found.waiting:
                self.app.notify("what was waiting to be sent is in the prompt again")


def whole(text: str, pasted: list[str] | tuple[str, ...]) -> str:
    """Return *text* with what was pasted in place of its marks."""

    def put_back(found: re.Match[str]) -> str:
        number = int(found[1])
        return pasted[number - 1] if 0 < number <= len(pasted) else found[0]

    return _MARK.sub(put_back, text)


_OWN_KEYS: Final[Mapping[str, Callable[[Prompt], None]]] = {
    "enter": Prompt.action_send,
    "shift+enter": Prompt.action_newline,
    "ctrl+j": Prompt.action_newline,
    "alt+enter": Prompt.action_newline,
    "up": Prompt.action_back_or_up,
    "down": Prompt.action_forth_or_down,
}
"""Keys that mean something else in a prompt than in a text."""
