"""A field whose text is kept as the draft of the open session, and is there again when that is opened again."""

from typing import Final, cast

import anyio
from textual import work

from sojourn.engine.unsent import Unsent, UnsentTexts
from sojourn.errors import SojournError
from sojourn.tui.chat.pasting import PasteArea, whole
from sojourn.tui.host import Host

_KEPT_AFTER: Final = 0.4
"""Seconds after which what was typed is kept."""
_NEW: Final = "new:"
"""Before the project's id: where a text is kept that would begin a session."""


class DraftedArea(PasteArea):
    """A field for text that is kept while one types: neither leaving the app nor a crash takes it."""

    _place: str | None = None
    _waiting: tuple[str, ...] = ()
    _is_due = False
    _is_leaving = False

    def keep_drafts(self) -> None:
        """Begin to keep what is typed, and put in what was kept."""
        self._writing = anyio.Lock()
        self._kept = UnsentTexts(self._app.sojourn.store.documents)
        self.watch(self._app, "state", self._session_changed)

    @property
    def _app(self) -> Host:
        return cast(Host, self.app)

    def note_waiting(self, texts: tuple[str, ...]) -> None:
        """Keep with the draft what was sent and waits for its turn."""
        if texts != self._waiting and not self._is_leaving:
            self._waiting = texts
            self.keep_soon()

    def keep_soon(self) -> None:
        """Keep what is typed, in a moment: not every key is written."""
        if self._place is not None and not self._is_due and not self._is_leaving:
            self._is_due = True
            self.set_timer(_KEPT_AFTER, self._keep)

    async def leave(self) -> None:
        """Keep what is typed and what waits, as it is now: the app is left."""
        self._is_leaving = True
        await self._keep()

    async def on_unmount(self) -> None:
        if not self._is_leaving:
            await self.leave()

    async def _keep(self) -> None:
        self._is_due = False
        if self._place is not None:
            await self._save(self._place, self._unsent())

    def _unsent(self) -> Unsent:
        return Unsent(text=self.text, pasted=self._pasted, waiting=self._waiting)

    async def _save(self, place: str, unsent: Unsent) -> None:
        try:
            async with self._writing:
                await self._kept.save(place, unsent)
        except SojournError as error:
            self._app.complain(error)

    def _session_changed(self) -> None:
        """Put the draft of another session in place of that of the one that was left."""
        app = self._app
        place = app.session.id if app.session is not None else f"{_NEW}{app.conversation.project.id}"
        was, self._place = self._place, place
        if place == was:
            return
        if was is not None and was.startswith(_NEW) and app.chat.turns.is_busy:
            self._move(was, place)  # the session was begun by what was just said; what was typed since goes on in it
            return
        left = self._unsent()
        if was is not None:
            self.empty()
            self._waiting = ()
        self._change(was, left, place)

    @work(group="drafts")
    async def _move(self, was: str, place: str) -> None:
        await self._save(was, Unsent())
        await self._save(place, self._unsent())

    @work(group="drafts")
    async def _change(self, was: str | None, left: Unsent, place: str) -> None:
        if was is not None:
            await self._save(was, left)
        try:
            async with self._writing:
                found = await self._kept.load(place)
        except SojournError as error:
            self._app.complain(error)
            return
        if found and place == self._place and not self.text:
            typed = whole(found.text, found.pasted)
            self.put("\n\n".join([*found.waiting, *([typed] if typed else [])]))
            if found.waiting:
                self.app.notify("what was waiting to be sent is in the prompt again")
