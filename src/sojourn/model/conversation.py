"""The conversation as the state knows it: which messages count, how many there are, what is still open.

Bodies are not here. They are in the journal, and the last ones are one indexed read away.
"""

from typing import Final

from msgspec.structs import replace

from sojourn.model.bounded import with_newest
from sojourn.model.entry import Entry
from sojourn.model.events import (
    Compacted,
    CompactionUndone,
    MessageAdded,
    ToolRan,
    ToolStarted,
    TurnEnded,
    TurnOutcome,
    TurnStarted,
)
from sojourn.model.ids import Seq
from sojourn.model.value import Value

MAX_OPEN_CALLS: Final = 200


class OpenCall(Value, frozen=True, kw_only=True):
    """A tool call that has no result yet. *started*: the tool may have run, even if a crash hid its end.

    *beside*: no message made it, so none is its result; it ends when the tool comes back.
    """

    call_id: str
    name: str
    asked_at: Seq
    started: bool = False
    beside: bool = False


class Turn(Value, frozen=True, kw_only=True):
    """The latest turn; without an outcome it is still going on, or its process died."""

    turn_id: str
    started_at: Seq
    outcome: TurnOutcome | None = None


class Conversation(Value, frozen=True, kw_only=True):
    """A window on the messages: those after entry *window_start*, and counters over all of them.

    What is before the window has a summary, but for what stands up to *cleared_through*: the user put that away.
    """

    window_start: Seq = Seq(0)
    cleared_through: Seq = Seq(0)
    first_message: Seq | None = None
    last_message: Seq | None = None
    message_count: int = 0
    user_messages: int = 0
    assistant_messages: int = 0
    tool_messages: int = 0
    window_messages: int = 0
    compactions: int = 0
    turn: Turn | None = None
    open_calls: tuple[OpenCall, ...] = ()

    def apply(self, entry: Entry) -> "Conversation":
        """Return the conversation after *entry*."""
        match entry.event:
            case MessageAdded():
                return self._said(entry, entry.event)
            case TurnStarted(turn_id=turn_id):
                return replace(self, turn=Turn(turn_id=turn_id, started_at=entry.seq))
            case TurnEnded() as ended:
                if self.turn is None or self.turn.turn_id != ended.turn_id:
                    return self
                return replace(self, turn=replace(self.turn, outcome=ended.outcome))
            case ToolStarted() as started:
                return replace(self, open_calls=self._with_started(started, entry.seq))
            case ToolRan(call_id=call_id):
                calls = tuple(call for call in self.open_calls if not (call.beside and call.call_id == call_id))
                return self if len(calls) == len(self.open_calls) else replace(self, open_calls=calls)
            case Compacted(summary=summary, through=through, kept=kept):
                return replace(
                    self,
                    window_start=through,
                    cleared_through=self.cleared_through if summary else through,
                    window_messages=kept,
                    compactions=self.compactions + 1,
                )
            case CompactionUndone(through=through, kept=kept):
                return replace(
                    self,
                    window_start=through,
                    cleared_through=min(self.cleared_through, through),
                    window_messages=kept,
                    compactions=max(0, self.compactions - 1),
                )
            case _:
                return self

    def _said(self, entry: Entry, event: MessageAdded) -> "Conversation":
        message = event.message
        role = message.role
        calls = self.open_calls
        if message.tool_calls:
            for call in message.tool_calls:
                asked = OpenCall(call_id=call.id, name=call.name, asked_at=entry.seq)
                calls = with_newest(calls, asked, limit=MAX_OPEN_CALLS)
        elif role == "tool" and calls:
            calls = tuple(call for call in calls if call.call_id != message.tool_call_id)
        return replace(
            self,
            first_message=self.first_message or entry.seq,
            last_message=entry.seq,
            message_count=self.message_count + 1,
            user_messages=self.user_messages + (role == "user"),
            assistant_messages=self.assistant_messages + (role == "assistant"),
            tool_messages=self.tool_messages + (role == "tool"),
            window_messages=self.window_messages + 1,
            open_calls=calls,
        )

    def _with_started(self, started: ToolStarted, seq: Seq) -> tuple[OpenCall, ...]:
        if any(call.call_id == started.call_id for call in self.open_calls):
            return tuple(
                replace(call, started=True) if call.call_id == started.call_id else call for call in self.open_calls
            )
        call = OpenCall(call_id=started.call_id, name=started.name, asked_at=seq, started=True, beside=True)
        return with_newest(self.open_calls, call, limit=MAX_OPEN_CALLS)
