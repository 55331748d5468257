"""The question whether what is learned about the person may be written down. It is asked once, when there is something.

It asks quietly: who is typing goes on typing, and nothing is written until somebody says yes.
"""

from typing import Final, cast

from textual.app import ComposeResult
from textual.containers import HorizontalGroup, VerticalGroup
from textual.widgets import Button, Static

from sojourn.desk.visible import safe
from sojourn.desk.wording import one_line
from sojourn.errors import SojournError
from sojourn.model.profile import LISTS, SCALARS
from sojourn.tui.host import Host

_SHOWN: Final = 3


class KeepCard(VerticalGroup):
    """Shows what was learned about the person, and asks. Lives as long as the chat; hidden while there is no question.

    The first answer changes nothing: the question comes again when the app is opened again.
    """

    DEFAULT_CSS = "KeepCard { display: none; }"

    def __init__(self) -> None:
        super().__init__(classes="card")
        self._told = Static("", markup=False, classes="question")
        self._put_off = False

    def compose(self) -> ComposeResult:
        yield self._told
        with HorizontalGroup():
            yield Button("later", name="later", compact=True)
            yield Button("keep it", name="yes", compact=True)
            yield Button("never", name="no", compact=True)

    def on_mount(self) -> None:
        self.watch(self._app, "state", self.look)

    @property
    def _app(self) -> Host:
        return cast(Host, self.app)

    def look(self) -> None:
        """Ask, if there is something to ask about, and nobody has answered yet."""
        known = self._known() if self._app.sojourn.asks_about_profile and not self._put_off else []
        if known:
            more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
            told = f"It learned about you: {', '.join(known[:_SHOWN])}{more}. Keep that for other sessions?"
            self._told.update(safe(told))
        elif self.has_focus_within:
            self._app.chat.prompt.focus()
        self.display = bool(known)

    def _known(self) -> list[str]:
        state = self._app.state
        if state is None:
            return []
        fields = {name: getattr(state.user_profile, name) for name in (*SCALARS, *LISTS)}
        written = {name: ", ".join(value) if isinstance(value, tuple) else value for name, value in fields.items()}
        return [f"{name.replace('_', ' ')} {one_line(str(value), most=40)}" for name, value in written.items() if value]

    async def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.name == "later":
            self._put_off = True
        else:
            try:
                await self._app.sojourn.answer_keep_profile(keep=event.button.name == "yes")
            except SojournError as error:
                self._app.complain(error)
        self.look()
        self._app.chat.prompt.focus()
