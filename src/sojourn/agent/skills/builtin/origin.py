"""Why a skill writes into the journal: who asked for it, so that forgetting that reaches what was written."""

from typing import Final

from sojourn.engine.session import Session
from sojourn.model.events import MessageAdded
from sojourn.model.ids import Seq

_RECENT: Final = 20


async def causes_of(session: Session, skill: str) -> list[Seq]:
    """Return the message that calls *skill* just now, and what the user said last."""
    asked = [call.asked_at for call in session.state.conversation.open_calls if call.name == skill][-1:]
    said = [
        entry.seq
        for entry in await session.last_messages(_RECENT)
        if isinstance(entry.event, MessageAdded) and entry.event.message.role == "user"
    ]
    return sorted({*asked, *said[-1:]})
