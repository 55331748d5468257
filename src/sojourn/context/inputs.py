"""What a context is made of: the state, the last messages, what was found, and what is asked."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Protocol

from sojourn.context.talk import Line
from sojourn.model.ids import Seq, SessionId
from sojourn.model.knowledge import Fact
from sojourn.model.state import SessionState
from sojourn.model.value import Value

Mode = Literal["auto", "minimal", "standard", "comprehensive"]
Strategy = Literal["oldest_first", "middle_out"]
ShowProfile = Literal["when_asked", "always", "never"]


class Retrieved(Value, frozen=True, kw_only=True):
    """An old message that may help: who said it, when, how well it fits (0 to 1), and why it was found."""

    session_id: SessionId
    seq: Seq
    at: datetime
    speaker: str
    text: str
    score: float
    reason: str


class Retriever(Protocol):
    """Finds what may help to answer a question, among what is not in the recent messages."""

    async def retrieve(self, question: str, *, limit: int) -> Sequence[Retrieved]:
        """Return the old messages that fit *question* best, the best first."""
        ...


class Inputs(Value, frozen=True, kw_only=True):
    """Everything that a context is made of; the same inputs make the same context.

    *recent* are the last messages before the question, oldest first: as many as any budget may hold. *research* is the
    active research as text, *shared* are facts from beyond the session.
    """

    state: SessionState
    question: str
    system: str = ""
    recent: tuple[Line, ...] = ()
    retrieved: tuple[Retrieved, ...] = ()
    shared: tuple[Fact, ...] = ()
    research: str | None = None
