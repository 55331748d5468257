"""What the model is saying right now, as it comes. Once it is in the journal, the transcript shows it instead.

What draws Markdown is much to load, and nobody says anything before the first paint: it is loaded with the first words.
"""

from importlib import import_module
from typing import TYPE_CHECKING

import anyio
import anyio.lowlevel
import anyio.to_thread
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from sojourn.agent import events as ev
from sojourn.desk.visible import safe
from sojourn.desk.wording import one_line
from sojourn.tui.chat.views import call_line

if TYPE_CHECKING:
    from textual.widgets.markdown import Markdown, MarkdownStream


class LiveAnswer(Vertical):
    """The end of the talk while a turn goes on. Lives as long as the screen; empty between turns."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - textual's name
        super().__init__(id=id)
        self._markdown: Markdown | None = None
        self._aside = Static("", markup=False, classes="aside")
        self._stream: MarkdownStream | None = None
        self._changing = anyio.Lock()  # the turn writes, and the journal's follower clears
        self._calls: dict[str, str] = {}
        self._thoughts = ""
        self.is_verbose = False

    def compose(self) -> ComposeResult:
        yield self._aside

    def on_mount(self) -> None:
        self.display = False

    async def show(self, event: ev.TurnEvent) -> None:
        """Show an event of the turn, if it is one that shows here."""
        match event:
            case ev.ContentChunk(text=text) if text:
                self._tell("")
                await self._write(safe(text))
            case ev.ReasoningStarted():
                self._thoughts = ""
                self._tell("thinking …")
            case ev.ReasoningChunk(text=text):
                self._thoughts = (self._thoughts + text)[-400:]
                self._tell(f"thinking … {self._thoughts if self.is_verbose else ''}".strip())
            case ev.ToolBatchStarted(tool_calls=calls):
                self._calls = {call.id: call_line(call) for call in calls}
            case ev.ToolStarted(name=name, tool_id=tool_id):
                self._tell(f"{self._calls.get(tool_id, f'▸ {name}')} …")
            case ev.ApprovalRequested():
                self._tell("it waits for your answer below")
            case ev.ContextCompacted(notice=notice):
                self._tell(notice)
            case _:
                pass

    async def begin(self) -> None:
        """Wait for a first word."""
        self.display = True
        self._tell("…")

    async def show_cut_off(self, text: str) -> None:
        """Show what was said before the turn was cut off: it is kept, and no message yet."""
        await self.clear()
        if not self.is_attached:  # the app was closed meanwhile
            return
        async with self._changing:
            self.display = True
            await (await self._paper()).update(safe(text))
            self._tell("… cut off")

    async def clear(self) -> None:
        """Take down what was said: it stands in the transcript now, or will never."""
        async with self._changing:
            if self._stream is not None:
                stream, self._stream = self._stream, None
                await anyio.lowlevel.checkpoint()  # a stream that has not begun would end whoever stops it
                await stream.stop()
            if self._markdown is not None:
                await self._markdown.update("")
            self._tell("")

    async def end(self) -> None:
        """Note that the turn is over."""
        await self.clear()
        self.display = False

    async def _write(self, text: str) -> None:
        if not self.is_attached:  # the app was closed meanwhile; the journal gets what is said
            return
        async with self._changing:
            if self._stream is None:
                paper = await self._paper()
                self._stream = paper.get_stream(paper)
            await self._stream.write(text)

    async def _paper(self) -> "Markdown":
        """Return what is written on."""
        if self._markdown is None:
            await anyio.to_thread.run_sync(import_module, "textual.widgets.markdown")  # the screen goes on meanwhile
            from textual.widgets.markdown import Markdown  # noqa: PLC0415 - loaded just now

            self._markdown = Markdown("", open_links=False)
            await self.mount(self._markdown, before=self._aside)
        return self._markdown

    def _tell(self, text: str) -> None:
        self._aside.update(one_line(safe(text), most=400))
        self._aside.display = bool(text)
