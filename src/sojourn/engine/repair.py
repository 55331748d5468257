"""After a crash or a cancel: which entries make the next model call valid again.

A turn without an end is marked interrupted. Each tool call without a result gets one, which says what is known: a call
that was started may have run, a call that was not started has not. Text that was streamed and never finished becomes
a message marked partial. A turn that is gone on with keeps the calls that were not started: they can still run.
"""

from typing import Final

from sojourn.context.validity import CANCELLED
from sojourn.model.conversation import OpenCall
from sojourn.model.events import Event, MessageAdded, ToolRan, TurnEnded, TurnOutcome
from sojourn.model.message import Message
from sojourn.model.state import SessionState
from sojourn.store.protocol import Partial

UNKNOWN: Final = (
    "Interrupted: the tool was started, and nobody knows whether it finished. Check before running it again."
)
NOT_RUN: Final = "Not run: the turn ended before this tool was started."
CANCELLED_BEFORE: Final = "Cancelled by user: the tool was not started"


def closing_events(
    state: SessionState,
    partial: Partial | None = None,
    *,
    outcome: TurnOutcome = "interrupted",
    reason: str | None = None,
    keep_unstarted: bool = False,
) -> list[Event]:
    """Return what closes the open turn of *state*, its open calls and its *partial* text; nothing if all is closed.

    *keep_unstarted* leaves the calls that were not started open. If there is text behind them they are closed all the
    same, because the talk went on without them, and a result must follow its call at once.
    """
    went_on = partial is not None and bool(partial.text)
    events: list[Event] = [
        _ending(call, outcome)
        for call in state.conversation.open_calls
        if call.started or went_on or not keep_unstarted
    ]
    if partial is not None and partial.text:  # behind the results, which must follow their calls at once
        events.append(MessageAdded(message=Message(role="assistant", content=partial.text, partial=True)))
    turn = state.conversation.turn
    if turn is not None and turn.outcome is None:
        events.append(TurnEnded(turn_id=turn.turn_id, outcome=outcome, reason=reason))
    return events


def _ending(call: OpenCall, outcome: TurnOutcome) -> Event:
    """Return a result for *call*, whose own never came: what is known of it."""
    if outcome == "cancelled":
        text = CANCELLED if call.started else CANCELLED_BEFORE
    else:
        text = UNKNOWN if call.started else NOT_RUN
    if call.beside:
        return ToolRan(call_id=call.call_id, name=call.name, success=False, error=text)
    message = Message(
        role="tool",
        content=text,
        tool_call_id=call.call_id,
        name=call.name,
        error=True,
        metadata={"synthetic": True},
    )
    return MessageAdded(message=message)
