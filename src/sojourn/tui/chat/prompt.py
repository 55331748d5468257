"""Where the person types. Enter sends; shift+enter or ctrl+j begins another line.

`pasting` holds aside what is pasted, and `drafted` keeps what is typed and not sent. Here are the keys, what was said
before, what is offered for what is typed, and the editor.
"""

import os
import time
from collections.abc import Callable, Mapping
from typing import ClassVar, Final

from textual import events, on, work
from textual.actions import SkipAction
from textual.app import SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from sojourn.agent.agent import MAX_INPUT
from sojourn.desk.editor import editor_command
from sojourn.errors import SojournError
from sojourn.tui.chat.commands import app_commands, prompt_commands
from sojourn.tui.chat.completion import Candidate, Completion, Typed, commands_for, mentions_for, typed_at
from sojourn.tui.chat.drafted import DraftedArea
from sojourn.tui.chat.editor import edited
from sojourn.tui.chat.files import ProjectFiles
from sojourn.tui.chat.history import History


class Prompt(DraftedArea):
    """The person's next message. Lives as long as the chat, and brings the completion that stands above it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "send", "send", show=False),
        Binding("shift+enter,ctrl+j,alt+enter", "newline", "new line", show=False),
        Binding("up", "back_or_up", "what was said before", show=False),
        Binding("down", "forth_or_down", "what was said after that", show=False),
        Binding("pageup", "page_back", "a page up, or read back", show=False),
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
        self._history = History()
        self._completion = Completion(id="completion")
        self._dismissed: Typed | None = None
        self._offered_for: Typed | None = None
        self._chord = False

    def on_mount(self) -> None:
        self._files = ProjectFiles(self._app.conversation.project.path, monotonic=time.monotonic)
        self.screen.mount(self._completion, before=self)
        self.keep_drafts()

    # --- what is typed

    def remember(self, texts: list[str]) -> None:
        """Know what was said before, oldest first: the up key brings it back."""
        self._history.begin(texts)

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
        self.empty()
        self._history.add(text)
        self.post_message(self.Sent(text))

    def action_newline(self) -> None:
        """Begin another line."""
        self.insert("\n")

    def action_page_back(self) -> None:
        """Go a page up in what is typed; if all of it is in view the key is the screen's, to read back."""
        if self.wrapped_document.height <= max(1, self.content_size.height):
            raise SkipAction
        self.action_cursor_page_up()

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
        self.keep_soon()
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


_OWN_KEYS: Final[Mapping[str, Callable[[Prompt], None]]] = {
    "enter": Prompt.action_send,
    "shift+enter": Prompt.action_newline,
    "ctrl+j": Prompt.action_newline,
    "alt+enter": Prompt.action_newline,
    "up": Prompt.action_back_or_up,
    "down": Prompt.action_forth_or_down,
}
"""Keys that mean something else in a prompt than in a text."""
