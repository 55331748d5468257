"""After a crash or a cancel: which entries make the next model call valid again.

A turn without an end is marked interrupted. Each tool call without a result gets one, which says what is known: a call
that was started may have run, a call that was not started has not. Text that was streamed and never finished becomes
a message marked partial.
"""

from typing import Final

from sojourn.model.events import Event, MessageAdded, TurnEnded, TurnOutcome
from sojourn.model.message import Message
from sojourn.model.state import SessionState
from sojourn.store.protocol import Partial

UNKNOWN: Final = (
    "Interrupted: the tool was started, and nobody knows whether it finished. Check before running it again."
)
NOT_RUN: Final = "Not run: the turn ended before this tool was started."


def closing_events(
    state: SessionState,
    partial: Partial | None = None,
    *,
    outcome: TurnOutcome = "interrupted",
    reason: str | None = None,
) -> list[Event]:
    """Return what closes the open turn of *state*, its open calls and its *partial* text; nothing if all is closed."""
    events: list[Event] = []
    for call in state.conversation.open_calls:
        result = Message(
            role="tool",
            content=UNKNOWN if call.started else NOT_RUN,
            tool_call_id=call.call_id,
            name=call.name,
            error=True,
            metadata={"synthetic": True},
        )
        events.append(MessageAdded(message=result))
    if partial is not None and partial.text:  # behind the results, which must follow their calls at once
        events.append(MessageAdded(message=Message(role="assistant", content=partial.text, partial=True)))
    turn = state.conversation.turn
    if turn is not None and turn.outcome is None:
        events.append(TurnEnded(turn_id=turn.turn_id, outcome=outcome, reason=reason))
    return events
