"""What every screen and panel may ask of the app that it is in. The app knows the screens; they know only this."""

from abc import abstractmethod
from typing import Protocol

from textual.app import App
from textual.message import Message
from textual.reactive import reactive

from sojourn.desk.conversation import Conversation
from sojourn.desk.visible import safe
from sojourn.desk.wording import advice, complaint
from sojourn.engine.app import Sojourn
from sojourn.engine.session import Session
from sojourn.errors import SojournError
from sojourn.model.state import SessionState
from sojourn.tui.filling import Filling


class SessionOpened(Message):
    """Another session is open now, or none. *at* is the entry to show; None shows the end."""

    def __init__(self, session: Session | None, *, at: int | None = None) -> None:
        super().__init__()
        self.session = session
        self.at = at


class SessionMoved(Message):
    """The journal of the open session has grown."""


class Taking(Protocol):
    """What is on its way to the model."""

    @property
    def is_busy(self) -> bool:
        """Whether a turn goes on."""
        ...


class Writing(Protocol):
    """Where the person types."""

    def put(self, text: str) -> None:
        """Replace what is typed."""
        ...

    def whole(self) -> str:
        """Return what is typed."""
        ...

    def focus(self) -> object:
        """Let the person type there."""
        ...


class Talking(Protocol):
    """The screen that one talks in."""

    @property
    def turns(self) -> Taking: ...

    @property
    def prompt(self) -> Writing: ...

    def say(self, text: str) -> None:
        """Say *text* to the model, now or when it is its turn."""
        ...

    def note(self, text: str) -> None:
        """Show something that is no part of the talk."""
        ...


class Host(App[int]):
    """The app, as far as its screens know it."""

    conversation: Conversation
    """Where one talks."""
    notes: tuple[str, ...]
    """What is shown once, above the talk."""
    is_verbose: bool
    """Whether thinking and what tools put out is shown from the beginning."""
    state: reactive[SessionState | None] = reactive(None)
    """The open session's state; None while nothing was said."""
    filling: reactive[Filling | None] = reactive(None)
    """How full the model's window is; None while nobody knows."""

    @property
    def sojourn(self) -> Sojourn:
        """The engine."""
        return self.conversation.app

    @property
    def session(self) -> Session | None:
        """The open session; None while nothing was said."""
        return self.conversation.session

    @property
    @abstractmethod
    def chat(self) -> Talking:
        """The screen that one talks in. It is always there, below the others."""

    @abstractmethod
    async def open_session(self, session_id: str, *, at: int | None = None) -> None:
        """Go on in another session, and show it from entry *at* on, or from its end. What goes wrong is told."""

    @abstractmethod
    def follow(self, *, at: int | None = None) -> None:
        """Show the session that the conversation is in, and keep showing it as it moves."""

    @abstractmethod
    def action_show(self, name: str) -> None:
        """Show a screen; one that shows already is not shown twice."""

    @abstractmethod
    async def action_new_session(self) -> None:
        """Let what is said next begin a session."""

    @abstractmethod
    async def action_leave(self) -> None:
        """Stop what goes on, and leave; what was said is kept."""

    def back_to_chat(self) -> None:
        """Close every screen that is above the chat."""
        while len(self.screen_stack) > 1:
            self.pop_screen()

    def complain(self, error: SojournError) -> None:
        """Say in one sentence what went wrong, and below it what may help."""
        self.notify(safe("\n".join([complaint(error), *advice(error)])), severity="error", markup=False, timeout=10)
