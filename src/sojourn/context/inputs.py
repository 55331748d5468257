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
    """Something old that may help: a message, or a fact if it has an id; how well it fits (0 to 1), and why."""

    session_id: SessionId
    seq: Seq
    at: datetime
    speaker: str
    text: str
    score: float
    reason: str
    fact_id: str | None = None


class Retriever(Protocol):
    """Finds what may help to answer a question."""

    async def retrieve(self, question: str, *, limit: int) -> Sequence[Retrieved]:
        """Return at most *limit* old messages and facts that fit *question* best, the best first."""
        ...


class Inputs(Value, frozen=True, kw_only=True):
    """Everything that a context is made of; the same inputs make the same context.

    Attributes:
        state: the session's.
        question: what is asked now. It may already stand in *recent*, with the tool calls that it led to.
        system: the instructions.
        recent: the last messages, oldest first: as many as the budget may hold, and with the strategy "middle_out" the
            first one before them.
        retrieved: what was found for the question, in the session's own past.
        shared: facts from beyond the session.
        research: the active research as text, in one or more degrees of detail, the most detailed first.
    """

    state: SessionState
    question: str = ""
    system: str = ""
    recent: tuple[Line, ...] = ()
    retrieved: tuple[Retrieved, ...] = ()
    shared: tuple[Fact, ...] = ()
    research: tuple[str, ...] = ()
