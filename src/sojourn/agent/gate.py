"""Who is asked before a tool runs."""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from sojourn.agent.events import TurnEvent
from sojourn.agent.skills.skill import Skill
from sojourn.engine.session import Session
from sojourn.model.interrupts import Interrupt
from sojourn.model.message import ToolCall

Announce = Callable[[TurnEvent], None]


class Waiting(Exception):  # noqa: N818 - no error: the turn is put aside
    """A human has to allow a call first, and nobody is here to be asked: the turn is put aside."""

    def __init__(self, interrupt: Interrupt) -> None:
        super().__init__(interrupt.interrupt_id)
        self.interrupt = interrupt


class Gate(Protocol):
    """Lets calls through, or not. Lives as long as its agent."""

    async def admit(self, call: ToolCall, skill: Skill, arguments: dict[str, Any], *, announce: Announce) -> str | None:
        """Return None if *skill* may run with *arguments*; else why not, in the words that the model is told.

        It may take as long as a human takes; cancelling it leaves the question open. A refusal is in the journal when
        this returns.

        Raises:
            Waiting: the question is in the journal, and the turn is to be put aside until it is answered.
        """
        ...


@runtime_checkable
class TimesSkills(Protocol):
    """A gate that also says how long a skill may take."""

    def timeout_for(self, skill: Skill, arguments: dict[str, Any]) -> float | None:
        """Return how many seconds *skill* may take with *arguments*; None is for ever."""
        ...


@runtime_checkable
class SessionGate(Gate, Protocol):
    """A gate that keeps what it asks in a session."""

    def in_session(self, session: Session) -> "SessionGate":
        """Return a gate with the same rules that keeps it in *session*."""
        ...
