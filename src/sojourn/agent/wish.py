"""What a turn is asked to do, and whether there is anything to do in a session."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sojourn.agent.settings import WhenBusy
from sojourn.engine.session import Session
from sojourn.model.events import MessageAdded


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a turn is to do: answer *text*, which may stand there already, or, without one, go on with what is open."""

    text: str | None
    when_busy: WhenBusy
    asked: bool = False
    injected: tuple[tuple[int, int], ...] = ()
    inputs: Mapping[str, Any] = field(default_factory=dict)

    @property
    def resumes(self) -> bool:
        return self.text is None


async def last_said(session: Session) -> str | None:
    """Return what the user said last in *session*, if nothing was said since."""
    last = await session.last_messages(1)
    event = last[0].event if last else None
    return event.message.text if isinstance(event, MessageAdded) and event.message.role == "user" else None


async def waits(session: Session) -> bool:
    """Tell whether anything waits in *session*: a call, a question, or an answer that was cut off."""
    if session.state.conversation.open_calls or await session.store.find_partial(session.id) is not None:
        return True
    last = await session.last_messages(1)
    event = last[0].event if last else None
    return isinstance(event, MessageAdded) and (event.message.role in ("user", "tool") or event.message.partial)
